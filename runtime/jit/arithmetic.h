/*
 * The arithmetic of build.h as LLVM's instructions. Its users are the regions of CPUs (build.c) and
 * the rows of lanes of shaders (runtime/gpu/translate/lanes.c).
 *
 * LLVM's instructions work on scalars and on vectors alike, and so do these functions: the shape is
 * that of the operands. A jit_type says only what one lane is. What LLVM does not define (division
 * by zero, too large shifts) gets the results that build.h defines.
 */
#ifndef RUNTIME_JIT_ARITHMETIC_H
#define RUNTIME_JIT_ARITHMETIC_H

#include "runtime/jit/build.h"
#include "runtime/jit/llvm.h"

/* The position at which instructions are added. */
#define LLVM_PLACE_MEMBERS    \
    {                         \
        const struct llvm *l; \
        LLVMContextRef x;     \
        LLVMModuleRef module; \
        LLVMBuilderRef b;     \
    }
struct llvm_place LLVM_PLACE_MEMBERS;

/* A place as members of another structure: `place`, or its parts by their own names. */
#define LLVM_PLACE                 \
    union {                        \
        struct LLVM_PLACE_MEMBERS; \
        struct llvm_place place;   \
    }

/* ---- types and values ------------------------------------------------------------------------ */

/* The base of a jit_type (JIT_UINT, ...), and the bits of a lane. */
static inline unsigned jit_type_base(jit_type t)
{
    return t & 0x7f;
}
static inline unsigned jit_type_bits(jit_type t)
{
    return t >> 8 & 0xff;
}
static inline bool jit_type_is_float(jit_type t)
{
    return jit_type_base(t) == JIT_FLOAT;
}
static inline bool jit_type_is_signed(jit_type t)
{
    return jit_type_base(t) == JIT_SINT;
}

/* LLVM's type of one lane of `t`. */
LLVMTypeRef llvm_lane_type(const struct llvm_place *p, jit_type t);
/* The type of a vector's lanes; `t` itself when it is no vector. */
LLVMTypeRef llvm_scalar_type(const struct llvm_place *p, LLVMTypeRef t);
/* Broadcasts a scalar to every lane of a vector. */
LLVMValueRef llvm_in_lanes(const struct llvm_place *p, LLVMValueRef scalar, unsigned lanes);
/* Zero-extends or truncates an integer, or lanes of integers, to a type of the same shape. */
LLVMValueRef llvm_resize(const struct llvm_place *p, LLVMValueRef v, LLVMTypeRef t);
/* Calls one of LLVM's intrinsics, which is overloaded by `types`, a list that NULL ends. */
LLVMValueRef llvm_intrinsic(const struct llvm_place *p, const char *name, LLVMTypeRef *types,
                            unsigned n, LLVMValueRef *args);

/* ---- operations ------------------------------------------------------------------------------ */

/* Adds a unary operation. Returns NULL if the operation is not unary. */
LLVMValueRef llvm_arith_unary(const struct llvm_place *p, enum jit_op op, jit_type t,
                              LLVMValueRef a);
/* Adds a binary operation that is no comparison. Returns NULL if the operation is not binary. A
 * shift amount may differ from `a` in width, and may be a scalar if `a` is a vector. */
LLVMValueRef llvm_arith_binary(const struct llvm_place *p, enum jit_op op, jit_type t,
                               LLVMValueRef a, LLVMValueRef b);
/* Adds a comparison. Returns an i1, or a vector of i1. */
LLVMValueRef llvm_arith_compare(const struct llvm_place *p, enum jit_op op, jit_type t,
                                LLVMValueRef a, LLVMValueRef b);
/* Whether an integer is not 0: an i1, or a vector of i1. */
LLVMValueRef llvm_arith_is_set(const struct llvm_place *p, LLVMValueRef v);
/* a * b + c with one rounding. */
LLVMValueRef llvm_arith_fma(const struct llvm_place *p, LLVMValueRef a, LLVMValueRef b,
                            LLVMValueRef c);
/* Converts between types of the IR; `type` is LLVM's type of the result, in the shape of `a`. */
LLVMValueRef llvm_arith_convert(const struct llvm_place *p, LLVMTypeRef type, jit_type to,
                                jit_type from, LLVMValueRef a);

#endif
