/*
 * Barriers in the function that runs all rows of a work-group. All rows come to a barrier one after
 * the other, then all go on behind it. What a row has written in its registers by then is kept in
 * an array, row by row: of words that are uniform, or in a line, the first lane's alone. A row is
 * stored in its memory only when it leaves the trace early.
 *
 * Bounds      GPU_TRACE_BARRIERS barriers, GPU_TRACE_KEPT registers
 */
#include "runtime/base/alloc.h"
#include "runtime/gpu/translate/trace.h"

/* The number of a slot among those that are kept, from 1. 0: there are too many. */
static unsigned number_of(struct building *b, unsigned slot)
{
    struct lanes_kept *kept = &b->j->kept[slot];
    struct gpu_trace *t = b->trace;

    if (!kept->number && t->kept_count < GPU_TRACE_KEPT && slot < GPU_WRITTEN_SLOTS) {
        t->kept[t->kept_count++] = (uint16_t)slot;
        kept->number = t->kept_count;
    }
    return kept->number;
}

static void keep_register(struct jit_build *j, unsigned slot)
{
    const struct lanes_kept *kept = &j->kept[slot];
    LLVMTypeRef type = lanes_keeps_first(kept) ? j->i32 : lanes_vector(j, j->i32);
    LLVMValueRef v = kept->is_uniform ? j->known[slot] : j->line[slot], store;

    if (!lanes_keeps_first(kept))
        v = j->l->BuildLoad2(j->b, type, j->slot[slot], "");
    store = j->l->BuildStore(j->b, v, lanes_kept_place(j, j->b, kept->number - 1, type));
    j->l->SetAlignment(store, 64);
}

/* Notes how registers are kept at the barrier, for rows that leave the trace behind it. */
static void note_forms(struct building *b)
{
    struct gpu_trace *t = b->trace;
    struct gpu_kept_form *form;

    t->kept_form = xrealloc(t->kept_form, (t->barriers + 1) * GPU_TRACE_KEPT, sizeof(*form));
    form = t->kept_form + t->barriers * GPU_TRACE_KEPT;
    for (unsigned n = 0; n < t->kept_count; n++) {
        const struct lanes_kept *kept = &b->j->kept[t->kept[n]];

        form[n] = (struct gpu_kept_form){lanes_keeps_first(kept), kept->step};
    }
}

/* Keeps the registers that were written since the row's start, or the barrier before. */
static void keep_registers(struct building *b)
{
    struct jit_build *j = b->j;

    for (unsigned slot = 0; slot < LANES_MAX_SLOTS; slot++) {
        if (!j->dirty[slot])
            continue;
        if (!number_of(b, slot)) {
            j->failed = true;
            return;
        }
        j->kept[slot].is_uniform = j->known[slot] != NULL;
        j->kept[slot].step = !j->known[slot] && j->line[slot] ? j->step[slot] : 0;
        keep_register(j, slot);
    }
    note_forms(b);
}

/* Forgets the registers' variables, and all that is known of them: their values are those of one
 * row. */
static void forget_registers(struct jit_build *j)
{
    memset(j->slot, 0, sizeof(j->slot));
    memset(j->dirty, 0, sizeof(j->dirty));
    lanes_forget_values(j);
}

void barriers_cross(struct building *b, unsigned n)
{
    struct jit_build *j = b->j;
    struct gpu_trace *t = b->trace;
    LLVMBasicBlockRef behind;

    /* rows that have ended before (`done`) would have to miss all that is behind */
    if (t->barriers == GPU_TRACE_BARRIERS || b->divergence.is_divergent || b->handlers || b->done) {
        j->failed = true;
        return;
    }
    keep_registers(b);
    trace_next_round(b, b->row);
    j->l->BuildStore(j->b, lanes_int(j->i64, 0, j), b->round);
    behind = j->l->GetInsertBlock(j->b);
    j->l->BuildBr(j->row_builder, b->head);
    trace_finish_leave(b);
    t->barrier_at[t->barriers] = (uint16_t)n;
    t->kept_behind[t->barriers++] = (uint16_t)t->kept_count;
    forget_registers(j);
    j->l->PositionBuilderAtEnd(j->b, behind);
    trace_begin_row(b);
    b->leave = lanes_new_block(j);
    b->head = lanes_new_block(j);
    j->l->PositionBuilderAtEnd(j->b, b->head);
}
