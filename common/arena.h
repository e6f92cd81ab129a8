/*
 * Arena allocation: memory of a compilation lives until its arena is freed.
 */
#ifndef COMMON_ARENA_H
#define COMMON_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

struct arena_chunk;

/* A growing region. An empty arena is all zeros; allocated memory is zeroed. */
struct arena {
    struct arena_chunk *head;
    size_t used; /* bytes used in the head chunk */
    size_t size; /* bytes of the head chunk */
};

/* Returns `size` zeroed bytes, aligned for any type. If the host is out of memory, prints a message
 * and exits with status 2. */
void *arena_alloc(struct arena *a, size_t size);

/* Copies `len` bytes of `text` and terminates them. */
char *arena_strndup(struct arena *a, const char *text, size_t len);

/* Copies the C string `text`. */
char *arena_strdup(struct arena *a, const char *text);
/* Copies the C string `text` in upper case. */
char *arena_upper(struct arena *a, const char *text);

/* Print into the arena and return the text. */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap);

/* Reads the stream to its end. Returns its bytes, *length of them, and a NUL behind; NULL if there
 * are more than `most`. A read error ends the stream early: see ferror(). */
char *arena_read_all(struct arena *a, FILE *in, size_t most, size_t *length);

/* Frees all memory of the arena, which is empty afterwards. */
void arena_free(struct arena *a);

/* As arena_free(), but keeps the newest chunk for what is allocated next. */
void arena_clear(struct arena *a);

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))

#endif
