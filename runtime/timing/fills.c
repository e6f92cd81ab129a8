/*
 * Lines of a cache of the detailed model, with sets, replacement, and places of lines on their way.
 */
#include "runtime/timing/fills.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"

void timing_fills_init(struct timing_fills *f, uint32_t lines, uint32_t ways, unsigned places)
{
    *f = (struct timing_fills){.capacity = places};
    if (ways && lines && ways < lines && lines != TIMING_CACHE_INFINITE) {
        f->ways = ways;
        f->sets = lines / ways;
        f->room = f->sets * ways;
        f->fills = xcalloc(f->room, sizeof(*f->fills));
    } else {
        timing_cache_init(&f->all, lines);
    }
    if (places)
        f->waiting = xcalloc(places, sizeof(*f->waiting));
}

void timing_fills_release(struct timing_fills *f)
{
    timing_cache_release(&f->all);
    free(f->fills);
    free(f->waiting);
}

/* ---- places of lines ------------------------------------------------------------------------- */

/* Finds a line in its set: its entry, or the entry to be replaced. */
static struct timing_fill *find_in_set(const struct timing_fills *f, uint64_t line, bool *hit)
{
    struct timing_fill *set = &f->fills[line % f->sets * f->ways], *oldest = set;

    for (uint32_t i = 0; i < f->ways; i++) {
        if (set[i].line == line + 1) {
            *hit = true;
            return &set[i];
        }
        if (set[i].used < oldest->used)
            oldest = &set[i];
    }
    *hit = false;
    return oldest;
}

/* Finds a line in the single set of all lines. */
static struct timing_fill *find_in_all(struct timing_fills *f, uint64_t line, bool *hit)
{
    uint32_t before = f->room;

    *hit = timing_cache_touch(&f->all, line);
    if (!f->all.capacity)
        return NULL;
    if (f->all.room > before) {
        f->room = f->all.room;
        f->fills = xrealloc(f->fills, f->room, sizeof(*f->fills));
        memset(f->fills + before, 0, (f->room - before) * sizeof(*f->fills));
    }
    return &f->fills[f->all.newest];
}

struct timing_fill *timing_fills_touch(struct timing_fills *f, uint64_t line, bool *hit,
                                       bool *written, uint64_t *left)
{
    struct timing_fill *it = f->sets ? find_in_set(f, line, hit) : find_in_all(f, line, hit);

    *written = false;
    f->hits += *hit;
    f->misses += !*hit;
    if (!it)
        return NULL;
    it->used = ++f->touches;
    if (*hit)
        return it;
    *written = it->line && it->dirty;
    *left = it->line - 1;
    it->line = line + 1;
    it->dirty = false;
    return it;
}

/* ---- lines on their way ---------------------------------------------------------------------- */

uint64_t timing_fills_place(const struct timing_fills *f, uint64_t now, unsigned *place)
{
    *place = 0;
    for (unsigned i = 0; i < f->capacity; i++) {
        if (f->waiting[i] <= now) {
            *place = i;
            return now;
        }
        if (f->waiting[i] < f->waiting[*place])
            *place = i;
    }
    return f->capacity && f->waiting[*place] > now ? f->waiting[*place] : now;
}

void timing_fills_keep(struct timing_fills *f, unsigned place, uint64_t until)
{
    if (f->capacity)
        f->waiting[place] = until;
}
