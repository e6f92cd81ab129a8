/*
 * A counter that ticks down from a value and reports when it reaches zero: what SP804 and SP805 are
 * made of. It costs nothing while it runs: its value follows from the virtual clock.
 */
#ifndef RUNTIME_DEV_DOWN_COUNTER_H
#define RUNTIME_DEV_DOWN_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/time/clock.h"

/* The part that a snapshot holds. */
struct down_counter_state {
    uint64_t value; /* at tick `start`, or while stopped */
    uint64_t start;
    uint32_t divider; /* input ticks for one count, > 0 */
    uint32_t running;
};

struct down_counter {
    struct down_counter_state s;
    struct clock *clock;
    uint64_t hz;
    void (*zero)(void *opaque);
    void *opaque;
    struct event event;
};

/*
 * Prepares a counter that stands at 0. `zero` is called at the virtual time at which it reaches
 * zero; the counter has stopped then, at 0, and the callback may start it again from a value that
 * is not 0.
 */
void down_counter_init(struct down_counter *c, struct clock *clock, uint64_t hz,
                       void (*zero)(void *opaque), void *opaque);

/* The present value. */
uint64_t down_counter_value(const struct down_counter *c);

/* Counts down from `value` (from 0: `zero` is called at the clock's next step). */
void down_counter_start(struct down_counter *c, uint64_t value);

/* Stops at the present value. */
void down_counter_stop(struct down_counter *c);

/* Input ticks per count; a running counter continues from its value. */
void down_counter_set_divider(struct down_counter *c, uint32_t divider);

/* Plans the event again after `s` was loaded with any content. */
void down_counter_post_load(struct down_counter *c);

#endif
