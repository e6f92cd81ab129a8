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

    if (gpu->cores)
        gpu_cores_save(gpu->cores, buf);
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
    return !gpu->cores || gpu_cores_load(gpu->cores, buf, err);
}
