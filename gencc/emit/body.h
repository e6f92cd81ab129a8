/*
 * Function bodies in C: which values become variables, statements, control flow.
 */
#ifndef GENCC_EMIT_BODY_H
#define GENCC_EMIT_BODY_H

#include "gencc/emit/expr.h"

/* ---- plan.c ---------------------------------------------------------------------------------- */

/* Decides which values are computed, and which of those are written in place. */
void body_plan(struct body *b);
/* Whether a value reads a source of the lane, or of another lane. is_selector: whether an operand
 * selects a source, for which the decoder stores a place. */
bool is_source(const struct ir_value *v);
bool is_selector(const struct ir_value *v, struct ir_value *const *op);

/* ---- body.c ---------------------------------------------------------------------------------- */

/* Number of outputs of a call besides its result. */
unsigned body_outputs(const struct ir_value *call);
void body_statement(struct body *b, struct ir_value *v);
/* Assigns the PHIs of `to` on the edge from `from`. */
void body_move_phis(struct body *b, const struct ir_block *from, const struct ir_block *to,
                    const char *indent);
/* Writes the body of a planned function. */
void body_write(struct body *b);
/* Writes a comment with the function's position in the description. */
void body_where_from(FILE *o, const struct ir_func *f);

#endif
