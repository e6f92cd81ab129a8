/*
 * Arm floating point, bit for bit: the shared functions of the Arm Architecture Reference Manual
 * (DDI 0487, "Shared pseudocode functions", section shared/functions/float), as plain C functions
 * that interpreters, translators and libffi call alike.
 *
 * Conventions of every function below:
 *  - A floating-point value is its bits in an unsigned integer of its own width.
 *  - `fpcr` has the layout of AArch64's FPCR. Read are AHP (26), DN (25), FZ (24) and RMode
 * (23:22); every other bit is ignored, so traps, FEAT_AFP and FEAT_FP16 do not exist here. A caller
 * that wants AArch32's "standard FPSCR value" passes ARM_FPCR_STANDARD.
 *  - `*fpsr` has the layout of AArch64's FPSR. Cumulative flags are OR-ed into it; nothing is ever
 *    cleared, and QC is never touched. The pointer must be valid.
 *  - NaNs propagate as in FPProcessNaN(): the first signalling operand, else the first quiet one,
 *    made quiet; or the default NaN if DN is set. Tininess is detected before rounding.
 *  - There is no error to report, no global state, and nothing to free. The only thing asked of
 *    the host is that its rounding mode is to nearest and that denormals are not flushed, which is
 *    how a process starts.
 *
 * arm_fp_inline.h has the same functions with the common cases inlined.
 */
#ifndef RUNTIME_FP_ARM_FP_H
#define RUNTIME_FP_ARM_FP_H

#include <stdint.h>

/* FPCR fields. */
#define ARM_FPCR_RMODE_SHIFT 22
#define ARM_FPCR_RMODE       (3u << ARM_FPCR_RMODE_SHIFT)
#define ARM_FPCR_FZ          (1u << 24)
#define ARM_FPCR_DN          (1u << 25)
#define ARM_FPCR_AHP         (1u << 26)

/* What StandardFPSCRValue() gives when AHP is clear: AArch32 Advanced SIMD always computes so. */
#define ARM_FPCR_STANDARD (ARM_FPCR_DN | ARM_FPCR_FZ)

/* FPSR cumulative flags. */
#define ARM_FPSR_IOC (1u << 0)
#define ARM_FPSR_DZC (1u << 1)
#define ARM_FPSR_OFC (1u << 2)
#define ARM_FPSR_UFC (1u << 3)
#define ARM_FPSR_IXC (1u << 4)
#define ARM_FPSR_IDC (1u << 7)

/*
 * Rounding arguments (`rmode`): FPCR.RMode's values, and two that only instructions choose. A
 * function that takes one says which; others round to zero.
 */
#define ARM_FP_ROUND_TIEEVEN 0u
#define ARM_FP_ROUND_POSINF  1u
#define ARM_FP_ROUND_NEGINF  2u
#define ARM_FP_ROUND_ZERO    3u
#define ARM_FP_ROUND_TIEAWAY 4u
#define ARM_FP_ROUND_ODD     5u

/* ---- Arithmetic. Rounding is FPCR.RMode. ----------------------------------------------------- */

