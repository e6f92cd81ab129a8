/*
 * Formats of colours and depths, with values computed by hand. Sources: OpenGL ES 3.2, 2.3.4 and
 * 17.3 (fixed-point numbers); Mesa 25 (pan_format.c, pan_clear.c) for the formats of the tile
 * buffer, which has fraction bits below those of memory.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/graphics/frame.h"
#include "tests/graphics/tests.h"

/* ---- the tile buffer ------------------------------------------------------------------------- */

/* Per format: where components begin in a word, their bits, and the bits of fraction below them. */
static const struct {
    uint32_t number;
    unsigned at[4], bits[4], fraction[4];
} words[] = {
    {MALI_TILE_FORMAT_R8G8B8A8, {0, 8, 16, 24}, {8, 8, 8, 8}, {0}},
    {MALI_TILE_FORMAT_R10G10B10A2, {0, 10, 20, 30}, {10, 10, 10, 2}, {0}},
    {MALI_TILE_FORMAT_R8G8B8A2, {0, 10, 20, 30}, {8, 8, 8, 2}, {2, 2, 2, 0}},
    {MALI_TILE_FORMAT_R4G4B4A4, {0, 8, 16, 24}, {4, 4, 4, 4}, {4, 4, 4, 4}},
    {MALI_TILE_FORMAT_R5G6B5A0, {0, 10, 20, 30}, {5, 6, 5, 0}, {5, 4, 5, 2}},
    {MALI_TILE_FORMAT_R5G5B5A1, {0, 10, 20, 30}, {5, 5, 5, 1}, {5, 5, 5, 1}},
};

/* The integer that stands for 1. */
static uint32_t whole(unsigned bits)
{
    return (1u << bits) - 1;
}

/* A component of `value` at a time, the others 0; an absent one has no bits. */
static void words_hold_components(void **state)
{
    static const float values[] = {0, 0.2f, 0.35f, 0.5f, 0.71f, 0.97f, 1};

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
        const struct gfx_tile_format *f = gfx_tile_format(words[i].number, 4);

        assert_non_null(f);
        assert_int_equal(f->bytes, 4);
        assert_false(f->raw);
        for (unsigned k = 0; k < 4; k++)
            for (unsigned n = 0; n < ARRAY_SIZE(values); n++) {
                float c[4] = {0};
                double exact = (double)values[n] * whole(words[i].bits[k]);
                unsigned shift = words[i].fraction[k];
                uint32_t rounded = (uint32_t)rint(exact) << shift;
                uint32_t fine = (uint32_t)rint(exact * (1u << shift));

                c[k] = values[n];
                assert_int_equal(gfx_tile_encode(f, c, true), rounded << words[i].at[k]);
                assert_int_equal(gfx_tile_encode(f, c, false),
                                 words[i].bits[k] ? fine << words[i].at[k] : 0);
            }
    }
}

/* The other way; an absent component is 1, and a fraction above the largest number is cut off. */
static void words_are_decoded(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
        const struct gfx_tile_format *f = gfx_tile_format(words[i].number, 4);

        for (unsigned k = 0; k < 4; k++) {
            unsigned bits = words[i].bits[k], shift = words[i].fraction[k];

            for (uint32_t v = 0; v < 1u << (bits + shift); v++) {
                float c[4], exact = 1;

                gfx_tile_decode(f, v << words[i].at[k], c);
                if (bits)
                    exact = fminf(1, (float)v / (float)(whole(bits) << shift));
                for (unsigned j = 0; j < 4; j++)
                    assert_near(c[j], j == k ? exact : words[i].bits[j] ? 0 : 1, 1e-6f);
            }
        }
    }
}

static void words_are_clamped(void **state)
{
    const struct gfx_tile_format *f = gfx_tile_format(MALI_TILE_FORMAT_R8G8B8A8, 4);
    const float wild[4] = {-1, NAN, 1e30f, INFINITY};

    (void)state;
    assert_int_equal(gfx_tile_encode(f, wild, true), 0xffff0000);
    assert_int_equal(gfx_tile_encode(f, wild, false), 0xffff0000);
}

