/*
 * C types of IR types.
 */
#ifndef GENCC_EMIT_CTYPE_H
#define GENCC_EMIT_CTYPE_H

#include "gencc/emit/out.h"

const char *ctype(struct emit *e, struct ir_type t); /* records vector types as used */
/* The C type through which registers of the type are accessed. */
const char *ctype_memory(struct emit *e, struct ir_type t);
void emit_vector_types(struct emit *e, FILE *o);
struct ir_type narrow_type(const struct ir_value *v); /* the smallest type for the value's range */

#endif
