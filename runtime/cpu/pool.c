/* Memory of decoded blocks, in large pages of the host. */
#include "runtime/cpu/pool.h"

#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/memory.h"

#define LARGE_PAGE  ((size_t)2 << 20) /* of the host; another size only costs speed */
#define CHUNK_BYTES (8 * LARGE_PAGE)

struct pool_piece {
    struct pool_piece *next;
};

struct pool_chunk { /* at the start of its memory */
    struct pool_chunk *next;
};
_Static_assert(sizeof(struct pool_chunk) <= POOL_UNIT, "a chunk's head takes one unit");

/* Bytes of whole pages of the host. */
static size_t pages_of(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (bytes + page - 1) & ~(page - 1);
}

static size_t units_of(size_t bytes)
{
    return (bytes + POOL_UNIT - 1) / POOL_UNIT;
}

void *large_take(size_t bytes)
{
    size_t room = bytes + LARGE_PAGE, before;
    uint8_t *memory = mmap(NULL, room, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    memory_or_exit(memory == MAP_FAILED ? NULL : memory);
    before = -(uintptr_t)memory & (LARGE_PAGE - 1);
    if (before)
        munmap(memory, before);
    memory += before;
    munmap(memory + pages_of(bytes), room - before - pages_of(bytes));
    madvise(memory, bytes, MADV_HUGEPAGE); /* a failure only costs speed */
    return memory;
}

void large_give(void *memory, size_t bytes)
{
    munmap(memory, bytes);
}

/* Maps another chunk. Its pages take no memory of the host before they are touched. */
static void add_chunk(struct pool *p)
{
    struct pool_chunk *c = large_take(CHUNK_BYTES);

    c->next = p->chunks;
    p->chunks = c;
    p->at = (uint8_t *)c + POOL_UNIT;
    p->end = (uint8_t *)c + CHUNK_BYTES;
}

void *pool_take(struct pool *p, size_t bytes)
{
    size_t units = units_of(bytes);
    struct pool_piece *piece;

    assert(units && units < POOL_SIZES);
    piece = p->free[units];
    if (piece) {
        p->free[units] = piece->next;
        return piece;
    }
    if ((size_t)(p->end - p->at) < units * POOL_UNIT)
        add_chunk(p); /* the rest of the chunk before is less than a block */
    piece = (void *)p->at;
    p->at += units * POOL_UNIT;
    return piece;
}

void pool_give(struct pool *p, void *piece, size_t bytes)
{
    struct pool_piece *given = piece;
    size_t units = units_of(bytes);

    given->next = p->free[units];
    p->free[units] = given;
}

void pool_drop(struct pool *p)
{
    for (struct pool_chunk *c = p->chunks, *next; c; c = next) {
        next = c->next;
        large_give(c, CHUNK_BYTES);
    }
    *p = (struct pool){0};
}
