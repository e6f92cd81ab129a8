/* Unpacking, rounding and packing of numbers, NaNs, and exact sums and products. */
#include "runtime/fp/fp_core.h"

const struct fp_format fp_format16 = {16, 5, 10};
const struct fp_format fp_format32 = {32, 8, 23};
const struct fp_format fp_format64 = {64, 11, 52};

static struct fp_value unpack_normal(const struct fp_format *f, struct fp_value v, uint64_t exp,
                                     uint64_t frac)
{
    v.class = CLASS_FINITE;
    if (exp == 0) {
        int shift = __builtin_clzll(frac);

        v.sig = frac << shift;
        v.exp = 64 - fp_bias(f) - f->frac_bits - shift;
        return v;
    }
    v.sig = (frac | 1ull << f->frac_bits) << (63 - f->frac_bits);
    v.exp = (int)exp - fp_bias(f);
    return v;
}

static struct fp_value unpack_number(const struct fp_env *env, uint64_t bits, bool flush,
                                     bool alternative)
{
    const struct fp_format *f = env->format;
    uint64_t exp = bits >> f->frac_bits & fp_exp_ones(f);
    uint64_t frac = bits & fp_frac_mask(f);
    struct fp_value v = {CLASS_ZERO, bits >> (f->width - 1) & 1, 0, 0};

    if (exp == 0 && (frac == 0 || flush)) {
        if (frac != 0 && f->width != 16)
            *env->flags |= FP_FLAG_INPUT_DENORMAL;
        return v;
    }
    if (exp != fp_exp_ones(f) || alternative)
        return unpack_normal(f, v, exp, frac);
    if (frac == 0)
        v.class = CLASS_INF;
    else
        v.class = frac >> (f->frac_bits - 1) ? CLASS_QNAN : CLASS_SNAN;
    return v;
}

struct fp_value fp_unpack(const struct fp_env *env, uint64_t bits)
{
    return unpack_number(env, bits, fp_flushes(env), false);
}

struct fp_value fp_unpack_cv(const struct fp_env *env, uint64_t bits)
{
    bool half = env->format->width == 16;

    return unpack_number(env, bits, !half && (env->control & FP_CONTROL_FLUSH),
                         half && (env->control & FP_CONTROL_ALTERNATIVE_HALF));
}

/* Whether a magnitude with lowest bit `odd` and fraction rest / 2^64 is rounded up. */
static bool rounds_up(uint32_t rmode, bool sign, bool odd, uint64_t rest)
{
    const uint64_t half = 1ull << 63;

    switch (rmode) {
    case FP_ROUND_TIEEVEN:
        return rest > half || (rest == half && odd);
    case FP_ROUND_POSINF:
        return rest != 0 && !sign;
    case FP_ROUND_NEGINF:
        return rest != 0 && sign;
    case FP_ROUND_TIEAWAY:
        return rest >= half;
    default:
        return false;
    }
}

uint64_t fp_overflow(const struct fp_env *env, bool sign)
{
    bool to_infinity = env->rmode == FP_ROUND_TIEEVEN || env->rmode == FP_ROUND_TIEAWAY ||
                       env->rmode == (sign ? FP_ROUND_NEGINF : FP_ROUND_POSINF);

    *env->flags |= FP_FLAG_OVERFLOW | FP_FLAG_INEXACT;
    return to_infinity ? fp_infinity(env->format, sign) : fp_max_normal(env->format, sign);
}

/*
 * Whether a number with a biased exponent <= 0 is tiny. If tininess is detected after rounding, it
 * is not tiny when rounding with an unbounded exponent would give the least normal number.
 */
static bool is_tiny(const struct fp_env *env, bool sign, int biased, uint64_t sig)
{
    int drop = 63 - env->format->frac_bits;
    uint64_t mant = sig >> drop;

    if (!(env->control & FP_CONTROL_TINY_AFTER) || biased < 0)
        return true;
    mant += rounds_up(env->rmode, sign, mant & 1, sig << (64 - drop));
    return mant >> (env->format->frac_bits + 1) == 0;
}

