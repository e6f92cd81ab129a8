/*
 * Bodies of functions: which values become variables, statements, control flow.
 */
#ifndef GENCC_EMIT_BODY_H
#define GENCC_EMIT_BODY_H

#include "gencc/emit/expr.h"

/* ---- plan.c ---------------------------------------------------------------------------------- */

/* Decides what is computed at all, and what of it is written in place. */
void body_plan(struct body *b);
/* Whether a value is a source of a lane, or of another; whether an operand selects one: the decoder
 * makes a place of it. */
bool is_source(const struct ir_value *v);
bool is_selector(const struct ir_value *v, struct ir_value *const *op);

/* ---- body.c ---------------------------------------------------------------------------------- */

/* Number of outputs that a call has beside its result. */
unsigned body_outputs(const struct ir_value *call);
void body_statement(struct body *b, struct ir_value *v);
/* Gives the PHIs of `to` their values on the edge from `from`. */
void body_move_phis(struct body *b, const struct ir_block *from, const struct ir_block *to,
                    const char *indent);
/* Writes all of a planned function. */
void body_write(struct body *b);
/* A comment that says where in the description a function is from. */
void body_where_from(FILE *o, const struct ir_func *f);

#endif
