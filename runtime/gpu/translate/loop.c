/*
 * Registers of a loop that are known to be the same in all lanes, or in a line, at its head
 * (shader/pattern.c). The function is built with those of the recorded row, as if they were so in
 * each round. If a round does not preserve one of them, or none reads it, the function is built
 * again without it.
 */
#include "runtime/gpu/translate/trace.h"

/* The words of all lanes of which the first has `first`. */
static LLVMValueRef words_of(struct jit_build *j, LLVMValueRef first, uint32_t step)
{
    LLVMValueRef ahead[GPU_MAX_LANES];

    for (unsigned l = 0; l < j->lanes; l++)
        ahead[l] = lanes_int(j->i32, (uint64_t)(l * step), j);
    first = lanes_splat(j, first);
    return step ? j->l->BuildAdd(j->b, first, j->l->ConstVector(ahead, j->lanes), "") : first;
}

/* The number of the first active lane. */
static LLVMValueRef first_active(struct jit_build *j)
{
    LLVMTypeRef type = j->l->TypeOf(j->entered);
    LLVMValueRef args[] = {j->entered, lanes_int(j->i1, 1, j)};
    LLVMValueRef lane = lanes_intrinsic(j, "llvm.cttz", type, 2, args);

    return trace_widened(j, lane);
}

/* Stores the first lane's word, which follows from that of the first active one, in a variable. */
static LLVMValueRef enter_pattern(struct jit_build *j, const struct gpu_pattern *f,
                                  LLVMValueRef lane)
{
    const struct llvm *l = j->l;
    LLVMValueRef at = lanes_slot(j, gpu_slot_offset(j->lanes, f->slot)), first;
    LLVMValueRef variable = lanes_variable(j, j->i32);

    first = l->BuildLoad2(j->b, lanes_vector(j, j->i32), at, "");
    first = l->BuildExtractElement(j->b, first, lane, "");
    lane = l->BuildMul(j->b, lane, lanes_int(j->i32, f->step, j), "");
    l->BuildStore(j->b, l->BuildSub(j->b, first, lane, ""), variable);
    return variable;
}

/* Notes at the loop's head what is known of the register. */
static void begin_pattern(struct jit_build *j, const struct gpu_pattern *f, LLVMValueRef variable)
{
    LLVMValueRef first = j->l->BuildLoad2(j->b, j->i32, variable, "");
    LLVMValueRef words = words_of(j, first, f->step);

    j->l->BuildStore(j->b, words, j->slot[f->slot]);
    j->value[f->slot] = words;
    if (f->step) {
        j->line[f->slot] = first;
        j->step[f->slot] = f->step;
    } else {
        j->known[f->slot] = first;
    }
}

void loop_begin(struct building *b)
{
    struct jit_build *j = b->j;
    struct gpu_trace *t = b->trace;
    LLVMValueRef lane;

    j->patterned = t->pattern_count;
    if (!j->patterned)
        return;
    j->l->PositionBuilderBefore(j->b, j->l->GetBasicBlockTerminator(b->start));
    lane = first_active(j);
    for (unsigned n = 0; n < t->pattern_count; n++)
        b->pattern[n] = enter_pattern(j, &t->patterns[n], lane);
    j->l->PositionBuilderAtEnd(j->b, b->head);
    for (unsigned n = 0; n < t->pattern_count; n++)
        begin_pattern(j, &t->patterns[n], b->pattern[n]);
}

/* The first lane's word at the end of a round; NULL: the register has lost its pattern. */
static LLVMValueRef preserved(const struct jit_build *j, const struct gpu_pattern *f)
{
    if (!f->step)
        return j->known[f->slot];
    return j->step[f->slot] == f->step ? j->line[f->slot] : NULL;
}

void loop_end(struct building *b)
{
    struct jit_build *j = b->j;
    struct gpu_trace *t = b->trace;
    unsigned kept = 0;

    for (unsigned n = 0; n < t->pattern_count; n++) {
        LLVMValueRef first = preserved(j, &t->patterns[n]);

        if (!first || !j->is_read[t->patterns[n].slot])
            continue;
        j->l->BuildStore(j->b, first, b->pattern[n]);
        t->patterns[kept++] = t->patterns[n];
    }
    j->build_again = kept != t->pattern_count;
    t->pattern_count = kept;
}
