/*
 * Inside the pass cfg.
 */
#ifndef GENCC_IR_CFG_H
#define GENCC_IR_CFG_H

#include "gencc/ir/ir.h"

/* Makes a terminator an unconditional branch to `to`, one of its targets. */
void ir_become_branch(struct ir_value *term, struct ir_block *to);

/* Turns branches over little work into SELECTs. Leaves block->preds right. */
bool ir_convert_branches(struct ir_func *f);

#endif
