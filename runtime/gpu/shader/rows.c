/*
 * The rows of a work-group in host code, one after the other, where one trace is the threads' whole
 * path; and those of the groups beside it.
 *
 * Bounds      rows: those of their group. Groups: those that the worker took at once, while the
 *             program does not end
 */
#include "runtime/gpu/shader/running.h"

/* A function for rows is made after ROWS_HOT * hot rows. */
enum { ROWS_HOT = 2 };

/* The trace that is the whole path of threads from their start. NULL: none, or each row must be
 * started alone. */
static struct gpu_trace *whole_path_trace(const struct gpu_worker *k, const struct gpu_front *front)
{
    struct gpu_trace *t;

    if (!k->entry || k->recorded.count || k->group->trace || k->cores->job->functions ||
        k->entry->address != k->cores->job->job.shader_address)
        return NULL;
    t = gpu_trace_usable(k, NULL, k->entry, front);
    return t && t->ends_unused && !t->loops ? t : NULL;
}

struct gpu_trace *gpu_trace_of_rows(const struct gpu_worker *k, unsigned first, unsigned *end)
{
    struct gpu_front front = gpu_whole_rows(k);
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
    struct gpu_rows_shape shape = {.preload = job->job.preload,
                                   .in_line = job->job.size[0] % k->cores->decoder.row == 0};

    if (run / ROWS_HOT < k->hot) {
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
        *done = t->run(w, 1, t->links);
        if ((*done != last && !(*done & GPU_TRACE_ENDED)) || !gpu_trace_left_unused(w, t, *done))
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
                              .place = (const uint32_t *const *)k->cores->job->places.table,
                              .origin = k->group->origin};

    *done = fn(w, &r, t->rows_links);
    if (r.rows_ended == count)
        gpu_warp_count(k, count - 1);
    else
        gpu_trace_note_written(w, t);
    k->rows.rows_in_host_code += r.rows_ended;
    return (unsigned)r.rows_ended;
}

/* Counts rows that ended with the trace, and lets the row in `w`, which left it early after `done`,
 * go on. */
static void leave_rows(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t,
                       unsigned through, uint64_t done)
{
    struct gpu_front front = gpu_whole_rows(k);
    struct gpu_code *code;

    gpu_tally_trace(k, t, &front, 0, t->count - 1, through);
    gpu_tally_ends(k, t, &front, through);
    code = gpu_trace_end(k, w, t, &front, done);
    if (code)
        gpu_warp_resume(k, w, code, &front);
}

bool gpu_trace_run_rows(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t, unsigned end)
{
    struct gpu_front front = gpu_whole_rows(k);
    unsigned count = end - w->index, through;
    gpu_rows_fn *fn = rows_function(k, t);
    uint64_t done = 0;

    gpu_warp_set_out(k, w);
    if (w->pool < t->pool)
        gpu_warp_fill_pool(k, w, t->pool);
    through = fn ? run_in_function(k, w, t, fn, count, &done) : run_each(k, w, t, count, &done);
    if (through != count) {
        leave_rows(k, w, t, through, done);
        return false;
    }
    gpu_tally_trace(k, t, &front, 0, t->count - 1, through);
    gpu_tally_ends(k, t, &front, through);
    if (t->counters)
        gpu_tally_sides(k, t, t->count - 1, 0);
    return true;
}

/* ---- groups side by side ---------------------------------------------------------------------- */

/* The trace whose function runs all rows of a group that begins; NULL: none does. Groups with memory
 * of their own are run one by one, since it must be cleared between them. */
static struct gpu_trace *trace_of_groups(const struct gpu_worker *k, const struct gpu_group *g)
{
    const struct gpu_compute_job *job = &k->cores->job->job;
    struct gpu_trace *t;
    unsigned end;

    if (g->started || g->trace || job->local_bytes || job->thread_bytes ||
        job->threads % k->cores->decoder.row)
        return NULL;
    t = gpu_trace_of_rows(k, 0, &end);
    return t && end == g->rows && rows_function(k, t) ? t : NULL;
}

/* Runs the worker's group and those behind it in the memory of the row `w`, until one of their rows
 * leaves the trace early, or there are no more. Returns the number of rows that ended in the last
 * group; *groups becomes the number of groups that ended. */
static unsigned run_groups(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t,
                           gpu_next_group_fn *next, uint64_t *done, uint64_t *groups)
{
    struct gpu_front front = gpu_whole_rows(k);
    struct gpu_group *g = k->group;
    gpu_rows_fn *fn = rows_function(k, t);
    struct gpu_row_range r = {.count = g->rows,
                              .place = (const uint32_t *const *)k->cores->job->places.table,
                              .origin = g->origin};

    for (*groups = 0;; gpu_warp_set_group(k, w)) {
        *done = fn(w, &r, t->rows_links);
        if (r.rows_ended != r.count)
            return (unsigned)r.rows_ended;
        ++*groups;
        gpu_tally_group(k, t, &front);
        if (!next(k, g))
            return g->rows;
        g->work = 0;
        g->budget = k->cores->job->window.budget;
    }
}

unsigned gpu_groups_run_rows(struct gpu_worker *k, struct gpu_group *g, gpu_next_group_fn *next)
{
    struct gpu_front front = gpu_whole_rows(k);
    struct gpu_trace *t = trace_of_groups(k, g);
    uint64_t done, groups;
    struct gpu_warp *w;
    unsigned through;

    if (!t)
        return 0;
    w = gpu_group_begin_row(k, g, 0);
    gpu_warp_set_out(k, w);
    if (w->pool < t->pool)
        gpu_warp_fill_pool(k, w, t->pool);
    through = run_groups(k, w, t, next, &done, &groups);
    gpu_tally_passes(k, t, &front, groups * g->rows);
    g->ended = through;
    if (through == g->rows) {
        gpu_warp_count(k, groups * g->rows - 1);
        k->rows.rows_in_host_code += groups * g->rows;
        g->started = g->rows;
        gpu_group_end_row(k, g, 0);
        return through;
    }
    gpu_warp_count(k, groups * g->rows);
    k->rows.rows_in_host_code += groups * g->rows + through;
    gpu_trace_note_written(w, t);
    g->started = through + 1;
    g->warp[0] = NULL;
    g->warp[through] = w;
    leave_rows(k, w, t, through, done);
    return through;
}
