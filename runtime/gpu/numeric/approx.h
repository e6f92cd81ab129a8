/*
 * Results of the transcendental instructions of shader cores. The contents of the hardware's tables
 * are not public. These values give the best results in the instruction sequences that compilers
 * emit, rounded to single precision. The code is straight-line code in double precision, with the
 * same results on every host.
 */
#ifndef RUNTIME_GPU_NUMERIC_APPROX_H
#define RUNTIME_GPU_NUMERIC_APPROX_H

#include "runtime/gpu/numeric/bits.h"

/* The split of a number into a fraction and an exponent, x = f * 2^e. */
enum gpu_split {
    GPU_SPLIT_PLAIN, /* f in [1/2, 1), as C's frexp() */
    GPU_SPLIT_ROOT,  /* f in [1/4, 1), x = f * 2^2e */
    GPU_SPLIT_LOG,   /* f in [3/4, 3/2) */
};

/* Exponent of x's first bit, for a finite x that is not zero; *fraction is its significand's 23
 * bits behind the point. */
GPU_NUMERIC int32_t gpu_exponent(float x, uint32_t *fraction)
{
    uint32_t size = gpu_bits(x) & ~GPU_F32_SIGN, tiny = size < GPU_F32_NORMAL;
    size = tiny ? gpu_bits(gpu_float(size) * 16777216.0f) : size;
    *fraction = size & 0x7fffff;
    return (int32_t)(size >> 23) - 127 - (tiny ? 24 : 0);
}

/* 1 for zeros, infinities and NaNs. */
GPU_NUMERIC uint32_t gpu_is_special(float x)
{
    uint32_t size = gpu_bits(x) & ~GPU_F32_SIGN;
    return (size == 0) | (size >= GPU_F32_INFINITY);
}

/* The fraction of x, with its sign. Zeros, NaNs and infinities are returned unchanged, except for
 * an infinity in a logarithm: its fraction is 1, so that the rest of the sequence stays finite. */
GPU_NUMERIC float gpu_split_fraction(float x, uint8_t how)
{
    uint32_t fraction, sign = gpu_bits(x) & GPU_F32_SIGN;
    int32_t e = gpu_exponent(x, &fraction);
    uint32_t exponent = how == GPU_SPLIT_ROOT  ? (e & 1 ? 126 : 125)
                        : how == GPU_SPLIT_LOG ? (fraction < 0x400000 ? 127 : 126)
                                               : 126;
    float split = gpu_float(sign | exponent << 23 | fraction);
    float special = how == GPU_SPLIT_LOG && (gpu_bits(x) & ~GPU_F32_SIGN) == GPU_F32_INFINITY
                        ? gpu_float(sign | 0x3f800000)
                        : x;
    return gpu_is_special(x) ? special : split;
}

/* The exponent of x; 0 for zeros, infinities and NaNs. */
GPU_NUMERIC int32_t gpu_split_exponent(float x, uint8_t how)
{
    uint32_t fraction;
    int32_t e = gpu_exponent(x, &fraction);
    int32_t split = how == GPU_SPLIT_ROOT  ? (e >> 1) + 1
                    : how == GPU_SPLIT_LOG ? e + (fraction >= 0x400000)
                                           : e + 1;
    return gpu_is_special(x) ? 0 : split;
}

/* 1 / sqrt(x) */
GPU_NUMERIC float gpu_reciprocal_root(float x)
{
    return (float)(1.0 / __builtin_sqrt((double)x));
}

/* log2(x) / (x - 1) for x in [2/3, 3/2]. With z = (x - 1) / (x + 1), this is the logarithm's series
 * 2 / ln 2 * (z + z^3 / 3 + z^5 / 5 + ...) divided by x - 1 = z * (x + 1). */
