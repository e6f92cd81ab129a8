/* The control block: identity, power, resets, caches, clocks. */
#include <string.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/internal.h"

/* Durations in ns, of the order that drivers see on real GPUs. */
#define RESET_NS   UINT64_C(20000)
#define POWER_NS   UINT64_C(5000)
#define COMMAND_NS UINT64_C(2000)

/* ---- clocks ---------------------------------------------------------------------------------- */

static void count_cycles(struct gpu *gpu, bool on)
{
    struct gpu_control *c = &gpu->control;

    c->cycles = gpu_cycle_count(gpu);
    c->counting = on;
    c->count_since = clock_now(gpu->env->clock);
}

/* ---- power ----------------------------------------------------------------------------------- */

/* Registers of a kind of cores: the low half of each pair. */
struct domain_registers {
    uint32_t present, ready, on, off, changing, active;
};

static const struct domain_registers domains[] = {
    [GPU_DOMAIN_SHADER] = {MALI_SHADER_PRESENT_LO, MALI_SHADER_READY_LO, MALI_SHADER_PWRON_LO,
                           MALI_SHADER_PWROFF_LO, MALI_SHADER_PWRTRANS_LO,
                           MALI_SHADER_PWRACTIVE_LO},
    [GPU_DOMAIN_TILER] = {MALI_TILER_PRESENT_LO, MALI_TILER_READY_LO, MALI_TILER_PWRON_LO,
                          MALI_TILER_PWROFF_LO, MALI_TILER_PWRTRANS_LO, MALI_TILER_PWRACTIVE_LO},
    [GPU_DOMAIN_L2] = {MALI_L2_PRESENT_LO, MALI_L2_READY_LO, MALI_L2_PWRON_LO, MALI_L2_PWROFF_LO,
                       MALI_L2_PWRTRANS_LO, MALI_L2_PWRACTIVE_LO},
    /* STACK has no PWRACTIVE register; its PRESENT register, which is never read that way, stands
     * in. */
    [GPU_DOMAIN_STACK] = {MALI_STACK_PRESENT_LO, MALI_STACK_READY_LO, MALI_STACK_PWRON_LO,
                          MALI_STACK_PWROFF_LO, MALI_STACK_PWRTRANS_LO, MALI_STACK_PWRTRANS_LO},
};

/* Whether `offset` is in the register pair at `first`, and whether it is the high half. */
static bool in_pair(uint32_t offset, uint32_t first, bool *high)
{
    *high = offset == first + 4;
    return offset == first || *high;
}

static uint64_t present_cores(const struct gpu *gpu, enum gpu_domain d)
{
    return gpu_constant(gpu, domains[d].present) |
           (uint64_t)gpu_constant(gpu, domains[d].present + 4) << 32;
}

static bool power_read(struct gpu *gpu, uint32_t offset, uint32_t *value)
{
    for (unsigned d = 0; d < GPU_DOMAINS; d++) {
        const struct domain_registers *r = &domains[d];
        const struct gpu_power *p = &gpu->control.power[d];
        bool high;

        if (in_pair(offset, r->present, &high))
            *value = gpu_half(present_cores(gpu, d), high);
        else if (in_pair(offset, r->ready, &high))
            *value = gpu_half(p->ready, high);
        else if (in_pair(offset, r->changing, &high))
            *value = gpu_half(p->rising | p->falling, high);
        else if (in_pair(offset, r->active, &high))
            *value = gpu_half(gpu_jobs_busy(gpu) ? p->ready : 0, high);
        else if (in_pair(offset, r->on, &high) || in_pair(offset, r->off, &high))
            *value = 0;
        else
            continue;
        return true;
    }
    return false;
}

/* Starts transitions. A core in transition takes the direction of the last command. A falling core
 * is no longer ready, but stays among the rising ones until it would have become so. */
static void change_power(struct gpu *gpu, enum gpu_domain d, uint64_t cores, bool on)
{
    struct gpu_power *p = &gpu->control.power[d];

    gpu_meter_advance(gpu);
    cores &= present_cores(gpu, d);
    if (on) {
        p->rising |= cores & ~p->ready;
    } else {
        p->falling |= cores & (p->ready | p->rising);
        p->rising &= ~cores;
        p->ready &= ~cores;
    }
    gpu_plan(gpu, GPU_EVENT_POWER, POWER_NS);
}

static bool power_write(struct gpu *gpu, uint32_t offset, uint32_t value)
{
    for (unsigned d = 0; d < GPU_DOMAINS; d++) {
        const struct domain_registers *r = &domains[d];
        bool high;

        if (in_pair(offset, r->on, &high))
            change_power(gpu, d, high ? (uint64_t)value << 32 : value, true);
        else if (in_pair(offset, r->off, &high))
            change_power(gpu, d, high ? (uint64_t)value << 32 : value, false);
        else
            continue;
        return true;
    }
    return false;
}

