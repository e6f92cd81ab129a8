/*
 * The power model: energy of executed work, and base power of the powered parts of the GPU.
 */
#include "runtime/timing/power.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"

/* ---- sums ------------------------------------------------------------------------------------ */

const char *power_part_name(enum power_part part)
{
    static const char *const names[POWER_PARTS] = {"instructions", "caches", "memory", "clocks",
                                                   "leakage"};

    return names[part];
}

uint64_t power_sum(const struct power_energy *e)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < POWER_PARTS; i++)
        sum += e->part[i];
    return sum;
}

/* ---- operating points ------------------------------------------------------------------------ */

struct power_point power_point_for(const struct power_point *points, unsigned count, uint32_t mhz)
{
    unsigned i = 0;

    while (i + 1 < count && points[i].mhz < mhz)
        i++;
    return (struct power_point){mhz, points[i].millivolt};
}

static uint64_t scale_by_ratio(uint64_t value, uint64_t by, uint64_t of)
{
    return (uint64_t)((unsigned __int128)value * by / of);
}

uint64_t power_scaled(const struct power_model *m, const struct power_point *at, uint64_t energy)
{
    uint64_t v = m->params.voltage;

    return scale_by_ratio(energy, (uint64_t)at->millivolt * at->millivolt, v * v);
}

/* ---- the base -------------------------------------------------------------------------------- */

static uint64_t clocks_uw(const struct power_model *m, const struct power_point *at,
                          const struct power_state *on)
{
    const struct power_params *p = &m->params;
    uint64_t uw = on->cores * p->core_gated + (on->shared ? p->gpu_gated : 0);

    return scale_by_ratio(power_scaled(m, at, uw), at->mhz, m->clock_mhz);
}

static uint64_t leakage_uw(const struct power_model *m, const struct power_point *at,
                           const struct power_state *on)
{
    const struct power_params *p = &m->params;

    return scale_by_ratio(power_scaled(m, at, on->cores * p->core_leakage + p->gpu_leakage),
                          at->millivolt, p->voltage);
}

uint64_t power_base_uw(const struct power_model *m, const struct power_point *at,
                       const struct power_state *on)
{
    return clocks_uw(m, at, on) + leakage_uw(m, at, on);
}

void power_add_base(const struct power_model *m, const struct power_point *at,
                    const struct power_state *on, uint64_t ns, struct power_energy *e)
{
    e->part[POWER_CLOCKS] += scale_by_ratio(clocks_uw(m, at, on), ns, 1000);
    e->part[POWER_LEAKAGE] += scale_by_ratio(leakage_uw(m, at, on), ns, 1000);
}

/* ---- bundles --------------------------------------------------------------------------------- */

static uint64_t lane_energy(const struct power_params *p, const struct timing_bundle *b)
{
    return b->words[TIMING_PIPE_ARITHMETIC] * p->arithmetic_energy +
           b->words[TIMING_PIPE_MEMORY] * p->memory_energy +
           b->words[TIMING_PIPE_CONTROL] * p->control_energy +
           b->words[TIMING_PIPE_TEXTURE] * p->attribute_energy;
}

uint64_t power_bundle(const struct power_params *p, const struct timing_bundle *b, uint64_t warps,
                      uint64_t lanes)
{
    return warps * p->bundle_energy + lanes * lane_energy(p, b);
}

