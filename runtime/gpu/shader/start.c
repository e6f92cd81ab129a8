/*
 * What the threads of a row find when they start. Where a thread stands in its work-group is the same in all groups of a
 * job: it is worked out once, by thread, and rows copy it. Registers are 0 otherwise; a row whose memory the one before
 * left as it had found it does not clear them.
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/core.h"

/* From a thread's place in the work-group to that of the next one. */
static inline void next_id(uint32_t *id, const uint32_t *size)
{
    if (++id[0] < size[0])
        return;
    id[0] = 0;
    if (++id[1] < size[1])
        return;
    id[1] = 0;
    id[2]++;
}

void gpu_places_make(struct gpu_places *p, const struct gpu_decoder *d,
                     const struct gpu_compute_job *job)
{
    uint32_t rows = (job->threads + d->row - 1) / d->row;
    size_t lanes =
        (size_t)(rows - 1) * d->row + d->lanes; /* with those of the last row that have no thread */
    uint32_t id[3] = {0};

    for (unsigned what = 0; what < GPU_PLACES; what++)
        p->of[what] = xcalloc(lanes, sizeof(uint32_t));
    for (size_t l = 0; l < lanes; l++, next_id(id, job->size)) {
        for (unsigned i = 0; i < 3; i++)
            p->of[GPU_PLACE_X + i][l] = id[i];
        p->of[GPU_PLACE_XY][l] = id[0] | id[1] << 16;
        p->of[GPU_PLACE_WARP][l] = (uint32_t)l / d->width;
    }
}

void gpu_places_release(struct gpu_places *p)
{
    for (unsigned what = 0; what < GPU_PLACES; what++) {
        free(p->of[what]);
        p->of[what] = NULL;
    }
}

/* to[l] = base + from[l], in all lanes; chunks, for the host's vector unit. */
static inline void put(uint32_t *restrict to, const uint32_t *restrict from, uint32_t base,
                       unsigned lanes)
{
    for (unsigned first = 0; first < lanes; first += GPU_LANE_CHUNK)
        for (unsigned l = 0; l < GPU_LANE_CHUNK; l++)
            to[first + l] = base + from[first + l];
}

static inline void fill(uint32_t *to, uint32_t v, unsigned lanes)
{
    for (unsigned first = 0; first < lanes; first += GPU_LANE_CHUNK)
        for (unsigned l = 0; l < GPU_LANE_CHUNK; l++)
            to[first + l] = v;
}

/* The register for a value that a thread finds when it starts; NULL: the job's threads do not. */
static uint32_t *preloaded(struct gpu_warp *w, const struct gpu_decoder *d, unsigned what,
                           uint32_t enabled)
{
    uint32_t number = d->preload[what];

    return number < d->isa->register_count && enabled >> what & 1 ? gpu_slot(w, number) : NULL;
}

/* Registers that hold something when a thread starts. */
static void preload(struct gpu_worker *k, const struct gpu_group *g, struct gpu_warp *w,
                    uint32_t thread)
{
    const struct gpu_decoder *d = &k->cores->decoder;
    const struct gpu_compute_job *job = &k->cores->job->job;
    uint32_t *const *place = k->cores->job->places.of;
    uint32_t *to;

    if ((to = preloaded(w, d, GPU_PRELOAD_LOCAL_ID_XY, job->preload)))
        put(to, place[GPU_PLACE_XY] + thread, 0, w->lanes);
    if ((to = preloaded(w, d, GPU_PRELOAD_LOCAL_ID_Z, job->preload)))
        put(to, place[GPU_PLACE_Z] + thread, 0, w->lanes);
    for (unsigned i = 0; i < 3; i++) {
        if ((to = preloaded(w, d, GPU_PRELOAD_GROUP_ID_X + i, job->preload)))
            fill(to, g->id[i], w->lanes);
        if ((to = preloaded(w, d, GPU_PRELOAD_GLOBAL_ID_X + i, job->preload)))
            put(to, place[GPU_PLACE_X + i] + thread, g->id[i] * job->size[i], w->lanes);
    }
}

static uint32_t *special(struct gpu_warp *w, unsigned registers, unsigned what)
{
    return gpu_slot(w, registers + GPU_SLOT_SPECIAL + what);
}

/* Makes of a row's memory one whose threads begin: what is the same in all rows of the job. */
static void clear(struct gpu_worker *k, struct gpu_warp *w)
{
    const struct gpu_cores *c = k->cores;
    const struct gpu_compute_job *job = &c->job->job;
    uint32_t *lane_id = special(w, c->decoder.isa->register_count, GPU_SPECIAL_LANE_ID);

    if (w->pool_job != c->job->number) {
        w->pool_job = c->job->number;
        w->pool = 0;
    }
    memset(w->state, 0, gpu_slot_offset(w->lanes, gpu_pool_slot(c->decoder.isa)));
    w->active = 0;
    w->thread = UINT32_MAX;
    for (unsigned l = 0; l < w->lanes; l++) {
        lane_id[l] = gpu_lane_id(w, l);
        w->tls[l] = job->thread_base;
    }
    w->unused_in = c->job->number;
    k->rows.cleared++;
}

struct gpu_rows gpu_cores_rows(const struct gpu_cores *c)
{
    struct gpu_rows sum = {0};

    for (unsigned i = 0; i < c->worker_count; i++) {
        sum.begun += c->workers[i]->rows.begun;
        sum.cleared += c->workers[i]->rows.cleared;
    }
    return sum;
}

/* What depends on which row of its group it is. */
static void set_row(const struct gpu_cores *c, struct gpu_warp *w, uint32_t thread)
{
    const struct gpu_compute_job *job = &c->job->job;

    w->thread = thread;
    put(special(w, c->decoder.isa->register_count, GPU_SPECIAL_WARP_ID),
        c->job->places.of[GPU_PLACE_WARP] + thread, 0, w->lanes);
    if (job->thread_bytes)
        for (unsigned l = 0; l < w->lanes; l++)
            w->tls[l] = job->thread_base + (thread + l) * job->thread_bytes;
}

void gpu_warp_start(struct gpu_worker *k, struct gpu_group *g, struct gpu_warp *w, unsigned index)
{
    const struct gpu_cores *c = k->cores;
    const struct gpu_compute_job *job = &c->job->job;
    unsigned row = c->decoder.row;
    uint32_t thread = index * row;
    uint32_t threads = job->threads - thread < row ? job->threads - thread : row;

    w->group = g;
    w->index = index;
    w->live = threads == 32 ? UINT32_MAX : (1u << threads) - 1;
    w->branched = w->ended = w->barred = 0;
    w->faulted = GPU_FAULT_NONE;
    w->refused = NULL;
    w->refused_detail = NULL;
    w->wait = GPU_WARP_RUNS;
    w->fresh = true;
    if (w->unused_in != c->job->number)
        clear(k, w);
    if (w->thread != thread)
        set_row(c, w, thread);
    fill(special(w, c->decoder.isa->register_count, GPU_SPECIAL_CORE_ID), g->core, w->lanes);
    preload(k, g, w, thread);
    k->rows.begun++;
    k->warps += (threads + w->width - 1) / w->width;
    k->threads += threads;
}
