/*
 * Addition to square root, maximum and minimum, comparison, and the fused Newton steps: each is
 * the function of the same name in the manual's shared/functions/float, for any format.
 */
#include <math.h>

#include "runtime/fp/fp_core.h"
#include "runtime/fp/fp_half.h"
#include "runtime/fp/fp_slow.h"

/* FPAdd() and FPSub(): `negate` inverts b's sign, after NaNs are handled. */
static uint64_t add_or_sub(const struct fp_env *env, uint64_t a_bits, uint64_t b_bits, bool negate)
{
    struct fp_value a = fp_unpack(env, a_bits);
    struct fp_value b = fp_unpack(env, b_bits);
    uint64_t nan;

    if (fp_process_nans(env, a.class, b.class, a_bits, b_bits, &nan))
        return nan;
    b.sign ^= negate;
    if (a.class == CLASS_INF && b.class == CLASS_INF && a.sign != b.sign)
        return fp_invalid(env);
    if (a.class == CLASS_INF || b.class == CLASS_INF)
        return fp_infinity(env->format, a.class == CLASS_INF ? a.sign : b.sign);
    if (a.class == CLASS_ZERO && b.class == CLASS_ZERO && a.sign == b.sign)
        return fp_zero(env->format, a.sign);
    return fp_round_wide(env, fp_wide_add(fp_widen(a), fp_widen(b)));
}

static uint64_t add(const struct fp_env *env, uint64_t a, uint64_t b)
{
    return add_or_sub(env, a, b, false);
}

static uint64_t sub(const struct fp_env *env, uint64_t a, uint64_t b)
{
    return add_or_sub(env, a, b, true);
}

/* Whether a * b is infinity times zero. */
static bool is_inf_times_zero(struct fp_value a, struct fp_value b)
{
    return (a.class == CLASS_INF && b.class == CLASS_ZERO) ||
           (a.class == CLASS_ZERO && b.class == CLASS_INF);
}

/* FPMul() and FPMulX(): `extended` makes infinity times zero two. */
static uint64_t mul_or_mulx(const struct fp_env *env, uint64_t a_bits, uint64_t b_bits,
                            bool extended)
{
    struct fp_value a = fp_unpack(env, a_bits);
    struct fp_value b = fp_unpack(env, b_bits);
    bool sign = a.sign ^ b.sign;
    uint64_t nan;

    if (fp_process_nans(env, a.class, b.class, a_bits, b_bits, &nan))
        return nan;
    if (is_inf_times_zero(a, b))
        return extended ? fp_small_constant(env->format, sign, 1, false) : fp_invalid(env);
    if (a.class == CLASS_INF || b.class == CLASS_INF)
        return fp_infinity(env->format, sign);
    if (a.class == CLASS_ZERO || b.class == CLASS_ZERO)
        return fp_zero(env->format, sign);
    return fp_round_wide(env, fp_wide_mul(a, b));
}

static uint64_t mul(const struct fp_env *env, uint64_t a, uint64_t b)
{
    return mul_or_mulx(env, a, b, false);
}

static uint64_t mulx(const struct fp_env *env, uint64_t a, uint64_t b)
{
    return mul_or_mulx(env, a, b, true);
}

static uint64_t divide_finite(const struct fp_env *env, struct fp_value a, struct fp_value b)
{
    int exp = a.exp - b.exp;
    fp_u128 dividend = (fp_u128)a.sig << 63;
    uint64_t quotient;

    /* Scales the ratio to [1, 2), so that the quotient has exactly 64 bits. */
    if (a.sig < b.sig) {
        dividend <<= 1;
        exp--;
    }
    quotient = (uint64_t)(dividend / b.sig);
    return fp_round(env, a.sign ^ b.sign, exp, quotient | ((fp_u128)quotient * b.sig != dividend));
}

