/*
 * The functions of fp.h that have a fast path (fp_inline.h), without it: for every operand and
 * `control`, by integer arithmetic only. Parameters and results are those of the function of the
 * same name without "_slow".
 */
#ifndef RUNTIME_FP_FP_SLOW_H
#define RUNTIME_FP_FP_SLOW_H

#include <stdint.h>

/* All operations with two operands and a result of W bits, as X(W, operation). */
#define FP_FAST_BINARY(X, W) \
    X(W, add)                \
    X(W, sub)                \
    X(W, mul)                \
    X(W, div)                \
    X(W, max)                \
    X(W, min)                \
    X(W, maxnum)             \
    X(W, minnum)

/* All comparisons, as X(W, operation). */
#define FP_FAST_COMPARE(X, W) \
    X(W, compare)             \
    X(W, compare_signal)      \
    X(W, compare_eq)          \
    X(W, compare_ge)          \
    X(W, compare_gt)

/* All integer types of conversions from and to floats, as X(W, letter, width). */
#define FP_FAST_INTEGERS(X, W) \
    X(W, s, 32)                \
    X(W, u, 32)                \
    X(W, s, 64)                \
    X(W, u, 64)

#define FP_SLOW_BINARY(W, op)                                                       \
    uint##W##_t fp##W##_##op##_slow(uint##W##_t a, uint##W##_t b, uint32_t control, \
                                    uint32_t *flags);
#define FP_SLOW_COMPARE(W, op) \
    uint32_t fp##W##_##op##_slow(uint##W##_t a, uint##W##_t b, uint32_t control, uint32_t *flags);
#define FP_SLOW_INTEGER(W, letter, M)                                                            \
    uint##M##_t fp##W##_to_##letter##M##_slow(uint##W##_t a, uint32_t fbits, uint32_t rmode,     \
                                              uint32_t control, uint32_t *flags);                \
    uint##W##_t fp##W##_from_##letter##M##_slow(uint##M##_t v, uint32_t fbits, uint32_t control, \
                                                uint32_t *flags);
#define FP_SLOW_OTHERS(W)                                                             \
    uint##W##_t fp##W##_sqrt_slow(uint##W##_t a, uint32_t control, uint32_t *flags);  \
    uint##W##_t fp##W##_muladd_slow(uint##W##_t addend, uint##W##_t a, uint##W##_t b, \
                                    uint32_t control, uint32_t *flags);

FP_FAST_BINARY(FP_SLOW_BINARY, 32)
FP_FAST_BINARY(FP_SLOW_BINARY, 64)
FP_FAST_COMPARE(FP_SLOW_COMPARE, 32)
FP_FAST_COMPARE(FP_SLOW_COMPARE, 64)
FP_FAST_INTEGERS(FP_SLOW_INTEGER, 32)
FP_FAST_INTEGERS(FP_SLOW_INTEGER, 64)
FP_SLOW_OTHERS(32)
FP_SLOW_OTHERS(64)

/* fp64_muladd_slow(), with the host's fused instruction where CPUID reports one. */
uint64_t fp64_muladd_outline(uint64_t addend, uint64_t a, uint64_t b, uint32_t control,
                             uint32_t *flags);

/* FPConvert(). */
uint64_t fp32_to_fp64_slow(uint32_t a, uint32_t control, uint32_t *flags);
uint32_t fp64_to_fp32_slow(uint64_t a, uint32_t control, uint32_t *flags);

#undef FP_SLOW_BINARY
#undef FP_SLOW_COMPARE
#undef FP_SLOW_INTEGER
#undef FP_SLOW_OTHERS

#endif
