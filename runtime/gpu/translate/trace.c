/*
 * The function of a trace: its bundles one after the other, each with a side exit for rows that
 * leave the recorded path.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/translate/trace.h"

/* Accesses from which a trace ends: LLVM's time grows faster than their number. */
enum { MOST_ACCESSES = 64 };

static LLVMValueRef const_i64(struct jit_build *j, uint64_t v)
{
    return lanes_int(j->i64, v, j);
}

/* ---- operations ------------------------------------------------------------------------------ */

/* A copy of an operation as the only one of its bundle. */
static const struct gpu_op *copy_op(struct gpu_trace *t, const struct gpu_op *op)
{
    struct gpu_op *copy = xcalloc(1, op->bytes);

    memcpy(copy, op, op->bytes);
    copy->last = 1;
    t->copies = xrealloc(t->copies, t->copy_count + 1, sizeof(*t->copies));
    t->copies[t->copy_count++] = copy;
    return copy;
}

/* Sets whether the handler reports its accesses itself. */
static void set_noted(struct jit_build *j, bool noted)
{
    size_t member =
        offsetof(struct gpu_host_context, log) + offsetof(struct gpu_access_log, host_notes_only);

    j->l->BuildStore(j->b, lanes_int(j->i8, noted, j),
                     lanes_at(j, j->core, const_i64(j, member), j->i8));
}

static void call_handler(struct building *b, const struct gpu_visit *v)
{
    struct jit_build *j = b->j;
    const struct gpu_op *op = copy_op(b->trace, v->op);
    LLVMValueRef args[] = {j->warp, lanes_link(j, (uintptr_t)op)};
    bool observed = j->decoder->observed;

    j->l->BuildStore(j->b, const_i64(j, j->address),
                     lanes_member(j, offsetof(struct gpu_warp, address), j->i64));
    trace_add_point(b, j->entered);
    b->handlers = true;
    if (observed) {
        lanes_note(j, NULL, NULL, false, 0, 0);
        set_noted(j, false);
    }
    lanes_call_c(j, (const void *)op->exec, j->l->VoidTypeInContext(j->x), 2, args);
    if (observed)
        set_noted(j, true);
    trace_add_point(b, NULL);
    lanes_forget_values(j);
    if (j->loops)
        lanes_count_slow(j);
    j->handled = true;
    b->control |= v->klass == GPU_CLASS_CONTROL;
}

static void build_word(struct building *b, struct gpu_decode *d, const struct gpu_visit *v)
{
    struct jit_build *j = b->j;
    const struct gpu_unit *unit = j->decoder->isa->unit[v->op->unit];
    gpu_translate_fn *translate = unit->translators ? unit->translators[v->op->form] : NULL;

    lanes_begin(j);
    if (translate)
        translate(j, d, v->op, v->word);
    if (!j->op_failed)
        lanes_finish_writes(j);
    if (translate && !j->op_failed)
        return;
    j->failed |= translate && j->op_effects;
    lanes_begin(j);
    call_handler(b, v);
}

static void build_move(struct jit_build *j, const struct gpu_visit *v)
{
    LLVMValueRef to, from;

    lanes_begin(j);
    if (v->mask == UINT32_MAX) {
        lanes_write_value(j, v->to, lanes_read_value(j, v->from), NULL);
        return;
    }
    from = lanes_read(j, v->from);
    to = lanes_read(j, v->to);
    to = j->l->BuildAnd(j->b, to, lanes_splat(j, lanes_int(j->i32, ~v->mask, j)), "");
    from = j->l->BuildAnd(j->b, from, lanes_splat(j, lanes_int(j->i32, v->mask, j)), "");
    lanes_write(j, v->to, j->l->BuildOr(j->b, to, from, ""), NULL);
}

static void build_operation(void *opaque, struct gpu_decode *d, const struct gpu_visit *v)
{
    struct building *b = opaque;

    if (b->j->failed)
        return;
    switch (v->kind) {
    case GPU_VISIT_WORD:
        build_word(b, d, v);
        break;
    case GPU_VISIT_MOVE:
        build_move(b->j, v);
        break;
    case GPU_VISIT_FILL:
        b->j->failed = true; /* slots that change from bundle to bundle are not modelled */
        break;
    }
}