/* Raw formats have bytes as in memory: the number says how many, or the target's format in memory
 * does, rounded up to a power of two. */
static void raw_formats_have_bytes(void **state)
{
    static const struct {
        uint32_t number, raw_bytes, bytes;
    } cases[] = {
        {MALI_TILE_FORMAT_RAW_8, 0, 1},    {MALI_TILE_FORMAT_RAW_16, 0, 2},
        {MALI_TILE_FORMAT_RAW_32, 0, 4},   {MALI_TILE_FORMAT_RAW_64, 0, 8},
        {MALI_TILE_FORMAT_RAW_128, 0, 16}, {MALI_TILE_FORMAT_RAW, 1, 1},
        {MALI_TILE_FORMAT_RAW, 2, 2},      {MALI_TILE_FORMAT_RAW, 3, 4},
        {MALI_TILE_FORMAT_RAW, 4, 4},      {MALI_TILE_FORMAT_RAW, 6, 8},
        {MALI_TILE_FORMAT_RAW, 8, 8},      {MALI_TILE_FORMAT_RAW, 12, 16},
        {MALI_TILE_FORMAT_RAW, 16, 16},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct gfx_tile_format *f = gfx_tile_format(cases[i].number, cases[i].raw_bytes);

        assert_non_null(f);
        assert_true(f->raw);
        assert_int_equal(f->bytes, cases[i].bytes);
    }
    assert_null(gfx_tile_format(MALI_TILE_FORMAT_RAW, 17));
    assert_null(gfx_tile_format(MALI_TILE_FORMAT_R5G5B5A1 + 1, 4));
    assert_null(gfx_tile_format(MALI_TILE_FORMAT_RAW_128 + 1, 4));
}

/* Components of ten bits, with their fraction: a byte has the upper eight of each, and the fourth
 * byte the lower two, with alpha on top. Other words are their bytes. */
