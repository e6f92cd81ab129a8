/*
 * Whether groups of a job surely end in the window in which they begin. A shader without a branch
 * back and without a barrier executes each of its bundles at most once per warp, so the number of
 * its bundles bounds what a group executes. Such groups never continue in a later window. They hold
 * no memory behind the window, and may begin in any order.
 *
 * All bundles of the shader are decoded for the proof. So a shader whose code changes while it runs
 * executes the bundles that the proof has seen. Targets of branches are read from the text of
 * bundles (walk.h); which instructions end lanes, the description says. If that misses a way back,
 * groups stay unfinished, and later windows of the job are as those of other jobs. Jobs with
 * private pages are left out, since these may be large.
 *
 * Bounds      GPU_WALK_GRAINS grains of code, once per shader if all of it can be decoded, else
 *             once per job. Registers of GPU_WINDOW_ROWS rows, if a way back was missed
 */
#include "runtime/gpu/shader/window.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/gpu/walk.h"

struct proof {
    struct gpu_compute *job;
    uint64_t bundles;
    bool fails, unknown; /* at the last bundle: it may not lead forward; it is not decoded */
};

/* The decoded bundle at a place of the walk; NULL: it is not valid, is no longer that of memory, or
 * there are too many. */
static const struct gpu_code *decoded(struct gpu_compute *job, const struct gpu_walked *at)
{
    struct gpu_shader *s = job->shader;
    struct gpu_code *code = gpu_shader_find(s, at->address);
    bool valid = false;

    if (code)
        return code->bytes <= at->available && !memcmp(code->raw, at->code, code->bytes) ? code
                                                                                         : NULL;
    if (s->code_count == GPU_MAX_BUNDLES)
        return NULL;
    code = gpu_decode_bundle(&job->cores->decoder, s, at->code, at->available, at->address, &valid);
    if (!valid) {
        free(code);
        return NULL;
    }
    gpu_shader_insert(s, code);
    return code;
}

/* Each instruction of class control, which barriers are as well, must be a branch forward or the
 * end of a lane. */
static bool prove_bundle(void *opaque, const struct gpu_walked *at)
{
    struct proof *p = opaque;
    const struct gpu_code *code = decoded(p->job, at);

    p->bundles++;
    p->unknown = !code;
    p->fails = !code || at->loops ||
               code->profile.instructions[GPU_CLASS_CONTROL] > at->target_count + code->ends;
    return !p->fails;
}

/* Warps that may execute a bundle at different times. */
static uint64_t warps_of_group(const struct gpu_compute *job)
{
    const struct gpu_decoder *d = &job->cores->decoder;
    uint64_t rows = (job->job.threads + d->row - 1) / d->row;

    return d->scalar ? rows : rows * (d->row / d->width);
}

/* Number of bundles of the job's shader if lanes only go forward in it; UINT64_MAX: they may not.
 * The shader keeps what follows from decoded bundles alone, since it is dropped when these
 * change. */
static uint64_t forward_bundles(struct gpu_compute *job)
{
    const struct gpu_isa *isa = job->cores->decoder.isa;
    struct gpu_shader *s = job->shader;
    struct proof p = {.job = job};
    uint64_t result;
    bool whole;

    pthread_mutex_lock(&s->lock);
    result = s->forward_bundles;
    if (!result) {
        whole = gpu_walk_shader(isa, job->as, s->address, s->uniforms, prove_bundle, &p);
        result = whole && !p.fails ? p.bundles : UINT64_MAX;
        if (whole && !p.unknown)
            s->forward_bundles = result;
    }
    pthread_mutex_unlock(&s->lock);
    return result;
}

static bool prove(struct gpu_compute *job)
{
    const struct gpu_isa *isa = job->cores->decoder.isa;
    uint64_t budget = job->cores->window_bundles, bundles;

    if (job->functions || gpu_private_pages(&job->job) || !isa->disasm_bundle ||
        job->job.shader_address != job->shader->address || job->shader->address % isa->grain_bytes)
        return false;
    bundles = forward_bundles(job);
    return bundles < budget && bundles * warps_of_group(job) < budget;
}

uint64_t gpu_group_bundles(const struct gpu_compute *job)
{
    return job->shader->forward_bundles * warps_of_group(job);
}

bool gpu_groups_surely_end(struct gpu_compute *job)
{
    if (job->ends == GPU_ENDS_UNKNOWN)
        job->ends = prove(job) ? GPU_ENDS_SURELY : GPU_ENDS_MAYBE;
    return job->ends == GPU_ENDS_SURELY;
}
