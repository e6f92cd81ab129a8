/*
 * The two that stand behind build.h: LLVM (build*.c) and the quick tier (quick/record.c).
 */
#ifndef RUNTIME_JIT_BACKEND_H
#define RUNTIME_JIT_BACKEND_H

#include "runtime/jit/build.h"

/* A function for each operation of ops.inc, op_NAME. */
struct jit_backend {
#define JIT_OPERATION(result, name, params, args) result(*op_##name) params;
#include "runtime/jit/ops.inc"
#undef JIT_OPERATION
};

/* What every struct jit_build begins with. */
struct jit_head {
    const struct jit_backend *backend;
};

#endif
