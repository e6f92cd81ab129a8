/* The program counter, and control flow inside of an instruction. */
#include "runtime/jit/llvm_build.h"

/* ---- program counter ------------------------------------------------------------------------- */

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

/* ---- blocks ---------------------------------------------------------------------------------- */

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
