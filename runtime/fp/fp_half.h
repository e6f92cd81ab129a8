/*
 * Arithmetic on half precision: fp16_NAME() is fp32_NAME() of fp.h on 16 bits. FLUSH_HALF flushes
 * denormals in place of FLUSH, and flushed operands do not raise INPUT_DENORMAL. ALTERNATIVE_HALF
 * affects conversions only. Fixed-point numbers are as in fp.h; a 16-bit one to be converted is
 * passed extended to 32 bits.
 */
#ifndef RUNTIME_FP_FP_HALF_H
#define RUNTIME_FP_FP_HALF_H

#include <stdint.h>

#include "runtime/fp/fp.h"

/* Arithmetic: fp32_NAME() on halves. */
uint16_t fp16_add(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);
uint16_t fp16_sub(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);
uint16_t fp16_mul(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);
uint16_t fp16_mulx(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);
uint16_t fp16_div(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);
uint16_t fp16_max(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);
uint16_t fp16_min(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);
uint16_t fp16_maxnum(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);
uint16_t fp16_minnum(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);
uint16_t fp16_recip_step_fused(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);
uint16_t fp16_rsqrt_step_fused(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);
uint16_t fp16_muladd(uint16_t addend, uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);

/* Comparisons. */
uint32_t fp16_compare(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);
uint32_t fp16_compare_signal(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);
uint32_t fp16_compare_eq(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);
uint32_t fp16_compare_ge(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);
uint32_t fp16_compare_gt(uint16_t a, uint16_t b, uint32_t control, uint32_t *flags);

/* Square root, rounding and estimates. */
uint16_t fp16_sqrt(uint16_t a, uint32_t control, uint32_t *flags);
uint16_t fp16_recip_estimate(uint16_t a, uint32_t control, uint32_t *flags);
uint16_t fp16_rsqrt_estimate(uint16_t a, uint32_t control, uint32_t *flags);
uint16_t fp16_recpx(uint16_t a, uint32_t control, uint32_t *flags);

uint16_t fp16_round_int(uint16_t a, uint32_t rmode, uint32_t exact, uint32_t control,
                        uint32_t *flags);
uint32_t fp16_to_s16(uint16_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint32_t fp16_to_u16(uint16_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint32_t fp16_to_s32(uint16_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint32_t fp16_to_u32(uint16_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint64_t fp16_to_s64(uint16_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint64_t fp16_to_u64(uint16_t a, uint32_t fbits, uint32_t rmode, uint32_t control, uint32_t *flags);
uint16_t fp16_from_s32(uint32_t v, uint32_t fbits, uint32_t control, uint32_t *flags);
uint16_t fp16_from_u32(uint32_t v, uint32_t fbits, uint32_t control, uint32_t *flags);
uint16_t fp16_from_s64(uint64_t v, uint32_t fbits, uint32_t control, uint32_t *flags);
uint16_t fp16_from_u64(uint64_t v, uint32_t fbits, uint32_t control, uint32_t *flags);

#endif
