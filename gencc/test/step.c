/*
 * Executes single instructions of random programs; see step.h.
 */
#include "gencc/test/step.h"

#include <string.h>

bool is_free(const struct program *p, unsigned at, unsigned bytes)
{
    if (at + bytes > PAGE_BYTES)
        return false;
    for (unsigned n = 0; n < p->count; n++)
        if (at < p->step[n].at + p->step[n].bytes && p->step[n].at < at + bytes)
            return false;
    return true;
}

bool goes_on(const struct generator *g, const struct program *p, unsigned at)
{
    uint64_t to = g->m->w.pc - g->m->code_at;
    unsigned unit = g->m->isa[g->mode]->fetch_bits / 8;

    return g->m->w.leaving == WENT_ON && g->m->w.mode == g->mode && to > at && to <= PAGE_BYTES &&
           to % unit == 0 && (to == PAGE_BYTES || is_free(p, (unsigned)to, unit));
}

static void note_touched(const struct generator *g, struct step *s)
{
    unsigned n = 0;

    vec_for_each (&g->frame->parts, p) {
        const struct reg_view *v = p->place.view;

        s->touched[n] = false;
        if (v)
            for (unsigned i = 0; i < p->place.bytes; i++)
                s->touched[n] |= g->m->touched[v->offset + p->place.index * v->reg_stride + i];
        if (++n == MAX_PARTS)
            break;
    }
}

void execute_step(struct generator *g, struct step *s)
{
    struct machine *m = g->m;

    machine_save(m, &s->before);
    s->at = (unsigned)(m->w.pc - m->code_at);
    memset(m->touched, 0, m->model->state_bytes);
    machine_step(m);
    note_touched(g, s);
}
