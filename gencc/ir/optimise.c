/*
 * The usual order of passes.
 */
#include "gencc/ir/pass.h"

enum {
    MAX_ROUNDS = 10,
    MAX_LOOPS = 8,
    INLINE_BUDGET = 24,
};

static void simplify_function(struct ir_func *f)
{
    bool changed = true;

    for (unsigned round = 0; changed && round < MAX_ROUNDS; round++) {
        changed = ir_pass_constprop(f);
        changed |= ir_pass_cfg(f);
        changed |= ir_pass_gvn(f);
        changed |= ir_pass_dce(f);
    }
}

void ir_optimise(struct ir_func *f, struct diag *d)
{
    if (d && !ir_verify(d, f))
        return;
    ir_pass_ssa(f, d);
    simplify_function(f);
    for (unsigned round = 0; round < MAX_ROUNDS && ir_pass_inline(f, INLINE_BUDGET); round++)
        simplify_function(f);
    for (unsigned loops = 0; loops < MAX_LOOPS && ir_pass_unroll(f); loops++)
        simplify_function(f);
    ir_summarise(f);
    if (d)
        ir_verify(d, f);
}
