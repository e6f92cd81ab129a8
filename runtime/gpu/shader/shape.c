/* What a job is, for those who observe the GPU. */
#include "runtime/gpu/shader/core.h"

void gpu_compute_shape(const struct gpu_compute *k, struct gpu_job_shape *out)
{
    const struct gpu_compute_job *job = &k->job;

    *out = (struct gpu_job_shape){
        .shader = job->shader_address,
        .uniforms = job->uniform_words,
        .groups = {job->groups[0], job->groups[1], job->groups[2]},
        .local = {job->size[0], job->size[1], job->size[2]},
        .begun = k->next_group,
        .total = job->group_total,
    };
}
