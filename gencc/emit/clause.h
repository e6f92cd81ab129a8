/*
 * What the parts of the emitter for clauses share.
 */
#ifndef GENCC_EMIT_CLAUSE_H
#define GENCC_EMIT_CLAUSE_H

#include "gencc/emit/out.h"
#include "gencc/model/clause.h"

/* ---- clause.c -------------------------------------------------------------------------------- */
/* <isa>_clause.c: unpacking, text and helpers of an ISA of clauses. */
bool emit_clause(struct emit *e);

/* ---- clause_unpack.c ------------------------------------------------------------------------- */
/* static bool NAME_unpack(…) of struct gpu_isa, and what it needs. */
void clause_emit_unpack(struct emit *e, FILE *o);

/* ---- clause_text.c --------------------------------------------------------------------------- */
/* static size_t NAME_disasm_clause(…), and what it needs. */
bool clause_emit_disasm(struct emit *e, FILE *o);

#endif
