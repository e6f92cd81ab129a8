/*
 * The C of the ISAs of a CPU: handlers, decoder, tables, header.
 */
#ifndef GENCC_EMIT_CPU_H
#define GENCC_EMIT_CPU_H

#include "gencc/emit/expr.h"

/* One handler: a form, specialised for values of some small fields or features. */
struct handler {
    struct form *form;
    const char *name;
    struct ir_func *f;
    struct ir_func *jit;        /* the form's behaviour for its translator, not specialised, with
                                   more inlined; NULL: none is asked for */
    VEC(struct field *) fields; /* specialised on */
    VEC(u128) values;
    int feature; /* specialised on this feature having its default, or -1 */
    bool ends_block;
    operand_list operands; /* of emit_handlers */
    const char *layout;    /* the name of their structure */
};
typedef VEC(struct handler *) handler_list;

/* ---- handlers.c ------------------------------------------------------------------------------ */

/* In order of forms. */
handler_list handlers_make(struct emit *e);
/* <isa>_exec_N.c; settles what the operands of each are. */
bool emit_handlers(struct emit *e, const handler_list *handlers);
/* Declares one, and its operands where `known` has not seen others like them. */
void handler_declare(struct emit *e, FILE *o, const struct handler *h, struct pool *known);

/* ---- decode.c, tables.c ---------------------------------------------------------------------- */

bool emit_decoder(struct emit *e, const handler_list *handlers);
/* <name>_isa.c: what the ISAs of a CPU, one `struct emit` each, are together. */
bool emit_tables(struct emit *e, unsigned count, const char *name);
/* <isa>_internal.h of each. Last: the others find out which operands and vector types there are. */
bool emit_headers(struct emit *e, unsigned count);

#endif
