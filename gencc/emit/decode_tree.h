/*
 * Shared by decoders and disassemblers: computed fields, and the decision tree.
 */
#ifndef GENCC_EMIT_DECODE_TREE_H
#define GENCC_EMIT_DECODE_TREE_H

#include "gencc/emit/out.h"

/* ---- words of lanes -------------------------------------------------------------------------- */

/* Declares word_t, the type of a lane ISA's words while they are decoded. */
void decode_word_type(struct emit *e, FILE *o);

/* ---- words of CPUs --------------------------------------------------------------------------- */

/* Writes word_bytes() and word_at(), which fetch words. */
void decode_words(struct emit *e, FILE *o);

/* ---- computed fields ------------------------------------------------------------------------- */

/* The computed fields that a function reads: one bit per index. */
uint64_t decode_reads(const struct ir_func *f);
/* A form's decode function without fields that are not in `reads`. NULL if it accepts every
 * word. */
struct ir_func *decode_needed(const struct form *form, uint64_t reads);
/* Number of computed fields of a format. */
unsigned decode_field_count(const struct format *f);
/* Writes a function of the word and its fields. */
void decode_function(struct emit *e, FILE *o, struct ir_func *f, const char *head);
/* Writes fields_NAME(), which computes the fields, unless the pool has an equal function. Returns
 * its NAME. */
const char *decode_fields_function(struct emit *e, FILE *o, struct pool *pool,
                                   const struct form *form, struct ir_func *f);

/* ---- the tree -------------------------------------------------------------------------------- */

/* Writes the decision tree per width as tables (common/prelude/decode_tree.h): <isa>_tree_WIDTH. */
bool decode_trees(struct emit *e, FILE *o);
/* Declares the trees for other files. */
void decode_tree_prototypes(const struct emit *e, FILE *o);

#endif
