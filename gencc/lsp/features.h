/*
 * Answers of the server. Each function returns JSON that the caller owns; NULL if there is no
 * answer.
 */
#ifndef GENCC_LSP_FEATURES_H
#define GENCC_LSP_FEATURES_H

#include "gencc/lsp/symbols.h"

#include <jansson.h>

/* The place that a request refers to, in an open file, and the file's first root */
struct place {
    struct project *project;
    struct buffer *buffer;
    const struct source_file *file; /* the file's text as read by the root */
    struct root *root;
    struct symbols *symbols;
    size_t at;
};

/* The declaration of the name at the place; its location; all uses of the name. */
json_t *answer_hover(const struct place *p);
json_t *answer_definition(const struct place *p);
json_t *answer_references(const struct place *p, bool with_declaration);
/* If the answer is NULL, `error` says why the name cannot be changed. */
json_t *answer_rename(const struct place *p, const char *name, const char **error);
/* Words that can be inserted; the outline of the file; edits that lay out a buffer. */
json_t *answer_completion(const struct place *p);
json_t *answer_outline(const struct place *p);
json_t *answer_formatting(const struct buffer *b);

#endif