/* ---- between bundles ------------------------------------------------------------------------- */

/* Whether the way behind a bundle is built by diverge.c. */
static bool is_divergent(const struct building *b, unsigned n)
{
    return b->divergence.is_divergent || (b->trace->diverges && b->trace->diverges[n]);
}

/* Continues with the next bundle of the trace if all lanes do, and exits if not. false: they never
 * do, or it is not known. */
static bool goes_to_next(struct building *b, const struct gpu_code *code,
                         const struct gpu_code *next, LLVMValueRef branching, unsigned n)
{
    struct jit_build *j = b->j;
    bool follows = code->next == next->address && !(code->flags & GPU_BUNDLE_END);
    LLVMValueRef all, none;
    uint64_t target;

    if (!branching)
        return follows;
    if (!trace_known_target(j, &target))
        return false;
    all = j->l->BuildICmp(j->b, LLVMIntEQ, branching, j->active, "");
    none = trace_is_none(j, branching);
    if (follows && target != next->address) {
        fork_continue_if(b, none, branching, n, all, target);
        return true;
    }
    if (target != next->address)
        return false;
    b->ends_written |= code->flags & GPU_BUNDLE_END;
    if (code->flags & GPU_BUNDLE_END)
        trace_continue_if(b, all, branching, n);
    else
        fork_continue_if(b, all, branching, n, none, code->next);
    return true;
}

/* Builds the way from a bundle to the next of the trace. false: the trace ends here. */
static bool build_transition(struct building *b, const struct gpu_code *code,
                             const struct gpu_code *next, unsigned n)
{
    struct jit_build *j = b->j;
    LLVMValueRef branching;

    if (j->branching || j->ending || j->waiting || j->handled || is_divergent(b, n))
        lanes_end_merging(j); /* its words must be stored before an exit */
    if (is_divergent(b, n))
        return diverge_build_transition(b, code, next, n);
    /* a jump to the end by all lanes, in the last bundle, says nothing that the bundle does not */
    if (code->flags & GPU_BUNDLE_END && !j->branching && j->ending && trace_is_all(j, j->ending))
        j->ending = NULL;
    branching = trace_active(j, j->branching);
    /* the row does not store which of the two ended a lane */
    b->ends_written |= j->ending && code->flags & GPU_BUNDLE_END;
    trace_leave_early(b, branching, n);
    if (j->waiting && next && b->trace->crosses && !b->control && !branching && !j->ending &&
        code->next == next->address && !(code->flags & GPU_BUNDLE_END)) {
        barriers_cross(b, n);
        return true;
    }
    if (j->waiting && !next && lanes_has_phase(j) && !b->control && !branching && !j->ending &&
        !(code->flags & GPU_BUNDLE_END)) {
        trace_end_phase(b, n);
        return false;
    }
    if (j->waiting)
        trace_store32(j, offsetof(struct gpu_warp, wait), lanes_int(j->i32, GPU_WARP_BARRIER, j));
    if (next && !j->waiting && !b->control && goes_to_next(b, code, next, branching, n))
        return true;
    if (code->flags & GPU_BUNDLE_END && !branching && !b->control && !j->waiting) {
        trace_leave_ending(b, j->active, n);
        return false;
    }
    b->ends_written |= code->flags & GPU_BUNDLE_END;
    if (branching)
        trace_store_branch(b, branching);
    trace_leave(b, n, 0);
    return false;
}

/* ---- the function ---------------------------------------------------------------------------- */

static LLVMValueRef all_lanes(struct jit_build *j)
{
    LLVMTypeRef t = j->l->IntTypeInContext(j->x, j->lanes);

    return j->l->BuildNot(j->b, j->l->ConstNull(t), "");
}

