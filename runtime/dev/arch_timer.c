/*
 * Arm generic timer of each CPU: four timers against one system counter.
 *
 * Regions     none: system registers, through arch_timer_read() and arch_timer_write()
 * Interrupts  four private lines: secure physical, non-secure physical, virtual, hypervisor
 * Clocks      counter frequency: property clock-frequency, else 50 MHz
 * Bounds      an access touches one timer; a timer has one event, which fires once and is
 *             planned anew only for a later time
 * Manual      Arm ARM (DDI 0487), chapter D12 "The Generic Timer in AArch64 state"
 */
#include "runtime/dev/arch_timer.h"

#include <stdlib.h>

#include "common/prelude/cpu.h"
#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"
#include "runtime/dev/generic_timer.h"

/* Timers of a CPU, in the order of the node's interrupts. */
enum { TIMER_SECURE, TIMER_PHYSICAL, TIMER_VIRTUAL, TIMER_HYP, TIMERS };

struct arch_timer {
    /* saved state: filled before a save, read after a load */
    struct {
        uint64_t cval, offset;
        uint64_t ctl;
    } saved[DEVICE_MAX_CPUS][TIMERS];
    uint32_t frequency[DEVICE_MAX_CPUS]; /* CNTFRQ: storage only */

    unsigned cpu_count;
    uint64_t hz;
    struct generic_timer timers[DEVICE_MAX_CPUS][TIMERS];
};

/* The timer that a CTL, CVAL or TVAL register belongs to, or NULL. */
static struct generic_timer *timer_of(struct arch_timer *timer, unsigned cpu,
                                      enum arch_timer_reg reg)
{
    struct generic_timer *t = timer->timers[cpu];

    switch (reg) {
    case ARCH_TIMER_CNTP_CTL:
    case ARCH_TIMER_CNTP_CVAL:
    case ARCH_TIMER_CNTP_TVAL:
        return &t[TIMER_PHYSICAL];
    case ARCH_TIMER_CNTV_CTL:
    case ARCH_TIMER_CNTV_CVAL:
    case ARCH_TIMER_CNTV_TVAL:
    case ARCH_TIMER_CNTVCT:
    case ARCH_TIMER_CNTVOFF:
        return &t[TIMER_VIRTUAL];
    case ARCH_TIMER_CNTHP_CTL:
    case ARCH_TIMER_CNTHP_CVAL:
    case ARCH_TIMER_CNTHP_TVAL:
        return &t[TIMER_HYP];
    default:
        return &t[TIMER_SECURE];
    }
}

/* What is saved mirrors the timers after every write, so that a save needs no hook. */
static void mirror_for_save(struct arch_timer *timer, unsigned cpu)
{
    for (unsigned i = 0; i < TIMERS; i++) {
        const struct generic_timer *t = &timer->timers[cpu][i];

        timer->saved[cpu][i].cval = t->cval;
        timer->saved[cpu][i].offset = t->offset;
        timer->saved[cpu][i].ctl = t->ctl;
    }
}

uint64_t arch_timer_read(struct arch_timer *timer, unsigned cpu, enum arch_timer_reg reg)
{
    const struct generic_timer *t;

    if (cpu >= timer->cpu_count)
        return 0;
    t = timer_of(timer, cpu, reg);
    switch (reg) {
    case ARCH_TIMER_CNTFRQ:
        return timer->frequency[cpu];
    case ARCH_TIMER_CNTPCT:
    case ARCH_TIMER_CNTVCT:
        return generic_timer_count(t); /* only the virtual timer has an offset */
    case ARCH_TIMER_CNTVOFF:
        return t->offset;
    case ARCH_TIMER_CNTP_CTL:
    case ARCH_TIMER_CNTV_CTL:
    case ARCH_TIMER_CNTHP_CTL:
    case ARCH_TIMER_CNTPS_CTL:
        return generic_timer_ctl(t);
    case ARCH_TIMER_CNTP_CVAL:
    case ARCH_TIMER_CNTV_CVAL:
    case ARCH_TIMER_CNTHP_CVAL:
    case ARCH_TIMER_CNTPS_CVAL:
        return t->cval;
    case ARCH_TIMER_CNTP_TVAL:
    case ARCH_TIMER_CNTV_TVAL:
    case ARCH_TIMER_CNTHP_TVAL:
    case ARCH_TIMER_CNTPS_TVAL:
        return generic_timer_tval(t);
    }
    return 0;
}

