/*
 * Initial registers of the threads of a row. A thread's position in its work-group is the same in
 * all groups of a job. It is therefore computed once, in tables by thread from which rows copy. All
 * other registers are 0. A row that reuses memory with unchanged registers does not clear them.
 *
 * The memory of a row that ended is used for the worker's next row, so that groups without barriers
 * stay in a few cached lines of the host.
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/core.h"

/* Advances the position in the work-group to that of the next thread. */
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

/* Whether a value is preloaded to registers of the job's threads. */
static bool is_preloaded(const struct gpu_decoder *d, unsigned what, uint32_t enabled)
{
    return d->preload[what] < d->isa->register_count && enabled >> what & 1;
}

const struct gpu_preload_source *gpu_preload_source_of(unsigned what)
{
    static const struct gpu_preload_source all[GPU_PRELOAD_COUNT] = {
        [GPU_PRELOAD_LOCAL_ID_XY] = {true, GPU_PLACE_XY, GPU_BASE_NONE},
        [GPU_PRELOAD_LOCAL_ID_Z] = {true, GPU_PLACE_Z, GPU_BASE_NONE},
        [GPU_PRELOAD_GLOBAL_ID_X] = {true, GPU_PLACE_X, GPU_BASE_X},
        [GPU_PRELOAD_GLOBAL_ID_Y] = {true, GPU_PLACE_Y, GPU_BASE_Y},
        [GPU_PRELOAD_GLOBAL_ID_Z] = {true, GPU_PLACE_Z, GPU_BASE_Z},
    };

    return all[what].exists ? &all[what] : NULL;
}

static void choose_preloaded(struct gpu_places *p, const struct gpu_decoder *d, uint32_t enabled)
{
    for (unsigned what = 0; what < GPU_PRELOAD_COUNT; what++) {
        const struct gpu_preload_source *source = gpu_preload_source_of(what);

        if (source && is_preloaded(d, what, enabled))
            p->preloaded[p->preloaded_count++] =
                (struct gpu_preloaded){d->preload[what], source->base, p->table[source->place]};
    }
}

void gpu_places_make(struct gpu_places *p, const struct gpu_decoder *d,
                     const struct gpu_compute_job *job)
{
    uint32_t rows = (job->threads + d->row - 1) / d->row;
    size_t lanes =
        /* with the lanes of the last row that have no thread */
        (size_t)(rows - 1) * d->row + d->lanes;
    uint32_t id[3] = {0};

    for (unsigned what = 0; what < GPU_PLACES; what++)
        p->table[what] = xcalloc(lanes, sizeof(uint32_t));
    for (size_t l = 0; l < lanes; l++, next_id(id, job->size)) {
        for (unsigned i = 0; i < 3; i++)
            p->table[GPU_PLACE_X + i][l] = id[i];
        p->table[GPU_PLACE_XY][l] = id[0] | id[1] << 16;
        p->table[GPU_PLACE_WARP][l] = (uint32_t)l / d->width;
    }
    choose_preloaded(p, d, job->preload);
}

void gpu_places_release(struct gpu_places *p)
{
    for (unsigned what = 0; what < GPU_PLACES; what++) {
        free(p->table[what]);
        p->table[what] = NULL;
    }
}

/* to[l] = base + from[l], in all lanes; in chunks that suit the host's vector unit. */
static inline void add_base(uint32_t *restrict to, const uint32_t *restrict from, uint32_t base,
                            unsigned lanes)
{
    for (unsigned first = 0; first < lanes; first += GPU_LANE_CHUNK)
        for (unsigned l = 0; l < GPU_LANE_CHUNK; l++)
            to[first + l] = base + from[first + l];
}

static inline void fill_lanes(uint32_t *to, uint32_t v, unsigned lanes)
{
    for (unsigned first = 0; first < lanes; first += GPU_LANE_CHUNK)
        for (unsigned l = 0; l < GPU_LANE_CHUNK; l++)
            to[first + l] = v;
}

