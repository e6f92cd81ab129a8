/*
 * Arm Mali GPU with a job manager.
 *
 * Regions     reg[0], 16 KB of registers: control block, job manager, MMU
 * Interrupts  by name: job, mmu, gpu (without names: in this order)
 * Clocks      none is used: the machine's supply (supply.h) has the GPU's frequency
 * Sources     Linux, drivers/gpu/drm/panfrost: how a driver uses the registers
 *
 * The machine selects the GPU in env->gpu. Registers are in descriptions/mali/layouts.
 */
#include "runtime/gpu/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mali_layout.h"
#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/inspect.h"
#include "runtime/gpu/internal.h"

/* ---- events and interrupts ------------------------------------------------------------------- */

static void on_event(void *opaque)
{
    struct gpu_timer *timer = opaque;
    struct gpu *gpu = timer->gpu;

    gpu->due[timer->what] = CLOCK_NEVER;
    if (timer->what == GPU_EVENT_JOBS)
        gpu_jobs_event(gpu);
    else if (timer->what == GPU_EVENT_REPLAY)
        gpu_jobs_replay(gpu);
    else
        gpu_control_event(gpu, timer->what);
}

/* The interrupt line with that name in the device tree, or else number `fallback`. */
static struct irq_line line_named(const struct device_env *env, const char *name, unsigned fallback)
{
    size_t len, at = 0;
    const char *names = device_prop(env, "interrupt-names", &len);

    for (unsigned i = 0; names && at < len; i++) {
        size_t n = strnlen(names + at, len - at);

        if (n == strlen(name) && !strncasecmp(names + at, name, n))
            return device_irq(env, i);
        at += n + 1;
    }
    return names ? (struct irq_line){0} : device_irq(env, fallback);
}

/* ---- registers ------------------------------------------------------------------------------- */

static void trace_register(const struct gpu *gpu, const char *what, uint32_t offset, uint32_t value)
{
    struct log *log = gpu->env->log;

    log_printf(log, LOG_GPU_REG, "gpu: %12" PRIu64 " %s ", clock_now(gpu->env->clock), what);
    mali_register_print(log->out ? log->out : stderr, offset, value);
    log_printf(log, LOG_GPU_REG, "\n");
}

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct gpu *gpu = opaque;
    uint32_t at = (uint32_t)offset, value = 0;

    (void)size;
    gpu->cpu = cpu;
    gpu->counts.register_reads++;
    gpu_observe_access(gpu, false);
    if (!gpu_control_read(gpu, at, &value) && !gpu_perfcnt_read(gpu, at, &value) &&
        !gpu_jobs_read(gpu, at, &value) && !gpu_mmu_read(gpu, at, &value))
        device_log_unimp(gpu->env, &gpu->unknown, "gpu", offset, false, 0);
    if (log_enabled(gpu->env->log, LOG_GPU_REG))
        trace_register(gpu, "read ", at, value);
    return value;
}

