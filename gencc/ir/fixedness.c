/*
 * Finds the fixed values and blocks: those that depend on the decoded instruction alone. All are
 * assumed fixed until a reason against it is found. The result is the largest consistent solution,
 * so a loop with fixed bounds is fixed.
 */
#include "gencc/ir/pass.h"

static bool all_fixed(const struct ir_value *v)
{
    vec_for_each (&v->ops, op)
        if (!(*op)->fixed)
            return false;
    return true;
}

static bool value_is_fixed(const struct ir_value *v)
{
    enum ir_func_kind kind = v->block->func->kind;

    if (ir_is_term(v))
        return all_fixed(v);
    if (!ir_is_pure(v) || (v->op == IR_INTRINSIC && v->fn->flags & IR_FN_VARIES))
        return false;
    if (v->op == IR_PARAM)
        return kind == IR_FUNC_DECODE || kind == IR_FUNC_DISASM;
    return all_fixed(v) && (v->op != IR_PHI || v->block->fixed);
}

static bool block_is_fixed(const struct ir_block *b)
{
    vec_for_each (&b->preds, p)
        if (!(*p)->fixed || !(*p)->last->fixed)
            return false;
    return true;
}

void ir_pass_fixedness(struct ir_func *f)
{
    bool changed = true;

    ir_compute_preds(f);
    vec_for_each (&f->blocks, b) {
        (*b)->fixed = true;
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            v->fixed = true;
    }
    while (changed) {
        changed = false;
        vec_for_each (&f->blocks, it) {
            struct ir_block *b = *it;

            if (b->fixed && !block_is_fixed(b)) {
                b->fixed = false;
                changed = true;
            }
            for (struct ir_value *v = b->first; v; v = v->next) {
                if (!v->fixed || value_is_fixed(v))
                    continue;
                v->fixed = false;
                changed = true;
            }
        }
    }
}
