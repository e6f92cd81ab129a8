/*
 * MC146818 real-time clock with its RAM, as in a PC: an index register and a data register.
 *
 * Regions     reg[0], two registers
 * Interrupts  [0] IRQ
 * Clocks      virtual time, from device_env.start_time at power-on
 * Bounds      one event: the next alarm, update or period, at most 8192 per second
 * Left out    daylight saving
 * Manual      Motorola MC146818 Real-Time Clock plus RAM (ADI1137), 1988
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/real_time.h"

enum {
    RTC_SECONDS = 0,
    RTC_SECONDS_ALARM = 1,
    RTC_MINUTES = 2,
    RTC_MINUTES_ALARM = 3,
    RTC_HOURS = 4,
    RTC_HOURS_ALARM = 5,
    RTC_WEEKDAY = 6,
    RTC_DAY = 7,
    RTC_MONTH = 8,
    RTC_YEAR = 9,
    RTC_A = 10,
    RTC_B = 11,
    RTC_C = 12,
    RTC_D = 13,
    RTC_CENTURY = 0x32,
    RTC_BYTES = 128,
};

#define A_UPDATING 0x80u
#define B_SET      0x80u
#define B_PERIODIC 0x40u
#define B_ALARM    0x20u
#define B_UPDATE   0x10u
#define B_BINARY   0x04u
#define B_24_HOURS 0x02u
#define C_IRQ      0x80u
#define D_VALID    0x80u
#define ANY_ALARM  0xc0u /* an alarm byte with both bits matches every value */

/* UIP rises 244 us before the time changes. */
#define UPDATE_NS UINT64_C(244000)

struct mc146818 {
    struct real_time time;
    uint8_t ram[RTC_BYTES];
    uint32_t index, flags; /* flags: bits of register C */
    uint64_t looked;       /* ns of the clock up to which `flags` is complete */

    const struct device_env *env;
    struct event event; /* at the next enabled interrupt */
};

/* ---- the time as bytes ----------------------------------------------------------------------- */

static uint8_t encoded_number(const struct mc146818 *rtc, unsigned value)
{
    return (uint8_t)(rtc->ram[RTC_B] & B_BINARY ? value : value / 10 << 4 | value % 10);
}

static unsigned decoded_number(const struct mc146818 *rtc, uint8_t value)
{
    return rtc->ram[RTC_B] & B_BINARY ? value : (unsigned)(value >> 4) * 10 + (value & 15);
}

static uint8_t encoded_hour(const struct mc146818 *rtc, unsigned hour)
{
    if (rtc->ram[RTC_B] & B_24_HOURS)
        return encoded_number(rtc, hour);
    return (uint8_t)(encoded_number(rtc, (hour + 11) % 12 + 1) | (hour >= 12 ? 0x80 : 0));
}

static unsigned decoded_hour(const struct mc146818 *rtc, uint8_t value)
{
    if (rtc->ram[RTC_B] & B_24_HOURS)
        return decoded_number(rtc, value);
    return decoded_number(rtc, value & 0x7f) % 12 + (value & 0x80 ? 12 : 0);
}

static uint8_t running_byte(const struct mc146818 *rtc, unsigned reg)
{
    time_t seconds = (time_t)(real_time_now(&rtc->time) / NS_PER_SEC);
    struct tm tm = {0};

    gmtime_r(&seconds, &tm);
    switch (reg) {
    case RTC_SECONDS:
        return encoded_number(rtc, (unsigned)tm.tm_sec);
    case RTC_MINUTES:
        return encoded_number(rtc, (unsigned)tm.tm_min);
    case RTC_HOURS:
        return encoded_hour(rtc, (unsigned)tm.tm_hour);
    case RTC_WEEKDAY:
        return encoded_number(rtc, (unsigned)tm.tm_wday + 1);
    case RTC_DAY:
        return encoded_number(rtc, (unsigned)tm.tm_mday);
    case RTC_MONTH:
        return encoded_number(rtc, (unsigned)tm.tm_mon + 1);
    case RTC_YEAR:
        return encoded_number(rtc, (unsigned)tm.tm_year % 100);
    default:
        return encoded_number(rtc, (unsigned)(tm.tm_year / 100) + 19);
    }
}

/* While SET stops the clock, the bytes of the time are plain RAM. */
static uint8_t time_byte(const struct mc146818 *rtc, unsigned reg)
{
    return rtc->ram[RTC_B] & B_SET ? rtc->ram[reg] : running_byte(rtc, reg);
}

