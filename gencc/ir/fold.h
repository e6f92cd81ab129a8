/*
 * What the files of folding share. Each group of rules receives a value and returns its
 * replacement, which may be the value itself rewritten in place, or NULL if no rule applies.
 */
#ifndef GENCC_IR_FOLD_H
#define GENCC_IR_FOLD_H

#include "gencc/ir/pass.h"

struct ir_value *ir_fold_int(struct ir_value *v);     /* arithmetic and bits */
struct ir_value *ir_fold_shift(struct ir_value *v);   /* shifts and rotates */
struct ir_value *ir_fold_compare(struct ir_value *v); /* comparisons and SELECT */
struct ir_value *ir_fold_convert(struct ir_value *v); /* CONVERT and BITCAST */
struct ir_value *ir_fold_vector(struct ir_value *v);  /* SPLAT to CONCAT */

/* Turns `v` into a constant with `imm` in all lanes. */
struct ir_value *ir_become_const(struct ir_value *v, u128 imm);
/* Turns `v` into another operation on one or two operands (y may be NULL). Its type stays. */
struct ir_value *ir_become(struct ir_value *v, enum ir_op op, struct ir_value *x,
                           struct ir_value *y);
/* Insert a constant, or an operation on one or two operands, before `v`. */
struct ir_value *ir_const_at(struct ir_value *v, struct ir_type t, u128 imm);
struct ir_value *ir_value_at(struct ir_value *v, enum ir_op op, struct ir_type t,
                             struct ir_value *x, struct ir_value *y);

/* Reads the lanes of a CONST, or of a BUILD of CONSTs; returns false for other values. */
bool ir_const_lanes(const struct ir_value *v, u128 *lanes);

static inline bool ir_is_zero(const struct ir_value *v)
{
    return ir_is_const_of(v, 0);
}
static inline bool ir_is_ones(const struct ir_value *v)
{
    return ir_is_const_of(v, low_bits(v->type.bits));
}
/* Whether `v` is operation `op` with a constant as second operand. */
static inline bool ir_is_op_const(const struct ir_value *v, enum ir_op op)
{
    return v->op == op && ir_is_const(v->ops.data[1]);
}
static inline bool ir_is_power_of_two(u128 x)
{
    return x && !(x & (x - 1));
}
/* The exponent of a power of two. */
unsigned ir_log2(u128 power);

#endif