void arch_timer_write(struct arch_timer *timer, unsigned cpu, enum arch_timer_reg reg,
                      uint64_t value)
{
    struct generic_timer *t;

    if (cpu >= timer->cpu_count)
        return;
    t = timer_of(timer, cpu, reg);
    switch (reg) {
    case ARCH_TIMER_CNTFRQ:
        timer->frequency[cpu] = (uint32_t)value;
        break;
    case ARCH_TIMER_CNTPCT:
    case ARCH_TIMER_CNTVCT:
        break;
    case ARCH_TIMER_CNTVOFF:
        generic_timer_set_offset(t, value);
        break;
    case ARCH_TIMER_CNTP_CTL:
    case ARCH_TIMER_CNTV_CTL:
    case ARCH_TIMER_CNTHP_CTL:
    case ARCH_TIMER_CNTPS_CTL:
        generic_timer_set_ctl(t, (uint32_t)value);
        break;
    case ARCH_TIMER_CNTP_CVAL:
    case ARCH_TIMER_CNTV_CVAL:
    case ARCH_TIMER_CNTHP_CVAL:
    case ARCH_TIMER_CNTPS_CVAL:
        generic_timer_set_cval(t, value);
        break;
    case ARCH_TIMER_CNTP_TVAL:
    case ARCH_TIMER_CNTV_TVAL:
    case ARCH_TIMER_CNTHP_TVAL:
    case ARCH_TIMER_CNTPS_TVAL:
        generic_timer_set_tval(t, (uint32_t)value);
        break;
    }
    mirror_for_save(timer, cpu);
}

static void reset_arch_timer(void *dev)
{
    struct arch_timer *timer = dev;

    for (unsigned cpu = 0; cpu < timer->cpu_count; cpu++) {
        timer->frequency[cpu] = (uint32_t)timer->hz;
        for (unsigned i = 0; i < TIMERS; i++)
            generic_timer_reset(&timer->timers[cpu][i]);
        mirror_for_save(timer, cpu);
    }
}

static void post_load(void *dev, struct error *err)
{
    struct arch_timer *timer = dev;

    (void)err;
    for (unsigned cpu = 0; cpu < timer->cpu_count; cpu++) {
        for (unsigned i = 0; i < TIMERS; i++) {
            struct generic_timer *t = &timer->timers[cpu][i];

            t->cval = timer->saved[cpu][i].cval;
            t->offset = i == TIMER_VIRTUAL ? timer->saved[cpu][i].offset : 0;
            generic_timer_set_ctl(t, (uint32_t)timer->saved[cpu][i].ctl);
        }
    }
}

static void destroy_arch_timer(void *dev)
{
    struct arch_timer *timer = dev;

    for (unsigned cpu = 0; cpu < timer->cpu_count; cpu++) {
        for (unsigned i = 0; i < TIMERS; i++)
            clock_cancel(timer->timers[cpu][i].clock, &timer->timers[cpu][i].event);
    }
    free(timer);
}

static void *create_arch_timer(const struct device_env *env, struct error *err)
{
    struct arch_timer *timer;
    uint32_t hz;

    if (!env->cpu_count || env->cpu_count > DEVICE_MAX_CPUS)
        return device_error(env, err, "timers for 1 to %d CPUs exist, not for %u", DEVICE_MAX_CPUS,
                            env->cpu_count);
    timer = xcalloc(1, sizeof(*timer));
    timer->cpu_count = env->cpu_count;
    timer->hz = GENERIC_TIMER_HZ;
    if (device_prop_u32(env, "clock-frequency", 0, &hz) && hz)
        timer->hz = hz;
    for (unsigned cpu = 0; cpu < timer->cpu_count; cpu++) {
        for (unsigned i = 0; i < TIMERS; i++)
            generic_timer_init(&timer->timers[cpu][i], env->clock, timer->hz,
                               device_irq_cpu(env, i, cpu));
    }
    reset_arch_timer(timer);
    return timer;
}

static uint64_t port_read(void *dev, unsigned cpu, uint32_t reg)
{
    return arch_timer_read(dev, cpu, (enum arch_timer_reg)reg);
}

static void port_write(void *dev, unsigned cpu, uint32_t reg, uint64_t value)
{
    arch_timer_write(dev, cpu, (enum arch_timer_reg)reg, value);
}

static const char *const compatible[] = {"arm,armv8-timer", "arm,armv7-timer", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct arch_timer, saved),
    STATE_FIELD(struct arch_timer, frequency),
    STATE_END,
};

const struct device_class arch_timer_class = {
    .name = "arch_timer",
    .summary = "Arm generic timer of each CPU",
    .compatible = compatible,
    .fields = fields,
    .create = create_arch_timer,
    .reset = reset_arch_timer,
    .destroy = destroy_arch_timer,
    .post_load = post_load,
    .port = CPU_PORT_TIMER,
    .port_read = port_read,
    .port_write = port_write,
};
