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

/* Ties away from zero: a is moved away by the greatest number below a half, so that only what
 * was a half or more passes the next integer. */
static jit_value round_away(struct jit_build *j, jit_type t, jit_value a)
{
    bool is_double = (t >> 8 & 0xff) == 64;
    jit_type bits = (t & ~(jit_type)0xff) | JIT_UINT;
    jit_value sign = jit_const(j, bits, is_double ? UINT64_C(1) << 63 : UINT32_C(1) << 31);
    jit_value half = jit_const(j, bits, is_double ? 0x3fdfffffffffffff : 0x3effffff);

    sign = jit_binary(j, JIT_AND, bits, jit_bitcast(j, bits, a), sign);
    half = jit_bitcast(j, t, jit_binary(j, JIT_OR, bits, sign, half));
    return jit_unary(j, JIT_ROUND_ZERO, t, jit_binary(j, JIT_ADD, t, a, half));
}

jit_value jit_round(struct jit_build *j, jit_type t, unsigned mode, jit_value a)
{
    static const enum jit_op ops[] = {JIT_ROUND_EVEN, JIT_ROUND_UP, JIT_ROUND_DOWN, JIT_ROUND_ZERO};

    if (mode == 4)
        return round_away(j, t, a);
    return jit_unary(j, mode < 4 ? ops[mode] : JIT_ROUND_EVEN, t, a);
}