/* FPDiv(). */
static uint64_t divide(const struct fp_env *env, uint64_t a_bits, uint64_t b_bits)
{
    struct fp_value a = fp_unpack(env, a_bits);
    struct fp_value b = fp_unpack(env, b_bits);
    bool sign = a.sign ^ b.sign;
    uint64_t nan;

    if (fp_process_nans(env, a.class, b.class, a_bits, b_bits, &nan))
        return nan;
    if (a.class == b.class && a.class != CLASS_FINITE)
        return fp_invalid(env);
    if (a.class == CLASS_INF || b.class == CLASS_ZERO) {
        if (a.class != CLASS_INF)
            *env->flags |= FP_FLAG_DIVIDE_BY_ZERO;
        return fp_infinity(env->format, sign);
    }
    if (a.class == CLASS_ZERO || b.class == CLASS_INF)
        return fp_zero(env->format, sign);
    return divide_finite(env, a, b);
}

/*
 * FPProcessNaNs3() for addend + a * b, and the rule of FPMulAdd() that a quiet NaN as the addend
 * does not hide infinity times zero.
 */
static bool muladd_nans(const struct fp_env *env, const struct fp_value v[3],
                        const uint64_t bits[3], uint64_t *result)
{
    int nan = -1;

    for (int i = 2; i >= 0; i--)
        if (fp_is_nan(v[i].class) &&
            (nan < 0 || v[i].class == CLASS_SNAN || v[nan].class == CLASS_QNAN))
            nan = i;
    if (nan < 0)
        return false;
    *result = fp_process_nan(env, v[nan].class, bits[nan]);
    if (v[0].class == CLASS_QNAN && is_inf_times_zero(v[1], v[2]))
        *result = fp_invalid(env);
    return true;
}

/* FPMulAdd(). */
static uint64_t muladd(const struct fp_env *env, uint64_t c_bits, uint64_t a_bits, uint64_t b_bits)
{
    const uint64_t bits[3] = {c_bits, a_bits, b_bits};
    const struct fp_value v[3] = {fp_unpack(env, c_bits), fp_unpack(env, a_bits),
                                  fp_unpack(env, b_bits)};
    struct fp_value c = v[0], a = v[1], b = v[2];
    bool sign = a.sign ^ b.sign;
    bool inf_product = a.class == CLASS_INF || b.class == CLASS_INF;
    uint64_t nan;

    if (muladd_nans(env, v, bits, &nan))
        return nan;
    if (is_inf_times_zero(a, b) || (c.class == CLASS_INF && inf_product && c.sign != sign))
        return fp_invalid(env);
    if (c.class == CLASS_INF || inf_product)
        return fp_infinity(env->format, inf_product ? sign : c.sign);
    if (c.class == CLASS_ZERO && (a.class == CLASS_ZERO || b.class == CLASS_ZERO) && c.sign == sign)
        return fp_zero(env->format, sign);
    return fp_round_wide(env, fp_wide_add(fp_widen(c), fp_wide_mul(a, b)));
}

/*
 * FPRecipStepFused() is 2 - a * b; FPRSqrtStepFused() is (3 - a * b) / 2: the constant is
 * 2 * 1.0 or 2 * 1.5, and infinity times zero gives the constant, divided.
 */
static uint64_t step_fused(const struct fp_env *env, uint64_t a_bits, uint64_t b_bits, bool rsqrt)
{
    uint64_t minus_a = a_bits ^ fp_sign_bit(env->format, true);
    struct fp_value a = fp_unpack(env, minus_a);
    struct fp_value b = fp_unpack(env, b_bits);
    uint64_t constant = fp_small_constant(env->format, false, 1, rsqrt);
    struct fp_wide sum;
    uint64_t nan;

    if (fp_process_nans(env, a.class, b.class, minus_a, b_bits, &nan))
        return nan;
    if (is_inf_times_zero(a, b))
        return fp_small_constant(env->format, false, rsqrt ? 0 : 1, rsqrt);
    if (a.class == CLASS_INF || b.class == CLASS_INF)
        return fp_infinity(env->format, a.sign ^ b.sign);
    sum = fp_wide_add(fp_widen(fp_unpack(env, constant)), fp_wide_mul(a, b));
    sum.exp -= rsqrt;
    return fp_round_wide(env, sum);
}

static uint64_t recip_step_fused(const struct fp_env *env, uint64_t a, uint64_t b)
{
    return step_fused(env, a, b, false);
}

