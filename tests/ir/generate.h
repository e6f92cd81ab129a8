/*
 * Random programs: structured control flow over variables, finite loops, calls of helpers with
 * several results, registers, fields, intrinsics and external functions.
 */
#ifndef TESTS_IR_GENERATE_H
#define TESTS_IR_GENERATE_H

#include "world.h"

/*
 * Makes a random function of that kind, with about `size` statements and no undefined reads. Later
 * functions of the same world may call it if it is a helper (HELPER).
 */
struct ir_func *generate(struct world *w, uint64_t *seed, const char *name, enum ir_func_kind kind,
                         unsigned size);

/* Makes random arguments for the function. */
void generate_args(const struct ir_func *f, uint64_t *seed, struct ir_data *args);

#endif
