/*
 * Inside the evaluator.
 */
#ifndef GENCC_IR_EVAL_H
#define GENCC_IR_EVAL_H

#include "gencc/ir/ir.h"

/* Reads or writes register number `index` of a view in the blob; nothing when it does not exist. */
void ir_state_read(const struct ir_machine *m, const struct reg_view *view, u128 index,
                   struct ir_type t, u128 *lanes);
void ir_state_write(const struct ir_machine *m, const struct reg_view *view, u128 index,
                    struct ir_type t, const u128 *lanes);

/* Calls the C function at `address` through libffi. args: one lane a parameter; results[0] the
 * result, results[n] output n. False when the signature cannot cross to C. */
bool ir_call_external(void (*address)(void), const struct ir_callee *fn, const u128 *args,
                      u128 *results);

enum { IR_MAX_ARGS = 16 }; /* of an intrinsic or external function */

#endif
