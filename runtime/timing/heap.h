/* Events by time, those of one time in the order they were made. */
#ifndef RUNTIME_TIMING_HEAP_H
#define RUNTIME_TIMING_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/vec.h"

struct timing_event_entry {
    uint64_t time;
    uint32_t order, what;
};

struct timing_heap {
    VEC(struct timing_event_entry) at;
    uint32_t order;
    bool hole; /* the first one was taken: what comes next may take its place */
};

static inline bool timing_before(const struct timing_event_entry *a,
                                 const struct timing_event_entry *b)
{
    return a->time < b->time || (a->time == b->time && (int32_t)(a->order - b->order) < 0);
}

/* Puts an entry in the first place and lets it sink: four below each. */
static inline void timing_heap_sink(struct timing_heap *h, struct timing_event_entry e)
{
    struct timing_event_entry *a = h->at.data;
    size_t i = 0, n = h->at.len;

    for (;;) {
        size_t child = 4 * i + 1, least = child;

        if (child >= n)
            break;
        for (size_t k = child + 1; k < child + 4 && k < n; k++)
            if (timing_before(&a[k], &a[least]))
                least = k;
        if (!timing_before(&a[least], &e))
            break;
        a[i] = a[least];
        i = least;
    }
    a[i] = e;
}

static inline void timing_heap_push(struct timing_heap *h, uint64_t time, uint32_t what)
{
    struct timing_event_entry e = {time, h->order++, what};
    size_t i = h->at.len;

    if (h->hole) {
        h->hole = false;
        timing_heap_sink(h, e);
        return;
    }
    vec_push(&h->at, e);
    for (; i && timing_before(&e, &h->at.data[(i - 1) / 4]); i = (i - 1) / 4)
        h->at.data[i] = h->at.data[(i - 1) / 4];
    h->at.data[i] = e;
}

/* Takes the next event; false: there is none. */
static inline bool timing_heap_take(struct timing_heap *h, struct timing_event_entry *out)
{
    if (h->hole) {
        struct timing_event_entry last = h->at.data[--h->at.len];

        h->hole = false;
        if (h->at.len)
            timing_heap_sink(h, last);
    }
    if (!h->at.len)
        return false;
    *out = h->at.data[0];
    h->hole = true;
    return true;
}

#endif
