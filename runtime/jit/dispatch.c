/* The functions of build.h, for whichever back end is at work. */
#include "runtime/jit/backend.h"

static const struct jit_backend *backend(const struct jit_build *j)
{
    return ((const struct jit_head *)(const void *)j)->backend;
}

#define JIT_OPERATION(result, name, params, args) \
    result jit_##name params                      \
    {                                             \
        return backend(j)->op_##name args;        \
    }
#include "runtime/jit/ops.inc"
