/* The shader cores of a job, and how long each core has been active. */
#include "runtime/gpu/shader/core.h"
#include "runtime/gpu/variant.h"

void gpu_compute_use(struct gpu_compute *job, uint64_t cores)
{
    uint64_t present = job->cores->variant->shader_present;

    cores &= present;
    job->core_count = 0;
    job->core_bits = 0;
    if (!cores || cores == present)
        return;
    for (unsigned number = 0; present; present &= present - 1, number++)
        if (cores & present & -present) {
            job->core[job->core_count++] = (uint8_t)number;
            job->core_bits |= UINT64_C(1) << number;
        }
}

void gpu_compute_count_active(const struct gpu_compute *job)
{
    unsigned cores = job->core_count ? job->core_count : job->cores->variant->cores;

    for (unsigned i = 0; i < cores && i < GPU_MAX_CORES && i < job->next_group; i++)
        job->cores->active[job->core_count ? job->core[i] : i] += job->cycles;
}

const uint64_t *gpu_cores_active(const struct gpu_cores *c)
{
    return c->active;
}
