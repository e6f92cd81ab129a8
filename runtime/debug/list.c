/* Code of the running shader as text. */
#include "runtime/debug/internal.h"
#include "runtime/gpu/walk.h"

struct listing {
    gpu_debug_code_fn *fn;
    void *opaque;
};

static bool list_bundle(void *opaque, const struct gpu_walked *bundle)
{
    const struct listing *l = opaque;

    return l->fn(l->opaque, bundle->address, bundle->index, bundle->bytes, bundle->text);
}

void gpu_debug_list(struct gpu_debug *d, gpu_debug_code_fn *fn, void *opaque)
{
    const struct gpu_compute *job = debug_job(d);

    if (!d->isa->disasm_bundle)
        return;
    gpu_walk_shader(d->isa, job->as, job->job.shader_address, job->job.uniform_words, list_bundle,
                    &(struct listing){fn, opaque});
}
