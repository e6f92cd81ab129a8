/* A fully associative LRU cache: a hash table of lines in a list by age. */
#include "runtime/timing/cache.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"

enum { NONE = 0xffffffff, FIRST_ROOM = 64 };

static uint32_t bucket_of(const struct timing_cache *c, uint64_t line)
{
    return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (c->buckets - 1);
}

void timing_cache_init(struct timing_cache *c, uint32_t capacity)
{
    *c = (struct timing_cache){.capacity = capacity, .newest = NONE, .oldest = NONE};
}

void timing_cache_release(struct timing_cache *c)
{
    free(c->lines);
    free(c->bucket);
    *c = (struct timing_cache){0};
}

/* Doubles the room, up to the capacity, and the number of buckets. */
static void grow_table(struct timing_cache *c)
{
    uint32_t room = c->room ? c->room * 2 : FIRST_ROOM;

    c->room = room < c->capacity && room > c->room ? room : c->capacity;
    c->lines = xrealloc(c->lines, c->room, sizeof(*c->lines));
    for (c->buckets = FIRST_ROOM; c->buckets < c->room && c->buckets < 1u << 30;)
        c->buckets *= 2;
    c->bucket = xrealloc(c->bucket, c->buckets, sizeof(*c->bucket));
    memset(c->bucket, 0xff, c->buckets * sizeof(*c->bucket));
    for (uint32_t i = 0; i < c->used; i++) {
        uint32_t *at = &c->bucket[bucket_of(c, c->lines[i].line)];

        c->lines[i].chain = *at;
        *at = i;
    }
}

static void unlink_line(struct timing_cache *c, uint32_t i)
{
    struct timing_cache_line *l = &c->lines[i];

    *(l->newer == NONE ? &c->newest : &c->lines[l->newer].older) = l->older;
    *(l->older == NONE ? &c->oldest : &c->lines[l->older].newer) = l->newer;
}

static void make_newest(struct timing_cache *c, uint32_t i)
{
    c->lines[i].newer = NONE;
    c->lines[i].older = c->newest;
    *(c->newest == NONE ? &c->oldest : &c->lines[c->newest].newer) = i;
    c->newest = i;
}

static void insert_line(struct timing_cache *c, uint32_t i, uint64_t line)
{
    uint32_t *at = &c->bucket[bucket_of(c, line)];

    c->lines[i].line = line;
    c->lines[i].chain = *at;
    *at = i;
    make_newest(c, i);
}

/* Removes the least recently touched line and returns its number. */
static uint32_t evict_oldest(struct timing_cache *c)
{
    uint32_t i = c->oldest;
    uint32_t *at = &c->bucket[bucket_of(c, c->lines[i].line)];

    while (*at != i)
        at = &c->lines[*at].chain;
    *at = c->lines[i].chain;
    unlink_line(c, i);
    return i;
}

bool timing_cache_touch(struct timing_cache *c, uint64_t line)
{
    if (c->newest != NONE && c->lines[c->newest].line == line) {
        c->hits++;
        return true;
    }
    if (c->buckets) {
        for (uint32_t i = c->bucket[bucket_of(c, line)]; i != NONE; i = c->lines[i].chain) {
            if (c->lines[i].line != line)
                continue;
            unlink_line(c, i);
            make_newest(c, i);
            c->hits++;
            return true;
        }
    }
    c->misses++;
    if (!c->capacity)
        return false;
    if (c->used == c->room && c->room < c->capacity)
        grow_table(c);
    insert_line(c, c->used < c->room ? c->used++ : evict_oldest(c), line);
    return false;
}