static void power_event(struct gpu *gpu)
{
    gpu_meter_advance(gpu);
    for (unsigned d = 0; d < GPU_DOMAINS; d++) {
        struct gpu_power *p = &gpu->control.power[d];

        p->ready |= p->rising;
        p->rising = p->falling = 0;
    }
    gpu_raise(gpu, GPU_OUTPUT_GPU,
              MALI_GPU_IRQ_RAWSTAT_POWER_CHANGED_SINGLE | MALI_GPU_IRQ_RAWSTAT_POWER_CHANGED_ALL);
}

/* ---- commands -------------------------------------------------------------------------------- */

static void complete_later(struct gpu *gpu, uint32_t interrupt)
{
    gpu->control.pending |= interrupt;
    gpu_plan(gpu, GPU_EVENT_COMMAND, COMMAND_NS);
}

/* Everything stops at once. The registers have their reset values when the reset is complete. */
static void start_reset(struct gpu *gpu)
{
    gpu->counts.resets++;
    log_printf(gpu->env->log, LOG_GPU, "gpu: reset\n");
    for (unsigned i = 0; i < GPU_EVENT_COUNT; i++)
        gpu_unplan(gpu, i);
    gpu_jobs_reset(gpu);
    gpu_plan(gpu, GPU_EVENT_RESET, RESET_NS);
}

static void finish_reset(struct gpu *gpu)
{
    gpu_jobs_reset(gpu);
    gpu_mmu_reset(gpu);
    gpu_control_reset(gpu);
    for (unsigned i = 0; i < GPU_OUTPUTS; i++) {
        gpu_set_mask(gpu, i, 0);
        gpu_clear(gpu, i, UINT32_MAX);
    }
    gpu_raise(gpu, GPU_OUTPUT_GPU, MALI_GPU_IRQ_RAWSTAT_RESET_COMPLETED);
}

static void run_command(struct gpu *gpu, uint32_t value)
{
    switch (value) {
    case MALI_GPU_COMMAND_NOP:
        break;
    case MALI_GPU_COMMAND_SOFT_RESET:
    case MALI_GPU_COMMAND_HARD_RESET:
        start_reset(gpu);
        break;
    case MALI_GPU_COMMAND_PRFCNT_CLEAR:
        gpu_perfcnt_clear(gpu);
        break;
    case MALI_GPU_COMMAND_PRFCNT_SAMPLE:
        gpu_perfcnt_dump(gpu);
        complete_later(gpu, MALI_GPU_IRQ_RAWSTAT_PRFCNT_SAMPLE_COMPLETED);
        break;
    case MALI_GPU_COMMAND_CYCLE_COUNT_START:
    case MALI_GPU_COMMAND_CYCLE_COUNT_STOP:
        count_cycles(gpu, value == MALI_GPU_COMMAND_CYCLE_COUNT_START);
        break;
    case MALI_GPU_COMMAND_CLEAN_INV_CACHES:
    case MALI_GPU_COMMAND_CLEAN_CACHES:
        gpu->control.flush_id += value == MALI_GPU_COMMAND_CLEAN_INV_CACHES;
        complete_later(gpu, MALI_GPU_IRQ_RAWSTAT_CLEAN_CACHES_COMPLETED);
        break;
    default:
        gpu_misused(gpu, MALI_GPU_COMMAND, "unknown command", value);
    }
}

void gpu_control_event(struct gpu *gpu, enum gpu_event what)
{
    uint32_t pending = gpu->control.pending;

    switch (what) {
    case GPU_EVENT_RESET:
        finish_reset(gpu);
        break;
    case GPU_EVENT_POWER:
        power_event(gpu);
        break;
    default:
        gpu->control.pending = 0;
        gpu_raise(gpu, GPU_OUTPUT_GPU, pending);
    }
}