static bool is_time(unsigned reg)
{
    return reg <= RTC_YEAR
               ? reg != RTC_SECONDS_ALARM && reg != RTC_MINUTES_ALARM && reg != RTC_HOURS_ALARM
               : reg == RTC_CENTURY;
}

/* Copies the time to the RAM, from which set_time_from_ram() takes it. */
static void copy_time_to_ram(struct mc146818 *rtc)
{
    for (unsigned reg = 0; reg < RTC_BYTES; reg++) {
        if (is_time(reg))
            rtc->ram[reg] = running_byte(rtc, reg);
    }
}

/* The day of the week follows from the date; the fraction of the second goes on. */
static void set_time_from_ram(struct mc146818 *rtc)
{
    const uint8_t *ram = rtc->ram;
    struct tm tm = {
        .tm_sec = (int)decoded_number(rtc, ram[RTC_SECONDS]) % 60,
        .tm_min = (int)decoded_number(rtc, ram[RTC_MINUTES]) % 60,
        .tm_hour = (int)decoded_hour(rtc, ram[RTC_HOURS]) % 24,
        .tm_mday = (int)decoded_number(rtc, ram[RTC_DAY]) % 32,
        .tm_mon = (int)decoded_number(rtc, ram[RTC_MONTH]) % 13 - 1,
        .tm_year = ((int)decoded_number(rtc, ram[RTC_CENTURY]) % 100 - 19) * 100 +
                   (int)decoded_number(rtc, ram[RTC_YEAR]) % 100,
    };
    time_t seconds = timegm(&tm);

    real_time_set(&rtc->time, (seconds < 0 ? 0 : (uint64_t)seconds * NS_PER_SEC) +
                                  real_time_now(&rtc->time) % NS_PER_SEC);
}

/* ---- interrupts ------------------------------------------------------------------------------ */

/* Period of the periodic interrupt in ns; 0: off. */
static uint64_t period_ns(const struct mc146818 *rtc)
{
    unsigned rate = rtc->ram[RTC_A] & 15;

    if (!rate)
        return 0;
    return NS_PER_SEC * (UINT64_C(1) << ((rate < 3 ? rate + 7 : rate) - 1)) / 32768;
}

static bool alarm_matches(const struct mc146818 *rtc)
{
    static const uint8_t pairs[][2] = {{RTC_SECONDS, RTC_SECONDS_ALARM},
                                       {RTC_MINUTES, RTC_MINUTES_ALARM},
                                       {RTC_HOURS, RTC_HOURS_ALARM}};

    for (unsigned i = 0; i < 3; i++) {
        uint8_t wanted = rtc->ram[pairs[i][1]];

        if ((wanted & ANY_ALARM) != ANY_ALARM && wanted != time_byte(rtc, pairs[i][0]))
            return false;
    }
    return true;
}

/* Sets the flags of the events since the last call. */
static void catch_up_flags(struct mc146818 *rtc)
{
    uint64_t ns = real_time_now(&rtc->time), period = period_ns(rtc);

    if (ns / NS_PER_SEC != rtc->looked / NS_PER_SEC && !(rtc->ram[RTC_B] & B_SET)) {
        rtc->flags |= B_UPDATE;
        if (alarm_matches(rtc))
            rtc->flags |= B_ALARM;
    }
    if (period && ns / period != rtc->looked / period)
        rtc->flags |= B_PERIODIC;
    rtc->looked = ns;
}

/* Drives the interrupt line, and plans the event if an interrupt is enabled. */
static void update_irq(void *opaque)
{
    struct mc146818 *rtc = opaque;
    uint32_t enabled = rtc->ram[RTC_B] & (B_PERIODIC | B_ALARM | B_UPDATE);
    struct irq_line line = device_irq(rtc->env, 0);
    uint64_t wait = UINT64_MAX, period = period_ns(rtc), ns;

    catch_up_flags(rtc);
    ns = rtc->looked;
    irq_set(&line, rtc->flags & enabled);
    if (enabled & (B_ALARM | B_UPDATE))
        wait = NS_PER_SEC - ns % NS_PER_SEC;
    if (enabled & B_PERIODIC && period && period - ns % period < wait)
        wait = period - ns % period;
    if (wait != UINT64_MAX && !(rtc->flags & enabled))
        clock_add(rtc->env->clock, &rtc->event, clock_now(rtc->env->clock) + wait);
    else
        clock_cancel(rtc->env->clock, &rtc->event);
}

/* ---- registers ------------------------------------------------------------------------------- */