/* FPRoundBase(): `flush` is the flush-to-zero that applies, `alternative` ALTERNATIVE_HALF. */
static uint64_t round_base(const struct fp_env *env, bool sign, int exp, uint64_t sig, bool flush,
                           bool alternative)
{
    const struct fp_format *f = env->format;
    int biased = exp + fp_bias(f);
    int drop = 63 - f->frac_bits;
    bool tiny = biased <= 0 && is_tiny(env, sign, biased, sig);
    uint64_t mant, rest;

    if (biased <= 0) {
        if (flush) {
            *env->flags |= FP_FLAG_UNDERFLOW;
            return fp_zero(f, sign);
        }
        sig = fp_shift_right_jam64(sig, 1 - biased);
        biased = 0;
    }
    mant = sig >> drop;
    rest = sig << (64 - drop);
    if (tiny && rest != 0)
        *env->flags |= FP_FLAG_UNDERFLOW;
    /*
     * The leading one of a normal number adds 1 to the exponent field, hence biased - 1. A carry
     * out of the fraction, or out of the denormals, then gives the right exponent.
     */
    mant += (uint64_t)(biased > 0 ? biased - 1 : 0) << f->frac_bits;
    mant += rounds_up(env->rmode, sign, mant & 1, rest);
    if (rest != 0 && env->rmode == FP_ROUND_ODD)
        mant |= 1;
    if (alternative) {
        if (mant >> f->frac_bits > fp_exp_ones(f)) {
            *env->flags |= FP_FLAG_INVALID;
            return fp_zero(f, sign) | (fp_zero(f, true) - 1);
        }
    } else if (mant >> f->frac_bits >= fp_exp_ones(f)) {
        return fp_overflow(env, sign);
    }
    if (rest != 0)
        *env->flags |= FP_FLAG_INEXACT;
    return fp_sign_bit(f, sign) | mant;
}

uint64_t fp_round(const struct fp_env *env, bool sign, int exp, uint64_t sig)
{
    return round_base(env, sign, exp, sig, fp_flushes(env), false);
}

uint64_t fp_round_cv(const struct fp_env *env, bool sign, int exp, uint64_t sig)
{
    bool half = env->format->width == 16;

    return round_base(env, sign, exp, sig, !half && (env->control & FP_CONTROL_FLUSH),
                      half && (env->control & FP_CONTROL_ALTERNATIVE_HALF));
}

uint64_t fp_round_wide(const struct fp_env *env, struct fp_wide x)
{
    if (x.sig == 0)
        return fp_zero(env->format, env->rmode == FP_ROUND_NEGINF);
    return fp_round(env, x.sign, x.exp, (uint64_t)fp_shift_right_jam128(x.sig, 63));
}

uint64_t fp_round_to_magnitude(bool sign, int exp, uint64_t sig, uint32_t rmode, bool *inexact)
{
    uint64_t whole = exp < 0 ? 0 : sig >> (63 - exp);
    uint64_t rest;

    if (exp >= 0)
        rest = exp == 63 ? 0 : sig << (exp + 1);
    else
        rest = fp_shift_right_jam64(sig, -1 - exp);
    *inexact = rest != 0;
    return whole + rounds_up(rmode, sign, whole & 1, rest);
}

uint64_t fp_process_nan(const struct fp_env *env, enum fp_class class, uint64_t bits)
{
    if (class == CLASS_SNAN)
        *env->flags |= FP_FLAG_INVALID;
    if (env->control & FP_CONTROL_DEFAULT_NAN)
        return fp_default_nan(env->format);
    return bits | 1ull << (env->format->frac_bits - 1);
}

bool fp_process_nans(const struct fp_env *env, enum fp_class a, enum fp_class b, uint64_t a_bits,
                     uint64_t b_bits, uint64_t *result)
{
    if (!fp_is_nan(a) && !fp_is_nan(b))
        return false;
    if (a == CLASS_SNAN || (b != CLASS_SNAN && a == CLASS_QNAN))
        *result = fp_process_nan(env, a, a_bits);
    else
        *result = fp_process_nan(env, b, b_bits);
    return true;
}

struct fp_wide fp_widen(struct fp_value a)
{
    return (struct fp_wide){a.sign, a.exp, (fp_u128)a.sig << 63};
}

struct fp_wide fp_wide_mul(struct fp_value a, struct fp_value b)
{
    struct fp_wide p = {a.sign ^ b.sign, a.exp + b.exp, 0};

    if (a.class == CLASS_ZERO || b.class == CLASS_ZERO)
        return p;
    p.sig = (fp_u128)a.sig * b.sig;
    /* No operand has more than 53 bits, so the lowest bits are zeros and nothing is lost. */
    if (p.sig >> 127) {
        p.sig >>= 1;
        p.exp++;
    }
    return p;
}

static int clz_u128(fp_u128 x)
{
    uint64_t high = (uint64_t)(x >> 64);

    return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)x);
}

struct fp_wide fp_wide_add(struct fp_wide x, struct fp_wide y)
{
    int shift;

    if (x.sig == 0)
        return y;
    if (y.sig == 0)
        return x;
    if (x.exp < y.exp || (x.exp == y.exp && x.sig < y.sig)) {
        struct fp_wide swap = x;

        x = y;
        y = swap;
    }
    y.sig = fp_shift_right_jam128(y.sig, x.exp - y.exp);
    if (x.sign == y.sign)
        x.sig += y.sig;
    else
        x.sig -= y.sig;
    if (x.sig == 0)
        return x;
    shift = clz_u128(x.sig) - 1;
    if (shift < 0)
        x.sig = fp_shift_right_jam128(x.sig, 1);
    else
        x.sig <<= shift;
    x.exp -= shift;
    return x;
}
