/*
 * Arm performance monitors of each CPU: a cycle counter and six event counters.
 *
 * They count cycles (one per tick of the CPU), instructions, and increments by software; other
 * events exist and stay 0. A counter is exact whenever it is read. Its overflow interrupt comes at
 * the virtual time of the overflow if the CPU runs without waiting, and up to a millisecond late if
 * it has waited.
 *
 * Regions     none: system registers, through the CPUs' port
 * Interrupts  one per CPU, in the order of interrupt-affinity, or of the CPUs; or a private one,
 *             for all CPUs or for those of interrupt-affinity; none when a CPU has its monitors
 *             itself, without a node of the tree
 * Clocks      none: the CPUs' own counts
 * Bounds      an access touches 32 counters; a CPU has one event, which is planned anew for a later
 *             time than its own
 * Manual      Arm ARM (DDI 0487), chapter D13, PMUv3; Armv7-A (DDI 0406C), chapter C12, PMUv2
 */
#include <stdlib.h>
#include <string.h>

#include "arm_board.h"
#include "common/prelude/cpu.h"
#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/device.h"

#define EVENT_COUNTERS 6
#define CYCLES         31 /* number of the cycle counter in masks */
#define ALL            (1u << CYCLES | ((1u << EVENT_COUNTERS) - 1))

/* PMCR */
#define CR_E     1u
#define CR_P     2u
#define CR_C     4u
#define CR_D     8u
#define CR_LC    0x40u
#define CR_KEEPS (CR_E | CR_D | 0x30u | CR_LC)
#define CR_N     (EVENT_COUNTERS << 11)

/* PMXEVTYPER: events, and which levels do not count */
#define EV_SW_INCR      0x00
#define EV_INST_RETIRED 0x08
#define EV_CPU_CYCLES   0x11
#define TYPE_EVENT      0x3ffu
#define TYPE_P          (1u << 31)
#define TYPE_U          (1u << 30)
#define TYPE_NSK        (1u << 29)
#define TYPE_NSU        (1u << 28)
#define TYPE_KEEPS      (0xf8000000u | TYPE_EVENT)

#define MIN_WAIT UINT64_C(1000)    /* ns, for a CPU that was found waiting */
#define MAX_WAIT UINT64_C(1000000) /* ns, for a CPU that was found waiting */

struct counter {
    uint64_t value; /* at the last settle() */
    uint64_t from;  /* the source's count at that time */
    uint32_t type;
};

/* State that a snapshot holds. */
struct registers {
    struct counter counter[32]; /* the event counters, and CYCLES */
    uint32_t control, enabled, overflow, interrupts;
    uint32_t level; /* level of the CPU while filters() is true: 0 user, 1 privileged */
};

struct unit {
    struct registers *r;
    struct arm_pmu *pmu;
    unsigned cpu;
    struct event event;
    struct irq_line irq;
    uint64_t planned_at; /* ticks when the event was planned */
    uint64_t wait;       /* ns; grows while the CPU does nothing */
};

struct arm_pmu {
    struct registers registers[DEVICE_MAX_CPUS];

    struct unit unit[DEVICE_MAX_CPUS];
    const struct device_env *env;
    uint32_t id;     /* PMCR.IMP and IDCODE */
    uint32_t served; /* bit n: the PMU counts for CPU n */
};

/* ---- counting -------------------------------------------------------------------------------- */

static bool counts_here(const struct unit *u, unsigned n)
{
    uint32_t type = u->r->counter[n].type;

    if (!(u->r->control & CR_E) || !(u->r->enabled >> n & 1))
        return false;
    /* The bits are for the Non-secure state, where the second bit of a pair inverts the first. */
    return u->r->level ? !(type & TYPE_P) == !(type & TYPE_NSK)
                       : !(type & TYPE_U) == !(type & TYPE_NSU);
}

/* Whether the cycle counter counts every 64th cycle; with LC it counts all. */
static bool has_divider(const struct unit *u)
{
    return (u->r->control & (CR_D | CR_LC)) == CR_D;
}

/* What a counter adds up, as the CPU has it now. */
static uint64_t source_value(const struct unit *u, unsigned n, const struct device_counts *now)
{
    unsigned event = u->r->counter[n].type & TYPE_EVENT;

    if (n == CYCLES)
        return has_divider(u) ? now->ticks / 64 : now->ticks;
    return event == EV_CPU_CYCLES ? now->ticks : event == EV_INST_RETIRED ? now->insns : 0;
}

static unsigned bits_of(const struct unit *u, unsigned n)
{
    return n == CYCLES && u->r->control & CR_LC ? 64 : 32;
}