/* Preloads registers with the threads' positions. */
static void preload_places(const struct gpu_worker *k, struct gpu_warp *w)
{
    const struct gpu_places *places = &k->cores->job->places;

    for (unsigned i = 0; i < places->preloaded_count; i++) {
        const struct gpu_preloaded *p = &places->preloaded[i];

        add_base(gpu_slot(w, p->number), p->place + w->thread, w->group->origin[p->base], w->lanes);
    }
}

/* Preloads registers with the number of the work-group. */
static void preload_group(const struct gpu_worker *k, struct gpu_warp *w)
{
    const struct gpu_decoder *d = &k->cores->decoder;
    uint32_t enabled = k->cores->job->job.preload;

    for (unsigned i = 0; i < 3; i++)
        if (is_preloaded(d, GPU_PRELOAD_GROUP_ID_X + i, enabled))
            fill_lanes(gpu_slot(w, d->preload[GPU_PRELOAD_GROUP_ID_X + i]), w->group->id[i],
                       w->lanes);
}

static uint32_t *special_slot(struct gpu_warp *w, unsigned registers, unsigned what)
{
    return gpu_slot(w, registers + GPU_SLOT_SPECIAL + what);
}

/* Prepares the memory of a row for threads that begin: everything that is equal in all rows of the
 * job. */
static void clear_row(struct gpu_worker *k, struct gpu_warp *w)
{
    const struct gpu_cores *c = k->cores;
    const struct gpu_compute_job *job = &c->job->job;
    uint32_t *lane_id = special_slot(w, c->decoder.isa->register_count, GPU_SPECIAL_LANE_ID);

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
    memset(w->written, 0, sizeof(w->written));
    k->rows.rows_cleared++;
}

/* Does the same for a row of which only some slots were written. */
static void clear_written(struct gpu_warp *w)
{
    for (unsigned i = 0; i < GPU_WRITTEN_WORDS; i++) {
        for (uint64_t left = w->written[i]; left; left &= left - 1)
            fill_lanes(gpu_slot(w, 64 * i + (unsigned)__builtin_ctzll(left)), 0, w->lanes);
        w->written[i] = 0;
    }
}

struct gpu_rows gpu_cores_rows(const struct gpu_cores *c)
{
    struct gpu_rows sum = {0};

    for (unsigned i = 0; i < c->worker_count; i++) {
        sum.rows_begun += c->workers[i]->rows.rows_begun;
        sum.rows_in_host_code += c->workers[i]->rows.rows_in_host_code;
        sum.rows_cleared += c->workers[i]->rows.rows_cleared;
        sum.rows_abreast += c->workers[i]->rows.rows_abreast;
    }
    return sum;
}

/* Sets what depends on the row's place in its group. */
static void set_row(const struct gpu_cores *c, struct gpu_warp *w, uint32_t thread)
{
    const struct gpu_compute_job *job = &c->job->job;

    w->thread = thread;
    add_base(special_slot(w, c->decoder.isa->register_count, GPU_SPECIAL_WARP_ID),
             c->job->places.table[GPU_PLACE_WARP] + thread, 0, w->lanes);
    if (job->thread_bytes)
        for (unsigned l = 0; l < w->lanes; l++)
            w->tls[l] = job->thread_base + (thread + l) * job->thread_bytes;
}

void gpu_warp_set_group(struct gpu_worker *k, struct gpu_warp *w)
{
    fill_lanes(special_slot(w, k->cores->decoder.isa->register_count, GPU_SPECIAL_CORE_ID),
               w->group->core, w->lanes);
    preload_group(k, w);
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
        clear_row(k, w);
    else
        clear_written(w);
    if (w->thread != thread)
        set_row(c, w, thread);
    gpu_warp_set_group(k, w);
    preload_places(k, w);
    if (c->job->functions && c->job->functions->begin_row) {
        c->job->functions->begin_row(k, w);
        threads = (uint32_t)__builtin_popcount(w->live);
        w->wait = threads ? GPU_WARP_RUNS : GPU_WARP_ENDED;
    }
    k->rows.rows_begun++;
    k->warps += (threads + w->width - 1) / w->width;
    k->threads += threads;
}

