/* Exits of a trace: rows that leave the recorded path, fault or end; and from row to row. */
#include "runtime/base/alloc.h"
#include "runtime/gpu/translate/row.h"
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

    if (j->abreast) {
        j->l->BuildBr(j->b, b->leave);
        return;
    }
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

    if (j->abreast) /* the round is given up */
        return;
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

static LLVMValueRef range_word(struct jit_build *j, size_t offset)
{
    return lanes_rows_member(j, j->b, offset, j->i64);
}

/* Notes the place of the first row, and lets those that come to another one go on in the block that
 * is returned. */
static LLVMBasicBlockRef compare_places(struct building *b, unsigned path)
{
    struct jit_build *j = b->j;
    const struct llvm *l = j->l;
    LLVMValueRef place = lanes_int(j->i64, b->trace->place_of[path], j), first, same;
    LLVMValueRef at = range_word(j, offsetof(struct gpu_row_range, came_to));
    LLVMBasicBlockRef fits = lanes_new_block(j), odd = lanes_new_block(j);

    first = l->BuildLoad2(j->b, j->i64, b->round, "");
    first = l->BuildICmp(j->b, LLVMIntEQ, first, lanes_int(j->i64, 0, j), "");
    same = l->BuildICmp(j->b, LLVMIntEQ, l->BuildLoad2(j->b, j->i64, at, ""), place, "");
    lanes_branch_likely(j, l->BuildOr(j->b, first, same, ""), fits, odd);
    l->PositionBuilderAtEnd(j->b, fits);
    l->BuildStore(j->b, place, at);
    return odd;
}

/* Counts a row that has come to the end of bundle `n`'s path. Rows that come to another place than
 * those before go on in the block that is returned; NULL: there are none. */
static LLVMBasicBlockRef count_path(struct building *b, unsigned n)
{
    struct jit_build *j = b->j;
    unsigned path = gpu_trace_path_of(b->trace, n);
    LLVMBasicBlockRef odd = b->trace->has_places ? compare_places(b, path) : NULL;
    LLVMValueRef at, count;

    at = range_word(j, offsetof(struct gpu_row_range, by_path) + path * sizeof(uint64_t));
    count = j->l->BuildLoad2(j->b, j->i64, at, "");
    j->l->BuildStore(j->b, j->l->BuildAdd(j->b, count, lanes_int(j->i64, 1, j), ""), at);
    return odd;
}

/* Notes the number of rows that have come to the same place, before a row that has come to another
 * one. */
static void store_rows_ended(struct building *b)
{
    struct jit_build *j = b->j;

    j->l->BuildStore(
        j->b, j->l->BuildLoad2(j->b, j->i64, b->round, ""),
        lanes_rows_member(j, j->b, offsetof(struct gpu_row_range, rows_ended), j->i64));
}

/* Returns behind a row that has come to another place than those before it. */
static void return_odd(struct building *b, LLVMBasicBlockRef odd, bool waits)
{
    struct jit_build *j = b->j;

    j->l->PositionBuilderAtEnd(j->b, odd);
    if (waits)
        trace_store32(j, offsetof(struct gpu_warp, wait), lanes_int(j->i32, GPU_WARP_BARRIER, j));
    store_rows_ended(b);
    trace_return(b);
}

/* The block behind the last bundle of rows that are passed over. */
static LLVMBasicBlockRef passed_over(struct building *b)
{
    if (!b->done)
        b->done = lanes_new_block(b->j);
    return b->done;
}

LLVMBasicBlockRef trace_done(struct building *b, unsigned n, unsigned how)
{
    struct jit_build *j = b->j;
    const struct gpu_trace *t = b->trace;
    /* the row ends on the way to a barrier */
    bool early = lanes_has_phase(j) && t->path_waits[gpu_trace_path_of(t, n)];
    LLVMBasicBlockRef here, ended, odd;

    if (!t->forks && !early)
        return passed_over(b);
    here = j->l->GetInsertBlock(j->b);
    odd = ended = lanes_new_block(j);
    j->l->PositionBuilderAtEnd(j->b, ended);
    j->l->BuildStore(j->b, lanes_int(j->i64, n | how, j), b->last);
    if (!early) {
        odd = count_path(b, n);
        j->l->BuildBr(j->b, passed_over(b));
    }
    if (odd)
        return_odd(b, odd, false);
    j->l->PositionBuilderAtEnd(j->b, here);
    return ended;
}

void trace_end_phase(struct building *b, unsigned n)
{
    struct jit_build *j = b->j;
    LLVMBasicBlockRef odd = NULL;

    j->failed |= !b->trace->path_waits[gpu_trace_path_of(b->trace, n)];
    trace_add_point(b, j->entered);
    j->l->BuildStore(j->b, lanes_int(j->i64, n, j), b->last);
    if (b->trace->forks)
        odd = count_path(b, n);
    j->l->BuildBr(j->b, passed_over(b));
    if (odd)
        return_odd(b, odd, true);
}