/* The cycle counter has 64 bits, of which software without PMCR.LC sees an overflow of 32. */
static void add_to_counter(struct unit *u, unsigned n, uint64_t by)
{
    struct counter *c = &u->r->counter[n];
    uint64_t old = c->value, mask = bits_of(u, n) == 64 ? UINT64_MAX : UINT32_MAX;

    c->value += by;
    if (by > mask - (old & mask))
        u->r->overflow |= 1u << n;
    if (n != CYCLES)
        c->value &= UINT32_MAX;
}

static struct device_counts cpu_counts(const struct unit *u)
{
    const struct device_env *env = u->pmu->env;
    struct device_counts now = {.ps_per_tick = 1000};

    if (env->cpu_counts)
        env->cpu_counts(env->opaque, u->cpu, &now);
    return now;
}

/* Adds what was counted since the last time: before whatever changes what counts. */
static void settle_counters(struct unit *u, struct device_counts now)
{
    for (unsigned n = 0; n < 32; n++) {
        struct counter *c = &u->r->counter[n];
        uint64_t at = source_value(u, n, &now);

        if (!(ALL >> n & 1))
            continue;
        if (at < c->from)
            continue; /* the instruction that made the change reads too */
        if (counts_here(u, n))
            add_to_counter(u, n, at - c->from);
        c->from = at;
    }
}

/* Restarts the counters at the present counts, after a write that may have changed their
 * sources. */
static void start_anew(struct unit *u, const struct device_counts *now)
{
    for (unsigned n = 0; n < 32; n++)
        u->r->counter[n].from = source_value(u, n, now);
}

/* ---- overflow -------------------------------------------------------------------------------- */

/* Ticks until the first overflow of a counter that interrupts; UINT64_MAX: none. */
static uint64_t ticks_to_overflow(const struct unit *u)
{
    uint64_t first = UINT64_MAX;

    for (unsigned n = 0; n < 32; n++) {
        const struct counter *c = &u->r->counter[n];
        unsigned event = c->type & TYPE_EVENT;
        uint64_t left =
            bits_of(u, n) == 64 ? -c->value : (uint64_t)UINT32_MAX + 1 - (uint32_t)c->value;

        if (!(u->r->interrupts >> n & 1) || (u->r->overflow >> n & 1) || !counts_here(u, n))
            continue;
        if (n != CYCLES && event != EV_CPU_CYCLES && event != EV_INST_RETIRED)
            continue;
        if (n == CYCLES && has_divider(u))
            left = left < UINT64_MAX / 64 ? left * 64 : UINT64_MAX - 1;
        first = left && left < first ? left : first;
    }
    return first;
}

/* After settle_counters() and any change: the interrupt, and when to look again. An instruction
 * takes at least a tick, so counters of either kind are not overdue before that. */
static void plan_overflow(struct unit *u, const struct device_counts *now)
{
    const struct arm_pmu *pmu = u->pmu;
    uint64_t ticks = ticks_to_overflow(u), ns;

    irq_set(&u->irq, (u->r->control & CR_E) && (u->r->overflow & u->r->interrupts));
    if (ticks == UINT64_MAX) {
        clock_cancel(pmu->env->clock, &u->event);
        return;
    }
    ns = ticks < UINT64_MAX / 2 / now->ps_per_tick ? (ticks * now->ps_per_tick + 999) / 1000
                                                   : CLOCK_NEVER / 2;
    u->planned_at = now->ticks;
    clock_add(pmu->env->clock, &u->event,
              clock_now(pmu->env->clock) + (ns > u->wait ? ns : u->wait));
}

static void on_planned_look(void *opaque)
{
    struct unit *u = opaque;
    struct device_counts now = cpu_counts(u);
    bool waited = now.ticks == u->planned_at;

    settle_counters(u, now);
    u->wait = !waited ? 0 : u->wait ? (u->wait < MAX_WAIT ? u->wait * 2 : MAX_WAIT) : MIN_WAIT;
    plan_overflow(u, &now);
}

/* ---- registers ------------------------------------------------------------------------------- */

static void write_control(struct unit *u, uint32_t value)
{
    for (unsigned n = 0; n < EVENT_COUNTERS && value & CR_P; n++)
        u->r->counter[n].value = 0;
    if (value & CR_C)
        u->r->counter[CYCLES].value = 0;
    u->r->control = value & CR_KEEPS;
}

static void add_software_increment(struct unit *u, uint32_t mask)
{
    for (unsigned n = 0; n < EVENT_COUNTERS; n++) {
        if ((mask >> n & 1) && (u->r->counter[n].type & TYPE_EVENT) == EV_SW_INCR &&
            counts_here(u, n))
            add_to_counter(u, n, 1);
    }
}

/* Whether a counter depends on the privilege level, so that the CPU must report changes of it. */
static bool depends_on_level(const struct unit *u)
{
    for (unsigned n = 0; n < 32; n++) {
        uint32_t type = u->r->counter[n].type;

        if ((u->r->enabled >> n & 1) && (u->r->control & CR_E) &&
            (!(type & TYPE_P) != !(type & TYPE_NSK) || !(type & TYPE_U) != !(type & TYPE_NSU)))
            return true;
    }
    return false;
}

