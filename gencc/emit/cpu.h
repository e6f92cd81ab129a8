/*
 * The C of an ISA of a CPU: handlers, decoder, tables, header.
 */
#ifndef GENCC_EMIT_CPU_H
#define GENCC_EMIT_CPU_H

#include "gencc/emit/expr.h"

/* One handler: a form, specialised for values of some small fields or features. */
struct handler {
    struct form *form;
    const char *name;
    struct ir_func *f;
    struct ir_func *jit;        /* the same for a translator, with more inlined; NULL: f */
    VEC(struct field *) fields; /* specialised on */
    VEC(u128) values;
    int feature; /* specialised on this feature having its default, or -1 */
    bool ends_block;
    operand_list operands; /* of emit_handlers */
};
typedef VEC(struct handler *) handler_list;

/* ---- handlers.c ------------------------------------------------------------------------------ */

/* In order of forms. */
handler_list handlers_make(struct emit *e);
/* <isa>_exec_N.c; settles what the operands of each are. */
bool emit_handlers(struct emit *e, const handler_list *handlers);

/* ---- decode.c, tables.c ---------------------------------------------------------------------- */

bool emit_decoder(struct emit *e, const handler_list *handlers);
/* `translators`: how many handlers have one. */
bool emit_tables(struct emit *e, unsigned translators);
/* Last: the others find out which operands and vector types there are. */
bool emit_header(struct emit *e, const handler_list *handlers);

#endif
