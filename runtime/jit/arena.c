/*
 * Host memory for code: chunks of one range of addresses, which are filled from the start, and used
 * again when all code in them is gone. The oldest code goes first (engine.c), so chunks empty one
 * after the other.
 */
#include <sys/mman.h>

#include "runtime/jit/internal.h"

#define CHUNK_BYTES ((size_t)256 << 10)

/* The range: as much as there is, from MAX to MIN, near the program's own code if there is room, so
 * that calls of it are short. */
#define NEAR_GAP  ((size_t)64 << 20)
#define MAX_BYTES ((size_t)1 << 30)
#define MIN_BYTES ((size_t)16 << 20)

enum { ALIGN = 64 };

struct chunk {
    uint8_t *base;
    size_t size, used;
    unsigned live; /* pieces in use */
    struct chunk *next;
};

static bool reserve(struct arena *a, size_t size)
{
    const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uintptr_t own = (uintptr_t)jit_leave & ~(uintptr_t)CPU_PAGE_MASK;
    void *base = MAP_FAILED;

    if (own > size + NEAR_GAP)
        base = mmap((void *)(own - NEAR_GAP - size), size, PROT_NONE, kind | MAP_FIXED_NOREPLACE,
                    -1, 0);
    if (base == MAP_FAILED)
        base = mmap(NULL, size, PROT_NONE, kind, -1, 0);
    if (base == MAP_FAILED)
        return false;
    a->base = base;
    a->size = size;
    return true;
}

static struct chunk *chunk_new(struct arena *a, size_t size)
{
    uint8_t *base = a->base + a->mapped;
    struct chunk *c;

    if (a->size - a->mapped < size || mprotect(base, size, PROT_READ | PROT_WRITE | PROT_EXEC))
        return NULL;
    a->mapped += size;
    c = xcalloc(1, sizeof(*c));
    c->base = base;
    c->size = size;
    return c;
}

/* An empty chunk with that much room, or a new one. */
static struct chunk *find_chunk(struct arena *a, size_t size)
{
    struct chunk *c;

    for (c = a->chunks; c; c = c->next) {
        if (!c->live && c->size >= size) {
            c->used = 0;
            return c;
        }
    }
    c = chunk_new(a, size > CHUNK_BYTES ? align_up(size, CPU_PAGE_SIZE) : CHUNK_BYTES);
    if (c) {
        c->next = a->chunks;
        a->chunks = c;
    }
    return c;
}

void *arena_take(struct arena *a, size_t size, struct chunk **from)
{
    void *at = NULL;

    size = align_up(size, ALIGN);
    pthread_mutex_lock(&a->lock);
    if (!a->current || a->current->size - a->current->used < size)
        a->current = find_chunk(a, size);
    if (a->current) {
        at = a->current->base + a->current->used;
        a->current->used += size;
        if (!a->current->live++)
            a->live += a->current->size;
        *from = a->current;
    }
    pthread_mutex_unlock(&a->lock);
    return at;
}

void arena_trim(struct arena *a, struct chunk *from, void *at, size_t taken, size_t used)
{
    uint8_t *end = (uint8_t *)at + align_up(taken, ALIGN);

    pthread_mutex_lock(&a->lock);
    if (from->base + from->used == end) /* else somebody else has taken what follows */
        from->used = (size_t)((uint8_t *)at - from->base) + align_up(used, ALIGN);
    pthread_mutex_unlock(&a->lock);
}

void arena_share(struct arena *a, struct chunk *from)
{
    pthread_mutex_lock(&a->lock);
    from->live++;
    pthread_mutex_unlock(&a->lock);
}

void arena_give(struct arena *a, struct chunk *from)
{
    pthread_mutex_lock(&a->lock);
    if (!--from->live)
        a->live -= from->size;
    pthread_mutex_unlock(&a->lock);
}

size_t arena_bytes(struct arena *a)
{
    size_t bytes;

    pthread_mutex_lock(&a->lock);
    bytes = a->live;
    pthread_mutex_unlock(&a->lock);
    return bytes;
}

size_t arena_init(struct arena *a)
{
    *a = (struct arena){.chunks = NULL};
    pthread_mutex_init(&a->lock, NULL);
    for (size_t size = MAX_BYTES; size >= MIN_BYTES && !a->base; size /= 2)
        reserve(a, size);
    return a->size;
}

void arena_drop(struct arena *a)
{
    for (struct chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    if (a->base)
        munmap(a->base, a->size);
    pthread_mutex_destroy(&a->lock);
}
