/*
 * A fully associative cache with LRU replacement, that is, by reuse distance: a line is in it if
 * fewer other lines than the capacity were touched since its last touch. It is a hash table of
 * lines in a list, with constant cost per access.
 */
#ifndef RUNTIME_TIMING_CACHE_H
#define RUNTIME_TIMING_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct timing_cache_line {
    uint64_t line;
    uint32_t newer, older; /* neighbours in the list by age, as numbers of lines */
    uint32_t chain;        /* next line in the bucket */
};

struct timing_cache {
    struct timing_cache_line *lines;
    uint32_t *bucket;
    uint32_t capacity, room, used; /* lines: capacity, allocated, in use */
    uint32_t buckets;              /* a power of two */
    uint32_t newest, oldest;
    uint64_t hits, misses;
};

#define TIMING_CACHE_INFINITE UINT32_MAX
/* Makes an empty cache of `capacity` lines; 0: it never hits; TIMING_CACHE_INFINITE: lines are
 * never evicted. */
void timing_cache_init(struct timing_cache *c, uint32_t capacity);
void timing_cache_release(struct timing_cache *c);
/* Touches a line. Returns whether it was in the cache. */
bool timing_cache_touch(struct timing_cache *c, uint64_t line);

#endif
