/*
 * What printer and parser of the text form share.
 */
#ifndef GENCC_IR_TEXT_H
#define GENCC_IR_TEXT_H

#include "gencc/ir/pass.h"

extern const char *const ir_kind_names[IR_FUNC_EXPORT + 1];

/* Whether the text form gives the operation no name and no type. */
static inline bool ir_op_is_nameless(enum ir_op op)
{
    return (ir_ops[op].flags & IR_F_TERM) || op == IR_REG_WRITE || op == IR_FIELD_WRITE ||
           op == IR_VAR_WRITE;
}
static inline bool ir_has_name(const struct ir_value *v)
{
    return !ir_op_is_nameless(v->op);
}

#endif
