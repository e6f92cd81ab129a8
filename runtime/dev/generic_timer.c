/*
 * A timer of the Arm generic timer: compares the system counter with the timer's compare value.
 *
 * Bounds      one event, at the first time at which the comparison holds; then none
 */
#include "runtime/dev/generic_timer.h"

static void on_deadline(void *opaque)
{
    generic_timer_update(opaque);
}

void generic_timer_init(struct generic_timer *t, struct clock *clock, uint64_t hz,
                        struct irq_line irq)
{
    *t = (struct generic_timer){.clock = clock, .hz = hz, .irq = irq};
    event_init(&t->event, on_deadline, t);
}

void generic_timer_reset(struct generic_timer *t)
{
    t->cval = 0;
    t->offset = 0;
    t->ctl = 0;
    generic_timer_update(t);
}

uint64_t generic_timer_count(const struct generic_timer *t)
{
    return clock_ns_to_ticks(clock_now(t->clock), t->hz) - t->offset;
}

static bool is_condition_met(const struct generic_timer *t)
{
    return generic_timer_count(t) >= t->cval;
}

/*
 * The time at which the condition next becomes true. The counter less the offset may wrap around
 * before it reaches cval; only a counter that runs for centuries would, so that is never.
 */
static uint64_t next_deadline(const struct generic_timer *t)
{
    uint64_t target = t->cval + t->offset;

    if (target < t->cval && t->offset <= clock_ns_to_ticks(clock_now(t->clock), t->hz))
        return CLOCK_NEVER;
    return clock_ticks_to_ns(target, t->hz);
}

void generic_timer_update(struct generic_timer *t)
{
    bool enabled = t->ctl & GENERIC_TIMER_ENABLE;
    bool met = enabled && is_condition_met(t);

    irq_set(&t->irq, met && !(t->ctl & GENERIC_TIMER_IMASK));
    if (enabled && !met)
        clock_add(t->clock, &t->event, next_deadline(t));
    else
        clock_cancel(t->clock, &t->event);
}

uint32_t generic_timer_ctl(const struct generic_timer *t)
{
    bool met = t->ctl & GENERIC_TIMER_ENABLE && is_condition_met(t);

    return t->ctl | (met ? GENERIC_TIMER_ISTATUS : 0);
}

void generic_timer_set_ctl(struct generic_timer *t, uint32_t value)
{
    t->ctl = value & (GENERIC_TIMER_ENABLE | GENERIC_TIMER_IMASK);
    generic_timer_update(t);
}

void generic_timer_set_cval(struct generic_timer *t, uint64_t value)
{
    t->cval = value;
    generic_timer_update(t);
}

void generic_timer_set_offset(struct generic_timer *t, uint64_t value)
{
    t->offset = value;
    generic_timer_update(t);
}

uint32_t generic_timer_tval(const struct generic_timer *t)
{
    return (uint32_t)(t->cval - generic_timer_count(t));
}

void generic_timer_set_tval(struct generic_timer *t, uint32_t value)
{
    t->cval = generic_timer_count(t) + (uint64_t)(int64_t)(int32_t)value;
    generic_timer_update(t);
}
