/*
 * IEEE 754 floating point, exact to the bit, as plain C functions for interpreters, translators and
 * libffi. FPAdd() and other names in capitals are the shared functions of the Arm Architecture
 * Reference Manual (DDI 0487, section shared/functions/float). They define what IEEE 754 leaves to
 * an architecture; where another architecture differs, `control` has a bit.
 *
 * Conventions of every function below:
 *  - A floating-point value is its bits in an unsigned integer of its own width.
 *  - `control` has FP_CONTROL_... bits. Those of AArch64's FPCR are at FPCR's positions, the others
 *    at unused ones. All further bits are ignored: traps, FEAT_AFP and FEAT_FP16 are not modelled
 *    here. For AArch32's "standard FPSCR value" pass FP_CONTROL_STANDARD.
 *  - FP_FLAG_... are OR-ed into `*flags`, at the places of AArch64's FPSR; nothing is ever cleared,
 *    and no other bit is touched. The pointer must be valid.
 *  - NaNs propagate as in FPProcessNaN(): the first signalling operand, else the first quiet one,
 *    made quiet; or the default NaN if DEFAULT_NAN is set. Tininess is detected before rounding, or
 *    after it if TINY_AFTER is set.
 *  - There are no errors and no global state, and nothing is allocated. The host must round to
 *    nearest and not flush denormals, as it does when a process starts.
 *
 * fp_inline.h has the same functions with the common cases inlined.
 */
#ifndef RUNTIME_FP_FP_H
#define RUNTIME_FP_FP_H

#include <stdint.h>

/* Bits of `control`. */
#define FP_CONTROL_ROUND_SHIFT      22
#define FP_CONTROL_ROUND            (3u << FP_CONTROL_ROUND_SHIFT)
#define FP_CONTROL_FLUSH            (1u << 24)
#define FP_CONTROL_DEFAULT_NAN      (1u << 25)
#define FP_CONTROL_ALTERNATIVE_HALF (1u << 26)
#define FP_CONTROL_FLUSH_HALF       (1u << 19) /* FLUSH of arithmetic on halves (fp_half.h) */

/* Bits that FPCR does not have. */
#define FP_CONTROL_TIES_AWAY  (1u << 5) /* rounds by TIEAWAY, whatever ROUND is */
#define FP_CONTROL_TINY_AFTER (1u << 6)

/* StandardFPSCRValue() but for ALTERNATIVE_HALF: always used by AArch32 Advanced SIMD. */
#define FP_CONTROL_STANDARD (FP_CONTROL_DEFAULT_NAN | FP_CONTROL_FLUSH)

/* Bits of `*flags`: exceptions that occurred. */
#define FP_FLAG_INVALID        (1u << 0)
#define FP_FLAG_DIVIDE_BY_ZERO (1u << 1)
#define FP_FLAG_OVERFLOW       (1u << 2)
#define FP_FLAG_UNDERFLOW      (1u << 3)
#define FP_FLAG_INEXACT        (1u << 4)
#define FP_FLAG_INPUT_DENORMAL (1u << 7)

/*
 * Rounding arguments (`rmode`): ROUND's values, and two that only instructions have. Functions with
 * such an argument document the valid ones; other values round to zero.
 */
#define FP_ROUND_TIEEVEN 0u
#define FP_ROUND_POSINF  1u
#define FP_ROUND_NEGINF  2u
#define FP_ROUND_ZERO    3u
#define FP_ROUND_TIEAWAY 4u
#define FP_ROUND_ODD     5u

/* ---- Arithmetic. Rounding is ROUND. ----------------------------------------------------- */

