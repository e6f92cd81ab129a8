/*
 * Pieces of source text by their positions: a definition, the comment above it.
 */
#ifndef GENCC_FRONT_EXCERPT_H
#define GENCC_FRONT_EXCERPT_H

#include "gencc/front/diag.h"

/* The start of a line, counted from 1; NULL after the last line. */
const char *source_line(const struct source_file *file, unsigned line);
/* The text of a `//` comment line after the slashes; NULL if the line is no comment. */
const char *source_comment_line(const char *line);
/* The definition at `pos`: from the start of its line to its `;` or closing brace. */
const char *source_definition(struct src_pos pos, size_t *length);
/* The comment directly above a line, without slashes, headings and titles of columns; "" if there
 * is none. */
const char *source_comment(struct arena *a, struct src_pos pos);
/* Whether a comment line is a heading, `// ---- Title ----`. */
bool source_is_heading(const char *said);
/*
 * Returns the text of the comment lines from one line up to another. Lines of a paragraph are
 * joined by a space; an empty line begins a new paragraph. Legends, which name columns, are left
 * out unless `legends`.
 */
const char *source_said(struct arena *a, const char *from, const char *to, bool legends);
/* Finds the starts of all lines, from which source_line() answers at once. */
void source_find_lines(struct arena *a, struct source_file *file);

#endif
