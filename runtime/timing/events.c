/* The parts of the event queue that are not inline: the heap of far events, and growth. */
#include "runtime/timing/events.h"

void timing_events_release(struct timing_events *h)
{
    vec_free(&h->link);
    vec_free(&h->far_heap);
}

void timing_events_grow(struct timing_events *h, uint32_t what)
{
    while (h->link.len <= what)
        vec_push(&h->link, (struct timing_event_link){{0}, 0});
}

/* The caller guarantees that the last event of the list is later. */
void timing_events_insert(struct timing_events *h, unsigned list, uint32_t what)
{
    struct timing_event_link *all = h->link.data;
    uint32_t *at = &h->first[list];

    while (all[*at].entry.time <= all[what].entry.time)
        at = &all[*at].next;
    all[what].next = *at;
    *at = what;
}

void timing_events_push_far(struct timing_events *h, struct timing_event_entry e)
{
    size_t i = h->far_heap.len;

    vec_push(&h->far_heap, e);
    for (; i && timing_before(&e, &h->far_heap.data[(i - 1) / 2]); i = (i - 1) / 2)
        h->far_heap.data[i] = h->far_heap.data[(i - 1) / 2];
    h->far_heap.data[i] = e;
}

void timing_events_take_far(struct timing_events *h, struct timing_event_entry *out)
{
    struct timing_event_entry *a = h->far_heap.data, e = a[--h->far_heap.len];
    size_t i = 0, n = h->far_heap.len;

    *out = a[0];
    h->cycle = out->time / TIMING_TICKS;
    for (size_t child = 1; child < n; child = 2 * i + 1) {
        child += child + 1 < n && timing_before(&a[child + 1], &a[child]);
        if (!timing_before(&a[child], &e))
            break;
        a[i] = a[child];
        i = child;
    }
    a[i] = e;
}
