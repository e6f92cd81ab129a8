/*
 * A counter that runs down to zero.
 *
 * Bounds      one event, a tick or more after the counter was set
 */
#include "runtime/dev/down_counter.h"

static void reached_zero(void *opaque)
{
    struct down_counter *c = opaque;

    c->s.running = 0;
    c->s.value = 0;
    c->zero(c->opaque);
}

void down_counter_init(struct down_counter *c, struct clock *clock, uint64_t hz,
                       void (*zero)(void *opaque), void *opaque)
{
    *c = (struct down_counter){.clock = clock, .hz = hz, .zero = zero, .opaque = opaque};
    c->s.divider = 1;
    event_init(&c->event, reached_zero, c);
}

/* Counts since power-on at the present divider. */
static uint64_t counts_now(const struct down_counter *c)
{
    return clock_ns_to_ticks(clock_now(c->clock), c->hz) / c->s.divider;
}

uint64_t down_counter_value(const struct down_counter *c)
{
    uint64_t passed;

    if (!c->s.running)
        return c->s.value;
    passed = counts_now(c) - c->s.start;
    return passed < c->s.value ? c->s.value - passed : 0;
}

static void plan_zero(struct down_counter *c)
{
    unsigned __int128 end = ((unsigned __int128)c->s.start + c->s.value) * c->s.divider;

    clock_add(c->clock, &c->event,
              end > UINT64_MAX ? CLOCK_NEVER : clock_ticks_to_ns((uint64_t)end, c->hz));
}

void down_counter_start(struct down_counter *c, uint64_t value)
{
    c->s.value = value;
    c->s.start = counts_now(c);
    c->s.running = 1;
    plan_zero(c);
}

void down_counter_stop(struct down_counter *c)
{
    c->s.value = down_counter_value(c);
    c->s.running = 0;
    clock_cancel(c->clock, &c->event);
}

void down_counter_set_divider(struct down_counter *c, uint32_t divider)
{
    uint64_t value = down_counter_value(c);

    if (divider == c->s.divider)
        return;
    c->s.divider = divider;
    if (c->s.running)
        down_counter_start(c, value);
}

void down_counter_post_load(struct down_counter *c)
{
    if (!c->s.divider)
        c->s.divider = 1;
    if (c->s.running)
        plan_zero(c);
    else
        clock_cancel(c->clock, &c->event);
}
