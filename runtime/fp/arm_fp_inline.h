/*
 * The functions of arm_fp.h with their common cases inlined and done by the host's FPU. Including
 * this header instead of arm_fp.h changes nothing but speed: a call of arm_fp64_add() and its like
 * becomes one of arm_fp64_add_inline(), while the address of arm_fp64_add is still the function's.
 *
 * Why a fast path is right. It is taken only if FPCR rounds to nearest and no operand is one that
 * FZ flushes. The host then computes the very number that Arm does, unless a NaN comes out (which
 * NaN differs) or a tiny number does (when that is detected differs). So a result is taken if it
 * is finite and at least twice the least normal number; it follows that no operand was a NaN and
 * that IOC, DZC, OFC, UFC and IDC stay as they are. What is left is IXC: it must be set already, or
 * the result must be shown to be exact, which integers and short fractions are. The first inexact
 * operation goes the slow way and sets IXC; the flag is sticky, and programs seldom clear it.
 *
 * The host's rounding mode must be to nearest, its denormals not flushed, and the compiler must
 * keep to IEEE 754 (no -ffast-math); it may fuse operations, no expression here minds.
 */
#ifndef RUNTIME_FP_ARM_FP_INLINE_H
#define RUNTIME_FP_ARM_FP_INLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/fp/arm_fp.h"
#include "runtime/fp/fp_slow.h"

#if __FLT_EVAL_METHOD__ != 0
#error "the fast paths need a host that computes float in float and double in double"
#endif

#define ARM_FP_LIKELY(x)     __builtin_expect(!!(x), 1)
#define ARM_FP_UNLIKELY(x)   __builtin_expect(!!(x), 0)
#define ARM_FP_NEAREST(fpcr) (((fpcr)&ARM_FPCR_RMODE) == 0)
#define ARM_FP_INEXACT(fpsr) (*(fpsr)&ARM_FPSR_IXC)

#define FAST_W         32
#define FAST_FLOAT     float
#define FAST_FRAC      23
#define FAST_EXP       8
#define FAST_INT_EXACT (1 << 24)
#define FAST_SQRT      __builtin_sqrtf
#include "runtime/fp/arm_fp_fast.inc"

#define FAST_W         64
#define FAST_FLOAT     double
#define FAST_FRAC      52
#define FAST_EXP       11
#define FAST_INT_EXACT (1ll << 53)
#define FAST_SQRT      __builtin_sqrt
#include "runtime/fp/arm_fp_fast.inc"

/*
 * sum, the host's a + b, forced to an odd last bit if it was rounded; *exact says if it was not. A
 * float made of that is rounded as if from the exact sum, since a double has two bits more than
 * twice a float's.
 */
