/*
 * Hides from LLVM how a value came about, where LLVM is known to draw wrong conclusions from it: the value
 * passes through an empty inline assembly, which is no instruction.
 */
#ifndef RUNTIME_JIT_OPAQUE_H
#define RUNTIME_JIT_OPAQUE_H

#include "runtime/jit/llvm.h"

/* Bits of a vector's lane. */
unsigned vector_lane_bits(const struct llvm *l, LLVMTypeRef vector);

struct opaque {
    LLVMValueRef value; /* to be used in place of the one that is hidden */
    LLVMValueRef first; /* the instruction that has the hidden one as its operand 0 */
};

/* Hides v, a float, a double, or a vector of at most a vector register, from who uses the result. b: where to;
 * i32: the context's type. */
struct opaque build_opaque(const struct llvm *l, LLVMBuilderRef b, LLVMTypeRef i32, LLVMValueRef v);

#endif