/* Writes a register of the MMU, and resumes the jobs that waited for what it changes. */
static bool write_mmu(struct gpu *gpu, uint32_t offset, uint32_t value)
{
    struct gpu_mmu_change change = {0};

    if (!gpu_mmu_write(gpu, offset, value, &change))
        return false;
    for (unsigned space = 0; space < GPU_MAX_SPACES; space++) {
        if (change.translations >> space & 1)
            gpu_jobs_replay_later(gpu, space);
        if (change.faults_read >> space & 1)
            gpu_jobs_retry(gpu, space);
    }
    return true;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct gpu *gpu = opaque;
    uint32_t at = (uint32_t)offset, word = (uint32_t)value;

    (void)size;
    gpu->cpu = cpu;
    gpu->counts.register_writes++;
    gpu_observe_access(gpu, true);
    if (log_enabled(gpu->env->log, LOG_GPU_REG))
        trace_register(gpu, "write", at, word);
    if (!gpu_control_write(gpu, at, word) && !gpu_perfcnt_write(gpu, at, word) &&
        !gpu_jobs_write(gpu, at, word) && !write_mmu(gpu, at, word))
        device_log_unimp(gpu->env, &gpu->unknown, "gpu", offset, true, value);
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

/* ---- statistics ------------------------------------------------------------------------------ */

const struct gpu_stats *gpu_device_stats(void *dev)
{
    const struct gpu *gpu = dev;

    return gpu->cores ? gpu_cores_stats(gpu->cores) : NULL;
}

void gpu_device_inspect(void *dev, const struct gpu_inspector *in)
{
    struct gpu *gpu = dev;

    if (gpu->cores)
        gpu_cores_inspect(gpu->cores, in);
}

const uint8_t *gpu_device_find(void *dev, unsigned space, uint64_t va)
{
    struct gpu *gpu = dev;
    const struct gpu_address_space *as;
    struct gpu_page page = {0};
    uint32_t code;

    if (space >= GPU_MAX_SPACES || !gpu_mmu_enabled(gpu, space))
        return NULL;
    as = gpu_mmu_enter(gpu, space);
    code = as->translate(as->opaque, va, GPU_ACCESS_READ, &page);
    gpu_mmu_leave(gpu, space);
    return code || !page.host || !page.bytes ? NULL : page.host + (va & (page.bytes - 1));
}

static void count_jobs(struct gpu *gpu)
{
    for (unsigned type = 0; type < GPU_CHAIN_TYPES; type++) {
        const char *text = gpu_chain_type_name(type);
        char name[40];

        if (type == MALI_JOB_TYPE_NOT_STARTED || !strcmp(text, "unknown"))
            continue;
        snprintf(name, sizeof(name), "jobs_%s", text);
        for (char *space = name; (space = strchr(space, ' ')) != NULL;)
            *space = '_';
        stats_add(gpu->env->stats, "gpu", name, &gpu->chains.jobs[type]);
    }
}

static void register_stats(struct gpu *gpu)
{
    const struct {
        const char *name;
        const uint64_t *counter;
    } counters[] = {
        {"register_reads", &gpu->counts.register_reads},
        {"register_writes", &gpu->counts.register_writes},
        {"interrupts", &gpu->counts.interrupts},
        {"resets", &gpu->counts.resets},
        {"job_chains", &gpu->chains.chains},
        {"jobs_failed", &gpu->chains.failed},
        {"jobs_stopped", &gpu->chains.stopped},
        {"waits_for_a_page", &gpu->chains.page_faults},
        {"cycles", &gpu->chains.cycles},
    };

    for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
        stats_add(gpu->env->stats, "gpu", counters[i].name, counters[i].counter);
    count_jobs(gpu);
    if (gpu->cores)
        gpu_jobs_register_cores(gpu);
    if (gpu->cores)
        gpu_stats_register(gpu_cores_stats(gpu->cores), gpu->env->stats, "gpu/shader");
    if (gpu->cores && gpu_model_counters(gpu->cores))
        gpu_model_register(gpu->cores, gpu->env->stats);
    if (gpu_metered(gpu))
        gpu_meter_register(gpu);
}

/* ---- the device ------------------------------------------------------------------------------ */

static void reset_gpu(void *opaque)
{
    struct gpu *gpu = opaque;

    gpu_supply_set(gpu->supply, gpu->supply->offers[gpu->supply->initial].at);
    gpu_meter_reset(gpu);
    for (unsigned i = 0; i < GPU_EVENT_COUNT; i++)
        gpu_unplan(gpu, i);
    gpu_jobs_reset(gpu);
    gpu_mmu_reset(gpu);
    gpu_control_reset(gpu);
    for (unsigned i = 0; i < GPU_OUTPUTS; i++) {
        gpu->irq[i] = (struct gpu_irq){0};
        gpu_drive(gpu, i);
    }
}

static void post_load(void *opaque, struct error *err)
{
    struct gpu *gpu = opaque;

    (void)err;
    for (unsigned i = 0; i < GPU_EVENT_COUNT; i++) {
        if (gpu->due[i] == CLOCK_NEVER)
            clock_cancel(gpu->env->clock, &gpu->timer[i].event);
        else
            clock_add(gpu->env->clock, &gpu->timer[i].event, gpu->due[i]);
    }
    gpu_meter_post_load(gpu);
    gpu_mmu_post_load(gpu);
    gpu_jobs_post_load(gpu);
    for (unsigned i = 0; i < GPU_OUTPUTS; i++)
        gpu_drive(gpu, i);
}

static void destroy_gpu(void *opaque)
{
    struct gpu *gpu = opaque;

    gpu_supply_disconnect(gpu);
    for (unsigned i = 0; i < GPU_EVENT_COUNT; i++)
        clock_cancel(gpu->env->clock, &gpu->timer[i].event);
    gpu_jobs_destroy(gpu);
    gpu_mmu_destroy(gpu);
    gpu_cores_free(gpu->cores);
    gpu_kernels_free(gpu->kernels);
    free(gpu);
}

static void connect_lines(struct gpu *gpu)
{
    gpu->line[GPU_OUTPUT_JOB] = line_named(gpu->env, "job", GPU_OUTPUT_JOB);
    gpu->line[GPU_OUTPUT_MMU] = line_named(gpu->env, "mmu", GPU_OUTPUT_MMU);
    gpu->line[GPU_OUTPUT_GPU] = line_named(gpu->env, "gpu", GPU_OUTPUT_GPU);
    for (unsigned i = 0; i < GPU_EVENT_COUNT; i++) {
        gpu->timer[i].gpu = gpu;
        gpu->timer[i].what = i;
        event_init(&gpu->timer[i].event, on_event, &gpu->timer[i]);
    }
}

static void *create_gpu(const struct device_env *env, struct error *err)
{
    struct gpu *gpu;

    if (!env->gpu || !env->gpu->variant)
        return device_error(env, err, "the machine does not say which GPU it has");
    gpu = xcalloc(1, sizeof(*gpu));
    gpu->env = env;
    gpu->variant = env->gpu->variant;
    gpu->kernels = gpu_kernels_new(env->gpu->isa);
    connect_lines(gpu);
    gpu_supply_connect(gpu);
    if (env->gpu->isa)
        gpu->cores = gpu_cores_new(gpu->variant, env->gpu->isa, env->gpu->threads);
    if (gpu->cores) {
        gpu_cores_set_leaving(gpu->cores, env->gpu->leaving);
        gpu_cores_translate(gpu->cores, env->gpu->translate_after);
    }
    if (gpu->cores && env->gpu->describe_shaders)
        gpu_cores_describe_shaders(gpu->cores);
    gpu_mmu_create(gpu);
    if ((env->gpu->isa && !gpu->cores) || !gpu_jobs_create(gpu)) {
        destroy_gpu(gpu);
        return device_error(env, err, "out of memory");
    }
    if (gpu->cores && env->gpu->keep_code &&
        !gpu_cores_keep_code(gpu->cores, env->gpu->code_folder, err)) {
        destroy_gpu(gpu);
        return NULL;
    }
    if (gpu->cores && env->gpu->timed && !gpu_cores_model(gpu->cores, env->gpu->fidelity, err)) {
        destroy_gpu(gpu);
        return NULL;
    }
    if (gpu_metered(gpu) && gpu_model_counters(gpu->cores))
        gpu_model_power(gpu->cores);
    gpu_observe_stays(gpu);
    if (gpu->cores && env->gpu->cores_made)
        env->gpu->cores_made(env->gpu->made_opaque, gpu->cores);
    if (!gpu_record_open(gpu, err) || !device_map(env, 0, 0, &ops, gpu, err)) {
        destroy_gpu(gpu);
        return NULL;
    }
    register_stats(gpu);
    reset_gpu(gpu);
    return gpu;
}

static const char *const compatible[] = {"arm,mali-*", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct gpu, irq),
    STATE_FIELD(struct gpu, due),
    STATE_FIELD(struct gpu, control),
    STATE_FIELD(struct gpu, perfcnt),
    STATE_FIELD(struct gpu, jobs.slot),
    STATE_FIELD(struct gpu, jobs.state),
    STATE_FIELD(struct gpu, jobs.throttle),
    STATE_FIELD(struct gpu, jobs.turn),
    STATE_FIELD(struct gpu, jobs.outcome),
    STATE_FIELD(struct gpu, mmu.regs),
    STATE_FIELD(struct gpu, at),
    STATE_FIELD(struct gpu, meter),
    STATE_FIELD(struct gpu, groups),
    STATE_FIELD(struct gpu, perfcnt_since),
    STATE_FIELD(struct gpu, model_since),
    STATE_FIELD(struct gpu, use),
    STATE_FIELD(struct gpu, cpu),
    STATE_END,
};

const struct device_class gpu_class = {
    .name = "gpu",
    .summary = "Arm Mali GPU (-gpu says which)",
    .compatible = compatible,
    .fields = fields,
    .create = create_gpu,
    .reset = reset_gpu,
    .destroy = destroy_gpu,
    .save = gpu_jobs_save,
    .load = gpu_jobs_load,
    .check = gpu_jobs_check,
    .post_load = post_load,
};
