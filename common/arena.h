/*
 * Arena allocation: everything one compilation makes lives until the arena is freed.
 */
#ifndef COMMON_ARENA_H
#define COMMON_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_chunk;

/* A growing region. Zero-initialise it; all memory handed out is zeroed. */
struct arena {
    struct arena_chunk *head;
    size_t used; /* bytes used of the head chunk */
    size_t size; /* bytes of the head chunk */
};

/* Returns `size` zeroed bytes, aligned for any type. Exits with status 2 and a message when the
 * host is out of memory: a compiler has nothing better to do then. */
void *arena_alloc(struct arena *a, size_t size);

/* Copies `len` bytes of `text` and terminates them. */
char *arena_strndup(struct arena *a, const char *text, size_t len);

/* Copies the C string `text`. */
char *arena_strdup(struct arena *a, const char *text);
/* Copies the C string `text` in capitals. */
char *arena_upper(struct arena *a, const char *text);

/* printf into the arena. */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap);

/* Frees everything the arena handed out and makes it empty again. */
void arena_free(struct arena *a);

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))

#endif
