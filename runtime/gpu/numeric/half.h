/* Conversions of half precision. Behaviours compute in single precision and convert. */
#ifndef RUNTIME_GPU_NUMERIC_HALF_H
#define RUNTIME_GPU_NUMERIC_HALF_H

#include "runtime/gpu/numeric/bits.h"

/* The value of the low 16 bits of h. NaNs keep their payload and become quiet. */
GPU_NUMERIC float gpu_f16_to_f32(uint32_t h)
{
    uint32_t size = (h & 0x7fff) << 13;
    uint32_t sign = (h & 0x8000) << 16;
    uint32_t normal = size + (112u << 23);
    /* A subnormal number is placed behind a leading one, which is then subtracted. */
    uint32_t subnormal = gpu_bits(gpu_float(size + (113u << 23)) - gpu_float(113u << 23));
    uint32_t special = size | GPU_F32_INFINITY | (size > 31u << 23 ? 0x400000u : 0);
    uint32_t v = size < 1u << 23 ? subnormal : size >= 31u << 23 ? special : normal;
    return gpu_float(v | sign);
}

/* x rounded to the nearest half, ties to even; any NaN gives GPU_F16_NAN. */
GPU_NUMERIC uint32_t gpu_f32_to_f16(float x)
{
    uint32_t bits = gpu_bits(x), sign = bits >> 16 & 0x8000;
    uint32_t size = bits & ~GPU_F32_SIGN;
    uint32_t normal = (size - (112u << 23) + 0xfff + (size >> 13 & 1)) >> 13;
    /* The last bit of a number in [0.5, 1) is worth a half's last subnormal bit. */
    uint32_t subnormal = gpu_bits(gpu_float(size) + 0.5f) - 0x3f000000u;
    uint32_t v = size < 113u << 23 ? subnormal : normal;
    v = size >= 143u << 23 ? GPU_F16_INFINITY : v;
    return size > GPU_F32_INFINITY ? GPU_F16_NAN : v | sign;
}

/* x rounded to a half in any rounding mode except GPU_ROUND_ODD. */
GPU_NUMERIC uint32_t gpu_f32_to_f16_mode(float x, uint8_t mode)
{
    uint32_t bits = gpu_bits(x), negative = bits >> 31;
    uint32_t size = bits & ~GPU_F32_SIGN, exponent = size >> 23;
    /* The significand, and its shift to the right: 13 places, more below the least normal half. */
    uint32_t significand = (size & 0x7fffff) | (exponent ? 0x800000u : 0);
    uint32_t shift = exponent >= 113 ? 13 : exponent < 97 ? 29 : 126 - exponent;
    uint32_t kept = significand >> shift, lost = significand & ((1u << shift) - 1);
    uint32_t half = 1u << (shift - 1);
    uint32_t up = 0;

    switch (mode) {
    case GPU_ROUND_UP:
        up = lost != 0 && !negative;
        break;
    case GPU_ROUND_DOWN:
        up = lost != 0 && negative;
        break;
    case GPU_ROUND_ZERO:
        break;
    case GPU_ROUND_AWAY:
        up = lost >= half;
        break;
    default:
        up = lost > half || (lost == half && (kept & 1));
        break;
    }
    /* The implicit bit adds one to the exponent, and so does a carry. */
    uint32_t v = kept + up + (exponent >= 113 ? (exponent - 113) << 10 : 0);
    uint32_t stays = mode == GPU_ROUND_ZERO || (mode == GPU_ROUND_UP && negative) ||
                     (mode == GPU_ROUND_DOWN && !negative);
    uint32_t largest = stays ? GPU_F16_INFINITY - 1 : GPU_F16_INFINITY;
    v = v >= GPU_F16_INFINITY || exponent >= 143 ? largest : v;
    v = size == GPU_F32_INFINITY ? GPU_F16_INFINITY : v;
    return size > GPU_F32_INFINITY ? GPU_F16_NAN : v | negative << 15;
}

#endif
