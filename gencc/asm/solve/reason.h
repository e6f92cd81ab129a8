/*
 * Which bits of a word settle the value of an expression over its fields, whatever the other bits
 * are. Private to the assembler.
 */
#ifndef GENCC_ASM_SOLVE_REASON_H
#define GENCC_ASM_SOLVE_REASON_H

#include "gencc/asm/solve/solve.h"

/* The masks with which an expression was settled so far. All zeros but for the number: empty. */
struct reasons {
    u128 *masks;
    unsigned count;
    unsigned number; /* expression's number: hashed, since its address differs between runs */
};

/* Value of an expression for a word of the form. *why: a set of bits of the word that implies the
 * value, not always the smallest. Returns false if there is no value; *why then implies that. */
bool word_expr_why(struct text *t, struct form *form, const struct word_expr *e, u128 word,
                   int64_t *value, u128 *why);

#endif
