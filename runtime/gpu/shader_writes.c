/* An inspector that counts bundles, notes writes to watched memory, and stops at a place. */
#include "runtime/gpu/shader_writes.h"

#include <string.h>

#include "runtime/gpu/observer.h"
#include "runtime/gpu/shader/core.h"

static struct gpu_shader_writes *of(void *opaque)
{
    return opaque;
}

/* ---- bundles --------------------------------------------------------------------------------- */

/* Makes the lanes come back to the bundle, and ends the group's part of the window, so that the
 * step ends soon. */
static bool skip_bundle(const struct gpu_inspected *at)
{
    struct gpu_warp *row = at->row;

    for (unsigned lane = 0; lane < row->lanes; lane++)
        row->target[lane] = at->code->address;
    row->branched = row->active;
    at->worker->group->budget = 0;
    return false;
}

/* Freezes the run if it is at the wanted place. */
static void freeze_if_there(struct gpu_shader_writes *w)
{
    if (!w->freezes || w->is_frozen || w->next.turn != w->freeze.turn ||
        w->next.bundles != w->freeze.bundles)
        return;
    w->is_frozen = true;
    w->frozen(w->opaque);
}

static bool on_begin(void *opaque, const struct gpu_inspected *at)
{
    struct gpu_shader_writes *w = of(opaque);

    if (w->next.turn != *w->turn)
        w->next = (struct gpu_write_place){.turn = *w->turn};
    w->at = *at;
    freeze_if_there(w);
    if (w->is_frozen)
        return skip_bundle(at);
    w->number = w->next.bundles++;
    return true;
}

static void on_stage(void *opaque, const struct gpu_inspected *at)
{
    of(opaque)->at = *at;
}

static void on_end(void *opaque, const struct gpu_inspected *at)
{
    struct gpu_shader_writes *w = of(opaque);

    w->at = *at;
    freeze_if_there(w); /* there may be no next bundle */
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* Host memory of an access to global memory, or NULL. */
static const uint8_t *host_of(const struct gpu_compute *job, const struct gpu_inspected_access *a)
{
    struct gpu_page page = {0};

    if (gpu_kind_of_page(&job->job, a->va >> GPU_TLB_PAGE_SHIFT) != GPU_COUNT_GLOBAL_READ ||
        job->as->translate(job->as->opaque, a->va, a->access, &page) || !page.host || !page.bytes)
        return NULL;
    return page.host + (a->va & (page.bytes - 1));
}

static const struct gpu_watched *watched_at(const struct gpu_shader_writes *w, const uint8_t *host,
                                            unsigned bytes)
{
    vec_for_each (&w->watched, range)
        if (host < range->host + range->bytes && host + bytes > range->host)
            return range;
    return NULL;
}

static void tell_items(const struct gpu_warp *row, const struct gpu_compute *job,
                       struct gpu_write *write)
{
    const uint32_t *size = job->job.size;
    uint32_t item = row->thread + write->lane, local[3] = {item};

    if (size[0] && size[1]) {
        local[0] = item % size[0];
        local[1] = item / size[0] % size[1];
        local[2] = item / size[0] / size[1];
    }
    for (unsigned i = 0; i < 3; i++) {
        write->group[i] = row->group->id[i];
        write->item[i] = write->group[i] * size[i] + local[i];
    }
}

static void on_access(void *opaque, struct gpu_warp *row, const struct gpu_inspected_access *a)
{
    struct gpu_shader_writes *w = of(opaque);
    const struct gpu_compute *job = w->at.worker->cores->job;
    const struct gpu_watched *range;
    struct gpu_write write;
    const uint8_t *host;

    if (a->access == GPU_ACCESS_READ || w->is_frozen || !(host = host_of(job, a)) ||
        !(range = watched_at(w, host, a->bytes)))
        return;
    write = (struct gpu_write){
        .at = {w->next.turn, w->number},
        .va = a->va,
        .value = a->value,
        .address = range->address,
        .bytes = a->bytes,
        .access = a->access,
        .header = job->job.header,
        .shader = job->job.shader_address,
        .uniforms = job->job.uniform_words,
        .bundle = w->at.code->address,
        .lane = a->lane,
        .as = job->as,
    };
    tell_items(row, job, &write);
    if (w->freezes)
        write.hash = gpu_kernel_hash(w->kernels, job->as, write.shader, write.uniforms);
    w->found(w->opaque, &write);
}

static void on_fault(void *opaque, struct gpu_warp *row, const struct gpu_fault *fault)
{
    (void)opaque;
    (void)row;
    (void)fault;
}

/* ---- life ------------------------------------------------------------------------------------ */

void gpu_shader_writes_begin(struct gpu_shader_writes *w, const struct gpu_isa *isa)
{
    w->inspector = (struct gpu_inspector){w, on_begin, on_stage, on_end, on_access, on_fault};
    w->next = (struct gpu_write_place){.turn = *w->turn};
    w->is_frozen = false;
    if (!w->kernels)
        w->kernels = gpu_kernels_new(isa);
}

void gpu_shader_writes_free(struct gpu_shader_writes *w)
{
    gpu_kernels_free(w->kernels);
    w->kernels = NULL;
    vec_free(&w->watched);
}
