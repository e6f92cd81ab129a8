/* A set-associative cache with LRU replacement. */
#include "runtime/timing/sets.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"

void timing_sets_init(struct timing_sets *c, uint32_t sets, uint32_t ways)
{
    size_t bytes = (size_t)sets * ways * sizeof(*c->lines);

    *c = (struct timing_sets){.sets = sets, .ways = ways};
    c->lines = xcalloc((size_t)sets * ways, sizeof(*c->lines));
    memset(c->lines, 0xff, bytes);
}

void timing_sets_release(struct timing_sets *c)
{
    free(c->lines);
    *c = (struct timing_sets){0};
}

bool timing_sets_touch(struct timing_sets *c, uint64_t line)
{
    uint64_t *set = c->lines + line % c->sets * c->ways;
    uint32_t way = 0;
    bool there;

    while (way < c->ways && set[way] != line)
        way++;
    there = way < c->ways;
    if (way) {
        memmove(set + 1, set, (there ? way : way - 1) * sizeof(*set));
        set[0] = line;
    }
    *(there ? &c->hits : &c->misses) += 1;
    return there;
}
