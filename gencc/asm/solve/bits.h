/*
 * Reasoning backwards: from what an expression over fields must be to bits of the instruction
 * word. Works on the IR of the expression, bit by bit; what it cannot turn round it leaves to the
 * solver, which tries values.
 */
#ifndef GENCC_ASM_SOLVE_BITS_H
#define GENCC_ASM_SOLVE_BITS_H

#include "gencc/ir/ir.h"
#include "gencc/model/model.h"

/* A number of which only the bits in `mask` are known; the others are 0 in `value`. */
struct bits {
    u128 mask, value;
};

/* What is known of the instruction word while an encoding is being sought. */
struct knowledge {
    struct bits word;
    const struct ir_func *decode; /* computes fields that have no expression; or NULL */
    unsigned steps;               /* work left: values visited; at 0 everything is unknown */
};

enum bits_outcome {
    BITS_IMPOSSIBLE, /* no word that agrees with what is known gives the wanted value */
    BITS_DONE,       /* the wanted value is now the same as known bits of the word */
    BITS_STUCK,      /* more bits may be known than before, but that does not settle it */
};

/* What is known of a scalar integer value of a function, given the word. In a decode function
 * parameter 0 is the word. */
struct bits bits_known(struct knowledge *k, const struct ir_value *v);

/* Makes `v` have the wanted bits by adding to what is known of the word. */
enum bits_outcome bits_want(struct knowledge *k, const struct ir_value *v, struct bits want);

/* Adds bits to what is known; false when they contradict it. */
bool bits_learn(struct bits *known, struct bits more);

/* `width` ones. */
static inline u128 bits_ones(unsigned width)
{
    return width >= 128 ? ~(u128)0 : ((u128)1 << width) - 1;
}

static inline unsigned bits_count(u128 v)
{
    return (unsigned)(__builtin_popcountll((uint64_t)v) +
                      __builtin_popcountll((uint64_t)(v >> 64)));
}

/* Puts the low bits of `packed` where `mask` has ones. */
static inline u128 bits_scatter(uint64_t packed, u128 mask)
{
    u128 v = 0;

    for (; mask && packed; packed >>= 1, mask &= mask - 1)
        if (packed & 1)
            v |= mask & -mask;
    return v;
}

/* Bits of the word that a function's result depends on. `decode` computes the fields that have no
 * expression of their own, or is NULL. */
u128 bits_depends(const struct ir_func *f, const struct ir_func *decode);

/* What the decode function gives a computed field, when it does that in one place; else NULL. */
const struct ir_value *bits_computed(const struct ir_func *decode, const struct field *f);

/* A shift or rotation of partly known bits by a known amount. */
struct bits bits_shifted(enum ir_op op, struct bits x, unsigned by, struct ir_type t);

static inline bool bits_full(struct bits b, struct ir_type t)
{
    return b.mask == bits_ones(t.bits);
}

/* The only kind of value that is reasoned about. */
static inline bool bits_scalar(const struct ir_value *v)
{
    return ir_is_int(v->type) && v->type.lanes == 1;
}

#endif
