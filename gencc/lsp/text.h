/*
 * Positions in texts as editors count them: lines from 0, columns in units of UTF-16.
 */
#ifndef GENCC_LSP_TEXT_H
#define GENCC_LSP_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* The byte at a position; the nearest one if the position is outside the text. */
size_t text_offset(const char *text, const json_t *position);
/* The position of a byte, and of a range of bytes. */
json_t *text_position(const char *text, size_t offset);
json_t *text_range(const char *text, size_t from, size_t to);
/* The first byte of a line, counted from 1 as by the compiler; the end of the text after the last
 * line. */
size_t text_line(const char *text, unsigned line);

/* Convert a path to an address (file://…) and back; NULL if it is none. The caller frees the
 * result. */
char *text_uri(const char *path);
char *text_path(const char *uri);

#endif