void trace_leave_ending(struct building *b, LLVMValueRef bits, unsigned n)
{
    struct jit_build *j = b->j;
    LLVMValueRef live = lanes_member(j, offsetof(struct gpu_warp, live), j->i32);

    if (j->rows && !gpu_trace_ends_path(b->trace, n)) {
        trace_leave(b, n, 0); /* only rows that end with the trace are passed over */
        return;
    }
    j->l->BuildStore(j->b, lanes_int(j->i64, n, j), b->last);
    live = j->l->BuildLoad2(j->b, j->i32, live, "");
    live = j->l->BuildICmp(j->b, LLVMIntEQ, live, trace_widened(j, bits), "");
    if (j->rows)
        live = j->l->BuildICmp(j->b, LLVMIntEQ, bits, j->active, "");
    lanes_branch_likely(j, live, trace_done(b, n, 0), b->leave);
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

/* ---- rounds and rows ------------------------------------------------------------------------ */

/* Finds the memory of the row, in which the one before it may have stored where it went. */
static void find_row(struct building *b)
{
    struct jit_build *j = b->j;
    const struct llvm *l = j->l;
    LLVMBuilderRef here = j->b;
    LLVMTypeRef rows = l->PointerType(j->bytes, 0);
    LLVMValueRef all = l->BuildLoad2(
        j->entry_builder, rows,
        lanes_rows_member(j, j->entry_builder, offsetof(struct gpu_row_range, warp), rows), "");

    all = l->BuildGEP2(j->row_builder, j->bytes, all, &j->row, 1, "");
    j->warp = l->BuildLoad2(j->row_builder, j->bytes, all, "");
    j->b = j->row_builder;
    trace_store32(j, offsetof(struct gpu_warp, branched), lanes_int(j->i32, 0, j));
    trace_store32(j, offsetof(struct gpu_warp, ended), lanes_int(j->i32, 0, j));
    j->b = here;
}

void trace_begin_row(struct building *b)
{
    struct jit_build *j = b->j;
    const struct llvm *l = j->l;
    LLVMValueRef ended = lanes_member(j, offsetof(struct gpu_warp, ended), j->i32);

    b->row = lanes_new_block(j);
    l->BuildBr(j->b, b->row);
    l->PositionBuilderAtEnd(j->row_builder, b->row);
    j->row = l->BuildLoad2(j->row_builder, j->i64, b->round, "");
    if (j->rows->in_memory) {
        find_row(b);
        return;
    }
    l->BuildStore(j->row_builder, lanes_int(j->i32, 0, j), ended);
    j->thread = l->BuildMul(j->row_builder, j->row, lanes_int(j->i64, j->decoder->row, j), "");
    j->thread = l->BuildAdd(j->row_builder, j->thread, b->first_thread, "");
}

void trace_next_round(struct building *b, LLVMBasicBlockRef head)
{
    struct jit_build *j = b->j;
    LLVMValueRef round = j->l->BuildLoad2(j->b, j->i64, b->round, "");
    LLVMBasicBlockRef again = lanes_new_block(j), out = lanes_new_block(j);

    round = j->l->BuildAdd(j->b, round, lanes_int(j->i64, 1, j), "");
    lanes_branch_likely(j, j->l->BuildICmp(j->b, LLVMIntULT, round, b->rounds, ""), again, out);
    j->l->PositionBuilderAtEnd(j->b, again);
    j->l->BuildStore(j->b, round, b->round);
    j->l->BuildBr(j->b, head);
    j->l->PositionBuilderAtEnd(j->b, out);
}

void trace_return(struct building *b)
{
    struct jit_build *j = b->j;
    const struct llvm *l = j->l;
    LLVMValueRef round = l->BuildLoad2(j->b, j->i64, b->round, "");
    LLVMValueRef last = l->BuildLoad2(j->b, j->i64, b->last, "");

    round = l->BuildShl(j->b, round, lanes_int(j->i64, 16, j), "");
    l->BuildRet(j->b, j->rows ? last : l->BuildOr(j->b, round, last, ""));
}

/* Makes the row that exits early the row in memory. */
static void store_row(struct building *b)
{
    struct jit_build *j = b->j;
    LLVMValueRef args[] = {j->warp, j->row_range, j->l->BuildLoad2(j->b, j->i64, b->round, "")};

    if (j->rows->in_memory) {
        store_rows_ended(b);
        return;
    }
    if (b->trace->crosses)
        j->l->BuildStore(
            j->b, lanes_int(j->i64, b->trace->barriers, j),
            lanes_rows_member(j, j->b, offsetof(struct gpu_row_range, passed), j->i64));
    lanes_call_c(j, (const void *)gpu_rows_leave, j->l->VoidTypeInContext(j->x), 3, args);
}

/* Notes which registers the trace may write. */
static void note_written(const struct jit_build *j, struct gpu_trace *trace)
{
    for (unsigned slot = 0; slot < LANES_MAX_SLOTS; slot++) {
        if (!j->dirty[slot])
            continue;
        if (slot < GPU_WRITTEN_SLOTS)
            trace->written[slot / 64] |= UINT64_C(1) << slot % 64;
        else
            trace->written_complete = false;
    }
}

LLVMValueRef trace_present(struct building *b)
{
    struct jit_build *j = b->j;
    LLVMValueRef staying = b->divergence.staying;

    return staying ? j->l->BuildLoad2(j->b, j->l->TypeOf(j->entered), staying, "") : j->entered;
}

void trace_finish_leave(struct building *b)
{
    struct jit_build *j = b->j;

    j->l->PositionBuilderAtEnd(j->b, b->leave);
    if (j->rows)
        store_row(b);
    lanes_store(j, trace_present(b));
    trace_return(b);
    if (!b->handlers)
        note_written(j, b->trace);
}
