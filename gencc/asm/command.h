/*
 * The body of `gencc asm`.
 */
#ifndef GENCC_ASM_COMMAND_H
#define GENCC_ASM_COMMAND_H

#include "gencc/disasm/command.h"

/* What --help says. */
extern const char text_asm_help[];

/* Assembles a text file. Returns 0; 1 when some line is wrong (each is reported as file:line: error: …, and nothing is
 * written then); 2 as above. */
int text_command_asm(struct text *t, const struct text_options *o, FILE *out);

/* The same of an ISA of bundles; what is wrong is reported as file:line:column: error: …, and nothing is
 * written then. */
int text_command_asm_bundles(struct text *t, const struct text_options *o, FILE *out);

#endif
