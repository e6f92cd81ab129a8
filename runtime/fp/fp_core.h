/*
 * The software core of all operations of fp.h. A number is unpacked into a form without a format;
 * operations compute on it exactly, or with the lost part as a sticky lowest bit; the result is
 * rounded and packed into a format. Formats differ in struct fp_format only, and half precision in
 * what flushes it.
 *
 * Internal to runtime/fp.
 */
#ifndef RUNTIME_FP_FP_CORE_H
#define RUNTIME_FP_FP_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/fp/fp.h"

typedef unsigned __int128 fp_u128;

struct fp_format {
    int width;     /* bits of the whole value */
    int exp_bits;  /* bits of the exponent field */
    int frac_bits; /* bits of the fraction field */
};

extern const struct fp_format fp_format16;
extern const struct fp_format fp_format32;
extern const struct fp_format fp_format64;

enum fp_class { CLASS_ZERO, CLASS_FINITE, CLASS_INF, CLASS_QNAN, CLASS_SNAN };

/* An unpacked number. If CLASS_FINITE: sig * 2^(exp - 63), where bit 63 of sig is set. */
struct fp_value {
    enum fp_class class;
    bool sign;
    int exp;
    uint64_t sig;
};

/* An exact sum or product: sig * 2^(exp - 126); sig is 0, or bit 126 is its highest. */
struct fp_wide {
    bool sign;
    int exp;
    fp_u128 sig;
};

/* The environment of an operation: the result's format, the rounding mode, and the flags. */
struct fp_env {
    const struct fp_format *format;
    uint32_t rmode; /* FP_ROUND_... */
    uint32_t control;
    uint32_t *flags;
};

static inline struct fp_env fp_env_of(const struct fp_format *format, uint32_t control,
                                      uint32_t *flags)
{
    uint32_t rmode = (control & FP_CONTROL_ROUND) >> FP_CONTROL_ROUND_SHIFT;

    if (control & FP_CONTROL_TIES_AWAY)
        rmode = FP_ROUND_TIEAWAY;
    return (struct fp_env){format, rmode, control, flags};
}

/* Whether arithmetic on the format flushes denormals. */
static inline bool fp_flushes(const struct fp_env *env)
{
    return env->control & (env->format->width == 16 ? FP_CONTROL_FLUSH_HALF : FP_CONTROL_FLUSH);
}

static inline bool fp_is_nan(enum fp_class class)
{
    return class >= CLASS_QNAN;
}

static inline uint64_t fp_sign_bit(const struct fp_format *f, bool sign)
{
    return (uint64_t)sign << (f->width - 1);
}

/* The exponent field of infinities and NaNs. */
static inline uint64_t fp_exp_ones(const struct fp_format *f)
{
    return (1ull << f->exp_bits) - 1;
}

static inline int fp_bias(const struct fp_format *f)
{
    return (1 << (f->exp_bits - 1)) - 1;
}

static inline uint64_t fp_frac_mask(const struct fp_format *f)
{
    return (1ull << f->frac_bits) - 1;
}

/* FPZero(), FPInfinity(), FPMaxNormal(), FPDefaultNaN(). */
static inline uint64_t fp_zero(const struct fp_format *f, bool sign)
{
    return fp_sign_bit(f, sign);
}

static inline uint64_t fp_infinity(const struct fp_format *f, bool sign)
{
    return fp_sign_bit(f, sign) | fp_exp_ones(f) << f->frac_bits;
}

static inline uint64_t fp_max_normal(const struct fp_format *f, bool sign)
{
    return fp_infinity(f, sign) - 1;
}

static inline uint64_t fp_default_nan(const struct fp_format *f)
{
    return fp_infinity(f, false) | 1ull << (f->frac_bits - 1);
}

/* 2^exp * (1 + half / 2): FPTwo() is (1, 0), FPOnePointFive() is (0, 1), FPThree() is (1, 1). */
static inline uint64_t fp_small_constant(const struct fp_format *f, bool sign, int exp, bool half)
{
    return fp_sign_bit(f, sign) | (uint64_t)(exp + fp_bias(f)) << f->frac_bits |
           (uint64_t)half << (f->frac_bits - 1);
}

