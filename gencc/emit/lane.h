/*
 * What the parts of the emitter for lane architectures share.
 */
#ifndef GENCC_EMIT_LANE_H
#define GENCC_EMIT_LANE_H

#include "gencc/emit/expr.h"

enum { LANE_MAX_OPERANDS = 96 }; /* bytes: GPU_MAX_OPERANDS of the runtime */

/* A source that a behaviour reads: the decoder finds the slot that its selector names. */
struct lane_source {
    const char *name;
    struct ir_value *selector;
    bool crosses; /* of other lanes too */
};

/* A field that must have a value for a handler to serve. */
struct lane_test {
    struct field *field;
    u128 value;
};
typedef VEC(struct lane_test) test_list;

/*
 * A handler: a form, perhaps for certain values of fields. `f` is either straight: it has no effects
 * but returns the result and whether the instruction is refused, so that all lanes of a chunk
 * are done at once, active or not; or it has effects, which only active lanes have, one by one.
 */
struct lane_handler {
    struct form *form;
    const char *name;
    struct ir_func *f;
    bool straight;
    test_list tests;
    operand_list operands; /* of lane_emit_handlers, as what follows */
    VEC(struct lane_source) sources;
    unsigned operand_bytes;
    unsigned part, number; /* in the handlers of that part */
};

typedef VEC(struct lane_handler *) lane_list;

/* ---- lane_body.c ----------------------------------------------------------------------------- */

/* A copy of a form's behaviour with everything inlined. NULL after reporting. */
struct ir_func *lane_inline(struct emit *e, const struct form *form);
/* A copy for certain values of fields, made straight if it can be. */
struct ir_func *lane_specialise(struct emit *e, const struct ir_func *f, const char *name,
                                const struct lane_test *tests, unsigned count, bool *straight);
/* Of a straight function: the result, NULL when there is none, and the refusal, NULL for never. */
const struct ir_value *lane_result(const struct ir_func *f);
const struct ir_value *lane_refusal(const struct ir_func *f);

/* ---- lane_dialect.c -------------------------------------------------------------------------- */

/* Functions of an architecture of lanes that are no handlers: they know no lane. */
extern const struct dialect lane_function_dialect;
/* Handlers: with effects, lane by lane; straight, all lanes of a chunk at once. */
extern const struct dialect lane_dialect, straight_dialect;

/* Whether a value is the same for all lanes. */
bool lane_is_known(const struct body *b, const struct ir_value *v);

/* ---- lane_variants.c ------------------------------------------------------------------------- */

/* In order of forms; those with tests before the one that serves every word. */
lane_list lane_handlers_make(struct emit *e);

/* ---- lane_handlers.c ------------------------------------------------------------------------- */

/* <isa>_exec_N.c; settles what the operands and sources of each are. */
bool lane_emit_handlers(struct emit *e, const lane_list *handlers);

/* ---- lane_translate.c ------------------------------------------------------------------------ */

/* <isa>_translate.c: translators, where the options ask for them. */
bool lane_emit_translators(struct emit *e);

/* ---- lane_decode.c, lane_tables.c ------------------------------------------------------------ */

bool lane_emit_decoder(struct emit *e, const lane_list *handlers);
bool lane_emit_tables(struct emit *e);
/* Last: the others find out which operands and vector types there are. */
bool lane_emit_header(struct emit *e, const lane_list *handlers);

#endif
