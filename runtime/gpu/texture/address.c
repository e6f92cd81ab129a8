/* Offsets of texels in linear and tiled surfaces. */
#include "mali_layout.h"
#include "runtime/gpu/texture/texture.h"

/* Index of a texel in a tile of 1 << shift texels a side: alternating bits of y and of x ^ y. */
static uint32_t tile_index(uint32_t x, uint32_t y, unsigned shift)
{
    uint32_t index = 0;

    for (unsigned bit = 0; bit < shift; bit++) {
        index |= ((x ^ y) >> bit & 1) << 2 * bit;
        index |= (y >> bit & 1) << (2 * bit + 1);
    }
    return index;
}

/* Offset of texel x, y in tiles of 1 << shift texels a side; 0: rows. */
static uint64_t offset_in_tiles(unsigned shift, uint32_t x, uint32_t y, uint64_t row_stride,
                                unsigned bytes)
{
    const uint32_t tile = 1u << shift;

    if (!shift)
        return y * row_stride + (uint64_t)x * bytes;
    return y / tile * row_stride +
           ((uint64_t)(x / tile) * tile * tile + tile_index(x % tile, y % tile, shift)) * bytes;
}

uint64_t gpu_texel_offset(bool tiled, uint32_t x, uint32_t y, uint64_t row_stride, unsigned bytes)
{
    return offset_in_tiles(tiled ? MALI_IMAGE_TILE_SHIFT : 0, x, y, row_stride, bytes);
}

uint64_t gpu_block_offset(bool tiled, uint32_t x, uint32_t y, uint64_t row_stride, unsigned bytes)
{
    return offset_in_tiles(tiled ? MALI_BLOCK_TILE_SHIFT : 0, x, y, row_stride, bytes);
}
