/*
 * The table of operations, from ops.inc.
 */
#include "gencc/ir/ir.h"

const struct ir_op_info ir_ops[IR_OP_COUNT] = {
#define IR_OP(NAME, text, operands, flags) [IR_##NAME] = {text, operands, flags},
#include "gencc/ir/ops.inc"
#undef IR_OP
};
