/* Host code of one operation of a shader, made without a shader around it. */
#ifndef TESTS_GPU_CORE_OPERATION_H
#define TESTS_GPU_CORE_OPERATION_H

#include <stdbool.h>

#include "runtime/gpu/translate/internal.h"

enum { OPERATION_LANES = 16 };

/* Makes a module of its own, and its types. False: LLVM is not there. `api` must live as long. */
bool operation_open(struct jit_build *j, struct llvm *api);
/* Begins a function with these parameters; values are made in its first block. */
void operation_begin(struct jit_build *j, LLVMTypeRef *param, unsigned count);
/* Frees the module and all values. */
void operation_close(struct jit_build *j);

#endif
