/* A set-associative cache with LRU replacement in each set. */
#ifndef RUNTIME_TIMING_SETS_H
#define RUNTIME_TIMING_SETS_H

#include <stdbool.h>
#include <stdint.h>

struct timing_sets {
    uint64_t *lines; /* the ways of each set, most recent first; TIMING_SETS_EMPTY: unused way */
    uint32_t sets, ways;
    uint64_t hits, misses;
};

#define TIMING_SETS_EMPTY UINT64_MAX

/* Makes an empty cache; `sets` and `ways` are at least 1. */
void timing_sets_init(struct timing_sets *c, uint32_t sets, uint32_t ways);
void timing_sets_release(struct timing_sets *c);
/* Touches a line by its number (address / line size). Returns whether it was in the cache. */
bool timing_sets_touch(struct timing_sets *c, uint64_t line);

#endif
