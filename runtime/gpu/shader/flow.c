/*
 * Ways between bundles: counted per worker in a window, added up per job, and given to the sink as
 * an account when the job ends.
 *
 * Bounds      memory: the ways of a job are at most MAX_WAYS; others are left out of the account
 */
#include "runtime/gpu/shader/flow.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"

enum { MAX_WAYS = 1 << 18, FIRST_WAYS = 64 };

/* The sums of a bundle in a job. */
struct bundle_sum {
    struct gpu_bundle_count count, left_count; /* `left`: whose ways are counted */
    uint64_t divergent;
};

struct gpu_flow_sum {
    struct bundle_sum *bundles; /* by index */
    size_t bundle_count;
    struct gpu_ways ways;
    uint64_t rows; /* rows that began */
};

/* ---- tables ---------------------------------------------------------------------------------- */

static size_t place_of(uint32_t from, uint64_t to, size_t capacity)
{
    uint64_t hash = (to ^ (uint64_t)from << 40) * UINT64_C(0x9e3779b97f4a7c15);

    return (size_t)(hash >> 32) & (capacity - 1);
}

/* The element of a way, or the free one that it gets. */
static struct gpu_way *look_up(struct gpu_way *ways, size_t capacity, uint32_t from, uint64_t to)
{
    size_t at = place_of(from, to, capacity);

    while (ways[at].used && (ways[at].from != from || ways[at].to != to))
        at = (at + 1) & (capacity - 1);
    return &ways[at];
}

static void grow_ways(struct gpu_ways *t)
{
    size_t capacity = t->capacity ? 2 * t->capacity : FIRST_WAYS;
    struct gpu_way *ways = xcalloc(capacity, sizeof(*ways));

    for (size_t i = 0; i < t->capacity; i++)
        if (t->way[i].used)
            *look_up(ways, capacity, t->way[i].from, t->way[i].to) = t->way[i];
    free(t->way);
    t->way = ways;
    t->capacity = capacity;
    t->last = NULL;
}

/* Finds or adds the entry of a way. NULL: the table is full. */
static struct gpu_way *way_of(struct gpu_ways *t, uint32_t from, uint64_t to)
{
    struct gpu_way *way;

    if (2 * t->count >= t->capacity)
        grow_ways(t);
    way = look_up(t->way, t->capacity, from, to);
    if (!way->used) {
        if (t->count == MAX_WAYS)
            return NULL;
        t->count++;
        *way = (struct gpu_way){.to = to, .from = from, .used = true};
    }
    t->last = way;
    return way;
}

/* Adds counts to a way. Has no effect if the table is full. */
static void add_way(struct gpu_ways *t, uint32_t from, uint64_t to, struct gpu_bundle_count n,
                    uint64_t divergent)
{
    struct gpu_way *way = t->last;

    if (!way || way->from != from || way->to != to)
        way = way_of(t, from, to);
    if (!way)
        return;
    way->count.warps += n.warps;
    way->count.lanes += n.lanes;
    way->divergent += divergent;
}

/* ---- counting -------------------------------------------------------------------------------- */

struct gpu_flow *gpu_flow_new(void)
{
    struct gpu_flow *f = xcalloc(1, sizeof(*f));

    f->left_counts = xcalloc(GPU_MAX_BUNDLES, sizeof(*f->left_counts));
    f->divergent = xcalloc(GPU_MAX_BUNDLES, sizeof(*f->divergent));
    f->rounds = xcalloc(GPU_MAX_PLACES, sizeof(*f->rounds));
    return f;
}

void gpu_flow_free(struct gpu_flow *f)
{
    if (!f)
        return;
    free(f->left_counts);
    free(f->divergent);
    free(f->rounds);
    free(f->ways.way);
    free(f);
}

static struct gpu_bundle_count split_count(uint64_t count)
{
    return (struct gpu_bundle_count){count / GPU_COUNT_WARP, count % GPU_COUNT_WARP};
}

void gpu_flow_add(struct gpu_flow *f, const struct gpu_code *code, uint64_t to, uint64_t count,
                  uint64_t divergent)
{
    f->left_counts[code->index] += count;
    add_way(&f->ways, code->index, to, split_count(count), divergent);
}

/* The number of warps with lanes in the mask. */
static unsigned warps_of(const struct gpu_warp *w, uint32_t lanes)
{
    unsigned count = 0;

    for (unsigned first = 0; first < w->lanes; first += w->width)
        count += (lanes >> first & w->full) != 0;
    return count;
}

