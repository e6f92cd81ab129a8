/*
 * The functions of fp.h that have a fast path, as functions with an address. Their names are in
 * parentheses, so that they are not expanded as macros of fp_inline.h.
 */
#include "runtime/fp/fp_inline.h"

#define BINARY(W, op)                                                                           \
    uint##W##_t(fp##W##_##op)(uint##W##_t a, uint##W##_t b, uint32_t control, uint32_t * flags) \
    {                                                                                           \
        return fp##W##_##op##_inline(a, b, control, flags);                                     \
    }
#define COMPARE(W, op)                                                                       \
    uint32_t(fp##W##_##op)(uint##W##_t a, uint##W##_t b, uint32_t control, uint32_t * flags) \
    {                                                                                        \
        return fp##W##_##op##_inline(a, b, control, flags);                                  \
    }
#define INTEGER(W, letter, M)                                                              \
    uint##M##_t(fp##W##_to_##letter##M)(uint##W##_t a, uint32_t fbits, uint32_t rmode,     \
                                        uint32_t control, uint32_t * flags)                \
    {                                                                                      \
        return fp##W##_to_##letter##M##_inline(a, fbits, rmode, control, flags);           \
    }                                                                                      \
    uint##W##_t(fp##W##_from_##letter##M)(uint##M##_t v, uint32_t fbits, uint32_t control, \
                                          uint32_t * flags)                                \
    {                                                                                      \
        return fp##W##_from_##letter##M##_inline(v, fbits, control, flags);                \
    }
#define OTHERS(W)                                                                 \
    uint##W##_t(fp##W##_sqrt)(uint##W##_t a, uint32_t control, uint32_t * flags)  \
    {                                                                             \
        return fp##W##_sqrt_inline(a, control, flags);                            \
    }                                                                             \
    uint##W##_t(fp##W##_muladd)(uint##W##_t addend, uint##W##_t a, uint##W##_t b, \
                                uint32_t control, uint32_t * flags)               \
    {                                                                             \
        return fp##W##_muladd_inline(addend, a, b, control, flags);               \
    }

FP_FAST_BINARY(BINARY, 32)
FP_FAST_BINARY(BINARY, 64)
FP_FAST_COMPARE(COMPARE, 32)
FP_FAST_COMPARE(COMPARE, 64)
FP_FAST_INTEGERS(INTEGER, 32)
FP_FAST_INTEGERS(INTEGER, 64)
OTHERS(32)
OTHERS(64)

uint64_t(fp32_to_fp64)(uint32_t a, uint32_t control, uint32_t *flags)
{
    return fp32_to_fp64_inline(a, control, flags);
}

uint32_t(fp64_to_fp32)(uint64_t a, uint32_t control, uint32_t *flags)
{
    return fp64_to_fp32_inline(a, control, flags);
}

#if defined(__x86_64__)
__attribute__((target("fma"))) static uint64_t fused_muladd(uint64_t addend, uint64_t a, uint64_t b)
{
    return fp64_bits(__builtin_fma(fp64_host(a), fp64_host(b), fp64_host(addend)));
}

static bool has_fused(void)
{
    return __builtin_cpu_supports("fma");
}
#else
static uint64_t fused_muladd(uint64_t addend, uint64_t a, uint64_t b)
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

uint64_t fp64_muladd_outline(uint64_t addend, uint64_t a, uint64_t b, uint32_t control,
                             uint32_t *flags)
{
    if (FP_LIKELY(FP_NEAREST(control) && FP_INEXACT(flags) && has_fused() &&
                  !fp64_flushed2(a, b, control) && !fp64_flushed(addend, control))) {
        uint64_t result = fused_muladd(addend, a, b);

        if (fp64_is_safe(result))
            return result;
    }
    return fp64_muladd_slow(addend, a, b, control, flags);
}