/* The counter of a register in a row of 32, or NULL. */
static struct counter *counter_at(struct unit *u, uint32_t reg, uint32_t row)
{
    return reg >= row && reg < row + 32 && (ALL >> (reg - row) & 1) ? &u->r->counter[reg - row]
                                                                    : NULL;
}

static struct unit *unit_of(struct arm_pmu *pmu, unsigned cpu)
{
    return cpu < DEVICE_MAX_CPUS && (pmu->served >> cpu & 1) ? &pmu->unit[cpu] : NULL;
}

static uint64_t port_read(void *dev, unsigned cpu, uint32_t reg)
{
    struct arm_pmu *pmu = dev;
    struct unit *u = unit_of(pmu, cpu);
    const struct counter *c;

    if (!u)
        return 0;
    settle_counters(u, cpu_counts(u));
    c = counter_at(u, reg, ARM_PMU_COUNTER);
    if (c)
        return c->value;
    c = counter_at(u, reg, ARM_PMU_TYPE);
    if (c)
        return c->type;
    switch (reg) {
    case ARM_PMU_CONTROL:
        return pmu->id | CR_N | u->r->control;
    case ARM_PMU_ENABLE:
    case ARM_PMU_DISABLE:
        return u->r->enabled;
    case ARM_PMU_OVERFLOW:
    case ARM_PMU_OVERFLOW_CLEAR:
        return u->r->overflow;
    case ARM_PMU_INTERRUPT:
    case ARM_PMU_INTERRUPT_CLEAR:
        return u->r->interrupts;
    case ARM_PMU_EVENTS:
        return 1u << EV_SW_INCR | 1u << EV_INST_RETIRED | 1u << EV_CPU_CYCLES;
    case ARM_PMU_FILTERS:
        return depends_on_level(u);
    }
    return 0;
}

static void write_register(struct unit *u, uint32_t reg, uint64_t value)
{
    struct counter *c = counter_at(u, reg, ARM_PMU_COUNTER);
    uint32_t word = (uint32_t)value;

    if (c)
        c->value = c == &u->r->counter[CYCLES] ? value : word;
    c = counter_at(u, reg, ARM_PMU_TYPE);
    if (c)
        c->type = word & TYPE_KEEPS;
    switch (reg) {
    case ARM_PMU_CONTROL:
        write_control(u, word);
        break;
    case ARM_PMU_ENABLE:
        u->r->enabled |= word & ALL;
        break;
    case ARM_PMU_DISABLE:
        u->r->enabled &= ~word;
        break;
    case ARM_PMU_OVERFLOW:
        u->r->overflow |= word & ALL;
        break;
    case ARM_PMU_OVERFLOW_CLEAR:
        u->r->overflow &= ~word;
        break;
    case ARM_PMU_INTERRUPT:
        u->r->interrupts |= word & ALL;
        break;
    case ARM_PMU_INTERRUPT_CLEAR:
        u->r->interrupts &= ~word;
        break;
    case ARM_PMU_INCREMENT:
        add_software_increment(u, word);
        break;
    case ARM_PMU_LEVEL:
        u->r->level = word != 0;
        break;
    }
}

static void port_write(void *dev, unsigned cpu, uint32_t reg, uint64_t value)
{
    struct unit *u = unit_of(dev, cpu);
    struct device_counts now;

    if (!u)
        return;
    now = cpu_counts(u);
    now.insns += now.within; /* what is written holds from the next instruction on */
    now.ticks += now.within;
    settle_counters(u, now);
    write_register(u, reg, value);
    start_anew(u, &now);
    u->wait = 0;
    plan_overflow(u, &now);
}

