/*
 * SP804 dual timer.
 *
 * Regions     reg[0], 4 KB
 * Interrupts  [0] TIMINT1 and [1] TIMINT2, or [0] alone: TIMINTC, either timer
 * Clocks      [0] timer 1, [1] timer 2 (1 MHz without a clock in the tree)
 * Bounds      an event per timer and tick of its clock; a period of zero counts once
 * Manual      ARM Dual-Timer Module (SP804) TRM, DDI 0271
 */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"
#include "runtime/dev/down_counter.h"

enum {
    TIMER_LOAD = 0x00,
    TIMER_VALUE = 0x04,
    TIMER_CONTROL = 0x08,
    TIMER_INTCLR = 0x0c,
    TIMER_RIS = 0x10,
    TIMER_MIS = 0x14,
    TIMER_BGLOAD = 0x18,
    TIMER_STRIDE = 0x20,
    TIMER_ID = 0xfe0,
};

/* TimerXControl, section 3.3.3 */
#define CONTROL_ONESHOT  0x01u
#define CONTROL_32BIT    0x02u
#define CONTROL_PRESCALE 2 /* bits 3:2 */
#define CONTROL_INTEN    0x20u
#define CONTROL_PERIODIC 0x40u
#define CONTROL_ENABLE   0x80u
#define CONTROL_MASK     0xefu

#define DEFAULT_HZ UINT64_C(1000000)
/* A board may give the 4 KB of registers a larger window, in which they repeat. */
#define PAGE 0x1000u

#define PERIPH_ID UINT64_C(0x141804)

struct timer_state {
    uint32_t load, control, raw;
};

struct sp804;

struct timer {
    struct sp804 *owner;
    unsigned n;
    struct down_counter counter;
};

struct sp804 {
    struct timer_state s[2];
    struct down_counter_state saved[2];

    const struct device_env *env;
    struct device_seen seen;
    struct timer timer[2];
};

static void update_irqs(struct sp804 *dev)
{
    bool level[2];

    for (unsigned n = 0; n < 2; n++) {
        level[n] = dev->s[n].raw && dev->s[n].control & CONTROL_INTEN;
        dev->saved[n] = dev->timer[n].counter.s;
    }
    if (dev->env->irq_count < 2) {
        struct irq_line combined = device_irq(dev->env, 0);

        irq_set(&combined, level[0] || level[1]);
        return;
    }
    for (unsigned n = 0; n < 2; n++)
        irq_set(&dev->env->irq[n], level[n]);
}

static uint64_t size_mask(const struct timer_state *s)
{
    return s->control & CONTROL_32BIT ? UINT32_MAX : UINT16_MAX;
}

/* The counter has reached zero: the next round, by mode. */
static void on_zero(void *opaque)
{
    struct timer *t = opaque;
    struct timer_state *s = &t->owner->s[t->n];
    uint64_t load = s->load & size_mask(s);

    s->raw = 1;
    if (!(s->control & CONTROL_ONESHOT)) {
        if (!(s->control & CONTROL_PERIODIC))
            down_counter_start(&t->counter, size_mask(s) + 1);
        else if (load) /* a period of zero keeps the interrupt asserted */
            down_counter_start(&t->counter, load);
    }
    update_irqs(t->owner);
}

static void restart_counter(struct timer *t, uint64_t value)
{
    struct timer_state *s = &t->owner->s[t->n];

    down_counter_stop(&t->counter);
    t->counter.s.value = value & size_mask(s);
    if (s->control & CONTROL_ENABLE)
        down_counter_start(&t->counter, value & size_mask(s));
}

