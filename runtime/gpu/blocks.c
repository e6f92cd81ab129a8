/*
 * What the blocks of the GPU device share: planned events, clocks, interrupt outputs, and registers
 * that are constant or used wrongly.
 */
#include <inttypes.h>

#include "mali_layout.h"
#include "runtime/dev/generic_timer.h"
#include "runtime/gpu/constants.h"
#include "runtime/gpu/internal.h"

#define HZ_PER_MHZ UINT64_C(1000000)

/* ---- time ------------------------------------------------------------------------------------ */

void gpu_plan(struct gpu *gpu, enum gpu_event what, uint64_t ns)
{
    gpu->due[what] = clock_now(gpu->env->clock) + ns;
    clock_add(gpu->env->clock, &gpu->timer[what].event, gpu->due[what]);
}

void gpu_unplan(struct gpu *gpu, enum gpu_event what)
{
    gpu->due[what] = CLOCK_NEVER;
    clock_cancel(gpu->env->clock, &gpu->timer[what].event);
}

uint64_t gpu_cycles_to_ns(const struct gpu *gpu, uint64_t cycles)
{
    uint64_t ns = clock_ticks_to_ns(cycles, gpu->at.mhz * HZ_PER_MHZ);

    return ns ? ns : 1;
}

uint64_t gpu_cycle_count(const struct gpu *gpu)
{
    const struct gpu_control *c = &gpu->control;
    uint64_t ns = clock_now(gpu->env->clock) - c->count_since;

    if (!c->counting)
        return c->cycles;
    return c->cycles + clock_ns_to_ticks(ns, gpu->at.mhz * HZ_PER_MHZ);
}

uint64_t gpu_timestamp(const struct gpu *gpu)
{
    return clock_ns_to_ticks(clock_now(gpu->env->clock), GENERIC_TIMER_HZ);
}

/* ---- interrupts ------------------------------------------------------------------------------ */

uint32_t gpu_irq_status(const struct gpu *gpu, enum gpu_output output)
{
    return gpu->irq[output].raw & gpu->irq[output].mask;
}

void gpu_drive(struct gpu *gpu, enum gpu_output output)
{
    bool level = gpu_irq_status(gpu, output) != 0;

    gpu->counts.interrupts += level && !gpu->level[output];
    if (level != gpu->level[output])
        gpu_observe_line(gpu, output, level);
    gpu->level[output] = level;
    irq_set(&gpu->line[output], level);
}

void gpu_raise(struct gpu *gpu, enum gpu_output output, uint32_t bits)
{
    gpu->irq[output].raw |= bits;
    gpu_drive(gpu, output);
}

void gpu_clear(struct gpu *gpu, enum gpu_output output, uint32_t bits)
{
    gpu->irq[output].raw &= ~bits;
    gpu_drive(gpu, output);
}

void gpu_set_mask(struct gpu *gpu, enum gpu_output output, uint32_t mask)
{
    gpu->irq[output].mask = mask;
    gpu_drive(gpu, output);
}

/* ---- registers and counters ------------------------------------------------------------------ */

uint32_t gpu_constant(const struct gpu *gpu, uint32_t offset)
{
    return gpu_variant_register(gpu->variant, offset);
}

void gpu_misused(struct gpu *gpu, uint32_t offset, const char *what, uint32_t value)
{
    unsigned reg = offset / 4 % 1024;

    if (gpu->misused.bits[reg / 32] >> (reg % 32) & 1)
        return;
    gpu->misused.bits[reg / 32] |= UINT32_C(1) << (reg % 32);
    device_log_guest(gpu->env, "%s: %#" PRIx32 " at offset %#" PRIx32, what, value, offset);
}

const struct gpu_counters *gpu_work(const struct gpu *gpu)
{
    static const struct gpu_counters none;

    return gpu->cores ? gpu_stats_total(gpu_cores_stats(gpu->cores)) : &none;
}
