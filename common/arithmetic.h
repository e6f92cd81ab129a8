/*
 * Arithmetic with the results that the IR defines (docs/understand/ir.md), where C defines none.
 *
 * int64_NAME() and int128_NAME() compute an integer operation for any width and sign: constant
 * folding (gencc/ir/arith.c) and the quick tier (runtime/jit/quick/evaluate.c) use them. What is
 * named cpu_ and CPU_ is for generated C, of CPUs and of lanes, which gencc writes with C's
 * operators (gencc/emit/c_dialect.c). So the evaluator of the IR is a referee of generated C that
 * shares no code with it.
 */
#ifndef COMMON_ARITHMETIC_H
#define COMMON_ARITHMETIC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 uint128_t;
typedef __int128 int128_t;

/* ---- integers by operation, width and sign --------------------------------------------------- */

#define INT_WORD       uint64_t
#define INT_SIGNED     int64_t
#define INT_WORD_BITS  64u
#define INT_NAME(name) int64_##name
#include "common/integers.inc"
#undef INT_WORD
#undef INT_SIGNED
#undef INT_WORD_BITS
#undef INT_NAME

#define INT_WORD       uint128_t
#define INT_SIGNED     int128_t
#define INT_WORD_BITS  128u
#define INT_NAME(name) int128_##name
#include "common/integers.inc"
#undef INT_WORD
#undef INT_SIGNED
#undef INT_WORD_BITS
#undef INT_NAME

/* ---- for generated C ------------------------------------------------------------------------- */

/* Types with suffix _m: for registers in memory, which are not aligned to their size. In the
 * other order of attributes, gcc 14 for AArch64 has an internal error where such a value is an
 * argument: may_alias makes a type of its own, whose alignment then counts as its natural one. */
typedef uint128_t uint128_m __attribute__((may_alias, aligned(1)));
#define CPU_VECTOR(name, lane, bytes)                      \
    typedef lane name __attribute__((vector_size(bytes))); \
    typedef lane name##_m __attribute__((vector_size(bytes), may_alias, aligned(1)))

/* Shifts of lanes by a vector of amounts; amounts of `bits` or more give 0. */
#define CPU_SHL_LANES(T, a, n, bits)                                                     \
    ({                                                                                   \
        T shl_n_ = (T)(n);                                                               \
        ((T)((T)(a) << (shl_n_ & ((T){} + ((bits)-1))))) & (T)(shl_n_ < (T){} + (bits)); \
    })
#define CPU_SHR_LANES(T, a, n, bits)                                                     \
    ({                                                                                   \
        T shr_n_ = (T)(n);                                                               \
        ((T)((T)(a) >> (shr_n_ & ((T){} + ((bits)-1))))) & (T)(shr_n_ < (T){} + (bits)); \
    })
#define CPU_ROR_LANES(T, a, n, bits)                                            \
    ({                                                                          \
        T ror_a_ = (T)(a), ror_n_ = (T)(n) & ((T){} + ((bits)-1));              \
        ror_a_ >> ror_n_ | ror_a_ << (((T){} - ror_n_) & ((T){} + ((bits)-1))); \
    })
#define CPU_ROL_LANES(T, a, n, bits) CPU_ROR_LANES(T, a, (T){} - (T)(n), bits)
#define CPU_MIN_LANES(T, n, max)                                                       \
    ({                                                                                 \
        T min_n_ = (T)(n), min_max_ = (T){} + (max), min_lt_ = (T)(min_n_ < min_max_); \
        (min_n_ & min_lt_) | (min_max_ & ~min_lt_);                                    \
    })

/* A shift amount for lanes of less than 64 bits: amounts above 255 become 255, which is still
 * larger than the lane's width. */
static inline uint8_t cpu_min_amount(uint64_t n)
{
    return n > 255 ? 255 : (uint8_t)n;
}