void gpu_control_reset(struct gpu *gpu)
{
    gpu_meter_advance(gpu);
    gpu->control = (struct gpu_control){.count_since = clock_now(gpu->env->clock)};
    gpu->perfcnt = (struct gpu_perfcnt){0};
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t read_status(const struct gpu *gpu)
{
    uint32_t value = 0;

    if (gpu_jobs_busy(gpu))
        value |= MALI_GPU_STATUS_GPU_ACTIVE;
    for (unsigned d = 0; d < GPU_DOMAINS; d++) {
        if (gpu->control.power[d].rising | gpu->control.power[d].falling)
            value |= MALI_GPU_STATUS_POWER_ACTIVE;
    }
    if (gpu_perfcnt_active(gpu))
        value |= MALI_GPU_STATUS_PRFCNT_ACTIVE;
    if (gpu->control.counting)
        value |= MALI_GPU_STATUS_CYCLE_COUNT_ACTIVE;
    return value;
}

/* The storage of a register that has no effect here; NULL: the register is not of that kind. */
static uint32_t *inert_register(struct gpu *gpu, uint32_t offset)
{
    struct gpu_control *c = &gpu->control;

    switch (offset) {
    case MALI_PWR_OVERRIDE0:
        return &c->power_override[0];
    case MALI_PWR_OVERRIDE1:
        return &c->power_override[1];
    case MALI_COHERENCY_ENABLE:
        return &c->coherency;
    case MALI_JM_CONFIG:
        return &c->config[0];
    case MALI_SHADER_CONFIG:
        return &c->config[1];
    case MALI_TILER_CONFIG:
        return &c->config[2];
    case MALI_L2_MMU_CONFIG:
        return &c->config[3];
    }
    return NULL;
}

/* Whether a register reads as a constant of the variant, or as 0. */
static bool is_constant(const struct gpu_variant *v, uint32_t offset)
{
    for (unsigned i = 0; i < v->value_count; i++) {
        if (v->values[i].offset == offset)
            return true;
    }
    switch (offset) {
    case MALI_GPU_ID:
    case MALI_L2_FEATURES:
    case MALI_CORE_FEATURES:
    case MALI_TILER_FEATURES:
    case MALI_MEM_FEATURES:
    case MALI_MMU_FEATURES:
    case MALI_AS_PRESENT:
    case MALI_JS_PRESENT:
    case MALI_AFBC_FEATURES:
    case MALI_THREAD_MAX_THREADS:
    case MALI_THREAD_MAX_WORKGROUP_SIZE:
    case MALI_THREAD_MAX_BARRIER_SIZE:
    case MALI_THREAD_FEATURES:
    case MALI_COHERENCY_FEATURES:
    case MALI_THREAD_TLS_ALLOC:
        return true;
    }
    return false;
}

static bool state_read(struct gpu *gpu, uint32_t offset, uint32_t *value)
{
    switch (offset) {
    case MALI_GPU_IRQ_RAWSTAT:
        *value = gpu->irq[GPU_OUTPUT_GPU].raw;
        return true;
    case MALI_GPU_IRQ_MASK:
        *value = gpu->irq[GPU_OUTPUT_GPU].mask;
        return true;
    case MALI_GPU_IRQ_STATUS:
        *value = gpu_irq_status(gpu, GPU_OUTPUT_GPU);
        return true;
    case MALI_GPU_STATUS:
        *value = read_status(gpu);
        return true;
    case MALI_LATEST_FLUSH:
        *value = gpu->control.flush_id;
        return true;
    case MALI_GPU_FAULTSTATUS:
        *value = gpu->control.fault_status;
        return true;
    case MALI_GPU_FAULTADDRESS_LO:
    case MALI_GPU_FAULTADDRESS_HI:
        *value = gpu_half(gpu->control.fault_address, offset == MALI_GPU_FAULTADDRESS_HI);
        return true;
    case MALI_CYCLE_COUNT_LO:
    case MALI_CYCLE_COUNT_HI:
        *value = gpu_half(gpu_cycle_count(gpu), offset == MALI_CYCLE_COUNT_HI);
        return true;
    case MALI_TIMESTAMP_LO:
    case MALI_TIMESTAMP_HI:
        *value = gpu_half(gpu_timestamp(gpu), offset == MALI_TIMESTAMP_HI);
        return true;
    case MALI_GPU_COMMAND: /* write-only */
    case MALI_GPU_IRQ_CLEAR:
    case MALI_PWR_KEY:
        *value = 0;
        return true;
    }
    return false;
}

bool gpu_control_read(struct gpu *gpu, uint32_t offset, uint32_t *value)
{
    const uint32_t *kept = inert_register(gpu, offset);

    if (kept) {
        *value = *kept;
        return true;
    }
    if (is_constant(gpu->variant, offset)) {
        *value = gpu_constant(gpu, offset);
        return true;
    }
    return state_read(gpu, offset, value) || power_read(gpu, offset, value);
}

bool gpu_control_write(struct gpu *gpu, uint32_t offset, uint32_t value)
{
    uint32_t *kept = inert_register(gpu, offset);

    switch (offset) {
    case MALI_GPU_IRQ_RAWSTAT:
        gpu_raise(gpu, GPU_OUTPUT_GPU, value);
        return true;
    case MALI_GPU_IRQ_CLEAR:
        gpu_clear(gpu, GPU_OUTPUT_GPU, value);
        return true;
    case MALI_GPU_IRQ_MASK:
        gpu_set_mask(gpu, GPU_OUTPUT_GPU, value);
        return true;
    case MALI_GPU_COMMAND:
        run_command(gpu, value);
        return true;
    case MALI_PWR_KEY:
        gpu->control.power_key = value;
        return true;
    case MALI_PWR_OVERRIDE0:
    case MALI_PWR_OVERRIDE1:
        /* A write needs the key, which is valid once. */
        if (gpu->control.power_key != MALI_PWR_KEY_UNLOCK)
            return true;
        gpu->control.power_key = 0;
        break;
    }
    if (kept) {
        *kept = value;
        return true;
    }
    return power_write(gpu, offset, value);
}
