/*
 * The C of the ISAs of a CPU: handlers, decoder, tables, header.
 */
#ifndef GENCC_EMIT_CPU_H
#define GENCC_EMIT_CPU_H

#include "gencc/emit/expr.h"

/* A handler: a form, specialised for values of small fields or for a feature. */
struct handler {
    struct form *form;
    const char *name;
    struct ir_func *f;
    struct ir_func *jit;        /* more inlined, not specialised, for the translator; NULL: none */
    VEC(struct field *) fields; /* specialised on these */
    VEC(u128) values;
    int feature; /* specialised on the default of this feature; -1: on none */
    bool ends_block;
    operand_list operands; /* set by emit_handlers */
    const char *layout;    /* the name of the operands' structure */
};
typedef VEC(struct handler *) handler_list;

/* ---- handlers.c ------------------------------------------------------------------------------ */

/* Makes all handlers, in the order of forms. */
handler_list handlers_make(struct emit *e);
/* Writes <isa>_exec_N.c, and determines the operands of each handler. False after reporting. */
bool emit_handlers(struct emit *e, const handler_list *handlers);
/* Declares a handler. Its operands' structure is declared too, unless `known` has an equal one. */
void handler_declare(struct emit *e, FILE *o, const struct handler *h, struct pool *known);

/* ---- decode.c, tables.c ---------------------------------------------------------------------- */

/* Writes <isa>_decode.c: the decoder. False after reporting. */
bool emit_decoder(struct emit *e, const handler_list *handlers);
/* Writes <name>_isa.c: the tables of a CPU's ISAs, one `struct emit` per ISA. False after
 * reporting. */
bool emit_tables(struct emit *e, unsigned count, const char *name);
/* Writes <isa>_internal.h of each ISA. Must be called last, when operands and vector types are
 * known. */
bool emit_headers(struct emit *e, unsigned count);

#endif
