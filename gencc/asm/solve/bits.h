/*
 * Backward reasoning: from the required value of an expression over fields to bits of the
 * instruction word. It works on the expression's IR, bit by bit. Operations that it cannot invert
 * are left to the solver, which tries values.
 */
#ifndef GENCC_ASM_SOLVE_BITS_H
#define GENCC_ASM_SOLVE_BITS_H

#include "gencc/ir/ir.h"
#include "gencc/model/model.h"

/* A number of which only the bits in `mask` are known; the others are 0 in `value`. */
struct bits {
    u128 mask, value;
};

/* Known bits of the instruction word during a search. */
struct knowledge {
    struct bits word;
    const struct ir_func *decode; /* computes fields that have no expression; NULL: none */
    unsigned steps;               /* values left to visit; at 0 everything is unknown */
};

enum bits_outcome {
    BITS_IMPOSSIBLE, /* no word that agrees with the known bits gives the wanted value */
    BITS_DONE,       /* the known bits of the word now imply the wanted value */
    BITS_STUCK,      /* more bits may be known than before, but they do not imply the value */
};

/* Known bits of a scalar integer value of a function, given the known bits of the word. In a decode
 * function parameter 0 is the word. */
struct bits bits_known(struct knowledge *k, const struct ir_value *v);

/* Adds known bits of the word such that `v` has the wanted bits. */
enum bits_outcome bits_want(struct knowledge *k, const struct ir_value *v, struct bits want);

/* Adds bits to the known ones. False if they contradict. */
bool bits_learn(struct bits *known, struct bits more);

/* Scatters the low bits of `packed` to the bits of `mask`. */
static inline u128 bits_scatter(uint64_t packed, u128 mask)
{
    u128 v = 0;

    for (; mask && packed; packed >>= 1, mask &= mask - 1)
        if (packed & 1)
            v |= mask & -mask;
    return v;
}

/* Bits of the word that a function's result depends on. `decode` computes the fields that have no
 * expression of their own; NULL: none. */
u128 bits_depends(const struct ir_func *f, const struct ir_func *decode);

/* The value that the decode function stores in a computed field. NULL if it stores in several
 * places or none. */
const struct ir_value *bits_computed(const struct ir_func *decode, const struct field *f);

/* A shift or rotation of partly known bits by a known amount. */
struct bits bits_shifted(enum ir_op op, struct bits x, unsigned by, struct ir_type t);

static inline bool bits_full(struct bits b, struct ir_type t)
{
    return b.mask == low_bits(t.bits);
}

/* Whether the value is of the only kind that bits_known and bits_want handle. */
static inline bool bits_scalar(const struct ir_value *v)
{
    return ir_is_int(v->type) && v->type.lanes == 1;
}

#endif
