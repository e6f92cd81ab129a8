/* Stubs for lane translators, which are linked with the handlers and never called here. */
#include "runtime/gpu/translate/build.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define JIT_OPERATION(result, name, params, args) \
    result jit_##name params                      \
    {                                             \
        return (result)0;                         \
    }
#include "runtime/jit/ops.inc"
#undef JIT_OPERATION

#define NOTHING(result, name, ...)   \
    result lanes_##name(__VA_ARGS__) \
    {                                \
        return (result)0;            \
    }
NOTHING(jit_value, special, struct jit_build *j, unsigned special)
NOTHING(jit_value, staging, struct jit_build *j, const struct gpu_op *op, unsigned registers,
        unsigned k)
NOTHING(void, set_staging, struct jit_build *j, const struct gpu_op *op, unsigned registers,
        unsigned k, jit_value v)
NOTHING(jit_value, local_base, struct jit_build *j)
NOTHING(jit_value, thread_base, struct jit_build *j)
NOTHING(jit_value, uniform_buffer, struct jit_build *j, jit_value index, jit_value offset,
        jit_value bytes)
NOTHING(jit_value, atomic, struct jit_build *j, unsigned bits, unsigned kind, jit_value address,
        jit_value value)
NOTHING(jit_value, cmpxchg, struct jit_build *j, unsigned bits, jit_value address,
        jit_value expected, jit_value value)
NOTHING(jit_value, nothing, struct jit_build *j, const jit_value *args)
NOTHING(void, branch, struct jit_build *j, jit_value target)
NOTHING(void, barrier, struct jit_build *j)
NOTHING(void, end, struct jit_build *j)