static void write_control(struct timer *t, uint32_t value)
{
    static const uint32_t dividers[4] = {1, 16, 256, 256};
    struct timer_state *s = &t->owner->s[t->n];
    bool was_on = s->control & CONTROL_ENABLE;

    if ((value >> CONTROL_PRESCALE & 3) == 3)
        device_log_guest(t->owner->env, "prescaler value 3 is undefined; 256 taken");
    s->control = value & CONTROL_MASK;
    down_counter_set_divider(&t->counter, dividers[value >> CONTROL_PRESCALE & 3]);
    if (was_on && !(value & CONTROL_ENABLE))
        down_counter_stop(&t->counter);
    else if (!was_on && value & CONTROL_ENABLE)
        restart_counter(t, down_counter_value(&t->counter));
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct sp804 *dev = opaque;
    unsigned n = (offset &= PAGE - 1) >= TIMER_STRIDE;
    const struct timer_state *s = &dev->s[n];

    (void)size, (void)cpu;
    if (offset >= TIMER_ID)
        return primecell_id(PERIPH_ID, PRIMECELL_CELL_ID, offset);
    switch (offset - n * TIMER_STRIDE) {
    case TIMER_LOAD:
    case TIMER_BGLOAD:
        return s->load;
    case TIMER_VALUE:
        return down_counter_value(&dev->timer[n].counter) & size_mask(s);
    case TIMER_CONTROL:
        return s->control;
    case TIMER_RIS:
        return s->raw;
    case TIMER_MIS:
        return s->raw && s->control & CONTROL_INTEN;
    }
    device_log_unimp(dev->env, &dev->seen, "sp804", offset, false, 0);
    return 0;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct sp804 *dev = opaque;
    unsigned n = (offset &= PAGE - 1) >= TIMER_STRIDE;
    struct timer_state *s = &dev->s[n];

    (void)size, (void)cpu;
    switch (offset - n * TIMER_STRIDE) {
    case TIMER_LOAD:
        s->load = (uint32_t)value;
        restart_counter(&dev->timer[n], value);
        break;
    case TIMER_BGLOAD: /* taken at the next reload */
        s->load = (uint32_t)value;
        break;
    case TIMER_CONTROL:
        write_control(&dev->timer[n], (uint32_t)value);
        break;
    case TIMER_INTCLR:
        s->raw = 0;
        break;
    default:
        device_log_unimp(dev->env, &dev->seen, "sp804", offset, true, value);
    }
    update_irqs(dev);
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

static void reset_sp804(void *opaque)
{
    struct sp804 *dev = opaque;

    for (unsigned n = 0; n < 2; n++) {
        dev->s[n] = (struct timer_state){.control = CONTROL_INTEN};
        down_counter_stop(&dev->timer[n].counter);
        dev->timer[n].counter.s = (struct down_counter_state){.value = UINT32_MAX, .divider = 1};
    }
    update_irqs(dev);
}

static void post_load(void *opaque, struct error *err)
{
    struct sp804 *dev = opaque;

    (void)err;
    for (unsigned n = 0; n < 2; n++) {
        dev->timer[n].counter.s = dev->saved[n];
        down_counter_post_load(&dev->timer[n].counter);
    }
    update_irqs(dev);
}

static void destroy_sp804(void *opaque)
{
    struct sp804 *dev = opaque;

    for (unsigned n = 0; n < 2; n++)
        clock_cancel(dev->env->clock, &dev->timer[n].counter.event);
    free(dev);
}

static void *create_sp804(const struct device_env *env, struct error *err)
{
    struct sp804 *dev = xcalloc(1, sizeof(*dev));

    dev->env = env;
    for (unsigned n = 0; n < 2; n++) {
        struct timer *t = &dev->timer[n];

        t->owner = dev;
        t->n = n;
        down_counter_init(&t->counter, env->clock, device_clock_hz(env, n, DEFAULT_HZ), on_zero, t);
    }
    return device_start(env, 0, &ops, dev, reset_sp804, err);
}

static const char *const compatible[] = {"arm,sp804", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct sp804, s),
    STATE_FIELD(struct sp804, saved),
    STATE_END,
};

const struct device_class sp804_class = {
    .name = "sp804",
    .summary = "SP804 dual timer",
    .compatible = compatible,
    .fields = fields,
    .create = create_sp804,
    .reset = reset_sp804,
    .destroy = destroy_sp804,
    .post_load = post_load,
};
