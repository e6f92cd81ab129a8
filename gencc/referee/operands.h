/*
 * Random operands that are likely to reveal errors: numbers near the limits of a format, ties,
 * cancellation, NaNs of both kinds, values near integers and near the limits of integer types.
 */
#ifndef GENCC_REFEREE_OPERANDS_H
#define GENCC_REFEREE_OPERANDS_H

#include <stdint.h>

/* A stream of random numbers (splitmix64); equal seeds give equal streams. */
struct random {
    uint64_t state;
};

/* The next number of the stream, 64 bits. */
uint64_t random_next(struct random *random);

/* A number from 0 to below - 1; `below` is not 0. */
uint32_t random_below(struct random *random, uint32_t below);

/* Three floats of 16, 32 or 64 bits, often related to each other. */
void random_floats(struct random *random, int width, uint64_t operands[3]);

/* A float of 32 or 64 bits for conversions to integers and fixed point. */
uint64_t random_integral(struct random *random, int width);

/* A float of 32 or 64 bits near the limits of the smaller formats. */
uint64_t random_narrow(struct random *random, int width);

/* An integer of up to 64 bits, of any length, often with runs of ones or zeros. */
uint64_t random_integer(struct random *random);

#endif
