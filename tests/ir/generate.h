/*
 * Random programs: structured control flow over variables, loops that end, calls of helpers with
 * further results, registers, fields, intrinsics and external functions.
 */
#ifndef TESTS_IR_GENERATE_H
#define TESTS_IR_GENERATE_H

#include "world.h"

/* A random function of that kind. Helpers (HELPER) may be called by those made later with the same
 * world; `size` is about the number of statements. The result holds no undefined reads. */
struct ir_func *generate(struct world *w, uint64_t *seed, const char *name, enum ir_func_kind kind,
                         unsigned size);

/* Random arguments for it. */
void generate_args(const struct ir_func *f, uint64_t *seed, struct ir_data *args);

#endif
