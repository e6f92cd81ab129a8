/*
 * Helpers of the folding rules: read constants, rewrite values in place.
 */
#include "gencc/ir/fold.h"

unsigned ir_log2(u128 power)
{
    unsigned n = 0;

    while (power >>= 1)
        n++;
    return n;
}

struct ir_value *ir_become_const(struct ir_value *v, u128 imm)
{
    struct ir_value *after = v->op == IR_PHI ? ir_after_phis(v->block) : NULL;

    if (after) {
        ir_remove(v);
        ir_insert_before(after, v);
    }
    v->op = IR_CONST;
    v->imm = imm & low_bits(v->type.bits);
    v->ops.len = v->targets.len = 0;
    return v;
}

struct ir_value *ir_become(struct ir_value *v, enum ir_op op, struct ir_value *x,
                           struct ir_value *y)
{
    struct arena *a = v->block->func->arena;

    v->op = op;
    v->imm = 0;
    v->ops.len = 0;
    vec_push_in(a, &v->ops, x);
    if (y)
        vec_push_in(a, &v->ops, y);
    return v;
}

struct ir_value *ir_const_at(struct ir_value *v, struct ir_type t, u128 imm)
{
    struct ir_value *c = ir_value_new(v->block->func, IR_CONST, t, v->pos);

    c->imm = imm & low_bits(t.bits);
    ir_insert_before(v, c);
    return c;
}

struct ir_value *ir_value_at(struct ir_value *v, enum ir_op op, struct ir_type t,
                             struct ir_value *x, struct ir_value *y)
{
    struct ir_value *n = ir_value_new(v->block->func, op, t, v->pos);

    ir_insert_before(v, n);
    return ir_become(n, op, x, y);
}

bool ir_const_lanes(const struct ir_value *v, u128 *lanes)
{
    if (v->op == IR_CONST) {
        for (unsigned i = 0; i < v->type.lanes; i++)
            lanes[i] = v->imm;
        return true;
    }
    if (v->op != IR_BUILD)
        return false;
    for (unsigned i = 0; i < v->ops.len; i++) {
        if (!ir_is_const(v->ops.data[i]))
            return false;
        lanes[i] = v->ops.data[i]->imm;
    }
    return true;
}
