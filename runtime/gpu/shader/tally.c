/*
 * Counts of executions of traces. A run of a trace is one addition, at the bundle where the row
 * left it. That all bundles before it were executed is added at the end of a step.
 */
#include "runtime/gpu/shader/flow.h"

/* Adds `count` to each bundle up to `last` that all lanes execute; `warps` is the number of warps
 * in `count`. */
static inline void add_runs(struct gpu_worker *k, const struct gpu_trace *t, unsigned last,
                            uint64_t count, uint64_t warps)
{
    const struct gpu_trace_cost *cost = &t->costs[last];
    struct gpu_group *g = k->group;

    k->passes[t->place + last] += count;
    g->work += cost->cycles_to * warps;
    g->budget -= cost->bundles_to * warps;
}

void gpu_tally_trace(struct gpu_worker *k, const struct gpu_trace *t, const struct gpu_front *front,
                     uint64_t rounds, unsigned last, uint64_t times)
{
    uint64_t count = (GPU_COUNT_WARP * front->warps + front->lanes) * times;

    add_runs(k, t, last, count, front->warps * times);
    if (!rounds)
        return;
    add_runs(k, t, t->count - 1, count * rounds, front->warps * times * rounds);
    if (k->flow)
        k->flow->rounds[t->place] += count * rounds;
}

void gpu_tally_passes(struct gpu_worker *k, const struct gpu_trace *t,
                      const struct gpu_front *front, uint64_t times)
{
    k->passes[t->place + t->count - 1] += (GPU_COUNT_WARP * front->warps + front->lanes) * times;
    gpu_tally_ends(k, t, front, times);
}

void gpu_tally_group(struct gpu_worker *k, const struct gpu_trace *t, const struct gpu_front *front)
{
    const struct gpu_trace_cost *cost = &t->costs[t->count - 1];
    uint64_t warps = (uint64_t)front->warps * k->group->rows;

    k->group->work = cost->cycles_to * warps;
    k->group->budget = k->cores->job->window.budget - cost->bundles_to * warps;
    if (t->counters)
        gpu_tally_sides(k, t, t->count - 1, 0);
}

void gpu_tally_ends(struct gpu_worker *k, const struct gpu_trace *t, const struct gpu_front *front,
                    uint64_t times)
{
    uint64_t count = (GPU_COUNT_WARP * front->warps + front->lanes) * times;

    if (k->flow && times && !(t->has_ways && t->has_ways[t->count - 1]))
        gpu_flow_add(k->flow, t->codes[t->count - 1], GPU_WAY_END, count, 0);
}

void gpu_tally_paths(struct gpu_worker *k, const struct gpu_trace *t, const struct gpu_front *front,
                     const struct gpu_row_range *r)
{
    if (!t->forks && r->rows_ended)
        gpu_tally_trace(k, t, front, 0, t->count - 1, r->rows_ended);
    for (unsigned path = 0; t->forks && path <= t->forks; path++)
        if (r->by_path[path])
            gpu_tally_trace(k, t, front, 0, gpu_trace_path_end(t, path), r->by_path[path]);
}

/* Counts the accesses of a bundle that was executed `count` times; `sign` 1 adds, -1 subtracts. */
static void count_accesses(struct gpu_worker *k, const struct gpu_trace_cost *c, uint64_t count,
                           int sign)
{
    uint64_t lanes = count % GPU_COUNT_WARP;

    for (unsigned n = 0; n < GPU_ACCESS_COUNTERS; n++)
        k->host.core.accesses[n] += (uint64_t)sign * c->accesses[n] * lanes;
}

/* Subtracts `missed` from the counts of a side's bundles behind `last`. */
static void subtract_missed(struct gpu_worker *k, const struct gpu_trace *t, unsigned last,
                            uint64_t missed)
{
    for (unsigned n = last + 1; n < t->count; n++) {
        if (t->costs[n].side != t->costs[last].side)
            continue;
        k->counts[t->costs[n].index] -= missed;
        count_accesses(k, &t->costs[n], missed, -1);
        k->group->work -= t->costs[n].cycles * (missed / GPU_COUNT_WARP);
        k->group->budget += missed / GPU_COUNT_WARP;
    }
}

static void add_ways(struct gpu_worker *k, const struct gpu_trace *t, uint64_t *to)
{
    for (unsigned n = 0; n < t->way_count; n++) {
        to[n] += k->host.ways[n];
        k->host.ways[n] = 0;
    }
}

void gpu_tally_sides(struct gpu_worker *k, const struct gpu_trace *t, unsigned last,
                     uint64_t missed)
{
    uint64_t *passes = k->passes + t->place + t->count, cycles = 0, bundles = 0;

    for (unsigned n = 0; n < t->sides; n++) {
        uint64_t warps = k->host.sides[n] / GPU_COUNT_WARP;

        passes[n] += k->host.sides[n];
        k->host.sides[n] = 0;
        cycles += t->side_costs[n].cycles * warps;
        bundles += t->side_costs[n].bundles * warps;
    }
    if (__builtin_expect(t->counters != t->sides, 0))
        add_ways(k, t, passes + t->sides);
    k->group->work += cycles;
    k->group->budget -= bundles;
    if (missed && t->costs[last].side)
        subtract_missed(k, t, last, missed);
}

/* What is to be added to the rows that reached bundle `n` from the path behind it, which ends
 * there, and to those that reached the bundles before: *through becomes the former. */
static void leave_path(const struct gpu_trace *t, unsigned n, uint64_t *of_fork, uint64_t *through)
{
    for (unsigned i = t->forks; i-- > 0;) {
        if (t->fork[i].at == n + 1) {
            of_fork[i] = *through;
            *through = 0;
        }
    }
    for (unsigned i = 0; i < t->forks; i++)
        if (t->fork[i].behind == n)
            *through += of_fork[i];
}

static void collect_trace(struct gpu_worker *k, const struct gpu_trace *t)
{
    uint64_t through = 0, count, *passes = k->passes + t->place, reached[GPU_TRACE_MAX];
    uint64_t of_fork[GPU_TRACE_FORKS] = {0};

    for (unsigned n = t->count; n-- > 0;) {
        if (t->forks)
            leave_path(t, n, of_fork, &through);
        through += passes[n];
        reached[n] = through;
        count = t->costs[n].side ? passes[t->count + t->costs[n].side - 1] : through;
        k->counts[t->costs[n].index] += count;
        count_accesses(k, &t->costs[n], count, 1);
    }
    if (k->flow)
        gpu_flow_trace(k->flow, t, reached, passes + t->count + t->sides);
    memset(passes, 0, (t->count + t->counters) * sizeof(*passes));
}

void gpu_tally_collect(struct gpu_worker *k, const struct gpu_shader *s)
{
    /* Other workers may decode bundles and make traces meanwhile, of which this one has no
     * counts. */
    for (const struct gpu_code *code = __atomic_load_n(&s->newest, __ATOMIC_ACQUIRE); code;
         code = code->older)
        for (const struct gpu_trace *t = __atomic_load_n(&code->trace, __ATOMIC_ACQUIRE); t;
             t = __atomic_load_n(&t->next_trace, __ATOMIC_ACQUIRE)) {
            const struct gpu_trace *through = __atomic_load_n(&t->through, __ATOMIC_ACQUIRE);

            collect_trace(k, t);
            if (through)
                collect_trace(k, through);
            for (const struct gpu_trace *w = __atomic_load_n(&t->wide, __ATOMIC_ACQUIRE); w;
                 w = w->next_trace)
                collect_trace(k, w);
        }
}
