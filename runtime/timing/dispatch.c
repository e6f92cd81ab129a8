/*
 * Assignment of work-groups to cores. Groups are assigned in their order: to the cores in turn, or,
 * if a GPU's description gives core_fill, to one core until it has that number of threads. A batch,
 * if there are batches, ends before the next begins.
 */
#include "runtime/timing/cut.h"
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/timing/model_internal.h"

static bool has_room(const struct model *m, unsigned core)
{
    const struct core *c = &m->cores[core];

    return !c->threads || c->threads + m->job->group_threads <= m->shape->max_threads;
}

/* Selects the core for the next group. false: none has room. */
static bool choose_core(struct model *m, unsigned *out)
{
    for (unsigned i = 0; i < m->shape->cores; i++) {
        unsigned core = (m->next_core + i) % m->shape->cores;

        if (!has_room(m, core))
            continue;
        if (i)
            m->filled = 0;
        m->filled += m->job->group_threads;
        m->next_core = core;
        if (m->filled >= m->p->core_fill) {
            m->next_core = (core + 1) % m->shape->cores;
            m->filled = 0;
        }
        *out = core;
        return true;
    }
    return false;
}

/* Whether the batch has room for one more group. A new batch begins when all groups of the last
 * have ended. */
static bool batch_takes(struct model *m)
{
    const struct timing_params *p = m->p;

    if ((!p->batch_groups || m->batch_groups < p->batch_groups) &&
        (!p->batch_threads || m->batch_threads + m->job->group_threads <= p->batch_threads))
        return true;
    if (m->residents)
        return false;
    m->batch_groups = m->batch_threads = m->filled = 0;
    m->next_core = 0;
    return true;
}

static uint32_t take_slot(struct core *c)
{
    for (size_t i = 0; i < c->slots.len; i++)
        if (!c->slots.data[i]) {
            c->slots.data[i] = 1;
            return (uint32_t)i;
        }
    vec_push(&c->slots, 1);
    return (uint32_t)c->slots.len - 1;
}

static uint32_t new_resident(struct model *m)
{
    uint32_t i = m->free_groups;

    if (i != NO_WARP) {
        m->free_groups = m->groups.data[i].next;
        return i;
    }
    vec_push(&m->groups, (struct resident){0});
    return (uint32_t)m->groups.len - 1;
}

static uint32_t new_warp(struct model *m)
{
    uint32_t i = m->free_warps;

    if (i != NO_WARP) {
        m->free_warps = m->warps.data[i].next;
        return i;
    }
    vec_push(&m->warps, (struct warp){0});
    return (uint32_t)m->warps.len - 1;
}

static unsigned count_warps(const struct timing_job *job, const struct timing_group *g)
{
    unsigned n = 0;

    for (unsigned i = 0; i < g->row_count; i++)
        n += timing_row_warps(job, &g->rows[i]);
    return n;
}

/* The core's station for warp `i` of a group; where bundles have stages, the station with the
 * fewest warps. */
static unsigned choose_station(struct model *m, unsigned core, unsigned i)
{
    struct station *s = &m->station[core * m->stations];
    unsigned best = i % m->stations;

    if (m->p->stage_issue && m->fidelity == TIMING_DETAILED) {
        best = 0;
        for (unsigned k = 1; k < m->stations; k++)
            if (s[k].warps < s[best].warps)
                best = k;
    }
    s[best].warps++;
    s[best].begun++;
    return core * m->stations + best;
}

static void start_group(struct model *m, unsigned core, const struct timing_group *from)
{
    uint32_t number = new_resident(m), row = 0, in_row = 0;
    struct resident *g = &m->groups.data[number];
    uint64_t begin = m->now + m->p->group_launch + (m->now == m->begin ? m->p->job_launch : 0);
    struct core *c = &m->cores[core];
    unsigned warps = count_warps(m->job, from);

    g->core = core;
    g->index = (uint32_t)(from - m->job->groups.data);
    g->slot = take_slot(c);
    g->warps = g->warps_left = warps;
    g->waiting = 0;
    g->begin = m->now;
    g->arrived = 0;
    g->threads = m->job->group_threads;
    g->warp = xrealloc(g->warp, warps, sizeof(*g->warp));
    for (unsigned i = 0; i < warps; i++) {
        uint32_t id = new_warp(m);
        struct warp *w = &m->warps.data[id];

        *w = (struct warp){.group = number,
                           .station = choose_station(m, core, i),
                           .launch = begin - m->now,
                           .bundle = NO_BUNDLE,
                           .waits_bundle = NO_BUNDLE,
                           .waits_for = TIMING_LAUNCH};
        timing_cursor_begin(&w->cursor, m->job, &from->rows[row], in_row++);
        if (in_row == timing_row_warps(m->job, &from->rows[row])) {
            in_row = 0;
            row++;
        }
        g->warp[i] = id;
        timing_events_push(&m->events, begin, id);
    }
    if (!c->threads)
        c->active_since = m->now;
    c->threads += m->job->group_threads;
    m->residents++;
    m->batch_groups++;
    m->batch_threads += m->job->group_threads;
    m->out->groups++;
    m->out->warps += warps;
}

void timing_dispatch(struct model *m)
{
    unsigned core;

    while (m->next_group < m->job->groups.len && batch_takes(m) && choose_core(m, &core))
        start_group(m, core, &m->job->groups.data[m->next_group++]);
}

void timing_retire(struct model *m, uint32_t number)
{
    struct resident *g = &m->groups.data[number];
    struct core *c = &m->cores[g->core];

    for (unsigned i = 0; i < g->warps; i++) {
        m->warps.data[g->warp[i]].next = m->free_warps;
        m->free_warps = g->warp[i];
    }
    if (m->stay)
        m->stay(m->stay_opaque, &(struct timing_stay){.core = g->core,
                                                      .slot = g->slot,
                                                      .warps = g->warps,
                                                      .group = g->index,
                                                      .begin = g->begin,
                                                      .end = m->now});
    c->threads -= g->threads;
    if (!c->threads)
        c->active += m->now - c->active_since;
    c->slots.data[g->slot] = 0;
    g->next = m->free_groups;
    m->free_groups = number;
    m->residents--;
    timing_dispatch(m);
    timing_cut_at_retirement(m);
}
