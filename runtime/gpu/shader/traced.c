/*
 * Rows in host code: a trace of one row from some bundle on.
 *
 * Bounds      a trace: GPU_TRACE_BUNDLES bundles, but at least one round
 */
#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/running.h"

/* A worker looks at a trace when DEPARTED_MOST of its rows have left it early. The trace is
 * replaced if 1 / DIVERGED_SHARE of the rows that began meanwhile diverged there or looped, or if
 * all but 1 / THROUGH_SHARE of the rows in the trace took another way together. The one before it
 * comes back if 1 / INSIDE_SHARE of the rows that began meanwhile left the trace among its
 * sides. */
enum { DEPARTED_MOST = 256, DIVERGED_SHARE = 32, THROUGH_SHARE = 8, INSIDE_SHARE = 2 };

static bool is_leaving(const struct gpu_cores *c)
{
    return c->leaving && __atomic_load_n(c->leaving, __ATOMIC_RELAXED);
}

/* Whether the row is not as the trace asks for. */
static inline bool is_unfit(const struct gpu_trace *t, struct gpu_warp *w)
{
    return t->pattern_count && w && !gpu_patterns_hold(t, w);
}

/* The first trace that a row of a traced group may run: it notes accesses. Retired ones do, and
 * those that replace them do not. */
static struct gpu_trace *first_noting(struct gpu_trace *t, struct gpu_warp *w,
                                      const struct gpu_front *front)
{
    while (t && (t->end_address >= front->lowest_waiting || !t->note_counts || is_unfit(t, w)))
        t = __atomic_load_n(&t->next_trace, __ATOMIC_ACQUIRE);
    return t;
}

struct gpu_front gpu_whole_rows(const struct gpu_worker *k)
{
    const struct gpu_decoder *d = &k->cores->decoder;

    return (struct gpu_front){d->row, d->scalar ? 1 : d->row / d->width, UINT64_MAX};
}

