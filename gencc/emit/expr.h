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

/* How a value is written at its uses. */
enum place {
    PLACE_LOCAL,   /* a C variable vN */
    PLACE_FOLD,    /* in place, as its expression */
    PLACE_OPERAND, /* a member of the instruction's operands */
    PLACE_SOURCE,  /* a source of a lane, read before all else */
};

struct placement {
    enum place place;
    unsigned number; /* index of the operand or source */
    bool skip;       /* not computed in this function */
};

/* An operand, which the decoder computes once. */
struct operand {
    const char *name;
    struct ir_type stored; /* narrowest type for its range */
    struct ir_value *value;
};
typedef VEC(struct operand) operand_list;

/* A function that is being written. */
struct body {
    struct emit *e;
    FILE *o;
    struct ir_func *f;
    const struct dialect *dialect;
    struct placement *at; /* by value id */
    operand_list operands;
};

/* How values of a function are written. NULL members are as in the base. */
struct dialect {
    const char *name; /* for messages */
    const struct dialect *base;
    const struct dialect *host;    /* dialect of #0, in which this dialect's text is embedded */
    const char *const *intrinsics; /* template per intrinsic; NULL: none */
    /* The template of an operation; NULL: none. */
    const char *(*operation)(struct body *b, const struct ir_value *v);
    /* The template of a value that is neither a variable nor written in place; NULL: none. */
    const char *(*reference)(struct body *b, const struct ir_value *v);
    const char *(*type)(struct emit *e, struct ir_type t);
    /* The type of a value's variable; NULL: that of the value. */
    const char *(*variable)(struct emit *e, const struct ir_value *v);
    /* The dialect whose variable the value is; NULL: this one. */
    const struct dialect *(*owner)(const struct body *b, const struct ir_value *v);
    /* Writes the end of the function, at a RET or UNREACHABLE. */
    void (*leave)(struct body *b, const struct ir_value *end);
    const char *parameters, *arguments; /* precede those of each helper; "": none */
};

/* A body for the C of a function, written to `o` in a dialect. */
struct body body_new(struct emit *e, FILE *o, struct ir_func *f, const struct dialect *d);

/* printf into the arena, for texts with names and numbers. */
const char *say(struct body *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

void expr(struct body *b, const struct ir_value *v);      /* writes its use */
void expr_open(struct body *b, const struct ir_value *v); /* writes its defining expression */
/* Writes a use of the value in another dialect than the body's. */
void expr_in(struct body *b, const struct dialect *d, const struct ir_value *v);
/* The dialect of a value's variable. expr_variable_type: the variable's type in the body's
 * dialect. */
const struct dialect *expr_owner(const struct body *b, const struct ir_value *v);
const char *expr_variable_type(struct body *b, const struct ir_value *v);
/* The end of the function, and the parameters and arguments of helpers, in the body's dialect. */
void expr_leave(struct body *b, const struct ir_value *end);
const char *dialect_parameters(const struct dialect *d);
const char *dialect_arguments(const struct dialect *d);

#endif
