/*
 * Registers within a block: what a read finds, and writes that nobody sees.
 */
#ifndef GENCC_IR_REGS_H
#define GENCC_IR_REGS_H

#include "gencc/ir/ir.h"

/* Forwards reads of registers to what was read or written there before in the same block. Between
 * ir_forward_begin and ir_forward_end. */
bool ir_forward_registers(struct ir_block *b);

/* Removes writes that a later write in the same block covers before anything can see them. */
bool ir_drop_dead_writes(struct ir_block *b);

#endif
