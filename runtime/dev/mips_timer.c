/*
 * The timers of MIPS CPUs. Each has the counter Count, and Compare, which raises an interrupt when
 * Count reaches it. Both are registers of coprocessor 0, which descriptions access at
 * CPU_PORT_TIMER by the numbers of enum mips_port_reg. The bits of Cause that raise interrupts by
 * software are accessed in the same way.
 *
 * Regions     none
 * Interrupts  none of its own; its inputs of the CPU have the numbers of mips_board.h
 * Clocks      property clock-frequency: rate of Count, by default 100 MHz
 * Bounds      an access touches one CPU's timer, which has one event
 * Manual      MIPS Architecture For Programmers, volume III, MD00090, sections "Count Register",
 *             "Compare Register", "Cause Register" (DC, IP1..0)
 */
#include <stdlib.h>

#include "common/prelude/cpu.h"
#include "mips_board.h"
#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"

#define DEFAULT_HZ UINT64_C(100000000)

struct mips_timer_cpu {
    uint32_t count; /* Count at tick `start`; its value while it is stopped */
    uint32_t compare;
    uint32_t stopped, raised, software;
    uint64_t start; /* tick of the clock */
};

struct mips_timer {
    struct mips_timer_cpu cpus[DEVICE_MAX_CPUS];

    const struct device_env *env;
    uint64_t hz;
    struct timer_event {
        struct mips_timer *timer;
        unsigned cpu;
        struct event event;
    } events[DEVICE_MAX_CPUS];
};

static uint64_t ticks_now(const struct mips_timer *timer)
{
    return clock_ns_to_ticks(clock_now(timer->env->clock), timer->hz);
}

static uint32_t count_of(const struct mips_timer *timer, const struct mips_timer_cpu *c)
{
    return c->stopped ? c->count : c->count + (uint32_t)(ticks_now(timer) - c->start);
}

/* Makes Count continue from `value`. */
static void set_count(struct mips_timer *timer, struct mips_timer_cpu *c, uint32_t value)
{
    c->count = value;
    c->start = ticks_now(timer);
}

static void update_irq(struct mips_timer *timer, unsigned cpu)
{
    const struct mips_timer_cpu *c = &timer->cpus[cpu];

    for (unsigned i = 0; i < 2; i++) {
        struct irq_line line = device_cpu_input(timer->env, cpu, MIPS_INPUT_SOFTWARE + i);

        irq_set(&line, c->software >> i & 1);
    }
    {
        struct irq_line line = device_cpu_input(timer->env, cpu, MIPS_INPUT_TIMER);

        irq_set(&line, c->raised);
    }
}

/* Plans the event at the next tick with Count == Compare, 2^32 ticks ahead if that is now. */
static void plan_match(struct mips_timer *timer, unsigned cpu)
{
    struct mips_timer_cpu *c = &timer->cpus[cpu];
    struct event *event = &timer->events[cpu].event;
    uint64_t ticks = (uint32_t)(c->compare - count_of(timer, c));

    if (c->stopped || c->raised)
        clock_cancel(timer->env->clock, event);
    else
        clock_add(
            timer->env->clock, event,
            clock_ticks_to_ns(ticks_now(timer) + (ticks ? ticks : UINT64_C(1) << 32), timer->hz));
}

static void on_match(void *opaque)
{
    const struct timer_event *e = opaque;

    e->timer->cpus[e->cpu].raised = 1;
    update_irq(e->timer, e->cpu);
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint64_t port_read(void *dev, unsigned cpu, uint32_t reg)
{
    const struct mips_timer *timer = dev;
    const struct mips_timer_cpu *c = &timer->cpus[cpu % DEVICE_MAX_CPUS];

    switch (reg) {
    case MIPS_PORT_COUNT:
        return count_of(timer, c);
    case MIPS_PORT_COMPARE:
        return c->compare;
    case MIPS_PORT_STOP:
        return c->stopped;
    case MIPS_PORT_SOFTWARE:
        return c->software;
    }
    return 0;
}

static void port_write(void *dev, unsigned cpu, uint32_t reg, uint64_t value)
{
    struct mips_timer *timer = dev;
    struct mips_timer_cpu *c = &timer->cpus[cpu % DEVICE_MAX_CPUS];

    if (cpu >= timer->env->cpu_count)
        return;
    switch (reg) {
    case MIPS_PORT_COUNT:
        set_count(timer, c, (uint32_t)value);
        break;
    case MIPS_PORT_COMPARE:
        c->compare = (uint32_t)value;
        c->raised = 0;
        break;
    case MIPS_PORT_STOP:
        set_count(timer, c, count_of(timer, c));
        c->stopped = value & 1;
        break;
    case MIPS_PORT_SOFTWARE:
        c->software = value & 3;
        break;
    }
    plan_match(timer, cpu);
    update_irq(timer, cpu);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void apply_state(struct mips_timer *timer)
{
    for (unsigned cpu = 0; cpu < timer->env->cpu_count; cpu++) {
        plan_match(timer, cpu);
        update_irq(timer, cpu);
    }
}

static void reset_mips_timer(void *dev)
{
    struct mips_timer *timer = dev;

    for (unsigned cpu = 0; cpu < DEVICE_MAX_CPUS; cpu++) {
        timer->cpus[cpu] = (struct mips_timer_cpu){0};
        set_count(timer, &timer->cpus[cpu], 0);
    }
    apply_state(timer);
}

static void post_load(void *dev, struct error *err)
{
    struct mips_timer *timer = dev;

    (void)err;
    for (unsigned cpu = 0; cpu < DEVICE_MAX_CPUS; cpu++) {
        timer->cpus[cpu].stopped &= 1;
        timer->cpus[cpu].raised &= 1;
        timer->cpus[cpu].software &= 3;
    }
    apply_state(timer);
}

static void destroy_mips_timer(void *dev)
{
    struct mips_timer *timer = dev;

    for (unsigned cpu = 0; cpu < DEVICE_MAX_CPUS; cpu++)
        clock_cancel(timer->env->clock, &timer->events[cpu].event);
    free(timer);
}

static void *create_mips_timer(const struct device_env *env, struct error *err)
{
    struct mips_timer *timer;
    uint32_t hz;

    if (!env->cpu_count || env->cpu_count > DEVICE_MAX_CPUS)
        return device_error(env, err, "timers for 1 to %d CPUs exist, not for %u", DEVICE_MAX_CPUS,
                            env->cpu_count);
    timer = xcalloc(1, sizeof(*timer));
    timer->env = env;
    timer->hz = device_prop_u32(env, "clock-frequency", 0, &hz) && hz ? hz : DEFAULT_HZ;
    for (unsigned cpu = 0; cpu < DEVICE_MAX_CPUS; cpu++) {
        timer->events[cpu].timer = timer;
        timer->events[cpu].cpu = cpu;
        event_init(&timer->events[cpu].event, on_match, &timer->events[cpu]);
    }
    reset_mips_timer(timer);
    return timer;
}

static const char *const compatible[] = {"mti,cp0-timer", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct mips_timer, cpus),
    STATE_END,
};

const struct device_class mips_timer_class = {
    .name = "mips_timer",
    .summary = "timer of MIPS CPUs: Count and Compare",
    .compatible = compatible,
    .fields = fields,
    .create = create_mips_timer,
    .reset = reset_mips_timer,
    .destroy = destroy_mips_timer,
    .post_load = post_load,
    .port = CPU_PORT_TIMER,
    .port_read = port_read,
    .port_write = port_write,
};
