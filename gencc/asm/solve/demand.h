/*
 * Demanded bits: the bits of a number on which a function's result can depend.
 */
#ifndef GENCC_ASM_SOLVE_DEMAND_H
#define GENCC_ASM_SOLVE_DEMAND_H

#include "gencc/ir/ir.h"
#include "gencc/model/model.h"

/* Demanded bits of the word: raw fields that the function reads, and the demanded bits of the
 * computed field `whole`, which holds the same word. */
u128 demanded_bits(const struct ir_func *f, const struct field *whole);

/* Demanded bits of a parameter. */
u128 demanded_of_param(const struct ir_func *f, unsigned param);

#endif
