/*
 * Values without operands: copies of the instruction word; and results of intrinsics.
 */
#include "gencc/ir/transfer/rules.h"
#include "gencc/ir/pure.h"
#include "gencc/model/model.h"

bool place_field(const struct ir_value *v, struct ir_place *place)
{
    *place = (struct ir_place){v->field->lsb, v->field->width};
    return !v->field->computed;
}

bool place_word(const struct ir_value *v, struct ir_place *place)
{
    *place = (struct ir_place){0, v->type.bits};
    return true;
}

/* The parameter of a decode function is the word. */
bool place_param(const struct ir_value *v, struct ir_place *place)
{
    *place = (struct ir_place){0, v->type.bits};
    return v->block && v->block->func->kind == IR_FUNC_DECODE;
}

struct ir_range range_field(const struct ir_value *v, const struct ir_range *x)
{
    (void)x;
    return v->field->computed ? range_full(v->type.bits)
                              : range_between(0, low_bits(v->field->width), v->type.bits);
}

struct ir_range range_intrinsic(const struct ir_value *v, const struct ir_range *x)
{
    (void)x;
    return v->fn->pure && v->fn->pure->max ? range_between(0, v->fn->pure->max, v->type.bits)
                                           : range_full(v->type.bits);
}
