/*
 * Loads that begin an update: a work-item loads a word, computes another, and replaces the one by
 * the other with a compare-and-exchange, which fails if the word is no longer the same. Such a load
 * may race with atomic operations. A load is taken for one if the same work-item's atomic operation
 * on the address follows soon.
 *
 * Bounds      the last LOADS loads of each lane are remembered
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/check/internal.h"

enum { LOADS = 4 };

struct lane {
    uint64_t address[LOADS];
    uint32_t bundle[LOADS];
    unsigned next;
};

static void remember_load(struct lane *l, uint64_t address, uint32_t bundle)
{
    l->address[l->next % LOADS] = address;
    l->bundle[l->next % LOADS] = bundle;
    l->next++;
}

static void mark_loads(struct check *c, const struct lane *l, uint64_t address)
{
    for (unsigned i = 0; i < LOADS && i < l->next; i++)
        if (l->address[i] == address)
            c->begins_update[l->bundle[i]] = true;
}

static void follow_touch(struct check *c, struct lane *lanes, const struct timing_touch *t,
                         uint32_t bundle)
{
    bool atomic = check_is_atomic(t->access);

    if (!atomic && check_is_store(t->access))
        return;
    for (uint32_t left = t->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = timing_touch_at(t, lane);

        if (atomic)
            mark_loads(c, &lanes[lane], address);
        else
            remember_load(&lanes[lane], address, bundle);
    }
}

void check_updates_begin(struct check *c)
{
    struct lane lanes[TIMING_ROW_LANES];

    c->begins_update = xcalloc(c->trace->bundles.len + 1, sizeof(*c->begins_update));
    for (size_t g = 0; c->has_atomics && g < c->group_count; g++)
        for (unsigned i = 0; i < c->trace->groups.data[g].row_count; i++) {
            struct check_row_reader r;

            memset(lanes, 0, sizeof(lanes));
            check_row_begin(&r, c->trace, &c->trace->groups.data[g].rows[i]);
            while (check_row_next(&r))
                follow_touch(c, lanes, &r.touch, r.cursor.first);
        }
}

void check_updates_end(struct check *c)
{
    free(c->begins_update);
    c->begins_update = NULL;
}
