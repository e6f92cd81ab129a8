/* Running chains of the GPU in snapshots of a machine, and whether they can be saved. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/internal.h"

bool gpu_device_can_save(void *dev)
{
    struct gpu *gpu = dev;

    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++) {
        const struct gpu_job_slot *s = &gpu->jobs.slot[n];

        if (!gpu->jobs.chain[n] || !s->active)
            continue;
        gpu_mmu_enter(gpu, gpu_slot_space(s));
        if (!gpu_chain_can_save(gpu->jobs.chain[n]))
            return false;
    }
    return true;
}

static void slot_name(unsigned n, char name[16])
{
    snprintf(name, 16, "slot%u", n);
}

void gpu_jobs_save(void *dev, struct state_buf *buf)
{
    struct gpu *gpu = dev;

    if (gpu->cores) {
        gpu_cores_save(gpu->cores, buf);
        gpu_model_save(gpu->cores, buf);
    }
    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++) {
        struct state_buf chain = {0};
        char name[16];

        if (!gpu->jobs.chain[n] || !gpu->jobs.slot[n].active)
            continue;
        slot_name(n, name);
        gpu_chain_save(gpu->jobs.chain[n], &chain);
        state_save_bytes(buf, name, chain.data, chain.len);
        state_buf_free(&chain);
    }
}

static bool load_slot(struct gpu *gpu, unsigned n, const struct state_buf *buf, struct error *err)
{
    const struct gpu_job_slot *s = &gpu->jobs.slot[n];
    struct state_buf chain = {0};
    const uint8_t *bytes;
    char name[16];
    bool ok;

    slot_name(n, name);
    bytes = state_bytes(buf, name, &chain.len);
    if (!bytes || !s->active)
        return true;
    chain.data = memcpy(xcalloc(1, chain.len + 1), bytes, chain.len);
    ok = gpu_chain_load(gpu->jobs.chain[n], gpu_mmu_enter(gpu, gpu_slot_space(s)), &chain, err);
    state_buf_free(&chain);
    gpu->jobs.loaded |= UINT32_C(1) << n;
    if (!ok)
        error_prefix(err, "slot %u: ", n);
    return ok;
}

bool gpu_jobs_load(void *dev, const struct state_buf *buf, struct error *err)
{
    struct gpu *gpu = dev;

    gpu->jobs.loaded = 0;
    gpu_mmu_post_load(gpu);
    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++)
        if (gpu->jobs.chain[n] && !load_slot(gpu, n, buf, err))
            return false;
    return !gpu->cores ||
           (gpu_cores_load(gpu->cores, buf, err) && gpu_model_load(gpu->cores, buf, true, err));
}

/* ---- checking -------------------------------------------------------------------------------- */

/* Makes the chains that the GPU has, with nothing that observes them. */
static bool make_chains(struct gpu *scratch, const struct gpu *gpu)
{
    struct gpu_chain_env env = {
        .variant = gpu->variant, .cores = scratch->cores, .counters = &scratch->chains};

    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++) {
        if (!gpu->jobs.chain[n])
            continue;
        scratch->jobs.chain[n] = gpu_chain_new(&env);
        if (!scratch->jobs.chain[n])
            return false;
    }
    return true;
}

static void free_scratch(struct gpu *scratch)
{
    gpu_jobs_destroy(scratch);
    gpu_mmu_destroy(scratch);
    gpu_cores_free(scratch->cores);
    free(scratch);
}

/* A second GPU whose RAM is that of the snapshot. It has no registers, interrupts and events, and
 * one thread. NULL: out of memory. */
static struct gpu *make_scratch(const struct gpu *gpu, struct device_env *env)
{
    struct gpu *scratch = xcalloc(1, sizeof(*scratch));

    scratch->env = env;
    scratch->variant = gpu->variant;
    if (gpu->cores)
        scratch->cores = gpu_cores_new(gpu->variant, env->gpu->isa, 1);
    gpu_mmu_create(scratch);
    if (make_chains(scratch, gpu) && (!gpu->cores || scratch->cores))
        return scratch;
    free_scratch(scratch);
    return NULL;
}

/* A job is read by its descriptors, so that only a load shows whether it is sound. */
bool gpu_jobs_check(const void *dev, const struct device_saved *saved, struct error *err)
{
    const struct gpu *gpu = dev;
    struct device_env env = *gpu->env;
    struct gpu *scratch;
    bool ok;

    env.bus = saved->memory;
    scratch = make_scratch(gpu, &env);
    if (!scratch)
        return error_set(err, "no memory to check the GPU's jobs");
    ok = state_load(saved->state, saved->section, saved->fields, scratch, err) &&
         gpu_jobs_load(scratch, saved->more, err) &&
         (!gpu->cores || gpu_model_load(gpu->cores, saved->more, false, err));
    free_scratch(scratch);
    return ok;
}
