/*
 * Memory of decoded blocks. Most blocks are made once and interpreted a few times, so a program's
 * start is mostly misses of the host's caches in new memory. Pieces are taken one behind the other
 * from large pages of the host, which cost one fault per 2 MB, and are given back to a list of
 * their size.
 */
#ifndef RUNTIME_CPU_POOL_H
#define RUNTIME_CPU_POOL_H

#include <stddef.h>
#include <stdint.h>

enum {
    POOL_UNIT = 64,    /* sizes and addresses of pieces are multiples of it */
    POOL_SIZES = 1024, /* a piece has fewer units */
};

/* Zeroed memory for a table that is read all over, in large pages of the host where these fit. Ends
 * the program if the host has no memory. */
void *large_take(size_t bytes);
/* Frees it. bytes: as for large_take(). */
void large_give(void *memory, size_t bytes);

struct pool_piece;
struct pool_chunk;

/* Zeroed: a pool without memory. */
struct pool {
    struct pool_chunk *chunks;
    uint8_t *at, *end;                   /* what is left of the latest chunk */
    struct pool_piece *free[POOL_SIZES]; /* pieces that were given back, by their units */
};

/* A piece of at least `bytes` > 0 bytes, whose contents are undefined. Ends the program if the host
 * has no memory. */
void *pool_take(struct pool *p, size_t bytes);
/* Gives a piece back. bytes: as for pool_take(). */
void pool_give(struct pool *p, void *piece, size_t bytes);
/* Frees all memory of the pool, which is as zeroed then. */
void pool_drop(struct pool *p);

#endif
