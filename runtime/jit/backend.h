/*
 * The interface of a back end of build.h: LLVM (llvm_backend.c) and the quick tier
 * (quick/record.c).
 */
#ifndef RUNTIME_JIT_BACKEND_H
#define RUNTIME_JIT_BACKEND_H

#include "runtime/jit/build.h"

/* Functions op_NAME of all operations in ops.inc. */
struct jit_backend {
#define JIT_OPERATION(result, name, params, args) result(*op_##name) params;
#include "runtime/jit/ops.inc"
#undef JIT_OPERATION
};

/* First member of the struct jit_build of every back end. */
struct jit_head {
    const struct jit_backend *backend;
};

#endif
