/* Exits of a trace: rows that leave the recorded path, fault or end. */
#include "runtime/base/alloc.h"
#include "runtime/gpu/translate/trace.h"

void trace_store32(struct jit_build *j, size_t member, LLVMValueRef v)
{
    j->l->BuildStore(j->b, v, lanes_member(j, member, j->i32));
}

LLVMValueRef trace_widened(struct jit_build *j, LLVMValueRef bits)
{
    return j->lanes == 32 ? bits : j->l->BuildZExt(j->b, bits, j->i32, "");
}

void trace_add_point(struct building *b, LLVMValueRef bits)
{
    struct jit_build *j = b->j;
    LLVMBasicBlockRef next = lanes_new_block(j);

    if (b->point_count == b->point_capacity) {
        b->point_capacity = b->point_capacity ? 2 * b->point_capacity : 16;
        b->points = xrealloc(b->points, b->point_capacity, sizeof(*b->points));
    }
    b->points[b->point_count++] = (struct point){j->l->GetInsertBlock(j->b), bits};
    j->l->BuildBr(j->b, next);
    j->l->PositionBuilderAtEnd(j->b, next);
}

void trace_leave(struct building *b, unsigned n, unsigned how)
{
    struct jit_build *j = b->j;

    /* after a fault in a side: only its lanes are active, and the registers are not read again */
    if (j->side || (b->divergence.staying && !(how & GPU_TRACE_SETTLED))) {
        trace_store32(j, offsetof(struct gpu_warp, active), trace_widened(j, j->active));
        j->l->BuildStore(j->b, lanes_int(j->i64, 0, j),
                         lanes_member(j, offsetof(struct gpu_warp, unused_in), j->i64));
    }
    j->l->BuildStore(j->b, lanes_int(j->i64, n | how, j), b->last);
    j->l->BuildBr(j->b, b->leave);
}

void trace_store_branch(struct building *b, LLVMValueRef bits)
{
    struct jit_build *j = b->j;
    LLVMTypeRef t = lanes_vector(j, j->i64);
    LLVMValueRef store;

    trace_store32(j, offsetof(struct gpu_warp, branched), trace_widened(j, bits));
    store = j->l->BuildStore(j->b, lanes_wide(j, (jit_value)(uintptr_t)j->target),
                             lanes_member(j, offsetof(struct gpu_warp, target), t));
    j->l->SetAlignment(store, 8);
}

void trace_continue_if(struct building *b, LLVMValueRef cond, LLVMValueRef bits, unsigned n)
{
    struct jit_build *j = b->j;
    LLVMBasicBlockRef next = lanes_new_block(j), out = lanes_new_block(j);

    lanes_branch_likely(j, cond, next, out);
    j->l->PositionBuilderAtEnd(j->b, out);
    if (bits)
        trace_store_branch(b, bits);
    trace_leave(b, n, 0);
    j->l->PositionBuilderAtEnd(j->b, next);
}

LLVMValueRef trace_active(struct jit_build *j, LLVMValueRef mask)
{
    return mask ? j->l->BuildAnd(j->b, lanes_bits(j, mask), j->active, "") : NULL;
}

LLVMValueRef trace_is_none(struct jit_build *j, LLVMValueRef bits)
{
    return j->l->BuildICmp(j->b, LLVMIntEQ, bits, j->l->ConstNull(j->l->TypeOf(bits)), "");
}

bool trace_is_all(struct jit_build *j, LLVMValueRef mask)
{
    return mask == j->l->BuildNot(j->b, j->l->ConstNull(lanes_vector(j, j->i1)), "");
}

LLVMValueRef trace_happened(struct jit_build *j)
{
    static const size_t members[] = {
        offsetof(struct gpu_warp, faulted), offsetof(struct gpu_warp, branched),
        offsetof(struct gpu_warp, ended), offsetof(struct gpu_warp, wait)};
    unsigned count = j->handled ? sizeof(members) / sizeof(*members) : j->memory;
    LLVMValueRef all = NULL;

    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef v = j->l->BuildLoad2(j->b, j->i32, lanes_member(j, members[i], j->i32), "");

        all = all ? j->l->BuildOr(j->b, all, v, "") : v;
    }
    return all;
}

LLVMBasicBlockRef trace_done(struct building *b)
{
    if (!b->done)
        b->done = lanes_new_block(b->j);
    return b->done;
}

void trace_leave_ending(struct building *b, LLVMValueRef bits, unsigned n)
{
    struct jit_build *j = b->j;
    LLVMValueRef live = lanes_member(j, offsetof(struct gpu_warp, live), j->i32);

    if (j->rows && n + 1 < b->trace->count) {
        trace_leave(b, n, 0); /* only rows that end with the trace are passed over */
        return;
    }
    j->l->BuildStore(j->b, lanes_int(j->i64, n, j), b->last);
    live = j->l->BuildLoad2(j->b, j->i32, live, "");
    live = j->l->BuildICmp(j->b, LLVMIntEQ, live, trace_widened(j, bits), "");
    if (j->rows)
        live = j->l->BuildICmp(j->b, LLVMIntEQ, bits, j->active, "");
    lanes_branch_likely(j, live, trace_done(b), b->leave);
}

/* Continues unless lanes end. */
static void continue_unless_ended(struct building *b, LLVMValueRef ending, LLVMValueRef branching,
                                  unsigned n)
{
    struct jit_build *j = b->j;
    LLVMBasicBlockRef next, out;

    if (branching) {
        b->ends_written = true;
        trace_continue_if(b, trace_is_none(j, ending), branching, n);
        return;
    }
    next = lanes_new_block(j);
    out = lanes_new_block(j);
    lanes_branch_likely(j, trace_is_none(j, ending), next, out);
    j->l->PositionBuilderAtEnd(j->b, out);
    trace_leave_ending(b, ending, n);
    j->l->PositionBuilderAtEnd(j->b, next);
}

void trace_leave_early(struct building *b, LLVMValueRef branching, unsigned n)
{
    struct jit_build *j = b->j;
    LLVMValueRef v;

    v = trace_happened(j);
    if (v)
        trace_continue_if(b, trace_is_none(j, v), branching, n);
    if (!j->ending)
        return;
    v = trace_active(j, j->ending);
    trace_store32(j, offsetof(struct gpu_warp, ended), trace_widened(j, v));
    continue_unless_ended(b, v, branching, n);
}

bool trace_known_target(struct jit_build *j, uint64_t *target)
{
    jit_value v = (jit_value)(uintptr_t)j->target;

    if (!lanes_is_uniform(j, v) || !j->l->IsAConstantInt(lanes_scalar(j, v)))
        return false;
    *target = j->l->ConstIntGetZExtValue(lanes_scalar(j, v));
    return true;
}
