/*
 * All rows of a work-group in one host function, from their start through barriers to their end.
 * Where each row takes the same traces from barrier to barrier, these are joined to one, in which
 * rows need no memory of their own. If a row leaves it early, all rows are stored as they are then,
 * and the group goes on row by row.
 *
 * Bounds      the function is tried TRIES times, and dropped if LEFT_MOST groups leave it early
 *             that are at least one in LEFT_SHARE of those that begin
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/running.h"

/* The traces are joined after ROWS_HOT * hot rows. */
enum { ROWS_HOT = 2, TRIES = 8, LEFT_MOST = 64, LEFT_SHARE = 4 };

/* ---- making ---------------------------------------------------------------------------------- */

/* Appends the bundles of a trace. false: one of them is there already, or there are too many. */
static bool append_trace(struct gpu_recording *r, const struct gpu_trace *t)
{
    if (r->count + t->count > GPU_TRACE_MAX)
        return false;
    for (unsigned n = 0; n < t->count; n++, r->count++) {
        for (unsigned before = 0; before < r->count; before++)
            if (r->codes[before] == t->codes[n])
                return false;
        r->codes[r->count] = t->codes[n];
        r->diverges[r->count] = t->diverges && t->diverges[n];
        r->kinds[r->count] = t->costs[n].kinds;
        r->diverged |= r->diverges[r->count];
    }
    return true;
}

/* The trace without a loop that rows run from the bundle on; NULL: there is none. */
static const struct gpu_trace *trace_from(const struct gpu_code *code)
{
    const struct gpu_trace *t = code ? __atomic_load_n(&code->trace, __ATOMIC_ACQUIRE) : NULL;

    while (t && __atomic_load_n(&t->retired, __ATOMIC_RELAXED))
        t = __atomic_load_n(&t->next_trace, __ATOMIC_ACQUIRE);
    return t && !t->loops ? t : NULL;
}

/* Joins the traces from `t` to the rows' end. false: they do not lead there. */
static bool join_traces(const struct gpu_shader *s, const struct gpu_trace *t,
                        struct gpu_recording *r)
{
    while (t && append_trace(r, t)) {
        if (!t->waits)
            return t->ends_unused;
        t = trace_from(gpu_shader_find(s, t->codes[t->count - 1]->next));
    }
    return false;
}

static void make_through(struct gpu_worker *k, struct gpu_trace *t)
{
    const struct gpu_compute *job = k->cores->job;
    struct gpu_shader *s = job->shader;
    struct gpu_rows_shape shape = {.preload = job->job.preload,
                                   .in_line = job->job.size[0] % k->cores->decoder.row == 0};
    struct gpu_recording *r = xcalloc(1, sizeof(*r));
    struct gpu_trace *made = NULL;
    bool joined;

    pthread_mutex_lock(&s->lock);
    joined = !t->through && join_traces(s, t, r);
    if (joined)
        made = gpu_trace_new_through(k->cores->translator, &k->cores->decoder, s, r, &shape);
    if (made)
        __atomic_store_n(&t->through, made, __ATOMIC_RELEASE);
    if (joined || ++t->tries == TRIES)
        __atomic_store_n(&t->through_tried, true, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&s->lock);
    free(r);
}

void gpu_through_heat(struct gpu_worker *k, struct gpu_trace *t, unsigned rows)
{
    uint32_t waited;

    if (!t->waits || k->cores->decoder.observed || k->cores->decoder.flow ||
        __atomic_load_n(&t->through_tried, __ATOMIC_RELAXED))
        return;
    waited = __atomic_load_n(&t->rows_waited, __ATOMIC_RELAXED) + rows;
    if (waited / ROWS_HOT < k->hot) {
        __atomic_store_n(&t->rows_waited, waited, __ATOMIC_RELAXED);
        return;
    }
    __atomic_store_n(&t->rows_waited, 0, __ATOMIC_RELAXED);
    make_through(k, t);
}

/* ---- running --------------------------------------------------------------------------------- */

/* The trace that all rows of a group which begins may run to their end. NULL: none. */
static struct gpu_trace *trace_through(const struct gpu_worker *k, const struct gpu_group *g,
                                       const struct gpu_front *front)
{
    const struct gpu_compute_job *job = &k->cores->job->job;
    struct gpu_trace *t;

    if (!k->entry || k->recorded.count || g->trace || k->flow || k->cores->job->functions ||
        k->entry->address != job->shader_address || job->threads % front->lanes)
        return NULL;
    t = gpu_trace_usable(k, NULL, k->entry, front);
    t = t ? __atomic_load_n(&t->through, __ATOMIC_ACQUIRE) : NULL;
    if (!t || __atomic_load_n(&t->retired, __ATOMIC_RELAXED) || t->shape.preload != job->preload ||
        (t->shape.in_line && job->size[0] % front->lanes))
        return NULL;
    return g->budget > (uint64_t)t->count * front->warps * g->rows ? t : NULL;
}

