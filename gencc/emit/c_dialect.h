/*
 * The C dialect, for helpers, decoders, disassemblers and handlers. All other dialects are based on
 * it.
 */
#ifndef GENCC_EMIT_C_DIALECT_H
#define GENCC_EMIT_C_DIALECT_H

#include "gencc/emit/expr.h"

extern const struct dialect c_dialect;

/* A C constant of the type. */
const char *c_constant(struct emit *e, struct ir_type t, u128 bits);
/* Whether a bank's index may be out of range. Reads then give 0, and writes are ignored. */
bool index_unsure(const struct ir_value *v);
/* The registers that a REG_READ or REG_WRITE accesses at `index`. */
const char *register_place(struct body *b, const struct reg_view *view, const char *index);

#endif
