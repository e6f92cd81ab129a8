/* Tells observers and the log what the GPU does. */
#include <inttypes.h>
#include <stdio.h>

#include "mali_layout.h"
#include "runtime/gpu/internal.h"

#define for_each_observer(gpu, o) \
    for (const struct gpu_observer *o = (gpu)->env->gpu->observers; o; o = o->next)

bool gpu_observed(const struct gpu *gpu)
{
    return gpu->env->gpu->observers || log_enabled(gpu->env->log, LOG_GPU_JOB);
}

/* ---- chains ---------------------------------------------------------------------------------- */

void gpu_observe_submit(struct gpu *gpu, unsigned slot)
{
    gpu->jobs.times[slot].next_ns = clock_now(gpu->env->clock);
    gpu->jobs.times[slot].cpu = gpu->cpu;
}

void gpu_observe_chain(struct gpu *gpu, unsigned slot)
{
    struct gpu_slot_times *t = &gpu->jobs.times[slot];

    t->submit_ns = t->next_ns;
    t->submit_cpu = t->cpu;
    t->chain_ns = clock_now(gpu->env->clock);
    t->job_running = t->ended = false;
}

void gpu_observe_chain_end(struct gpu *gpu, unsigned slot, unsigned space)
{
    const struct gpu_slot_times *t = &gpu->jobs.times[slot];
    const struct gpu_chain_note note = {
        .slot = slot,
        .space = space,
        .head = gpu->jobs.slot[slot].head,
        .status = gpu->jobs.slot[slot].status,
        .submit_ns = t->submit_ns,
        .cpu = t->submit_cpu,
        .begin_ns = t->chain_ns,
        .end_ns = clock_now(gpu->env->clock),
    };

    for_each_observer(gpu, o)
    {
        if (o->chain)
            o->chain(o->opaque, &note);
    }
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static const char *result_of(uint32_t status)
{
    return status == MALI_EXCEPTION_DONE         ? "done"
           : status == MALI_EXCEPTION_STOPPED    ? "stopped"
           : status == MALI_EXCEPTION_TERMINATED ? "terminated"
                                                 : "failed";
}

void gpu_job_describe(const struct gpu_job_note *j, const char *name, char *text)
{
    char kernel[200] = "", size[100] = "", cores[40] = "";

    if (j->shape.shader)
        snprintf(kernel, sizeof(kernel), " kernel %016" PRIx64 "%s%s,", j->hash, name ? " " : "",
                 name ? name : "");
    if (j->shape.shader)
        snprintf(size, sizeof(size),
                 " %" PRIu32 "x%" PRIu32 "x%" PRIu32 " groups of %" PRIu32 "x%" PRIu32 "x%" PRIu32
                 ",",
                 j->shape.groups[0], j->shape.groups[1], j->shape.groups[2], j->shape.local[0],
                 j->shape.local[1], j->shape.local[2]);
    if (j->cores)
        snprintf(cores, sizeof(cores), " cores %#" PRIx64 ",", j->cores);
    snprintf(text, GPU_JOB_TEXT,
             "%" PRIu64 ".%09" PRIu64 " s: slot %u, space %u, %s job %u at %#" PRIx64
             ":%s%s%s %" PRIu64 " cycles, %" PRIu64 " ns, %s (%#" PRIx32 ")",
             j->begin_ns / NS_PER_SEC, j->begin_ns % NS_PER_SEC, j->slot, j->space, j->kind,
             j->index, j->header, kernel, size, cores, j->cycles, j->end_ns - j->begin_ns,
             result_of(j->status), j->status);
}

static void log_job(const struct gpu *gpu, const struct gpu_job_note *j)
{
    const struct gpu_config *config = gpu->env->gpu;
    char text[GPU_JOB_TEXT];

    if (!log_enabled(gpu->env->log, LOG_GPU_JOB))
        return;
    gpu_job_describe(
        j,
        config->kernel_name && j->hash ? config->kernel_name(config->kernel_opaque, j->hash) : NULL,
        text);
    log_printf(gpu->env->log, LOG_GPU_JOB, "gpu_job: %s\n", text);
}

static void tell_job(struct gpu *gpu, unsigned slot, unsigned space, uint64_t end_ns)
{
    const struct gpu_slot_times *t = &gpu->jobs.times[slot];
    struct gpu_job_note note = {
        .slot = slot,
        .space = space,
        .kind = gpu_chain_type_name(t->job.type),
        .index = t->job.index,
        .header = t->job.address,
        .status = t->job.status,
        .cycles = t->job.cycles,
        .begin_ns = t->job_ns,
        .end_ns = end_ns,
        .shape = t->job.shape,
        .cores = t->job.cores == gpu->variant->shader_present ? 0 : t->job.cores,
        .as = &gpu->mmu.space[space].view,
    };

    if (!gpu_observed(gpu))
        return;
    if (note.shape.shader && gpu_metered(gpu))
        note.core_energy = gpu->job_core;
    if (note.shape.shader)
        note.hash = gpu_kernel_hash(gpu->kernels, note.as, note.shape.shader, note.shape.uniforms);
    log_job(gpu, &note);
    for_each_observer(gpu, o)
    {
        if (o->job)
            o->job(o->opaque, &note);
    }
}

void gpu_observe_step(struct gpu *gpu, unsigned slot)
{
    struct gpu_slot_times *t = &gpu->jobs.times[slot];

    if (!t->job_running)
        t->job_ns = clock_now(gpu->env->clock);
    t->job_running = true;
}

void gpu_observe_stepped(struct gpu *gpu, unsigned slot, unsigned space, uint64_t end_ns)
{
    struct gpu_slot_times *t = &gpu->jobs.times[slot];
    struct gpu_job_shape shape;

    if (t->ended) {
        t->job_running = t->ended = false;
        tell_job(gpu, slot, space, end_ns);
        return;
    }
    for_each_observer(gpu, o)
    {
        if (o->progress && gpu_chain_shape(gpu->jobs.chain[slot], &shape))
            o->progress(o->opaque, &shape);
    }
}

/* ---- the device ------------------------------------------------------------------------------ */

void gpu_observe_line(const struct gpu *gpu, enum gpu_output output, bool level)
{
    for_each_observer(gpu, o)
    {
        if (o->line)
            o->line(o->opaque, output, level ? GPU_LINE_RISES : GPU_LINE_FALLS);
    }
}

void gpu_observe_access(const struct gpu *gpu, bool write)
{
    for_each_observer(gpu, o)
    {
        if (o->access)
            o->access(o->opaque, write, gpu->cpu);
    }
}

void gpu_observe_power(const struct gpu *gpu, uint64_t ns, uint64_t microwatt)
{
    for_each_observer(gpu, o)
    {
        if (o->power)
            o->power(o->opaque, ns, microwatt);
    }
}

void gpu_observe_fault(const struct gpu *gpu, unsigned space, uint64_t va, uint32_t code)
{
    for_each_observer(gpu, o)
    {
        if (o->fault)
            o->fault(o->opaque, space, va, code);
    }
}

static void tell_stay(void *opaque, const struct timing_stay *stay)
{
    const struct gpu *gpu = opaque;

    for_each_observer(gpu, o)
    {
        if (o->stay)
            o->stay(o->opaque, stay);
    }
}

void gpu_observe_stays(struct gpu *gpu)
{
    bool wanted = false;

    for_each_observer(gpu, o) wanted |= o->stay != NULL;
    if (wanted && gpu->cores && gpu_model_counters(gpu->cores))
        gpu_cores_stays(gpu->cores, tell_stay, gpu);
}
