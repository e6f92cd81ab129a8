/*
 * Texts of files as an editor counts in them: lines from 0, columns in units of UTF-16.
 */
#ifndef GENCC_LSP_TEXT_H
#define GENCC_LSP_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* The byte that a position names; the nearest there is when it is outside. */
size_t text_offset(const char *text, const json_t *position);
/* The position of a byte. */
json_t *text_position(const char *text, size_t offset);
json_t *text_range(const char *text, size_t from, size_t to);
/* The first byte of a line, counted from 1 as the compiler does; the end of the text beyond the last. */
size_t text_line(const char *text, unsigned line);

/* A path as an address (file://…), and back; NULL when it is none. The caller frees. */
char *text_uri(const char *path);
char *text_path(const char *uri);

#endif
