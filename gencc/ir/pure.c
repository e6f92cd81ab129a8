/*
 * Computes intrinsics on constants, for folding and evaluation; see pure.h.
 */
#include "gencc/ir/pure.h"
#include "gencc/ir/arith.h"

#include <math.h>
#include <string.h>

/* ---- integers -------------------------------------------------------------------------------- */

static u128 reverse_bits(u128 x, unsigned bits)
{
    u128 r = 0;

    for (unsigned i = 0; i < bits; i++)
        r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}

/* Product of polynomials over GF(2). */
static u128 polynomial_product(u128 a, u128 b)
{
    u128 r = 0;

    for (unsigned i = 0; i < 64; i++)
        if (b >> i & 1)
            r ^= a << i;
    return r;
}

#define PURE(name, expression)               \
    static u128 name(u128 a, u128 b, u128 c) \
    {                                        \
        (void)a, (void)b, (void)c;           \
        return expression;                   \
    }

PURE(abs32, (uint32_t)((int32_t)a < 0 ? -(uint32_t)a : (uint32_t)a))
PURE(abs64, (uint64_t)((int64_t)a < 0 ? -(uint64_t)a : (uint64_t)a))
PURE(bswap32, __builtin_bswap32((uint32_t)a))
PURE(bswap64, __builtin_bswap64((uint64_t)a))
PURE(clz32, a ? (unsigned)__builtin_clz((uint32_t)a) : 32u)
PURE(clz64, a ? (unsigned)__builtin_clzll((uint64_t)a) : 64u)
PURE(ctz32, a ? (unsigned)__builtin_ctz((uint32_t)a) : 32u)
PURE(ctz64, a ? (unsigned)__builtin_ctzll((uint64_t)a) : 64u)
PURE(popcount32, (unsigned)__builtin_popcount((uint32_t)a))
PURE(popcount64, (unsigned)__builtin_popcountll((uint64_t)a))
PURE(bitrev32, reverse_bits(a, 32))
PURE(bitrev64, reverse_bits(a, 64))
PURE(mull, (uint64_t)a *(uint64_t)b)
PURE(umulh, a *b >> 64)
PURE(smulh, (uint64_t)((s128)(int64_t)a *(int64_t)b >> 64))
PURE(polymul8, polynomial_product(a, b))
PURE(polymul64, polynomial_product(a, b))

/* ---- floats ---------------------------------------------------------------------------------- */

/* Rounding modes as Arm's FPRounding encodes them (DDI 0487, FPDecodeRounding); 4: to nearest, ties
 * away from zero. */
static double round_to(double d, unsigned mode)
{
    if (d != d)
        return d + d; /* makes a NaN quiet, which not all functions below do */
    switch (mode) {
    case 1:
        return ceil(d);
    case 2:
        return floor(d);
    case 3:
        return trunc(d);
    case 4:
        return round(d);
    default:
        return roundeven(d);
    }
}

static bool is_nan(u128 bits, unsigned fraction, unsigned width)
{
    u128 magnitude = bits & (((u128)1 << (width - 1)) - 1);

    return magnitude > (((u128)1 << (width - 1 - fraction)) - 1) << fraction;
}

static bool is_quiet(u128 bits, unsigned fraction)
{
    return bits >> (fraction - 1) & 1;
}

static u128 round_float(double d, unsigned mode, struct ir_type to)
{
    return ir_float_to_int(round_to(d, mode), to);
}

PURE(float_sqrt, ir_from_float(sqrtf(ir_to_float(a))))
PURE(float_abs, a & 0x7fffffff)
PURE(double_sqrt, ir_from_double(sqrt(ir_to_double(a))))
PURE(double_abs, a & 0x7fffffffffffffff)
PURE(f32_is_snan, is_nan(a, 23, 32) && !is_quiet(a, 23))
PURE(f32_is_qnan, is_nan(a, 23, 32) && is_quiet(a, 23))
PURE(f64_is_snan, is_nan(a, 52, 64) && !is_quiet(a, 52))
PURE(f64_is_qnan, is_nan(a, 52, 64) && is_quiet(a, 52))
PURE(fma32, ir_from_float(fmaf(ir_to_float(a), ir_to_float(b), ir_to_float(c))))
PURE(fma64, ir_from_double(fma(ir_to_double(a), ir_to_double(b), ir_to_double(c))))
PURE(f32_round, ir_from_float((float)round_to(ir_to_float(a), (unsigned)b)))
PURE(f64_round, ir_from_double(round_to(ir_to_double(a), (unsigned)b)))
PURE(f32_s32, round_float(ir_to_float(a), (unsigned)b, IR_T_S32))
PURE(f32_s64, round_float(ir_to_float(a), (unsigned)b, IR_T_S64))
PURE(f32_u32, round_float(ir_to_float(a), (unsigned)b, IR_T_U32))
PURE(f32_u64, round_float(ir_to_float(a), (unsigned)b, IR_T_U64))
PURE(f64_s32, round_float(ir_to_double(a), (unsigned)b, IR_T_S32))
PURE(f64_s64, round_float(ir_to_double(a), (unsigned)b, IR_T_S64))
PURE(f64_u32, round_float(ir_to_double(a), (unsigned)b, IR_T_U32))
PURE(f64_u64, round_float(ir_to_double(a), (unsigned)b, IR_T_U64))
PURE(f32_trunc, ir_float_to_int(ir_to_float(a), IR_T_U32))
PURE(f64_trunc, ir_float_to_int(ir_to_double(a), IR_T_U64))
PURE(translated, 0)
PURE(add64, ir_from_double(ir_to_double(a) + ir_to_double(b)))