struct gpu_trace *gpu_trace_usable(const struct gpu_worker *k, struct gpu_warp *w,
                                   const struct gpu_code *code, const struct gpu_front *front)
{
    struct gpu_trace *t = __atomic_load_n(&code->trace, __ATOMIC_ACQUIRE);

    if (__builtin_expect(t && k->group->trace, 0))
        t = first_noting(t, w, front);
    else
        while (t && (t->end_address >= front->lowest_waiting ||
                     __atomic_load_n(&t->retired, __ATOMIC_RELAXED) || is_unfit(t, w)))
            t = __atomic_load_n(&t->next_trace, __ATOMIC_ACQUIRE);
    if (__builtin_expect(!t, 1) || k->group->budget <= (uint64_t)t->count * front->warps ||
        k->cores->trace || is_leaving(k->cores))
        return NULL;
    return t;
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

bool gpu_departs_often(struct gpu_worker *k, const struct gpu_trace *t, enum gpu_departure way,
                       uint32_t most, uint64_t among)
{
    struct gpu_departures *d = &k->departures[(t->place + way) % GPU_DEPARTURES];
    uint64_t begun = k->rows.rows_begun;

    if (d->trace != t || d->way != way)
        *d = (struct gpu_departures){t, way, 0, begun};
    if (++d->rows < most)
        return false;
    d->trace = NULL;
    return begun - d->since <= among;
}

static uint32_t departures_most(const struct gpu_worker *k)
{
    uint32_t hot = k->cores->translate_after;

    return hot < DEPARTED_MOST ? hot : DEPARTED_MOST;
}

/* Counts a row that diverged behind bundle `last`, for which the trace has no code, or, if `last`
 * is NULL, looped. */
static void count_departure(struct gpu_worker *k, struct gpu_trace *t, struct gpu_code *last)
{
    enum gpu_departure way = last ? GPU_DEPARTURE_DIVERGED : GPU_DEPARTURE_LOOPED;
    uint32_t most = departures_most(k);

    if (gpu_records_anew(k, t, last) &&
        gpu_departs_often(k, t, way, most, (uint64_t)most * DIVERGED_SHARE))
        gpu_record_anew(k, t, last);
}

/* Whether few of the rows that the worker has run in the trace in this step came to its end. */
static bool is_left_by_most(const struct gpu_worker *k, const struct gpu_trace *t)
{
    const uint64_t *passes = k->passes + t->place;
    uint64_t all = 0;

    for (unsigned n = 0; n < t->count; n++)
        all += passes[n];
    return passes[t->count - 1] <= all / THROUGH_SHARE;
}

/* Counts a row whose lanes left the trace together, on a way that was not recorded. The recorded
 * row may have been a rare one, such as a row at the edge of an image. */
static void count_other_way(struct gpu_worker *k, struct gpu_trace *t)
{
    if (gpu_records_anew(k, t, NULL) &&
        gpu_departs_often(k, t, GPU_DEPARTURE_TOGETHER, departures_most(k), UINT64_MAX) &&
        is_left_by_most(k, t))
        gpu_record_anew(k, t, NULL);
}

/* Counts a row that left the trace among its sides, where it diverged otherwise than the recorded
 * row did. If most do, the trace is for the few rows that left the one before it. */
static void count_inside(struct gpu_worker *k, struct gpu_trace *t)
{
    uint32_t most = departures_most(k);

    if (!t->loops && !t->crosses && !t->forks &&
        gpu_departs_often(k, t, GPU_DEPARTURE_INSIDE, most, (uint64_t)most * INSIDE_SHARE))
        gpu_record_undo(t);
}

/* Whether the row diverges. */
static bool row_diverges(const struct gpu_warp *w)
{
    return (w->branched && w->branched != w->active) || (w->ended && w->ended != w->active);
}

struct gpu_code *gpu_trace_end(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t,
                               const struct gpu_front *front, uint64_t done)
{
    unsigned last = done & GPU_TRACE_LAST;

    if (!gpu_trace_left_unused(w, t, done))
        gpu_trace_note_written(w, t);
    gpu_tally_trace(k, t, front, done >> 16, last, 1);
    if (t->counters)
        gpu_tally_sides(k, t, last, w->faulted ? count_of(k, w) : 0);
    w->address = t->codes[last]->address;
    if (done & GPU_TRACE_ENDED)
        w->live = 0;
    if (done & (GPU_TRACE_ENDED | GPU_TRACE_SETTLED)) {
        if (!w->live)
            w->wait = GPU_WARP_ENDED;
        else
            count_inside(k, t);
        return NULL;
    }
    if (t->crosses || t->forks)
        return t->codes[last];
    if (row_diverges(w))
        count_departure(k, t, t->codes[last]);
    else if (last != t->count - 1 && !t->loops && !(w->faulted | w->wait))
        count_other_way(k, t);
    return t->codes[last];
}

struct gpu_code *gpu_trace_run(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t,
                               const struct gpu_front *front)
{
    struct gpu_group *g = k->group;
    uint64_t bundles = g->budget < GPU_TRACE_BUNDLES ? g->budget : GPU_TRACE_BUNDLES;
    uint64_t limit = t->loops ? bundles / ((uint64_t)t->count * front->warps) : 1;
    uint64_t done;

    if (__builtin_expect(g->trace != NULL, 0))
        limit = gpu_timing_before_trace(k, t, limit ? limit : 1);
    done = t->run(w, limit ? limit : 1, t->links);
    if (__builtin_expect(g->trace != NULL, 0))
        gpu_timing_after_trace(k, w, t, done);
    if (t->loops && t->is_plain)
        gpu_abreast_heat(k, t, done >> 16);
    return gpu_trace_end(k, w, t, front, done);
}

void gpu_trace_count_return(struct gpu_worker *k, struct gpu_trace *t)
{
    count_departure(k, t, NULL);
}
