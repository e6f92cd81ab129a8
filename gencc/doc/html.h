/*
 * Writing HTML: everything that comes from a description is escaped. The pages are well-formed XML too.
 */
#ifndef GENCC_DOC_HTML_H
#define GENCC_DOC_HTML_H

#include "common/arena.h"

#include <stdio.h>

/* Writes text, or the first `length` bytes of it, such that it reads as it stands. */
void html_text(FILE *o, const char *text);
void html_bytes(FILE *o, const char *text, size_t length);

/* As printf, of %s, %u, %d and %%; what a %s brings is escaped. */
void html(FILE *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A paragraph of comment: what stands between `` is code, an empty line begins a new one. */
void html_prose(FILE *o, const char *text);

/* A text as a name of an element of a page: what is no letter, digit or one of `_.-` becomes a `-`. */
const char *html_id(struct arena *a, const char *prefix, const char *text);

#endif
