/*
 * The virtual clock of a machine: nanoseconds since power-on, and a queue of events.
 *
 * The machine loop advances the clock. Each turn it
 *   1. calls clock_run_posted() (completions from host threads),
 *   2. runs CPUs no further than clock_next(),
 *   3. calls clock_advance_to() with the time reached. While a CPU executes, `now` does not change.
 *      clock_now() adds the running CPU's progress, from the hook of clock_set_offset_fn(), so that
 *      reads of counters and writes of timers inside of a turn are exact.
 *
 * All functions but clock_post() and clock_wait_posted() belong to the machine's thread.
 */
#ifndef RUNTIME_TIME_CLOCK_H
#define RUNTIME_TIME_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"

#define CLOCK_NEVER UINT64_MAX
#define NS_PER_SEC  UINT64_C(1000000000)

/*
 * A call of a function at a virtual time. The owner embeds the event, calls event_init() once and
 * must cancel it before freeing its memory. Events are not saved: the owner saves its deadline and
 * adds the event again after a load.
 */
struct event {
    uint64_t when; /* ns */
    uint64_t seq;  /* orders events of equal times: first added, first run */
    size_t slot;   /* place in the heap plus one; 0: not queued */
    void (*fn)(void *opaque);
    void *opaque;
};

struct clock_posted; /* work handed over by another thread */

struct clock {
    uint64_t now; /* ns, without the running CPU's progress */
    uint64_t seq;
    bool firing; /* an event's function is running */
    VEC(struct event *) heap;
    uint64_t (*offset_fn)(void *opaque);
    void *offset_opaque;
    void (*sooner_fn)(void *opaque, uint64_t when);
    void *sooner_opaque;

    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t wake;
    struct clock_posted *posted, **posted_tail;
    size_t posted_count;
};

/* Makes a clock at time 0 without events. Release with clock_free(). */
void clock_init(struct clock *clock);

/* Releases the queue. Queued events and posted work are dropped. */
void clock_free(struct clock *clock);

/* The virtual time in ns, exact also while a CPU executes. */
static inline uint64_t clock_now(const struct clock *clock)
{
    return clock->now + (clock->offset_fn ? clock->offset_fn(clock->offset_opaque) : 0);
}

/*
 * `fn` returns how many ns the executing CPU is past clock->now (0 when none executes). NULL
 * removes the hook.
 */
void clock_set_offset_fn(struct clock *clock, uint64_t (*fn)(void *opaque), void *opaque);

/*
 * `fn` is called when an added or moved event becomes the earliest, so that the loop can shorten
 * the running CPU's turn to end at `when`. NULL removes the hook.
 */
void clock_set_sooner_fn(struct clock *clock, void (*fn)(void *opaque, uint64_t when),
                         void *opaque);

/* Prepares an event; it is not queued. */
void event_init(struct event *event, void (*fn)(void *opaque), void *opaque);

/* Whether the event is queued. */
static inline bool event_pending(const struct event *event)
{
    return event->slot != 0;
}

/*
 * Queues the event for the time `when`; an event that is already queued is moved. With a time that
 * is not later than now it runs in the next clock_advance_to(). Added by an event's function, it
 * runs at least 1 ns later, so that time advances whatever devices and guests do. CLOCK_NEVER
 * cancels.
 */
void clock_add(struct clock *clock, struct event *event, uint64_t when);

/* Removes the event from the queue; nothing when it is not queued. */
void clock_cancel(struct clock *clock, struct event *event);

/* The time of the earliest event, or CLOCK_NEVER. A time in the past means that it is due. */
static inline uint64_t clock_next(const struct clock *clock)
{
    return clock->heap.len ? clock->heap.data[0]->when : CLOCK_NEVER;
}

/*
 * Moves the clock to `when`, never back, and runs due events in order of time, and of addition for
 * equal times. clock_now() is the event's own time in its function. Events that it adds for a time
 * up to `when` run too: each event at most once per nanosecond.
 */
void clock_advance_to(struct clock *clock, uint64_t when);

/*
 * Sets the clock to a saved time, before devices load their state. Queued events are dropped; each
 * device adds its own again.
 */
void clock_restore(struct clock *clock, uint64_t now);

/* The queued events in the order in which they will run, to be freed. */
struct event **clock_list(const struct clock *clock);

/*
 * Thread-safe: has the machine's thread call `fn(opaque)` in its next clock_run_posted(). First
 * posted, first run. For host I/O (a key, a packet), whose time is not reproducible; deterministic
 * input uses events instead.
 */
void clock_post(struct clock *clock, void (*fn)(void *opaque), void *opaque);

/* Drops posted work with this `opaque`, before its owner is freed. */
void clock_unpost(struct clock *clock, const void *opaque);

/* Runs the work that was posted before the call; true when there was any. */
bool clock_run_posted(struct clock *clock);

/*
 * Sleeps until something is posted, or `timeout_ns` of host time have passed (CLOCK_NEVER: no
 * limit). For loops in which all CPUs wait and no event is queued. True when something was posted.
 */
bool clock_wait_posted(struct clock *clock, uint64_t timeout_ns);

/* Ticks of a clock of `hz` > 0 in `ns`, rounded down; saturates at UINT64_MAX. */
static inline uint64_t clock_ns_to_ticks(uint64_t ns, uint64_t hz)
{
    unsigned __int128 ticks = (unsigned __int128)ns * hz / NS_PER_SEC;

    return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

/*
 * The first ns at which a clock of `hz` has counted `ticks` (rounded up); saturates at CLOCK_NEVER.
 * clock_ns_to_ticks(clock_ticks_to_ns(t, hz), hz) >= t.
 */
static inline uint64_t clock_ticks_to_ns(uint64_t ticks, uint64_t hz)
{
    unsigned __int128 ns = ((unsigned __int128)ticks * NS_PER_SEC + hz - 1) / hz;

    return ns > CLOCK_NEVER ? CLOCK_NEVER : (uint64_t)ns;
}

#endif
