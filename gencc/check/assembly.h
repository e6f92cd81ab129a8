/*
 * Checks whether assembly text loses information.
 */
#ifndef GENCC_CHECK_ASSEMBLY_H
#define GENCC_CHECK_ASSEMBLY_H

#include "gencc/disasm/disasm.h"

/* Prints a few words of each form of the ISA, the same in every run, and assembles the texts. Warns
 * (diag_judge) of instructions without text, of fields that the text does not show, of instructions
 * with the same text, and of text that is refused. Words of lanes can be assembled only within
 * bundles, so only their texts are checked. */
void check_assembly(struct isa *isa, struct text *t);

#endif
