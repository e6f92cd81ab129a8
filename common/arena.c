/*
 * A bump allocator: pieces are cut from chunks that double in size, and freed all at once.
 */
#include "common/arena.h"

#include "common/memory.h"

#include <ctype.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

struct arena_chunk {
    struct arena_chunk *next;
    alignas(max_align_t) char bytes[];
};

/* Arenas of one function are many and stay small. Large chunks come from the kernel as zeros, so
 * calloc() need not clear them. */
enum { CHUNK_BYTES = 4 * 1024, MOST_CHUNK_BYTES = 4 * 1024 * 1024 };

/* Bytes that arena_read_all() allocates first; it doubles them as the stream continues. */
enum { READ_BYTES = 16 * 1024 };

static void new_chunk(struct arena *a, size_t size)
{
    struct arena_chunk *c = memory_or_exit(calloc(1, sizeof(*c) + size));

    c->next = a->head;
    a->head = c;
    a->used = 0;
    a->size = size;
}

static size_t chunk_size(const struct arena *a, size_t least)
{
    size_t size = a->head ? 2 * a->size : CHUNK_BYTES;

    if (size > MOST_CHUNK_BYTES)
        size = MOST_CHUNK_BYTES;
    return size > least ? size : least;
}

void *arena_alloc(struct arena *a, size_t size)
{
    const size_t align = alignof(max_align_t);
    void *p;

    size = (size + align - 1) & ~(align - 1);
    if (!a->head || a->size - a->used < size)
        new_chunk(a, chunk_size(a, size));
    p = a->head->bytes + a->used;
    a->used += size;
    return p;
}

char *arena_strndup(struct arena *a, const char *text, size_t len)
{
    char *s = arena_alloc(a, len + 1);

    memcpy(s, text, len);
    return s;
}

char *arena_strdup(struct arena *a, const char *text)
{
    return arena_strndup(a, text, strlen(text));
}

char *arena_upper(struct arena *a, const char *text)
{
    char *copy = arena_strdup(a, text);

    for (char *p = copy; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    return copy;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
    size_t room = a->head ? a->size - a->used : 0, len;
    char *s = room ? a->head->bytes + a->used : NULL;
    va_list copy;

    va_copy(copy, ap);
    len = (size_t)vsnprintf(s, room, fmt, copy);
    va_end(copy);
    if (len < room) /* the text was printed at the place that this allocates */
        return arena_alloc(a, len + 1);
    if (room)
        memset(s, 0, room);
    s = arena_alloc(a, len + 1);
    vsnprintf(s, len + 1, fmt, ap);
    return s;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    char *s;

    va_start(ap, fmt);
    s = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return s;
}

char *arena_read_all(struct arena *a, FILE *in, size_t most, size_t *length)
{
    size_t room = READ_BYTES, have = 0, got;
    char *text = arena_alloc(a, room);

    while ((got = fread(text + have, 1, room - have - 1, in)) > 0) {
        have += got;
        if (have > most)
            return NULL;
        if (have + 1 == room) {
            char *more = arena_alloc(a, room *= 2);

            memcpy(more, text, have);
            text = more;
        }
    }
    *length = have;
    return text;
}

static void free_chunks(struct arena_chunk *c)
{
    while (c) {
        struct arena_chunk *next = c->next;

        free(c);
        c = next;
    }
}

void arena_free(struct arena *a)
{
    free_chunks(a->head);
    *a = (struct arena){0};
}

void arena_clear(struct arena *a)
{
    if (!a->head)
        return;
    free_chunks(a->head->next);
    a->head->next = NULL;
    memset(a->head->bytes, 0, a->used);
    a->used = 0;
}
