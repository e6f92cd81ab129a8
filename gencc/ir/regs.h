/*
 * Registers within a block: forwards values to reads, removes writes that are not observed.
 */
#ifndef GENCC_IR_REGS_H
#define GENCC_IR_REGS_H

#include "gencc/ir/ir.h"

/* Replaces register reads by the value read or written before in the same block. Call between
 * ir_forward_begin() and ir_forward_end(). Returns whether anything changed. */
bool ir_forward_registers(struct ir_block *b);

/* Removes writes that a later write in the block overwrites before anything can read them. Returns
 * whether anything changed. */
bool ir_drop_dead_writes(struct ir_block *b);

#endif
