/*
 * What the parts of the emitter for translators share.
 *
 * A translator is to its handler what building code is to running it: values that are fixed become
 * C of the translator, the others calls of runtime/jit/build.h. A translator may have a version of
 * the behaviour of its own, with more inlined: it then computes what is fixed from the word.
 */
#ifndef GENCC_EMIT_JIT_H
#define GENCC_EMIT_JIT_H

#include "gencc/emit/internal.h"

/* A C function that translated code calls. */
struct jit_target {
    const char *name;           /* of its struct jit_callee, without the ISA's prefix */
    const struct ir_func *func; /* a helper, or */
    const struct ir_callee *fn; /* an external or an intrinsic */
};

struct jit_emit {
    struct emit *e;
    VEC(struct jit_target) targets; /* that translators call, each once */
    VEC(const struct handler *) translated;
    VEC(const struct handler *) left; /* to the interpreter */
    VEC(const char *) why;            /* for each of these */
};

/* A translator being written. */
struct jfn {
    struct cfn c;
    struct jit_emit *je;
    bool *known; /* by value id: a C value while translating */
    bool *given; /* by value id: computed before anything else */
};

/* ---- jit_expr.c ------------------------------------------------------------------------------ */

/* The type as a jit_type. */
const char *jit_type_text(struct emit *e, struct ir_type t);
/* Decides which values are known. After cfn_plan. */
void jit_find_known(struct jfn *j);
/* A value as a jit_value expression. */
void jit_expr(struct jfn *j, const struct ir_value *v);
/* The expression that builds it. */
void jit_expr_open(struct jfn *j, const struct ir_value *v);

/* ---- jit_calls.c ----------------------------------------------------------------------------- */

/* A value or statement that is a call, of whatever kind; the text goes to j->c.o. */
void jit_intrinsic_expr(struct jfn *j, const struct ir_value *v);
void jit_call_statement(struct jfn *j, const struct ir_value *v);
/* Whether a call is an expression of its own rather than a jit_call. */
bool jit_is_expression(const struct ir_value *v);
/* The text of all targets: definitions with what they need. */
void jit_targets(struct jit_emit *je, FILE *o);
/* Why translated code cannot make the call; NULL when it can. */
const char *jit_call_refusal(const struct ir_value *v);

/* ---- jit_func.c ------------------------------------------------------------------------------ */

/* Writes the translator's statements. */
void jit_body(struct jfn *j);

#endif
