/*
 * Rounding to integral values, conversion to and from fixed point, and between formats: the
 * functions FPRoundInt(), FPToFixed(), FixedToFP() and FPConvert() of the manual.
 */
#include "runtime/fp/fp_core.h"
#include "runtime/fp/fp_half.h"
#include "runtime/fp/fp_slow.h"

/* FPRoundInt(). */
static uint64_t round_int(const struct fp_env *env, uint64_t bits, uint32_t rmode, bool exact)
{
    const struct fp_format *f = env->format;
    struct fp_value a = fp_unpack(env, bits);
    bool inexact;
    uint64_t magnitude;
    int shift;

    if (fp_is_nan(a.class))
        return fp_process_nan(env, a.class, bits);
    if (a.class == CLASS_ZERO)
        return fp_zero(f, a.sign);
    if (a.class == CLASS_INF || a.exp >= f->frac_bits)
        return bits;
    magnitude = fp_round_to_magnitude(a.sign, a.exp, a.sig, rmode, &inexact);
    if (inexact && exact)
        *env->flags |= FP_FLAG_INEXACT;
    if (magnitude == 0)
        return fp_zero(f, a.sign);
    shift = __builtin_clzll(magnitude);
    return fp_round(env, a.sign, 63 - shift, magnitude << shift);
}

/* SatQ() of a magnitude with a sign to `bits` bits; *saturated: it did not fit. */
static uint64_t saturate_magnitude(uint64_t magnitude, bool sign, int bits, bool is_unsigned,
                                   bool *saturated)
{
    uint64_t mask = ~0ull >> (64 - bits);
    uint64_t limit = is_unsigned ? (sign ? 0 : mask) : (mask >> 1) + sign;

    *saturated = magnitude > limit;
    if (*saturated)
        magnitude = limit;
    return (sign ? 0 - magnitude : magnitude) & mask;
}

/* FPToFixed() to `bits` bits. */
static uint64_t to_fixed(const struct fp_env *env, uint64_t value, uint32_t fbits, uint32_t rmode,
                         int bits, bool is_unsigned)
{
    struct fp_value a = fp_unpack(env, value);
    bool inexact = false, saturated;
    uint64_t magnitude, result;

    if (fp_is_nan(a.class)) {
        *env->flags |= FP_FLAG_INVALID;
        return 0;
    }
    if (a.class == CLASS_ZERO)
        return 0;
    a.exp += (int)fbits;
    /* Values beyond 64 bits saturate in every type. */
    if (a.class == CLASS_INF || a.exp > 63) {
        *env->flags |= FP_FLAG_INVALID;
        return saturate_magnitude(UINT64_MAX, a.sign, bits, is_unsigned, &saturated);
    }
    magnitude = fp_round_to_magnitude(a.sign, a.exp, a.sig, rmode, &inexact);
    result = saturate_magnitude(magnitude, a.sign, bits, is_unsigned, &saturated);
    if (saturated)
        *env->flags |= FP_FLAG_INVALID;
    else if (inexact)
        *env->flags |= FP_FLAG_INEXACT;
    return result;
}

/* FixedToFP() of a magnitude with a sign. */
static uint64_t from_fixed(const struct fp_env *env, bool sign, uint64_t magnitude, uint32_t fbits)
{
    int shift;

    if (magnitude == 0)
        return fp_zero(env->format, false);
    shift = __builtin_clzll(magnitude);
    return fp_round(env, sign, 63 - shift - (int)fbits, magnitude << shift);
}

static uint64_t from_signed(const struct fp_env *env, int64_t v, uint32_t fbits)
{
    return from_fixed(env, v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, fbits);
}

/* FPConvertNaN(): keeps the upper bits of the payload, and makes the NaN quiet. */
static uint64_t convert_nan(const struct fp_format *to, const struct fp_format *from, bool sign,
                            uint64_t bits)
{
    uint64_t frac = bits << (64 - from->frac_bits) >> (64 - to->frac_bits);

    return fp_sign_bit(to, sign) | fp_default_nan(to) | frac;
}

