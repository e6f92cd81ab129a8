/*
 * Atomic operations order work-groups: what a group did before an atomic operation happened before
 * what another group does behind its atomic operation on the same address, if the first group's
 * came first. The cores let groups reach global atomics in the order of their numbers.
 *
 * Bounds      MAX_ATOMICS addresses per group; further ones order nothing
 */
#include "runtime/check/internal.h"

enum { MAX_ATOMICS = 16 };

void check_order_add(struct check *c, const struct check_access *a)
{
    struct check_order *o = &c->order[a->at.group - 1];

    for (size_t i = 0; i < o->atomics.len; i++)
        if (o->atomics.data[i].address == a->address) {
            o->atomics.data[i].last = a->at;
            return;
        }
    if (o->atomics.len < MAX_ATOMICS)
        vec_push(&o->atomics, (struct check_atomic){a->address, a->at, a->at});
}

/* Whether `a` comes before `b`, both of one group: a barrier is between them, or they are of one
 * row in this order. */
static bool precedes(const struct check *c, const struct check_moment *a,
                     const struct check_moment *b)
{
    unsigned width = c->trace->row_width;

    if (a->epoch != b->epoch)
        return a->epoch < b->epoch;
    return a->item != CHECK_MANY_ITEMS && a->item / width == b->item / width && a->step <= b->step;
}

bool check_ordered(const struct check *c, const struct check_moment *before,
                   const struct check_moment *now)
{
    const struct check_order *first = &c->order[before->group - 1];
    const struct check_order *second = &c->order[now->group - 1];

    for (size_t i = 0; i < first->atomics.len; i++)
        for (size_t n = 0; n < second->atomics.len; n++)
            if (first->atomics.data[i].address == second->atomics.data[n].address &&
                precedes(c, before, &first->atomics.data[i].last) &&
                precedes(c, &second->atomics.data[n].first, now))
                return true;
    return false;
}
