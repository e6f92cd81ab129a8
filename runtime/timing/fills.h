/*
 * A cache with what the detailed model knows of its lines: when each has come, and whether it was written. Lines share
 * sets, of which the one used least recently leaves; without ways there is one set of all. So many lines can be on their
 * way at a time.
 */
#ifndef RUNTIME_TIMING_FILLS_H
#define RUNTIME_TIMING_FILLS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/timing/cache.h"

struct timing_fill {
    uint64_t line;  /* plus 1; 0: nothing */
    uint64_t ready; /* ticks at which it has come */
    uint64_t used;  /* number of the touch */
    bool dirty;
    uint8_t from; /* enum timing_cause: where it came from */
};

struct timing_fills {
    struct timing_cache all; /* one set: finds a line's number */
    struct timing_fill *fills;
    uint32_t room;
    uint32_t sets, ways; /* 0: one set */
    uint64_t touches, hits, misses;
    uint64_t *waiting; /* until when each of those on their way takes a place */
    unsigned places;   /* 0: any number */
};

void timing_fills_init(struct timing_fills *f, uint32_t lines, uint32_t ways, unsigned places);
void timing_fills_release(struct timing_fills *f);

/* Touches a line: its entry, which is the new line's (dirty false) if *hit is false. *written: a dirty one had to leave, and
 * which. NULL: the cache has no lines. */
struct timing_fill *timing_fills_touch(struct timing_fills *f, uint64_t line, bool *hit,
                                       bool *written, uint64_t *left);

/* When a line can be asked for that is missed at `now`; the place is taken until timing_fills_keep() says how long. */
uint64_t timing_fills_place(const struct timing_fills *f, uint64_t now, unsigned *place);
void timing_fills_keep(struct timing_fills *f, unsigned place, uint64_t until);

#endif
