/*
 * The rows of a work-group between two barriers: where all of them run one trace to the next
 * barrier, or to their end, they do so one after the other, and many such rows get a function of
 * their own.
 *
 * Rows that a function has taken from barrier to barrier are together: where they are is known once
 * for the group, and not stored in each of them until one must be run alone.
 *
 * Bounds      rows: those of their group, and of its budget
 */
#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/running.h"

/* A function for rows of a phase is made after PHASE_HOT * hot rows, so that one for all phases of
 * a group (through.c) comes first. */
enum { PHASE_HOT = 4 };

/* A run of rows from `first` to `end` - 1 by one trace, of which `done` is what the last one
 * returned. */
struct phase {
    struct gpu_worker *k;
    struct gpu_group *g;
    struct gpu_trace *t;    /* for each row alone */
    struct gpu_trace *many; /* for many rows: the same, or one with forks */
    gpu_rows_fn *fn;        /* of `many`; NULL: it is not made */
    const uint64_t *links;
    struct gpu_front front; /* of whole rows */
    unsigned first, end;
    uint64_t done;
    bool waits;    /* the rows have come to a barrier; else to their end */
    uint64_t next; /* the bundle behind the barrier */
};

static const struct gpu_rows_shape in_memory = {.in_memory = true};

/* ---- rows ------------------------------------------------------------------------------------ */

static uint32_t mask_of(unsigned lanes)
{
    return lanes == 32 ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
}

/* The number of threads in a row. */
static unsigned threads_of(const struct phase *p, unsigned row)
{
    unsigned left = p->k->cores->job->job.threads - row * p->front.lanes;

    return left < p->front.lanes ? left : p->front.lanes;
}

/* The front of a row with all its threads. */
static struct gpu_front front_of(const struct phase *p, unsigned row)
{
    const struct gpu_decoder *d = &p->k->cores->decoder;
    unsigned threads = threads_of(p, row);

    if (threads == p->front.lanes)
        return p->front;
    return (struct gpu_front){threads, d->scalar ? 1 : (threads + d->width - 1) / d->width,
                              UINT64_MAX};
}

/* Whether a row with all its threads is about to run from the trace's start on. */
static bool is_ready(const struct phase *p, unsigned row)
{
    const struct gpu_warp *w = p->g->warp[row];
    uint32_t all = mask_of(threads_of(p, row));

    return w && (w->fresh ? w->live == all && p->k->entry == p->t->codes[0]
                          : gpu_warp_goes_on(w, all, p->t->codes[0]->address));
}

/* Whether the row, which ran a trace that returned `done`, came to a barrier with all its lanes. */
static bool came_to_barrier(const struct gpu_warp *w, const struct gpu_trace *t, uint64_t done)
{
    return done < t->count && gpu_trace_ends_path(t, (unsigned)done) &&
           w->wait == GPU_WARP_BARRIER && !(w->branched | w->ended | w->faulted);
}

/* Whether all lanes of the row ended at the trace's end, or in its sides. */
static bool came_to_end(const struct gpu_warp *w, const struct gpu_trace *t, uint64_t done)
{
    unsigned last = done & GPU_TRACE_LAST;
    uint32_t ended = t->codes[last]->flags & GPU_BUNDLE_END ? w->active : w->ended;

    if (done & GPU_TRACE_ENDED)
        return gpu_trace_left_unused(w, t, done);
    return done == last && gpu_trace_ends_path(t, last) && ended == w->live &&
           !(w->branched | w->faulted | w->wait);
}

static void end_row(struct phase *p, unsigned row)
{
    p->g->ended++;
    gpu_group_end_row(p->k, p->g, row);
}

/* Runs a row by the trace's function for one. false: it has left the trace early. */
static bool run_alone(struct phase *p, unsigned row)
{
    struct gpu_warp *w = p->g->warp[row];
    const struct gpu_trace *t = p->t;

    gpu_warp_set_out(p->k, w);
    if (w->pool < t->pool)
        gpu_warp_fill_pool(p->k, w, t->pool);
    p->done = t->run(w, 1, t->links);
    if (!came_to_barrier(w, t, p->done) && !came_to_end(w, t, p->done))
        return false;
    if (!gpu_trace_left_unused(w, t, p->done))
        gpu_trace_note_written(w, t);
    if (w->wait == GPU_WARP_BARRIER)
        gpu_warp_bar(w, t->codes[t->count - 1]->next);
    else
        end_row(p, row);
    return true;
}