/* The result of an invalid operation: the default NaN, raising INVALID. */
static inline uint64_t fp_invalid(const struct fp_env *env)
{
    *env->flags |= FP_FLAG_INVALID;
    return fp_default_nan(env->format);
}

/*
 * Defines fp<W>_<name>(a, control, flags) by `function` (env, bits), which works for all formats.
 */
#define FP_DEFINE_UNARY(W, name, function)                                       \
    uint##W##_t fp##W##_##name(uint##W##_t a, uint32_t control, uint32_t *flags) \
    {                                                                            \
        struct fp_env env = fp_env_of(&fp_format##W, control, flags);            \
                                                                                 \
        return (uint##W##_t)function(&env, a);                                   \
    }

/* x >> n for any n >= 0; the lowest bit of the result is set if a lost bit was. */
static inline uint64_t fp_shift_right_jam64(uint64_t x, int n)
{
    if (n >= 64)
        return x != 0;
    return x >> n | ((x & ((1ull << n) - 1)) != 0);
}

static inline fp_u128 fp_shift_right_jam128(fp_u128 x, int n)
{
    if (n >= 128)
        return x != 0;
    return x >> n | ((x & (((fp_u128)1 << n) - 1)) != 0);
}

/* FPUnpack() of a value of env's format; a flushed value raises INPUT_DENORMAL, except for
 * halves. */
struct fp_value fp_unpack(const struct fp_env *env, uint64_t bits);

/*
 * FPUnpackCV(): for conversions, where halves are never flushed, and with ALTERNATIVE_HALF their
 * highest exponent is an ordinary one.
 */
struct fp_value fp_unpack_cv(const struct fp_env *env, uint64_t bits);

/*
 * FPRound() of sig * 2^(exp - 63), with bit 63 of sig set, and its lowest bit sticky for all lost
 * bits. Raises OVERFLOW, UNDERFLOW, INEXACT as needed.
 */
uint64_t fp_round(const struct fp_env *env, bool sign, int exp, uint64_t sig);

/* FPRoundCV(): the same for conversions; halves are never flushed, and follow ALTERNATIVE_HALF. */
uint64_t fp_round_cv(const struct fp_env *env, bool sign, int exp, uint64_t sig);

/* FPRound() of a number that is too large: infinity or the largest number; OVERFLOW and INEXACT. */
uint64_t fp_overflow(const struct fp_env *env, bool sign);

/* FPRound() of a sum or product; an exact zero has the sign of the rounding mode. */
uint64_t fp_round_wide(const struct fp_env *env, struct fp_wide x);

/*
 * The rounding of FPRoundInt() and FPToFixed(): the magnitude of sig * 2^(exp - 63), exp <= 63, as
 * an integer. rmode is FP_ROUND_TIEEVEN .. TIEAWAY; *inexact: the value changed.
 */
uint64_t fp_round_to_magnitude(bool sign, int exp, uint64_t sig, uint32_t rmode, bool *inexact);

/* FPProcessNaN(): the NaN `bits` made quiet, or the default NaN; INVALID if `bits` is
 * signalling. */
uint64_t fp_process_nan(const struct fp_env *env, enum fp_class class, uint64_t bits);

/* FPProcessNaNs(): if a or b is a NaN, stores the result and returns true. */
bool fp_process_nans(const struct fp_env *env, enum fp_class a, enum fp_class b, uint64_t a_bits,
                     uint64_t b_bits, uint64_t *result);

/* a * b of finite numbers, and x + y, both exact but for a sticky lowest bit. */
struct fp_wide fp_wide_mul(struct fp_value a, struct fp_value b);
struct fp_wide fp_wide_add(struct fp_wide x, struct fp_wide y);

/* A zero or finite number as a wide one. */
struct fp_wide fp_widen(struct fp_value a);

#endif
