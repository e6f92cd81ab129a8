/*
 * Rows in host code: a trace of one row from some bundle on.
 *
 * Bounds      a trace: TRACE_BUNDLES bundles, but at least one round
 */
#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/running.h"

/* Bundles that a trace may run before the worker reads `leaving`; at least one round. */
enum { TRACE_BUNDLES = 4 * GPU_LEAVING_BUNDLES };

/* A trace is replaced after DIVERGED_MOST rows that diverged in it, if at least 1 / DIVERGED_SHARE
 * of the rows did. */
enum { DIVERGED_MOST = 256, DIVERGED_SHARE = 32 };

static bool is_leaving(const struct gpu_cores *c)
{
    return c->leaving && __atomic_load_n(c->leaving, __ATOMIC_RELAXED);
}

/* The first trace that a row of a traced group may run: it notes accesses. Retired ones do, and
 * those that replace them do not. */
static struct gpu_trace *first_noting(struct gpu_trace *t, const struct gpu_front *front)
{
    while (t && (t->end_address >= front->lowest_waiting || !t->note_counts))
        t = __atomic_load_n(&t->next_trace, __ATOMIC_ACQUIRE);
    return t;
}

struct gpu_front gpu_whole_rows(const struct gpu_worker *k)
{
    const struct gpu_decoder *d = &k->cores->decoder;

    return (struct gpu_front){d->row, d->scalar ? 1 : d->row / d->width, UINT64_MAX};
}

struct gpu_trace *gpu_trace_usable(const struct gpu_worker *k, const struct gpu_code *code,
                                   const struct gpu_front *front)
{
    struct gpu_trace *t = __atomic_load_n(&code->trace, __ATOMIC_ACQUIRE);

    if (__builtin_expect(t && k->group->trace, 0))
        t = first_noting(t, front);
    else
        while (t && (t->end_address >= front->lowest_waiting ||
                     __atomic_load_n(&t->retired, __ATOMIC_RELAXED)))
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

/* Counts a row that did something behind bundle `last` for which the trace has no code: it
 * diverged, or, if `last` is NULL, it looped. Nothing is counted when the trace cannot be replaced,
 * as all host threads read the same cache line. */
static void count_departure(struct gpu_worker *k, struct gpu_trace *t, struct gpu_code *last)
{
    uint32_t hot = k->cores->translate_after, most = hot < DIVERGED_MOST ? hot : DIVERGED_MOST;
    uint32_t times = __atomic_load_n(&t->diverged, __ATOMIC_RELAXED) + 1;
    uint64_t begun = k->rows.rows_begun;

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
        return NULL;
    }
    if (row_diverges(w) && !t->crosses)
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

    if (__builtin_expect(g->trace != NULL, 0))
        limit = gpu_timing_before_trace(k, t, limit ? limit : 1);
    done = t->run(w, limit ? limit : 1, t->links);
    if (__builtin_expect(g->trace != NULL, 0))
        gpu_timing_after_trace(k, w, t, done);
    return gpu_trace_end(k, w, t, front, done);
}

void gpu_trace_count_return(struct gpu_worker *k, struct gpu_trace *t)
{
    count_departure(k, t, NULL);
}
