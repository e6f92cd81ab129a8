/*
 * Folding of CONVERT and BITCAST.
 */
#include "gencc/ir/fold.h"

/* Folds a -> b -> to, two conversions of integers. */
static struct ir_value *convert_twice(struct ir_value *v, struct ir_value *x)
{
    struct ir_value *in = x->ops.data[0];
    struct ir_type a = in->type, b = x->type, to = v->type;

    if (!ir_is_int(a))
        return NULL;
    if (to.bits <= b.bits)
        return ir_become(v, IR_CONVERT, in, NULL);
    if (a.bits < b.bits && (a.base == IR_UINT || b.base == IR_SINT))
        return ir_become(v, IR_CONVERT, in, NULL);
    if (a.bits <= b.bits && a.base == b.base)
        return ir_become(v, IR_CONVERT, in, NULL);
    if (b.base != IR_UINT || a.bits <= b.bits)
        return NULL;
    /* Narrowing and widening again keeps the low bits. */
    if (!ir_type_eq(a, to))
        in = ir_value_at(v, IR_CONVERT, to, in, NULL);
    return ir_become(v, IR_AND, in, ir_const_at(v, to, low_bits(b.bits)));
}

static struct ir_value *fold_conversion(struct ir_value *v, struct ir_value *x)
{
    u128 kept = low_bits(v->type.bits);

    if (!ir_is_int(x->type) || !ir_is_int(v->type))
        return NULL;
    if (x->op == IR_CONVERT)
        return convert_twice(v, x);
    if (v->type.bits <= x->type.bits && ir_is_op_const(x, IR_AND) &&
        (x->ops.data[1]->imm & kept) == kept)
        return ir_become(v, IR_CONVERT, x->ops.data[0], NULL);
    return NULL;
}

struct ir_value *ir_fold_convert(struct ir_value *v)
{
    struct ir_value *x = v->ops.data[0];

    if (ir_type_eq(v->type, x->type))
        return x;
    if (v->op == IR_CONVERT)
        return fold_conversion(v, x);
    if (x->op == IR_BITCAST)
        return ir_become(v, IR_BITCAST, x->ops.data[0], NULL);
    if (ir_is_int(v->type) && ir_is_int(x->type) && v->type.lanes == x->type.lanes)
        return ir_become(v, IR_CONVERT, x, NULL); /* the types differ in signedness only */
    return NULL;
}
