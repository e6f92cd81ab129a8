/*
 * The body of `gencc asm`.
 */
#ifndef GENCC_ASM_COMMAND_H
#define GENCC_ASM_COMMAND_H

#include "gencc/disasm/command.h"

/* The text of --help. */
extern const char text_asm_help[];

/* Assembles a text file. Returns 0; 1 if some line is wrong; 2 if a file cannot be read or written.
 * Each wrong line is reported as file:line: error: …, and nothing is written then. */
int text_command_asm(struct text *t, const struct text_options *o, FILE *out);

/* Assembles a text file of an ISA of bundles, with the same results. Errors are reported as
 * file:line:column: error: …, and nothing is written then. */
int text_command_asm_bundles(struct text *t, const struct text_options *o, FILE *out);

#endif
