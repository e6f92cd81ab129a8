/*
 * The generators of operands that a64_ops.def and a32_ops.def name: each fills in what is special
 * about v[1] to v[3] of a request whose v holds random bits already.
 */
#ifndef TESTS_FP_FILL_H
#define TESTS_FP_FILL_H

#include "gencc/referee/operands.h"
#include "referee.h"

/* Three floating-point numbers of one width. */
void fill_float16(struct random *random, struct request *request);
void fill_float32(struct random *random, struct request *request);
void fill_float64(struct random *random, struct request *request);

/* A number near integers and values of fixed point. */
void fill_integral32(struct random *random, struct request *request);
void fill_integral64(struct random *random, struct request *request);

/* A number near the limits of narrower formats. */
void fill_narrow32(struct random *random, struct request *request);
void fill_narrow64(struct random *random, struct request *request);

/* Two integers. */
void fill_integer(struct random *random, struct request *request);

/* Nothing: any bits will do. */
void fill_vector(struct random *random, struct request *request);

#endif
