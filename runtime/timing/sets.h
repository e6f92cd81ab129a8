/* A cache as they are built: a line has a place in one set only, and of a set the line leaves that was
 * touched least recently. */
#ifndef RUNTIME_TIMING_SETS_H
#define RUNTIME_TIMING_SETS_H

#include <stdbool.h>
#include <stdint.h>

struct timing_sets {
    uint64_t *lines; /* of each set its ways, the newest first; TIMING_SETS_EMPTY: none there */
    uint32_t sets, ways;
    uint64_t hits, misses;
};

#define TIMING_SETS_EMPTY UINT64_MAX

/* Empty; sets and ways are at least 1. */
void timing_sets_init(struct timing_sets *c, uint32_t sets, uint32_t ways);
void timing_sets_release(struct timing_sets *c);
/* Touches a line, by its number (address / bytes of a line); returns whether it was there. */
bool timing_sets_touch(struct timing_sets *c, uint64_t line);

#endif
