/*
 * Finding the instruction word that makes expressions over its fields have given values.
 *
 * What can be turned round is (bits.h): fields, joined or shifted fields, sign extension, sums and
 * products with constants, choices. For the rest values are tried, at most 2^16 for an expression;
 * their results are kept in a table, so that this is done once.
 */
#ifndef GENCC_ASM_SOLVE_SOLVE_H
#define GENCC_ASM_SOLVE_SOLVE_H

#include "gencc/asm/solve/bits.h"
#include "gencc/disasm/disasm.h"

struct reasons; /* what has settled an expression's value (reason.h) */
struct inverse; /* results of an expression for all values of its fields */

/* An expression over the fields of an instruction's format, as a function of the word. */
struct word_expr {
    const struct ast_expr *ast;
    struct instr *instr;
    struct ir_func *func;       /* result: sint64 */
    const struct ir_value *ret; /* what it returns, when there is one return */
    u128 depends;               /* bits of the word */
    bool uses_decode;           /* reads fields that only the decode function computes */
    struct inverse *inverse;    /* made when first needed */
    struct inverse **shared;    /* the same for all instructions of a format; or NULL */
    struct reasons *reasons;    /* likewise */
};

/* Prepares an expression, in the model's arena. NULL after reporting. */
struct word_expr *word_expr_new(struct text *t, struct instr *instr, const struct ast_expr *e);

/* What an expression must be. */
struct demand {
    struct word_expr *expr;
    bool truth;       /* anything but 0 */
    struct bits want; /* else this, of 64 bits */
};

enum { SOLVE_MAX_DEMANDS = 256 };

enum solve_verdict { SOLVE_NO, SOLVE_YES };

struct solver {
    struct text *text;
    const struct demand *demands;
    unsigned count;
    /* Asked about each word that satisfies the demands; SOLVE_YES ends the search. */
    enum solve_verdict (*judge)(void *opaque, u128 word);
    void *opaque;
    struct bits start; /* bits of the word that are known */
    u128 tried;        /* bits that no demand is about, but of which every value is tried */
    unsigned limit;    /* evaluations; 0: as many as for a word of a CPU */
    unsigned trials;   /* left; set by solve_form */
    struct form *form;
};

/* Looks for a word of the form. Fields that nothing says anything about are 0 unless that makes the
 * word undefined. Returns true when `judge` said yes. */
bool solve_form(struct solver *s, struct form *form);

/* Value of an expression for a word of the form; false when it has none. */
bool word_expr_value(struct text *t, struct form *form, const struct word_expr *e, u128 word,
                     int64_t *value);

/* Whether a word of the form meets a demand. */
bool demand_met(struct text *t, struct form *form, const struct demand *d, u128 word);

#endif
