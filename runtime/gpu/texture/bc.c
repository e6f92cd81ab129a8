/*
 * Texels of BC1 to BC5 blocks (S3TC and RGTC). Facts: Khronos Data Format Specification 1.3,
 * chapters 18 and 19. Interpolated values are exact; hardware may round them.
 */
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/gpu/texture/block.h"

enum { SIDE = 4, HALF_BYTES = 8, COLORS_BYTES = 2 };

/* The components, 0 … 1, of a colour of 5, 6 and 5 bits. */
static void unpack_color(uint32_t raw, double c[3])
{
    c[0] = (raw >> 11 & 31) / 31.0;
    c[1] = (raw >> 5 & 63) / 63.0;
    c[2] = (raw & 31) / 31.0;
}

/* Decodes a texel's colour. `has_black`: if the first colour is not greater than the second, a
 * block has three colours and black. Returns whether the texel is that black. */
static bool decode_color(const uint8_t *raw, unsigned texel, bool has_black, double c[4])
{
    /* Thirds of the second colour, by index */
    static const double part[4] = {0, 1, 1 / 3.0, 2 / 3.0};
    uint32_t first = (uint32_t)le_get(raw, COLORS_BYTES);
    uint32_t second = (uint32_t)le_get(raw + COLORS_BYTES, COLORS_BYTES);
    unsigned index = (unsigned)(le_get(raw + 2 * COLORS_BYTES, 4) >> 2 * texel & 3);
    bool three = has_black && first <= second;
    double a[3], b[3], t = three && index == 2 ? 0.5 : part[index];

    unpack_color(first, a);
    unpack_color(second, b);
    for (unsigned k = 0; k < 3; k++)
        c[k] = three && index == 3 ? 0 : a[k] + (b[k] - a[k]) * t;
    return three && index == 3;
}

static int end_of(uint8_t raw, bool is_signed)
{
    int v = is_signed ? (int8_t)raw : raw;

    return v == INT8_MIN ? -INT8_MAX : v;
}

/* Decodes a texel of a block of one component. */
static double decode_single(const uint8_t *raw, unsigned texel, bool is_signed)
{
    int a = end_of(raw[0], is_signed), b = end_of(raw[1], is_signed);
    int index = (int)(le_get(raw + 2, 6) >> 3 * texel & 7), steps = a > b ? 7 : 5;
    double largest = is_signed ? INT8_MAX : UINT8_MAX;

    if (index < 2)
        return (index ? b : a) / largest;
    if (index > steps) /* the ends of the range; only with five steps */
        return index == 7 ? 1 : is_signed ? -1 : 0;
    return (a + (double)(b - a) * (index - 1) / steps) / largest;
}

void gpu_bc_decode(enum gpu_block_codec codec, const uint8_t *raw, unsigned x, unsigned y,
                   double v[4])
{
    unsigned texel = y * SIDE + x;
    bool is_signed = codec == GPU_BLOCK_BC4_SIGNED || codec == GPU_BLOCK_BC5_SIGNED;

    memset(v, 0, 4 * sizeof(*v));
    v[3] = 1;
    switch (codec) {
    case GPU_BLOCK_BC1:
        v[3] = !decode_color(raw, texel, true, v);
        break;
    case GPU_BLOCK_BC2:
        decode_color(raw + HALF_BYTES, texel, false, v);
        v[3] = (double)(le_get(raw, HALF_BYTES) >> 4 * texel & 15) / 15;
        break;
    case GPU_BLOCK_BC3:
        decode_color(raw + HALF_BYTES, texel, false, v);
        v[3] = decode_single(raw, texel, false);
        break;
    case GPU_BLOCK_BC5:
    case GPU_BLOCK_BC5_SIGNED:
        v[1] = decode_single(raw + HALF_BYTES, texel, is_signed);
        v[0] = decode_single(raw, texel, is_signed);
        break;
    default:
        v[0] = decode_single(raw, texel, is_signed);
        break;
    }
}
