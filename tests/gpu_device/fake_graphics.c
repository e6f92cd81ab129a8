/* Graphics jobs that do nothing: the real ones need the real shader cores. */
#include <stddef.h>

#include "runtime/gpu/graphics.h"

static void refuse_job(uint64_t job, struct gpu_outcome *out)
{
    *out = (struct gpu_outcome){
        .progress = GPU_PROGRESS_FAILED, .code = GPU_JOB_CONFIG_FAULT, .address = job};
}

struct gpu_fragment *gpu_fragment_start(struct gpu_cores *c, const struct gpu_variant *variant,
                                        const struct gpu_address_space *as, uint64_t job,
                                        struct gpu_outcome *out)
{
    (void)c, (void)variant, (void)as;
    refuse_job(job, out);
    return NULL;
}

void gpu_fragment_step(struct gpu_fragment *f, struct gpu_outcome *out)
{
    (void)f;
    refuse_job(0, out);
}

void gpu_fragment_free(struct gpu_fragment *f)
{
    (void)f;
}

struct gpu_geometry *gpu_geometry_start(struct gpu_cores *c, const struct gpu_variant *variant,
                                        const struct gpu_address_space *as, uint64_t job,
                                        enum gpu_geometry_kind kind, struct gpu_outcome *out)
{
    (void)c, (void)variant, (void)as, (void)kind;
    refuse_job(job, out);
    return NULL;
}

void gpu_geometry_step(struct gpu_geometry *g, struct gpu_outcome *out)
{
    (void)g;
    refuse_job(0, out);
}

void gpu_geometry_free(struct gpu_geometry *g)
{
    (void)g;
}
