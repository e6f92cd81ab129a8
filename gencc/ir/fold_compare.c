/*
 * Folding of comparisons and SELECT.
 */
#include "gencc/ir/fold.h"

static struct ir_value *become_bool(struct ir_value *v, bool holds)
{
    return ir_become_const(v, !holds ? 0 : ir_is_vector(v->type) ? low_bits(v->type.bits) : 1);
}

static bool is_compare(const struct ir_value *v)
{
    return v->op >= IR_EQ && v->op <= IR_GE;
}

/* The comparison that holds if `op` does not; for integers only. */
static enum ir_op inverse_comparison(enum ir_op op)
{
    switch (op) {
    case IR_EQ:
        return IR_NE;
    case IR_NE:
        return IR_EQ;
    case IR_LT:
        return IR_GE;
    case IR_LE:
        return IR_GT;
    case IR_GT:
        return IR_LE;
    default: /* IR_GE */
        return IR_LT;
    }
}

/* Whether the range contains numbers with the sign bit set and numbers with it clear. */
static bool mixed_signs(struct ir_range r, unsigned bits)
{
    return (r.min >> (bits - 1)) != (r.max >> (bits - 1));
}

/* Order of all x and all y of the ranges: -1: x < y, 1: x > y, 2: x <= y, 3: x >= y, 0: unknown. */
static int order_of(struct ir_range x, struct ir_range y, struct ir_type t)
{
    if (t.base == IR_SINT) {
        u128 flip = (u128)1 << (t.bits - 1);

        if (mixed_signs(x, t.bits) || mixed_signs(y, t.bits))
            return 0;
        x.min ^= flip, x.max ^= flip, y.min ^= flip, y.max ^= flip;
    }
    if (x.max < y.min)
        return -1;
    if (x.min > y.max)
        return 1;
    return x.max == y.min ? 2 : x.min == y.max ? 3 : 0;
}

static struct ir_value *fold_by_order(struct ir_value *v, struct ir_value *x, struct ir_value *y)
{
    struct ir_range rx = ir_value_range(x), ry = ir_value_range(y);
    int order = order_of(rx, ry, x->type);

    if ((rx.ones & ry.zeros) | (rx.zeros & ry.ones)) {
        if (v->op == IR_EQ || v->op == IR_NE)
            return become_bool(v, v->op == IR_NE);
    }
    switch (v->op) {
    case IR_EQ:
    case IR_NE:
        return order == -1 || order == 1 ? become_bool(v, v->op == IR_NE) : NULL;
    case IR_LT:
    case IR_GE:
        if (order == -1)
            return become_bool(v, v->op == IR_LT);
        return order == 1 || order == 3 ? become_bool(v, v->op == IR_GE) : NULL;
    default: /* IR_LE, IR_GT */
        if (order == 1)
            return become_bool(v, v->op == IR_GT);
        return order == -1 || order == 2 ? become_bool(v, v->op == IR_LE) : NULL;
    }
}

/* Folds x == c and x != c, where x is an operation with a constant. */
static struct ir_value *fold_equality(struct ir_value *v, struct ir_value *x, struct ir_value *y)
{
    u128 c = y->imm;
    struct ir_value *in = x->ops.len ? x->ops.data[0] : NULL;

    if (ir_is_op_const(x, IR_ADD))
        return ir_become(v, v->op, in, ir_const_at(v, y->type, c - x->ops.data[1]->imm));
    if (ir_is_op_const(x, IR_SUB))
        return ir_become(v, v->op, in, ir_const_at(v, y->type, c + x->ops.data[1]->imm));
    if (ir_is_op_const(x, IR_XOR))
        return ir_become(v, v->op, in, ir_const_at(v, y->type, c ^ x->ops.data[1]->imm));
    if (x->op == IR_NOT)
        return ir_become(v, v->op, in, ir_const_at(v, y->type, ~c));
    if (c == 0 && (x->op == IR_SUB || x->op == IR_XOR))
        return ir_become(v, v->op, in, x->ops.data[1]);
    if (x->op == IR_CONVERT && in->type.base == IR_UINT && in->type.bits < x->type.bits &&
        !ir_is_vector(x->type) && c <= low_bits(in->type.bits))
        return ir_become(v, v->op, in, ir_const_at(v, in->type, c));
    return NULL;
}