static uint64_t rsqrt_step_fused(const struct fp_env *env, uint64_t a, uint64_t b)
{
    return step_fused(env, a, b, true);
}

/*
 * The square root of n * 2^64, rounded down, with a sticky lowest bit, for n with bit 63 or 62 its
 * highest and at most 54 significant bits. The host's root is a first guess with a small error. */
static uint64_t root_of_integer(uint64_t n)
{
    fp_u128 square = (fp_u128)n << 64;
    uint64_t r = (uint64_t)(sqrt((double)(n >> 10)) * 0x1p37 - 0x1000);

    /* r + bit > r: the largest n would otherwise wrap. */
    for (uint64_t bit = 0x1000; bit != 0; bit >>= 1)
        if (r + bit > r && (fp_u128)(r + bit) * (r + bit) <= square)
            r += bit;
    return r | ((fp_u128)r * r != square);
}

/* FPSqrt(). */
static uint64_t square_root(const struct fp_env *env, uint64_t bits)
{
    struct fp_value a = fp_unpack(env, bits);

    if (fp_is_nan(a.class))
        return fp_process_nan(env, a.class, bits);
    if (a.class == CLASS_ZERO)
        return fp_zero(env->format, a.sign);
    if (a.sign)
        return fp_invalid(env);
    if (a.class == CLASS_INF)
        return fp_infinity(env->format, false);
    /* With an even exponent, sig * 2^(exp - 63) = (sig / 2) * 2^(exp - 62). */
    if (a.exp & 1)
        return fp_round(env, false, (a.exp - 1) / 2, root_of_integer(a.sig));
    return fp_round(env, false, a.exp / 2, root_of_integer(a.sig >> 1));
}

static int compare_magnitudes(struct fp_value a, struct fp_value b)
{
    if (a.class != CLASS_FINITE || b.class != CLASS_FINITE)
        return (int)a.class - (int)b.class;
    if (a.exp != b.exp)
        return a.exp - b.exp;
    return a.sig < b.sig ? -1 : a.sig > b.sig;
}

/* Negative, zero or positive as a < b, a = b, a > b; neither is a NaN. */
static int order_of_values(struct fp_value a, struct fp_value b)
{
    if (a.class == CLASS_ZERO && b.class == CLASS_ZERO)
        return 0;
    if (a.sign != b.sign)
        return a.sign ? -1 : 1;
    return a.sign ? -compare_magnitudes(a, b) : compare_magnitudes(a, b);
}

/* FPMax(), or FPMin() if `min`. */
static uint64_t larger_or_smaller(const struct fp_env *env, uint64_t a_bits, uint64_t b_bits,
                                  bool min)
{
    struct fp_value a = fp_unpack(env, a_bits);
    struct fp_value b = fp_unpack(env, b_bits);
    bool take_a;
    uint64_t nan;

    if (fp_process_nans(env, a.class, b.class, a_bits, b_bits, &nan))
        return nan;
    take_a = min ? order_of_values(a, b) < 0 : order_of_values(a, b) > 0;
    if ((take_a ? a : b).class != CLASS_ZERO)
        return take_a ? a_bits : b_bits;
    return fp_zero(env->format, min ? a.sign | b.sign : a.sign & b.sign);
}

static uint64_t maximum(const struct fp_env *env, uint64_t a, uint64_t b)
{
    return larger_or_smaller(env, a, b, false);
}

static uint64_t minimum(const struct fp_env *env, uint64_t a, uint64_t b)
{
    return larger_or_smaller(env, a, b, true);
}

/* FPMaxNum() and FPMinNum(): a single quiet NaN is replaced by the infinity that never wins. */
static uint64_t extreme_number(const struct fp_env *env, uint64_t a, uint64_t b, bool min)
{
    bool a_quiet = fp_unpack(env, a).class == CLASS_QNAN;
    bool b_quiet = fp_unpack(env, b).class == CLASS_QNAN;

    if (a_quiet && !b_quiet)
        a = fp_infinity(env->format, !min);
    else if (b_quiet && !a_quiet)
        b = fp_infinity(env->format, !min);
    return larger_or_smaller(env, a, b, min);
}

static uint64_t maximum_number(const struct fp_env *env, uint64_t a, uint64_t b)
{
    return extreme_number(env, a, b, false);
}

