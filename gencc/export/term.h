/*
 * Terms of SMT-LIB: a graph without duplicates. Making a term folds what needs no solver: Booleans,
 * choices between equal terms, comparisons of numbers.
 */
#ifndef GENCC_EXPORT_TERM_H
#define GENCC_EXPORT_TERM_H

#include "common/arena.h"
#include "common/vec.h"
#include "common/wide.h"

#include <stdbool.h>
#include <stdio.h>

enum sort_kind { SORT_BOOL, SORT_BITS, SORT_FLOAT, SORT_ARRAY, SORT_WORLD };

struct sort {
    enum sort_kind kind;
    unsigned bits;       /* BITS, FLOAT: width; ARRAY: width of an element */
    unsigned index_bits; /* ARRAY */
};

enum term_kind {
    TERM_NUMBER,  /* a number or a Boolean */
    TERM_INPUT,   /* a constant that the script declares */
    TERM_APPLIED, /* an application of a function that the script declares */
    TERM_OP,      /* an application of a function of SMT-LIB */
};

struct term {
    enum term_kind kind;
    struct sort sort;
    const char *head; /* name of the function or input */
    unsigned n;
    const struct term *const *args;
    u128 value;    /* NUMBER */
    unsigned id;   /* in order of making: arguments have lower numbers */
    unsigned uses; /* scratch of printing */
};

struct terms {
    struct arena *arena;
    VEC(struct term *) all; /* by id */
    unsigned *table;        /* open addressing: id + 1 */
    unsigned table_size;
};

static inline struct sort sort_bits(unsigned bits)
{
    return (struct sort){SORT_BITS, bits, 0};
}
static inline struct sort sort_float(unsigned bits)
{
    return (struct sort){SORT_FLOAT, bits, 0};
}
static inline struct sort sort_bool(void)
{
    return (struct sort){SORT_BOOL, 0, 0};
}
static inline struct sort sort_world(void)
{
    return (struct sort){SORT_WORLD, 0, 0};
}
static inline struct sort sort_array(unsigned index_bits, unsigned bits)
{
    return (struct sort){SORT_ARRAY, bits, index_bits};
}

/* Numbers, cut to `bits`; Booleans. */
const struct term *term_number(struct terms *t, unsigned bits, u128 value);
const struct term *term_bool(struct terms *t, bool value);

const struct term *term_input(struct terms *t, const char *name, struct sort sort);
const struct term *term_apply(struct terms *t, const char *name, struct sort sort, unsigned n,
                              const struct term *const *args);

/* An application of a function of SMT-LIB. Nothing is folded. */
const struct term *term_op(struct terms *t, const char *head, struct sort sort, unsigned n,
                           const struct term *const *args);
const struct term *term_op1(struct terms *t, const char *head, struct sort sort,
                            const struct term *x);
/* The sort is that of `x`. */
const struct term *term_op2(struct terms *t, const char *head, const struct term *x,
                            const struct term *y);
/* A predicate of two terms */
const struct term *term_test(struct terms *t, const char *head, const struct term *x,
                             const struct term *y);

const struct term *term_not(struct terms *t, const struct term *x);
const struct term *term_and(struct terms *t, const struct term *x, const struct term *y);
const struct term *term_or(struct terms *t, const struct term *x, const struct term *y);
const struct term *term_ite(struct terms *t, const struct term *c, const struct term *x,
                            const struct term *y);
const struct term *term_equal(struct terms *t, const struct term *x, const struct term *y);
const struct term *term_extract(struct terms *t, const struct term *x, unsigned low, unsigned bits);
/* `high` is above `low`. */
const struct term *term_concat(struct terms *t, const struct term *high, const struct term *low);
/* Extends or cuts to `bits`. */
const struct term *term_resize(struct terms *t, const struct term *x, unsigned bits,
                               bool is_signed);
/* Whether bits are not zero. */
const struct term *term_nonzero(struct terms *t, const struct term *x);
/* Bits of 1 or 0 */
const struct term *term_from_bool(struct terms *t, const struct term *c, unsigned bits);

static inline bool term_is(const struct term *t, u128 value)
{
    return t->kind == TERM_NUMBER && t->value == value;
}

/* ---- printing -------------------------------------------------------------------------------- */

/* A term to print under a name */
struct term_root {
    const char *name;
    const struct term *term;
};

/* Prints the declaration of an input. */
void term_print_input(FILE *o, const struct term *x);
/* Prints the declarations of all functions that the roots use and that were not printed before;
 * `printed` holds their names, which are in the arena `names`. */
typedef VEC(const char *) term_names;
void term_print_functions(FILE *o, struct arena *names, struct terms *t,
                          const struct term_root *roots, unsigned n, term_names *printed);
/* Prints each root as a constant and an assertion that it has the term's value, after constants
 * PREFIX.1, PREFIX.2 … for the terms that the roots use several times. */
void term_print_roots(FILE *o, struct terms *t, const char *prefix, const struct term_root *roots,
                      unsigned n);

#endif
