/*
 * Hides from LLVM how a value was computed, where LLVM is known to draw wrong conclusions: the
 * value passes through an empty inline assembly, which costs no instruction.
 */
#ifndef RUNTIME_JIT_OPAQUE_H
#define RUNTIME_JIT_OPAQUE_H

#include "runtime/jit/llvm.h"

/* Number of bits of a vector's lane. */
unsigned vector_lane_bits(const struct llvm *l, LLVMTypeRef vector);

struct opaque {
    LLVMValueRef value; /* to be used in place of the hidden value */
    LLVMValueRef first; /* the instruction whose operand 0 is the hidden value */
};

/* Hides v, which is a float, a double, or a vector that fits a vector register. b: the builder, at
 * the place of the assembly; i32: the context's type. */
struct opaque build_opaque(const struct llvm *l, LLVMBuilderRef b, LLVMTypeRef i32, LLVMValueRef v);

#endif