/* Loads the values that are constant during the function. */
static void load_fixed(struct jit_build *j)
{
    const struct llvm *l = j->l;
    LLVMTypeRef words = l->PointerType(j->i64, 0);

    j->active =
        l->BuildLoad2(j->b, j->i32, lanes_member(j, offsetof(struct gpu_warp, active), j->i32), "");
    if (j->lanes < 32)
        j->active = l->BuildTrunc(j->b, j->active, l->IntTypeInContext(j->x, j->lanes), "");
    if (j->abreast || (j->rows && j->decoder->row == j->lanes))
        j->active = all_lanes(j);
    j->entered = j->active;
    j->core = l->BuildLoad2(j->b, j->bytes,
                            lanes_member(j, offsetof(struct gpu_warp, core), j->bytes), "");
    j->map = l->BuildLoad2(
        j->b, words, lanes_at(j, j->core, const_i64(j, offsetof(struct gpu_core, distance)), words),
        "");
    j->regions = l->BuildLoad2(
        j->b, j->bytes,
        lanes_at(j, j->core, const_i64(j, offsetof(struct gpu_core, regions)), j->bytes), "");
    j->place_bits = l->BuildLoad2(
        j->b, j->i64,
        lanes_at(j, j->core, const_i64(j, offsetof(struct gpu_core, place_bits)), j->i64), "");
    j->local_base = l->BuildLoad2(
        j->b, j->i64,
        lanes_at(j, j->core, const_i64(j, offsetof(struct gpu_core, local_base)), j->i64), "");
    trace_store32(j, offsetof(struct gpu_warp, branched), lanes_int(j->i32, 0, j));
    trace_store32(j, offsetof(struct gpu_warp, ended), lanes_int(j->i32, 0, j));
}

/* Builds the start of each row, at which the previous one has ended. */
static void begin_rows(struct building *b)
{
    struct jit_build *j = b->j;
    const struct llvm *l = j->l;

    if (!j->rows->in_memory)
        b->first_thread = l->BuildLoad2(
            j->b, j->i64, lanes_rows_member(j, j->b, offsetof(struct gpu_row_range, first), j->i64),
            "");
    b->rounds = l->BuildLoad2(
        j->b, j->i64, lanes_rows_member(j, j->b, offsetof(struct gpu_row_range, count), j->i64),
        "");
    trace_begin_row(b);
}

static void begin_function(struct building *b)
{
    struct jit_build *j = b->j;
    const struct llvm *l = j->l;
    LLVMTypeRef params[] = {j->bytes, j->rows ? j->bytes : j->i64, j->bytes};
    LLVMBasicBlockRef entry;

    j->fn = l->AddFunction(j->module, LANES_FUNCTION, l->FunctionType(j->i64, params, 3, false));
    entry = lanes_new_block(j);
    b->start = lanes_new_block(j);
    b->head = lanes_new_block(j);
    b->leave = lanes_new_block(j);
    j->warp = j->first_warp = l->GetParam(j->fn, 0);
    j->row_range = b->rounds = l->GetParam(j->fn, 1);
    j->links = l->GetParam(j->fn, 2);
    l->PositionBuilderAtEnd(j->entry_builder, entry);
    if (j->abreast)
        abreast_find_rows(j);
    l->PositionBuilderAtEnd(j->b, b->start);
    b->round = lanes_variable(j, j->i64);
    b->last = lanes_variable(j, j->i64);
    load_fixed(j);
    l->BuildStore(j->b, const_i64(j, 0), b->round);
    if (j->rows)
        begin_rows(b);
    else
        l->BuildBr(j->b, b->head);
    l->PositionBuilderAtEnd(j->b, b->head);
    loop_begin(b);
    if (j->abreast)
        abreast_begin_round(b);
}

/* Exits after the last round. `settled`: the last bundle's branch is behind its lanes, which came
 * together at the head. What j->branching has is then a value of the side that branched, which may
 * have been skipped. */
static void exit_after_rounds(struct building *b, bool settled)
{
    struct jit_build *j = b->j;

    if (settled) {
        diverge_exit_together(b, b->trace->codes[0]->address, b->trace->count - 1);
        return;
    }
    if (j->branching)
        trace_store_branch(b, trace_active(j, j->branching));
    trace_leave(b, b->trace->count - 1, 0);
}

static void end_round(struct building *b, bool settled)
{
    if (b->j->abreast) {
        abreast_next_round(b);
        return;
    }
    trace_next_round(b, b->head);
    exit_after_rounds(b, settled);
}

/* Notes whether the trace has effects beside registers, and how many of them its rounds carry on.
 * */
static void note_effects(const struct building *b)
{
    const struct jit_build *j = b->j;
    struct gpu_trace *t = b->trace;

    t->is_plain =
        !(j->access_count || b->handlers || t->diverges || t->waits || t->crosses || t->forks);
    t->carried = 0;
    for (unsigned slot = 0; slot < LANES_MAX_SLOTS; slot++)
        t->carried += j->dirty[slot] && j->is_carried[slot];
}

