/*
 * Printing the syntax tree as GenC text that parses to the same tree: for front/, and for what shows or
 * compares descriptions.
 */
#ifndef GENCC_FRONT_PRINT_H
#define GENCC_FRONT_PRINT_H

#include "gencc/front/ast.h"

/* Expressions are fully parenthesised. */
void print_expr(FILE *out, const struct ast_expr *e);
void print_type(FILE *out, const struct ast_type *t);
void print_targ(FILE *out, const struct ast_targ *t);
void print_tparams(FILE *out, const struct ast_tparam *params, unsigned count);
/* A string between quotes, with escapes. */
void print_string(FILE *out, const char *text);
/* A statement, indented by `indent` steps, with the newline behind it. */
void print_stmt(FILE *out, const struct ast_stmt *s, unsigned indent);
/* A definition of a behaviour file. */
void print_def(FILE *out, const struct ast_def *d);
/* The constraints of a decoder, with commas between. */
void print_constraints(FILE *out, const struct ast_decoder *d);
/* An asm line; in the published form as set_asm(). */
void print_asm(FILE *out, const struct ast_asm *s, bool published);

#endif
