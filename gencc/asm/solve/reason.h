/*
 * Why an expression over the fields of a word has its value: bits of the word that settle it, whatever the others
 * are. Private to the assembler.
 */
#ifndef GENCC_ASM_SOLVE_REASON_H
#define GENCC_ASM_SOLVE_REASON_H

#include "gencc/asm/solve/solve.h"

/* Value of an expression for a word of the form, and in *why bits of the word: every word that has the same there
 * gives that value. Not always the fewest. False when it has no value; then *why holds for that. */
bool word_expr_why(struct text *t, struct form *form, const struct word_expr *e, u128 word,
                   int64_t *value, u128 *why);

/* What is remembered of an expression, in the arena. */
struct reasons *reasons_new(struct text *t);

#endif
