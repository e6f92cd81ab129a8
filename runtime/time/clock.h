/*
 * The virtual clock of a machine: nanoseconds since power-on, and a queue of events.
 *
 * The machine loop owns advancing. Each turn it
 *   1. calls clock_run_posted() (completions from host threads),
 *   2. runs CPUs no further than clock_next(),
 *   3. calls clock_advance_to() with the time reached.
 * While a CPU executes, `now` stands still and clock_now() adds the running CPU's own progress,
 * which the hook of clock_set_offset_fn() supplies, so that a counter read or a timer write in the
 * middle of a quantum is exact.
 *
 * Everything but clock_post() and clock_wait_posted() belongs to the machine's thread.
 */
#ifndef RUNTIME_TIME_CLOCK_H
#define RUNTIME_TIME_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/vec.h"

#define CLOCK_NEVER UINT64_MAX
#define NS_PER_SEC  UINT64_C(1000000000)

/*
 * Something that happens at a virtual time. The owner embeds it, calls event_init() once and must
 * cancel it before its memory goes away. Hosts no state to save: the owner saves its deadline and
 * adds the event again after a load.
 */
struct event {
    uint64_t when; /* ns */
    uint64_t seq;  /* order of equal times: first added, first run */
    size_t slot;   /* place in the heap plus one; 0: not queued */
    void (*fn)(void *opaque);
    void *opaque;
};

struct clock_posted; /* work handed over by another thread */

struct clock {
    uint64_t now; /* ns, without the running CPU's progress */
    uint64_t seq;
    bool firing; /* an event's function runs */
    VEC(struct event *) heap;
    uint64_t (*offset_fn)(void *opaque);
    void *offset_opaque;
    void (*sooner_fn)(void *opaque, uint64_t when);
    void *sooner_opaque;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;
    struct clock_posted *posted, **posted_tail;
    size_t posted_count;
};

/* Makes a clock that stands at 0 with no events. Release with clock_free(). */
void clock_init(struct clock *clock);

/* Releases the queue; queued events are forgotten, posted work that never ran is dropped. */
void clock_free(struct clock *clock);

/* The virtual time now in ns, exact also in the middle of a CPU's quantum. */
static inline uint64_t clock_now(const struct clock *clock)
{
    return clock->now + (clock->offset_fn ? clock->offset_fn(clock->offset_opaque) : 0);
}

/*
 * `fn` returns how many ns the CPU that is executing has progressed past the time at which the
 * clock stands (0 when none is). NULL removes the hook.
 */
void clock_set_offset_fn(struct clock *clock, uint64_t (*fn)(void *opaque), void *opaque);

/*
 * `fn` is called whenever an event becomes the earliest of all (it was added or moved): the loop
 * shortens the quantum of the running CPU so that it ends at `when`. NULL removes the hook.
 */
void clock_set_sooner_fn(struct clock *clock, void (*fn)(void *opaque, uint64_t when),
                         void *opaque);

/* Prepares an event; it is not queued. */
void event_init(struct event *event, void (*fn)(void *opaque), void *opaque);

static inline bool event_pending(const struct event *event)
{
    return event->slot != 0;
}

/*
 * Queues the event for the time `when`; an event that is queued already is moved. A time that is
 * not later than now runs at the next clock_advance_to(); when an event's function adds it, it runs
 * 1 ns later, so that time goes on whatever devices and those who program them do. CLOCK_NEVER
 * cancels.
 */
void clock_add(struct clock *clock, struct event *event, uint64_t when);

/* Removes the event from the queue; nothing happens when it is not there. */
void clock_cancel(struct clock *clock, struct event *event);

/* The time of the earliest event, or CLOCK_NEVER. It may lie in the past: then it is due now. */
static inline uint64_t clock_next(const struct clock *clock)
{
    return clock->heap.len ? clock->heap.data[0]->when : CLOCK_NEVER;
}

/*
 * Moves the clock to `when` (never back), running due events in the order of their times, equal
 * times in the order in which they were added. Each event sees clock_now() at its own time; events
 * that it adds for a time up to `when` run too, so of each event at most one a nanosecond.
 */
void clock_advance_to(struct clock *clock, uint64_t when);

/*
 * Sets the clock to a saved time, before devices load their state: events that are queued are
 * forgotten, each device adds its own again.
 */
void clock_restore(struct clock *clock, uint64_t now);

/*
 * Thread-safe: hands `fn(opaque)` to the machine's thread, which runs it at its next
 * clock_run_posted(). First posted, first run. For host I/O (a key, a packet), whose time no run
 * repeats; deterministic input comes as ordinary events instead.
 */
void clock_post(struct clock *clock, void (*fn)(void *opaque), void *opaque);

/* Forgets posted work with this `opaque`: its owner goes away. */
void clock_unpost(struct clock *clock, const void *opaque);

/* Runs what was posted before the call, no more; true when there was anything. */
bool clock_run_posted(struct clock *clock);

/*
 * Sleeps until something is posted, or `timeout_ns` of host time have passed (CLOCK_NEVER: no
 * limit). For a loop whose CPUs all wait and which has no event. True when something was posted.
 */
bool clock_wait_posted(struct clock *clock, uint64_t timeout_ns);

/* ticks of a clock of `hz` in `ns`, rounded down; saturates at UINT64_MAX. hz > 0. */
static inline uint64_t clock_ns_to_ticks(uint64_t ns, uint64_t hz)
{
    unsigned __int128 ticks = (unsigned __int128)ns * hz / NS_PER_SEC;

    return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

/*
 * The first ns at which a clock of `hz` shows `ticks`, that is rounded up; saturates at
 * CLOCK_NEVER. clock_ns_to_ticks(clock_ticks_to_ns(t, hz), hz) >= t.
 */
static inline uint64_t clock_ticks_to_ns(uint64_t ticks, uint64_t hz)
{
    unsigned __int128 ns = ((unsigned __int128)ticks * NS_PER_SEC + hz - 1) / hz;

    return ns > CLOCK_NEVER ? CLOCK_NEVER : (uint64_t)ns;
}

#endif