static uint64_t minimum_number(const struct fp_env *env, uint64_t a, uint64_t b)
{
    return extreme_number(env, a, b, true);
}

enum { NZCV_UNORDERED = 3, NZCV_GREATER = 2, NZCV_EQUAL = 6, NZCV_LESS = 8 };

static uint32_t compare_nzcv(const struct fp_env *env, uint64_t a_bits, uint64_t b_bits,
                             bool signal_nans)
{
    struct fp_value a = fp_unpack(env, a_bits);
    struct fp_value b = fp_unpack(env, b_bits);
    int relation;

    if (fp_is_nan(a.class) || fp_is_nan(b.class)) {
        if (signal_nans || a.class == CLASS_SNAN || b.class == CLASS_SNAN)
            *env->flags |= FP_FLAG_INVALID;
        return NZCV_UNORDERED;
    }
    relation = order_of_values(a, b);
    if (relation == 0)
        return NZCV_EQUAL;
    return relation < 0 ? NZCV_LESS : NZCV_GREATER;
}

static uint32_t compare(const struct fp_env *env, uint64_t a, uint64_t b)
{
    return compare_nzcv(env, a, b, false);
}

static uint32_t compare_signal(const struct fp_env *env, uint64_t a, uint64_t b)
{
    return compare_nzcv(env, a, b, true);
}

static uint32_t compare_eq(const struct fp_env *env, uint64_t a, uint64_t b)
{
    return compare_nzcv(env, a, b, false) == NZCV_EQUAL;
}

static uint32_t compare_ge(const struct fp_env *env, uint64_t a, uint64_t b)
{
    uint32_t nzcv = compare_nzcv(env, a, b, true);

    return nzcv == NZCV_EQUAL || nzcv == NZCV_GREATER;
}

static uint32_t compare_gt(const struct fp_env *env, uint64_t a, uint64_t b)
{
    return compare_nzcv(env, a, b, true) == NZCV_GREATER;
}

#define BINARY_AS(W, R, name, function)                                                         \
    uint##R##_t fp##W##_##name(uint##W##_t a, uint##W##_t b, uint32_t control, uint32_t *flags) \
    {                                                                                           \
        struct fp_env env = fp_env_of(&fp_format##W, control, flags);                           \
                                                                                                \
        return (uint##R##_t)function(&env, a, b);                                               \
    }
#define BINARY(W, name, function)  BINARY_AS(W, W, name, function)
#define COMPARE(W, name, function) BINARY_AS(W, 32, name, function)
#define FORMAT(W, S)                                                                \
    BINARY(W, add##S, add)                                                          \
    BINARY(W, sub##S, sub)                                                          \
    BINARY(W, mul##S, mul)                                                          \
    BINARY(W, mulx, mulx)                                                           \
    BINARY(W, div##S, divide)                                                       \
    FP_DEFINE_UNARY(W, sqrt##S, square_root)                                        \
    BINARY(W, recip_step_fused, recip_step_fused)                                   \
    BINARY(W, rsqrt_step_fused, rsqrt_step_fused)                                   \
    BINARY(W, max##S, maximum)                                                      \
    BINARY(W, min##S, minimum)                                                      \
    BINARY(W, maxnum##S, maximum_number)                                            \
    BINARY(W, minnum##S, minimum_number)                                            \
    COMPARE(W, compare##S, compare)                                                 \
    COMPARE(W, compare_signal##S, compare_signal)                                   \
    COMPARE(W, compare_eq##S, compare_eq)                                           \
    COMPARE(W, compare_ge##S, compare_ge)                                           \
    COMPARE(W, compare_gt##S, compare_gt)                                           \
    uint##W##_t fp##W##_muladd##S(uint##W##_t addend, uint##W##_t a, uint##W##_t b, \
                                  uint32_t control, uint32_t *flags)                \
    {                                                                               \
        struct fp_env env = fp_env_of(&fp_format##W, control, flags);               \
                                                                                    \
        return (uint##W##_t)muladd(&env, addend, a, b);                             \
    }

FORMAT(16, )
FORMAT(32, _slow)
FORMAT(64, _slow)
