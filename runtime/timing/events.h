/*
 * A queue of events by time; events of equal time keep the order of their insertion. Nearly all
 * events are a few cycles ahead. These are in a wheel of sorted lists, one per cycle; the others
 * are in a heap. Each subject has at most one event, found by its number. No event is inserted
 * before the time of the last one taken.
 */
#ifndef RUNTIME_TIMING_EVENTS_H
#define RUNTIME_TIMING_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vec.h"
#include "runtime/timing/params.h"

enum { TIMING_WHEEL = 1024, TIMING_WHEEL_WORDS = TIMING_WHEEL / 64 };

struct timing_event_entry {
    uint64_t time;
    uint32_t order, warp;
};

/* An event in the wheel. */
struct timing_event_link {
    struct timing_event_entry entry;
    uint32_t next; /* next subject in the list */
};

struct timing_events {
    /* cycle of the last event taken; the wheel's lists are for this cycle and the following ones */
    uint64_t cycle;
    /* bit c: the list of the cycles that are c modulo TIMING_WHEEL has events */
    uint64_t used[TIMING_WHEEL_WORDS];
    uint32_t first[TIMING_WHEEL], last[TIMING_WHEEL];
    VEC(struct timing_event_link) link;      /* by subject */
    VEC(struct timing_event_entry) far_heap; /* the other events, as a binary heap */
    uint32_t order;
};

/* Frees the queue's memory. */
void timing_events_release(struct timing_events *h);
/* Inserts an event that does not fit into the wheel; timing_events_take_far() takes the next event
 * when it is not in the wheel. */
void timing_events_push_far(struct timing_events *h, struct timing_event_entry e);
void timing_events_take_far(struct timing_events *h, struct timing_event_entry *out);
/* Inserts into a list that has later events. There must be room for one more subject. */
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

/* The first list with events. false: all are empty. */
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

/* The time of the next event. false: there is none. */
static inline bool timing_events_next(const struct timing_events *h, uint64_t *time)
{
    unsigned list;
    bool near = timing_events_near(h, &list);

    *time = near ? h->link.data[h->first[list]].entry.time : UINT64_MAX;
    if (h->far_heap.len && h->far_heap.data[0].time < *time)
        *time = h->far_heap.data[0].time;
    return near || h->far_heap.len;
}

/* Takes the next event. false: there is none. */
static inline bool timing_events_take(struct timing_events *h, struct timing_event_entry *out)
{
    const struct timing_event_link *l;
    unsigned list;

    if (!timing_events_near(h, &list)) {
        if (!h->far_heap.len)
            return false;
        timing_events_take_far(h, out);
        return true;
    }
    l = &h->link.data[h->first[list]];
    if (h->far_heap.len && timing_before(&h->far_heap.data[0], &l->entry)) {
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
