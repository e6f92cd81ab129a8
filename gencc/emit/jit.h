/*
 * Shared by the parts of the emitter for translators.
 *
 * A translator builds code that does what its handlers do. Fixed values become C of the translator,
 * all others calls of runtime/jit/build.h. All handlers of a form share a translator: it computes
 * fixed values from the word, so it needs no specialisation. Its behaviour has more calls inlined.
 */
#ifndef GENCC_EMIT_JIT_H
#define GENCC_EMIT_JIT_H

#include "gencc/emit/body.h"
#include "gencc/emit/cpu.h"

/* A C function that translated code calls. */
struct jit_target {
    const char *name;           /* name of its struct jit_callee, without the ISA's prefix */
    const struct ir_func *func; /* a helper; or NULL */
    const struct ir_callee *fn; /* otherwise an external function or an intrinsic */
};

struct jit_emit {
    struct emit *e;
    struct pool fields;             /* functions of computed fields in the present file */
    VEC(struct jit_target) targets; /* called by translators, each once */
    VEC(const struct form *) translated;
    VEC(const struct form *) untranslated; /* forms left to the interpreter */
    VEC(const char *) refusals;            /* reason per form in `left` */
};

/* A translator that is being written. Its body is in the dialect that builds code. */
struct translator {
    struct body b; /* first, so that dialects reach the translator from it */
    struct jit_emit *je;
    const struct dialect *built, *host; /* dialects of dynamic and of known values */
    bool *known;                        /* by value id: a C value of the translator */
    bool *computed_first;               /* by value id: computed before all else */
};

/* ---- jit_dialect.c --------------------------------------------------------------------------- */

/* C of a translator, for values that are known while translating. */
extern const struct dialect known_dialect;
/* Expressions of type jit_value, which build code, for all other values. */
extern const struct dialect built_dialect;

/* The C name of the type as a jit_type. */
const char *jit_type(struct emit *e, struct ir_type t);
/* A new translator of a function. */
struct translator jit_translator(struct jit_emit *je, FILE *o, struct ir_func *f,
                                 const struct dialect *built);
/* Makes variables of calls, and finds the known values. Must be called after operands_find. */
void jit_plan(struct translator *t);
/* Writes C that computes the operands and `count` other fixed values. */
void jit_compute(struct translator *t, struct ir_value *const *values, unsigned count);

/* Finds the known values. Must be called after body_plan. */
void jit_find_known(struct translator *t);
/* Whether a call is an expression of its own instead of a jit_call. */
bool jit_is_expression(const struct translator *t, const struct ir_value *v);

/* ---- jit_calls.c ----------------------------------------------------------------------------- */

/* Writes a call of a C function as a statement. */
void jit_call_statement(struct translator *t, const struct ir_value *v);
/* Writes the definitions of all targets. */
void jit_targets(struct jit_emit *je, FILE *o);
/* Why translated code cannot make the call; NULL: it can. */
const char *jit_call_refusal(const struct ir_value *v);

/* ---- jit_body.c ------------------------------------------------------------------------------ */

/* Writes the translator's statements. */
void jit_body(struct translator *t);

/* ---- jit.c ----------------------------------------------------------------------------------- */

/* Why a form is left to its handlers, and the place of the construct; `why` NULL: it is not. */
struct jit_refusal {
    const char *why;
    struct src_pos pos;
};
/* `h` is the first handler of the form. */
struct jit_refusal jit_refusal_of_form(struct jit_emit *je, const struct handler *h);

/* Writes the translators: <isa>_jit_N.c, <isa>_jit.c, <isa>_jit.h. Must be called after
 * emit_handlers. Sets `translated`. False after reporting. */
bool emit_jit(struct emit *e, const handler_list *handlers);

#endif
