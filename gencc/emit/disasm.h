/*
 * The disassembler in C. It uses the decoder's decision tree, with texts in place of handlers.
 */
#ifndef GENCC_EMIT_DISASM_H
#define GENCC_EMIT_DISASM_H

#include "gencc/emit/out.h"

struct text;

/* Writes <isa>_disasm.c. False after reporting. */
bool emit_disasm(struct emit *e);
/* Writes the tables of an ISA's maps. */
void disasm_maps(struct emit *e, FILE *o, const struct text *t);
/* Writes text_NAME(), a function of a word, its computed fields and an asm_out. */
void disasm_text_function(struct emit *e, FILE *o, struct ir_func *text, const char *name);

/* A string as a C literal. */
const char *disasm_quoted(struct emit *e, const char *s);

#endif
