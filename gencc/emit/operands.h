/*
 * Operands: what of a behaviour depends on the encoding alone is computed when the instruction is
 * decoded, and kept beside it.
 */
#ifndef GENCC_EMIT_OPERANDS_H
#define GENCC_EMIT_OPERANDS_H

#include "gencc/emit/expr.h"

/* Finds what of a handler the decoder can compute, as operands of the body. */
void operands_find(struct body *b);
/* Makes one of those that different blocks compute alike. */
void operands_share(struct body *b);
/* Orders them as members of a structure without holes: widest first. */
void operands_sort(struct body *b);
/* As members of a structure. */
void operands_members(struct emit *e, FILE *o, const operand_list *operands);
/* The name of that structure: equal where the members are. */
const char *operands_layout(struct emit *e, const operand_list *operands);
/* The bytes they take, without rounding. */
unsigned operands_bytes(const operand_list *operands);
/* Whether the decoder can compute a value; after operands_find. */
bool is_decodable(struct ir_value *v);

/* A function that computes values from the word: none so far. */
struct body straight_line(struct emit *e, FILE *o, struct ir_func *f, const struct dialect *d);
/* Writes the statements that compute a value, each value once. */
void straight_line_value(struct body *b, struct ir_value *v);
/* Computes operands, and stores them in the structure `o`. */
void straight_line_values(struct body *b, const operand_list *operands);
void straight_line_store(struct body *b, const operand_list *operands);

#endif
