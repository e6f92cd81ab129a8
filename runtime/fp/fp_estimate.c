/*
 * Reciprocal and reciprocal square root estimates, exact to the bit as RecipEstimate() and
 * RecipSqrtEstimate() of the manual define them, FPRecpX(), and AArch32's unfused Newton steps.
 */
#include <math.h>

#include "runtime/fp/fp_core.h"
#include "runtime/fp/fp_half.h"
#include "runtime/fp/fp_slow.h"

/* RecipEstimate(): a in 256..511 stands for 0.5..1.0; the result 256..511 for 1.0..2.0. */
static uint32_t recip_estimate9(uint32_t a)
{
    return ((1u << 19) / (a * 2 + 1) + 1) / 2;
}

/*
 * RecipSqrtEstimate(): a in 128..511 stands for 0.25..1.0; the result 256..511 for 1.0..2.0. The
 * manual counts b up one by one to the largest with a * b^2 < 2^28, which is a root.
 */
static uint32_t rsqrt_estimate9(uint32_t a)
{
    a = a < 256 ? a * 2 + 1 : (a | 1) * 2;
    return ((uint32_t)sqrt(((1u << 28) - 1) / a) + 1) / 2;
}

/* Estimate of the reciprocal of a finite number, if the format can represent it. */
static uint64_t recip_finite(const struct fp_format *f, struct fp_value a)
{
    uint32_t estimate = recip_estimate9((uint32_t)(a.sig >> 55));
    /* a is 0.5..1.0 times 2^(exp + 1), so 1/a is 1.0..2.0 times 2^(-exp - 1). */
    int exp = fp_bias(f) - a.exp - 1;
    uint64_t mant = (uint64_t)estimate << (f->frac_bits - 8);

    if (exp <= 0)
        return fp_sign_bit(f, a.sign) | mant >> (1 - exp);
    return fp_sign_bit(f, a.sign) | (mant & fp_frac_mask(f)) | (uint64_t)exp << f->frac_bits;
}

/* The first bits of a normal number, as recip_estimate9() takes them. */
static uint32_t leading_bits(const struct fp_format *f, uint64_t bits)
{
    return 256 | (bits >> (f->frac_bits - 8) & 0xff);
}

/* FPRecipEstimate(). Most numbers are normal and have a normal estimate: these are not unpacked. */
static uint64_t recip_estimate(const struct fp_env *env, uint64_t bits)
{
    const struct fp_format *f = env->format;
    uint64_t exp = bits >> f->frac_bits & fp_exp_ones(f), greatest = 2 * (uint64_t)fp_bias(f) - 2;
    struct fp_value a;

    if (exp - 1 < greatest)
        return (bits & fp_sign_bit(f, true)) | (greatest + 1 - exp) << f->frac_bits |
               (uint64_t)(recip_estimate9(leading_bits(f, bits)) & 0xff) << (f->frac_bits - 8);
    a = fp_unpack(env, bits);
    if (fp_is_nan(a.class))
        return fp_process_nan(env, a.class, bits);
    if (a.class == CLASS_INF)
        return fp_zero(f, a.sign);
    if (a.class == CLASS_ZERO) {
        *env->flags |= FP_FLAG_DIVIDE_BY_ZERO;
        return fp_infinity(f, a.sign);
    }
    if (a.exp < -fp_bias(f) - 1)
        return fp_overflow(env, a.sign);
    if (fp_flushes(env) && a.exp >= fp_bias(f) - 1) {
        *env->flags |= FP_FLAG_UNDERFLOW;
        return fp_zero(f, a.sign);
    }
    return recip_finite(f, a);
}

/* The estimate of a * 2^(exp - bias), where a has 9 bits and stands for 1.0 to 2.0. It is scaled
 * to 0.25 to 1.0, so that the exponent is even and its root exact. */
static uint64_t rsqrt_finite(const struct fp_format *f, uint32_t a, int exp)
{
    return (uint64_t)((3 * fp_bias(f) - 1 - exp) / 2) << f->frac_bits |
           (uint64_t)(rsqrt_estimate9(exp & 1 ? a >> 1 : a) & 0xff) << (f->frac_bits - 8);
}