/* The lanes of all warps that have lanes in the mask. */
static uint32_t whole_warps(const struct gpu_warp *w, uint32_t lanes)
{
    uint32_t all = 0;

    for (unsigned first = 0; first < w->lanes; first += w->width)
        if (lanes >> first & w->full)
            all |= w->full << first;
    return all;
}

static uint64_t count_of(const struct gpu_worker *k, const struct gpu_warp *w, uint32_t lanes)
{
    uint64_t warps = k->cores->decoder.scalar ? lanes != 0 : warps_of(w, lanes);

    return GPU_COUNT_WARP * warps + (unsigned)__builtin_popcount(lanes);
}

/* The bundle's executions are counted once in `left`, with the warps of the whole row, although the
 * row takes several ways. */
void gpu_flow_part(struct gpu_worker *k, const struct gpu_warp *w, const struct gpu_code *code,
                   uint32_t going, unsigned divergent)
{
    struct gpu_flow *f = k->flow;
    uint64_t before = f->left_counts[code->index];
    uint32_t ended = w->active & ~going;
    bool parted = divergent != 0;

    if (!ended && !(w->branched & going))
        return; /* all continue behind the bundle, which is not counted */
    if (ended)
        gpu_flow_add(f, code, GPU_WAY_END, count_of(k, w, ended), 0);
    for (uint32_t left = going; left;) {
        uint64_t to = w->pc[__builtin_ctz(left)];
        uint32_t same = 0;

        for (uint32_t l = left; l; l &= l - 1)
            if (w->pc[__builtin_ctz(l)] == to)
                same |= l & -l;
        gpu_flow_add(f, code, to, count_of(k, w, same),
                     parted ? warps_of(w, same & whole_warps(w, going & ~same)) : 0);
        left &= ~same;
    }
    f->divergent[code->index] += divergent;
    f->left_counts[code->index] = before + count_of(k, w, w->active);
}

/* Counts the ways behind divergences, each of which has a count of its own. */
static void add_parted(struct gpu_flow *f, const struct gpu_trace *t, const uint64_t *counts)
{
    for (unsigned i = 0; i < t->way_count; i++) {
        const struct gpu_trace_way *way = &t->ways[i];
        uint32_t index = t->codes[way->bundle]->index;
        uint64_t warps = counts[i] / GPU_COUNT_WARP;
        struct gpu_bundle_count none = {0, 0};

        if (way->kind == GPU_WAY_ALL) {
            f->left_counts[index] += counts[i];
        } else if (way->kind == GPU_WAY_TO && counts[i]) {
            add_way(&f->ways, index, way->to, split_count(counts[i]), 0);
        } else if (way->kind == GPU_WAY_DIVERGENT && warps) {
            f->divergent[index] += warps;
            add_way(&f->ways, index, way[-2].to, none, warps);
            add_way(&f->ways, index, way[-1].to, none, warps);
        }
    }
}

void gpu_flow_trace(struct gpu_flow *f, const struct gpu_trace *t, const uint64_t *reached,
                    const uint64_t *counts)
{
    const struct gpu_code *last = t->codes[t->count - 1];
    bool has_ways = t->has_ways && t->has_ways[t->count - 1];

    add_parted(f, t, counts);
    for (unsigned n = 1; n < t->count; n++)
        if (reached[n] && t->codes[n]->address != t->codes[n - 1]->next &&
            !(t->has_ways && t->has_ways[n - 1]))
            gpu_flow_add(f, t->codes[n - 1], t->codes[n]->address, reached[n], 0);
    if (f->rounds[t->place] && !has_ways)
        gpu_flow_add(f, last, t->codes[0]->address, f->rounds[t->place], 0);
    f->rounds[t->place] = 0;
}

/* ---- a job ----------------------------------------------------------------------------------- */

static void add_count(struct gpu_bundle_count *to, struct gpu_bundle_count n)
{
    to->warps += n.warps;
    to->lanes += n.lanes;
}

static void grow_bundles(struct gpu_flow_sum *s, size_t count)
{
    if (count <= s->bundle_count)
        return;
    s->bundles = xrealloc(s->bundles, count, sizeof(*s->bundles));
    memset(s->bundles + s->bundle_count, 0, (count - s->bundle_count) * sizeof(*s->bundles));
    s->bundle_count = count;
}

static void collect_ways(struct gpu_ways *sum, struct gpu_ways *ways)
{
    for (size_t i = 0; ways->count && i < ways->capacity; i++) {
        struct gpu_way *way = &ways->way[i];

        if (!way->count.lanes)
            continue;
        add_way(sum, way->from, way->to, way->count, way->divergent);
        way->count = (struct gpu_bundle_count){0, 0};
        way->divergent = 0;
    }
}

