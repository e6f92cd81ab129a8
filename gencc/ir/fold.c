/*
 * Folding of one value: constant operands, order of operands, then the rules of its operation.
 */
#include "gencc/ir/fold.h"
#include "gencc/ir/arith.h"
#include "gencc/ir/pure.h"

enum { MAX_CONST_LANES = 16 }; /* most lanes of a vector that becomes a BUILD of constants */

/* ---- all operands constant ------------------------------------------------------------------- */

static struct ir_value *become_lanes(struct ir_value *v, const u128 *lanes)
{
    struct arena *a = v->block->func->arena;
    struct ir_value *elements[IR_MAX_LANES];
    bool uniform = true;

    for (unsigned i = 1; i < v->type.lanes; i++)
        uniform &= lanes[i] == lanes[0];
    if (uniform)
        return ir_become_const(v, lanes[0]);
    if (v->op == IR_BUILD || v->type.lanes > MAX_CONST_LANES)
        return NULL;
    for (unsigned i = 0; i < v->type.lanes; i++)
        elements[i] = ir_const_at(v, ir_lane(v->type), lanes[i]);
    v->op = IR_BUILD;
    v->ops.len = 0;
    for (unsigned i = 0; i < v->type.lanes; i++)
        vec_push_in(a, &v->ops, elements[i]);
    return v;
}

/* Whether a conversion that may round is exact: converting back gives the operand. Integers are
 * converted back to sint128, in which no exact result saturates. */
static bool converts_exactly(const struct ir_value *v, const u128 *from, const u128 *to)
{
    const struct ir_type t = v->ops.data[0]->type;
    struct ir_type wide = ir_is_int(t) ? ir_type(IR_SINT, 128, t.lanes) : t;
    struct ir_operand there = {t, from}, back = {v->type, to};
    u128 expected[IR_MAX_LANES], again[IR_MAX_LANES];

    if (v->op != IR_CONVERT)
        return false;
    ir_arith(IR_CONVERT, wide, 1, &there, expected);
    ir_arith(IR_CONVERT, wide, 1, &back, again);
    return !memcmp(again, expected, t.lanes * sizeof(*again));
}

static struct ir_value *fold_constant(struct ir_value *v)
{
    enum { OPERANDS = 3 };
    u128 lanes[OPERANDS][IR_MAX_LANES], result[IR_MAX_LANES];
    struct ir_operand args[OPERANDS];

    if (!v->ops.len || v->ops.len > OPERANDS || v->op < IR_ADD || v->op > IR_CONCAT)
        return NULL;
    if (v->op == IR_BUILD)
        return NULL;
    for (unsigned i = 0; i < v->ops.len; i++) {
        if (!ir_const_lanes(v->ops.data[i], lanes[i]))
            return NULL;
        args[i] = (struct ir_operand){v->ops.data[i]->type, lanes[i]};
    }
    ir_arith(v->op, v->type, v->ops.len, args, result);
    if (ir_arith_rounds(v->op, v->type, args[0].type) && !converts_exactly(v, lanes[0], result))
        return NULL;
    return become_lanes(v, result);
}

static struct ir_value *fold_intrinsic(struct ir_value *v)
{
    u128 args[3] = {0};

    if (!v->fn->pure || v->fn->pure->rounds || v->ops.len > 3)
        return NULL;
    for (unsigned i = 0; i < v->ops.len; i++) {
        if (!ir_is_const(v->ops.data[i]))
            return NULL;
        args[i] = v->ops.data[i]->imm;
    }
    return ir_become_const(v, v->fn->pure->compute(args[0], args[1], args[2]));
}

/* ---- dispatch -------------------------------------------------------------------------------- */

/* A PHI of one value, apart from itself, is that value. Equal constants count as one value; a
 * constant from another block need not dominate, so the PHI itself becomes the constant. */
static struct ir_value *fold_phi(struct ir_value *v)
{
    struct ir_value *same = NULL;

    vec_for_each (&v->ops, it) {
        struct ir_value *op = ir_forwarded(*it);

        if (op == v || op == same)
            continue;
        if (same && !(ir_is_const(op) && ir_is_const_of(same, op->imm)))
            return NULL;
        same = op;
    }
    return same && ir_is_const(same) ? ir_become_const(v, same->imm) : same;
}

/* Moves constants to the right; comparisons are mirrored. */
static struct ir_value *order_operands(struct ir_value *v)
{
    struct ir_value *x;

    if (v->ops.len != 2 || !ir_is_const(v->ops.data[0]) || ir_is_const(v->ops.data[1]))
        return NULL;
    switch (v->op) {
    case IR_LT:
        v->op = IR_GT;
        break;
    case IR_GT:
        v->op = IR_LT;
        break;
    case IR_LE:
        v->op = IR_GE;
        break;
    case IR_GE:
        v->op = IR_LE;
        break;
    default:
        /* Floats keep their order, since the first of two NaNs is the result. */
        if (!(ir_ops[v->op].flags & IR_F_COMM) || v->ops.data[0]->type.base == IR_FLOAT)
            return NULL;
    }
    x = v->ops.data[0];
    v->ops.data[0] = v->ops.data[1];
    v->ops.data[1] = x;
    return v;
}

static struct ir_value *fold_by_op(struct ir_value *v)
{
    if (v->op >= IR_EQ && v->op <= IR_SELECT)
        return ir_fold_compare(v);
    if (v->op == IR_CONVERT || v->op == IR_BITCAST)
        return ir_fold_convert(v);
    if (v->op >= IR_SPLAT && v->op <= IR_CONCAT)
        return ir_fold_vector(v);
    if (v->op >= IR_SHL && v->op <= IR_ROR)
        return ir_fold_shift(v);
    return v->op >= IR_ADD && v->op <= IR_XOR ? ir_fold_int(v) : NULL;
}

static struct ir_value *fold_by_range(struct ir_value *v)
{
    struct ir_range r;

    if (!ir_is_int(v->type) || v->op < IR_ADD || v->op > IR_CONCAT)
        return NULL;
    r = ir_value_range(v);
    return r.min == r.max ? ir_become_const(v, r.min) : NULL;
}

static struct ir_value *fold_operation(struct ir_value *v)
{
    static struct ir_value *(*const rules[])(struct ir_value *) = {fold_constant, order_operands,
                                                                   fold_by_op, fold_by_range};
    struct ir_value *r = NULL;

    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules) && !r; i++)
        r = rules[i](v);
    return r;
}

struct ir_value *ir_fold(struct ir_value *v, bool *changed)
{
    enum { MAX_STEPS = 16 };
    struct ir_value *r;

    for (unsigned step = 0; step < MAX_STEPS; step++) {
        if (v->op == IR_PHI)
            r = fold_phi(v);
        else if (v->op == IR_INTRINSIC)
            r = fold_intrinsic(v);
        else
            r = fold_operation(v);
        if (!r)
            return v;
        *changed = true;
        if (r != v)
            return r;
    }
    return v;
}
