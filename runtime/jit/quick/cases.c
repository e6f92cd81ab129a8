/*
 * Cases: traces that an exit to a computed address has led to, as an interpreter's switch or a
 * return does. Each has a bridge that compares the address; for another one it goes to the next.
 *
 *     exit's jump ──▶ bridge: is it A? stores, moves, loads ──▶ inner entry of A's trace
 *                       └──▶ bridge: is it B? … ──▶ inner entry of B's trace
 *                              └──▶ the exit's own code: stores all, C adds a case
 *                                     └──▶ or, with all cases taken, the jump cache
 */
#include "runtime/jit/quick/target.h"

enum { REFUSED_MAX = 16 }; /* addresses that an exit passes to C in vain */

static bool has_case(const struct q_exit *e, int64_t delta)
{
    for (unsigned n = 0; n < Q_CASES; n++) {
        const struct q_exit *c = e->cases->exit[n];

        if (c && c->linked_trace && c->delta == delta)
            return true;
    }
    return false;
}

/* A case that is linked to no trace; NULL: there is none. */
static struct q_exit *unused_case(struct q_exit *e)
{
    for (unsigned n = 0; n < Q_CASES; n++) {
        struct q_exit **c = &e->cases->exit[n];

        if (!*c) {
            *c = q_take(e->from->quick, sizeof(**c));
            **c = *e;
            (*c)->cases = NULL;
            (*c)->of = e;
            vec_push(&e->from->quick->exits, *c);
        }
        if (!(*c)->linked_trace)
            return *c;
    }
    return NULL;
}

static bool add_case(struct q_exit *e, struct region *to, int64_t delta)
{
    struct q_exit *c = unused_case(e);

    if (!c)
        return false;
    c->delta = delta;
    if (!quick_bridge(c, to))
        return false;
    quick_link(c, to);
    return true;
}

void quick_add_case(struct q_exit *e, struct region *to, int64_t delta, bool in_reach)
{
    if (has_case(e, delta)) /* whose bridge found no ticks left */
        return;
    in_reach &= delta == (int32_t)delta;
    if (!(in_reach && add_case(e, to, delta)) && ++e->cases->refused >= REFUSED_MAX)
        quick_patch_exit(e, e->cases->by_cache, false);
}