static void shaders_have_four_bytes(void **state)
{
    static const uint32_t split[] = {MALI_TILE_FORMAT_R10G10B10A2, MALI_TILE_FORMAT_R8G8B8A2,
                                     MALI_TILE_FORMAT_R5G6B5A0, MALI_TILE_FORMAT_R5G5B5A1};
    static const uint32_t plain[] = {MALI_TILE_FORMAT_R8G8B8A8, MALI_TILE_FORMAT_R4G4B4A4,
                                     MALI_TILE_FORMAT_RAW_32};
    static const struct {
        uint32_t word, raw;
    } cases[] = {
        {0, 0},
        {0x3ff, 0x030000ff},
        {0x3ff << 10, 0x0c00ff00},
        {0x3ff << 20, 0x30ff0000},
        {0xc0000000, 0xc0000000},
        {0x1 | 0x2u << 10 | 0x3u << 20, 0x39000000},
        {0x4 | 0x8u << 10 | 0x10u << 20 | 0x40000000, 0x40040201},
        {0x200 | 0x101u << 10 | 0x082u << 20 | 0x80000000, 0xa4204080},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        for (unsigned n = 0; n < ARRAY_SIZE(split); n++) {
            const struct gfx_tile_format *f = gfx_tile_format(split[n], 4);

            assert_int_equal(gfx_tile_to_raw(f, cases[i].word), cases[i].raw);
            assert_int_equal(gfx_tile_from_raw(f, cases[i].raw), cases[i].word);
        }
        for (unsigned n = 0; n < ARRAY_SIZE(plain); n++) {
            const struct gfx_tile_format *f = gfx_tile_format(plain[n], 4);

            assert_int_equal(gfx_tile_to_raw(f, cases[i].word), cases[i].word);
            assert_int_equal(gfx_tile_from_raw(f, cases[i].word), cases[i].word);
        }
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

enum { RGBA = 0 | 1 << 3 | 2 << 6 | 3 << 9, BGRA = 2 | 1 << 3 | 0 << 6 | 3 << 9 };

/* Per format: where components begin in memory, and their bits. */
static const struct {
    uint32_t number, bytes;
    unsigned at[4], bits[4];
} formats[] = {
    {MALI_COLOR_FORMAT_R8, 1, {0}, {8}},
    {MALI_COLOR_FORMAT_R8G8, 2, {0, 8}, {8, 8}},
    {MALI_COLOR_FORMAT_R8G8B8, 3, {0, 8, 16}, {8, 8, 8}},
    {MALI_COLOR_FORMAT_R8G8B8A8, 4, {0, 8, 16, 24}, {8, 8, 8, 8}},
    {MALI_COLOR_FORMAT_R4G4B4A4, 2, {0, 4, 8, 12}, {4, 4, 4, 4}},
    {MALI_COLOR_FORMAT_R5G6B5, 2, {0, 5, 11}, {5, 6, 5}},
    {MALI_COLOR_FORMAT_R8G8B8_FROM_R8G8B8A2, 3, {0, 8, 16}, {8, 8, 8}},
    {MALI_COLOR_FORMAT_R10G10B10A2, 4, {0, 10, 20, 30}, {10, 10, 10, 2}},
    {MALI_COLOR_FORMAT_A2B10G10R10, 4, {22, 12, 2, 0}, {10, 10, 10, 2}},
    {MALI_COLOR_FORMAT_R5G5B5A1, 2, {0, 5, 10, 15}, {5, 5, 5, 1}},
    {MALI_COLOR_FORMAT_A1B5G5R5, 2, {11, 6, 1, 0}, {5, 5, 5, 1}},
};

static uint32_t stored(const struct gfx_memory_format *f, uint32_t swizzle, const float c[4],
                       float threshold)
{
    uint8_t raw[4] = {0};

    gfx_memory_encode(f, swizzle, c, threshold, raw);
    return (uint32_t)le_get(raw, 4);
}

static void memory_holds_components(void **state)
{
    static const float values[] = {-1, 0, 0.2f, 0.35f, 0.5f, 0.71f, 1, 2};

    (void)state;
    for (unsigned version = 4; version <= 7; version++)
        for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
            struct gfx_memory_format f = gfx_memory_format(version, formats[i].number, NULL);

            assert_int_equal(f.bytes, formats[i].bytes);
            assert_false(f.raw);
            for (unsigned k = 0; k < 4; k++)
                for (unsigned n = 0; n < ARRAY_SIZE(values); n++) {
                    float c[4] = {0}, v = fminf(fmaxf(values[n], 0), 1);

                    c[k] = values[n];
                    assert_int_equal(stored(&f, RGBA, c, GFX_NEAREST),
                                     (uint32_t)rint((double)v * whole(formats[i].bits[k]))
                                         << formats[i].at[k]);
                }
        }
}

/* Numbers of raw formats are sizes; version 4 counts channels of 32 and 16 bits. */
static void raw_memory_has_bytes(void **state)
{
    static const uint8_t bytes[8] = {1, 2, 3, 4, 6, 8, 12, 16};
    static const uint8_t version_4[8] = {16, 12, 8, 4, 8, 6, 4, 2};

    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        for (unsigned version = 4; version <= 7; version++) {
            struct gfx_memory_format f = gfx_memory_format(version, i, NULL);

            assert_true(f.raw);
            assert_int_equal(f.bytes, version == 4 ? version_4[i] : bytes[i]);
        }
}

static void native_memory_is_the_tiles(void **state)
{
    const struct gfx_tile_format *tile = gfx_tile_format(MALI_TILE_FORMAT_RAW_64, 0);
    struct gfx_memory_format f = gfx_memory_format(6, MALI_COLOR_FORMAT_NATIVE, tile);

    (void)state;
    assert_true(f.raw);
    assert_int_equal(f.bytes, 8);
    assert_int_equal(gfx_memory_format(6, MALI_COLOR_FORMAT_NATIVE, NULL).bytes, 0);
    assert_int_equal(gfx_memory_format(6, MALI_COLOR_FORMAT_RAW_192, tile).bytes, 0);
    assert_int_equal(gfx_memory_format(6, MALI_COLOR_FORMAT_NATIVE - 1, tile).bytes, 0);
}

/* Each component of memory takes a channel, 0 or 1. */
static void memory_follows_the_swizzle(void **state)
{
    struct gfx_memory_format f = gfx_memory_format(7, MALI_COLOR_FORMAT_R8G8B8A8, NULL);
    const float c[4] = {0.2f, 0.4f, 0.6f, 0.8f};
    const uint32_t byte[6] = {0x33, 0x66, 0x99, 0xcc, 0, 0xff};

    (void)state;
    assert_int_equal(stored(&f, BGRA, c, GFX_NEAREST), 0xcc336699);
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t channel = 0; channel < 6; channel++) {
            uint32_t swizzle = (4 | 4 << 3 | 4 << 6 | 4 << 9) ^ (4 ^ channel) << 3 * k;

            assert_int_equal(stored(&f, swizzle, c, GFX_NEAREST), byte[channel] << 8 * k);
        }
    f = gfx_memory_format(7, MALI_COLOR_FORMAT_A1B5G5R5, NULL);
    assert_int_equal(stored(&f, BGRA, (const float[4]){1, 0, 0, 0}, GFX_NEAREST), 31 << 1);
}

