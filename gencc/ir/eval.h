/*
 * What the files of the evaluator share.
 */
#ifndef GENCC_IR_EVAL_H
#define GENCC_IR_EVAL_H

#include "gencc/ir/ir.h"

/* Reads or writes register number `index` of a view in the state. An index beyond the bank reads 0
 * and writes nothing. */
void ir_state_read(const struct ir_machine *m, const struct reg_view *view, u128 index,
                   struct ir_type t, u128 *lanes);
void ir_state_write(const struct ir_machine *m, const struct reg_view *view, u128 index,
                    struct ir_type t, const u128 *lanes);

/* Calls the C function at `address` through libffi. args: one lane per parameter. results[0]
 * receives the result, results[n] output n. Returns false if a type has no equivalent in C. */
bool ir_call_external(void (*address)(void), const struct ir_callee *fn, const u128 *args,
                      u128 *results);

enum { IR_MAX_ARGS = 16 }; /* parameters of an intrinsic or external function at most */

#endif
