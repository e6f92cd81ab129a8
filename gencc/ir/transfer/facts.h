/*
 * Facts about numbers that transfer functions combine: ranges, known bits, wanted bits.
 */
#ifndef GENCC_IR_TRANSFER_FACTS_H
#define GENCC_IR_TRANSFER_FACTS_H

#include "gencc/ir/transfer/transfer.h"

/* ---- ranges ---------------------------------------------------------------------------------- */

/* The range of all numbers of `bits` bits. */
static inline struct ir_range range_full(unsigned bits)
{
    return (struct ir_range){.zeros = ~low_bits(bits), .max = low_bits(bits)};
}

/* The range of one number. */
static inline struct ir_range range_exact(u128 x)
{
    return (struct ir_range){.zeros = ~x, .ones = x, .min = x, .max = x};
}

/* Whether it is range_full(bits). */
static inline bool range_is_full(const struct ir_range *r, unsigned bits)
{
    return !r->ones && r->zeros == ~low_bits(bits) && !r->min && r->max == low_bits(bits);
}

/* Whether a number of that type may be negative. */
static inline bool range_may_be_negative(const struct ir_range *r, struct ir_type t)
{
    return t.base == IR_SINT && r->max >> (t.bits - 1);
}

/* Derives bits from bounds and bounds from bits, of a number of `bits` bits. */
struct ir_range range_tighten(struct ir_range r, unsigned bits);
/* The range of numbers from `min` to `max`. */
struct ir_range range_between(u128 min, u128 max, unsigned bits);
/* The range of numbers with those bits known to be 0 and to be 1. */
struct ir_range range_of_bits(u128 zeros, u128 ones, unsigned bits);
/* The smallest range that has all numbers of both. */
struct ir_range range_union(const struct ir_range *a, const struct ir_range *b);
/* The range without numbers that have a 1 among their low `n` bits. */
struct ir_range range_with_low_zeros(struct ir_range r, unsigned n, unsigned bits);
/* Number of low bits that are known to be 0. */
unsigned range_low_zeros(const struct ir_range *r);

/* ---- bits ------------------------------------------------------------------------------------ */

/* A number of that type of which all bits are known. */
static inline struct bits bits_all(struct ir_type t, u128 value)
{
    return (struct bits){low_bits(t.bits), value & low_bits(t.bits)};
}

/* A number that is 0 or 1. */
static inline struct bits bits_truth(void)
{
    return (struct bits){0xfe, 0};
}

/* All bits up to the highest 1 of `v`. */
static inline u128 bits_up_to_highest(u128 v)
{
    for (unsigned by = 1; by < 128; by *= 2)
        v |= v >> by;
    return v;
}

/* The longest run of ones from bit 0. */
static inline u128 bits_low_run(u128 mask)
{
    return ~mask ? lowest_bit(~mask) - 1 : mask;
}

/* ---- wants ----------------------------------------------------------------------------------- */

/* Wants nothing of the operands, with that outcome. */
static inline struct bits_wants wants_none(enum bits_outcome outcome)
{
    return (struct bits_wants){.outcome = outcome};
}

/* Wants bits of one operand, which leave the bits `open` of the result open. */
static inline struct bits_wants wants_one(unsigned operand, struct bits bits, u128 open)
{
    return (struct bits_wants){
        .outcome = BITS_DONE, .open = open, .count = 1, .at = {{operand, bits}}};
}

/* Asks the same bits of each operand. */
static inline void ask_each(struct ir_step *s, u128 bits)
{
    for (unsigned i = 0; i < s->v->ops.len; i++)
        s->asked[i] = bits;
}

/* Returns what explains whether a number is 0: a single 1 bit proves that it is not. */
static inline u128 asked_for_truth(u128 value)
{
    return value ? lowest_bit(value) : ~(u128)0;
}

#endif
