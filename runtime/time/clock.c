/* The virtual clock: a heap of events, and work that other threads post. */
#include "runtime/time/clock.h"

#include "runtime/base/alloc.h"

#include <stdlib.h>
#include <time.h>

struct clock_posted {
    struct clock_posted *next;
    void (*fn)(void *opaque);
    void *opaque;
};

void clock_init(struct clock *clock)
{
    pthread_condattr_t attr;

    *clock = (struct clock){0};
    clock->posted_tail = &clock->posted;
    pthread_mutex_init(&clock->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&clock->wake, &attr);
    pthread_condattr_destroy(&attr);
}

void clock_free(struct clock *clock)
{
    clock_restore(clock, 0);
    vec_free(&clock->heap);
    while (clock->posted) {
        struct clock_posted *next = clock->posted->next;

        free(clock->posted);
        clock->posted = next;
    }
    clock->posted_tail = &clock->posted;
    pthread_cond_destroy(&clock->wake);
    pthread_mutex_destroy(&clock->lock);
}

void clock_set_offset_fn(struct clock *clock, uint64_t (*fn)(void *opaque), void *opaque)
{
    clock->offset_fn = fn;
    clock->offset_opaque = opaque;
}

void clock_set_sooner_fn(struct clock *clock, void (*fn)(void *opaque, uint64_t when), void *opaque)
{
    clock->sooner_fn = fn;
    clock->sooner_opaque = opaque;
}

void event_init(struct event *event, void (*fn)(void *opaque), void *opaque)
{
    *event = (struct event){.fn = fn, .opaque = opaque};
}

/* ---- the binary heap; slot i has its children at 2i + 1 and 2i + 2 --------------------------- */

static bool is_earlier(const struct event *a, const struct event *b)
{
    return a->when < b->when || (a->when == b->when && a->seq < b->seq);
}

static void set_slot(struct clock *clock, size_t i, struct event *event)
{
    clock->heap.data[i] = event;
    event->slot = i + 1;
}

