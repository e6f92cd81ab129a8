/*
 * What the parts of the emitter for bundles share.
 */
#ifndef GENCC_EMIT_BUNDLE_H
#define GENCC_EMIT_BUNDLE_H

#include "gencc/emit/out.h"
#include "gencc/model/bundle.h"

/* ---- bundle.c -------------------------------------------------------------------------------- */
/* <isa>_bundle.c: unpacking, text and helpers of an ISA of bundles. */
bool emit_bundle(struct emit *e);

/* ---- bundle_unpack.c ------------------------------------------------------------------------- */
/* static bool NAME_unpack(…) of struct gpu_isa, and what it needs. */
void bundle_emit_unpack(struct emit *e, FILE *o);

/* ---- bundle_text.c --------------------------------------------------------------------------- */
/* static size_t NAME_disasm_bundle(…), and what it needs. */
bool bundle_emit_disasm(struct emit *e, FILE *o);

#endif
