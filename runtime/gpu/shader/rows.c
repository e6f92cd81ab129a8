/*
 * The rows of a work-group in host code, one after the other, where one trace is the threads' whole
 * path; and those of the groups beside it.
 *
 * Bounds      rows: those of their group. Groups: those that the worker took at once, while the
 *             program does not end
 */
#include <string.h>

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

/* The jobs for which a function for rows of this one is valid. */
static struct gpu_rows_shape shape_of(const struct gpu_worker *k)
{
    const struct gpu_compute_job *job = &k->cores->job->job;

    return (struct gpu_rows_shape){.preload = job->preload,
                                   .in_line = job->size[0] % k->cores->decoder.row == 0};
}

/* The trace for many rows that begin as in `t`: with forks, if there is one. */
static struct gpu_trace *widest(const struct gpu_worker *k, struct gpu_trace *t)
{
    struct gpu_rows_shape shape = shape_of(k);
    struct gpu_trace *wide = gpu_trace_wide(t, &shape);

    return wide ? wide : t;
}

struct gpu_trace *gpu_trace_of_rows(const struct gpu_worker *k, unsigned first, unsigned *end)
{
    struct gpu_front front = gpu_whole_rows(k);
    unsigned whole = k->cores->job->job.threads / front.lanes;
    struct gpu_trace *t = first < whole ? whole_path_trace(k, &front) : NULL;
    uint64_t room;

    if (!t)
        return NULL;
    room = (k->group->budget - 1) / ((uint64_t)widest(k, t)->count * front.warps);
    *end = room < whole - first ? first + (unsigned)room : whole;
    return t;
}

