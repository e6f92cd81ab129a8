/*
 * Single-precision arithmetic in every rounding mode, exactly.
 *
 * A sum or product is first computed as a double that is rounded to odd: toward zero, and then the
 * last bit is set if anything was lost. A double has more than two significant bits more than a
 * float. Rounding the double to a float, in any mode, therefore equals rounding the exact result
 * (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
 *
 * The host must round to nearest and keep subnormal numbers.
 */
#ifndef RUNTIME_GPU_NUMERIC_ROUND_H
#define RUNTIME_GPU_NUMERIC_ROUND_H

#include "runtime/gpu/numeric/bits.h"

/* a + b, wide. With `mode` GPU_ROUND_DOWN an exact zero that is not the sum of two +0 is -0. The
 * summands have at most a float's 24 bits, or are the product of two floats. */
GPU_NUMERIC double gpu_wide_add(double a, double b, uint8_t mode)
{
    double sum = a + b, b_part = sum - a;
    double lost = (a - (sum - b_part)) + (b - b_part);
    uint64_t bits = gpu_bits64(sum), other = gpu_bits64(lost), size = other & ~(1ull << 63);
    /* 1 or 0 by sums rather than comparisons, for which some hosts have no vector instructions. A
     * NaN in `lost` means that the sum is not finite. */
    uint64_t some = (0 - size) >> 63, nan = (size + 0x000fffffffffffff) >> 63;
    uint64_t inexact = some & ~nan & ~bits;
    /* the exact sum is nearer to zero than the rounded one */
    uint64_t below = (bits ^ other) >> 63;
    bits += inexact - ((inexact & below) << 1);

    uint64_t signs = (gpu_bits64(a) | gpu_bits64(b)) & 1ull << 63;
    return gpu_double(mode == GPU_ROUND_DOWN && sum == 0 ? bits | signs : bits);
}

/* x times 2 to the power of e, for an x of gpu_wide_add(). A result far beyond a float's range may
 * have another exponent than the exact one. */
GPU_NUMERIC double gpu_wide_scale(double x, int32_t e)
{
    int32_t limited = e < -600 ? -600 : e > 600 ? 600 : e;
    return x * gpu_double((uint64_t)(uint32_t)(limited + 1023) << 52);
}

/* A wide number rounded to a float. A NaN comes out as some NaN. */
GPU_NUMERIC float gpu_wide_round(double x, uint8_t mode)
{
    float nearest = (float)x;
    uint32_t bits = gpu_bits(nearest), sign = bits >> 31;
    double size = gpu_double(gpu_bits64(x) & ~(1ull << 63));
    double got = gpu_float(bits & ~GPU_F32_SIGN);
    double next = gpu_float((bits & ~GPU_F32_SIGN) + 1);
    uint32_t above = got > size, below = got < size;

    switch (mode) {
    case GPU_ROUND_UP:
        bits += sign ? 0 - above : below;
        break;
    case GPU_ROUND_DOWN:
        bits += sign ? below : 0 - above;
        break;
    case GPU_ROUND_ZERO:
        bits -= above;
        break;
    case GPU_ROUND_AWAY:
        bits += below & (size + size == got + next);
        break;
    case GPU_ROUND_ODD:
        bits = (bits - above) | above | below;
        break;
    default:
        break;
    }
    return gpu_float(bits);
}

/* a * b + c, rounded once to the nearest. */
GPU_NUMERIC float gpu_fma(float a, float b, float c)
{
#ifdef __FP_FAST_FMAF
    return __builtin_fmaf(a, b, c);
#else
    return (float)gpu_wide_add((double)a * b, c, GPU_ROUND_EVEN);
#endif
}

/* x from low to high, or `other` if it is a NaN; a zero that equals `low` becomes that. */
GPU_NUMERIC float gpu_limit(float x, float low, float high, float other)
{
    float r = x > low ? x : low;
    r = r < high ? r : high;
    return x == x ? r : other;
}

/* x rounded to an integral value; the sign is kept, also that of a zero. `mode` must not be
 * GPU_ROUND_ODD. */
GPU_NUMERIC float gpu_round_integral(float x, uint8_t mode)
{
    const float whole = 8388608; /* from here on all floats are integral */
    uint32_t sign = gpu_bits(x) & GPU_F32_SIGN;
    float size = gpu_float(gpu_bits(x) ^ sign);
    float r = (size + whole) - whole; /* to nearest, ties to even */

    switch (mode) {
    case GPU_ROUND_UP:
        r += sign ? -(float)(r > size) : (float)(r < size);
        break;
    case GPU_ROUND_DOWN:
        r += sign ? (float)(r < size) : -(float)(r > size);
        break;
    case GPU_ROUND_ZERO:
        r -= (float)(r > size);
        break;
    case GPU_ROUND_AWAY:
        r += (float)(size - r == 0.5f);
        break;
    default:
        break;
    }
    return size < whole ? gpu_float(gpu_bits(r) | sign) : x;
}

/* x rounded to an integer, saturating; 0 for a NaN. */
GPU_NUMERIC int32_t gpu_f32_to_s32(float x, uint8_t mode)
{
    float r = gpu_round_integral(x, mode);
    float fits = r < 2147483648.0f ? r : 0; /* also false for a NaN */
    fits = fits > -2147483648.0f ? fits : -2147483648.0f;
    return r >= 2147483648.0f ? INT32_MAX : (int32_t)fits;
}

GPU_NUMERIC uint32_t gpu_f32_to_u32(float x, uint8_t mode)
{
    float r = gpu_round_integral(x, mode);
    float fits = r < 4294967296.0f ? r : 0;
    fits = fits > 0 ? fits : 0;
    /* The conversion goes through int32_t, which hosts have as a vector instruction. */
    uint32_t high = fits >= 2147483648.0f;
    uint32_t v = (uint32_t)(int32_t)(high ? fits - 2147483648.0f : fits) + (high << 31);
    return r >= 4294967296.0f ? UINT32_MAX : v;
}

#endif
