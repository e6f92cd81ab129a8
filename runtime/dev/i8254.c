/*
 * The 8254 interval timer of a PC: three counters of 16 bits. Counter 0 raises interrupts.
 *
 * Regions     reg[0], four registers
 * Interrupts  [0] OUT of counter 0
 * Clocks      property clock-frequency, by default 1.193182 MHz
 * Bounds      one event, the next change of counter 0's OUT; a period is at least two ticks
 * Manual      Intel 8254 Programmable Interval Timer (231164-005)
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"

enum { COUNTERS = 3, CONTROL = 3 };
#define DEFAULT_HZ UINT64_C(1193182)

#define READ_BACK        0xc0u
#define READ_BACK_STATUS 0x10u /* low: latch the status */
#define READ_BACK_COUNT  0x20u /* low: latch the count */

enum { ACCESS_LATCH, ACCESS_LOW, ACCESS_HIGH, ACCESS_BOTH };
enum { MODE_TERMINAL = 0, MODE_RATE = 2, MODE_SQUARE = 3, MODE_STROBE = 4 };

struct i8254_counter {
    uint64_t start;             /* tick at which `reload` was loaded */
    uint32_t reload;            /* 1 to 0x10000; 0: not written since the control word */
    uint32_t mode, access, low; /* low: low byte of a count whose high byte is not written yet */
    uint32_t write_high, read_high;
    uint32_t latched, latch, status_latched, status;
};

struct i8254 {
    struct i8254_counter counters[COUNTERS];
    const struct device_env *env;
    uint64_t hz;
    struct event event;
};

static uint64_t ticks_now(const struct i8254 *pit)
{
    return clock_ns_to_ticks(clock_now(pit->env->clock), pit->hz);
}

static bool is_periodic(const struct i8254_counter *c)
{
    return c->mode == MODE_RATE || c->mode == MODE_SQUARE;
}

/* Ticks since the current period began; in a mode without periods, since the count was loaded. */
static uint64_t elapsed_ticks(const struct i8254 *pit, const struct i8254_counter *c)
{
    uint64_t ticks = ticks_now(pit) - c->start;

    return is_periodic(c) && c->reload ? ticks % c->reload : ticks;
}

static uint32_t count_of(const struct i8254 *pit, const struct i8254_counter *c)
{
    uint64_t ticks = elapsed_ticks(pit, c);

    if (c->mode == MODE_SQUARE && c->reload) /* counts down by 2, twice per period */
        ticks = ticks * 2 % c->reload;
    return (c->reload - (uint32_t)ticks) & 0xffff;
}

static bool output_of(const struct i8254 *pit, const struct i8254_counter *c)
{
    uint64_t ticks = elapsed_ticks(pit, c);

    if (!c->reload)
        return c->mode != MODE_TERMINAL;
    switch (c->mode) {
    case MODE_TERMINAL:
        return ticks >= c->reload;
    case MODE_RATE:
        return ticks != c->reload - 1;
    case MODE_SQUARE:
        return ticks < (c->reload + 1) / 2;
    case MODE_STROBE:
        return ticks != c->reload;
    }
    return true;
}

/* Ticks until OUT of a counter changes next; 0: OUT stays as it is. */
static uint64_t until_change(const struct i8254 *pit, const struct i8254_counter *c)
{
    uint64_t ticks = elapsed_ticks(pit, c), half = (c->reload + 1) / 2;

    if (!c->reload)
        return 0;
    switch (c->mode) {
    case MODE_TERMINAL:
        return ticks < c->reload ? c->reload - ticks : 0;
    case MODE_RATE:
        return ticks < c->reload - 1 ? c->reload - 1 - ticks : 1;
    case MODE_SQUARE:
        return ticks < half ? half - ticks : c->reload - ticks;
    case MODE_STROBE:
        return ticks < c->reload ? c->reload - ticks : ticks == c->reload;
    }
    return 0;
}

/* Drives OUT of counter 0 and plans its next change. */
static void update_output(void *opaque)
{
    struct i8254 *pit = opaque;
    const struct i8254_counter *c = &pit->counters[0];
    struct irq_line line = device_irq(pit->env, 0);
    uint64_t ticks = until_change(pit, c);

    irq_set(&line, output_of(pit, c));
    if (ticks)
        clock_add(pit->env->clock, &pit->event, clock_ticks_to_ns(ticks_now(pit) + ticks, pit->hz));
    else
        clock_cancel(pit->env->clock, &pit->event);
}

/* ---- registers ------------------------------------------------------------------------------- */

static void latch_count(struct i8254 *pit, struct i8254_counter *c)
{
    if (c->latched)
        return;
    c->latch = count_of(pit, c);
    c->latched = 1;
}

