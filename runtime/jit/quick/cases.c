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

/* The case for an address; NULL: there is none. */
static struct q_exit *find_case(const struct q_exit *e, int64_t delta)
{
    for (unsigned n = 0; n < Q_CASES; n++) {
        struct q_exit *c = e->cases->exit[n];

        if (c && c->linked_trace && c->delta == delta)
            return c;
    }
    return NULL;
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
    c->pin = NULL;
    if (!quick_bridge(c, to))
        return false;
    quick_link(c, to);
    return true;
}

/* As add_case(), for an address in another page, which may have a case with an old stamp. */
static bool add_pinned(struct cpu *cpu, struct q_exit *e, struct region *to, int64_t delta)
{
    struct q_exit *c = find_case(e, delta);

    if (c && !c->pin)
        return false;
    if (!c) {
        c = unused_case(e);
        if (!c)
            return false;
        c->delta = delta;
        c->pin = NULL;
    }
    return quick_pin(cpu, c, to);
}

/* Lets an exit whose addresses are often refused go by the jump cache, but not always if one of its
 * cases may have an old stamp. */
static void go_by_cache(struct q_exit *e)
{
    for (unsigned n = 0; n < Q_CASES; n++) {
        const struct q_exit *c = e->cases->exit[n];

        if (c && c->linked_trace && c->pin) {
            quick_patch_exit(e, c->pin->waits, false);
            return;
        }
    }
    quick_patch_exit(e, e->cases->by_cache, false);
}

void quick_add_case(struct cpu *cpu, struct q_exit *e, struct region *to, int64_t delta,
                    bool same_page)
{
    bool added = false;

    if (same_page && find_case(e, delta)) /* whose bridge found no ticks left */
        return;
    if (delta == (int32_t)delta)
        added = same_page ? add_case(e, to, delta) : add_pinned(cpu, e, to, delta);
    if (!added && ++e->cases->refused >= REFUSED_MAX)
        go_by_cache(e);
}
