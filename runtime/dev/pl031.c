/*
 * PL031 real-time clock: seconds since 1970, with an alarm.
 *
 * Regions     reg[0], 4 KB
 * Interrupts  [0] RTCINTR
 * Clocks      1 Hz of virtual time, from device_env.start_time at power-on
 * Bounds      one event, at the next whole second or later
 * Manual      ARM PrimeCell Real Time Clock (PL031) TRM, DDI 0224
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/real_time.h"

enum {
    RTC_DR = 0x00,
    RTC_MR = 0x04,
    RTC_LR = 0x08,
    RTC_CR = 0x0c,
    RTC_IMSC = 0x10,
    RTC_RIS = 0x14,
    RTC_MIS = 0x18,
    RTC_ICR = 0x1c,
    RTC_ID = 0xfe0,
};

/* A board may give the 4 KB of registers a larger window, in which they repeat. */
#define PAGE 0x1000u

#define PERIPH_ID UINT64_C(0x041031)

struct pl031 {
    struct real_time time;
    uint32_t load, match, mask, raw, on;

    const struct device_env *env;
    struct device_seen seen;
};

/* The counter, which wraps around. */
static uint32_t counter_seconds(const struct pl031 *dev)
{
    return (uint32_t)(real_time_now(&dev->time) / NS_PER_SEC);
}

static void update_irq(struct pl031 *dev)
{
    struct irq_line line = device_irq(dev->env, 0);

    irq_set(&line, dev->raw & dev->mask);
}

/* Plans the next second in which the counter equals the match register. */
static void plan_alarm(struct pl031 *dev)
{
    uint32_t ahead = dev->match - counter_seconds(dev);

    if (dev->on && ahead)
        real_time_alarm(&dev->time, (real_time_now(&dev->time) / NS_PER_SEC + ahead) * NS_PER_SEC);
    else
        real_time_no_alarm(&dev->time);
}

static void alarm_due(void *opaque)
{
    struct pl031 *dev = opaque;

    dev->raw = 1;
    update_irq(dev);
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct pl031 *dev = opaque;

    (void)size, (void)cpu;
    offset &= PAGE - 1;
    if (offset >= RTC_ID)
        return primecell_id(PERIPH_ID, PRIMECELL_CELL_ID, offset);
    switch (offset) {
    case RTC_DR:
        return counter_seconds(dev);
    case RTC_MR:
        return dev->match;
    case RTC_LR:
        return dev->load;
    case RTC_CR:
        return dev->on;
    case RTC_IMSC:
        return dev->mask;
    case RTC_RIS:
        return dev->raw;
    case RTC_MIS:
        return dev->raw & dev->mask;
    }
    device_log_unimp(dev->env, &dev->seen, "pl031", offset, false, 0);
    return 0;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct pl031 *dev = opaque;

    (void)size, (void)cpu;
    offset &= PAGE - 1;
    switch (offset) {
    case RTC_MR:
        dev->match = (uint32_t)value;
        plan_alarm(dev);
        break;
    case RTC_LR:
        dev->load = (uint32_t)value;
        real_time_set(&dev->time, dev->load * NS_PER_SEC + real_time_now(&dev->time) % NS_PER_SEC);
        plan_alarm(dev);
        break;
    case RTC_CR: /* once it runs, writes change nothing until a reset: section 3.3.4 */
        dev->on |= value & 1;
        plan_alarm(dev);
        break;
    case RTC_IMSC:
        dev->mask = value & 1;
        break;
    case RTC_ICR:
        dev->raw &= ~(uint32_t)value;
        break;
    default:
        device_log_unimp(dev->env, &dev->seen, "pl031", offset, true, value);
    }
    update_irq(dev);
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

/* The clock continues through a reset, as if it had a battery, and runs from the start. */
static void reset_pl031(void *opaque)
{
    struct pl031 *dev = opaque;

    dev->load = dev->match = dev->mask = dev->raw = 0;
    dev->on = 1;
    plan_alarm(dev);
    update_irq(dev);
}

static void post_load(void *opaque, struct error *err)
{
    struct pl031 *dev = opaque;

    (void)err;
    plan_alarm(dev);
    update_irq(dev);
}

static void destroy_pl031(void *opaque)
{
    struct pl031 *dev = opaque;

    real_time_no_alarm(&dev->time);
    free(dev);
}

static void *create_pl031(const struct device_env *env, struct error *err)
{
    struct pl031 *dev = xcalloc(1, sizeof(*dev));

    dev->env = env;
    real_time_init(&dev->time, env, alarm_due, dev);
    return device_start(env, 0, &ops, dev, reset_pl031, err);
}

static const char *const compatible[] = {"arm,pl031", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct pl031, time.offset),
    STATE_FIELD(struct pl031, load),
    STATE_FIELD(struct pl031, match),
    STATE_FIELD(struct pl031, mask),
    STATE_FIELD(struct pl031, raw),
    STATE_FIELD(struct pl031, on),
    STATE_END,
};

const struct device_class pl031_class = {
    .name = "pl031",
    .summary = "PL031 real-time clock",
    .compatible = compatible,
    .fields = fields,
    .create = create_pl031,
    .reset = reset_pl031,
    .destroy = destroy_pl031,
    .post_load = post_load,
};
