/*
 * A cache of the detailed model, with the arrival time and dirtiness of each line. Sets are
 * replaced by LRU; without ways there is one set of all lines. The number of lines on their way is
 * limited.
 */
#ifndef RUNTIME_TIMING_FILLS_H
#define RUNTIME_TIMING_FILLS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/timing/cache.h"

struct timing_fill {
    uint64_t line;  /* number of the line plus 1; 0: empty */
    uint64_t ready; /* ticks at which the line arrives */
    uint64_t used;  /* number of its last touch */
    bool dirty;
    uint8_t from; /* enum timing_cause: the level that it came from */
};

struct timing_fills {
    struct timing_cache all; /* finds a line's entry; has a single set */
    struct timing_fill *fills;
    uint32_t room;
    uint32_t sets, ways; /* 0: one set */
    uint64_t touches, hits, misses;
    uint64_t *waiting; /* ticks until which each line on its way occupies its place */
    unsigned capacity; /* number of places; 0: unlimited */
};

/* Makes an empty cache; ways 0: one set of all lines, places 0: unlimited. */
void timing_fills_init(struct timing_fills *f, uint32_t lines, uint32_t ways, unsigned places);
void timing_fills_release(struct timing_fills *f);

/* Touches a line and returns its entry, which is new (dirty false) if *hit is false. *written: a
 * dirty line was evicted, *left. NULL: the cache has no lines. */
struct timing_fill *timing_fills_touch(struct timing_fills *f, uint64_t line, bool *hit,
                                       bool *written, uint64_t *left);

/* The time from which a line that misses at `now` can be requested. timing_fills_keep() sets how
 * long its place is occupied. */
uint64_t timing_fills_place(const struct timing_fills *f, uint64_t now, unsigned *place);
void timing_fills_keep(struct timing_fills *f, unsigned place, uint64_t until);

#endif
