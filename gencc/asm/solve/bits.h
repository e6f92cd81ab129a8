/*
 * Reasoning between the value of an expression over fields and the bits of the instruction word. It
 * works on the expression's IR with the transfer functions of its operations, in both directions.
 * Operations that cannot be inverted are left to the solver, which tries values.
 */
#ifndef GENCC_ASM_SOLVE_BITS_H
#define GENCC_ASM_SOLVE_BITS_H

#include "gencc/ir/transfer/transfer.h"
#include "gencc/model/model.h"

/* Known bits of the instruction word during a search. */
struct knowledge {
    struct bits word;
    const struct ir_func *decode; /* computes fields that have no expression; NULL: none */
    unsigned steps;               /* values left to visit; at 0 everything is unknown */
};

/* Known bits of a scalar integer value of a function, given the known bits of the word. In a decode
 * function parameter 0 is the word. */
struct bits bits_known(struct knowledge *k, const struct ir_value *v);

/* Adds known bits of the word such that `v` has the wanted bits. */
enum bits_outcome bits_want(struct knowledge *k, const struct ir_value *v, struct bits want);

/* Scatters the low bits of `packed` to the bits of `mask`. */
static inline u128 bits_scatter(uint64_t packed, u128 mask)
{
    u128 v = 0;

    for (; mask && packed; packed >>= 1, mask &= mask - 1)
        if (packed & 1)
            v |= lowest_bit(mask);
    return v;
}

/* Bits of the word that a function's result depends on. `decode` computes the fields that have no
 * expression of their own; NULL: none. */
u128 bits_depends(const struct ir_func *f, const struct ir_func *decode);

/* The value that the decode function stores in a computed field. NULL if it stores in several
 * places or none. */
const struct ir_value *bits_computed(const struct ir_func *decode, const struct field *f);

#endif
