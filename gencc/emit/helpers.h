/*
 * The functions of a description that handlers call: helpers, and external functions written in C.
 */
#ifndef GENCC_EMIT_HELPERS_H
#define GENCC_EMIT_HELPERS_H

#include "gencc/emit/out.h"

/* Whether the function is a helper of the description, exported or not. */
bool is_helper(const struct ir_func *f);
/* Writes a helper, with `linkage` before its prototype. */
void helper_write(struct emit *e, FILE *o, struct ir_func *f, const char *linkage);
/* Writes a helper's prototype without the semicolon. */
void helper_prototype(struct emit *e, FILE *o, const struct ir_func *f);
/* Writes the prototypes of all helpers. */
void helper_prototypes(struct emit *e, FILE *o);
/* Writes <isa>_helpers.c: helpers that behaviours, decoders and the runtime call. Must be called
 * after handlers are made. False after reporting. */
bool emit_helpers(struct emit *e);

/* Writes prototypes of the external functions in use. */
void external_prototypes(struct emit *e, FILE *o);
/* Writes the rows of the external functions' table: name and address. */
void external_rows(struct emit *e, FILE *o);

#endif
