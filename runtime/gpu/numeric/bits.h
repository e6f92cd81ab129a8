/*
 * Floats and their bits. Everything in this folder is branch-free where possible, so that loops
 * over the lanes of a warp become vector code.
 *
 * Functions that behaviours call are C99 inline with an external definition in numeric.c: generated
 * code inlines them, and the evaluator finds them by name.
 */
#ifndef RUNTIME_GPU_NUMERIC_BITS_H
#define RUNTIME_GPU_NUMERIC_BITS_H

#include <stdint.h>
#include <string.h>

#define GPU_NUMERIC inline __attribute__((always_inline))

/* Rounding modes; behaviours pass these numbers. */
enum gpu_round {
    GPU_ROUND_EVEN, /* to nearest, ties to even */
    GPU_ROUND_UP,   /* toward +infinity */
    GPU_ROUND_DOWN, /* toward -infinity */
    GPU_ROUND_ZERO,
    GPU_ROUND_AWAY, /* to nearest, ties away from zero */
    GPU_ROUND_ODD,  /* toward zero, then the last bit is set if inexact */
};

#define GPU_F32_SIGN     0x80000000u
#define GPU_F32_INFINITY 0x7f800000u
#define GPU_F32_NAN      0x7fc00000u /* result of invalid operations */
#define GPU_F32_NORMAL   0x00800000u /* least normal number */
#define GPU_F16_NAN      0x7e00u
#define GPU_F16_INFINITY 0x7c00u

GPU_NUMERIC uint32_t gpu_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

GPU_NUMERIC float gpu_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof(f));
    return f;
}

GPU_NUMERIC uint64_t gpu_bits64(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

GPU_NUMERIC double gpu_double(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof(d));
    return d;
}

#endif
