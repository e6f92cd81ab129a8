/*
 * What the files of the pass cfg share.
 */
#ifndef GENCC_IR_CFG_H
#define GENCC_IR_CFG_H

#include "gencc/ir/ir.h"

/* Turns a terminator into an unconditional branch to `to`, one of its targets. */
void ir_become_branch(struct ir_value *term, struct ir_block *to);

/* Turns branches over little work into SELECTs and keeps block->preds correct. Returns whether it
 * changed anything. */
bool ir_convert_branches(struct ir_func *f);

#endif
