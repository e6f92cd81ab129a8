/*
 * Surfaces of compressed blocks (AFBC): one header per block, and a body with room for every block.
 *
 * Blocks are stored without compression, which the format allows, with their texels row by row.
 * Hardware orders the texels of a block differently, which is not visible: only the GPU reads them.
 */
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/gpu/texture/texture.h"

enum {
    HEADER_TILE_SHIFT = 3, /* log2 of a tile's width and height in headers */
    PARTS = 16,            /* parts of a block, whose sizes are in the header */
    PART_BITS = 6,
    SIZES_AT = 4, /* offset of the sizes in the header */
};

/* Number of a header in its tile (Morton order: the bits of x and y alternate). */
static uint32_t index_in_tile(uint32_t x, uint32_t y)
{
    uint32_t index = 0;

    for (unsigned bit = 0; bit < HEADER_TILE_SHIFT; bit++)
        index |= (x >> bit & 1) << 2 * bit | (y >> bit & 1) << (2 * bit + 1);
    return index;
}

unsigned gpu_afbc_place(const struct gpu_afbc *a, uint32_t x, uint32_t y, uint64_t *block)
{
    uint32_t width = a->wide ? 32 : 16, height = GPU_AFBC_TEXELS / width;
    uint32_t bx = x / width, by = y / height, tile = 1u << HEADER_TILE_SHIFT;

    *block = (uint64_t)by * a->stride + bx;
    if (a->tiled)
        *block = (uint64_t)(by / tile) * a->stride * tile + (uint64_t)(bx / tile) * tile * tile +
                 index_in_tile(bx % tile, by % tile);
    return y % height * width + x % width;
}

void gpu_afbc_header(uint8_t header[MALI_AFBC_HEADER_BYTES], uint64_t offset)
{
    memset(header, 0, MALI_AFBC_HEADER_BYTES);
    le_put(header, SIZES_AT, offset);
    /* A size of 1 stands for a part that is not compressed. */
    for (unsigned i = 0; i < PARTS; i++)
        header[SIZES_AT + i * PART_BITS / 8] |= (uint8_t)(1u << i * PART_BITS % 8);
}

uint64_t gpu_afbc_offset(const uint8_t header[MALI_AFBC_HEADER_BYTES])
{
    return le_get(header, SIZES_AT);
}
