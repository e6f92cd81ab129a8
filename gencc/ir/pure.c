#include "gencc/ir/pure.h"
#include "gencc/ir/arith.h"

#include <math.h>
#include <string.h>

typedef __int128 s128;

/* ---- integers -------------------------------------------------------------------------------- */

static u128 reverse_bits(u128 x, unsigned bits)
{
    u128 r = 0;

    for (unsigned i = 0; i < bits; i++)
        r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}

/* Product of polynomials over GF(2). */
static u128 polymul(u128 a, u128 b)
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
PURE(polymul8, polymul(a, b))
PURE(polymul64, polymul(a, b))

/* ---- floats ---------------------------------------------------------------------------------- */

/* Rounding modes as Arm's FPRounding encodes them (DDI 0487, FPDecodeRounding); 4: to nearest, ties
 * away from zero. */
static double round_to(double d, unsigned mode)
{
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

static const struct ir_pure_fn table[] = {
    {"__builtin_abs32", false, 0, abs32},
    {"__builtin_abs64", false, 0, abs64},
    {"__builtin_bswap32", false, 0, bswap32},
    {"__builtin_bswap64", false, 0, bswap64},
    {"__builtin_clz32", false, 32, clz32},
    {"__builtin_clz64", false, 64, clz64},
    {"__builtin_ctz32", false, 32, ctz32},
    {"__builtin_ctz64", false, 64, ctz64},
    {"__builtin_popcount32", false, 32, popcount32},
    {"__builtin_popcount64", false, 64, popcount64},
    {"__builtin_bitrev32", false, 0, bitrev32},
    {"__builtin_bitrev64", false, 0, bitrev64},
    {"__builtin_umull", false, 0, mull},
    {"__builtin_umulh", false, 0, umulh},
    {"__builtin_smull", false, 0, mull}, /* the low half does not depend on the sign */
    {"__builtin_smulh", false, 0, smulh},
    {"__builtin_polymul8", false, 0, polymul8},
    {"__builtin_polymul64", false, 0, polymul64},
    {"float_sqrt", true, 0, float_sqrt},
    {"float_abs", false, 0, float_abs},
    {"double_sqrt", true, 0, double_sqrt},
    {"double_abs", false, 0, double_abs},
    {"__builtin_f32_is_snan", false, 1, f32_is_snan},
    {"__builtin_f32_is_qnan", false, 1, f32_is_qnan},
    {"__builtin_f64_is_snan", false, 1, f64_is_snan},
    {"__builtin_f64_is_qnan", false, 1, f64_is_qnan},
    {"__builtin_fma32", true, 0, fma32},
    {"__builtin_fma32x2", true, 0, fma32}, /* lane by lane */
    {"__builtin_fma32x4", true, 0, fma32},
    {"__builtin_fma64", true, 0, fma64},
    {"__builtin_fma64x2", true, 0, fma64},
    {"__builtin_f32_round", false, 0, f32_round},
    {"__builtin_f64_round", false, 0, f64_round},
    {"__builtin_fcvt_f32_s32", false, 0, f32_s32},
    {"__builtin_fcvt_f32_s64", false, 0, f32_s64},
    {"__builtin_fcvt_f32_u32", false, 0, f32_u32},
    {"__builtin_fcvt_f32_u64", false, 0, f32_u64},
    {"__builtin_fcvt_f64_s32", false, 0, f64_s32},
    {"__builtin_fcvt_f64_s64", false, 0, f64_s64},
    {"__builtin_fcvt_f64_u32", false, 0, f64_u32},
    {"__builtin_fcvt_f64_u64", false, 0, f64_u64},
    {"__builtin_cast_float_to_u32_truncate", false, 0, f32_trunc},
    {"__builtin_cast_double_to_u64_truncate", false, 0, f64_trunc},
    {"__softfp_add64", true, 0, add64},
    {"__builtin_translated", true, 1, translated},
};

const struct ir_pure_fn *ir_pure_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name))
            return &table[i];
    return NULL;
}
