/*
 * What the parts of the emitter for lane architectures share.
 */
#ifndef GENCC_EMIT_LANE_H
#define GENCC_EMIT_LANE_H

#include "gencc/emit/internal.h"

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
    VEC(struct lane_test) tests;
    VEC(struct operand) operands;
    VEC(struct lane_source) sources;
    unsigned operand_bytes;
    unsigned part, number; /* in the handlers of that part */
};

/* ---- lane_body.c ----------------------------------------------------------------------------- */

/* A copy of a form's behaviour with everything inlined. NULL after reporting. */
struct ir_func *lane_inline(struct emit *e, const struct form *form);
/* A copy for certain values of fields, made straight if it can be. */
struct ir_func *lane_specialise(struct emit *e, const struct ir_func *f, const char *name,
                                const struct lane_test *tests, unsigned count, bool *straight);
/* Of a straight function: the result, NULL when there is none, and the refusal, NULL for never. */
const struct ir_value *lane_result(const struct ir_func *f);
const struct ir_value *lane_refusal(const struct ir_func *f);

/* ---- lane_variants.c ------------------------------------------------------------------------- */

void lane_make_handlers(struct emit *e);

/* ---- lane_handlers.c ------------------------------------------------------------------------- */

/* Where a handler's decoder leaves the operands; orders and names them. */
void lane_find_operands(struct cfn *c, struct lane_handler *h);
bool lane_emit_handlers(struct emit *e);
/* CFN_LANE: what stands where the function returns; `last`: at its end. */
void lane_leave(struct cfn *c, bool last);

/* ---- lane_decode.c, lane_tables.c ------------------------------------------------------------ */

bool lane_emit_decoder(struct emit *e);
bool lane_emit_tables(struct emit *e);
bool lane_emit_header(struct emit *e);

/* ---- intrinsics.c ---------------------------------------------------------------------------- */

/* As intrinsic_c(), in handlers of lanes. */
const char *lane_intrinsic_c(enum ir_intrinsic i);

#endif
