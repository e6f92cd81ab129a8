/*
 * SP805 watchdog: interrupts when its counter reaches zero, and resets the machine when it does so
 * again before the interrupt was cleared.
 *
 * Regions     reg[0], 4 KB
 * Interrupts  [0] WDOGINT
 * Clocks      [0] WDOGCLK (1 MHz without a clock in the tree)
 * Bounds      an event per tick of its clock; a load of 0 counts as 1
 * Manual      ARM Watchdog Module (SP805) TRM, DDI 0270
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"
#include "runtime/dev/down_counter.h"

enum {
    WDOG_LOAD = 0x000,
    WDOG_VALUE = 0x004,
    WDOG_CONTROL = 0x008,
    WDOG_INTCLR = 0x00c,
    WDOG_RIS = 0x010,
    WDOG_MIS = 0x014,
    WDOG_LOCK = 0xc00,
    WDOG_ID = 0xfe0,
};

#define CONTROL_INTEN 1u
#define CONTROL_RESEN 2u
#define UNLOCK_VALUE  0x1acce551u
#define DEFAULT_HZ    UINT64_C(1000000)
/* A board may give the 4 KB of registers a larger window, in which they repeat. */
#define PAGE 0x1000u

#define PERIPH_ID UINT64_C(0x141805)

struct sp805 {
    uint32_t load, control, raw, locked;
    struct down_counter_state saved;

    const struct device_env *env;
    struct device_seen seen;
    struct down_counter counter;
};

static void update_irq(struct sp805 *dev)
{
    struct irq_line line = device_irq(dev->env, 0);

    dev->saved = dev->counter.s;
    irq_set(&line, dev->raw && dev->control & CONTROL_INTEN);
}

/* A load of 0 counts as 1: the TRM's lowest value. */
static void reload_counter(struct sp805 *dev)
{
    uint32_t value = dev->load ? dev->load : 1;

    if (dev->control & CONTROL_INTEN)
        down_counter_start(&dev->counter, value);
    else
        dev->counter.s.value = value;
}

static void on_zero(void *opaque)
{
    struct sp805 *dev = opaque;

    if (dev->raw && dev->control & CONTROL_RESEN) {
        log_printf(dev->env->log, LOG_GUEST_ERRORS, "%s: the watchdog resets the machine\n",
                   dev->env->path);
        if (dev->env->power)
            dev->env->power(dev->env->opaque, DEVICE_POWER_RESET, 0);
    } else {
        dev->raw = 1;
        reload_counter(dev);
    }
    update_irq(dev);
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct sp805 *dev = opaque;

    (void)size, (void)cpu;
    offset &= PAGE - 1;
    if (offset >= WDOG_ID)
        return primecell_id(PERIPH_ID, PRIMECELL_CELL_ID, offset);
    switch (offset) {
    case WDOG_LOAD:
        return dev->load;
    case WDOG_VALUE:
        return down_counter_value(&dev->counter);
    case WDOG_CONTROL:
        return dev->control;
    case WDOG_RIS:
        return dev->raw;
    case WDOG_MIS:
        return dev->raw && dev->control & CONTROL_INTEN;
    case WDOG_LOCK:
        return dev->locked;
    }
    device_log_unimp(dev->env, &dev->seen, "sp805", offset, false, 0);
    return 0;
}

static void write_control(struct sp805 *dev, uint32_t value)
{
    bool was_on = dev->control & CONTROL_INTEN;

    dev->control = value & (CONTROL_INTEN | CONTROL_RESEN);
    if (!was_on && value & CONTROL_INTEN)
        reload_counter(dev);
    else if (was_on && !(value & CONTROL_INTEN))
        down_counter_stop(&dev->counter);
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct sp805 *dev = opaque;

    (void)size, (void)cpu;
    offset &= PAGE - 1;
    if (offset == WDOG_LOCK) {
        dev->locked = value != UNLOCK_VALUE;
        return;
    }
    if (dev->locked) {
        device_log_guest(dev->env, "write to a locked register");
        return;
    }
    switch (offset) {
    case WDOG_LOAD:
        dev->load = (uint32_t)value;
        reload_counter(dev);
        break;
    case WDOG_CONTROL:
        write_control(dev, (uint32_t)value);
        break;
    case WDOG_INTCLR:
        dev->raw = 0;
        reload_counter(dev);
        break;
    default:
        device_log_unimp(dev->env, &dev->seen, "sp805", offset, true, value);
    }
    update_irq(dev);
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

static void reset_sp805(void *opaque)
{
    struct sp805 *dev = opaque;

    dev->load = UINT32_MAX;
    dev->control = dev->raw = dev->locked = 0;
    down_counter_stop(&dev->counter);
    dev->counter.s.value = UINT32_MAX;
    update_irq(dev);
}

static void post_load(void *opaque, struct error *err)
{
    struct sp805 *dev = opaque;

    (void)err;
    dev->counter.s = dev->saved;
    down_counter_post_load(&dev->counter);
    update_irq(dev);
}

static void destroy_sp805(void *opaque)
{
    struct sp805 *dev = opaque;

    clock_cancel(dev->env->clock, &dev->counter.event);
    free(dev);
}

static void *create_sp805(const struct device_env *env, struct error *err)
{
    struct sp805 *dev = xcalloc(1, sizeof(*dev));

    dev->env = env;
    down_counter_init(&dev->counter, env->clock, device_clock_hz(env, 0, DEFAULT_HZ), on_zero, dev);
    return device_start(env, 0, &ops, dev, reset_sp805, err);
}

static const char *const compatible[] = {"arm,sp805", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct sp805, load),  STATE_FIELD(struct sp805, control),
    STATE_FIELD(struct sp805, raw),   STATE_FIELD(struct sp805, locked),
    STATE_FIELD(struct sp805, saved), STATE_END,
};

const struct device_class sp805_class = {
    .name = "sp805",
    .summary = "SP805 watchdog",
    .compatible = compatible,
    .fields = fields,
    .create = create_sp805,
    .reset = reset_sp805,
    .destroy = destroy_sp805,
    .post_load = post_load,
};
