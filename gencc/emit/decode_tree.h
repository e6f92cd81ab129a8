/*
 * What decoders and disassemblers share: computed fields, and the decision tree.
 */
#ifndef GENCC_EMIT_DECODE_TREE_H
#define GENCC_EMIT_DECODE_TREE_H

#include "gencc/emit/out.h"

/* ---- words of lanes -------------------------------------------------------------------------- */

/* Declares the type word_t, in which a word of lanes is decoded. */
void decode_word_type(struct emit *e, FILE *o);

/* ---- words of CPUs --------------------------------------------------------------------------- */

/* word_bytes() and word_at(): how words are fetched. */
void decode_words(struct emit *e, FILE *o);

/* ---- computed fields ------------------------------------------------------------------------- */

/* Those that a function reads, as a bit set by index. */
uint64_t decode_reads(const struct ir_func *f);
/* A form's decode function without those that nobody reads; NULL when it accepts every word. */
struct ir_func *decode_needed(const struct form *form, uint64_t reads);
/* Number of values that the computed fields of a format take. */
unsigned decode_field_count(const struct format *f);
/* Writes a function of the word and its fields. */
void decode_function(struct emit *e, FILE *o, struct ir_func *f, const char *head);
/* Writes fields_NAME(), which computes the fields, unless the pool has one like it. Returns its NAME. */
const char *decode_fields_function(struct emit *e, FILE *o, struct pool *pool,
                                   const struct form *form, struct ir_func *f);

/* ---- the tree -------------------------------------------------------------------------------- */

/* The decision tree of each width as tables, see common/prelude/decode_tree.h: <isa>_tree_WIDTH. */
bool decode_trees(struct emit *e, FILE *o);
/* That others have them. */
void decode_tree_prototypes(const struct emit *e, FILE *o);

#endif
