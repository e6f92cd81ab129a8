/*
 * One timer of the Arm generic timer architecture: a compare value against the system counter. The
 * per-CPU timers (arch_timer.c) and the memory-mapped ones (arch_timer_mem.c) are made of these.
 * Source: Arm ARM DDI 0487, section D12.2.4 "Timers".
 */
#ifndef RUNTIME_DEV_GENERIC_TIMER_H
#define RUNTIME_DEV_GENERIC_TIMER_H

#include <stdint.h>

#include "runtime/mem/irq.h"
#include "runtime/time/clock.h"

#define GENERIC_TIMER_HZ UINT64_C(50000000) /* without a frequency in the device tree */

#define GENERIC_TIMER_ENABLE  1u
#define GENERIC_TIMER_IMASK   2u
#define GENERIC_TIMER_ISTATUS 4u

struct generic_timer {
    uint64_t cval;   /* state */
    uint64_t offset; /* state: subtracted from the counter (virtual timers) */
    uint32_t ctl;    /* state: ENABLE and IMASK */

    struct clock *clock;
    uint64_t hz;
    struct irq_line irq;
    struct event event; /* when the condition becomes true */
};

/* Prepares a timer that is off; `irq` is copied. */
void generic_timer_init(struct generic_timer *t, struct clock *clock, uint64_t hz,
                        struct irq_line irq);

/* Switches the timer off, with the line low. */
void generic_timer_reset(struct generic_timer *t);

/* Drives the line and plans the event, after any change of state (also after a load). */
void generic_timer_update(struct generic_timer *t);

/* The counter as this timer sees it: counter - offset. */
uint64_t generic_timer_count(const struct generic_timer *t);

/* CTL with ISTATUS. */
uint32_t generic_timer_ctl(const struct generic_timer *t);
void generic_timer_set_ctl(struct generic_timer *t, uint32_t value);
void generic_timer_set_cval(struct generic_timer *t, uint64_t value);
void generic_timer_set_offset(struct generic_timer *t, uint64_t value);

/* TVAL: signed ticks from now until the condition. */
uint32_t generic_timer_tval(const struct generic_timer *t);
void generic_timer_set_tval(struct generic_timer *t, uint32_t value);

#endif
