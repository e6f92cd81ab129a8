/*
 * Rows in host code: a trace of one row from some bundle on, or the rows of a work-group one after
 * the other where one trace is the threads' whole path.
 *
 * Bounds      a trace: TRACE_BUNDLES bundles, but at least one round; rows: those of their group
 */
#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/running.h"

/* Bundles that a trace may run before the worker reads `leaving`; at least one round. */
enum { TRACE_BUNDLES = 4 * GPU_HEED_BUNDLES };

/* A function for rows is made after ROWS_HOT * translate_after rows. */
enum { ROWS_HOT = 2 };

/* A trace is replaced after DIVERGED_MOST rows that diverged in it, if at least 1 / DIVERGED_SHARE
 * of the rows did. */
enum { DIVERGED_MOST = 256, DIVERGED_SHARE = 32 };

static bool is_leaving(const struct gpu_cores *c)
{
    return c->leaving && __atomic_load_n(c->leaving, __ATOMIC_RELAXED);
}

struct gpu_trace *gpu_trace_usable(const struct gpu_worker *k, const struct gpu_code *code,
                                   const struct gpu_front *front)
{
    struct gpu_trace *t = __atomic_load_n(&code->trace, __ATOMIC_ACQUIRE);

    while (t && (t->behind >= front->rejoin || __atomic_load_n(&t->retired, __ATOMIC_RELAXED)))
        t = __atomic_load_n(&t->other, __ATOMIC_ACQUIRE);
    if (__builtin_expect(!t, 1) || k->group->budget <= (uint64_t)t->count * front->warps ||
        k->cores->trace || is_leaving(k->cores))
        return NULL;
    return t;
}

/* Whether all lanes of the row ended in a trace that wrote no registers on that path. */
static bool left_unused(const struct gpu_warp *w, const struct gpu_trace *t, uint64_t done)
{
    unsigned last = done & GPU_TRACE_LAST;
    uint32_t ended = t->codes[last]->flags & GPU_BUNDLE_END ? w->active : w->ended;

    if (done & (GPU_TRACE_ENDED | GPU_TRACE_SETTLED))
        return t->ends_unused && done & GPU_TRACE_ENDED;
    return t->ends_unused && ended == w->live && !(w->branched | w->faulted | w->wait);
}

/* The addend to a bundle's count for an execution by the row's active lanes. */
static uint64_t count_of(const struct gpu_worker *k, const struct gpu_warp *w)
{
    uint64_t warps = 0;

    for (unsigned first = 0; first < w->lanes; first += w->width)
        warps += (w->active >> first & w->full) != 0;
    if (k->cores->decoder.scalar)
        warps = 1;
    return GPU_COUNT_WARP * warps + (unsigned)__builtin_popcount(w->active);
}

/* Notes that the trace has written registers of the row. */
static void note_written(struct gpu_warp *w, const struct gpu_trace *t)
{
    if (!t->written_known)
        w->unused_in = 0;
    for (unsigned i = 0; i < GPU_WRITTEN_WORDS; i++)
        w->written[i] |= t->written[i];
}

/* Counts a row that did something behind bundle `last` for which the trace has no code: it
 * diverged, or, if `last` is NULL, it looped. Nothing is counted when the trace cannot be replaced,
 * as all host threads read the same cache line. */
static void count_departure(struct gpu_worker *k, struct gpu_trace *t, struct gpu_code *last)
{
    uint32_t hot = k->cores->translate_after, most = hot < DIVERGED_MOST ? hot : DIVERGED_MOST;
    uint32_t times = __atomic_load_n(&t->diverged, __ATOMIC_RELAXED) + 1;
    uint64_t begun = k->rows.begun;

    if (!gpu_records_anew(k, t, last))
        return;
    if (times == 1)
        __atomic_store_n(&t->diverged_since, begun, __ATOMIC_RELAXED);
    __atomic_store_n(&t->diverged, times < most ? times : 0, __ATOMIC_RELAXED);
    if (times < most)
        return;
    begun -= __atomic_load_n(&t->diverged_since, __ATOMIC_RELAXED);
    if (begun <= (uint64_t)times * DIVERGED_SHARE)
        gpu_record_anew(k, t, last);
}

/* Whether the row diverges. */
static bool row_diverges(const struct gpu_warp *w)
{
    return (w->branched && w->branched != w->active) || (w->ended && w->ended != w->active);
}

/* Counts a run of a trace that returned `done`. Returns the last bundle or NULL, as
 * gpu_trace_run(). */
static struct gpu_code *end_run(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t,
                                const struct gpu_front *front, uint64_t done)
{
    unsigned last = done & GPU_TRACE_LAST;

    if (!left_unused(w, t, done))
        note_written(w, t);
    gpu_tally_trace(k, t, front, done >> 16, last, 1);
    if (t->sides)
        gpu_tally_sides(k, t, last, w->faulted ? count_of(k, w) : 0);
    w->address = t->codes[last]->address;
    if (done & GPU_TRACE_ENDED)
        w->live = 0;
    if (done & (GPU_TRACE_ENDED | GPU_TRACE_SETTLED)) {
        if (!w->live)
            w->wait = GPU_WARP_ENDED;
        return NULL;
    }
    if (row_diverges(w))
        count_departure(k, t, t->codes[last]);
    return t->codes[last];
}