static inline float cpu_f32(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}
static inline uint32_t cpu_bits32(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return bits;
}
static inline double cpu_f64(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof(d));
    return d;
}
static inline uint64_t cpu_bits64(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

static inline uint32_t cpu_clz32(uint32_t x)
{
    return x ? (uint32_t)__builtin_clz(x) : 32;
}
static inline uint64_t cpu_clz64(uint64_t x)
{
    return x ? (uint64_t)__builtin_clzll(x) : 64;
}
static inline uint32_t cpu_ctz32(uint32_t x)
{
    return x ? (uint32_t)__builtin_ctz(x) : 32;
}
static inline uint64_t cpu_ctz64(uint64_t x)
{
    return x ? (uint64_t)__builtin_ctzll(x) : 64;
}
static inline uint64_t cpu_bitrev64(uint64_t x)
{
    x = (x >> 1 & UINT64_C(0x5555555555555555)) | (x & UINT64_C(0x5555555555555555)) << 1;
    x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
    x = (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
    return __builtin_bswap64(x);
}
static inline uint32_t cpu_bitrev32(uint32_t x)
{
    return (uint32_t)(cpu_bitrev64(x) >> 32);
}
static inline uint64_t cpu_umulh(uint64_t a, uint64_t b)
{
    return (uint64_t)(((uint128_t)a * b) >> 64);
}
static inline uint64_t cpu_smulh(uint64_t a, uint64_t b)
{
    return (uint64_t)(((int128_t)(int64_t)a * (int64_t)b) >> 64);
}
/* Truncates toward zero and saturates to an integer of `bits` <= 64 bits; NaN gives 0. */
static inline uint64_t cpu_to_uint(double d, unsigned bits)
{
    uint64_t max = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

    if (!(d > 0))
        return 0;
    return d >= ldexp(1.0, (int)bits) ? max : (uint64_t)d;
}
static inline int64_t cpu_to_sint(double d, unsigned bits)
{
    double limit = ldexp(1.0, (int)bits - 1);

    if (d != d)
        return 0;
    if (d >= limit)
        return bits >= 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
    if (d <= -limit)
        return bits >= 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
    return (int64_t)d;
}

/* Rounds to an integral value. The modes are those of docs/describe/genc.md: 0 to nearest, ties to
 * even; 1 up; 2 down; 3 toward zero; 4 to nearest, ties away from zero; others as 0. */
static inline double cpu_round(double d, unsigned mode)
{
    if (d != d)
        return d + d; /* makes a NaN quiet, which some of the functions below do not */
    switch (mode) {
    case 1:
        return ceil(d);
    case 2:
        return floor(d);
    case 3:
        return trunc(d);
    case 4:
        return round(d);
    default:
        return roundeven(d);
    }
}

/* Whether a float, given by its bits without the sign, is a quiet (is_quiet) or a signalling NaN.
 * `quiet` is the quiet bit, `infinity` the bits of infinity. */
static inline uint8_t cpu_is_nan(uint64_t magnitude, uint64_t quiet, uint64_t infinity,
                                 bool is_quiet)
{
    return magnitude > infinity && !(magnitude & quiet) == !is_quiet;
}
static inline uint8_t cpu_f32_is_nan(float f, bool is_quiet)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return cpu_is_nan(bits & INT32_MAX, 1u << 22, 0x7f800000, is_quiet);
}
static inline uint8_t cpu_f64_is_nan(double d, bool is_quiet)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof(bits));
    return cpu_is_nan(bits & INT64_MAX, UINT64_C(1) << 51, UINT64_C(0x7ff) << 52, is_quiet);
}
/* The sum of two doubles that are given by their bits. */
static inline uint64_t cpu_add_doubles(uint64_t a, uint64_t b)
{
    double x, y;

    memcpy(&x, &a, sizeof(x));
    memcpy(&y, &b, sizeof(y));
    x += y;
    memcpy(&a, &x, sizeof(a));
    return a;
}

#endif
