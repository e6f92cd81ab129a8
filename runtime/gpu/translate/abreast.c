/*
 * A loop for several rows at once. A register is one vector of the lanes of all of them, of which
 * the host needs several operations side by side: so one chain of operations per row does not wait
 * for the host's latency.
 *
 * The function runs whole rounds only, as long as all lanes of all rows stay in the loop. A round
 * that some lane leaves is given up, and each row repeats it alone: a loop without accesses and
 * handlers has no other effect than its registers.
 */
#include "runtime/gpu/translate/trace.h"

enum {
    LOOPS_REGISTERS = 3,
    OF_HOST_REGISTERS = 2 /* values used once per round may be in memory */
};

unsigned abreast_rows(const struct gpu_translator *t, const struct gpu_decoder *decoder,
                      const struct gpu_trace *trace)
{
    bool large = strstr(t->features, "+avx512f") != NULL;
    unsigned bytes = large ? 64 : 32, registers = large ? 32 : 16;
    unsigned rows = GPU_ABREAST_LANES / decoder->lanes;
    unsigned row = (decoder->lanes * 4 + bytes - 1) / bytes * trace->carried;

    if (decoder->row != decoder->lanes)
        return 0;
    while (rows > 1 && rows * row * OF_HOST_REGISTERS > registers * LOOPS_REGISTERS)
        rows /= 2;
    return rows > 1 ? rows : 0;
}

void abreast_begin_round(struct building *b)
{
    struct jit_build *j = b->j;
    LLVMBasicBlockRef round = lanes_new_block(j);
    LLVMValueRef done = j->l->BuildLoad2(j->b, j->i64, b->round, "");

    done = j->l->BuildICmp(j->b, LLVMIntULT, done, b->rounds, "");
    lanes_branch_likely(j, done, round, b->leave);
    j->l->PositionBuilderAtEnd(j->b, round);
}

void abreast_next_round(struct building *b)
{
    struct jit_build *j = b->j;
    LLVMValueRef round = j->l->BuildLoad2(j->b, j->i64, b->round, "");

    j->l->BuildStore(j->b, j->l->BuildAdd(j->b, round, lanes_int(j->i64, 1, j), ""), b->round);
    j->l->BuildBr(j->b, b->head);
}

bool abreast_allows(const struct building *b)
{
    const struct jit_build *j = b->j;

    return !(j->ending || j->waiting || j->memory || j->handled || b->control);
}

void abreast_finish(struct building *b)
{
    struct jit_build *j = b->j;
    const struct llvm *l = j->l;
    LLVMTypeRef t = lanes_vector(j, j->i32);

    for (unsigned slot = 0; slot < LANES_MAX_SLOTS; slot++) {
        LLVMValueRef at_head;

        if (!j->slot[slot] || !j->dirty[slot])
            continue;
        at_head = lanes_variable(j, t);
        l->PositionBuilderBefore(j->b, l->GetBasicBlockTerminator(b->head));
        l->BuildStore(j->b, l->BuildLoad2(j->b, t, j->slot[slot], ""), at_head);
        l->PositionBuilderAtEnd(j->b, b->leave);
        abreast_store_slot(j, slot, l->BuildLoad2(j->b, t, at_head, ""));
    }
    l->PositionBuilderAtEnd(j->b, b->leave);
    l->BuildRet(j->b, l->BuildLoad2(j->b, j->i64, b->round, ""));
}
