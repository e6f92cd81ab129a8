/* Linking traces. */
#include "runtime/jit/quick/target.h"

struct region *quick_trace_of(const struct block *b)
{
    for (const struct member *m = b->translations; m; m = m->next) {
        if (m->region->quick && m->region->live && m->region->sources[0].block == b)
            return m->region;
    }
    return NULL;
}

void quick_link(struct q_exit *e, struct region *to)
{
    e->linked_trace = to;
    e->next_incoming = to->quick->incoming;
    to->quick->incoming = e;
    to->jit->counters.links++;
}

bool quick_unlink(struct q_exit *e)
{
    const struct q_exit *jumps = e->of ? e->of : e; /* which may take a case again */
    struct q_exit **link = &e->linked_trace->quick->incoming;
    bool unbridged;

    while (*link != e)
        link = &(*link)->next_incoming;
    *link = e->next_incoming;
    e->linked_trace = NULL;
    unbridged = quick_unbridge(e);
    return quick_patch_exit(jumps, jumps->unlinked, true) && unbridged;
}

bool quick_disconnect(struct region *r)
{
    bool ok = true;

    while (r->quick->incoming)
        ok &= quick_unlink(r->quick->incoming);
    for (size_t n = 0; n < r->quick->exits.len; n++) {
        if (r->quick->exits.data[n]->linked_trace)
            ok &= quick_unlink(r->quick->exits.data[n]);
    }
    return ok;
}