static bool port_cpu(const void *dev, unsigned cpu)
{
    return ((const struct arm_pmu *)dev)->served >> cpu & 1;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void reset_arm_pmu(void *dev)
{
    struct arm_pmu *pmu = dev;

    for (unsigned cpu = 0; cpu < DEVICE_MAX_CPUS; cpu++) {
        struct unit *u = unit_of(pmu, cpu);
        struct device_counts now;

        if (!u)
            continue;
        *u->r = (struct registers){.level = 1};
        u->wait = 0;
        now = cpu_counts(u);
        settle_counters(u, now);
        plan_overflow(u, &now);
    }
}

static void post_load(void *dev, struct error *err)
{
    struct arm_pmu *pmu = dev;

    (void)err;
    for (unsigned cpu = 0; cpu < DEVICE_MAX_CPUS; cpu++) {
        struct unit *u = unit_of(pmu, cpu);
        struct device_counts now;

        if (!u)
            continue;
        now = cpu_counts(u);
        plan_overflow(u, &now);
    }
}

static void destroy_arm_pmu(void *dev)
{
    struct arm_pmu *pmu = dev;

    for (unsigned cpu = 0; cpu < DEVICE_MAX_CPUS; cpu++)
        clock_cancel(pmu->env->clock, &pmu->unit[cpu].event);
    free(pmu);
}

/* The CPU to which the index-th interrupt belongs. */
static unsigned cpu_of(const struct device_env *env, unsigned index)
{
    uint32_t phandle;
    unsigned cpu = index;

    if (!device_prop_u32(env, "interrupt-affinity", index, &phandle))
        return index;
    return env->cpu_by_phandle && env->cpu_by_phandle(env->opaque, phandle, &cpu) ? cpu
                                                                                  : DEVICE_MAX_CPUS;
}

/* Implementer and identification code, in PMCR's layout. */
static uint32_t id_of(const char *compatible)
{
    static const struct {
        const char *compatible;
        uint32_t id;
    } ids[] = {
        {"arm,cortex-a15-pmu", 0x410f0000},
        {"arm,cortex-a57-pmu", 0x41010000},
        {"arm,cortex-a72-pmu", 0x41020000},
        {"arm,cortex-a53-pmu", 0x41030000},
    };

    for (unsigned i = 0; i < ARRAY_SIZE(ids); i++) {
        if (!strcmp(compatible, ids[i].compatible))
            return ids[i].id;
    }
    return 0x41000000;
}

/* Whether the only interrupt is private to each CPU. */
static bool is_private(const struct device_env *env)
{
    const struct irq_line *line = env->irq_cpu;

    return env->irq_count == 1 && line && env->cpu_count > 1 &&
           (line[0].set != line[1].set || line[0].opaque != line[1].opaque ||
            line[0].n != line[1].n);
}

/* Assigns the index-th interrupt to the CPU: the CPU's own line if it is private. */
static void assign_interrupt(struct arm_pmu *pmu, unsigned cpu, unsigned index)
{
    const struct device_env *env = pmu->env;

    if (cpu >= env->cpu_count || cpu >= DEVICE_MAX_CPUS)
        return;
    pmu->served |= 1u << cpu;
    pmu->unit[cpu].irq = env->irq_cpu ? device_irq_cpu(env, index, cpu) : device_irq(env, index);
}

/* Assigns a private interrupt to all CPUs, or to those that interrupt-affinity names. */
static void serve_private(struct arm_pmu *pmu)
{
    const struct device_env *env = pmu->env;
    uint32_t phandle;
    bool named = device_prop_u32(env, "interrupt-affinity", 0, &phandle);

    for (unsigned i = 0; i < env->cpu_count; i++) {
        if (!named || device_prop_u32(env, "interrupt-affinity", i, &phandle))
            assign_interrupt(pmu, cpu_of(env, i), 0);
    }
}

static void serve_all(struct arm_pmu *pmu)
{
    const struct device_env *env = pmu->env;

    if (!env->irq_count)
        assign_interrupt(pmu, env->cpu, 0);
    if (is_private(env)) {
        serve_private(pmu);
        return;
    }
    for (unsigned i = 0; i < env->irq_count; i++)
        assign_interrupt(pmu, cpu_of(env, i), i);
}

static void *create_arm_pmu(const struct device_env *env, struct error *err)
{
    struct arm_pmu *pmu = xcalloc(1, sizeof(*pmu));

    (void)err;
    pmu->env = env;
    pmu->id = id_of(env->compatible);
    serve_all(pmu);
    for (unsigned cpu = 0; cpu < DEVICE_MAX_CPUS; cpu++) {
        pmu->unit[cpu].pmu = pmu;
        pmu->unit[cpu].r = &pmu->registers[cpu];
        pmu->unit[cpu].cpu = cpu;
        event_init(&pmu->unit[cpu].event, on_planned_look, &pmu->unit[cpu]);
    }
    return pmu;
}

static const char *const compatible[] = {
    "arm,cortex-a15-pmu", "arm,cortex-a57-pmu", "arm,cortex-a72-pmu",
    "arm,cortex-a53-pmu", "arm,armv8-pmuv3",    NULL,
};

static const struct state_field fields[] = {
    STATE_FIELD(struct arm_pmu, registers),
    STATE_END,
};

const struct device_class arm_pmu_class = {
    .name = "arm_pmu",
    .summary = "Arm performance monitors of each CPU",
    .compatible = compatible,
    .fields = fields,
    .create = create_arm_pmu,
    .reset = reset_arm_pmu,
    .destroy = destroy_arm_pmu,
    .post_load = post_load,
    .port = CPU_PORT_COUNTERS,
    .port_read = port_read,
    .port_write = port_write,
    .port_cpu = port_cpu,
};