static const struct ir_pure_fn table[IR_I_COUNT] = {
    [IR_I_ABS32] = {false, 0, abs32},
    [IR_I_ABS64] = {false, 0, abs64},
    [IR_I_BSWAP32] = {false, 0, bswap32},
    [IR_I_BSWAP64] = {false, 0, bswap64},
    [IR_I_CLZ32] = {false, 32, clz32},
    [IR_I_CLZ64] = {false, 64, clz64},
    [IR_I_CTZ32] = {false, 32, ctz32},
    [IR_I_CTZ64] = {false, 64, ctz64},
    [IR_I_POPCOUNT32] = {false, 32, popcount32},
    [IR_I_POPCOUNT64] = {false, 64, popcount64},
    [IR_I_BITREV32] = {false, 0, bitrev32},
    [IR_I_BITREV64] = {false, 0, bitrev64},
    [IR_I_UMULL] = {false, 0, mull},
    [IR_I_UMULH] = {false, 0, umulh},
    [IR_I_SMULL] = {false, 0, mull}, /* the low half does not depend on the sign */
    [IR_I_SMULH] = {false, 0, smulh},
    [IR_I_POLYMUL8] = {false, 0, polymul8},
    [IR_I_POLYMUL64] = {false, 0, polymul64},
    [IR_I_FLOAT_SQRT] = {true, 0, float_sqrt},
    [IR_I_FLOAT_ABS] = {false, 0, float_abs},
    [IR_I_DOUBLE_SQRT] = {true, 0, double_sqrt},
    [IR_I_DOUBLE_ABS] = {false, 0, double_abs},
    [IR_I_F32_IS_SNAN] = {false, 1, f32_is_snan},
    [IR_I_F32_IS_QNAN] = {false, 1, f32_is_qnan},
    [IR_I_F64_IS_SNAN] = {false, 1, f64_is_snan},
    [IR_I_F64_IS_QNAN] = {false, 1, f64_is_qnan},
    [IR_I_FMA32] = {true, 0, fma32},
    [IR_I_FMA32X2] = {true, 0, fma32}, /* lane by lane */
    [IR_I_FMA32X4] = {true, 0, fma32},
    [IR_I_FMA64] = {true, 0, fma64},
    [IR_I_FMA64X2] = {true, 0, fma64},
    [IR_I_SQRT32X2] = {true, 0, float_sqrt},
    [IR_I_SQRT32X4] = {true, 0, float_sqrt},
    [IR_I_SQRT64X2] = {true, 0, double_sqrt},
    [IR_I_ROUND32X2] = {false, 0, f32_round},
    [IR_I_ROUND32X4] = {false, 0, f32_round},
    [IR_I_ROUND64X2] = {false, 0, f64_round},
    [IR_I_F32_ROUND] = {false, 0, f32_round},
    [IR_I_F64_ROUND] = {false, 0, f64_round},
    [IR_I_FCVT_F32_S32] = {false, 0, f32_s32},
    [IR_I_FCVT_F32_S64] = {false, 0, f32_s64},
    [IR_I_FCVT_F32_U32] = {false, 0, f32_u32},
    [IR_I_FCVT_F32_U64] = {false, 0, f32_u64},
    [IR_I_FCVT_F64_S32] = {false, 0, f64_s32},
    [IR_I_FCVT_F64_S64] = {false, 0, f64_s64},
    [IR_I_FCVT_F64_U32] = {false, 0, f64_u32},
    [IR_I_FCVT_F64_U64] = {false, 0, f64_u64},
    [IR_I_CAST_FLOAT_TO_U32_TRUNCATE] = {false, 0, f32_trunc},
    [IR_I_CAST_DOUBLE_TO_U64_TRUNCATE] = {false, 0, f64_trunc},
    [IR_I_SOFTFP_ADD64] = {true, 0, add64},
    [IR_I_TRANSLATED] = {true, 1, translated},
};

const struct ir_pure_fn *ir_pure(enum ir_intrinsic i)
{
    return table[i].compute ? &table[i] : NULL;
}