struct gpu_warp *gpu_warp_new(const struct gpu_cores *c)
{
    struct gpu_warp *w = xalloc_apart(c->warp_bytes);

    gpu_warp_shape(w, c->decoder.lanes, c->decoder.width);
    return w;
}

struct gpu_warp *gpu_group_begin_row(struct gpu_worker *k, struct gpu_group *g, unsigned index)
{
    struct gpu_warp *w = k->spare_count ? k->free_rows[--k->spare_count] : gpu_warp_new(k->cores);

    gpu_warp_start(k, g, w, index);
    g->warp[index] = w;
    g->started++;
    return w;
}

/*
 * Keeps the memory of row `index` for the worker's next rows, or frees it if the worker has its
 * share of GPU_SPARE_ROWS.
 */
void gpu_group_end_row(struct gpu_worker *k, struct gpu_group *g, unsigned index)
{
    if (k->spare_count < GPU_SPARE_ROWS / k->cores->worker_count)
        k->free_rows[k->spare_count++] = g->warp[index];
    else
        free(g->warp[index]);
    g->warp[index] = NULL;
}

/* Notes that a slot must be cleared before the memory becomes another row. */
static void note_written(struct gpu_warp *w, unsigned slot)
{
    w->written[slot / 64] |= UINT64_C(1) << slot % 64;
}

void gpu_warp_set_register(struct gpu_warp *w, unsigned number, const uint32_t *values)
{
    memcpy(gpu_slot(w, number), values, w->lanes * sizeof(*values));
    note_written(w, number);
}

void gpu_warp_preload(struct gpu_worker *k, struct gpu_warp *w, enum gpu_preload what,
                      const uint32_t *values)
{
    const struct gpu_decoder *d = &k->cores->decoder;
    uint32_t number = d->preload[what];

    if (number >= d->isa->register_count)
        return;
    gpu_warp_set_register(w, number, values);
}

void gpu_warp_set_special(struct gpu_worker *k, struct gpu_warp *w, unsigned what, uint32_t value)
{
    fill_lanes(special_slot(w, k->cores->decoder.isa->register_count, what), value, w->lanes);
}

void gpu_warp_move(struct gpu_worker *k, struct gpu_warp *w, unsigned rows)
{
    w->index += rows;
    set_row(k->cores, w, w->thread + rows * k->cores->decoder.row);
    preload_places(k, w);
}

void gpu_warp_skip(struct gpu_worker *k, struct gpu_warp *w, unsigned rows)
{
    gpu_warp_move(k, w, rows);
    gpu_warp_count(k, rows);
}

void gpu_rows_restore(struct gpu_warp *w, const struct gpu_row_range *r, uint64_t row,
                      unsigned passed)
{
    const struct gpu_trace *t = r->path;

    for (unsigned n = 0; n < t->kept_behind[passed - 1]; n++) {
        const struct gpu_kept_form *form = &t->kept_form[(passed - 1) * GPU_TRACE_KEPT + n];
        const uint8_t *kept = gpu_kept_register(r, w->lanes, n, row);
        uint32_t *slot = gpu_slot(w, t->kept[n]), first;

        memcpy(&first, kept, sizeof(first));
        if (!form->is_first)
            memcpy(slot, kept, w->lanes * sizeof(uint32_t));
        for (unsigned l = 0; l < w->lanes && form->is_first; l++)
            slot[l] = first + l * form->step;
    }
}

void gpu_warp_count(struct gpu_worker *k, uint64_t rows)
{
    const struct gpu_decoder *d = &k->cores->decoder;

    k->rows.rows_begun += rows;
    k->warps += rows * d->row / d->width;
    k->threads += rows * d->row;
}
