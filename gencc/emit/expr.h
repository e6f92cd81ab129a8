/*
 * The printer of expressions, and the dialects in which it writes them.
 *
 * What an operation looks like is text with places to fill in:
 *
 *   $0 $1 …  an operand                    $*  all operands, commas between
 *   #0 #1 …  the same in the host dialect  ##  the value itself in it
 *   $T $U $S the value's type; unsigned; signed
 *   $A       the type of operand 0         $V  the type of the value's variable
 *   $n $m    bits of an element; one less
 *   $o       the variable for the output   $x  the number of the value's place
 *   $t       the text of operand 0, as in a string
 */
#ifndef GENCC_EMIT_EXPR_H
#define GENCC_EMIT_EXPR_H

#include "gencc/emit/out.h"

/* How a value is written where it is used. */
enum place {
    PLACE_LOCAL,   /* a C variable vN */
    PLACE_FOLD,    /* its expression, in place */
    PLACE_OPERAND, /* a member of the decoded instruction's operands */
    PLACE_SOURCE,  /* a source of a lane: read before anything else */
};

struct placement {
    enum place place;
    unsigned number; /* of the operand or source */
    bool skip;       /* not computed in this function at all */
};

/* An operand that the decoder computes once. */
struct operand {
    const char *name;
    struct ir_type stored; /* narrowest type that holds it */
    struct ir_value *value;
};
typedef VEC(struct operand) operand_list;

/* A function being written. */
struct body {
    struct emit *e;
    FILE *o;
    struct ir_func *f;
    const struct dialect *dialect;
    struct placement *at; /* by value id */
    operand_list operands;
};

/* A way to write the values of a function. What is NULL is as in the base. */
struct dialect {
    const char *name; /* in messages */
    const struct dialect *base;
    const struct dialect *host;    /* of #0: what this dialect's text is embedded in */
    const char *const *intrinsics; /* by number: text, or NULL */
    /* The text of an operation, or NULL. */
    const char *(*operation)(struct body *b, const struct ir_value *v);
    /* The text for a value that is neither a variable of its own nor written in place, or NULL. */
    const char *(*reference)(struct body *b, const struct ir_value *v);
    const char *(*type)(struct emit *e, struct ir_type t);
    /* The type of a value's variable; NULL: that of the value. */
    const char *(*variable)(struct emit *e, const struct ir_value *v);
    /* Where that is not one of this dialect's: whose it is. */
    const struct dialect *(*owner)(const struct body *b, const struct ir_value *v);
    /* Writes how the function ends: at a RET or UNREACHABLE. */
    void (*leave)(struct body *b, const struct ir_value *end);
    const char *parameters, *arguments; /* of every helper, before its own; "" for none */
};

struct body body_new(struct emit *e, FILE *o, struct ir_func *f, const struct dialect *d);

/* printf into the arena: for texts with names and numbers in them. */
const char *say(struct body *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

void expr(struct body *b, const struct ir_value *v);      /* as an operand */
void expr_open(struct body *b, const struct ir_value *v); /* its defining expression */
/* As an operand, in another dialect than the body's. */
void expr_in(struct body *b, const struct dialect *d, const struct ir_value *v);
/* The dialect that a value's variable is of; the type it has in the body's. */
const struct dialect *expr_owner(const struct body *b, const struct ir_value *v);
const char *expr_variable_type(struct body *b, const struct ir_value *v);
/* The end of the function, and the parameters and arguments of helpers, as the dialect has them. */
void expr_leave(struct body *b, const struct ir_value *end);
const char *dialect_parameters(const struct dialect *d);
const char *dialect_arguments(const struct dialect *d);

#endif
