/*
 * Goldfish real-time clock: nanoseconds since 1970, with an alarm.
 *
 * Regions     reg[0], 4 KB
 * Interrupts  [0] the alarm
 * Clocks      virtual time, from device_env.start_time at power-on
 * Bounds      one event, at the alarm's time, which fires once
 * Manual      Android Open Source Project, platform/external/qemu,
 *             docs/GOLDFISH-VIRTUAL-HARDWARE.TXT, chapter "Goldfish timer"; later registers: Linux
 *             drivers/rtc/rtc-goldfish.c
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/real_time.h"

enum {
    RTC_TIME_LOW = 0x00, /* a read keeps the upper half for RTC_TIME_HIGH */
    RTC_TIME_HIGH = 0x04,
    RTC_ALARM_LOW = 0x08, /* a write sets the alarm, with the upper half written before */
    RTC_ALARM_HIGH = 0x0c,
    RTC_IRQ_ENABLED = 0x10,
    RTC_CLEAR_ALARM = 0x14,
    RTC_ALARM_STATUS = 0x18,
    RTC_CLEAR_INTERRUPT = 0x1c,
};

struct goldfish_rtc {
    struct real_time time;
    uint64_t alarm;
    uint32_t time_high, alarm_high;
    uint32_t armed, raised, enabled;

    const struct device_env *env;
    struct device_seen seen;
};

static void update_irq(struct goldfish_rtc *rtc)
{
    struct irq_line line = device_irq(rtc->env, 0);

    irq_set(&line, rtc->raised && rtc->enabled);
}

static void alarm_due(void *opaque)
{
    struct goldfish_rtc *rtc = opaque;

    rtc->armed = 0;
    rtc->raised = 1;
    update_irq(rtc);
}

/* Plans the armed alarm; one in the past is due at once. */
static void plan_alarm(struct goldfish_rtc *rtc)
{
    if (rtc->armed && rtc->alarm <= real_time_now(&rtc->time))
        alarm_due(rtc);
    if (rtc->armed)
        real_time_alarm(&rtc->time, rtc->alarm);
    else
        real_time_no_alarm(&rtc->time);
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct goldfish_rtc *rtc = opaque;

    (void)size;
    switch (offset) {
    case RTC_TIME_LOW:
        if (cpu != BUS_NO_CPU)
            rtc->time_high = (uint32_t)(real_time_now(&rtc->time) >> 32);
        return (uint32_t)real_time_now(&rtc->time);
    case RTC_TIME_HIGH:
        return rtc->time_high;
    case RTC_ALARM_LOW:
        return (uint32_t)rtc->alarm;
    case RTC_ALARM_HIGH:
        return rtc->alarm >> 32;
    case RTC_IRQ_ENABLED:
        return rtc->enabled;
    case RTC_ALARM_STATUS:
        return rtc->armed;
    }
    device_log_unimp(rtc->env, &rtc->seen, "goldfish_rtc", offset, false, 0);
    return 0;
}

/* The time, too, is written upper half first: the write of the lower half sets it. */
static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct goldfish_rtc *rtc = opaque;
    uint32_t word = (uint32_t)value;

    (void)size, (void)cpu;
    switch (offset) {
    case RTC_TIME_LOW:
        real_time_set(&rtc->time, (uint64_t)rtc->time_high << 32 | word);
        plan_alarm(rtc);
        break;
    case RTC_TIME_HIGH:
        rtc->time_high = word;
        break;
    case RTC_ALARM_LOW:
        rtc->alarm = (uint64_t)rtc->alarm_high << 32 | word;
        rtc->armed = 1;
        plan_alarm(rtc);
        break;
    case RTC_ALARM_HIGH:
        rtc->alarm_high = word;
        break;
    case RTC_IRQ_ENABLED:
        rtc->enabled = word & 1;
        break;
    case RTC_CLEAR_ALARM:
        rtc->armed = 0;
        plan_alarm(rtc);
        break;
    case RTC_CLEAR_INTERRUPT:
        rtc->raised = 0;
        break;
    default:
        device_log_unimp(rtc->env, &rtc->seen, "goldfish_rtc", offset, true, value);
    }
    update_irq(rtc);
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

static void reset_goldfish_rtc(void *dev)
{
    struct goldfish_rtc *rtc = dev;

    rtc->alarm = 0;
    rtc->time_high = rtc->alarm_high = rtc->armed = rtc->raised = rtc->enabled = 0;
    plan_alarm(rtc);
    update_irq(rtc);
}

static void post_load(void *dev, struct error *err)
{
    struct goldfish_rtc *rtc = dev;

    (void)err;
    plan_alarm(rtc);
    update_irq(rtc);
}

static void destroy_goldfish_rtc(void *dev)
{
    struct goldfish_rtc *rtc = dev;

    real_time_no_alarm(&rtc->time);
    free(rtc);
}

static void *create_goldfish_rtc(const struct device_env *env, struct error *err)
{
    struct goldfish_rtc *rtc = xcalloc(1, sizeof(*rtc));

    rtc->env = env;
    real_time_init(&rtc->time, env, alarm_due, rtc);
    return device_start(env, 0x1000, &ops, rtc, reset_goldfish_rtc, err);
}

static const char *const compatible[] = {"google,goldfish-rtc", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct goldfish_rtc, time.offset), STATE_FIELD(struct goldfish_rtc, alarm),
    STATE_FIELD(struct goldfish_rtc, time_high),   STATE_FIELD(struct goldfish_rtc, alarm_high),
    STATE_FIELD(struct goldfish_rtc, armed),       STATE_FIELD(struct goldfish_rtc, raised),
    STATE_FIELD(struct goldfish_rtc, enabled),     STATE_END,
};

const struct device_class goldfish_rtc_class = {
    .name = "goldfish_rtc",
    .summary = "Goldfish real-time clock",
    .compatible = compatible,
    .fields = fields,
    .create = create_goldfish_rtc,
    .reset = reset_goldfish_rtc,
    .destroy = destroy_goldfish_rtc,
    .post_load = post_load,
};
