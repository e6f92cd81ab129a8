/* The LLVM tier as a back end of build.h. */
#include "runtime/jit/llvm_build.h"

const struct jit_backend llvm_backend = {
#define JIT_OPERATION(result, name, params, args) .op_##name = llvm_##name,
#include "runtime/jit/ops.inc"
};