/* Makes a trace's function for rows when enough rows have run. */
static void heat_rows(struct gpu_worker *k, struct gpu_trace *t, unsigned rows)
{
    const struct gpu_compute *job = k->cores->job;
    uint32_t run = __atomic_load_n(&t->rows_run, __ATOMIC_RELAXED) + rows;
    struct gpu_rows_shape shape = shape_of(k);

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

static const uint64_t *links_of(const struct gpu_trace *t)
{
    return t->forks ? t->links : t->rows_links;
}

/* Runs up to `r->count` rows from `w` on until one leaves the trace early, which is then at `w`.
 * r->rows_ended becomes the number of rows that ended with the trace. Returns what the last one
 * returned. */
static uint64_t run_each(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t,
                         struct gpu_row_range *r)
{
    unsigned last = t->count - 1, through = 0;
    uint64_t done = 0;

    while (through < r->count) {
        if (through)
            gpu_warp_skip(k, w, 1);
        done = t->run(w, 1, t->links);
        if ((done != last && !(done & GPU_TRACE_ENDED)) || !gpu_trace_left_unused(w, t, done))
            break;
        through++;
    }
    if (!__atomic_load_n(&t->rows_tried, __ATOMIC_RELAXED))
        heat_rows(k, t, through);
    r->rows_ended = through;
    return done;
}

/* Does the same by the function for rows. */
static uint64_t run_in_function(struct gpu_worker *k, struct gpu_warp *w, const struct gpu_trace *t,
                                gpu_rows_fn *fn, struct gpu_row_range *r)
{
    uint64_t done = fn(w, r, links_of(t));

    if (r->rows_ended == r->count)
        gpu_warp_count(k, r->count - 1);
    else
        gpu_trace_note_written(w, t);
    k->rows.rows_in_host_code += r->rows_ended;
    return done;
}

/* Counts rows that ended with the trace `many`, and lets the row in `w`, which left it early after
 * `done`, go on. Rows alone run `t`. */
static void leave_rows(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t,
                       struct gpu_trace *many, const struct gpu_row_range *r, uint64_t done)
{
    struct gpu_front front = gpu_whole_rows(k);
    struct gpu_rows_shape shape = shape_of(k);
    struct gpu_code *code;

    gpu_tally_paths(k, many, &front, r);
    gpu_tally_ends(k, many, &front, r->rows_ended);
    gpu_wide_heat(k, t, many, w, done, &shape);
    code = gpu_trace_end(k, w, many, &front, done);
    if (code)
        gpu_warp_resume(k, w, code, &front);
}

bool gpu_trace_run_rows(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t, unsigned end)
{
    struct gpu_front front = gpu_whole_rows(k);
    struct gpu_trace *many = widest(k, t);
    gpu_rows_fn *fn = rows_function(k, many);
    struct gpu_row_range r = {.first = w->thread,
                              .count = end - w->index,
                              .place = (const uint32_t *const *)k->cores->job->places.table,
                              .origin = k->group->origin};
    uint64_t done;

    gpu_warp_set_out(k, w);
    if (w->pool < many->pool)
        gpu_warp_fill_pool(k, w, many->pool);
    done = fn ? run_in_function(k, w, many, fn, &r) : run_each(k, w, t, &r);
    if (r.rows_ended != r.count) {
        leave_rows(k, w, t, many, &r, done);
        return false;
    }
    gpu_tally_paths(k, many, &front, &r);
    gpu_tally_ends(k, many, &front, r.count);
    if (many->counters)
        gpu_tally_sides(k, many, many->count - 1, 0);
    return true;
}

/* ---- groups side by side --------------------------------------------------------------------- */

/* The trace whose function runs all rows of a group that begins; NULL: none does. Groups with
 * memory of their own are run one by one, since it must be cleared between them. */
static struct gpu_trace *trace_of_groups(const struct gpu_worker *k, const struct gpu_group *g)
{
    const struct gpu_compute_job *job = &k->cores->job->job;
    struct gpu_trace *t;
    unsigned end;

    if (g->started || g->trace || job->local_bytes || job->thread_bytes ||
        job->threads % k->cores->decoder.row)
        return NULL;
    t = gpu_trace_of_rows(k, 0, &end);
    return t && end == g->rows && rows_function(k, widest(k, t)) ? t : NULL;
}

/* Counts a group all of whose rows the function has passed over. */
static void tally_group(struct gpu_worker *k, const struct gpu_trace *t,
                        const struct gpu_front *front, struct gpu_row_range *r)
{
    if (!t->forks) {
        gpu_tally_group(k, t, front);
        return;
    }
    gpu_tally_paths(k, t, front, r);
    if (t->counters)
        gpu_tally_sides(k, t, t->count - 1, 0);
    memset(r->by_path, 0, sizeof(r->by_path));
}

/* Runs the worker's group and those behind it in the memory of the row `w`, until one of their rows
 * leaves the trace early, or there are no more. r->rows_ended becomes the number of rows that ended
 * in the last group; *groups becomes the number of groups that ended. */
static uint64_t run_groups(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t,
                           gpu_next_group_fn *next, struct gpu_row_range *r, uint64_t *groups)
{
    struct gpu_front front = gpu_whole_rows(k);
    struct gpu_group *g = k->group;
    gpu_rows_fn *fn = rows_function(k, t);
    uint64_t done;

    for (*groups = 0;; gpu_warp_set_group(k, w)) {
        done = fn(w, r, links_of(t));
        if (r->rows_ended != r->count)
            return done;
        ++*groups;
        tally_group(k, t, &front, r);
        if (!next(k, g))
            return done;
        g->work = 0;
        g->budget = k->cores->job->window.budget;
    }
}

/* Counts `groups` groups that ended, and ends the last of them; or begins to let the row go on that
 * left the trace in the group behind them. */
static void end_groups(struct gpu_worker *k, struct gpu_warp *w, const struct gpu_trace *t,
                       unsigned through, uint64_t groups)
{
    struct gpu_group *g = k->group;

    g->ended = through;
    if (through == g->rows) {
        gpu_warp_count(k, groups * g->rows - 1);
        k->rows.rows_in_host_code += groups * g->rows;
        g->started = g->rows;
        gpu_group_end_row(k, g, 0);
        return;
    }
    gpu_warp_count(k, groups * g->rows);
    k->rows.rows_in_host_code += groups * g->rows + through;
    gpu_trace_note_written(w, t);
    g->started = through + 1;
    g->warp[0] = NULL;
    g->warp[through] = w;
}

unsigned gpu_groups_run_rows(struct gpu_worker *k, struct gpu_group *g, gpu_next_group_fn *next)
{
    struct gpu_front front = gpu_whole_rows(k);
    struct gpu_trace *t = trace_of_groups(k, g), *many = t ? widest(k, t) : NULL;
    struct gpu_row_range r = {.count = g->rows,
                              .place = (const uint32_t *const *)k->cores->job->places.table,
                              .origin = g->origin};
    uint64_t done, groups;
    struct gpu_warp *w;

    if (!t)
        return 0;
    w = gpu_group_begin_row(k, g, 0);
    gpu_warp_set_out(k, w);
    if (w->pool < many->pool)
        gpu_warp_fill_pool(k, w, many->pool);
    done = run_groups(k, w, many, next, &r, &groups);
    if (!many->forks)
        gpu_tally_passes(k, many, &front, groups * g->rows);
    end_groups(k, w, many, (unsigned)r.rows_ended, groups);
    if (r.rows_ended != r.count)
        leave_rows(k, w, t, many, &r, done);
    return (unsigned)r.rows_ended;
}
