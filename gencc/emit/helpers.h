/*
 * The functions of a description that handlers call: helpers, and external functions of C.
 */
#ifndef GENCC_EMIT_HELPERS_H
#define GENCC_EMIT_HELPERS_H

#include "gencc/emit/out.h"

bool is_helper(const struct ir_func *f);
/* Writes one, with `linkage` before its prototype. */
void helper_write(struct emit *e, FILE *o, struct ir_func *f, const char *linkage);
/* Without the semicolon. */
void helper_prototype(struct emit *e, FILE *o, const struct ir_func *f);
/* Prototypes of all. */
void helper_prototypes(struct emit *e, FILE *o);
/* <isa>_helpers.c: those that behaviours, decoders and the runtime call. After handlers are made. */
bool emit_helpers(struct emit *e);

/* Prototypes of the description's external functions that are in use. */
void external_prototypes(struct emit *e, FILE *o);
/* Rows of a table of them: name and address. */
void external_rows(struct emit *e, FILE *o);

#endif
