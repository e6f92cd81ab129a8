/*
 * Types of C for types of the IR.
 */
#ifndef GENCC_EMIT_CTYPE_H
#define GENCC_EMIT_CTYPE_H

#include "gencc/emit/out.h"

const char *ctype(struct emit *e, struct ir_type t); /* notes vectors */
/* The type through which registers are accessed. */
const char *ctype_memory(struct emit *e, struct ir_type t);
void emit_vector_types(struct emit *e, FILE *o);
struct ir_type narrow_type(const struct ir_value *v); /* smallest that holds the value */

#endif
