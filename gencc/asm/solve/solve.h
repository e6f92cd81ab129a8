/*
 * Finds an instruction word for which expressions over its fields have given values.
 *
 * Fields, joined or shifted fields, sign extension, sums and products with constants, and choices
 * are inverted (bits.h). For other expressions values are tried, at most 2^16 per expression. Their
 * results are kept in a table and computed once.
 */
#ifndef GENCC_ASM_SOLVE_SOLVE_H
#define GENCC_ASM_SOLVE_SOLVE_H

#include "gencc/asm/solve/bits.h"
#include "gencc/disasm/disasm.h"

struct reasons; /* which bits settled an expression's value (reason.h) */
struct inverse; /* results of an expression for all values of its fields */

/* An expression over the fields of an instruction's format, as a function of the word. */
struct word_expr {
    const struct ast_expr *ast;
    struct instr *instr;
    struct ir_func *func;       /* result: sint64 */
    const struct ir_value *ret; /* returned value, if there is one return */
    u128 depends;               /* bits of the word on which it depends */
    bool uses_decode;           /* reads fields that only the decode function computes */
    struct inverse *inverse;    /* made on first use */
    struct inverse **shared;    /* `inverse` for all instructions of a format; NULL: none */
    struct reasons *reasons;    /* cache, shared likewise */
};

/* Prepares an expression, in the model's arena. NULL after reporting. */
struct word_expr *word_expr_new(struct text *t, struct instr *instr, const struct ast_expr *e);

/* A required value of an expression. */
struct demand {
    struct word_expr *expr;
    bool any_nonzero; /* any value but 0 */
    struct bits want; /* otherwise these bits, of 64 */
};

enum { SOLVE_MAX_DEMANDS = 256 };

enum solve_verdict { SOLVE_NO, SOLVE_YES };

struct solver {
    struct text *text;
    const struct demand *demands;
    unsigned count;
    /* Called for each word that meets the demands; SOLVE_YES ends the search. */
    enum solve_verdict (*judge)(void *opaque, u128 word);
    void *opaque;
    struct bits start;    /* known bits of the word */
    u128 tried;           /* bits in no demand, of which all values are tried */
    unsigned limit;       /* evaluations; 0: the limit for words of a CPU */
    unsigned trials_left; /* evaluations left; set by solve_form */
    struct form *form;
};

/* Searches for a word of the form. Fields that no demand constrains are 0, unless the word is then
 * undefined. Returns true if `judge` returned SOLVE_YES. */
bool solve_form(struct solver *s, struct form *form);

/* Value of an expression for a word of the form. False if it has none. */
bool word_expr_value(struct text *t, struct form *form, const struct word_expr *e, u128 word,
                     int64_t *value);

/* Whether a word of the form meets a demand. */
bool demand_met(struct text *t, struct form *form, const struct demand *d, u128 word);

#endif
