/*
 * RISC-V core-local interruptor: software interrupts and timers of the harts, and the time that
 * they read.
 *
 * The memory-mapped registers are machine mode's. Supervisor mode's are CSRs (stimecmp, and SSIP,
 * STIP and SEIP of mip), which descriptions access at CPU_PORT_TIMER by the numbers of enum
 * riscv_port_reg.
 *
 * Regions     reg[0], 48 KB: msip, mtimecmp, mtime
 * Interrupts  [2n] machine software, [2n + 1] machine timer interrupt of the n-th hart; supervisor
 *             mode's are inputs of the hart by number
 * Clocks      property timebase-frequency of /cpus, else 10 MHz
 * Bounds      an access touches one hart's timer, a write of mtime all; a timer has one event,
 *             which fires once and is planned anew only for a later time
 * Manual      SiFive E31 Core Complex Manual, chapter "Core-Local Interruptor"; RISC-V ACLINT
 *             specification; RISC-V "Sstc" extension
 */
#include <stdlib.h>

#include "common/prelude/cpu.h"
#include "riscv_board.h"
#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"
#include "runtime/dev/generic_timer.h"

enum {
    CLINT_MSIP = 0x0000,
    CLINT_MTIMECMP = 0x4000,
    CLINT_MTIME = 0xbff8,
    CLINT_SIZE = 0xc000,
};
#define DEFAULT_HZ UINT64_C(10000000)

enum { MACHINE, SUPERVISOR, TIMERS };

struct clint {
    uint32_t msip[DEVICE_MAX_CPUS], ssip[DEVICE_MAX_CPUS], stip[DEVICE_MAX_CPUS];
    uint32_t seip[DEVICE_MAX_CPUS];
    uint64_t compare[DEVICE_MAX_CPUS][TIMERS];
    uint64_t offset; /* clock ticks - time */

    const struct device_env *env;
    struct device_seen seen;
    struct generic_timer timers[DEVICE_MAX_CPUS][TIMERS];
    struct irq_or sti[DEVICE_MAX_CPUS]; /* comparison or STIP */
    struct irq_line stip_line[DEVICE_MAX_CPUS];
};

/* ---- the parts of a hart --------------------------------------------------------------------- */

static uint64_t time_now(const struct clint *clint)
{
    return generic_timer_count(&clint->timers[0][MACHINE]);
}

static void set_compare(struct clint *clint, unsigned hart, unsigned which, uint64_t value)
{
    clint->compare[hart][which] = value;
    generic_timer_set_cval(&clint->timers[hart][which], value);
}

static void set_time(struct clint *clint, uint64_t value)
{
    clint->offset += time_now(clint) - value;
    for (unsigned hart = 0; hart < clint->env->cpu_count; hart++) {
        for (unsigned i = 0; i < TIMERS; i++)
            generic_timer_set_offset(&clint->timers[hart][i], clint->offset);
    }
}

/* Drives the lines that software sets. */
static void drive_lines(struct clint *clint, unsigned hart)
{
    struct irq_line msi = device_irq(clint->env, 2 * hart);
    struct irq_line ssi = device_cpu_input(clint->env, hart, RISCV_INPUT_SSI);
    struct irq_line sei = device_cpu_input(clint->env, hart, RISCV_INPUT_SEIP);

    irq_set(&msi, clint->msip[hart]);
    irq_set(&ssi, clint->ssip[hart]);
    irq_set(&sei, clint->seip[hart]);
    irq_set(&clint->stip_line[hart], clint->stip[hart]);
}

/* ---- machine mode: registers in memory ------------------------------------------------------- */

/* The bytes of a 64-bit register that an access at `offset` reads. */
static uint64_t part_of_register(uint64_t value, uint64_t offset, unsigned size)
{
    return size == 8 ? value : value >> (offset & 4) * 8 & UINT32_MAX;
}

/* The register after an access has written `size` bytes of it at `offset`. */
static uint64_t merge_written(uint64_t old, uint64_t offset, unsigned size, uint64_t value)
{
    uint64_t mask = size == 8 ? UINT64_MAX : (uint64_t)UINT32_MAX << (offset & 4) * 8;

    return (old & ~mask) | (value << (offset & 4) * 8 & mask);
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct clint *clint = opaque;
    uint64_t hart = (offset - CLINT_MTIMECMP) / 8;

    (void)cpu;
    if (offset >= CLINT_MTIME)
        return part_of_register(time_now(clint), offset, size);
    if (offset >= CLINT_MTIMECMP && hart < clint->env->cpu_count)
        return part_of_register(clint->compare[hart][MACHINE], offset, size);
    if (offset / 4 < clint->env->cpu_count)
        return clint->msip[offset / 4];
    device_log_unimp(clint->env, &clint->seen, "clint", offset, false, 0);
    return 0;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct clint *clint = opaque;
    uint64_t hart = (offset - CLINT_MTIMECMP) / 8;

    (void)cpu;
    if (offset >= CLINT_MTIME) {
        set_time(clint, merge_written(time_now(clint), offset, size, value));
    } else if (offset >= CLINT_MTIMECMP && hart < clint->env->cpu_count) {
        set_compare(clint, (unsigned)hart, MACHINE,
                    merge_written(clint->compare[hart][MACHINE], offset, size, value));
    } else if (offset / 4 < clint->env->cpu_count) {
        clint->msip[offset / 4] = value & 1;
        drive_lines(clint, (unsigned)(offset / 4));
    } else {
        device_log_unimp(clint->env, &clint->seen, "clint", offset, true, value);
    }
}