/* FPRSqrtEstimate(). Normal numbers are not unpacked. */
static uint64_t rsqrt_estimate(const struct fp_env *env, uint64_t bits)
{
    const struct fp_format *f = env->format;
    uint64_t exp = bits >> f->frac_bits;
    struct fp_value a;

    if (exp - 1 < fp_exp_ones(f) - 1) /* positive, too */
        return rsqrt_finite(f, leading_bits(f, bits), (int)exp);
    a = fp_unpack(env, bits);
    if (fp_is_nan(a.class))
        return fp_process_nan(env, a.class, bits);
    if (a.class == CLASS_ZERO) {
        *env->flags |= FP_FLAG_DIVIDE_BY_ZERO;
        return fp_infinity(f, a.sign);
    }
    if (a.sign)
        return fp_invalid(env);
    if (a.class == CLASS_INF)
        return fp_zero(f, false);
    return rsqrt_finite(f, (uint32_t)(a.sig >> 55), a.exp + fp_bias(f));
}

/* FPRecpX(). */
static uint64_t recpx(const struct fp_env *env, uint64_t bits)
{
    const struct fp_format *f = env->format;
    uint64_t exp = bits >> f->frac_bits & fp_exp_ones(f);
    struct fp_value a = fp_unpack(env, bits);

    if (fp_is_nan(a.class))
        return fp_process_nan(env, a.class, bits);
    exp = exp == 0 ? fp_exp_ones(f) - 1 : fp_exp_ones(f) - exp;
    return fp_sign_bit(f, a.sign) | exp << f->frac_bits;
}

#define FORMAT(W)                                      \
    FP_DEFINE_UNARY(W, recip_estimate, recip_estimate) \
    FP_DEFINE_UNARY(W, rsqrt_estimate, rsqrt_estimate) \
    FP_DEFINE_UNARY(W, recpx, recpx)

FORMAT(16)
FORMAT(32)
FORMAT(64)

uint32_t arm_u32_recip_estimate(uint32_t a)
{
    if (!(a >> 31))
        return UINT32_MAX;
    return recip_estimate9(a >> 23) << 23;
}

uint32_t arm_u32_rsqrt_estimate(uint32_t a)
{
    if (!(a >> 30))
        return UINT32_MAX;
    return rsqrt_estimate9(a >> 23) << 23;
}

/*
 * constant - a * b with both operations rounded. True if a NaN has decided the result. Infinity
 * times zero is 0 here and raises nothing.
 */
static bool unfused_step(uint32_t a, uint32_t b, uint32_t constant, uint32_t control,
                         uint32_t *flags, uint32_t *result)
{
    struct fp_env env = fp_env_of(&fp_format32, control, flags);
    struct fp_value x = fp_unpack(&env, a);
    struct fp_value y = fp_unpack(&env, b);
    uint32_t product = 0;
    uint64_t nan;

    if (fp_process_nans(&env, x.class, y.class, a, b, &nan)) {
        *result = (uint32_t)nan;
        return true;
    }
    if (!(x.class == CLASS_INF && y.class == CLASS_ZERO) &&
        !(x.class == CLASS_ZERO && y.class == CLASS_INF))
        product = fp32_mul_slow(a, b, control, flags);
    *result = fp32_sub_slow(constant, product, control, flags);
    return false;
}

uint32_t fp32_recip_step(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags)
{
    uint32_t result;

    unfused_step(a, b, (uint32_t)fp_small_constant(&fp_format32, false, 1, false), control, flags,
                 &result);
    return result;
}

uint32_t fp32_rsqrt_step(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags)
{
    uint32_t half = (uint32_t)fp_small_constant(&fp_format32, false, -1, false);
    uint32_t result;

    if (unfused_step(a, b, (uint32_t)fp_small_constant(&fp_format32, false, 1, true), control,
                     flags, &result))
        return result;
    /*
     * FPHalvedSub() rounds after halving, with the same result: a difference from 3 is 0 or far
     * above the denormals, and overflows only where its half does, too.
     */
    return fp32_mul_slow(result, half, control, flags);
}
