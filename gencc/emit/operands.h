/*
 * Operands: values of a behaviour that depend on the encoding alone. The decoder computes them and
 * stores them behind the decoded instruction.
 */
#ifndef GENCC_EMIT_OPERANDS_H
#define GENCC_EMIT_OPERANDS_H

#include "gencc/emit/expr.h"

/* Makes operands of all values of a handler that the decoder can compute. */
void operands_find(struct body *b);
/* Merges equal operands of different blocks. */
void operands_share(struct body *b);
/* Sorts the operands for a structure without holes: widest first. */
void operands_sort(struct body *b);
/* Writes the operands as members of a structure. */
void operands_members(struct emit *e, FILE *o, const operand_list *operands);
/* The name of that structure. Structures with equal members have equal names. */
const char *operands_layout(struct emit *e, const operand_list *operands);
/* The size of that structure in bytes, without padding at its end. */
unsigned operands_bytes(const operand_list *operands);
/* Whether the decoder can compute a value. Valid after operands_find. */
bool is_decodable(struct ir_value *v);

/* A function that computes values from the word; it is empty at first. */
struct body straight_line(struct emit *e, FILE *o, struct ir_func *f, const struct dialect *d);
/* Writes the statements that compute a value; each value is computed once. */
void straight_line_value(struct body *b, struct ir_value *v);
/* Writes the computation of the operands. straight_line_store: stores them in the structure `o`. */
void straight_line_values(struct body *b, const operand_list *operands);
void straight_line_store(struct body *b, const operand_list *operands);

#endif
