/*
 * Extrapolation of long jobs. A model that is cut stops after a number of executed bundles. The
 * rest of the job is assumed to behave like the second half of the simulated part, in which caches
 * are filled and all groups have begun.
 */
#include "runtime/timing/cut.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"

void timing_cut_begin(struct model *m)
{
    const struct timing_cut *cut = &m->cut;

    m->stop = UINT64_MAX;
    if (!cut->bundles || cut->all <= cut->bundles)
        return;
    m->stop = cut->bundles / 2;
}

bool timing_cut_here(struct model *m)
{
    size_t n = m->job->bundles.len + 1;

    if (m->stop == m->cut.bundles)
        return true;
    m->half = *m->out;
    m->half.ticks = m->now;
    m->half.l2_hits = m->beyond->fills.hits + m->l2.hits;
    m->half.l2_misses = m->beyond->fills.misses + m->l2.misses;
    for (unsigned i = 0; i < m->shape->cores; i++) {
        m->half.l1_hits += m->cores[i].fills.hits + m->cores[i].l1.hits;
        m->half.l1_misses += m->cores[i].fills.misses + m->cores[i].l1.misses;
    }
    if (m->lines) {
        m->half_lines = xcalloc(n, sizeof(*m->half_lines));
        memcpy(m->half_lines, m->lines, n * sizeof(*m->half_lines));
    }
    m->stop = m->cut.bundles;
    return false;
}

static uint64_t grown(uint64_t half, uint64_t now, double by)
{
    return now + (uint64_t)((double)(now - half) * by);
}

static void grow_lines(struct model *m, double by)
{
    for (size_t i = 0; m->lines && i <= m->job->bundles.len; i++) {
        struct timing_line *l = &m->lines[i];
        const struct timing_line *half = &m->half_lines[i];

        l->executions = grown(half->executions, l->executions, by);
        for (unsigned k = 0; k < TIMING_CAUSES; k++)
            l->account[k] = grown(half->account[k], l->account[k], by);
    }
}

/* Makes accounts consistent: the job's account is the sum of its lines, and the engines' remaining
 * time counts as imbalance. */
static void settle(struct model *m)
{
    uint64_t engines = (uint64_t)m->shape->cores * m->shape->engines, sum = 0;
    struct timing_result *r = m->out;

    for (unsigned k = 0; m->lines && k < TIMING_CAUSES; k++) {
        r->account[k] = 0;
        for (size_t i = 0; i <= m->job->bundles.len; i++)
            r->account[k] += m->lines[i].account[k];
    }
    for (unsigned k = 0; k < TIMING_CAUSES; k++)
        sum += r->account[k];
    if (r->ticks * engines < sum)
        r->ticks = (sum + engines - 1) / engines;
    r->account[TIMING_IMBALANCE] += r->ticks * engines - sum;
    if (m->lines)
        m->lines[m->job->bundles.len].account[TIMING_IMBALANCE] += r->ticks * engines - sum;
}

void timing_cut_end(struct model *m)
{
    struct timing_result *r = m->out, *half = &m->half;
    double by;

    if (m->stop != m->cut.bundles || r->bundles < m->cut.bundles || r->bundles >= m->cut.all)
        goto out;
    r->part = (double)r->bundles / (double)m->cut.all;
    by = (double)(m->cut.all - r->bundles) / (double)(r->bundles - half->bundles);
    r->ticks = grown(half->ticks, r->ticks, by);
    for (unsigned k = 0; k < TIMING_CAUSES; k++)
        r->account[k] = grown(half->account[k], r->account[k], by);
    grow_lines(m, by);
    settle(m);
#define GROW(field) r->field = grown(half->field, r->field, by)
    GROW(bundles), GROW(instructions), GROW(requests);
    GROW(l1_hits), GROW(l1_misses), GROW(l2_hits), GROW(l2_misses);
    GROW(code_hits), GROW(code_misses);
    GROW(l2_reads), GROW(l2_writes), GROW(dram_reads), GROW(dram_writes);
#undef GROW
out:
    free(m->half_lines);
    m->half_lines = NULL;
}
