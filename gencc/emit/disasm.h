/*
 * The disassembler in C: the decision tree once more, leading to text instead of handlers.
 */
#ifndef GENCC_EMIT_DISASM_H
#define GENCC_EMIT_DISASM_H

#include "gencc/emit/out.h"

struct text;

/* <isa>_disasm.c */
bool emit_disasm(struct emit *e);
/* The tables of an ISA's maps. */
void disasm_maps(struct emit *e, FILE *o, const struct text *t);
/* text_NAME(), a function of a word, its computed fields and an asm_out. */
void disasm_text_function(struct emit *e, FILE *o, struct ir_func *text, const char *name);

/* A string as C writes it. */
const char *disasm_quoted(struct emit *e, const char *s);

#endif
