/*
 * Identities of integer arithmetic. Constant operands are on the right.
 */
#include "gencc/ir/fold.h"

static struct ir_value *fold_add_sub(struct ir_value *v, struct ir_value *x, struct ir_value *y)
{
    u128 sum;

    if (ir_is_zero(y))
        return x;
    if (v->op == IR_SUB && x == y)
        return ir_become_const(v, 0);
    if (v->op == IR_SUB && ir_is_zero(x))
        return ir_become(v, IR_NEG, y, NULL);
    if (v->op == IR_ADD && y->op == IR_NEG)
        return ir_become(v, IR_SUB, x, y->ops.data[0]);
    if (v->op == IR_SUB && y->op == IR_NEG)
        return ir_become(v, IR_ADD, x, y->ops.data[0]);
    if (!ir_is_const(y) || !(ir_is_op_const(x, IR_ADD) || ir_is_op_const(x, IR_SUB)))
        return NULL;
    sum = v->op == IR_ADD ? y->imm : -y->imm;
    sum += x->op == IR_ADD ? x->ops.data[1]->imm : -x->ops.data[1]->imm;
    return ir_become(v, IR_ADD, x->ops.data[0], ir_const_at(v, y->type, sum));
}

static struct ir_value *fold_multiply(struct ir_value *v, struct ir_value *x, struct ir_value *y)
{
    if (!ir_is_const(y))
        return NULL;
    if (y->imm <= 1)
        return y->imm ? x : ir_become_const(v, 0);
    if (ir_is_ones(y))
        return ir_become(v, IR_NEG, x, NULL);
    if (ir_is_power_of_two(y->imm))
        return ir_become(v, IR_SHL, x, ir_const_at(v, IR_T_U8, ir_log2(y->imm)));
    return NULL;
}

static struct ir_value *fold_divide(struct ir_value *v, struct ir_value *x, struct ir_value *y)
{
    bool plain = v->type.base == IR_UINT || ir_value_range(x).max >> (v->type.bits - 1) == 0;

    if (ir_is_zero(x))
        return x;
    if (!ir_is_const(y))
        return NULL;
    if (y->imm == 0)
        return v->op == IR_MOD ? x : ir_become_const(v, 0);
    if (y->imm == 1)
        return v->op == IR_DIV ? x : ir_become_const(v, 0);
    /* The smallest signed number has the bits of a power of two but is negative. */
    if (!plain || !ir_is_power_of_two(y->imm) ||
        (v->type.base == IR_SINT && y->imm >> (v->type.bits - 1)))
        return NULL;
    if (v->op == IR_MOD)
        return ir_become(v, IR_AND, x, ir_const_at(v, y->type, y->imm - 1));
    return ir_become(v, IR_SHR, x, ir_const_at(v, IR_T_U8, ir_log2(y->imm)));
}

static struct ir_value *fold_and(struct ir_value *v, struct ir_value *x, struct ir_value *y)
{
    struct ir_range r;

    if (x == y)
        return x;
    if (!ir_is_const(y))
        return NULL;
    if (ir_is_zero(y))
        return ir_become_const(v, 0);
    r = ir_value_range(x);
    if (!(~y->imm & ~r.zeros & low_bits(v->type.bits)))
        return x; /* all bits that the mask clears are zero */
    if (ir_is_op_const(x, IR_AND))
        return ir_become(v, IR_AND, x->ops.data[0],
                         ir_const_at(v, y->type, y->imm & x->ops.data[1]->imm));
    if ((ir_is_op_const(x, IR_OR) || ir_is_op_const(x, IR_XOR)) && !(x->ops.data[1]->imm & y->imm))
        return ir_become(v, IR_AND, x->ops.data[0], y);
    return NULL;
}

static struct ir_value *fold_or(struct ir_value *v, struct ir_value *x, struct ir_value *y)
{
    if (x == y)
        return x;
    if (!ir_is_const(y))
        return NULL;
    if (!(y->imm & ~ir_value_range(x).ones))
        return x; /* all bits that the constant sets are one */
    if (ir_is_ones(y))
        return ir_become_const(v, y->imm);
    if (ir_is_op_const(x, IR_OR))
        return ir_become(v, IR_OR, x->ops.data[0],
                         ir_const_at(v, y->type, y->imm | x->ops.data[1]->imm));
    return NULL;
}

static struct ir_value *fold_xor(struct ir_value *v, struct ir_value *x, struct ir_value *y)
{
    if (x == y)
        return ir_become_const(v, 0);
    if (!ir_is_const(y))
        return NULL;
    if (ir_is_zero(y))
        return x;
    if (ir_is_ones(y))
        return ir_become(v, IR_NOT, x, NULL);
    if (ir_is_op_const(x, IR_XOR))
        return ir_become(v, IR_XOR, x->ops.data[0],
                         ir_const_at(v, y->type, y->imm ^ x->ops.data[1]->imm));
    return NULL;
}

struct ir_value *ir_fold_int(struct ir_value *v)
{
    struct ir_value *x = v->ops.data[0], *y = v->ops.len > 1 ? v->ops.data[1] : NULL;

    if (v->op == IR_NEG || v->op == IR_NOT)
        return x->op == v->op ? x->ops.data[0] : NULL;
    if (!ir_is_int(v->type))
        return NULL;
    switch (v->op) {
    case IR_ADD:
    case IR_SUB:
        return fold_add_sub(v, x, y);
    case IR_MUL:
        return fold_multiply(v, x, y);
    case IR_DIV:
    case IR_MOD:
        return fold_divide(v, x, y);
    case IR_AND:
        return fold_and(v, x, y);
    case IR_OR:
        return fold_or(v, x, y);
    default: /* IR_XOR */
        return fold_xor(v, x, y);
    }
}
