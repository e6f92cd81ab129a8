/* Formats of colours and depth in the tile buffer, and of colours in memory. */
#include <math.h>
#include <string.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/graphics/frame.h"

/* ---- the tile buffer ------------------------------------------------------------------------- */

static const struct {
    uint32_t number;
    struct gfx_tile_format format;
} tile_formats[] = {
    {MALI_TILE_FORMAT_R8G8B8A8, {4, false, {8, 8, 8, 8}, {0}}},
    {MALI_TILE_FORMAT_R10G10B10A2, {4, false, {10, 10, 10, 2}, {0}}},
    {MALI_TILE_FORMAT_R8G8B8A2, {4, false, {8, 8, 8, 2}, {2, 2, 2, 0}}},
    {MALI_TILE_FORMAT_R4G4B4A4, {4, false, {4, 4, 4, 4}, {4, 4, 4, 4}}},
    {MALI_TILE_FORMAT_R5G6B5A0, {4, false, {5, 6, 5, 0}, {5, 4, 5, 2}}},
    {MALI_TILE_FORMAT_R5G5B5A1, {4, false, {5, 5, 5, 1}, {5, 5, 5, 1}}},
};

/* Formats of raw bytes, in the order of their numbers from MALI_TILE_FORMAT_RAW_8 on. */
static const struct gfx_tile_format raw_formats[] = {{.bytes = 1, .raw = true},
                                                     {.bytes = 2, .raw = true},
                                                     {.bytes = 4, .raw = true},
                                                     {.bytes = 8, .raw = true},
                                                     {.bytes = 16, .raw = true}};

const struct gfx_tile_format *gfx_tile_format(uint32_t number, uint32_t raw_bytes)
{
    /* Without a size of its own, a raw value has that of its memory. */
    for (unsigned i = 0; i < ARRAY_SIZE(raw_formats); i++)
        if (number == MALI_TILE_FORMAT_RAW ? raw_bytes <= raw_formats[i].bytes
                                           : number == MALI_TILE_FORMAT_RAW_8 + i)
            return &raw_formats[i];
    for (unsigned i = 0; i < ARRAY_SIZE(tile_formats); i++)
        if (tile_formats[i].number == number)
            return &tile_formats[i].format;
    return NULL;
}

static uint32_t mask_of(unsigned bits)
{
    return (uint32_t)((UINT64_C(1) << bits) - 1);
}

static float clamp_to_unit(float v)
{
    return v >= 1 ? 1 : v > 0 ? v : 0; /* NaN becomes 0 */
}

void gfx_tile_decode(const struct gfx_tile_format *f, uint32_t word, float c[4])
{
    unsigned at = 0;

    for (unsigned k = 0; k < 4; k++) {
        unsigned bits = f->component_bits[k] + f->fraction[k];

        c[k] = f->component_bits[k]
                   ? clamp_to_unit((float)(word >> at & mask_of(bits)) /
                                   (float)(mask_of(f->component_bits[k]) << f->fraction[k]))
                   : 1;
        at += bits;
    }
}

uint32_t gfx_tile_encode(const struct gfx_tile_format *f, const float c[4], bool round)
{
    uint32_t word = 0;
    unsigned at = 0;

    for (unsigned k = 0; k < 4; k++) {
        float largest = (float)mask_of(f->component_bits[k]), v = clamp_to_unit(c[k]) * largest;
        unsigned fraction = f->fraction[k];
        uint32_t part =
            round ? (uint32_t)rintf(v) << fraction : (uint32_t)rintf(v * (float)(1u << fraction));

        if (f->component_bits[k])
            word |= part << at;
        at += f->component_bits[k] + fraction;
    }
    return word;
}

/* Whether components have ten bits with their fractions, of which raw bytes hold the upper eight of
 * red, green and blue; the fourth byte has the lower two of each, and alpha above them. */
static bool is_split(const struct gfx_tile_format *f)
{
    return !f->raw && f->component_bits[0] + f->fraction[0] == 10;
}

uint32_t gfx_tile_from_raw(const struct gfx_tile_format *f, uint32_t raw)
{
    uint32_t word = raw & 0xc0000000;

    if (!is_split(f))
        return raw;
    for (unsigned k = 0; k < 3; k++)
        word |= ((raw >> 8 * k & 0xff) << 2 | (raw >> (24 + 2 * k) & 3)) << 10 * k;
    return word;
}