/* Makes room for the registers that the rows of a group keep at barriers. */
static void make_room_for_kept(struct gpu_worker *k, const struct gpu_trace *t,
                               struct gpu_row_range *r)
{
    size_t bytes;

    r->kept_pitch = (uint64_t)t->kept_count * k->cores->decoder.lanes * sizeof(uint32_t);
    bytes = r->count * r->kept_pitch;
    if (bytes > k->kept_bytes) {
        free(k->kept);
        k->kept = xalloc_apart(bytes);
        k->kept_bytes = bytes;
    }
    r->kept = k->kept;
}

/* Stores row `n` in memory of its own, behind `passed` barriers, the last of which it waits at, or
 * has just left (`opened`). */
static void store_row(struct gpu_worker *k, struct gpu_group *g, const struct gpu_row_range *r,
                      unsigned n, unsigned passed, bool opened)
{
    const struct gpu_trace *t = r->path;
    struct gpu_warp *w = gpu_group_begin_row(k, g, n);

    gpu_warp_set_out(k, w);
    gpu_rows_restore(w, r, n, passed);
    gpu_trace_note_written(w, t);
    gpu_warp_bar(w, t->codes[t->barrier_at[passed - 1]]->next);
    if (opened)
        w->barred = 0;
    else
        w->wait = GPU_WARP_BARRIER;
}

/* Counts the rows other than the one that left the trace, and stores those that have not ended. */
static void leave_others(struct gpu_worker *k, struct gpu_group *g, const struct gpu_row_range *r,
                         const struct gpu_front *front)
{
    const struct gpu_trace *t = r->path;
    unsigned row = (unsigned)r->rows_ended, passed = (unsigned)r->passed;

    if (passed == t->barriers) {
        g->ended = row;
        gpu_warp_count(k, row);
        gpu_tally_trace(k, t, front, 0, t->count - 1, row);
    } else {
        for (unsigned n = 0; n < row; n++)
            store_row(k, g, r, n, passed + 1, false);
        gpu_tally_trace(k, t, front, 0, t->barrier_at[passed], row);
    }
    if (!passed)
        return;
    for (unsigned n = row + 1; n < g->rows; n++)
        store_row(k, g, r, n, passed, true);
    gpu_tally_trace(k, t, front, 0, t->barrier_at[passed - 1], g->rows - row - 1);
}

/* Drops the trace if many groups leave it early. */
static void count_left(struct gpu_worker *k, struct gpu_trace *t, unsigned rows)
{
    if (gpu_departs_often(k, t, GPU_DEPARTURE_THROUGH, LEFT_MOST,
                          (uint64_t)LEFT_MOST * LEFT_SHARE * rows))
        __atomic_store_n(&t->retired, true, __ATOMIC_RELAXED);
}

/* Lets a group go on of which a row, now in `w`, left the trace after `done`. */
static void leave_group(struct gpu_worker *k, struct gpu_group *g, struct gpu_warp *w,
                        struct gpu_trace *t, const struct gpu_row_range *r, uint64_t done)
{
    struct gpu_front front = gpu_whole_rows(k);
    struct gpu_code *code;

    leave_others(k, g, r, &front);
    g->warp[r->rows_ended] = w;
    g->started = r->passed ? g->rows : (unsigned)r->rows_ended + 1;
    g->epoch += (uint32_t)r->passed;
    count_left(k, t, g->rows);
    gpu_trace_note_written(w, t);
    code = gpu_trace_end(k, w, t, &front, done);
    if (code)
        gpu_warp_resume(k, w, code, &front);
}

unsigned gpu_group_run_through(struct gpu_worker *k, struct gpu_group *g)
{
    struct gpu_front front = gpu_whole_rows(k);
    struct gpu_trace *t = g->started ? NULL : trace_through(k, g, &front);
    struct gpu_row_range r = {.count = g->rows, .path = t, .origin = g->origin};
    struct gpu_warp *w;
    uint64_t done;

    if (!t)
        return 0;
    r.place = (const uint32_t *const *)k->cores->job->places.table;
    make_room_for_kept(k, t, &r);
    w = gpu_group_begin_row(k, g, 0);
    g->warp[0] = NULL;
    gpu_warp_set_out(k, w);
    if (w->pool < t->pool)
        gpu_warp_fill_pool(k, w, t->pool);
    done = t->rows(w, &r, t->links);
    k->rows.rows_in_host_code += g->rows;
    if (r.rows_ended != g->rows) {
        leave_group(k, g, w, t, &r, done);
        return (unsigned)r.rows_ended;
    }
    gpu_warp_count(k, g->rows - 1);
    gpu_tally_trace(k, t, &front, 0, t->count - 1, g->rows);
    if (t->counters)
        gpu_tally_sides(k, t, t->count - 1, 0);
    g->started = g->ended = g->rows;
    g->epoch += t->barriers;
    g->warp[0] = w;
    gpu_group_end_row(k, g, 0);
    return g->rows;
}
