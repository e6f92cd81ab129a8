/*
 * Extrapolation of long jobs. A model that is cut stops after a number of executed bundles. The
 * rest of the job is assumed to behave like the second half of the simulated part, in which caches
 * are filled and all groups have begun. If all groups have begun, the job ends when the engines
 * with the most warps have executed these.
 */
#include "runtime/timing/cut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"

void timing_cut_begin(struct model *m)
{
    const struct timing_cut *cut = &m->cut;
    uint64_t sampled = cut->all;

    m->stop = UINT64_MAX;
    if (cut->whole)
        sampled =
            (uint64_t)((double)cut->all * (double)m->job->groups.len / (double)m->job->group_total);
    m->end = cut->bundles && cut->bundles < sampled ? cut->bundles : sampled;
    if (m->end < cut->all && m->end > 2 * CUT_BATCHES)
        m->stop = m->end / 2;
}

static void keep_half(struct model *m)
{
    size_t n = m->job->bundles.len + 1;

    m->half = *m->out;
    m->half.ticks = m->now;
    m->half.l2_hits = m->beyond->fills.hits + m->l2.hits;
    m->half.l2_misses = m->beyond->fills.misses + m->l2.misses;
    for (unsigned i = 0; i < m->shape->cores; i++) {
        m->half.l1_hits += m->cores[i].fills.hits + m->cores[i].l1.hits;
        m->half.l1_misses += m->cores[i].fills.misses + m->cores[i].l1.misses;
    }
    for (unsigned i = 0; i < m->shape->cores * m->stations; i++)
        m->station[i].issued_at_half = m->station[i].issued;
    if (m->lines) {
        m->half_lines = xcalloc(n, sizeof(*m->half_lines));
        memcpy(m->half_lines, m->lines, n * sizeof(*m->half_lines));
    }
}

bool timing_cut_here(struct model *m)
{
    if (!m->batches)
        keep_half(m);
    m->batch[m->batches++] = (struct cut_batch){m->now, m->out->bundles};
    m->has_ended = m->batches > CUT_BATCHES || m->end <= m->out->bundles;
    m->stop = m->half.bundles + (m->end - m->half.bundles) * m->batches / CUT_BATCHES;
    return m->has_ended;
}

/* The end of a sample, when cores become empty, is not the end of the job. */
void timing_cut_at_retirement(struct model *m)
{
    if (m->cut.whole && m->batches > 2 && m->next_group == m->job->groups.len)
        m->end = m->stop = m->out->bundles;
}

static uint64_t extrapolate_count(uint64_t half, uint64_t now, double by)
{
    return now + (uint64_t)((double)(now - half) * by);
}

static void grow_lines(struct model *m, double by)
{
    for (size_t i = 0; m->lines && i <= m->job->bundles.len; i++) {
        struct timing_line *l = &m->lines[i];
        const struct timing_line *half = &m->half_lines[i];

        l->executions = extrapolate_count(half->executions, l->executions, by);
        for (unsigned k = 0; k < TIMING_CAUSES; k++)
            l->account[k] = extrapolate_count(half->account[k], l->account[k], by);
    }
}

/* Makes accounts consistent: the job's account is the sum of its lines, and the engines' remaining
 * time counts as imbalance. */
static void settle_accounts(struct model *m)
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

/* ---- the rest of the time -------------------------------------------------------------------- */

/* Stations with the same number of warps, which are assumed to progress equally. */
struct station_class {
    double left; /* bundles that such a station has not issued yet */
    double rate; /* bundles per tick */
};

static struct station_class class_of(const struct model *m, uint64_t begun, double per_warp)
{
    struct station_class c = {0, 0};
    unsigned count = 0;

    for (unsigned i = 0; i < m->shape->cores * m->stations; i++) {
        const struct station *s = &m->station[i];

        if (s->begun != begun)
            continue;
        c.left += (double)begun * per_warp - (double)s->issued;
        c.rate += (double)(s->issued - s->issued_at_half);
        count++;
    }
    c.left /= count;
    c.rate /= count * (double)(m->out->ticks - m->half.ticks);
    return c;
}

