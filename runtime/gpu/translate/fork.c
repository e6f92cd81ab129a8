/*
 * Branches that all lanes of a row take together, or none: both ways are code of one function, in
 * which each row goes its own. What follows a fork is built twice, with what each way knows of
 * registers. Rows whose lanes part at the branch leave the trace.
 *
 * Bounds      GPU_TRACE_FORKS forks, and the bundles of a trace for all paths together
 */
#include "runtime/gpu/translate/trace.h"

/* The number of the fork behind bundle `n` whose other way begins at `address`; `forks`: none. */
static unsigned fork_behind(const struct gpu_trace *t, unsigned n, uint64_t address)
{
    unsigned k = 0;

    while (k < t->forks && (t->fork[k].behind != n || t->codes[t->fork[k].at]->address != address))
        k++;
    return k;
}

void fork_continue_if(struct building *b, LLVMValueRef cond, LLVMValueRef branching, unsigned n,
                      LLVMValueRef all_other, uint64_t address)
{
    struct jit_build *j = b->j;
    unsigned k = fork_behind(b->trace, n, address);
    LLVMBasicBlockRef next, out, other;

    if (k == b->trace->forks) {
        trace_continue_if(b, cond, branching, n);
        return;
    }
    next = lanes_new_block(j);
    out = lanes_new_block(j);
    other = lanes_new_block(j);
    j->l->BuildCondBr(j->b, cond, next, out);
    j->l->PositionBuilderAtEnd(j->b, out);
    b->fork[k] = (struct fork){other, lanes_save(j)};
    out = lanes_new_block(j);
    lanes_branch_likely(j, all_other, other, out);
    j->l->PositionBuilderAtEnd(j->b, out);
    trace_store_branch(b, branching);
    trace_leave(b, n, 0);
    j->l->PositionBuilderAtEnd(j->b, next);
}

bool fork_begin(struct building *b, unsigned n)
{
    struct jit_build *j = b->j;
    const struct gpu_trace *t = b->trace;
    unsigned k = 0;

    while (k < t->forks && t->fork[k].at != n)
        k++;
    if (k == t->forks)
        return false;
    if (!b->fork[k].block) {
        j->failed = true;
        return false;
    }
    b->divergence = (struct divergence){0};
    j->side = NULL;
    j->active = j->entered;
    lanes_restore(j, b->fork[k].saved);
    j->l->PositionBuilderAtEnd(j->b, b->fork[k].block);
    return true;
}