/* FPAdd(): a + b. */
uint32_t fp32_add(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint64_t fp64_add(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);

/* FPSub(): a - b. Unlike adding -b, a NaN in b keeps its sign. */
uint32_t fp32_sub(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint64_t fp64_sub(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);

/* FPMul(): a * b. FNMUL is this with the result's sign bit inverted by the caller. */
uint32_t fp32_mul(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint64_t fp64_mul(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);

/* FPMulX(): a * b, where infinity times zero is 2 with the product's sign and raises nothing. */
uint32_t fp32_mulx(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint64_t fp64_mulx(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);

/* FPDiv(): a / b. */
uint32_t fp32_div(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint64_t fp64_div(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);

/*
 * FPMulAdd(): addend + a * b, rounded once. FMSUB, FNMADD, FMLS ... are this with operands negated
 * by the caller (sign bit inverted, NaNs too). Infinity times zero plus a quiet NaN is the default
 * NaN and raises INVALID.
 */
uint32_t fp32_muladd(uint32_t addend, uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint64_t fp64_muladd(uint64_t addend, uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);

/* FPSqrt(). */
uint32_t fp32_sqrt(uint32_t a, uint32_t control, uint32_t *flags);
uint64_t fp64_sqrt(uint64_t a, uint32_t control, uint32_t *flags);

/* FPMax(), FPMin(): any NaN gives a NaN; +0 is greater than -0. */
uint32_t fp32_max(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint64_t fp64_max(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);
uint32_t fp32_min(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint64_t fp64_min(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);

/* FPMaxNum(), FPMinNum(): a number wins over a quiet NaN. */
uint32_t fp32_maxnum(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint64_t fp64_maxnum(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);
uint32_t fp32_minnum(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint64_t fp64_minnum(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);

/* ---- Comparison. ----------------------------------------------------------------------------- */

/*
 * FPCompare() with signal_nans FALSE (FCMP): NZCV as a number, N in bit 3: equal 6, less 8,
 * greater 2, unordered 3. INVALID is raised for a signalling NaN only.
 */
uint32_t fp32_compare(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint32_t fp64_compare(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);

/* FPCompare() with signal_nans TRUE (FCMPE): as above, but every NaN raises INVALID. */
uint32_t fp32_compare_signal(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint32_t fp64_compare_signal(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);

/* FPCompareEQ(): 1 or 0; raises INVALID for a signalling NaN only. */
uint32_t fp32_compare_eq(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint32_t fp64_compare_eq(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);

/* FPCompareGE(), FPCompareGT(): 1 or 0; every NaN raises INVALID. */
uint32_t fp32_compare_ge(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint32_t fp64_compare_ge(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);
uint32_t fp32_compare_gt(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint32_t fp64_compare_gt(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);

/* ---- Estimates and their Newton steps. ------------------------------------------------------- */

/* FPRecipEstimate(): 1/a to 8 bits (FRECPE). */
uint32_t fp32_recip_estimate(uint32_t a, uint32_t control, uint32_t *flags);
uint64_t fp64_recip_estimate(uint64_t a, uint32_t control, uint32_t *flags);

/* FPRSqrtEstimate(): 1/sqrt(a) to 8 bits (FRSQRTE). */
uint32_t fp32_rsqrt_estimate(uint32_t a, uint32_t control, uint32_t *flags);
uint64_t fp64_rsqrt_estimate(uint64_t a, uint32_t control, uint32_t *flags);

/* FPRecpX(): the exponent inverted, the fraction cleared (FRECPX). */
uint32_t fp32_recpx(uint32_t a, uint32_t control, uint32_t *flags);
uint64_t fp64_recpx(uint64_t a, uint32_t control, uint32_t *flags);

/* FPRecipStepFused(): 2 - a * b, rounded once (FRECPS). */
uint32_t fp32_recip_step_fused(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint64_t fp64_recip_step_fused(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);

/* FPRSqrtStepFused(): (3 - a * b) / 2, rounded once (FRSQRTS). */
uint32_t fp32_rsqrt_step_fused(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint64_t fp64_rsqrt_step_fused(uint64_t a, uint64_t b, uint32_t control, uint32_t *flags);

/*
 * FPRecipStep(), FPRSqrtStep(): AArch32's VRECPS and VRSQRTS, which round the product first.
 * The manual fixes their control: pass FP_CONTROL_STANDARD.
 */
uint32_t fp32_recip_step(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);
uint32_t fp32_rsqrt_step(uint32_t a, uint32_t b, uint32_t control, uint32_t *flags);

/* UnsignedRecipEstimate(), UnsignedRSqrtEstimate(): URECPE and URSQRTE, on 0.32 fixed point. */
uint32_t arm_u32_recip_estimate(uint32_t a);
uint32_t arm_u32_rsqrt_estimate(uint32_t a);

/* ---- Conversion. ----------------------------------------------------------------------------- */

/*
 * FPRoundInt(): to an integral value in the same format. `rmode` is FP_ROUND_TIEEVEN ..
 * FP_ROUND_TIEAWAY (FRINTX and FRINTI pass ROUND); `exact` not 0 raises INEXACT if the value
 * changes (FRINTX).
 */
uint32_t fp32_round_int(uint32_t a, uint32_t rmode, uint32_t exact, uint32_t control,
                        uint32_t *flags);
uint64_t fp64_round_int(uint64_t a, uint32_t rmode, uint32_t exact, uint32_t control,
                        uint32_t *flags);

/*
 * FPToFixed(): to an integer of 16, 32 or 64 bits, signed or unsigned, of which the lowest `fbits`
 * (0..64) are a fraction. Out of range saturates, a NaN gives 0, and both raise INVALID.
 * `rmode` is FP_ROUND_TIEEVEN .. FP_ROUND_TIEAWAY. A signed result comes in two's
 * complement in the low bits of the return value, upper bits (of 16) zero.
 */
uint32_t fp32_to_s16(uint32_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint32_t fp32_to_u16(uint32_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint32_t fp32_to_s32(uint32_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint32_t fp32_to_u32(uint32_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint64_t fp32_to_s64(uint32_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint64_t fp32_to_u64(uint32_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint32_t fp64_to_s16(uint64_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint32_t fp64_to_u16(uint64_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint32_t fp64_to_s32(uint64_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint32_t fp64_to_u32(uint64_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint64_t fp64_to_s64(uint64_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint64_t fp64_to_u64(uint64_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);

/*
 * FixedToFP(): from an integer of which the lowest `fbits` (0..64) are a fraction; rounding is
 * ROUND. 16-bit fixed point is widened by the caller first. (AArch32's VCVT from fixed point
 * always rounds to nearest: its caller clears RMode.)
 */
uint32_t fp32_from_s32(uint32_t v, uint32_t fbits, uint32_t control, uint32_t *flags);
uint32_t fp32_from_u32(uint32_t v, uint32_t fbits, uint32_t control, uint32_t *flags);
uint32_t fp32_from_s64(uint64_t v, uint32_t fbits, uint32_t control, uint32_t *flags);
uint32_t fp32_from_u64(uint64_t v, uint32_t fbits, uint32_t control, uint32_t *flags);
uint64_t fp64_from_s32(uint32_t v, uint32_t fbits, uint32_t control, uint32_t *flags);
uint64_t fp64_from_u32(uint32_t v, uint32_t fbits, uint32_t control, uint32_t *flags);
uint64_t fp64_from_s64(uint64_t v, uint32_t fbits, uint32_t control, uint32_t *flags);
uint64_t fp64_from_u64(uint64_t v, uint32_t fbits, uint32_t control, uint32_t *flags);

/*
 * FPConvert(): between formats, rounding by ROUND. Half precision obeys ALTERNATIVE_HALF (such a
 * half has no NaN and no infinity) and is itself never flushed to zero.
 */
uint32_t fp16_to_fp32(uint16_t a, uint32_t control, uint32_t *flags);
uint64_t fp16_to_fp64(uint16_t a, uint32_t control, uint32_t *flags);
uint16_t fp32_to_fp16(uint32_t a, uint32_t control, uint32_t *flags);
uint64_t fp32_to_fp64(uint32_t a, uint32_t control, uint32_t *flags);
uint16_t fp64_to_fp16(uint64_t a, uint32_t control, uint32_t *flags);
uint32_t fp64_to_fp32(uint64_t a, uint32_t control, uint32_t *flags);

/* FPConvert() with FPRounding_ODD (FCVTXN): inexact results have an odd fraction. */
uint32_t fp64_to_fp32_odd(uint64_t a, uint32_t control, uint32_t *flags);

#endif