static const struct mmio_ops ops = {read_register, write_register, 4, 8};

/* ---- supervisor mode: what stands behind CSRs ------------------------------------------------ */

static uint64_t port_read(void *dev, unsigned cpu, uint32_t reg)
{
    struct clint *clint = dev;

    if (cpu >= clint->env->cpu_count)
        return 0;
    switch (reg) {
    case RISCV_PORT_TIME:
        return time_now(clint);
    case RISCV_PORT_STIMECMP:
        return clint->compare[cpu][SUPERVISOR];
    case RISCV_PORT_SSIP:
        return clint->ssip[cpu];
    case RISCV_PORT_STIP:
        return clint->stip[cpu];
    case RISCV_PORT_SEIP:
        return clint->seip[cpu];
    }
    return 0;
}

static void port_write(void *dev, unsigned cpu, uint32_t reg, uint64_t value)
{
    struct clint *clint = dev;

    if (cpu >= clint->env->cpu_count)
        return;
    switch (reg) {
    case RISCV_PORT_STIMECMP:
        set_compare(clint, cpu, SUPERVISOR, value);
        break;
    case RISCV_PORT_SSIP:
        clint->ssip[cpu] = value & 1;
        break;
    case RISCV_PORT_STIP:
        clint->stip[cpu] = value & 1;
        break;
    case RISCV_PORT_SEIP:
        clint->seip[cpu] = value & 1;
        break;
    }
    drive_lines(clint, cpu);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Drives timers and lines from the state. */
static void apply_state(struct clint *clint)
{
    for (unsigned hart = 0; hart < clint->env->cpu_count; hart++) {
        for (unsigned i = 0; i < TIMERS; i++) {
            struct generic_timer *t = &clint->timers[hart][i];

            t->offset = clint->offset;
            t->cval = clint->compare[hart][i];
            generic_timer_set_ctl(t, GENERIC_TIMER_ENABLE);
        }
        drive_lines(clint, hart);
    }
}

static void reset_clint(void *dev)
{
    struct clint *clint = dev;

    for (unsigned hart = 0; hart < DEVICE_MAX_CPUS; hart++) {
        clint->msip[hart] = clint->ssip[hart] = clint->stip[hart] = clint->seip[hart] = 0;
        for (unsigned i = 0; i < TIMERS; i++)
            clint->compare[hart][i] = UINT64_MAX; /* never */
    }
    clint->offset = 0;
    apply_state(clint);
}

static void post_load(void *dev, struct error *err)
{
    struct clint *clint = dev;

    (void)err;
    for (unsigned hart = 0; hart < DEVICE_MAX_CPUS; hart++) {
        clint->msip[hart] &= 1;
        clint->ssip[hart] &= 1;
        clint->stip[hart] &= 1;
        clint->seip[hart] &= 1;
    }
    apply_state(clint);
}

static void destroy_clint(void *dev)
{
    struct clint *clint = dev;

    for (unsigned hart = 0; hart < clint->env->cpu_count; hart++) {
        for (unsigned i = 0; i < TIMERS; i++)
            clock_cancel(clint->env->clock, &clint->timers[hart][i].event);
    }
    free(clint);
}

static void make_timers(struct clint *clint, unsigned hart, uint64_t hz)
{
    const struct device_env *env = clint->env;
    struct irq_line compared;

    clint->sti[hart].out = device_cpu_input(env, hart, RISCV_INPUT_STI);
    irq_or_input(&clint->sti[hart], &compared);
    irq_or_input(&clint->sti[hart], &clint->stip_line[hart]);
    generic_timer_init(&clint->timers[hart][MACHINE], env->clock, hz,
                       device_irq(env, 2 * hart + 1));
    generic_timer_init(&clint->timers[hart][SUPERVISOR], env->clock, hz, compared);
}

static void *create_clint(const struct device_env *env, struct error *err)
{
    struct clint *clint;
    uint32_t hz;

    if (!env->cpu_count || env->cpu_count > DEVICE_MAX_CPUS)
        return device_error(env, err, "timers for 1 to %d harts exist, not for %u", DEVICE_MAX_CPUS,
                            env->cpu_count);
    clint = xcalloc(1, sizeof(*clint));
    clint->env = env;
    if (!device_prop_u32(env, "/cpus/timebase-frequency", 0, &hz) || !hz)
        hz = DEFAULT_HZ;
    for (unsigned hart = 0; hart < env->cpu_count; hart++)
        make_timers(clint, hart, hz);
    return device_start(env, CLINT_SIZE, &ops, clint, reset_clint, err);
}

static const char *const compatible[] = {"riscv,clint0", "sifive,clint0", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct clint, msip),
    STATE_FIELD(struct clint, ssip),
    STATE_FIELD(struct clint, stip),
    STATE_FIELD(struct clint, seip),
    STATE_FIELD(struct clint, compare),
    STATE_FIELD(struct clint, offset),
    STATE_END,
};

const struct device_class clint_class = {
    .name = "clint",
    .summary = "RISC-V core-local interruptor: time, timers, software interrupts",
    .compatible = compatible,
    .fields = fields,
    .create = create_clint,
    .reset = reset_clint,
    .destroy = destroy_clint,
    .post_load = post_load,
    .port = CPU_PORT_TIMER,
    .port_read = port_read,
    .port_write = port_write,
};
