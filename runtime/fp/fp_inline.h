/*
 * The functions of fp.h with their common cases inlined, on the host's FPU. This header has the
 * effect of fp.h, but is faster: a call of fp64_add() or the like becomes one of fp64_add_inline(),
 * while the address of fp64_add is still the function's.
 *
 * Why a fast path is right. It is taken only if `control` rounds to nearest and FLUSH flushes no
 * operand. The host's result is then that of fp.h, unless it is a NaN (hosts choose another NaN) or
 * tiny (hosts detect that differently). So a result is used if it is finite and at least twice the
 * least normal number. Then no operand was a NaN, and no flag but INEXACT changes. INEXACT must be
 * set already, or the result must be shown to be exact, as for integers and short fractions. The
 * first inexact operation takes the slow path and sets INEXACT; the flag is sticky, and programs
 * seldom clear it.
 *
 * The host's rounding mode must be to nearest, its denormals not flushed, and the compiler must
 * keep to IEEE 754 (no -ffast-math). It may fuse operations: no expression here depends on that.
 */
#ifndef RUNTIME_FP_FP_INLINE_H
#define RUNTIME_FP_FP_INLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/fp/fp.h"
#include "runtime/fp/fp_slow.h"

#if __FLT_EVAL_METHOD__ != 0
#error "the fast paths need a host that computes float in float and double in double"
#endif

#define FP_LIKELY(x)        __builtin_expect(!!(x), 1)
#define FP_UNLIKELY(x)      __builtin_expect(!!(x), 0)
#define FP_NEAREST(control) (((control) & (FP_CONTROL_ROUND | FP_CONTROL_TIES_AWAY)) == 0)
#define FP_INEXACT(flags)   (*(flags)&FP_FLAG_INEXACT)

#define FAST_W         32
#define FAST_FLOAT     float
#define FAST_FRAC      23
#define FAST_EXP       8
#define FAST_INT_EXACT (1 << 24)
#define FAST_SQRT      __builtin_sqrtf
#include "runtime/fp/fp_fast.inc"

#define FAST_W         64
#define FAST_FLOAT     double
#define FAST_FRAC      52
#define FAST_EXP       11
#define FAST_INT_EXACT (1ll << 53)
#define FAST_SQRT      __builtin_sqrt
#include "runtime/fp/fp_fast.inc"

/*
 * The host's a + b, with its last bit forced to 1 if it was rounded; *exact: it was not. Rounding
 * it to float gives the rounding of the exact sum, since a double's significand has at least two
 * bits more than twice a float's.
 */
