/* Types, constants, addresses, blocks and calls, for the files that build LLVM's IR. */
#include "runtime/jit/llvm_build.h"

#include <stdio.h>

void build_fail(struct jit_build *j, const char *why)
{
    if (!j->failed)
        snprintf(j->r->failure, sizeof(j->r->failure), "%s", why);
    j->failed = true;
}

/* ---- types and integers ---------------------------------------------------------------------- */

LLVMTypeRef build_lane_type(struct jit_build *j, jit_type t)
{
    return llvm_lane_type(&j->place, t);
}

LLVMTypeRef build_type(struct jit_build *j, jit_type t)
{
    LLVMTypeRef lane = build_lane_type(j, t);

    return type_lanes(t) > 1 ? j->l->VectorType(lane, type_lanes(t)) : lane;
}

LLVMTypeRef build_scalar_type(struct jit_build *j, LLVMTypeRef t)
{
    return llvm_scalar_type(&j->place, t);
}

unsigned type_bits(LLVMTypeRef t, struct jit_build *j)
{
    switch (j->l->GetTypeKind(t)) {
    case LLVMVectorTypeKind:
        return j->l->GetVectorSize(t) * type_bits(j->l->GetElementType(t), j);
    case LLVMIntegerTypeKind:
        return j->l->GetIntTypeWidth(t);
    case LLVMFloatTypeKind:
        return 32;
    default:
        return 64;
    }
}

LLVMValueRef build_int(struct jit_build *j, LLVMTypeRef t, uint64_t v)
{
    return j->l->ConstInt(t, v, false);
}

LLVMValueRef build_resize(struct jit_build *j, LLVMValueRef v, LLVMTypeRef t)
{
    return llvm_resize(&j->place, v, t);
}

/* ---- addresses and blocks -------------------------------------------------------------------- */

/*
 * The virtual address of a region is not known when it is translated, since the same code may be
 * mapped at several. Addresses are always expressed as the entry's plus a constant.
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

/* ---- calls of C functions -------------------------------------------------------------------- */

LLVMValueRef build_function_at(struct jit_build *j, const void *fn, LLVMTypeRef type)
{
    return j->l->ConstIntToPtr(build_int(j, j->i64, (uintptr_t)fn), j->l->PointerType(type, 0));
}

LLVMValueRef build_own_function(struct jit_build *j, const char *name, LLVMTypeRef type)
{
    LLVMValueRef fn = j->l->GetNamedFunction(j->module, name);

    if (!fn)
        fn = j->l->AddFunction(j->module, name,
                               j->l->FunctionType(j->l->VoidTypeInContext(j->x), NULL, 0, false));
    return j->l->ConstBitCast(fn, j->l->PointerType(type, 0));
}

LLVMValueRef build_call(struct jit_build *j, const void *fn, LLVMTypeRef result, unsigned n,
                        LLVMValueRef *args)
{
    LLVMTypeRef types[8], type;

    for (unsigned k = 0; k < n; k++)
        types[k] = j->l->TypeOf(args[k]);
    type = j->l->FunctionType(result, types, n, false);
    return j->l->BuildCall2(j->b, type, build_function_at(j, fn, type), args, n, "");
}
