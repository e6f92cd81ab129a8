/* Offsets of texels in linear and tiled surfaces. */
#include "mali_layout.h"
#include "runtime/gpu/texture/texture.h"

/* Index of a texel in a tile: alternating bits of y and of x ^ y. */
static uint32_t tile_index(uint32_t x, uint32_t y)
{
    uint32_t index = 0;

    for (unsigned bit = 0; bit < MALI_IMAGE_TILE_SHIFT; bit++) {
        index |= ((x ^ y) >> bit & 1) << 2 * bit;
        index |= (y >> bit & 1) << (2 * bit + 1);
    }
    return index;
}

uint64_t gpu_texel_offset(bool tiled, uint32_t x, uint32_t y, uint64_t row_stride, unsigned bytes)
{
    const uint32_t tile = 1u << MALI_IMAGE_TILE_SHIFT;

    if (!tiled)
        return y * row_stride + (uint64_t)x * bytes;
    return y / tile * row_stride +
           ((uint64_t)(x / tile) * tile * tile + tile_index(x % tile, y % tile)) * bytes;
}
