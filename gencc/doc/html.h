/*
 * Writes HTML: all text from a description is escaped. The pages are well-formed XML too.
 */
#ifndef GENCC_DOC_HTML_H
#define GENCC_DOC_HTML_H

#include "common/arena.h"

#include <stdio.h>

/* Write text, or its first `length` bytes, escaped. */
void html_text(FILE *o, const char *text);
void html_bytes(FILE *o, const char *text, size_t length);

/* Like printf with %s, %u, %d and %%; the texts of %s are escaped. */
void html(FILE *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Writes a comment as paragraphs: text between backquotes is code, an empty line begins a
 * paragraph. */
void html_prose(FILE *o, const char *text);

/* Makes an id of a page's element from a text: characters other than letters, digits and `_.-`
 * become `-`. */
const char *html_id(struct arena *a, const char *prefix, const char *text);

#endif