static bool is_updating(const struct mc146818 *rtc)
{
    return !(rtc->ram[RTC_B] & B_SET) &&
           real_time_now(&rtc->time) % NS_PER_SEC >= NS_PER_SEC - UPDATE_NS;
}

static uint8_t read_data(struct mc146818 *rtc, bool peek)
{
    uint8_t value;

    switch (rtc->index) {
    case RTC_A:
        return (uint8_t)(rtc->ram[RTC_A] | (is_updating(rtc) ? A_UPDATING : 0));
    case RTC_C:
        catch_up_flags(rtc);
        value = (uint8_t)(rtc->flags | (rtc->flags & rtc->ram[RTC_B] ? C_IRQ : 0));
        if (!peek) {
            rtc->flags = 0;
            update_irq(rtc);
        }
        return value;
    case RTC_D:
        return D_VALID;
    default:
        return is_time(rtc->index) ? time_byte(rtc, rtc->index) : rtc->ram[rtc->index];
    }
}

/* Setting SET stops the clock; clearing SET continues from the time that the RAM holds then. */
static void write_b(struct mc146818 *rtc, uint8_t value)
{
    uint8_t changed = value ^ rtc->ram[RTC_B];

    rtc->ram[RTC_B] = value;
    if (changed & value & B_SET)
        copy_time_to_ram(rtc);
    if (changed & ~value & B_SET)
        set_time_from_ram(rtc);
}

static void write_data(struct mc146818 *rtc, uint8_t value)
{
    switch (rtc->index) {
    case RTC_A:
        rtc->ram[RTC_A] = value & 0x7f;
        break;
    case RTC_B:
        write_b(rtc, value);
        break;
    case RTC_C:
    case RTC_D:
        return;
    default:
        if (!is_time(rtc->index) || rtc->ram[RTC_B] & B_SET) {
            rtc->ram[rtc->index] = value;
            break;
        }
        copy_time_to_ram(rtc);
        rtc->ram[rtc->index] = value;
        set_time_from_ram(rtc);
    }
    update_irq(rtc);
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct mc146818 *rtc = opaque;

    (void)size;
    return offset ? read_data(rtc, cpu == BUS_NO_CPU) : 0xff;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct mc146818 *rtc = opaque;

    (void)size, (void)cpu;
    if (offset)
        write_data(rtc, (uint8_t)value);
    else
        rtc->index = value % RTC_BYTES;
}

static const struct mmio_ops ops = {read_register, write_register, 1, 1};

/* ---- life ------------------------------------------------------------------------------------ */

/* A reset disables the interrupts. Clock and RAM have a battery and keep their values. */
static void reset_mc146818(void *dev)
{
    struct mc146818 *rtc = dev;

    rtc->ram[RTC_B] &= (uint8_t) ~(B_PERIODIC | B_ALARM | B_UPDATE);
    rtc->flags = rtc->index = 0;
    update_irq(rtc);
}

static void post_load(void *dev, struct error *err)
{
    struct mc146818 *rtc = dev;

    (void)err;
    rtc->index %= RTC_BYTES;
    rtc->flags &= B_PERIODIC | B_ALARM | B_UPDATE;
    update_irq(rtc);
}

static void destroy_mc146818(void *dev)
{
    struct mc146818 *rtc = dev;

    real_time_no_alarm(&rtc->time);
    clock_cancel(rtc->env->clock, &rtc->event);
    free(rtc);
}

static void *create_mc146818(const struct device_env *env, struct error *err)
{
    struct mc146818 *rtc = xcalloc(1, sizeof(*rtc));

    rtc->env = env;
    real_time_init(&rtc->time, env, update_irq, rtc);
    event_init(&rtc->event, update_irq, rtc);
    rtc->ram[RTC_A] = 0x26; /* 32768 Hz, 1024 periodic interrupts per second */
    rtc->ram[RTC_B] = B_24_HOURS;
    return device_start(env, 2, &ops, rtc, reset_mc146818, err);
}

static const char *const compatible[] = {"motorola,mc146818", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct mc146818, time.offset), STATE_FIELD(struct mc146818, ram),
    STATE_FIELD(struct mc146818, index),       STATE_FIELD(struct mc146818, flags),
    STATE_FIELD(struct mc146818, looked),      STATE_END,
};

const struct device_class mc146818_class = {
    .name = "mc146818",
    .summary = "MC146818 real-time clock of a PC",
    .compatible = compatible,
    .fields = fields,
    .create = create_mc146818,
    .reset = reset_mc146818,
    .destroy = destroy_mc146818,
    .post_load = post_load,
};