/* ---- dithering ------------------------------------------------------------------------------- */

/* v sixteenths above an integer become the next one in v of the square's sixteen pixels. */
static void dithering_keeps_the_mean(void **state)
{
    struct gfx_memory_format f = gfx_memory_format(7, MALI_COLOR_FORMAT_R5G6B5, NULL);

    (void)state;
    for (unsigned part = 0; part <= 16; part++) {
        const float c[4] = {(20 + (float)part / 16) / 31, 20.0f / 63, 0, 1};
        unsigned sum = 0;

        for (unsigned i = 0; i < 16; i++) {
            uint32_t v = stored(&f, RGBA, c, gfx_dither_threshold(i % 4 + 8, i / 4 + 4));

            sum += v & 31;
            assert_int_equal(v >> 5, 20);
        }
        assert_int_equal(sum, 16 * 20 + part);
    }
}

/* Each pixel of a square has a threshold of its own; squares repeat. Half of the pixels in every
 * row, column and quarter are above the middle, so no pattern is seen from afar. */
static void thresholds_are_spread(void **state)
{
    unsigned seen = 0;

    (void)state;
    for (unsigned y = 0; y < 4; y++)
        for (unsigned x = 0; x < 4; x++) {
            float t = gfx_dither_threshold(x, y);
            unsigned upper = 0;

            seen |= 1u << (unsigned)(t * 16);
            assert_near(t * 16 - floorf(t * 16), 0.5f, 0);
            assert_near(t, gfx_dither_threshold(x + 4, y + 8), 0);
            for (unsigned i = 0; i < 4; i++)
                upper += gfx_dither_threshold(x / 2 * 2 + i % 2, y / 2 * 2 + i / 2) > 0.5f;
            assert_int_equal(upper, 2);
        }
    assert_int_equal(seen, 0xffff);
    for (unsigned i = 0; i < 4; i++) {
        unsigned row = 0, column = 0;

        for (unsigned k = 0; k < 4; k++) {
            row += gfx_dither_threshold(k, i) > 0.5f;
            column += gfx_dither_threshold(i, k) > 0.5f;
        }
        assert_int_equal(row, 2);
        assert_int_equal(column, 2);
    }
}

