/* Random numbers to test with, and comparison of results. */
#ifndef TESTS_BIFROST_FP_NUMBERS_H
#define TESTS_BIFROST_FP_NUMBERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "runtime/gpu/numeric/numeric.h"

/* xorshift64 */
static inline uint64_t draw_u64(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* A random float of any kind; special bits, small exponents and few set bits are favoured. */
static inline float any_float(uint64_t *state)
{
    static const uint32_t special[] = {0,          1,          0x007fffff, 0x00800000, 0x3f800000,
                                       0x3f800001, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x4b000000,
                                       0x4f000000, 0x33800000, 0x34000000, 0x3f000000, 0x40000000};
    uint64_t r = draw_u64(state);
    uint32_t bits = (uint32_t)r, sign = bits & 0x80000000;
    switch (r >> 60) {
    case 0:
        return gpu_float(special[(r >> 32) % (sizeof(special) / sizeof(special[0]))] | sign);
    case 1:
    case 2: /* around 1, with bits at both ends of the fraction */
        return gpu_float((bits & 0x807c001f) % 0x05000000 + 0x3d000000 + sign);
    case 3: /* subnormal */
        return gpu_float(bits & (0x807fffff >> (r >> 32 & 1)));
    case 4: /* few set bits */
        return gpu_float(bits & 0xfff00000);
    case 5:
    case 6:
    case 7: /* close to each other */
        return gpu_float(0x3f000000 + (bits & 0x81ffffff));
    default:
        return gpu_float(bits);
    }
}

static inline int is_nan32(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

/* Expects the same bits, or two NaNs. */
static inline void same_float(float got, float expected, const char *what, float a, float b,
                              float c)
{
    uint32_t g = gpu_bits(got), e = gpu_bits(expected);
    if (g != e && !(is_nan32(g) && is_nan32(e)))
        fail_msg("%s(%a, %a, %a): %a, expected %a", what, (double)a, (double)b, (double)c,
                 (double)got, (double)expected);
}

#endif
