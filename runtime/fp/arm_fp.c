/*
 * The functions of arm_fp.h that have a fast path, as functions that can be called from anywhere.
 * A name in parentheses is not the macro that arm_fp_inline.h makes of it.
 */
#include "runtime/fp/arm_fp_inline.h"

#define BINARY(W, op)                                                                           \
    uint##W##_t(arm_fp##W##_##op)(uint##W##_t a, uint##W##_t b, uint32_t fpcr, uint32_t * fpsr) \
    {                                                                                           \
        return arm_fp##W##_##op##_inline(a, b, fpcr, fpsr);                                     \
    }
#define COMPARE(W, op)                                                                       \
    uint32_t(arm_fp##W##_##op)(uint##W##_t a, uint##W##_t b, uint32_t fpcr, uint32_t * fpsr) \
    {                                                                                        \
        return arm_fp##W##_##op##_inline(a, b, fpcr, fpsr);                                  \
    }
#define INTEGER(W, letter, M)                                                               \
    uint##M##_t(arm_fp##W##_to_##letter##M)(uint##W##_t a, uint32_t fbits, uint32_t rmode,  \
                                            uint32_t fpcr, uint32_t * fpsr)                 \
    {                                                                                       \
        return arm_fp##W##_to_##letter##M##_inline(a, fbits, rmode, fpcr, fpsr);            \
    }                                                                                       \
    uint##W##_t(arm_fp##W##_from_##letter##M)(uint##M##_t v, uint32_t fbits, uint32_t fpcr, \
                                              uint32_t * fpsr)                              \
    {                                                                                       \
        return arm_fp##W##_from_##letter##M##_inline(v, fbits, fpcr, fpsr);                 \
    }
#define OTHERS(W)                                                                     \
    uint##W##_t(arm_fp##W##_sqrt)(uint##W##_t a, uint32_t fpcr, uint32_t * fpsr)      \
    {                                                                                 \
        return arm_fp##W##_sqrt_inline(a, fpcr, fpsr);                                \
    }                                                                                 \
    uint##W##_t(arm_fp##W##_muladd)(uint##W##_t addend, uint##W##_t a, uint##W##_t b, \
                                    uint32_t fpcr, uint32_t * fpsr)                   \
    {                                                                                 \
        return arm_fp##W##_muladd_inline(addend, a, b, fpcr, fpsr);                   \
    }

ARM_FP_FAST_BINARY(BINARY, 32)
ARM_FP_FAST_BINARY(BINARY, 64)
ARM_FP_FAST_COMPARE(COMPARE, 32)
ARM_FP_FAST_COMPARE(COMPARE, 64)
ARM_FP_FAST_INTEGERS(INTEGER, 32)
ARM_FP_FAST_INTEGERS(INTEGER, 64)
OTHERS(32)
OTHERS(64)

uint64_t(arm_fp32_to_fp64)(uint32_t a, uint32_t fpcr, uint32_t *fpsr)
{
    return arm_fp32_to_fp64_inline(a, fpcr, fpsr);
}

uint32_t(arm_fp64_to_fp32)(uint64_t a, uint32_t fpcr, uint32_t *fpsr)
{
    return arm_fp64_to_fp32_inline(a, fpcr, fpsr);
}

#if defined(__x86_64__)
__attribute__((target("fma"))) static uint64_t fused(uint64_t addend, uint64_t a, uint64_t b)
{
    return arm_fp64_bits(__builtin_fma(arm_fp64_host(a), arm_fp64_host(b), arm_fp64_host(addend)));
}

static bool has_fused(void)
{
    return __builtin_cpu_supports("fma");
}
#else
static uint64_t fused(uint64_t addend, uint64_t a, uint64_t b)
{
    (void)a;
    (void)b;
    return addend;
}

static bool has_fused(void)
{
    return false;
}
#endif

uint64_t arm_fp64_muladd_outline(uint64_t addend, uint64_t a, uint64_t b, uint32_t fpcr,
                                 uint32_t *fpsr)
{
    if (ARM_FP_LIKELY(ARM_FP_NEAREST(fpcr) && ARM_FP_INEXACT(fpsr) && has_fused() &&
                      !arm_fp64_flushed2(a, b, fpcr) && !arm_fp64_flushed(addend, fpcr))) {
        uint64_t result = fused(addend, a, b);

        if (arm_fp64_is_safe(result))
            return result;
    }
    return arm_fp64_muladd_slow(addend, a, b, fpcr, fpsr);
}
