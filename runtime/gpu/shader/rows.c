/*
 * The rows of a work-group in host code, one after the other, where one trace is the threads' whole
 * path.
 *
 * Bounds      rows: those of their group
 */
#include "runtime/gpu/shader/running.h"

/* A function for rows is made after ROWS_HOT * translate_after rows. */
enum { ROWS_HOT = 2 };

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

    if (!k->entry || k->recorded.count || k->group->trace || k->cores->job->functions ||
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

    if (run / ROWS_HOT < k->cores->translate_after) {
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
        if (t->counters)
            gpu_tally_sides(k, t, t->count - 1, 0);
        return true;
    }
    code = gpu_trace_end(k, w, t, &front, done);
    if (code)
        gpu_warp_resume(k, w, code, &front);
    return false;
}
