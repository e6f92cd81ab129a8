/* The functions of build.h, which call the back end of the struct jit_build. */
#include "runtime/jit/backend.h"

static const struct jit_backend *backend_of(const struct jit_build *j)
{
    return ((const struct jit_head *)(const void *)j)->backend;
}

#define JIT_OPERATION(result, name, params, args) \
    result jit_##name params                      \
    {                                             \
        return backend_of(j)->op_##name args;     \
    }
#include "runtime/jit/ops.inc"
