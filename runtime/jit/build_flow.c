/* The program counter, and control flow inside of an instruction. */
#include "runtime/jit/llvm_build.h"

/* ---- program counter ------------------------------------------------------------------------- */

/*
 * The address at which a region runs is not known when it is translated: the same code may be
 * mapped at several. Addresses are the entry's plus a constant, always in this form.
 */
LLVMValueRef build_pc(struct jit_build *j, int64_t delta)
{
    if (!delta)
        return j->entry_pc;
    return j->l->BuildAdd(j->b, j->entry_pc, build_int(j, j->i64, (uint64_t)delta), "");
}

bool build_known_pc(const struct jit_build *j, LLVMValueRef v, int64_t *delta)
{
    const struct llvm *l = j->l;

    *delta = 0;
    if (v == j->entry_pc)
        return true;
    if (!l->IsAInstruction(v) || l->GetInstructionOpcode(v) != LLVMAdd ||
        l->GetOperand(v, 0) != j->entry_pc || !l->IsAConstantInt(l->GetOperand(v, 1)))
        return false;
    *delta = l->ConstIntGetSExtValue(l->GetOperand(v, 1));
    return true;
}

jit_value llvm_read_pc(struct jit_build *j, jit_type t)
{
    int64_t at = j->r->sources[j->source].delta + j->insn->offset;

    return build_resize(j, build_pc(j, at), build_type(j, t));
}

void llvm_write_pc(struct jit_build *j, jit_value pc)
{
    LLVMBasicBlockRef here = j->l->GetInsertBlock(j->b);

    if (!j->last) {
        build_fail(j, "an instruction inside of a block writes the PC");
        return;
    }
    pc = build_resize(j, pc, j->i64);
    j->l->BuildStore(j->b, pc, j->next_pc);
    for (size_t n = 0; n < j->writes.len; n++) {
        if (j->writes.data[n].block == here) {
            j->writes.data[n].value = pc;
            return;
        }
    }
    vec_push(&j->writes, (struct pc_write){here, pc});
}

void llvm_set_mode(struct jit_build *j, jit_value mode)
{
    static const jit_type params[] = {JIT_U32};
    static const struct jit_callee callee = {.fn = (const void *)cpu_set_mode,
                                             .name = "cpu_set_mode",
                                             .flags = JIT_CALL_CPU,
                                             .count = 1,
                                             .params = params};

    llvm_call(j, &callee, (jit_value[]){build_resize(j, mode, build_type(j, JIT_U32))}, NULL);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

LLVMBasicBlockRef build_block(struct jit_build *j, const char *name)
{
    return j->l->AppendBasicBlockInContext(j->x, j->fn, name);
}

void build_cond(struct jit_build *j, LLVMValueRef cond, LLVMBasicBlockRef yes, LLVMBasicBlockRef no,
                LLVMValueRef weights)
{
    LLVMValueRef br = j->l->BuildCondBr(j->b, cond, yes, no);

    if (weights)
        j->l->SetMetadata(br, j->prof, weights);
}

jit_block llvm_block_new(struct jit_build *j)
{
    return build_block(j, "");
}

void llvm_at(struct jit_build *j, jit_block block)
{
    j->branched = true;
    j->l->PositionBuilderAtEnd(j->b, block);
}

jit_value llvm_phi(struct jit_build *j, jit_block block, jit_type t)
{
    LLVMBasicBlockRef here = j->l->GetInsertBlock(j->b);
    LLVMValueRef phi;

    j->l->PositionBuilderAtEnd(j->b, block);
    phi = j->l->BuildPhi(j->b, build_type(j, t), "");
    j->l->PositionBuilderAtEnd(j->b, here);
    return phi;
}

void llvm_phi_in(struct jit_build *j, jit_value phi, jit_value value)
{
    LLVMBasicBlockRef here = j->l->GetInsertBlock(j->b);

    j->l->AddIncoming(phi, &value, &here, 1);
}

void llvm_goto(struct jit_build *j, jit_block to)
{
    j->l->BuildBr(j->b, to);
}

void llvm_branch(struct jit_build *j, jit_value cond, jit_block yes, jit_block no)
{
    LLVMValueRef zero = build_int(j, j->l->TypeOf(cond), 0);

    build_cond(j, j->l->BuildICmp(j->b, LLVMIntNE, cond, zero, ""), yes, no, NULL);
}

void llvm_switch(struct jit_build *j, jit_value v, jit_block otherwise, unsigned count,
                 const uint64_t *cases, const jit_block *targets)
{
    LLVMValueRef sw = j->l->BuildSwitch(j->b, v, otherwise, count);

    for (unsigned n = 0; n < count; n++)
        j->l->AddCase(sw, build_int(j, j->l->TypeOf(v), cases[n]), targets[n]);
}

void llvm_done(struct jit_build *j)
{
    vec_push(&j->dones, j->l->GetInsertBlock(j->b));
}

void llvm_unreachable(struct jit_build *j)
{
    j->l->BuildUnreachable(j->b);
}
