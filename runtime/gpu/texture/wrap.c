/* Coordinates beyond a texture, by the wrap modes of OpenGL ES and OpenCL. */
#include <math.h>

#include "mali_layout.h"
#include "runtime/gpu/texture/texture.h"

#define FAR 0x1p30f /* beyond any texture, and exact */

static int64_t floor_modulo(int64_t i, int64_t n)
{
    return (i % n + n) % n;
}

static int64_t clamp_index(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

int64_t gpu_texture_wrap(uint32_t mode, int64_t i, uint32_t n)
{
    int64_t size = n, mirrored = i < 0 ? -1 - i : i, m;

    switch (mode) {
    case MALI_WRAP_MODE_REPEAT:
        return floor_modulo(i, size);
    case MALI_WRAP_MODE_MIRRORED_REPEAT:
        m = floor_modulo(i, 2 * size);
        return m < size ? m : 2 * size - 1 - m;
    case MALI_WRAP_MODE_MIRRORED_CLAMP_TO_EDGE:
        return clamp_index(mirrored, size);
    case MALI_WRAP_MODE_CLAMP:
    case MALI_WRAP_MODE_CLAMP_TO_BORDER:
        return i < 0 || i >= size ? -1 : i;
    case MALI_WRAP_MODE_MIRRORED_CLAMP:
    case MALI_WRAP_MODE_MIRRORED_CLAMP_TO_BORDER:
        return mirrored >= size ? -1 : mirrored;
    default:
        return clamp_index(i, size);
    }
}

static float clamp_to(float v, float low, float high)
{
    return v > low ? v < high ? v : high : low; /* NaN becomes low */
}

float gpu_texture_scale(uint32_t mode, float s, uint32_t n, bool normalized)
{
    float size = (float)n, u;

    if (normalized && (mode == MALI_WRAP_MODE_REPEAT || mode == MALI_WRAP_MODE_MIRRORED_REPEAT) &&
        !(fabsf(s) < 2))
        s -= 2 * floorf(s / 2);
    u = normalized ? s * size : s;
    switch (mode) {
    case MALI_WRAP_MODE_CLAMP:
        return clamp_to(u, 0, size);
    case MALI_WRAP_MODE_MIRRORED_CLAMP:
        return clamp_to(fabsf(u), 0, size);
    default:
        return u != u ? 0 : clamp_to(u, -FAR, FAR);
    }
}
