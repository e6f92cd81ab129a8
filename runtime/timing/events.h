/*
 * What happens when: events by time, those of one time in the order they were made. Nearly all are a few cycles
 * ahead: they stand in a wheel of lists, one a cycle, each in order; the others in a heap. Each thing has one event
 * at most, which is found by its number, and none is made for a time before the one that was taken last.
 */
#ifndef RUNTIME_TIMING_EVENTS_H
#define RUNTIME_TIMING_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/vec.h"
#include "runtime/timing/params.h"

enum { TIMING_WHEEL = 1024, TIMING_WHEEL_WORDS = TIMING_WHEEL / 64 };

struct timing_event_entry {
    uint64_t time;
    uint32_t order, what;
};

/* One in the wheel. */
struct timing_event_link {
    struct timing_event_entry entry;
    uint32_t next; /* of its list: by what it is of */
};

struct timing_events {
    uint64_t
        cycle; /* of the event that was taken last: the wheel's lists are of this one and those behind it */
    uint64_t used[TIMING_WHEEL_WORDS]; /* bit a list: it has events */
    uint32_t first[TIMING_WHEEL], last[TIMING_WHEEL];
    VEC(struct timing_event_link) link; /* by what it is of */
    VEC(struct timing_event_entry) far; /* a heap */
    uint32_t order;
};

void timing_events_release(struct timing_events *h);
/* What does not fit into the wheel; and the next event of all, which is not in it. */
void timing_events_push_far(struct timing_events *h, struct timing_event_entry e);
void timing_events_take_far(struct timing_events *h, struct timing_event_entry *out);
/* Into a list that has later events, and room for one more thing. */
void timing_events_insert(struct timing_events *h, unsigned list, uint32_t what);
void timing_events_grow(struct timing_events *h, uint32_t what);

static inline bool timing_before(const struct timing_event_entry *a,
                                 const struct timing_event_entry *b)
{
    return a->time < b->time || (a->time == b->time && (int32_t)(a->order - b->order) < 0);
}

static inline void timing_events_push(struct timing_events *h, uint64_t time, uint32_t what)
{
    struct timing_event_entry e = {time, h->order++, what};
    uint64_t cycle = time / TIMING_TICKS;
    unsigned list = cycle % TIMING_WHEEL;
    uint64_t *used = &h->used[list / 64], bit = UINT64_C(1) << list % 64;

    if (cycle - h->cycle >= TIMING_WHEEL) {
        timing_events_push_far(h, e);
        return;
    }
    if (what >= h->link.len)
        timing_events_grow(h, what);
    h->link.data[what].entry = e;
    if (!(*used & bit)) {
        *used |= bit;
        h->first[list] = h->last[list] = what;
    } else if (h->link.data[h->last[list]].entry.time <= time) {
        h->link.data[h->last[list]].next = what;
        h->last[list] = what;
    } else {
        timing_events_insert(h, list, what);
    }
}

/* The first list that has events; false: none has. */
static inline bool timing_events_near(const struct timing_events *h, unsigned *list)
{
    unsigned begin = h->cycle % TIMING_WHEEL, word = begin / 64;
    uint64_t bits = h->used[word] & UINT64_MAX << begin % 64;

    for (unsigned i = 0; !bits && i < TIMING_WHEEL_WORDS; i++) {
        word = (word + 1) % TIMING_WHEEL_WORDS;
        bits = h->used[word];
    }
    *list = bits ? word * 64 + (unsigned)__builtin_ctzll(bits) : 0;
    return bits;
}

/* Takes the next event; false: there is none. */
static inline bool timing_events_take(struct timing_events *h, struct timing_event_entry *out)
{
    const struct timing_event_link *l;
    unsigned list;

    if (!timing_events_near(h, &list)) {
        if (!h->far.len)
            return false;
        timing_events_take_far(h, out);
        return true;
    }
    l = &h->link.data[h->first[list]];
    if (h->far.len && timing_before(&h->far.data[0], &l->entry)) {
        timing_events_take_far(h, out);
        return true;
    }
    *out = l->entry;
    h->cycle = out->time / TIMING_TICKS;
    if (h->first[list] == h->last[list])
        h->used[list / 64] &= ~(UINT64_C(1) << list % 64);
    else
        h->first[list] = l->next;
    return true;
}

#endif
