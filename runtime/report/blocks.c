/*
 * The control flow of a kernel: blocks of bundles that are executed one after the other by the same
 * warps, and edges between them. Edges are those that warps took, and those that the code has.
 *
 * A block begins where a branch leads to, behind a bundle that has more than one way, and where
 * executions are not those of the bundle before. So executions of a block are those of each of its
 * bundles, also of jobs that ended with a fault.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/report/internal.h"

struct making {
    struct report_kernel *k;
    bool *is_leader; /* by bundle: a block begins here */
};

static struct report_bundle *bundles_of(const struct making *m)
{
    return m->k->bundles.data;
}

static uint64_t bundle_end(const struct report_bundle *b)
{
    return b->place + b->bytes;
}

/* The number of the bundle at a place; the number of bundles: none. */
static size_t number_at(const struct making *m, uint64_t place)
{
    const struct report_bundle *b = report_kernel_bundle(m->k, place);

    return b ? (size_t)(b - bundles_of(m)) : m->k->bundles.len;
}

static void begin_block_at(struct making *m, uint64_t place)
{
    size_t n = number_at(m, place);

    if (n < m->k->bundles.len)
        m->is_leader[n] = true;
}

/* A block ends with bundle `n`. */
static void end_block(struct making *m, size_t n)
{
    if (n + 1 < m->k->bundles.len)
        m->is_leader[n + 1] = true;
}

static bool counts_differ(const struct report_bundle *a, const struct report_bundle *b)
{
    return a->count.warps != b->count.warps || a->count.lanes != b->count.lanes;
}

/* Marks the first bundles of blocks. */
static void find_leaders(struct making *m)
{
    const struct report_kernel *k = m->k;

    m->is_leader[0] = true;
    for (size_t n = 0; n < k->bundles.len; n++) {
        const struct report_bundle *b = &k->bundles.data[n];

        for (unsigned i = 0; i < b->target_count; i++)
            begin_block_at(m, b->target[i]);
        if (b->target_count || b->ends || b->divergent)
            end_block(m, n);
        if (n && (bundle_end(&b[-1]) != b->place || counts_differ(&b[-1], b)))
            m->is_leader[n] = true;
    }
    for (size_t i = 0; i < k->ways.len; i++) {
        const struct report_way *w = &k->ways.data[i];
        size_t n = number_at(m, w->from);

        if (n < k->bundles.len && w->to == bundle_end(&k->bundles.data[n]))
            continue;
        begin_block_at(m, w->to);
        if (n < k->bundles.len)
            end_block(m, n);
    }
}

static void make_blocks(struct making *m)
{
    struct report_flow *flow = &m->k->flow;

    for (unsigned n = 0; n < m->k->bundles.len; n++) {
        if (m->is_leader[n])
            vec_push(&flow->blocks, (struct report_block){.first = n});
        flow->blocks.data[flow->blocks.len - 1].count++;
        bundles_of(m)[n].block = (uint32_t)flow->blocks.len - 1;
    }
}

/* ---- edges ----------------------------------------------------------------------------------- */

static bool is_target(const struct report_bundle *b, uint64_t place)
{
    for (unsigned i = 0; i < b->target_count; i++)
        if (b->target[i] == place)
            return true;
    return false;
}

static enum report_edge_kind kind_of(const struct report_bundle *b, uint64_t to)
{
    if (to == REPORT_END)
        return b->ends ? REPORT_FALL : REPORT_BRANCH;
    if (to == bundle_end(b))
        return REPORT_FALL;
    return is_target(b, to) ? REPORT_BRANCH : REPORT_INDIRECT;
}

static uint32_t block_at(const struct making *m, uint64_t place)
{
    size_t n = number_at(m, place);

    return n < m->k->bundles.len ? bundles_of(m)[n].block : REPORT_NO_BLOCK;
}

/* Adds the edge of a way, unless it is within a block. */
static void add_taken(struct making *m, const struct report_way *w)
{
    struct report_edge e = {REPORT_NO_BLOCK, block_at(m, w->to), REPORT_FALL, w->count,
                            w->divergent};
    size_t n = number_at(m, w->from);

    if (n < m->k->bundles.len) {
        e.from = bundles_of(m)[n].block;
        e.kind = kind_of(&bundles_of(m)[n], w->to);
        if (n + 1 < m->k->bundles.len && !m->is_leader[n + 1])
            return;
    }
    vec_push(&m->k->flow.edges, e);
}

/* Adds an edge that the code has, if warps did not take it. */
static void add_possible(struct making *m, const struct report_bundle *b, uint64_t to)
{
    struct report_edge e = {b->block, block_at(m, to), kind_of(b, to), {0, 0}, 0};

    if (to != REPORT_END && e.to == REPORT_NO_BLOCK)
        return;
    vec_for_each (&m->k->flow.edges, old)
        if (old->from == e.from && old->to == e.to)
            return;
    vec_push(&m->k->flow.edges, e);
}

static void add_code(struct making *m)
{
    for (size_t i = 0; i < m->k->flow.blocks.len; i++) {
        const struct report_block *block = &m->k->flow.blocks.data[i];
        const struct report_bundle *b = &bundles_of(m)[block->first + block->count - 1];

        if (!b->text)
            continue;
        for (unsigned n = 0; n < b->target_count; n++)
            add_possible(m, b, b->target[n]);
        if (b->ends)
            add_possible(m, b, REPORT_END);
        else if (!b->always)
            add_possible(m, b, bundle_end(b));
    }
}

static int by_blocks(const void *a, const void *b)
{
    const struct report_edge *x = a, *y = b;

    /* The start, which is no block, comes first; the end, last. */
    if (x->from != y->from)
        return x->from + 1 < y->from + 1 ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

/* Edges that lead back have a loop around all blocks between their ends. */
static void find_depths(struct report_flow *flow)
{
    uint32_t *last = xcalloc(flow->blocks.len + 1, sizeof(*last));

    for (size_t i = 0; i < flow->edges.len; i++) {
        const struct report_edge *e = &flow->edges.data[i];

        if (e->from != REPORT_NO_BLOCK && e->to <= e->from && e->from + 1 > last[e->to])
            last[e->to] = e->from + 1;
    }
    for (size_t head = 0; head < flow->blocks.len; head++)
        for (size_t i = head; i < last[head]; i++)
            flow->blocks.data[i].depth++;
    free(last);
}

void report_flow_make(struct report_kernel *k)
{
    struct making m = {k, xcalloc(k->bundles.len + 1, sizeof(bool))};

    k->flow.blocks.len = k->flow.edges.len = 0;
    if (k->bundles.len) {
        find_leaders(&m);
        make_blocks(&m);
        for (size_t i = 0; i < k->ways.len; i++)
            add_taken(&m, &k->ways.data[i]);
        add_code(&m);
        if (k->flow.edges.len)
            qsort(k->flow.edges.data, k->flow.edges.len, sizeof(*k->flow.edges.data), by_blocks);
        find_depths(&k->flow);
    }
    free(m.is_leader);
}
