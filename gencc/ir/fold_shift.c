/*
 * Folding of shifts and rotates by constant amounts, and of bit slices made from them.
 */
#include "gencc/ir/fold.h"

static struct ir_value *shift_amount(struct ir_value *v, u128 n)
{
    return ir_const_at(v, IR_T_U8, n);
}

/* Folds (x op c1) op c2, the same shift twice. */
static struct ir_value *shift_twice(struct ir_value *v, struct ir_value *x, unsigned n)
{
    unsigned bits = v->type.bits;
    u128 total = x->ops.data[1]->imm;

    if (x->op != v->op || total >= bits)
        return NULL;
    total += n;
    if (v->op == IR_ROL || v->op == IR_ROR)
        return ir_become(v, v->op, x->ops.data[0], shift_amount(v, total % bits));
    if (total >= bits && !(v->op == IR_SHR && v->type.base == IR_SINT))
        return ir_become_const(v, 0);
    return ir_become(v, v->op, x->ops.data[0], shift_amount(v, total < bits ? total : bits - 1));
}

/* A left shift of a right shift by the same amount clears low bits. A mask is moved out of a right
 * shift, so that a bit slice is always (x >> n) & mask. */
static struct ir_value *shift_of_bits(struct ir_value *v, struct ir_value *x, unsigned n)
{
    u128 mask = low_bits(v->type.bits), c = x->ops.data[1]->imm;
    struct ir_value *shifted;

    if (v->op == IR_SHL && x->op == IR_SHR && c == n)
        return ir_become(v, IR_AND, x->ops.data[0], ir_const_at(v, v->type, mask << n));
    if (v->op != IR_SHR || v->type.base != IR_UINT)
        return NULL;
    if (x->op == IR_SHL && c == n)
        return ir_become(v, IR_AND, x->ops.data[0], ir_const_at(v, v->type, mask >> n));
    if (x->op != IR_AND)
        return NULL;
    shifted = ir_value_at(v, IR_SHR, v->type, x->ops.data[0], v->ops.data[1]);
    return ir_become(v, IR_AND, shifted, ir_const_at(v, v->type, c >> n));
}

struct ir_value *ir_fold_shift(struct ir_value *v)
{
    struct ir_value *x = v->ops.data[0], *y = v->ops.data[1], *r;
    bool rotates = v->op == IR_ROL || v->op == IR_ROR;
    unsigned bits = v->type.bits;

    if (!ir_is_const(y)) /* an amount equal in all lanes becomes a scalar */
        return y->op == IR_SPLAT ? ir_become(v, v->op, x, y->ops.data[0]) : NULL;
    if (y->imm == 0)
        return x;
    if (y->imm >= bits && rotates)
        return ir_become(v, v->op, x, shift_amount(v, y->imm % bits));
    if (y->imm >= bits && v->op == IR_SHR && v->type.base == IR_SINT)
        return ir_become(v, v->op, x, shift_amount(v, bits - 1));
    if (y->imm >= bits)
        return ir_become_const(v, 0);
    if (x->ops.len != 2 || !ir_is_const(x->ops.data[1]) || !ir_type_eq(x->type, v->type))
        return NULL;
    r = shift_twice(v, x, (unsigned)y->imm);
    return r ? r : shift_of_bits(v, x, (unsigned)y->imm);
}