void gpu_flow_collect(struct gpu_compute *job, struct gpu_worker *k)
{
    struct gpu_flow *f = k->flow;
    struct gpu_flow_sum *s = job->flow;

    if (!f || !s)
        return;
    grow_bundles(s, job->shader->code_count);
    for (unsigned n = 0; n < job->shader->code_count; n++) {
        add_count(&s->bundles[n].count, split_count(k->counts[n]));
        add_count(&s->bundles[n].left_count, split_count(f->left_counts[n]));
        s->bundles[n].divergent += f->divergent[n];
        f->left_counts[n] = f->divergent[n] = 0;
    }
    collect_ways(&s->ways, &f->ways);
    s->rows += k->rows.rows_begun - f->rows;
    f->rows = k->rows.rows_begun;
}

void gpu_flow_job_begin(struct gpu_compute *job)
{
    const struct gpu_account_sink *sink = job->cores->accounts;

    if (!sink)
        return;
    job->flow = xcalloc(1, sizeof(*job->flow));
    if (sink->begin)
        sink->begin(sink->opaque, &job->job, job->as);
}

void gpu_flow_sum_free(struct gpu_flow_sum *s)
{
    if (!s)
        return;
    free(s->bundles);
    free(s->ways.way);
    free(s);
}

/* ---- the account ----------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
    const struct gpu_account_bundle *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

static int by_ends(const void *a, const void *b)
{
    const struct gpu_account_way *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static void list_bundles(const struct gpu_compute *job, struct gpu_account *a)
{
    const struct gpu_flow_sum *s = job->flow;

    a->bundles = xcalloc(s->bundle_count + 1, sizeof(*a->bundles));
    for (size_t n = 0; n < s->bundle_count; n++) {
        const struct gpu_code *code = job->shader->codes[n];

        if (s->bundles[n].count.warps)
            a->bundles[a->bundle_count++] =
                (struct gpu_account_bundle){code->address, code->bytes, &code->profile,
                                            s->bundles[n].count, s->bundles[n].divergent};
    }
    qsort(a->bundles, a->bundle_count, sizeof(*a->bundles), by_address);
}

/* Adds the executions that simply continued behind the bundle to its way there. */
static void add_following(struct gpu_compute *job)
{
    struct gpu_flow_sum *s = job->flow;

    for (size_t n = 0; n < s->bundle_count; n++) {
        const struct bundle_sum *b = &s->bundles[n];
        struct gpu_bundle_count rest = {b->count.warps - b->left_count.warps,
                                        b->count.lanes - b->left_count.lanes};

        if (rest.lanes)
            add_way(&s->ways, (uint32_t)n, job->shader->codes[n]->next, rest, 0);
    }
}

static void list_ways(struct gpu_compute *job, struct gpu_account *a)
{
    struct gpu_flow_sum *s = job->flow;
    uint64_t begun = job->cores->decoder.scalar ? s->rows : job->sum.warps;

    add_following(job);
    a->ways = xcalloc(s->ways.count + 1, sizeof(*a->ways));
    for (size_t i = 0; i < s->ways.capacity; i++) {
        const struct gpu_way *way = &s->ways.way[i];

        if (way->used && way->count.lanes)
            a->ways[a->way_count++] = (struct gpu_account_way){
                job->shader->codes[way->from]->address, way->to, way->count, way->divergent};
    }
    a->ways[a->way_count++] = (struct gpu_account_way){
        GPU_WAY_START, job->job.shader_address, {begun, job->sum.threads}, 0};
    qsort(a->ways, a->way_count, sizeof(*a->ways), by_ends);
}

void gpu_flow_job_end(struct gpu_compute *job)
{
    const struct gpu_account_sink *sink = job->cores->accounts;
    struct gpu_account a = {.job = &job->job,
                            .decoder = &job->cores->decoder,
                            .as = job->as,
                            .counters = &job->sum,
                            .summary = &job->shader->summary};

    if (!job->flow)
        return;
    list_bundles(job, &a);
    list_ways(job, &a);
    sink->end(sink->opaque, &a);
    free(a.bundles);
    free(a.ways);
}

void gpu_cores_account(struct gpu_cores *c, const struct gpu_account_sink *sink)
{
    free(c->accounts);
    c->decoder.flow = true;
    c->accounts = xcalloc(1, sizeof(*c->accounts));
    *c->accounts = *sink;
    for (unsigned i = 0; i < c->worker_count; i++)
        if (!c->workers[i]->flow)
            c->workers[i]->flow = gpu_flow_new();
}