/* Builds the way of rows whose lanes have all ended, whose registers are not read again. */
static void finish_done(struct building *b)
{
    struct jit_build *j = b->j;

    j->l->PositionBuilderAtEnd(j->b, b->done);
    if (j->rows) {
        trace_next_round(b, b->row);
        j->l->BuildStore(
            j->b, b->rounds,
            lanes_rows_member(j, j->b, offsetof(struct gpu_row_range, rows_ended), j->i64));
    }
    trace_return(b);
}

static void finish_function(struct building *b)
{
    struct jit_build *j = b->j;
    const struct llvm *l = j->l;

    if (j->abreast) {
        abreast_finish(b);
        l->BuildBr(j->entry_builder, b->start);
        return;
    }
    trace_finish_leave(b);
    b->trace->written_complete &= !b->handlers;
    if (b->done)
        finish_done(b);
    b->trace->ends_unused = b->done && !b->ends_written && !b->handlers;
    for (unsigned i = 0; i < b->point_count; i++) {
        l->PositionBuilderBefore(j->b, l->GetBasicBlockTerminator(b->points[i].block));
        if (b->points[i].bits)
            lanes_store(j, b->points[i].bits);
        else
            lanes_reload(j);
    }
    if (j->rows)
        l->BuildBr(j->row_builder, b->head);
    l->BuildBr(j->entry_builder, b->start);
}

/* The bundle behind bundle `n`; NULL: the trace ends there, as it was recorded or because it has
 * more accesses than LLVM should compile at once. */
static const struct gpu_code *bundle_behind(const struct jit_build *j,
                                            const struct gpu_trace *trace, unsigned n)
{
    if (!gpu_trace_ends_path(trace, n))
        return j->access_count < MOST_ACCESSES ? trace->codes[n + 1] : NULL;
    return trace->loops ? trace->codes[0] : NULL;
}

bool lanes_build_trace(struct jit_build *j, struct gpu_trace *trace)
{
    struct building b = {.j = j, .trace = trace};
    bool goes_on = true, settled = false;

    trace->written_complete = true;
    begin_function(&b);
    if (trace->lanes_leave)
        diverge_begin_round(&b);
    j->loops = trace->loops && !j->decoder->observed;
    for (unsigned n = 0; n < trace->count && goes_on && !j->failed; n++) {
        const struct gpu_code *code = trace->codes[n];

        j->branching = j->ending = NULL;
        j->target = NULL;
        j->memory = j->handled = j->waiting = b.control = false;
        j->note_count = 0;
        j->cost = &trace->costs[n];
        memset(j->cost->accesses, 0, sizeof(j->cost->accesses));
        j->address = code->address;
        if (!gpu_decode_visit(j->decoder, (struct gpu_shader *)(uintptr_t)j->shader, code,
                              build_operation, &b)) {
            j->failed = true;
            break;
        }
        /* several causes of the branch cannot be told apart */
        j->failed |= b.control && j->branching;
        if (trace->note_counts)
            trace->note_counts[n] = (uint16_t)j->note_count;
        trace->costs[n].side = b.divergence.block_behind ? trace->sides : 0;
        trace->waits = j->waiting;
        if (j->abreast && !abreast_allows(&b)) {
            j->failed = true;
            break;
        }
        settled = is_divergent(&b, n);
        goes_on =
            build_transition(&b, code, bundle_behind(j, trace, n), n) || fork_begin(&b, n + 1);
        if (!goes_on)
            trace->count = n + 1;
    }
    /* a round must end with all lanes together */
    j->failed |= goes_on && b.divergence.is_divergent && !trace->lanes_leave;
    if (goes_on && trace->loops) {
        loop_end(&b);
        end_round(&b, settled);
    }
    trace->loops &= goes_on;
    j->failed |= j->abreast && !trace->loops;
    if (!trace->loops && trace->pattern_count) {
        trace->pattern_count = 0;
        j->build_again = true;
    }
    finish_function(&b);
    note_effects(&b);
    trace->note_bytes = j->note_bytes;
    free(b.points);
    return !j->failed;
}
