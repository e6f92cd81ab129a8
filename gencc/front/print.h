/*
 * Prints the syntax tree as GenC text that parses to the same tree.
 */
#ifndef GENCC_FRONT_PRINT_H
#define GENCC_FRONT_PRINT_H

#include "gencc/front/ast.h"

/* Print an expression, fully parenthesised; a type; a template argument; template parameters in
 * angle brackets. */
void print_expr(FILE *out, const struct ast_expr *e);
void print_type(FILE *out, const struct ast_type *t);
void print_targ(FILE *out, const struct ast_targ *t);
void print_tparams(FILE *out, const struct ast_tparam *params, unsigned count);
/* Prints a string in quotes, with escapes. */
void print_string(FILE *out, const char *text);
/* Prints a statement and a newline, indented by `indent` steps. */
void print_stmt(FILE *out, const struct ast_stmt *s, unsigned indent);
/* Prints a definition of a behaviour file. */
void print_def(FILE *out, const struct ast_def *d);
/* Prints the constraints of a decoder, separated by commas. */
void print_constraints(FILE *out, const struct ast_decoder *d);
/* Prints an asm line, as set_asm() if `published`. */
void print_asm(FILE *out, const struct ast_asm *s, bool published);

#endif