/* Lets row `row`, which left the trace `in` early, go on. */
static void leave(struct phase *p, unsigned row, struct gpu_trace *in)
{
    struct gpu_front front = front_of(p, row);
    struct gpu_warp *w = p->g->warp[row];
    struct gpu_code *code;

    gpu_wide_heat(p->k, p->t, in, w, p->done, &in_memory);
    code = gpu_trace_end(p->k, w, in, &front, p->done);
    if (code)
        gpu_warp_resume(p->k, w, code, &front);
}

/* ---- rows that are together ------------------------------------------------------------------ */

/* Notes in a row what traces have written while rows were together. */
static void note_written(const struct gpu_together *of, struct gpu_warp *w)
{
    if (of->any_written)
        w->unused_in = 0;
    for (unsigned i = 0; i < GPU_WRITTEN_WORDS; i++)
        w->written[i] |= of->written[i];
}

/* Stores in a row that it is at `address`. */
static void store_place(struct gpu_warp *w, uint64_t address)
{
    gpu_warp_bar(w, address);
    w->barred = 0;
}

/* Parts rows from `first` on. */
static void part(struct gpu_group *g, unsigned first)
{
    for (unsigned n = first; n < g->rows; n++) {
        note_written(&g->together, g->warp[n]);
        store_place(g->warp[n], g->together.at->address);
    }
    g->together.at = NULL;
}

/* Adds what the trace writes to what rows that are together have written. */
static void add_written(struct gpu_together *to, const struct gpu_trace *t)
{
    to->any_written |= !t->written_complete;
    for (unsigned i = 0; i < GPU_WRITTEN_WORDS; i++)
        to->written[i] |= t->written[i];
}

/* Stores that a row waits at the barrier to which it has come, or ends it. */
static void settle(struct phase *p, unsigned row)
{
    struct gpu_warp *w = p->g->warp[row];

    if (!p->many->ends_unused || p->waits)
        gpu_trace_note_written(w, p->many);
    if (p->g->together.at)
        note_written(&p->g->together, w);
    if (p->waits) {
        gpu_warp_bar(w, p->next);
        w->wait = GPU_WARP_BARRIER;
    } else {
        end_row(p, row);
    }
}

/* Settles the rows before `row`, which left the trace early, and those behind it: they have not
 * run, but have set out. */
static void settle_others(struct phase *p, unsigned row)
{
    struct gpu_together *together = &p->g->together;

    for (unsigned n = p->first; n < row; n++)
        settle(p, n);
    if (together->at) {
        note_written(together, p->g->warp[row]);
        part(p->g, row + 1);
        return;
    }
    for (unsigned n = row + 1; n < p->end; n++)
        store_place(p->g->warp[n], p->t->codes[0]->address);
}

/* The bundle at which the rows are together behind the trace; NULL: they are not. */
static struct gpu_code *place_behind(const struct phase *p)
{
    if (!p->waits || p->first || p->end != p->g->rows)
        return NULL;
    return gpu_shader_find(p->k->cores->job->shader, p->next);
}

