/*
 * Shared by the parts of the emitter for lane architectures.
 */
#ifndef GENCC_EMIT_LANE_H
#define GENCC_EMIT_LANE_H

#include "gencc/emit/expr.h"

enum { LANE_MAX_OPERANDS = 96 }; /* bytes; GPU_MAX_OPERANDS of the runtime */

/* A source that a behaviour reads. The decoder finds the slot that its selector names. */
struct lane_source {
    const char *name;
    struct ir_value *selector;
    bool reads_other_lanes; /* also read from other lanes */
};

/* A condition for words that a handler serves: a field has the value. */
struct lane_test {
    struct field *field;
    u128 value;
};
typedef VEC(struct lane_test) test_list;

/*
 * A handler of a form, perhaps for certain values of fields. A straight `f` has no effects. It
 * returns the result and whether the instruction is refused, so all lanes of a chunk are computed
 * at once, active or not. Any other `f` has effects, and is run for active lanes one by one.
 */
struct lane_handler {
    struct form *form;
    const char *name;
    struct ir_func *f;
    bool is_straight;
    test_list tests;
    operand_list operands; /* from here on set by lane_emit_handlers */
    VEC(struct lane_source) sources;
    uint32_t crossed_staging; /* bit k: staging register k is also read from other lanes */
    unsigned operand_bytes;
    unsigned part, number; /* file of the handler, and index in it */
};

typedef VEC(struct lane_handler *) lane_list;

/* ---- lane_body.c ----------------------------------------------------------------------------- */

/* A copy of a form's behaviour with all calls inlined. NULL after reporting. */
struct ir_func *lane_inline(struct emit *e, const struct form *form);
/* A copy of a form's behaviour in which only calls remain whose results follow from the encoding:
 * the translator makes them. NULL after reporting. */
struct ir_func *lane_inline_varying(struct emit *e, const struct form *form);
/* A copy for certain values of fields, allocated in `a`. lane_specialise: made straight if
 * possible. */
struct ir_func *lane_narrow(struct arena *a, const struct ir_func *f, const char *name,
                            const test_list *tests);
struct ir_func *lane_specialise(struct arena *a, const struct ir_func *f, const char *name,
                                const test_list *tests, bool *straight);
/* The result of a straight function; NULL: it has none. lane_refusal: its refusal; NULL: never. */
const struct ir_value *lane_result(const struct ir_func *f);
const struct ir_value *lane_refusal(const struct ir_func *f);

/* ---- lane_dialect.c -------------------------------------------------------------------------- */

/* Functions of a lane architecture that are no handlers, and so have no lane. */
extern const struct dialect lane_function_dialect;
/* Handlers: lane by lane with effects, or straight for all lanes of a chunk. */
extern const struct dialect lane_dialect, straight_dialect;

/* Whether a value is the same for all lanes. */
bool lane_is_known(const struct body *b, const struct ir_value *v);

/* ---- lane_variants.c ------------------------------------------------------------------------- */

/* Makes all handlers, in the order of forms. Handlers with tests precede the general one of their
 * form. */
lane_list lane_handlers_make(struct emit *e);

/* ---- lane_handlers.c ------------------------------------------------------------------------- */

/* Writes <isa>_exec_N.c, and sets the operands and sources of each handler. False after
 * reporting. */
bool lane_emit_handlers(struct emit *e, const lane_list *handlers);

/* ---- lane_translate.c ------------------------------------------------------------------------ */

/* Writes <isa>_translate.c, the translators, if the options ask for them. False after reporting. */
bool lane_emit_translators(struct emit *e);

/* ---- lane_decode.c, lane_tables.c ------------------------------------------------------------ */

/* Writes <isa>_decode.c: the decoder of words. False after reporting. */
bool lane_emit_decoder(struct emit *e, const lane_list *handlers);
/* Writes <isa>_isa.c: the tables of forms and handlers. False after reporting. */
bool lane_emit_tables(struct emit *e);
/* Writes the header. Must be called last, when operands and vector types are known. */
bool lane_emit_header(struct emit *e, const lane_list *handlers);

#endif
