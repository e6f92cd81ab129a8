/*
 * What decoders and disassemblers share: computed fields, and the decision tree as switches.
 */
#ifndef GENCC_EMIT_DECODE_TREE_H
#define GENCC_EMIT_DECODE_TREE_H

#include "gencc/emit/out.h"

/* ---- computed fields ------------------------------------------------------------------------- */

/* Those that a function reads, as a bit set by index. */
uint64_t decode_reads(const struct ir_func *f);
/* A form's decode function without those that nobody reads; NULL when it accepts every word. */
struct ir_func *decode_needed(const struct form *form, uint64_t reads);
/* Number of values that the computed fields of a format take. */
unsigned decode_field_count(const struct format *f);
/* Writes a function of the word and its fields. */
void decode_function(struct emit *e, FILE *o, struct ir_func *f, const char *head);
/* Writes fields_NAME(), which computes the fields. */
void decode_fields_function(struct emit *e, FILE *o, const struct form *form, struct ir_func *f);

/* ---- the tree -------------------------------------------------------------------------------- */

/* Writes what stands at a leaf; `data` is the caller's. */
typedef void decode_leaf_fn(FILE *o, const struct decode_node *n, const char *indent,
                            const void *data);
/* The decision tree as nested switches on `word`. */
void decode_tree(struct emit *e, FILE *o, const struct decode_node *n, unsigned depth,
                 decode_leaf_fn *at_leaf, const void *data);
/* "if (", and what the pattern asks of the word, with "&&" behind it. */
void decode_if(FILE *o, const struct pattern *t, const char *indent);
/* The forms of a leaf, tried in turn: form_NAME(arguments), and after success `return result`. */
void decode_leaf(FILE *o, const struct decode_node *n, const char *indent, const char *arguments,
                 const char *result);

#endif
