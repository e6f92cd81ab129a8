/*
 * Whether assembly text loses something.
 */
#ifndef GENCC_CHECK_ASSEMBLY_H
#define GENCC_CHECK_ASSEMBLY_H

#include "gencc/disasm/disasm.h"

/* Writes the text of a few words of each form of the ISA, the same at every run, and assembles it
 * again; judges (diag_judge) instructions without text, fields that their text does not show,
 * instructions of the same text, and text that is refused. Words of lanes are read only within
 * their bundles: of them it asks for text alone. */
void check_assembly(struct isa *isa, struct text *t);

#endif