GPU_NUMERIC double gpu_log_slope(double x)
{
    double z = (x - 1) / (x + 1), q = z * z;
    double s =
        1 + q * (1.0 / 3 +
                 q * (1.0 / 5 +
                      q * (1.0 / 7 +
                           q * (1.0 / 9 +
                                q * (1.0 / 11 +
                                     q * (1.0 / 13 +
                                          q * (1.0 / 15 + q * (1.0 / 17 + q * (1.0 / 19)))))))));
    return s * (2.88539008177792681472 / (x + 1));
}

/* FLOGD: with e = gpu_split_exponent(x, GPU_SPLIT_LOG), log2(x) = e + result * (fraction - 1).
 * +infinity for zeros and for +infinity, NaN for a negative number. */
GPU_NUMERIC float gpu_log_difference(float x)
{
    float f = gpu_split_fraction(x, GPU_SPLIT_LOG);
    float zero = gpu_float(GPU_F32_INFINITY), nan = gpu_float(GPU_F32_NAN);
    float r = (float)gpu_log_slope(x > 0 ? f : 1);
    r = x > 0 ? r : x == 0 ? zero : nan;
    return x == gpu_float(GPU_F32_INFINITY) ? x : r;
}

/* FLOG_TABLE.red: an approximation of 1 / fraction; 1 where there is none. */
GPU_NUMERIC float gpu_log_reduction(float x)
{
    float f = gpu_split_fraction(x, GPU_SPLIT_LOG);
    return gpu_is_special(x) ? 1.0f : 1.0f / f;
}

/* FLOG_TABLE.base2 and .natural: minus the logarithm of gpu_log_reduction(x). -infinity for zeros,
 * +infinity for +infinity, NaN for a negative number. */
GPU_NUMERIC float gpu_log_of_reduction(float x, uint8_t natural)
{
    double r = gpu_log_reduction(x > 0 ? x : 1);
    double log = gpu_log_slope(r) * (1 - r) * (natural ? 0.693147180559945309417 : 1);
    float zero = gpu_float(GPU_F32_SIGN | GPU_F32_INFINITY), nan = gpu_float(GPU_F32_NAN);
    float v = x > 0 ? (float)log : x == 0 ? zero : nan;
    return x == gpu_float(GPU_F32_INFINITY) ? x : v;
}

/* 2 to the power of x, for x in [-1/2, 1/2]: Taylor's series. */
GPU_NUMERIC double gpu_exp2_near(double x)
{
    double t = x * 0.693147180559945309417;
    return 1 + t * (1 + t * (1.0 / 2 +
                             t * (1.0 / 6 +
                                  t * (1.0 / 24 +
                                       t * (1.0 / 120 +
                                            t * (1.0 / 720 +
                                                 t * (1.0 / 5040 +
                                                      t * (1.0 / 40320 +
                                                           t * (1.0 / 362880 +
                                                                t * (1.0 / 3628800 +
                                                                     t * (1.0 / 39916800)))))))))));
}

/* FEXP: 2 to the power of fixed / 2^24. `scaled` is the same as a float (times 2^24) and decides
 * whether `fixed` is saturated. */
GPU_NUMERIC float gpu_exp2_fixed(int32_t fixed, float scaled)
{
    double limited = scaled < -3.0e9f ? -3.0e9 : scaled > 3.0e9f ? 3.0e9 : (double)scaled;
    double inside = (double)fixed;
    int saturated = !(scaled > -2147483648.0f && scaled < 2147483648.0f);
    double x = (saturated && scaled == scaled ? limited : inside) / 16777216.0;
    int32_t whole = (int32_t)(x + 1024.5) - 1024; /* x is far from -1024 */
    double r = gpu_exp2_near(x - whole) * gpu_double((uint64_t)(uint32_t)(whole + 1023) << 52);
    return scaled == scaled ? (float)r : scaled;
}

/* FEXP_TABLE: 2 to the power of (n mod 16) / 16. */
float gpu_exp2_sixteenth(uint32_t n);
/* FSIN_TABLE, FCOS_TABLE: sine and cosine of (n mod 64) * pi / 32. */
float gpu_sin_step(uint32_t n);
float gpu_cos_step(uint32_t n);

#endif
