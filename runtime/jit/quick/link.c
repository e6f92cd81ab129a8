/* Traces that lead to each other, and their end. */
#include "runtime/jit/quick/tier.h"

struct region *quick_trace_of(const struct block *b)
{
    for (const struct member *m = b->translations; m; m = m->next) {
        if (m->region->quick && m->region->live && m->region->sources[0].block == b)
            return m->region;
    }
    return NULL;
}

void quick_connect(struct q_exit *e, struct region *to, bool fixed)
{
    if (e->to)
        return;
    if (!e->same_page && !fixed) { /* another page may be mapped elsewhere next time */
        x64_bind(e->jump, to->jit->quick->thunks.lookup);
        return;
    }
    e->to = to;
    e->next_incoming = to->quick->incoming;
    to->quick->incoming = e;
    x64_bind(e->jump, to->quick->head);
    to->jit->counters.links++;
}

static void forget(struct q_exit *e)
{
    struct q_exit **link = &e->to->quick->incoming;

    while (*link != e)
        link = &(*link)->next_incoming;
    *link = e->next_incoming;
    e->to = NULL;
    x64_bind(e->jump, e->unlinked);
}

void quick_disconnect(struct region *r)
{
    while (r->quick->incoming)
        forget(r->quick->incoming);
    for (size_t n = 0; n < r->quick->exits.len; n++) {
        if (r->quick->exits.data[n]->to)
            forget(r->quick->exits.data[n]);
    }
}

void quick_free(struct q_code *code)
{
    if (!code)
        return;
    for (size_t n = 0; n < code->sites.len; n++)
        free(code->sites.data[n]);
    for (size_t n = 0; n < code->exits.len; n++)
        free(code->exits.data[n]);
    vec_free(&code->sites);
    vec_free(&code->exits);
    vec_free(&code->maps);
    vec_free(&code->exprs);
    vec_free(&code->constants);
    vec_free(&code->faults);
    free(code);
}
