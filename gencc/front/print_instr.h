/*
 * Printing formats and instructions as GenC text. Private to front/.
 */
#ifndef GENCC_FRONT_PRINT_INSTR_H
#define GENCC_FRONT_PRINT_INSTR_H

#include "gencc/front/print.h"

/* Prints the bits of a format, in quotes. */
void print_format_picture(FILE *out, const struct ast_format *f);
/* Prints an ac_format with its computed fields. */
void print_format(FILE *out, const struct ast_format *f);
/* Prints an instruction block with its picture and its own fields. */
void print_block(FILE *out, const struct ast_isa *isa, const struct ast_instr *i);
/* Prints the statements that an instruction block and the ISA_CTOR have in common; `prefix` is
 * printed before each. */
void print_properties(FILE *out, const struct ast_instr *i, const char *prefix);

#endif