struct gpu_code *gpu_trace_run(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t,
                               const struct gpu_front *front)
{
    struct gpu_group *g = k->group;
    uint64_t bundles = g->budget < TRACE_BUNDLES ? g->budget : TRACE_BUNDLES;
    uint64_t limit = t->loops ? bundles / ((uint64_t)t->count * front->warps) : 1;
    uint64_t done;

    if (w->pool < t->pool)
        gpu_warp_fill_pool(k, w, t->pool);
    if (__builtin_expect(g->trace != NULL, 0))
        limit = gpu_timing_before_trace(k, t, limit ? limit : 1);
    done = t->run(w, limit ? limit : 1);
    if (__builtin_expect(g->trace != NULL, 0))
        gpu_timing_after_trace(k, w, t, done);
    return end_run(k, w, t, front, done);
}

void gpu_trace_count_return(struct gpu_worker *k, struct gpu_trace *t)
{
    count_departure(k, t, NULL);
}

/* ---- the rows of a group --------------------------------------------------------------------- */

/* The front of a row with all its lanes active. */
static struct gpu_front whole_rows(const struct gpu_worker *k)
{
    const struct gpu_decoder *d = &k->cores->decoder;

    return (struct gpu_front){d->row, d->scalar ? 1 : d->row / d->width, UINT64_MAX};
}

/* The trace that is the whole path of threads from their start. NULL: none, or each row must be
 * started alone. */
static struct gpu_trace *whole_path_trace(const struct gpu_worker *k, const struct gpu_front *front)
{
    struct gpu_trace *t;

    if (!k->entry || k->recorded.count || k->group->trace ||
        k->entry->address != k->cores->job->job.shader_address)
        return NULL;
    t = gpu_trace_usable(k, k->entry, front);
    return t && t->ends_unused && !t->loops ? t : NULL;
}

struct gpu_trace *gpu_trace_of_rows(const struct gpu_worker *k, unsigned first, unsigned *end)
{
    struct gpu_front front = whole_rows(k);
    unsigned whole = k->cores->job->job.threads / front.lanes;
    struct gpu_trace *t = first < whole ? whole_path_trace(k, &front) : NULL;
    uint64_t room;

    if (!t)
        return NULL;
    room = (k->group->budget - 1) / ((uint64_t)t->count * front.warps);
    *end = room < whole - first ? first + (unsigned)room : whole;
    return t;
}

/* Makes a trace's function for rows when enough rows have run. */
static void heat_rows(struct gpu_worker *k, struct gpu_trace *t, unsigned rows)
{
    const struct gpu_compute *job = k->cores->job;
    uint32_t run = __atomic_load_n(&t->rows_run, __ATOMIC_RELAXED) + rows;
    struct gpu_rows_shape shape = {job->job.preload, job->job.size[0] % k->cores->decoder.row == 0};

    if (k->cores->decoder.scalar || run / ROWS_HOT < k->cores->translate_after) {
        __atomic_store_n(&t->rows_run, run, __ATOMIC_RELAXED);
        return;
    }
    pthread_mutex_lock(&job->shader->lock);
    gpu_trace_add_rows(t, &k->cores->decoder, job->shader, &shape);
    pthread_mutex_unlock(&job->shader->lock);
}

/* The trace's function for rows; NULL: there is none for the preloads and width of this job. */
static gpu_rows_fn *rows_function(const struct gpu_worker *k, const struct gpu_trace *t)
{
    const struct gpu_compute_job *job = &k->cores->job->job;
    gpu_rows_fn *fn = __atomic_load_n(&t->rows, __ATOMIC_ACQUIRE);
    bool fits = fn && t->shape.preload == job->preload &&
                (!t->shape.in_line || job->size[0] % k->cores->decoder.row == 0);

    return fits ? fn : NULL;
}

/* Runs up to `count` rows from `w` on until one leaves the trace early, which is then at `w`.
 * Returns the number of rows that ended with the trace. */
static unsigned run_each(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t,
                         unsigned count, uint64_t *done)
{
    unsigned last = t->count - 1, through = 0;

    while (through < count) {
        if (through)
            gpu_warp_skip(k, w, 1);
        *done = t->run(w, 1);
        if ((*done != last && !(*done & GPU_TRACE_ENDED)) || !left_unused(w, t, *done))
            break;
        through++;
    }
    if (!__atomic_load_n(&t->rows_tried, __ATOMIC_RELAXED))
        heat_rows(k, t, through);
    return through;
}

/* Does the same by the function for rows. */
static unsigned run_in_function(struct gpu_worker *k, struct gpu_warp *w, const struct gpu_trace *t,
                                gpu_rows_fn *fn, unsigned count, uint64_t *done)
{
    struct gpu_row_range r = {.first = w->thread,
                              .count = count,
                              .place = (const uint32_t *const *)k->cores->job->places.of,
                              .origin = k->group->origin};

    *done = fn(w, &r);
    if (r.through == count)
        gpu_warp_count(k, count - 1);
    else
        note_written(w, t);
    k->rows.together += r.through;
    return (unsigned)r.through;
}

bool gpu_trace_run_rows(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t, unsigned end)
{
    struct gpu_front front = whole_rows(k);
    unsigned count = end - w->index, through;
    gpu_rows_fn *fn = rows_function(k, t);
    struct gpu_code *code;
    uint64_t done = 0;

    gpu_warp_set_out(k, w);
    if (w->pool < t->pool)
        gpu_warp_fill_pool(k, w, t->pool);
    through = fn ? run_in_function(k, w, t, fn, count, &done) : run_each(k, w, t, count, &done);
    gpu_tally_trace(k, t, &front, 0, t->count - 1, through);
    gpu_tally_ends(k, t, &front, through);
    if (through == count) {
        if (t->sides)
            gpu_tally_sides(k, t, t->count - 1, 0);
        return true;
    }
    code = end_run(k, w, t, &front, done);
    if (code)
        gpu_warp_resume(k, w, code, &front);
    return false;
}
