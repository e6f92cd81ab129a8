/*
 * Executes programs by the evaluator; see program.h.
 */
#include "gencc/test/program.h"

#include <string.h>

bool program_run(struct machine *m, struct program *p)
{
    memcpy(m->code, p->code, PAGE_BYTES);
    machine_load(m, &p->before);
    p->count = 0;
    do {
        struct step *s = &p->step[p->count];
        unsigned width;

        s->at = (unsigned)(m->w.pc - m->code_at);
        s->form = s->at < PAGE_BYTES ? machine_decode(m, &s->word, &width) : NULL;
        s->bytes = s->form ? s->form->instr->format->width / 8 : 0;
        machine_step(m);
        if (s->at < PAGE_BYTES)
            p->count++;
    } while (m->w.leaving == WENT_ON && p->count < MAX_STEPS_OF_PROGRAM);
    machine_save(m, &p->after);
    /* A program ends inside, or by running into the unmapped page behind it. */
    if (m->w.pc - m->code_at > PAGE_BYTES)
        return false;
    return m->w.leaving != WENT_ON && m->w.leaving != UNSUPPORTED && m->w.leaving != STRAYED &&
           !(m->w.leaving == TOOK_EXCEPTION && m->w.number == m->facts->call_class);
}
