/*
 * Constant propagation: folds every value once, in reverse postorder.
 */
#include "gencc/ir/pass.h"

bool ir_pass_constprop(struct ir_func *f)
{
    bool changed = false;

    ir_compute_preds(f);
    ir_forward_begin(f);
    ir_ranges_keep(f);
    vec_for_each (&f->blocks, b) {
        for (struct ir_value *v = (*b)->first, *next; v; v = next) {
            struct ir_value *by;

            next = v->next;
            ir_forward_operands(v);
            if (ir_is_pure(v)) {
                by = ir_forwarded(ir_fold(v, &changed));
                if (by != v)
                    ir_forward(v, by);
            }
            v->settled = true;
        }
    }
    ir_ranges_drop(f);
    ir_forward_end(f);
    return changed;
}
