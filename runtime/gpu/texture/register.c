/* Converts components between doubles and the formats of registers. */
#include "runtime/gpu/texture/register.h"

#include "runtime/gpu/numeric/bits.h"
#include "runtime/gpu/numeric/half.h"

/* v clamped to a range; NaN becomes 0. */
static double clamp_number(double v, double low, double high)
{
    return v != v ? 0 : v < low ? low : v > high ? high : v;
}

bool gpu_register_is_half(enum gpu_register_format r)
{
    return r == GPU_REGISTER_F16 || r == GPU_REGISTER_S16 || r == GPU_REGISTER_U16;
}

uint32_t gpu_register_encode(double v, enum gpu_register_format r)
{
    switch (r) {
    case GPU_REGISTER_F16:
        return gpu_f32_to_f16((float)v);
    case GPU_REGISTER_S16:
        return (uint32_t)(int64_t)clamp_number(v, INT16_MIN, INT16_MAX) & 0xffff;
    case GPU_REGISTER_U16:
        return (uint32_t)clamp_number(v, 0, UINT16_MAX);
    case GPU_REGISTER_S32:
        return (uint32_t)(int64_t)clamp_number(v, INT32_MIN, INT32_MAX);
    case GPU_REGISTER_U32:
        return (uint32_t)(int64_t)clamp_number(v, INT32_MIN, UINT32_MAX);
    default:
        return gpu_bits((float)v);
    }
}

double gpu_register_decode(uint32_t bits, enum gpu_register_format r)
{
    switch (r) {
    case GPU_REGISTER_F16:
        return gpu_f16_to_f32(bits);
    case GPU_REGISTER_S16:
        return (int16_t)bits;
    case GPU_REGISTER_U16:
        return bits;
    case GPU_REGISTER_S32:
        return (int32_t)bits;
    case GPU_REGISTER_U32:
        return bits;
    default:
        return gpu_float(bits);
    }
}

uint32_t gpu_register_of(const double v[4], unsigned k, enum gpu_register_format r)
{
    if (!gpu_register_is_half(r))
        return k < 4 ? gpu_register_encode(v[k], r) : 0;
    return k < 2 ? gpu_register_encode(v[2 * k], r) | gpu_register_encode(v[2 * k + 1], r) << 16
                 : 0;
}
