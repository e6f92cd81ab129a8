/*
 * The cost of a thread's way through a kernel, as cycles of a core's pipes: on the path with the
 * fewest bundles, on that with the most, and on average of the warps that ran. The longest is known
 * only without loops, since the code does not say how often they run.
 *
 * Where bundles have several stages, cycles are those of Mesa's shader-db: 24 stages of arithmetic,
 * two messages of textures or one load or store per cycle. Else a core has an arithmetic pipe per
 * engine, and one pipe for each of the others.
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/report/internal.h"

/* Per cycle of a core. */
struct rates {
    double arithmetic, load_store, texture;
};

static struct rates rates_of(const struct gpu_variant *v)
{
    if (v->architecture >= 6)
        return (struct rates){24, 1, 2};
    return (struct rates){v->engines, 1, 1};
}

/* Adds a bundle, executed `times` times. */
static void add_bundle(struct report_path *p, const struct report_bundle *b, const struct rates *r,
                       double times)
{
    p->bundles += times;
    p->arithmetic += times * b->profile.arithmetic_stages / r->arithmetic;
    p->load_store += times * b->profile.instructions[GPU_CLASS_LOAD_STORE] / r->load_store;
    if (b->texture)
        p->texture += times * b->profile.instructions[GPU_CLASS_ATTRIBUTE] / r->texture;
    else
        p->load_store += times * b->profile.instructions[GPU_CLASS_ATTRIBUTE] / r->load_store;
}

static struct report_path add_paths(const struct report_path *a, const struct report_path *b)
{
    return (struct report_path){true, a->arithmetic + b->arithmetic, a->load_store + b->load_store,
                                a->texture + b->texture, a->bundles + b->bundles};
}

/* Whether `a` is better than `b`: shorter, or longer. */
static bool is_better(const struct report_path *a, const struct report_path *b, bool longest)
{
    if (!b->known)
        return true;
    return longest ? a->bundles > b->bundles : a->bundles < b->bundles;
}

/* The best path from the first block to the end, of those that do not lead back. */
static struct report_path find_path(const struct report_kernel *k, const struct report_path *cost,
                                    bool longest)
{
    size_t count = k->flow.blocks.len;
    struct report_path *to = xcalloc(count + 1, sizeof(*to)), best;

    to[0] = cost[0];
    for (size_t i = 0; i < k->flow.edges.len; i++) { /* by `from` */
        const struct report_edge *e = &k->flow.edges.data[i];
        size_t at = e->to == REPORT_NO_BLOCK ? count : e->to;
        struct report_path path;

        if (e->from == REPORT_NO_BLOCK || e->to <= e->from || !to[e->from].known)
            continue;
        path = at == count ? to[e->from] : add_paths(&to[e->from], &cost[at]);
        if (is_better(&path, &to[at], longest))
            to[at] = path;
    }
    best = to[count];
    free(to);
    return best;
}

static bool has_loop(const struct report_kernel *k)
{
    vec_for_each (&k->flow.edges, e)
        if (e->from != REPORT_NO_BLOCK && e->to <= e->from)
            return true;
    return false;
}

/* What binds warps that ran: the pipe that is busy for longest. */
static const char *bound_of(const struct report_path *p)
{
    if (!p->known || p->arithmetic + p->load_store + p->texture <= 0)
        return NULL;
    if (p->arithmetic >= p->load_store && p->arithmetic >= p->texture)
        return "arithmetic";
    return p->load_store >= p->texture ? "load_store" : "texture";
}

void report_paths_make(struct report_kernel *k, const struct gpu_variant *v)
{
    struct report_path *cost = xcalloc(k->flow.blocks.len + 1, sizeof(*cost));
    struct rates rates = rates_of(v);
    struct report_path measured = {.known = k->rows != 0};

    for (size_t i = 0; i < k->bundles.len; i++) {
        const struct report_bundle *b = &k->bundles.data[i];

        cost[b->block].known = true;
        add_bundle(&cost[b->block], b, &rates, 1);
        if (k->rows)
            add_bundle(&measured, b, &rates, (double)b->count.warps / (double)k->rows);
    }
    k->paths = (struct report_paths){.measured = measured, .bound = bound_of(&measured)};
    if (k->flow.blocks.len)
        k->paths.shortest = find_path(k, cost, false);
    if (k->flow.blocks.len && !has_loop(k))
        k->paths.longest = find_path(k, cost, true);
    free(cost);
}
