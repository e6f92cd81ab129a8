/* Hiding values from LLVM by empty inline assembly. */
#include "runtime/jit/opaque.h"

enum { REGISTER_BITS = 128, MAX_LANES = 64 };

unsigned vector_lane_bits(const struct llvm *l, LLVMTypeRef vector)
{
    LLVMTypeRef lane = l->GetElementType(vector);

    switch (l->GetTypeKind(lane)) {
    case LLVMIntegerTypeKind:
        return l->GetIntTypeWidth(lane);
    case LLVMFloatTypeKind:
        return 32;
    default:
        return 64;
    }
}

/* A vector with the first lanes of v, then undefined ones. */
static LLVMValueRef first_lanes(const struct llvm *l, LLVMBuilderRef b, LLVMTypeRef i32,
                                LLVMValueRef v, unsigned n)
{
    LLVMTypeRef type = l->TypeOf(v);
    unsigned have = l->GetVectorSize(type);
    LLVMValueRef mask[MAX_LANES];

    for (unsigned k = 0; k < n; k++)
        mask[k] = k < have ? l->ConstInt(i32, k, false) : l->GetUndef(i32);
    return l->BuildShuffleVector(b, v, l->GetUndef(type), l->ConstVector(mask, n), "");
}

/* Passes v through the assembly, in a vector register. */
static LLVMValueRef pass_through(const struct llvm *l, LLVMBuilderRef b, LLVMValueRef v)
{
    static const char constraints[] = "=x,0";
    LLVMTypeRef type = l->TypeOf(v);
    LLVMValueRef code;

    type = l->FunctionType(type, &type, 1, false);
    code = l->GetInlineAsm(type, (char *)(uintptr_t) "", 0, (char *)(uintptr_t)constraints,
                           sizeof(constraints) - 1, false, false, LLVMInlineAsmDialectATT, false);
    return l->BuildCall2(b, type, code, &v, 1, "");
}

struct opaque build_opaque(const struct llvm *l, LLVMBuilderRef b, LLVMTypeRef i32, LLVMValueRef v)
{
    LLVMTypeRef type = l->TypeOf(v);
    LLVMValueRef wide, passed;
    unsigned count, lane;

    if (l->GetTypeKind(type) == LLVMVectorTypeKind) {
        count = l->GetVectorSize(type);
        lane = vector_lane_bits(l, type);
        if (lane * count < REGISTER_BITS) {
            wide = first_lanes(l, b, i32, v, REGISTER_BITS / lane);
            passed = pass_through(l, b, wide);
            return (struct opaque){.value = first_lanes(l, b, i32, passed, count), .first = wide};
        }
    }
    passed = pass_through(l, b, v);
    return (struct opaque){.value = passed, .first = passed};
}
