/*
 * A cache by reuse distance: a line is in it if fewer others than it has lines were touched since. That is
 * what a fully associative cache holds which replaces the least recently used line, and so it is kept: a
 * hash table of lines in a list, at constant cost an access.
 */
#ifndef RUNTIME_TIMING_CACHE_H
#define RUNTIME_TIMING_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct timing_cache_line {
    uint64_t line;
    uint32_t newer, older; /* in the list of all, by number */
    uint32_t chain;        /* in its bucket */
};

struct timing_cache {
    struct timing_cache_line *lines;
    uint32_t *bucket;
    uint32_t capacity, room, used; /* lines: most, allocated, in use */
    uint32_t buckets;              /* a power of two */
    uint32_t newest, oldest;
    uint64_t hits, misses;
};

/* Of so many lines, 0: it has none; TIMING_CACHE_INFINITE: nothing leaves it. */
#define TIMING_CACHE_INFINITE UINT32_MAX
void timing_cache_init(struct timing_cache *c, uint32_t capacity);
void timing_cache_release(struct timing_cache *c);
/* Touches a line; returns whether it was there. */
bool timing_cache_touch(struct timing_cache *c, uint64_t line);

#endif
