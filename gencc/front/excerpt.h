/*
 * Pieces of source text by their positions: a definition, the comment above it.
 */
#ifndef GENCC_FRONT_EXCERPT_H
#define GENCC_FRONT_EXCERPT_H

#include "gencc/front/diag.h"

/* The start of a line, counted from 1; NULL beyond the last. */
const char *source_line(const struct source_file *file, unsigned line);
/* What a line of comment says, behind its slashes; NULL when the line is none. */
const char *source_comment_line(const char *line);
/* From the start of the line to the end of the definition: its `;`, or the brace that closes it. */
const char *source_definition(struct src_pos pos, size_t *length);
/* The comment right above a line, without `//`; headings and columns' titles left out. "" when none. */
const char *source_comment(struct arena *a, struct src_pos pos);
/* Whether a line of comment is a heading, `// ---- Title ----`. */
bool source_is_heading(const char *said);
/* What the lines of comment from one up to another say: a paragraph goes on, an empty line begins another. Legends, which
 * name columns, are left out unless they are asked for. */
const char *source_said(struct arena *a, const char *from, const char *to, bool legends);
/* Finds all lines once, so that source_line() need not look for them. */
void source_find_lines(struct arena *a, struct source_file *file);

#endif