static inline double arm_fp_odd_sum(double a, double b, bool *exact)
{
    double sum = a + b, b_part = sum - a;
    double lost = (a - (sum - b_part)) + (b - b_part);
    uint64_t bits = arm_fp64_bits(sum);

    *exact = lost == 0;
    if (*exact || (bits & 1))
        return sum;
    return arm_fp64_host((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/* The product of two floats is exact as a double, so that only the sum and the result round. */
static inline uint32_t arm_fp32_muladd_inline(uint32_t addend, uint32_t a, uint32_t b,
                                              uint32_t fpcr, uint32_t *fpsr)
{
    bool exact;
    double product = (double)arm_fp32_host(a) * (double)arm_fp32_host(b);
    double sum = arm_fp_odd_sum(product, (double)arm_fp32_host(addend), &exact);
    float rounded = (float)sum;
    uint32_t result = arm_fp32_bits(rounded);

    if (ARM_FP_LIKELY(ARM_FP_NEAREST(fpcr) && (arm_fp32_is_safe(result) || sum == 0) &&
                      (ARM_FP_INEXACT(fpsr) || (exact && (double)rounded == sum)) &&
                      !arm_fp32_flushed2(a, b, fpcr) && !arm_fp32_flushed(addend, fpcr)))
        return result;
    return arm_fp32_muladd_slow(addend, a, b, fpcr, fpsr);
}

/* An exact product leaves an addition; else the host's fused instruction is needed. */
static inline uint64_t arm_fp64_muladd_inline(uint64_t addend, uint64_t a, uint64_t b,
                                              uint32_t fpcr, uint32_t *fpsr)
{
    double product = arm_fp64_host(a) * arm_fp64_host(b);
    uint64_t bits = arm_fp64_bits(product);

    if (arm_fp64_is_safe(bits) && arm_fp64_product_fits(a, b) && !arm_fp64_flushed2(a, b, fpcr))
        return arm_fp64_add_inline(addend, bits, fpcr, fpsr);
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    bits = arm_fp64_bits(__builtin_fma(arm_fp64_host(a), arm_fp64_host(b), arm_fp64_host(addend)));
    if (ARM_FP_LIKELY(ARM_FP_NEAREST(fpcr) && ARM_FP_INEXACT(fpsr) && arm_fp64_is_safe(bits) &&
                      !arm_fp64_flushed2(a, b, fpcr) && !arm_fp64_flushed(addend, fpcr)))
        return bits;
    return arm_fp64_muladd_slow(addend, a, b, fpcr, fpsr);
#else
    return arm_fp64_muladd_outline(addend, a, b, fpcr, fpsr);
#endif
}

/* Every float is a double; only NaNs and flushing need more. */
static inline uint64_t arm_fp32_to_fp64_inline(uint32_t a, uint32_t fpcr, uint32_t *fpsr)
{
    double wide = (double)arm_fp32_host(a);

    if (ARM_FP_UNLIKELY(wide != wide || arm_fp32_flushed(a, fpcr)))
        return arm_fp32_to_fp64_slow(a, fpcr, fpsr);
    return arm_fp64_bits(wide);
}

static inline uint32_t arm_fp64_to_fp32_inline(uint64_t a, uint32_t fpcr, uint32_t *fpsr)
{
    double wide = arm_fp64_host(a);
    float narrow = (float)wide;
    uint32_t result = arm_fp32_bits(narrow);

    if (ARM_FP_LIKELY(ARM_FP_NEAREST(fpcr) && (arm_fp32_is_safe(result) || wide == 0) &&
                      (ARM_FP_INEXACT(fpsr) || (double)narrow == wide)))
        return result;
    return arm_fp64_to_fp32_slow(a, fpcr, fpsr);
}

/* The names of arm_fp.h, as calls, from here on mean the inlined functions. */
// clang-format off
#define arm_fp32_add(a, b, fpcr, fpsr) arm_fp32_add_inline(a, b, fpcr, fpsr)
#define arm_fp32_sub(a, b, fpcr, fpsr) arm_fp32_sub_inline(a, b, fpcr, fpsr)
#define arm_fp32_mul(a, b, fpcr, fpsr) arm_fp32_mul_inline(a, b, fpcr, fpsr)
#define arm_fp32_div(a, b, fpcr, fpsr) arm_fp32_div_inline(a, b, fpcr, fpsr)
#define arm_fp32_max(a, b, fpcr, fpsr) arm_fp32_max_inline(a, b, fpcr, fpsr)
#define arm_fp32_min(a, b, fpcr, fpsr) arm_fp32_min_inline(a, b, fpcr, fpsr)
#define arm_fp32_maxnum(a, b, fpcr, fpsr) arm_fp32_maxnum_inline(a, b, fpcr, fpsr)
#define arm_fp32_minnum(a, b, fpcr, fpsr) arm_fp32_minnum_inline(a, b, fpcr, fpsr)
#define arm_fp32_compare(a, b, fpcr, fpsr) arm_fp32_compare_inline(a, b, fpcr, fpsr)
#define arm_fp32_compare_signal(a, b, fpcr, fpsr) arm_fp32_compare_signal_inline(a, b, fpcr, fpsr)
#define arm_fp32_compare_eq(a, b, fpcr, fpsr) arm_fp32_compare_eq_inline(a, b, fpcr, fpsr)
#define arm_fp32_compare_ge(a, b, fpcr, fpsr) arm_fp32_compare_ge_inline(a, b, fpcr, fpsr)
#define arm_fp32_compare_gt(a, b, fpcr, fpsr) arm_fp32_compare_gt_inline(a, b, fpcr, fpsr)
#define arm_fp32_sqrt(a, fpcr, fpsr) arm_fp32_sqrt_inline(a, fpcr, fpsr)
#define arm_fp32_muladd(c, a, b, fpcr, fpsr) arm_fp32_muladd_inline(c, a, b, fpcr, fpsr)
#define arm_fp32_to_s32(a, n, mode, fpcr, fpsr) arm_fp32_to_s32_inline(a, n, mode, fpcr, fpsr)
#define arm_fp32_from_s32(v, n, fpcr, fpsr) arm_fp32_from_s32_inline(v, n, fpcr, fpsr)
#define arm_fp32_to_u32(a, n, mode, fpcr, fpsr) arm_fp32_to_u32_inline(a, n, mode, fpcr, fpsr)
#define arm_fp32_from_u32(v, n, fpcr, fpsr) arm_fp32_from_u32_inline(v, n, fpcr, fpsr)
#define arm_fp32_to_s64(a, n, mode, fpcr, fpsr) arm_fp32_to_s64_inline(a, n, mode, fpcr, fpsr)
#define arm_fp32_from_s64(v, n, fpcr, fpsr) arm_fp32_from_s64_inline(v, n, fpcr, fpsr)
#define arm_fp32_to_u64(a, n, mode, fpcr, fpsr) arm_fp32_to_u64_inline(a, n, mode, fpcr, fpsr)
#define arm_fp32_from_u64(v, n, fpcr, fpsr) arm_fp32_from_u64_inline(v, n, fpcr, fpsr)
#define arm_fp64_add(a, b, fpcr, fpsr) arm_fp64_add_inline(a, b, fpcr, fpsr)
#define arm_fp64_sub(a, b, fpcr, fpsr) arm_fp64_sub_inline(a, b, fpcr, fpsr)
#define arm_fp64_mul(a, b, fpcr, fpsr) arm_fp64_mul_inline(a, b, fpcr, fpsr)
#define arm_fp64_div(a, b, fpcr, fpsr) arm_fp64_div_inline(a, b, fpcr, fpsr)
#define arm_fp64_max(a, b, fpcr, fpsr) arm_fp64_max_inline(a, b, fpcr, fpsr)
#define arm_fp64_min(a, b, fpcr, fpsr) arm_fp64_min_inline(a, b, fpcr, fpsr)
#define arm_fp64_maxnum(a, b, fpcr, fpsr) arm_fp64_maxnum_inline(a, b, fpcr, fpsr)
#define arm_fp64_minnum(a, b, fpcr, fpsr) arm_fp64_minnum_inline(a, b, fpcr, fpsr)
#define arm_fp64_compare(a, b, fpcr, fpsr) arm_fp64_compare_inline(a, b, fpcr, fpsr)
#define arm_fp64_compare_signal(a, b, fpcr, fpsr) arm_fp64_compare_signal_inline(a, b, fpcr, fpsr)
#define arm_fp64_compare_eq(a, b, fpcr, fpsr) arm_fp64_compare_eq_inline(a, b, fpcr, fpsr)
#define arm_fp64_compare_ge(a, b, fpcr, fpsr) arm_fp64_compare_ge_inline(a, b, fpcr, fpsr)
#define arm_fp64_compare_gt(a, b, fpcr, fpsr) arm_fp64_compare_gt_inline(a, b, fpcr, fpsr)
#define arm_fp64_sqrt(a, fpcr, fpsr) arm_fp64_sqrt_inline(a, fpcr, fpsr)
#define arm_fp64_muladd(c, a, b, fpcr, fpsr) arm_fp64_muladd_inline(c, a, b, fpcr, fpsr)
#define arm_fp64_to_s32(a, n, mode, fpcr, fpsr) arm_fp64_to_s32_inline(a, n, mode, fpcr, fpsr)
#define arm_fp64_from_s32(v, n, fpcr, fpsr) arm_fp64_from_s32_inline(v, n, fpcr, fpsr)
#define arm_fp64_to_u32(a, n, mode, fpcr, fpsr) arm_fp64_to_u32_inline(a, n, mode, fpcr, fpsr)
#define arm_fp64_from_u32(v, n, fpcr, fpsr) arm_fp64_from_u32_inline(v, n, fpcr, fpsr)
#define arm_fp64_to_s64(a, n, mode, fpcr, fpsr) arm_fp64_to_s64_inline(a, n, mode, fpcr, fpsr)
#define arm_fp64_from_s64(v, n, fpcr, fpsr) arm_fp64_from_s64_inline(v, n, fpcr, fpsr)
#define arm_fp64_to_u64(a, n, mode, fpcr, fpsr) arm_fp64_to_u64_inline(a, n, mode, fpcr, fpsr)
#define arm_fp64_from_u64(v, n, fpcr, fpsr) arm_fp64_from_u64_inline(v, n, fpcr, fpsr)
#define arm_fp32_to_fp64(a, fpcr, fpsr) arm_fp32_to_fp64_inline(a, fpcr, fpsr)
#define arm_fp64_to_fp32(a, fpcr, fpsr) arm_fp64_to_fp32_inline(a, fpcr, fpsr)
// clang-format on

#endif
