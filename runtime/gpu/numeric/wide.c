/* 64-bit arithmetic in all rounding modes, by the soft floats of runtime/fp. */
#include "runtime/gpu/numeric/wide.h"

#include "runtime/fp/fp.h"
#include "runtime/gpu/numeric/bits.h"

_Static_assert(GPU_ROUND_EVEN == FP_ROUND_TIEEVEN && GPU_ROUND_UP == FP_ROUND_POSINF &&
                   GPU_ROUND_DOWN == FP_ROUND_NEGINF && GPU_ROUND_ZERO == FP_ROUND_ZERO,
               "modes have the same numbers");

static uint32_t control_of_mode(uint8_t mode)
{
    return (uint32_t)(mode & 3) << FP_CONTROL_ROUND_SHIFT | FP_CONTROL_DEFAULT_NAN;
}

double gpu_f64_add(double a, double b, uint8_t mode)
{
    uint32_t flags = 0;

    return gpu_double(fp64_add(gpu_bits64(a), gpu_bits64(b), control_of_mode(mode), &flags));
}

double gpu_f64_mul(double a, double b, uint8_t mode)
{
    uint32_t flags = 0;

    return gpu_double(fp64_mul(gpu_bits64(a), gpu_bits64(b), control_of_mode(mode), &flags));
}

double gpu_f64_fma(double a, double b, double c, uint8_t mode)
{
    uint32_t flags = 0;

    return gpu_double(
        fp64_muladd(gpu_bits64(c), gpu_bits64(a), gpu_bits64(b), control_of_mode(mode), &flags));
}

float gpu_f64_to_f32(double x, uint8_t mode)
{
    uint32_t flags = 0;

    return gpu_float(fp64_to_fp32(gpu_bits64(x), control_of_mode(mode), &flags));
}

double gpu_s64_to_f64(int64_t v, uint8_t mode)
{
    uint32_t flags = 0;

    return gpu_double(fp64_from_s64((uint64_t)v, 0, control_of_mode(mode), &flags));
}

double gpu_u64_to_f64(uint64_t v, uint8_t mode)
{
    uint32_t flags = 0;

    return gpu_double(fp64_from_u64(v, 0, control_of_mode(mode), &flags));
}
