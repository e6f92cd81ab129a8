/*
 * Dead code elimination: removes values that nothing uses and register writes that are overwritten.
 */
#include "gencc/ir/pass.h"
#include "gencc/ir/regs.h"

typedef VEC(struct ir_value *) value_list;

static void mark_value(struct arena *a, value_list *work, struct ir_value *v)
{
    if (v->mark)
        return;
    v->mark = 1;
    vec_push_in(a, work, v);
}

/* Marks the values with effects, and all values that marked ones use. */
static void mark_needed(struct ir_func *f)
{
    struct arena scratch = {0};
    value_list work = {0};

    vec_for_each (&f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            v->mark = 0;
    vec_for_each (&f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            if (!ir_is_removable(v))
                mark_value(&scratch, &work, v);
    while (work.len) {
        const struct ir_value *v = work.data[--work.len];

        vec_for_each (&v->ops, op)
            mark_value(&scratch, &work, *op);
    }
    arena_free(&scratch);
}

bool ir_pass_dce(struct ir_func *f)
{
    bool changed = false;

    ir_compute_preds(f);
    vec_for_each (&f->blocks, b)
        changed |= ir_drop_dead_writes(*b);
    mark_needed(f);
    vec_for_each (&f->blocks, b) {
        for (struct ir_value *v = (*b)->first, *next; v; v = next) {
            next = v->next;
            if (v->mark)
                continue;
            ir_remove(v);
            changed = true;
        }
    }
    return changed;
}
