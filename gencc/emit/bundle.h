/*
 * Shared by the parts of the emitter for bundles.
 */
#ifndef GENCC_EMIT_BUNDLE_H
#define GENCC_EMIT_BUNDLE_H

#include "gencc/emit/out.h"
#include "gencc/model/bundle.h"

/* ---- bundle.c -------------------------------------------------------------------------------- */
/* Writes <isa>_bundle.c: unpacking, text and helpers of an ISA of bundles. False after
 * reporting. */
bool emit_bundle(struct emit *e);

/* ---- bundle_unpack.c ------------------------------------------------------------------------- */
/* Writes static bool NAME_unpack(…) of struct gpu_isa, and functions that it calls. */
void bundle_emit_unpack(struct emit *e, FILE *o);

/* ---- bundle_text.c --------------------------------------------------------------------------- */
/* Writes static size_t NAME_disasm_bundle(…), and functions that it calls. False after
 * reporting. */
bool bundle_emit_disasm(struct emit *e, FILE *o);

#endif
