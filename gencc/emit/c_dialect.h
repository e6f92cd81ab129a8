/*
 * C: how helpers, decoders, disassemblers and handlers are written; what the others build on.
 */
#ifndef GENCC_EMIT_C_DIALECT_H
#define GENCC_EMIT_C_DIALECT_H

#include "gencc/emit/expr.h"

extern const struct dialect c_dialect;

/* A constant of C. */
const char *c_constant(struct emit *e, struct ir_type t, u128 bits);
/* Whether a bank's index may lie beyond it: then reads give 0 and writes do nothing. */
bool index_unsure(const struct ir_value *v);
/* The registers that a REG_READ or REG_WRITE is of, by the index `index`. */
const char *register_place(struct body *b, const struct reg_view *view, const char *index);

#endif
