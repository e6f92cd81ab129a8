/* Linking traces, and freeing their tables. */
#include "runtime/base/alloc.h"
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

void quick_connect(struct q_exit *e, struct region *to, bool fixed)
{
    if (e->linked_trace)
        return;
    if (!e->same_page && !fixed) { /* the page of `to` may be mapped elsewhere later */
        quick_patch_exit(e, to->jit->quick->thunks.lookup, false);
        return;
    }
    if (!quick_patch_exit(e, to->quick->head, false))
        return;
    quick_link(e, to);
    quick_bridge(e, to);
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

enum { FIRST_PIECE = 480, PIECE = 2016, ALIGNED = 16 };

void *q_take(struct q_code *code, size_t bytes)
{
    uint8_t *piece;

    bytes = (bytes + ALIGNED - 1) & ~(size_t)(ALIGNED - 1);
    if (bytes > code->piece_free) {
        size_t size = code->pieces.len ? PIECE : FIRST_PIECE;

        size = bytes > size ? bytes : size;
        vec_push(&code->pieces, xcalloc(1, size));
        code->piece_free = size;
    }
    /* Pieces are used from their end, so that the piece's size need not be kept. */
    piece = code->pieces.data[code->pieces.len - 1];
    code->piece_free -= bytes;
    return piece + code->piece_free;
}

#define FIT(v) \
    ((v)->data = xrealloc((v)->data, (v)->cap = (v)->len ? (v)->len : 1, sizeof(*(v)->data)))
void quick_fit(struct q_code *code)
{
    FIT(&code->pieces);
    FIT(&code->exits);
    FIT(&code->maps);
    FIT(&code->exprs);
    FIT(&code->constants);
    FIT(&code->faults);
    FIT(&code->entry);
    FIT(&code->fixes);
    FIT(&code->sites);
}
#undef FIT

void quick_free(struct q_code *code)
{
    if (!code)
        return;
    for (size_t n = 0; n < code->pieces.len; n++)
        free(code->pieces.data[n]);
    vec_free(&code->pieces);
    vec_free(&code->exits);
    vec_free(&code->maps);
    vec_free(&code->exprs);
    vec_free(&code->constants);
    vec_free(&code->faults);
    vec_free(&code->entry);
    vec_free(&code->fixes);
    vec_free(&code->sites);
    free(code);
}