/* ---- depth ----------------------------------------------------------------------------------- */

static void depth_is_rounded(void **state)
{
    static const struct {
        uint32_t format;
        float z;
        uint32_t raw;
    } cases[] = {
        {MALI_DEPTH_FORMAT_D16, 0.5f, 0x8000},
        {MALI_DEPTH_FORMAT_D16, 0, 0},
        {MALI_DEPTH_FORMAT_D16, 1, 0xffff},
        {MALI_DEPTH_FORMAT_D16, 0.25f, 0x4000}, /* 16383.75 */
        {MALI_DEPTH_FORMAT_D16, -1, 0},
        {MALI_DEPTH_FORMAT_D16, 1.5f, 0xffff},
        {MALI_DEPTH_FORMAT_D24, 0.5f, 0x800000},
        {MALI_DEPTH_FORMAT_D24, 1, 0xffffff},
        {MALI_DEPTH_FORMAT_D24, 2, 0xffffff},
        {MALI_DEPTH_FORMAT_D24, 0x1p-24f, 1},
        {MALI_DEPTH_FORMAT_D24, 0.25f, 0x400000}, /* 4194303.75 */
        {MALI_DEPTH_FORMAT_D24, -0.5f, 0},
        {MALI_DEPTH_FORMAT_D32, 1, 0x3f800000},
        {MALI_DEPTH_FORMAT_D32, 0.15625f, 0x3e200000},
        {MALI_DEPTH_FORMAT_D32, -2, 0xc0000000},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++)
        assert_int_equal(gfx_depth_encode(cases[i].format, cases[i].z), cases[i].raw);
}

static void depth_is_decoded(void **state)
{
    (void)state;
    assert_near(gfx_depth_decode(MALI_DEPTH_FORMAT_D16, 0), 0, 0);
    assert_near(gfx_depth_decode(MALI_DEPTH_FORMAT_D16, 0xffff), 1, 0);
    assert_near(gfx_depth_decode(MALI_DEPTH_FORMAT_D16, 0x3333), 0.2f, 1e-7f);
    assert_near(gfx_depth_decode(MALI_DEPTH_FORMAT_D24, 0xffffff), 1, 0);
    assert_near(gfx_depth_decode(MALI_DEPTH_FORMAT_D24, 0x333333), 0.2f, 1e-7f);
    assert_near(gfx_depth_decode(MALI_DEPTH_FORMAT_D32, 0x3e200000), 0.15625f, 0);
    for (uint32_t raw = 0; raw <= 0xffff; raw++) { /* every value is its own */
        float z = gfx_depth_decode(MALI_DEPTH_FORMAT_D16, raw);

        assert_int_equal(gfx_depth_encode(MALI_DEPTH_FORMAT_D16, z), raw);
    }
    for (uint32_t raw = 0; raw <= 0xffffff; raw += 0xfff)
        assert_int_equal(
            gfx_depth_encode(MALI_DEPTH_FORMAT_D24, gfx_depth_decode(MALI_DEPTH_FORMAT_D24, raw)),
            raw);
}

int run_pixel_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_hold_components),      cmocka_unit_test(words_are_decoded),
        cmocka_unit_test(words_are_clamped),          cmocka_unit_test(raw_formats_have_bytes),
        cmocka_unit_test(shaders_have_four_bytes),    cmocka_unit_test(memory_holds_components),
        cmocka_unit_test(raw_memory_has_bytes),       cmocka_unit_test(native_memory_is_the_tiles),
        cmocka_unit_test(memory_follows_the_swizzle), cmocka_unit_test(dithering_keeps_the_mean),
        cmocka_unit_test(thresholds_are_spread),      cmocka_unit_test(depth_is_rounded),
        cmocka_unit_test(depth_is_decoded),
    };

    return cmocka_run_group_tests_name("pixels", tests, NULL, NULL);
}