static inline double fp_odd_sum(double a, double b, bool *exact)
{
    double sum = a + b, b_part = sum - a;
    double lost = (a - (sum - b_part)) + (b - b_part);
    uint64_t bits = fp64_bits(sum);

    *exact = lost == 0;
    if (*exact || (bits & 1))
        return sum;
    return fp64_host((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/* The product of two floats is exact as a double, so only the sum and the result are rounded. */
static inline uint32_t fp32_muladd_inline(uint32_t addend, uint32_t a, uint32_t b, uint32_t control,
                                          uint32_t *flags)
{
    bool exact;
    double product = (double)fp32_host(a) * (double)fp32_host(b);
    double sum = fp_odd_sum(product, (double)fp32_host(addend), &exact);
    float rounded = (float)sum;
    uint32_t result = fp32_bits(rounded);

    if (FP_LIKELY(FP_NEAREST(control) && (fp32_is_safe(result) || sum == 0) &&
                  (FP_INEXACT(flags) || (exact && (double)rounded == sum)) &&
                  !fp32_flushed2(a, b, control) && !fp32_flushed(addend, control)))
        return result;
    return fp32_muladd_slow(addend, a, b, control, flags);
}

/* With an exact product an addition remains; otherwise the host's fused instruction is needed. */
static inline uint64_t fp64_muladd_inline(uint64_t addend, uint64_t a, uint64_t b, uint32_t control,
                                          uint32_t *flags)
{
    double product = fp64_host(a) * fp64_host(b);
    uint64_t bits = fp64_bits(product);

    if (fp64_is_safe(bits) && fp64_product_fits(a, b) && !fp64_flushed2(a, b, control))
        return fp64_add_inline(addend, bits, control, flags);
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    bits = fp64_bits(__builtin_fma(fp64_host(a), fp64_host(b), fp64_host(addend)));
    if (FP_LIKELY(FP_NEAREST(control) && FP_INEXACT(flags) && fp64_is_safe(bits) &&
                  !fp64_flushed2(a, b, control) && !fp64_flushed(addend, control)))
        return bits;
    return fp64_muladd_slow(addend, a, b, control, flags);
#else
    return fp64_muladd_outline(addend, a, b, control, flags);
#endif
}

/* Every float is a double; only NaNs and flushing need more. */
static inline uint64_t fp32_to_fp64_inline(uint32_t a, uint32_t control, uint32_t *flags)
{
    double wide = (double)fp32_host(a);

    if (FP_UNLIKELY(wide != wide || fp32_flushed(a, control)))
        return fp32_to_fp64_slow(a, control, flags);
    return fp64_bits(wide);
}

static inline uint32_t fp64_to_fp32_inline(uint64_t a, uint32_t control, uint32_t *flags)
{
    double wide = fp64_host(a);
    float narrow = (float)wide;
    uint32_t result = fp32_bits(narrow);

    if (FP_LIKELY(FP_NEAREST(control) && (fp32_is_safe(result) || wide == 0) &&
                  (FP_INEXACT(flags) || (double)narrow == wide)))
        return result;
    return fp64_to_fp32_slow(a, control, flags);
}

/* From here on, calls by the names of fp.h are calls of the inlined functions. */
// clang-format off
#define fp32_add(a, b, control, flags) fp32_add_inline(a, b, control, flags)
#define fp32_sub(a, b, control, flags) fp32_sub_inline(a, b, control, flags)
#define fp32_mul(a, b, control, flags) fp32_mul_inline(a, b, control, flags)
#define fp32_div(a, b, control, flags) fp32_div_inline(a, b, control, flags)
#define fp32_max(a, b, control, flags) fp32_max_inline(a, b, control, flags)
#define fp32_min(a, b, control, flags) fp32_min_inline(a, b, control, flags)
#define fp32_maxnum(a, b, control, flags) fp32_maxnum_inline(a, b, control, flags)
#define fp32_minnum(a, b, control, flags) fp32_minnum_inline(a, b, control, flags)
#define fp32_compare(a, b, control, flags) fp32_compare_inline(a, b, control, flags)
#define fp32_compare_signal(a, b, control, flags) fp32_compare_signal_inline(a, b, control, flags)
#define fp32_compare_eq(a, b, control, flags) fp32_compare_eq_inline(a, b, control, flags)
#define fp32_compare_ge(a, b, control, flags) fp32_compare_ge_inline(a, b, control, flags)
#define fp32_compare_gt(a, b, control, flags) fp32_compare_gt_inline(a, b, control, flags)
#define fp32_sqrt(a, control, flags) fp32_sqrt_inline(a, control, flags)
#define fp32_muladd(c, a, b, control, flags) fp32_muladd_inline(c, a, b, control, flags)
#define fp32_to_s32(a, n, mode, control, flags) fp32_to_s32_inline(a, n, mode, control, flags)
#define fp32_from_s32(v, n, control, flags) fp32_from_s32_inline(v, n, control, flags)
#define fp32_to_u32(a, n, mode, control, flags) fp32_to_u32_inline(a, n, mode, control, flags)
#define fp32_from_u32(v, n, control, flags) fp32_from_u32_inline(v, n, control, flags)
#define fp32_to_s64(a, n, mode, control, flags) fp32_to_s64_inline(a, n, mode, control, flags)
#define fp32_from_s64(v, n, control, flags) fp32_from_s64_inline(v, n, control, flags)
#define fp32_to_u64(a, n, mode, control, flags) fp32_to_u64_inline(a, n, mode, control, flags)
#define fp32_from_u64(v, n, control, flags) fp32_from_u64_inline(v, n, control, flags)
#define fp64_add(a, b, control, flags) fp64_add_inline(a, b, control, flags)
#define fp64_sub(a, b, control, flags) fp64_sub_inline(a, b, control, flags)
#define fp64_mul(a, b, control, flags) fp64_mul_inline(a, b, control, flags)
#define fp64_div(a, b, control, flags) fp64_div_inline(a, b, control, flags)
#define fp64_max(a, b, control, flags) fp64_max_inline(a, b, control, flags)
#define fp64_min(a, b, control, flags) fp64_min_inline(a, b, control, flags)
#define fp64_maxnum(a, b, control, flags) fp64_maxnum_inline(a, b, control, flags)
#define fp64_minnum(a, b, control, flags) fp64_minnum_inline(a, b, control, flags)
#define fp64_compare(a, b, control, flags) fp64_compare_inline(a, b, control, flags)
#define fp64_compare_signal(a, b, control, flags) fp64_compare_signal_inline(a, b, control, flags)
#define fp64_compare_eq(a, b, control, flags) fp64_compare_eq_inline(a, b, control, flags)
#define fp64_compare_ge(a, b, control, flags) fp64_compare_ge_inline(a, b, control, flags)
#define fp64_compare_gt(a, b, control, flags) fp64_compare_gt_inline(a, b, control, flags)
#define fp64_sqrt(a, control, flags) fp64_sqrt_inline(a, control, flags)
#define fp64_muladd(c, a, b, control, flags) fp64_muladd_inline(c, a, b, control, flags)
#define fp64_to_s32(a, n, mode, control, flags) fp64_to_s32_inline(a, n, mode, control, flags)
#define fp64_from_s32(v, n, control, flags) fp64_from_s32_inline(v, n, control, flags)
#define fp64_to_u32(a, n, mode, control, flags) fp64_to_u32_inline(a, n, mode, control, flags)
#define fp64_from_u32(v, n, control, flags) fp64_from_u32_inline(v, n, control, flags)
#define fp64_to_s64(a, n, mode, control, flags) fp64_to_s64_inline(a, n, mode, control, flags)
#define fp64_from_s64(v, n, control, flags) fp64_from_s64_inline(v, n, control, flags)
#define fp64_to_u64(a, n, mode, control, flags) fp64_to_u64_inline(a, n, mode, control, flags)
#define fp64_from_u64(v, n, control, flags) fp64_from_u64_inline(v, n, control, flags)
#define fp32_to_fp64(a, control, flags) fp32_to_fp64_inline(a, control, flags)
#define fp64_to_fp32(a, control, flags) fp64_to_fp32_inline(a, control, flags)
// clang-format on

#endif