/* FPAdd(): a + b. */
uint32_t arm_fp32_add(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_add(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);

/* FPSub(): a - b. Unlike adding -b, a NaN in b keeps its sign. */
uint32_t arm_fp32_sub(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_sub(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);

/* FPMul(): a * b. FNMUL is this with the result's sign bit inverted by the caller. */
uint32_t arm_fp32_mul(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_mul(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);

/* FPMulX(): a * b, where infinity times zero is 2 with the product's sign and raises nothing. */
uint32_t arm_fp32_mulx(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_mulx(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);

/* FPDiv(): a / b. */
uint32_t arm_fp32_div(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_div(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);

/*
 * FPMulAdd(): addend + a * b, rounded once. FMSUB, FNMADD, FMLS ... are this with operands negated
 * by the caller (sign bit inverted, NaNs too). Infinity times zero plus a quiet NaN is the default
 * NaN and raises IOC.
 */
uint32_t arm_fp32_muladd(uint32_t addend, uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_muladd(uint64_t addend, uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);

/* FPSqrt(). */
uint32_t arm_fp32_sqrt(uint32_t a, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_sqrt(uint64_t a, uint32_t fpcr, uint32_t *fpsr);

/* FPMax(), FPMin(): any NaN gives a NaN; +0 is greater than -0. */
uint32_t arm_fp32_max(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_max(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp32_min(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_min(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);

/* FPMaxNum(), FPMinNum(): a number wins over a quiet NaN. */
uint32_t arm_fp32_maxnum(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_maxnum(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp32_minnum(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_minnum(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);

/* ---- Comparison. ----------------------------------------------------------------------------- */

/*
 * FPCompare() with signal_nans FALSE (FCMP): NZCV as a number, N in bit 3: equal 6, less 8,
 * greater 2, unordered 3. IOC is raised for a signalling NaN only.
 */
uint32_t arm_fp32_compare(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp64_compare(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);

/* FPCompare() with signal_nans TRUE (FCMPE): as above, but every NaN raises IOC. */
uint32_t arm_fp32_compare_signal(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp64_compare_signal(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);

/* FPCompareEQ(): 1 or 0; raises IOC for a signalling NaN only. */
uint32_t arm_fp32_compare_eq(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp64_compare_eq(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);

/* FPCompareGE(), FPCompareGT(): 1 or 0; every NaN raises IOC. FACGE/FACGT clear the signs first. */
uint32_t arm_fp32_compare_ge(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp64_compare_ge(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp32_compare_gt(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp64_compare_gt(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);

/* ---- Estimates and their Newton steps. ------------------------------------------------------- */

/* FPRecipEstimate(): 1/a to 8 bits (FRECPE). */
uint32_t arm_fp32_recip_estimate(uint32_t a, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_recip_estimate(uint64_t a, uint32_t fpcr, uint32_t *fpsr);

/* FPRSqrtEstimate(): 1/sqrt(a) to 8 bits (FRSQRTE). */
uint32_t arm_fp32_rsqrt_estimate(uint32_t a, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_rsqrt_estimate(uint64_t a, uint32_t fpcr, uint32_t *fpsr);

/* FPRecpX(): the exponent inverted, the fraction cleared (FRECPX). */
uint32_t arm_fp32_recpx(uint32_t a, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_recpx(uint64_t a, uint32_t fpcr, uint32_t *fpsr);

/* FPRecipStepFused(): 2 - a * b, rounded once (FRECPS). */
uint32_t arm_fp32_recip_step_fused(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_recip_step_fused(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);

/* FPRSqrtStepFused(): (3 - a * b) / 2, rounded once (FRSQRTS). */
uint32_t arm_fp32_rsqrt_step_fused(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_rsqrt_step_fused(uint64_t a, uint64_t b, uint32_t fpcr, uint32_t *fpsr);

/*
 * FPRecipStep(), FPRSqrtStep(): AArch32's VRECPS and VRSQRTS, which round the product first.
 * The manual fixes their FPCR: pass ARM_FPCR_STANDARD.
 */
uint32_t arm_fp32_recip_step(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp32_rsqrt_step(uint32_t a, uint32_t b, uint32_t fpcr, uint32_t *fpsr);

/* UnsignedRecipEstimate(), UnsignedRSqrtEstimate(): URECPE and URSQRTE, on 0.32 fixed point. */
uint32_t arm_u32_recip_estimate(uint32_t a);
uint32_t arm_u32_rsqrt_estimate(uint32_t a);

/* ---- Conversion. ----------------------------------------------------------------------------- */

/*
 * FPRoundInt(): to an integral value in the same format. `rmode` is ARM_FP_ROUND_TIEEVEN ..
 * ARM_FP_ROUND_TIEAWAY (FRINTX and FRINTI pass FPCR.RMode); `exact` not 0 raises IXC if the value
 * changes (FRINTX).
 */
uint32_t arm_fp32_round_int(uint32_t a, uint32_t rmode, uint32_t exact, uint32_t fpcr,
                            uint32_t *fpsr);
uint64_t arm_fp64_round_int(uint64_t a, uint32_t rmode, uint32_t exact, uint32_t fpcr,
                            uint32_t *fpsr);

/*
 * FPToFixed(): to an integer of 16, 32 or 64 bits, signed or unsigned, of which the lowest `fbits`
 * (0..64) are a fraction. Out of range saturates and raises IOC, a NaN gives 0 and raises IOC.
 * `rmode` is ARM_FP_ROUND_TIEEVEN .. ARM_FP_ROUND_TIEAWAY. A signed result comes in two's
 * complement in the low bits of the return value, upper bits (of 16) zero.
 */
uint32_t arm_fp32_to_s16(uint32_t a, uint32_t fbits, uint32_t rmode, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp32_to_u16(uint32_t a, uint32_t fbits, uint32_t rmode, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp32_to_s32(uint32_t a, uint32_t fbits, uint32_t rmode, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp32_to_u32(uint32_t a, uint32_t fbits, uint32_t rmode, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp32_to_s64(uint32_t a, uint32_t fbits, uint32_t rmode, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp32_to_u64(uint32_t a, uint32_t fbits, uint32_t rmode, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp64_to_s16(uint64_t a, uint32_t fbits, uint32_t rmode, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp64_to_u16(uint64_t a, uint32_t fbits, uint32_t rmode, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp64_to_s32(uint64_t a, uint32_t fbits, uint32_t rmode, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp64_to_u32(uint64_t a, uint32_t fbits, uint32_t rmode, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_to_s64(uint64_t a, uint32_t fbits, uint32_t rmode, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_to_u64(uint64_t a, uint32_t fbits, uint32_t rmode, uint32_t fpcr, uint32_t *fpsr);

/*
 * FixedToFP(): from an integer of which the lowest `fbits` (0..64) are a fraction; rounding is
 * FPCR.RMode. 16-bit fixed point is widened by the caller first. (AArch32's VCVT from fixed point
 * always rounds to nearest: its caller clears RMode.)
 */
uint32_t arm_fp32_from_s32(uint32_t v, uint32_t fbits, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp32_from_u32(uint32_t v, uint32_t fbits, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp32_from_s64(uint64_t v, uint32_t fbits, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp32_from_u64(uint64_t v, uint32_t fbits, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_from_s32(uint32_t v, uint32_t fbits, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_from_u32(uint32_t v, uint32_t fbits, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_from_s64(uint64_t v, uint32_t fbits, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp64_from_u64(uint64_t v, uint32_t fbits, uint32_t fpcr, uint32_t *fpsr);

/*
 * FPConvert(): between formats, rounding by FPCR.RMode. Half precision obeys AHP (the alternative
 * format has no NaN and no infinity) and is itself never flushed to zero.
 */
uint32_t arm_fp16_to_fp32(uint16_t a, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp16_to_fp64(uint16_t a, uint32_t fpcr, uint32_t *fpsr);
uint16_t arm_fp32_to_fp16(uint32_t a, uint32_t fpcr, uint32_t *fpsr);
uint64_t arm_fp32_to_fp64(uint32_t a, uint32_t fpcr, uint32_t *fpsr);
uint16_t arm_fp64_to_fp16(uint64_t a, uint32_t fpcr, uint32_t *fpsr);
uint32_t arm_fp64_to_fp32(uint64_t a, uint32_t fpcr, uint32_t *fpsr);

/* FPConvert() with FPRounding_ODD (FCVTXN): inexact results have an odd fraction. */
uint32_t arm_fp64_to_fp32_odd(uint64_t a, uint32_t fpcr, uint32_t *fpsr);

#endif