static void sift_up(struct clock *clock, size_t i, struct event *event)
{
    while (i && is_earlier(event, clock->heap.data[(i - 1) / 2])) {
        set_slot(clock, i, clock->heap.data[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    set_slot(clock, i, event);
}

static void sift_down(struct clock *clock, size_t i, struct event *event)
{
    for (;;) {
        size_t child = 2 * i + 1;

        if (child + 1 < clock->heap.len &&
            is_earlier(clock->heap.data[child + 1], clock->heap.data[child]))
            child++;
        if (child >= clock->heap.len || !is_earlier(clock->heap.data[child], event))
            break;
        set_slot(clock, i, clock->heap.data[child]);
        i = child;
    }
    set_slot(clock, i, event);
}

void clock_cancel(struct clock *clock, struct event *event)
{
    size_t i = event->slot;
    struct event *moved;

    if (!i)
        return;
    event->slot = 0;
    moved = clock->heap.data[--clock->heap.len];
    if (moved == event)
        return;
    i--;
    if (i && is_earlier(moved, clock->heap.data[(i - 1) / 2]))
        sift_up(clock, i, moved);
    else
        sift_down(clock, i, moved);
}

void clock_add(struct clock *clock, struct event *event, uint64_t when)
{
    if (clock->firing && when <= clock->now)
        when = clock->now + 1;
    if (event->slot && event->when == when)
        return;
    clock_cancel(clock, event);
    if (when == CLOCK_NEVER)
        return;
    event->when = when;
    event->seq = clock->seq++;
    vec_push(&clock->heap, event);
    sift_up(clock, clock->heap.len - 1, event);
    if (clock->heap.data[0] == event && clock->sooner_fn)
        clock->sooner_fn(clock->sooner_opaque, when);
}

void clock_advance_to(struct clock *clock, uint64_t when)
{
    while (clock->heap.len) {
        struct event *event = clock->heap.data[0];

        if (event->when > when && event->when > clock->now)
            break;
        if (event->when > clock->now)
            clock->now = event->when;
        clock_cancel(clock, event);
        clock->firing = true;
        event->fn(event->opaque);
        clock->firing = false;
    }
    if (when > clock->now)
        clock->now = when;
}

static int compare_events(const void *a, const void *b)
{
    const struct event *x = *(struct event *const *)a, *y = *(struct event *const *)b;

    return is_earlier(x, y) ? -1 : 1;
}

struct event **clock_list(const struct clock *clock)
{
    size_t count = clock->heap.len;
    struct event **list = xcalloc(count + 1, sizeof(*list));

    for (size_t i = 0; i < count; i++)
        list[i] = clock->heap.data[i];
    qsort(list, count, sizeof(*list), compare_events);
    return list;
}

void clock_restore(struct clock *clock, uint64_t now)
{
    for (size_t i = 0; i < clock->heap.len; i++)
        clock->heap.data[i]->slot = 0;
    clock->heap.len = 0;
    clock->now = now;
}

/* ---- work from other threads ----------------------------------------------------------------- */

/* Called under the lock. Atomic, since clock_run_posted() reads the count without the lock. */
static void count_posted(struct clock *clock, size_t count)
{
    __atomic_store_n(&clock->posted_count, count, __ATOMIC_RELAXED);
}

void clock_post(struct clock *clock, void (*fn)(void *opaque), void *opaque)
{
    struct clock_posted *p = xcalloc(1, sizeof(*p));

    p->fn = fn;
    p->opaque = opaque;
    pthread_mutex_lock(&clock->lock);
    *clock->posted_tail = p;
    clock->posted_tail = &p->next;
    count_posted(clock, clock->posted_count + 1);
    pthread_cond_signal(&clock->wake);
    pthread_mutex_unlock(&clock->lock);
}

void clock_unpost(struct clock *clock, const void *opaque)
{
    struct clock_posted **link = &clock->posted;

    pthread_mutex_lock(&clock->lock);
    while (*link) {
        struct clock_posted *p = *link;

        if (p->opaque == opaque) {
            *link = p->next;
            count_posted(clock, clock->posted_count - 1);
            free(p);
        } else {
            link = &p->next;
        }
    }
    clock->posted_tail = link;
    pthread_mutex_unlock(&clock->lock);
}

/* Removes the oldest posted work from the list; NULL: there is none. */
static struct clock_posted *take_posted(struct clock *clock)
{
    struct clock_posted *p;

    pthread_mutex_lock(&clock->lock);
    p = clock->posted;
    if (p) {
        clock->posted = p->next;
        count_posted(clock, clock->posted_count - 1);
        if (!clock->posted)
            clock->posted_tail = &clock->posted;
    }
    pthread_mutex_unlock(&clock->lock);
    return p;
}

bool clock_run_posted(struct clock *clock)
{
    /* Read without the lock: work that it misses is run in the next turn. */
    size_t count = __atomic_load_n(&clock->posted_count, __ATOMIC_RELAXED);
    struct clock_posted *p;
    bool any = false;

    while (count-- && (p = take_posted(clock))) {
        void (*fn)(void *opaque) = p->fn;
        void *opaque = p->opaque;

        free(p);
        fn(opaque);
        any = true;
    }
    return any;
}

bool clock_wait_posted(struct clock *clock, uint64_t timeout_ns)
{
    struct timespec until;
    bool any;
    int rc = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    if (timeout_ns != CLOCK_NEVER) {
        uint64_t ns = (uint64_t)until.tv_nsec + timeout_ns % NS_PER_SEC;

        until.tv_sec += (time_t)(timeout_ns / NS_PER_SEC + ns / NS_PER_SEC);
        until.tv_nsec = (long)(ns % NS_PER_SEC);
    }
    pthread_mutex_lock(&clock->lock);
    while (!clock->posted && !rc) {
        if (timeout_ns == CLOCK_NEVER)
            rc = pthread_cond_wait(&clock->wake, &clock->lock);
        else
            rc = pthread_cond_timedwait(&clock->wake, &clock->lock, &until);
    }
    any = clock->posted != NULL;
    pthread_mutex_unlock(&clock->lock);
    return any;
}
