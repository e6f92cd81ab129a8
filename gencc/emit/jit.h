/*
 * What the parts of the emitter for translators share.
 *
 * A translator is to its handlers what building code is to running it: values that are fixed become
 * C of the translator, the others calls of runtime/jit/build.h. All handlers of a form have the same:
 * it computes what is fixed from the word, so there is nothing to specialise; and it is of a version of
 * the behaviour with more inlined.
 */
#ifndef GENCC_EMIT_JIT_H
#define GENCC_EMIT_JIT_H

#include "gencc/emit/body.h"
#include "gencc/emit/cpu.h"

/* A C function that translated code calls. */
struct jit_target {
    const char *name;           /* of its struct jit_callee, without the ISA's prefix */
    const struct ir_func *func; /* a helper, or */
    const struct ir_callee *fn; /* an external or an intrinsic */
};

struct jit_emit {
    struct emit *e;
    struct pool fields;             /* functions for computed fields, in the file being written */
    VEC(struct jit_target) targets; /* that translators call, each once */
    VEC(const struct form *) translated;
    VEC(const struct form *) left; /* to the interpreter */
    VEC(const char *) why;         /* for each of these */
};

/* A translator being written: its body is in the dialect that builds code. */
struct translator {
    struct body b; /* first: dialects get from it to the rest */
    struct jit_emit *je;
    const struct dialect *built, *host; /* of what is not known, and of what is */
    bool *known;                        /* by value id: a C value while translating */
    bool *given;                        /* by value id: computed before anything else */
};

/* ---- jit_dialect.c --------------------------------------------------------------------------- */

/* C of a translator: what is known while translating. */
extern const struct dialect known_dialect;
/* Expressions of jit_value, which build code: what is not. */
extern const struct dialect built_dialect;

/* The type as a jit_type. */
const char *jit_type(struct emit *e, struct ir_type t);
/* A translator of a function, in those dialects. */
struct translator jit_translator(struct jit_emit *je, FILE *o, struct ir_func *f,
                                 const struct dialect *built);
/* Makes variables of calls, and decides which values are known. After operands_find. */
void jit_plan(struct translator *t);
/* Computes what is fixed, in C: the operands, and `count` other values. */
void jit_compute(struct translator *t, struct ir_value *const *values, unsigned count);

/* Decides which values are known. After body_plan. */
void jit_find_known(struct translator *t);
/* Whether a call is an expression of its own rather than a jit_call. */
bool jit_is_expression(const struct translator *t, const struct ir_value *v);

/* ---- jit_calls.c ----------------------------------------------------------------------------- */

/* Writes a call of a C function as a statement. */
void jit_call_statement(struct translator *t, const struct ir_value *v);
/* The text of all targets: definitions with what they need. */
void jit_targets(struct jit_emit *je, FILE *o);
/* Why translated code cannot make the call; NULL when it can. */
const char *jit_call_refusal(const struct ir_value *v);

/* ---- jit_body.c ------------------------------------------------------------------------------ */

/* Writes the translator's statements. */
void jit_body(struct translator *t);

/* ---- jit.c ----------------------------------------------------------------------------------- */

/* <isa>_jit_N.c, <isa>_jit.c, <isa>_jit.h: translators. After emit_handlers. Sets `translated`. */
bool emit_jit(struct emit *e, const handler_list *handlers);

#endif