/* FPConvert(): env's format is the result's. */
static uint64_t convert_format(const struct fp_env *env, const struct fp_format *from,
                               uint64_t bits)
{
    const struct fp_format *to = env->format;
    bool alternative = to->width == 16 && (env->control & FP_CONTROL_ALTERNATIVE_HALF);
    struct fp_env source = *env;
    struct fp_value a;

    source.format = from;
    a = fp_unpack_cv(&source, bits);
    if (fp_is_nan(a.class)) {
        if (a.class == CLASS_SNAN || alternative)
            *env->flags |= FP_FLAG_INVALID;
        if (alternative)
            return fp_zero(to, a.sign);
        if (env->control & FP_CONTROL_DEFAULT_NAN)
            return fp_default_nan(to);
        return convert_nan(to, from, a.sign, bits);
    }
    if (a.class == CLASS_INF) {
        if (!alternative)
            return fp_infinity(to, a.sign);
        *env->flags |= FP_FLAG_INVALID;
        return fp_sign_bit(to, a.sign) | (fp_sign_bit(to, true) - 1);
    }
    if (a.class == CLASS_ZERO)
        return fp_zero(to, a.sign);
    return fp_round_cv(env, a.sign, a.exp, a.sig);
}

#define CONVERT(name, W, R)                                            \
    uint##R##_t name(uint##W##_t a, uint32_t control, uint32_t *flags) \
    {                                                                  \
        struct fp_env env = fp_env_of(&fp_format##R, control, flags);  \
                                                                       \
        return (uint##R##_t)convert_format(&env, &fp_format##W, a);    \
    }

CONVERT(fp16_to_fp32, 16, 32)
CONVERT(fp16_to_fp64, 16, 64)
CONVERT(fp32_to_fp16, 32, 16)
CONVERT(fp32_to_fp64_slow, 32, 64)
CONVERT(fp64_to_fp16, 64, 16)
CONVERT(fp64_to_fp32_slow, 64, 32)

uint32_t fp64_to_fp32_odd(uint64_t a, uint32_t control, uint32_t *flags)
{
    struct fp_env env = fp_env_of(&fp_format32, control, flags);

    env.rmode = FP_ROUND_ODD;
    return (uint32_t)convert_format(&env, &fp_format64, a);
}

#define TO_FIXED(W, R, name, bits, is_unsigned)                                                    \
    uint##R##_t fp##W##_to_##name(uint##W##_t a, uint32_t fbits, uint32_t rmode, uint32_t control, \
                                  uint32_t *flags)                                                 \
    {                                                                                              \
        struct fp_env env = fp_env_of(&fp_format##W, control, flags);                              \
                                                                                                   \
        return (uint##R##_t)to_fixed(&env, a, fbits, rmode, bits, is_unsigned);                    \
    }
#define FROM_FIXED(W, M, name, value)                                                \
    uint##W##_t fp##W##_from_##name(uint##M##_t v, uint32_t fbits, uint32_t control, \
                                    uint32_t *flags)                                 \
    {                                                                                \
        struct fp_env env = fp_env_of(&fp_format##W, control, flags);                \
                                                                                     \
        return (uint##W##_t)value;                                                   \
    }
#define FORMAT(W, S)                                                                               \
    uint##W##_t fp##W##_round_int(uint##W##_t a, uint32_t rmode, uint32_t exact, uint32_t control, \
                                  uint32_t *flags)                                                 \
    {                                                                                              \
        struct fp_env env = fp_env_of(&fp_format##W, control, flags);                              \
                                                                                                   \
        return (uint##W##_t)round_int(&env, a, rmode, exact != 0);                                 \
    }                                                                                              \
    TO_FIXED(W, 32, s16, 16, false)                                                                \
    TO_FIXED(W, 32, u16, 16, true)                                                                 \
    TO_FIXED(W, 32, s32##S, 32, false)                                                             \
    TO_FIXED(W, 32, u32##S, 32, true)                                                              \
    TO_FIXED(W, 64, s64##S, 64, false)                                                             \
    TO_FIXED(W, 64, u64##S, 64, true)                                                              \
    FROM_FIXED(W, 32, s32##S, from_signed(&env, (int32_t)v, fbits))                                \
    FROM_FIXED(W, 32, u32##S, from_fixed(&env, false, v, fbits))                                   \
    FROM_FIXED(W, 64, s64##S, from_signed(&env, (int64_t)v, fbits))                                \
    FROM_FIXED(W, 64, u64##S, from_fixed(&env, false, v, fbits))

FORMAT(16, )
FORMAT(32, _slow)
FORMAT(64, _slow)
