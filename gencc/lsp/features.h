/*
 * What the server answers with. Each gives JSON that the caller owns; null when there is no answer.
 */
#ifndef GENCC_LSP_FEATURES_H
#define GENCC_LSP_FEATURES_H

#include "gencc/lsp/symbols.h"

#include <jansson.h>

/* Where a request points: a place in an open file, and what its first root knows. */
struct place {
    struct project *project;
    struct buffer *buffer;
    const struct source_file *file; /* as the root read it */
    struct root *root;
    struct symbols *symbols;
    size_t at;
};

json_t *answer_hover(const struct place *p);
json_t *answer_definition(const struct place *p);
json_t *answer_references(const struct place *p, bool with_declaration);
/* `error` gets a text when the answer is NULL: why it cannot be renamed. */
json_t *answer_rename(const struct place *p, const char *name, const char **error);
json_t *answer_completion(const struct place *p);
json_t *answer_outline(const struct place *p);
json_t *answer_formatting(const struct buffer *b);

#endif