/* Ticks from here until the station that takes longest has ended, if all groups of the job have
 * begun and their warps execute equally many bundles. Else 0. */
static uint64_t longest_rest(const struct model *m)
{
    double per_warp = (double)m->cut.all / (double)m->out->warps, longest = 0;

    if (m->cut.whole || m->fidelity != TIMING_DETAILED || m->next_group != m->job->groups.len ||
        m->out->ticks == m->half.ticks)
        return 0;
    for (unsigned i = 0; i < m->shape->cores * m->stations; i++) {
        struct station_class c = class_of(m, m->station[i].begun, per_warp);

        if (c.rate > 0 && c.left / c.rate > longest)
            longest = c.left / c.rate;
    }
    return longest < 0x1p62 ? (uint64_t)longest : 0;
}

/* What a sample does not show of the time per bundle, since its caches begin empty and its groups
 * together: the usual difference from whole jobs (bench/results/report.md). */
#define SAMPLE_ERROR 0.05

/* The relative error of the time per bundle, by the batches of the second half: from the variance
 * of their mean, and from the change between the first and the last batches. */
static double rate_error(const struct model *m)
{
    double sum = 0, squares = 0, change = 0, mean;
    unsigned n = m->batches - 1;

    for (unsigned i = 0; i < n; i++) {
        const struct cut_batch *b = &m->batch[i];
        double rate = (double)(b[1].ticks - b->ticks) / (double)(b[1].bundles - b->bundles);

        sum += rate;
        squares += rate * rate;
        change += 2 * i + 1 == n ? 0 : 2 * i < n ? -rate : rate;
    }
    if (n < 2 || sum <= 0)
        return 1;
    mean = sum / n;
    change /= n / 2;
    squares = (squares / n - mean * mean) / (n - 1);
    squares = squares > 0 ? squares : 0; /* rounding may leave less */
    return sqrt(4 * squares + change * change) / mean;
}

/* The relative error of the job's ticks, of which the part `rest` is extrapolated. */
static double total_error(const struct model *m, double rest)
{
    double rate = rate_error(m), sample = m->cut.whole ? SAMPLE_ERROR : 0;
    double error = rest * sqrt(rate * rate + sample * sample);

    return error < 1 ? error : 1;
}

void timing_cut_end(struct model *m)
{
    struct timing_result *r = m->out, *half = &m->half;
    uint64_t before = r->ticks, rest;
    double by;

    if (!m->has_ended || r->bundles >= m->cut.all || r->bundles == half->bundles)
        goto out;
    r->part = (double)r->bundles / (double)m->cut.all;
    by = (double)(m->cut.all - r->bundles) / (double)(r->bundles - half->bundles);
    rest = longest_rest(m);
    r->ticks = extrapolate_count(half->ticks, r->ticks, by);
    if (r->ticks < before + rest)
        r->ticks = before + rest;
    r->error = total_error(m, (double)(r->ticks - before) / (double)r->ticks);
    if (m->cut.whole)
        r->scale = 1;
    for (unsigned k = 0; k < TIMING_CAUSES; k++)
        r->account[k] = extrapolate_count(half->account[k], r->account[k], by);
    grow_lines(m, by);
    settle_accounts(m);
#define GROW(field) r->field = extrapolate_count(half->field, r->field, by)
    GROW(bundles), GROW(instructions), GROW(requests);
    GROW(l1_hits), GROW(l1_misses), GROW(l2_hits), GROW(l2_misses);
    GROW(code_hits), GROW(code_misses);
    GROW(l2_reads), GROW(l2_writes), GROW(dram_reads), GROW(dram_writes);
#undef GROW
out:
    free(m->half_lines);
    m->half_lines = NULL;
}