/* Folds comparisons of x, which is 0 or 1, with 0 or 1. */
static struct ir_value *fold_bool(struct ir_value *v, struct ir_value *x, u128 c)
{
    bool same = (v->op == IR_NE) == (c == 0); /* the result equals x */

    if (ir_is_vector(v->type) || c > 1 || ir_value_range(x).max > 1)
        return NULL;
    if (same && ir_type_eq(x->type, v->type))
        return x;
    if (same)
        return ir_become(v, IR_CONVERT, x, NULL);
    if (is_compare(x) && x->ops.data[0]->type.base != IR_FLOAT)
        return ir_become(v, inverse_comparison(x->op), x->ops.data[0], x->ops.data[1]);
    return v->op == IR_NE ? ir_become(v, IR_EQ, x, ir_const_at(v, x->type, 0)) : NULL;
}

/* An unsigned comparison with 0 or 1 is a test for equality. */
static struct ir_value *fold_unsigned_order(struct ir_value *v, struct ir_value *x, u128 c)
{
    enum ir_op op;

    if (x->type.base != IR_UINT || c > 1)
        return NULL;
    if ((v->op == IR_LT && c == 1) || (v->op == IR_LE && c == 0))
        op = IR_EQ;
    else if ((v->op == IR_GE && c == 1) || (v->op == IR_GT && c == 0))
        op = IR_NE;
    else
        return NULL;
    return ir_become(v, op, x, ir_const_at(v, x->type, 0));
}

static struct ir_value *fold_comparison(struct ir_value *v)
{
    struct ir_value *x = v->ops.data[0], *y = v->ops.data[1], *r;

    if (!ir_is_int(x->type))
        return NULL;
    if (x == y)
        return become_bool(v, v->op == IR_EQ || v->op == IR_LE || v->op == IR_GE);
    r = fold_by_order(v, x, y);
    if (r || !ir_is_const(y))
        return r;
    if (v->op != IR_EQ && v->op != IR_NE)
        return fold_unsigned_order(v, x, y->imm);
    r = fold_bool(v, x, y->imm);
    return r ? r : fold_equality(v, x, y);
}

/* ---- SELECT ---------------------------------------------------------------------------------- */

/* Folds c ? 1 : 0 and c ? 0 : 1, where c is 0 or 1. */
static struct ir_value *select_bool(struct ir_value *v, struct ir_value *c)
{
    bool straight = ir_is_const_of(v->ops.data[1], 1) && ir_is_zero(v->ops.data[2]);
    bool turned = ir_is_zero(v->ops.data[1]) && ir_is_const_of(v->ops.data[2], 1);

    if (!(straight || turned) || ir_is_vector(v->type) || !ir_is_int(v->type))
        return NULL;
    if (turned)
        c = ir_value_at(v, IR_EQ, IR_T_U8, c, ir_const_at(v, c->type, 0));
    else if (ir_value_range(c).max > 1)
        c = ir_value_at(v, IR_NE, IR_T_U8, c, ir_const_at(v, c->type, 0));
    return ir_type_eq(c->type, v->type) ? c : ir_become(v, IR_CONVERT, c, NULL);
}

static struct ir_value *fold_select(struct ir_value *v)
{
    struct ir_value *c = v->ops.data[0], *x = v->ops.data[1], *y = v->ops.data[2];

    if (ir_is_const(c))
        return c->imm ? x : y;
    if (x == y || (ir_is_const(x) && ir_is_const(y) && x->imm == y->imm))
        return x;
    if (x->op == IR_SELECT && x->ops.data[0] == c) {
        v->ops.data[1] = x->ops.data[1];
        return v;
    }
    if (y->op == IR_SELECT && y->ops.data[0] == c) {
        v->ops.data[2] = y->ops.data[2];
        return v;
    }
    if (ir_is_vector(c->type))
        return NULL;
    if ((c->op == IR_EQ || c->op == IR_NE) && ir_is_zero(c->ops.data[1]) &&
        ir_type_eq(c->ops.data[0]->type, IR_T_U8)) {
        v->ops.data[0] = c->ops.data[0];
        v->ops.data[1] = c->op == IR_EQ ? y : x;
        v->ops.data[2] = c->op == IR_EQ ? x : y;
        return v;
    }
    return select_bool(v, c);
}

struct ir_value *ir_fold_compare(struct ir_value *v)
{
    return v->op == IR_SELECT ? fold_select(v) : fold_comparison(v);
}