static void latch_status(struct i8254 *pit, struct i8254_counter *c)
{
    if (c->status_latched)
        return;
    c->status =
        (output_of(pit, c) ? 0x80u : 0) | (c->reload ? 0 : 0x40u) | c->access << 4 | c->mode << 1;
    c->status_latched = 1;
}

static void write_control(struct i8254 *pit, uint32_t value)
{
    struct i8254_counter *c = &pit->counters[value >> 6 & 3];

    if ((value & READ_BACK) == READ_BACK) {
        for (unsigned i = 0; i < COUNTERS; i++) {
            if (!(value >> (i + 1) & 1))
                continue;
            if (!(value & READ_BACK_COUNT))
                latch_count(pit, &pit->counters[i]);
            if (!(value & READ_BACK_STATUS))
                latch_status(pit, &pit->counters[i]);
        }
    } else if ((value >> 4 & 3) == ACCESS_LATCH) {
        latch_count(pit, c);
    } else {
        unsigned mode = value >> 1 & 7;

        *c = (struct i8254_counter){.access = value >> 4 & 3, .mode = mode > 5 ? mode & 3 : mode};
    }
}

static void load_count(struct i8254 *pit, struct i8254_counter *c, uint32_t value)
{
    /* A period of one tick does not exist. */
    c->reload = !value ? 0x10000 : is_periodic(c) && value == 1 ? 2 : value;
    c->start = ticks_now(pit);
}

static void write_counter(struct i8254 *pit, struct i8254_counter *c, uint32_t value)
{
    switch (c->access) {
    case ACCESS_LOW:
        load_count(pit, c, value);
        break;
    case ACCESS_HIGH:
        load_count(pit, c, value << 8);
        break;
    case ACCESS_BOTH:
        if (c->write_high)
            load_count(pit, c, value << 8 | c->low);
        else
            c->low = value;
        c->write_high ^= 1;
        break;
    }
}

static uint32_t read_counter(struct i8254 *pit, struct i8254_counter *c, bool peek)
{
    uint32_t count = c->latched ? c->latch : count_of(pit, c);
    bool high = c->access == ACCESS_HIGH || (c->access == ACCESS_BOTH && c->read_high);

    if (c->status_latched) {
        c->status_latched = peek;
        return c->status;
    }
    if (!peek) {
        if (c->access != ACCESS_BOTH || c->read_high)
            c->latched = 0;
        if (c->access == ACCESS_BOTH)
            c->read_high ^= 1;
    }
    return high ? count >> 8 : count & 0xff;
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct i8254 *pit = opaque;

    (void)size;
    return offset < COUNTERS ? read_counter(pit, &pit->counters[offset], cpu == BUS_NO_CPU) : 0;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct i8254 *pit = opaque;

    (void)size, (void)cpu;
    if (offset == CONTROL)
        write_control(pit, (uint32_t)value & 0xff);
    else
        write_counter(pit, &pit->counters[offset % COUNTERS], (uint32_t)value & 0xff);
    update_output(pit);
}

static const struct mmio_ops ops = {read_register, write_register, 1, 1};

/* ---- life ------------------------------------------------------------------------------------ */

static void reset_i8254(void *dev)
{
    struct i8254 *pit = dev;

    for (unsigned i = 0; i < COUNTERS; i++)
        pit->counters[i] = (struct i8254_counter){.access = ACCESS_BOTH};
    update_output(pit);
}

static void post_load(void *dev, struct error *err)
{
    struct i8254 *pit = dev;

    (void)err;
    for (unsigned i = 0; i < COUNTERS; i++) {
        struct i8254_counter *c = &pit->counters[i];

        c->mode = c->mode > 5 ? c->mode & 3 : c->mode;
        c->access &= 3;
        if (c->reload > 0x10000)
            c->reload = 0x10000;
        if (c->reload == 1 && is_periodic(c))
            c->reload = 2;
    }
    update_output(pit);
}

static void destroy_i8254(void *dev)
{
    struct i8254 *pit = dev;

    clock_cancel(pit->env->clock, &pit->event);
    free(pit);
}

static void *create_i8254(const struct device_env *env, struct error *err)
{
    struct i8254 *pit = xcalloc(1, sizeof(*pit));
    uint32_t hz;

    pit->env = env;
    pit->hz = device_prop_u32(env, "clock-frequency", 0, &hz) && hz ? hz : DEFAULT_HZ;
    event_init(&pit->event, update_output, pit);
    return device_start(env, 4, &ops, pit, reset_i8254, err);
}

static const char *const compatible[] = {"intel,i8254", "pnpPNP,100", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct i8254, counters),
    STATE_END,
};

const struct device_class i8254_class = {
    .name = "i8254",
    .summary = "8254 interval timer of a PC",
    .compatible = compatible,
    .fields = fields,
    .create = create_i8254,
    .reset = reset_i8254,
    .destroy = destroy_i8254,
    .post_load = post_load,
};