uint64_t power_full_uw(const struct power_model *m, const struct power_point *at,
                       const struct timing_params *t, const struct timing_shape *shape)
{
    const struct power_params *p = &m->params;
    const struct timing_bundle b = {.stages = 1, .words = {(uint8_t)p->turn_words}};
    const struct power_state on = {shape->cores, true};
    uint64_t turn = t->stage_issue ? t->stage_issue : t->arithmetic_latency;
    uint64_t cycle = shape->cores * (uint64_t)shape->engines *
                     power_bundle(p, &b, 1, shape->warp_width) * TIMING_TICKS /
                     (turn ? turn : TIMING_TICKS);

    /* pJ per cycle times MHz are uW. */
    cycle =
        power_scaled(m, at, cycle * m->clock_mhz + shape->cores * p->core_active + p->gpu_active);
    return scale_by_ratio(cycle, at->mhz, m->clock_mhz) + power_base_uw(m, at, &on);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

void power_job_begin(struct power_job *j, const struct power_model *m, const struct timing_job *job)
{
    size_t n = job->bundles.len;

    *j = (struct power_job){.m = m, .job = job};
    j->lane = xcalloc(n + 1, sizeof(*j->lane));
    for (size_t i = 0; i < n; i++)
        j->lane[i + 1] = j->lane[i] + lane_energy(&m->params, &job->bundles.data[i]);
}

static uint64_t warp_energy(const struct power_job *j, const struct timing_row *row, unsigned warp)
{
    struct timing_cursor c;
    uint64_t sum = 0;

    timing_cursor_begin(&c, j->job, row, warp);
    for (timing_cursor_next(&c); c.event != TIMING_END; timing_cursor_next(&c)) {
        uint64_t lanes = (uint64_t)__builtin_popcount(c.lanes & c.warp_lanes);
        struct timing_touch t;

        if (c.event == TIMING_BARRIER)
            continue;
        sum += c.times * (c.count * j->m->params.bundle_energy +
                          lanes * (j->lane[c.first + c.count] - j->lane[c.first]));
        while (timing_cursor_access(&c, &t))
            ;
    }
    return sum;
}

static uint64_t group_energy(const struct power_job *j, const struct timing_group *g)
{
    uint64_t sum = 0;

    for (unsigned k = 0; k < g->row_count; k++)
        for (unsigned w = 0; w < timing_row_warps(j->job, &g->rows[k]); w++)
            sum += warp_energy(j, &g->rows[k], w);
    return sum;
}

void power_job_stay(void *opaque, const struct timing_stay *stay)
{
    struct power_job *j = opaque;
    uint32_t core = stay->core < POWER_CORES ? stay->core : POWER_CORES - 1;

    if (stay->is_warp)
        return;
    j->core[core] += group_energy(j, &j->job->groups.data[stay->group]);
    vec_push(&j->stays, (struct power_stay){stay->begin, stay->end, core});
}

static int by_core_and_time(const void *left, const void *right)
{
    const struct power_stay *a = left, *b = right;

    if (a->core != b->core)
        return a->core < b->core ? -1 : 1;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Adds up, per core, the ticks during which the core had a group. */
static void busy_ticks(struct power_job *j, uint64_t busy[POWER_CORES])
{
    uint64_t until = 0;

    if (j->stays.len)
        qsort(j->stays.data, j->stays.len, sizeof(*j->stays.data), by_core_and_time);
    for (size_t i = 0; i < j->stays.len; i++) {
        const struct power_stay *s = &j->stays.data[i];
        bool first = !i || s->core != s[-1].core;
        uint64_t begin = first || s->begin > until ? s->begin : until;

        if (s->end > begin)
            busy[s->core] += s->end - begin;
        until = first || s->end > until ? s->end : until;
    }
}

/* n * scale, limited to UINT64_MAX, since the scale may come from a file. */
static uint64_t scaled_up(uint64_t n, double scale)
{
    double product = (double)n * scale;

    return scale == 1 ? n : product < 0x1p64 ? (uint64_t)product : UINT64_MAX;
}

/* Counts the lines that are looked up in L2, and those transferred between L2 and memory. The model
 * "reassemble" does not count lookups by reads and writes; its hits and misses are used. */
static void count_lines(const struct timing_result *r, uint64_t *l2, uint64_t *memory)
{
    bool lookups = r->l2_reads + r->l2_writes;

    *l2 = scaled_up(lookups ? r->l2_reads + r->l2_writes : r->l2_hits + r->l2_misses, r->scale);
    *memory = scaled_up(lookups ? r->dram_reads + r->dram_writes : r->l2_misses, r->scale);
}

void power_job_end(struct power_job *j, const struct timing_result *r, struct power_energy *out)
{
    const struct power_params *p = &j->m->params;
    uint64_t busy[POWER_CORES] = {0}, per_cycle = (uint64_t)TIMING_TICKS * j->m->clock_mhz;
    uint64_t l2, memory;

    *out = (struct power_energy){{0}, {0}};
    busy_ticks(j, busy);
    for (unsigned c = 0; c < POWER_CORES; c++) {
        uint64_t work = scaled_up(j->core[c], r->scale);
        /* uW times cycles over MHz are pJ */
        uint64_t clock = scale_by_ratio(p->core_active, scaled_up(busy[c], r->scale), per_cycle);

        out->part[POWER_INSTRUCTIONS] += work;
        out->part[POWER_CLOCKS] += clock;
        out->core[c] = work + clock;
    }
    out->part[POWER_CLOCKS] += scale_by_ratio(p->gpu_active, r->ticks, per_cycle);
    count_lines(r, &l2, &memory);
    out->part[POWER_CACHES] =
        scaled_up(r->l1_hits + r->l1_misses, r->scale) * p->l1_energy + l2 * p->l2_energy;
    out->part[POWER_MEMORY] = memory * p->dram_energy;
    free(j->lane);
    vec_free(&j->stays);
}