/* All rows have run the trace to its end. */
static void finish(struct phase *p)
{
    struct gpu_together *together = &p->g->together;
    const struct gpu_code *at = place_behind(p);

    if (at) {
        if (!together->at)
            *together = (struct gpu_together){0};
        add_written(together, p->many);
        together->at = at;
        return;
    }
    for (unsigned n = p->first; n < p->end; n++)
        settle(p, n);
    together->at = NULL;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Prepares rows from `first` on that are ready, as far as the budget allows; *end becomes the
 * number of the first other one. */
static void set_out(struct phase *p, unsigned room)
{
    struct gpu_group *g = p->g;
    unsigned end = p->first;

    if (g->together.at) {
        p->end = g->rows;
        return;
    }
    for (; end < g->rows && end - p->first < room; end++) {
        if (end == g->started)
            gpu_group_begin_row(p->k, g, end);
        if (!is_ready(p, end))
            break;
        p->k->rows.rows_in_host_code += g->warp[end]->fresh;
        gpu_warp_set_out(p->k, g->warp[end]);
    }
    p->end = end;
}

/* Notes to which place rows have come with a path. */
static void set_place(struct phase *p, unsigned path)
{
    p->waits = p->many->path_waits[path];
    p->next = p->many->codes[gpu_trace_path_end(p->many, path)]->next;
}

/* Notes to which place the rows have come that the function has passed over. */
static void set_common_place(struct phase *p, const struct gpu_row_range *r)
{
    unsigned path = 0;

    while (path < p->many->forks && p->many->place_of[path] != r->came_to)
        path++;
    set_place(p, path);
}

/* Runs the last row of a group, which is not whole. false: it has left the trace early, or come to
 * another place than the others. */
static bool run_last(struct phase *p, unsigned row)
{
    struct gpu_front front = front_of(p, row);
    struct gpu_warp *w = p->g->warp[row];
    const struct gpu_trace *t = p->t;

    if (w->pool < t->pool)
        gpu_warp_fill_pool(p->k, w, t->pool);
    p->done = t->run(w, 1, t->links);
    if (row == p->first)
        set_place(p, 0);
    if (p->waits != t->path_waits[0] || (p->waits && p->next != t->codes[t->count - 1]->next) ||
        (!came_to_barrier(w, t, p->done) && !came_to_end(w, t, p->done)))
        return false;
    gpu_tally_trace(p->k, t, &front, 0, t->count - 1, 1);
    if (t->counters)
        gpu_tally_sides(p->k, t, t->count - 1, 0);
    w->wait = GPU_WARP_RUNS;
    return true;
}

/* Settles row `row`, at which the function returned, if it has come to another place than the rows
 * before it. false: it has left the trace early. */
static bool settle_odd(struct phase *p, unsigned row)
{
    struct gpu_warp *w = p->g->warp[row];
    unsigned path = gpu_trace_path_of(p->many, p->done & GPU_TRACE_LAST);

    if (!came_to_barrier(w, p->many, p->done) && !came_to_end(w, p->many, p->done))
        return false;
    set_place(p, path);
    p->waits = w->wait == GPU_WARP_BARRIER;
    gpu_tally_trace(p->k, p->many, &p->front, 0, gpu_trace_path_end(p->many, path), 1);
    settle(p, row);
    return true;
}

/* Runs whole rows of those that have set out, up to `whole`. Returns the number of the first one
 * that is not passed over. */
static unsigned run_whole(struct phase *p, unsigned whole)
{
    struct gpu_group *g = p->g;
    struct gpu_row_range r = {.warp = g->warp + p->first, .count = whole - p->first};

    if (!r.count)
        return whole;
    if (g->warp[p->first]->pool < p->many->pool)
        gpu_warp_fill_pool(p->k, g->warp[p->first], p->many->pool);
    p->done = p->fn(g->warp[p->first], &r, p->links);
    set_common_place(p, &r);
    gpu_tally_paths(p->k, p->many, &p->front, &r);
    if (p->many->counters)
        gpu_tally_sides(p->k, p->many, p->many->count - 1, 0);
    return p->first + (unsigned)r.rows_ended;
}

/* Runs the rows from p->first on by the function for many. Returns the number of the first row that
 * has not been run. *alone: it must be run alone, or has been. */
static unsigned run_function(struct phase *p, unsigned room, bool *alone)
{
    unsigned whole, last;
    bool left = false;

    *alone = true;
    set_out(p, room);
    if (p->end == p->first)
        return p->first;
    whole = threads_of(p, p->end - 1) == p->front.lanes ? p->end : p->end - 1;
    last = run_whole(p, whole);
    if (last == whole && whole != p->end) {
        left = !run_last(p, whole);
        last += !left;
    }
    if (last == p->end) {
        finish(p);
    } else {
        settle_others(p, last);
        if (!left && settle_odd(p, last)) {
            *alone = false;
            last++;
        } else {
            leave(p, last, left ? p->t : p->many);
        }
    }
    return last;
}

/* Runs them by the function for one row. */
static unsigned run_each(struct phase *p, unsigned room)
{
    struct gpu_group *g = p->g;
    unsigned end = p->first < g->started ? g->started : g->rows, n = p->first;
    bool whole = true;

    for (; whole && n < end && n - p->first < room; n += whole) {
        if (n == g->started)
            gpu_group_begin_row(p->k, g, n);
        if (threads_of(p, n) != p->front.lanes || !is_ready(p, n))
            break;
        whole = run_alone(p, n);
    }
    gpu_tally_trace(p->k, p->t, &p->front, 0, p->t->count - 1, n - p->first);
    if (p->t->counters)
        gpu_tally_sides(p->k, p->t, p->t->count - 1, 0);
    if (!whole)
        leave(p, n, p->t);
    return n;
}

/* Makes the trace's function for rows of a phase when enough rows have run. */
static void heat_phase(struct gpu_worker *k, struct gpu_trace *t, unsigned rows)
{
    struct gpu_shader *s = k->cores->job->shader;
    uint32_t run = __atomic_load_n(&t->phase_run, __ATOMIC_RELAXED) + rows;

    if (k->cores->decoder.observed)
        return;
    if (run / PHASE_HOT < k->hot) {
        __atomic_store_n(&t->phase_run, run, __ATOMIC_RELAXED);
        return;
    }
    pthread_mutex_lock(&s->lock);
    gpu_trace_add_phase(t, &k->cores->decoder, s);
    pthread_mutex_unlock(&s->lock);
}

/* The bundle that row `first` is about to run, where it begins or continues behind a barrier; NULL:
 * it does not. */
static const struct gpu_code *place_of(const struct gpu_worker *k, const struct gpu_group *g,
                                       unsigned first)
{
    const struct gpu_warp *w = first < g->started ? g->warp[first] : NULL;

    if (g->together.at)
        return g->together.at;
    if (first < g->started && !(w && w->wait == GPU_WARP_RUNS))
        return NULL;
    if (w && !w->fresh)
        return gpu_shader_find(k->cores->job->shader, w->pc[0]);
    return k->entry && k->entry->address == k->cores->job->job.shader_address ? k->entry : NULL;
}

/* The trace, without a loop, that row `first` may run where it begins, or continues behind a
 * barrier, as others may after it. NULL: each row is run alone. */
static struct gpu_trace *trace_of_phase(const struct gpu_worker *k, const struct gpu_group *g,
                                        unsigned first, const struct gpu_front *front)
{
    const struct gpu_code *code;
    struct gpu_trace *t;

    if (k->recorded.count || g->trace || k->flow || k->cores->job->functions)
        return NULL;
    code = place_of(k, g, first);
    t = code ? gpu_trace_usable(k, NULL, code, front) : NULL;
    return t && !t->loops ? t : NULL;
}

/* Chooses what runs many rows. */
static void choose_function(struct phase *p)
{
    struct gpu_trace *wide = gpu_trace_wide(p->t, &in_memory);

    p->many = wide ? wide : p->t;
    p->fn = wide ? wide->rows : __atomic_load_n(&p->t->phase, __ATOMIC_ACQUIRE);
    p->links = wide ? wide->links : p->t->phase_links;
}

/* The number of rows that the group's budget allows. */
static unsigned room_for(const struct phase *p)
{
    uint64_t room = (p->g->budget - 1) / ((uint64_t)p->many->count * p->front.warps);

    return room < p->g->rows ? (unsigned)room : p->g->rows;
}

static unsigned run_many(struct phase *p)
{
    unsigned begin = p->first, end = begin, room = room_for(p);
    bool alone = false;

    while (!alone && end < p->g->rows && room) {
        p->first = end;
        end = run_function(p, room, &alone);
        room = p->g->budget ? room_for(p) : 0;
    }
    return end;
}

unsigned gpu_trace_run_phase(struct gpu_worker *k, struct gpu_group *g, unsigned first)
{
    struct phase p = {.k = k, .g = g, .front = gpu_whole_rows(k), .first = first};
    bool begins = first == g->started, apart;
    unsigned end;

    p.t = trace_of_phase(k, g, first, &p.front);
    apart =
        p.t && (p.t->waits || !begins); /* rows that begin and end need no memory of their own */
    if (apart)
        choose_function(&p);
    if (g->together.at && (!p.fn || room_for(&p) < g->rows))
        part(g, 0);
    if (!p.t)
        return first;
    if (!p.many)
        p.many = p.t;
    end = p.fn ? run_many(&p) : run_each(&p, room_for(&p));
    if (begins)
        gpu_through_heat(k, p.t, end - first);
    if (apart && !p.fn && !__atomic_load_n(&p.t->phase_tried, __ATOMIC_RELAXED))
        heat_phase(k, p.t, end - first);
    return end;
}