uint32_t gfx_tile_to_raw(const struct gfx_tile_format *f, uint32_t word)
{
    uint32_t raw = word & 0xc0000000;

    if (!is_split(f))
        return word;
    for (unsigned k = 0; k < 3; k++)
        raw |= (word >> (10 * k + 2) & 0xff) << 8 * k | (word >> 10 * k & 3) << (24 + 2 * k);
    return raw;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static const struct {
    uint32_t number;
    struct gfx_memory_format format;
} memory_formats[] = {
    {MALI_COLOR_FORMAT_R8, {1, {8}, false, false}},
    {MALI_COLOR_FORMAT_R8G8, {2, {8, 8}, false, false}},
    {MALI_COLOR_FORMAT_R8G8B8, {3, {8, 8, 8}, false, false}},
    {MALI_COLOR_FORMAT_R8G8B8A8, {4, {8, 8, 8, 8}, false, false}},
    {MALI_COLOR_FORMAT_R4G4B4A4, {2, {4, 4, 4, 4}, false, false}},
    {MALI_COLOR_FORMAT_R5G6B5, {2, {5, 6, 5}, false, false}},
    {MALI_COLOR_FORMAT_R8G8B8_FROM_R8G8B8A2, {3, {8, 8, 8}, false, false}},
    {MALI_COLOR_FORMAT_R10G10B10A2, {4, {10, 10, 10, 2}, false, false}},
    {MALI_COLOR_FORMAT_A2B10G10R10, {4, {10, 10, 10, 2}, false, true}},
    {MALI_COLOR_FORMAT_R5G5B5A1, {2, {5, 5, 5, 1}, false, false}},
    {MALI_COLOR_FORMAT_A1B5G5R5, {2, {5, 5, 5, 1}, false, true}},
};

/* Bytes of a pixel by number of the raw format; version 4 numbers sizes of channels instead. */
static const uint8_t raw_bytes[] = {1, 2, 3, 4, 6, 8, 12, 16};
static const uint8_t channel_bytes[] = {16, 12, 8, 4, 8, 6, 4, 2};

struct gfx_memory_format gfx_memory_format(unsigned version, uint32_t number,
                                           const struct gfx_tile_format *tile)
{
    if (number < ARRAY_SIZE(raw_bytes))
        return (struct gfx_memory_format){
            .bytes = version == 4 ? channel_bytes[number] : raw_bytes[number], .raw = true};
    if (number == MALI_COLOR_FORMAT_NATIVE)
        return (struct gfx_memory_format){.bytes = tile ? tile->bytes : 0, .raw = true};
    for (unsigned i = 0; i < ARRAY_SIZE(memory_formats); i++)
        if (memory_formats[i].number == number)
            return memory_formats[i].format;
    return (struct gfx_memory_format){0};
}

/* The value that a swizzle selects for component `k`: a channel of `c`, 0 or 1. */
static float swizzled_channel(uint32_t swizzle, unsigned k, const float c[4])
{
    uint32_t channel = swizzle >> 3 * k & 7;

    if (channel <= MALI_PIXEL_CHANNEL_A)
        return c[channel];
    return channel == MALI_PIXEL_CHANNEL_ONE;
}

float gfx_dither_threshold(unsigned x, unsigned y)
{
    static const uint8_t order[4][4] = {
        {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

    return ((float)order[y % 4][x % 4] + 0.5f) / 16;
}

static uint64_t round_by(float v, float threshold)
{
    return (uint64_t)(threshold == GFX_NEAREST ? rintf(v) : floorf(v + threshold));
}

void gfx_memory_encode(const struct gfx_memory_format *f, uint32_t swizzle, const float c[4],
                       float threshold, uint8_t *out)
{
    uint64_t v = 0;
    unsigned at = 0;

    for (unsigned i = 0; i < 4; i++) {
        unsigned k = f->alpha_lowest ? 3 - i : i;
        float largest = (float)mask_of(f->bits[k]);

        v |= round_by(clamp_to_unit(swizzled_channel(swizzle, k, c)) * largest, threshold) << at;
        at += f->bits[k];
    }
    le_put(out, f->bytes, v);
}

/* ---- depth ----------------------------------------------------------------------------------- */

uint32_t gfx_depth_encode(uint32_t format, float z)
{
    uint32_t raw;

    switch (format) {
    case MALI_DEPTH_FORMAT_D16:
        return (uint32_t)rint((double)clamp_to_unit(z) * mask_of(16));
    case MALI_DEPTH_FORMAT_D24:
        return (uint32_t)rint((double)clamp_to_unit(z) * mask_of(24));
    default:
        memcpy(&raw, &z, sizeof(raw));
        return raw;
    }
}

float gfx_depth_decode(uint32_t format, uint32_t raw)
{
    float z;

    switch (format) {
    case MALI_DEPTH_FORMAT_D16:
        return (float)(raw / (double)mask_of(16));
    case MALI_DEPTH_FORMAT_D24:
        return (float)(raw / (double)mask_of(24));
    default:
        memcpy(&z, &raw, sizeof(z));
        return z;
    }
}
