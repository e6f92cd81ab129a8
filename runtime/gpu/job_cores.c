/* Shader cores of chains and jobs: the choice, by the affinity register and a policy that narrows
 * it, and how long each core is in use. */
#include <stdio.h>

#include "mali_layout.h"
#include "runtime/gpu/core_policy.h"
#include "runtime/gpu/internal.h"

/* ---- choice ---------------------------------------------------------------------------------- */

static uint64_t cores_of_others(const struct gpu *gpu, unsigned n)
{
    uint64_t cores = 0;

    for (unsigned i = 0; i < GPU_MAX_SLOTS; i++)
        if (i != n && gpu->jobs.slot[i].active)
            cores |= gpu->jobs.slot[i].cores;
    return cores;
}

/* Returns those of the allowed cores in *r that the policy chooses; all of them, if it chooses
 * none. */
static uint64_t narrow_cores(struct gpu *gpu, unsigned n, struct gpu_core_request *r)
{
    const struct gpu_core_policy *policy = gpu->env->gpu->core_policy;
    uint64_t cores;

    if (!policy || !r->allowed)
        return r->allowed;
    r->slot = n;
    r->space = (gpu->jobs.slot[n].config & MALI_JS_CONFIG_AS) >> MALI_JS_CONFIG_AS_SHIFT;
    r->others = cores_of_others(gpu, n);
    r->active = gpu->cores ? gpu_cores_active(gpu->cores) : NULL;
    cores = policy->choose(policy->opaque, r) & r->allowed;
    return cores ? cores : r->allowed;
}

void gpu_jobs_choose_cores(struct gpu *gpu, unsigned n)
{
    struct gpu_job_slot *s = &gpu->jobs.slot[n];
    struct gpu_core_request r = {.allowed = s->affinity & gpu->variant->shader_present &
                                            gpu->control.power[GPU_DOMAIN_SHADER].ready};

    s->cores = narrow_cores(gpu, n, &r);
}

uint64_t gpu_jobs_cores_of(struct gpu *gpu, unsigned n, const struct gpu_chain_job *job)
{
    struct gpu_core_request r = {.allowed = gpu->jobs.slot[n].cores, .shape = &job->shape};
    unsigned space;

    if (gpu->env->gpu->core_policy) {
        space = (gpu->jobs.slot[n].config & MALI_JS_CONFIG_AS) >> MALI_JS_CONFIG_AS_SHIFT;
        r.hash = gpu_kernel_hash(gpu->kernels, &gpu->mmu.space[space].view, job->shape.shader,
                                 job->shape.uniforms);
    }
    return narrow_cores(gpu, n, &r);
}

bool gpu_jobs_others_step(const struct gpu *gpu, unsigned n)
{
    for (unsigned i = 0; i < GPU_MAX_SLOTS; i++)
        if (i != n && gpu->jobs.slot[i].stepping)
            return true;
    return false;
}

bool gpu_jobs_cores_free(const struct gpu *gpu, unsigned n)
{
    uint64_t cores = gpu->jobs.slot[n].cores;

    for (unsigned i = 0; i < GPU_MAX_SLOTS; i++)
        if (i != n && gpu->jobs.slot[i].stepping && gpu->jobs.slot[i].cores & cores)
            return false;
    return true;
}

/* ---- use ------------------------------------------------------------------------------------- */

/* Virtual time in ns of the latest end of another slot's step in progress; 0: there is none. */
static uint64_t end_of_others(const struct gpu *gpu, unsigned n)
{
    uint64_t end = 0;

    for (unsigned i = 0; i < GPU_MAX_SLOTS; i++) {
        const struct gpu_job_slot *s = &gpu->jobs.slot[i];

        if (i != n && s->stepping && s->step_end > end)
            end = s->step_end;
    }
    return end;
}

uint64_t gpu_jobs_count_step(struct gpu *gpu, unsigned n, uint64_t cores, uint64_t cycles)
{
    struct gpu_core_use *use = &gpu->use;
    uint64_t present = gpu->variant->shader_present, end = gpu->jobs.slot[n].step_end;
    uint64_t before = end_of_others(gpu, n), longer = cycles;

    if (before >= end)
        longer = 0;
    else if (before)
        longer = cycles * (end - before) / (end - clock_now(gpu->env->clock));
    use->total += longer;
    for (unsigned number = 0; present; present &= present - 1, number++)
        if (cores & present & -present)
            use->clocked[number] += cycles;
    return longer;
}

void gpu_jobs_register_cores(struct gpu *gpu)
{
    const uint64_t *active = gpu_cores_active(gpu->cores);
    char group[32];

    stats_add(gpu->env->stats, "gpu/cores", "total_cycles", &gpu->use.total);
    for (unsigned i = 0; i < gpu->variant->cores && i < GPU_MAX_CORES; i++) {
        snprintf(group, sizeof(group), "gpu/cores/core%u", i);
        stats_add(gpu->env->stats, group, "active_cycles", &active[i]);
        stats_add(gpu->env->stats, group, "clocked_cycles", &gpu->use.clocked[i]);
    }
}
