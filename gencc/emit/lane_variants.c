/*
 * Which handlers a form of a lane architecture gets.
 */
#include "gencc/emit/lane.h"

void lane_make_handlers(struct emit *e)
{
    vec_for_each (&e->isa->forms, it) {
        struct form *form = *it;
        struct lane_handler *h;
        struct ir_func *f;

        if (!form->exec)
            continue;
        f = lane_inline(e, form);
        if (!f)
            continue;
        h = arena_new(e->arena, struct lane_handler);
        h->form = form;
        h->name = form->name;
        h->f = lane_specialise(e, f, h->name, NULL, 0, &h->straight);
        vec_push(e->arena, &e->lanes, h);
    }
}
