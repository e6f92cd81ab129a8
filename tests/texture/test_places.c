/*
 * Where texels are: tiles of u-interleaved texels, compressed surfaces (AFBC), planes of video,
 * sizes of blocks; and the texels that stand for places beyond a texture (OpenGL ES 3.2, table
 * 8.20, and EXT_texture_mirror_clamp_to_edge).
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
#include "runtime/gpu/texture/texture.h"
#include "tests/texture/tests.h"

/* ---- tiles ----------------------------------------------------------------------------------- */

/* Squares of a tile are in the order upper left, upper right, lower right, lower left; so are the
 * squares in each of them. */
static void tiles_are_interleaved(void **state)
{
    static const struct {
        uint32_t x, y;
        uint64_t texel;
    } rows[] = {
        {0, 0, 0},   {1, 0, 1},   {1, 1, 2},   {0, 1, 3},     {2, 0, 4},    {3, 1, 6},
        {2, 2, 8},   {0, 2, 12},  {4, 0, 16},  {4, 4, 32},    {0, 4, 48},   {8, 0, 64},
        {8, 8, 128}, {0, 8, 192}, {15, 0, 85}, {15, 15, 170}, {0, 15, 255}, {16, 0, 256},
    };
    enum { ROW = 5000, BYTES = 4 };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        assert_int_equal(gpu_texel_offset(true, rows[i].x, rows[i].y, ROW, BYTES),
                         rows[i].texel * BYTES);
    assert_int_equal(gpu_texel_offset(true, 35, 17, ROW, BYTES), ROW + (512 + 6) * BYTES);
    assert_int_equal(gpu_texel_offset(false, 35, 17, ROW, BYTES), 17 * ROW + 35 * BYTES);
}

/* Of compressed blocks a tile has four by four. */
static void tiles_of_blocks_are_smaller(void **state)
{
    (void)state;
    assert_int_equal(gpu_block_offset(true, 3, 3, 5000, 16), 10 * 16);
    assert_int_equal(gpu_block_offset(true, 5, 0, 5000, 16), (16 + 1) * 16);
    assert_int_equal(gpu_block_offset(true, 0, 9, 5000, 16), 2 * 5000 + 3 * 16);
    assert_int_equal(gpu_block_offset(false, 5, 9, 5000, 16), 9 * 5000 + 5 * 16);
}

/* The lower bits of a surface's pointer, three per axis in flat textures, two in volumes. */
static void pointers_tell_sizes_of_blocks(void **state)
{
    static const uint8_t flat[8] = {4, 5, 6, 6, 8, 8, 10, 12}, volume[4] = {4, 5, 6, 3};
    struct gpu_blocks b = {.codec = GPU_BLOCK_ASTC, .size = {4, 4, 1}};

    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        if (i == 3 || i == 5)
            continue; /* no size */
        gpu_blocks_set_size(&b, 0xabc0 | i | (7 - i) << 3);
        assert_int_equal(b.size[0], flat[i]);
        if (7 - i != 3 && 7 - i != 5)
            assert_int_equal(b.size[1], flat[7 - i]);
        assert_int_equal(b.size[2], 1);
    }
    b = (struct gpu_blocks){.codec = GPU_BLOCK_ASTC_3D, .size = {4, 4, 1}};
    gpu_blocks_set_size(&b, 0xabc0 | 1 | 2 << 2 | 3 << 4);
    assert_int_equal(b.size[0], volume[1]);
    assert_int_equal(b.size[1], volume[2]);
    assert_int_equal(b.size[2], volume[3]);
    b = (struct gpu_blocks){.codec = GPU_BLOCK_BC1, .size = {4, 4, 1}};
    gpu_blocks_set_size(&b, 63);
    assert_int_equal(b.size[0], 4);
}

/* ---- formats of blocks ----------------------------------------------------------------------- */

static void formats_of_blocks_are_known(void **state)
{
    static const struct {
        uint32_t format;
        enum gpu_block_codec codec;
        unsigned bytes, components;
        bool is_float, is_signed, wide;
    } rows[] = {
        {MALI_FORMAT_BC1_UNORM, GPU_BLOCK_BC1, 8, 4, 0, 0, 0},
        {MALI_FORMAT_BC2_UNORM, GPU_BLOCK_BC2, 16, 4, 0, 0, 0},
        {MALI_FORMAT_BC3_UNORM, GPU_BLOCK_BC3, 16, 4, 0, 0, 0},
        {MALI_FORMAT_BC4_UNORM, GPU_BLOCK_BC4, 8, 1, 0, 0, 0},
        {MALI_FORMAT_BC4_SNORM, GPU_BLOCK_BC4_SIGNED, 8, 1, 0, 1, 0},
        {MALI_FORMAT_BC5_UNORM, GPU_BLOCK_BC5, 16, 2, 0, 0, 0},
        {MALI_FORMAT_BC5_SNORM, GPU_BLOCK_BC5_SIGNED, 16, 2, 0, 1, 0},
        {MALI_FORMAT_BC6H_UF16, GPU_BLOCK_BC6H, 16, 3, 1, 0, 0},
        {MALI_FORMAT_BC6H_SF16, GPU_BLOCK_BC6H_SIGNED, 16, 3, 1, 0, 0},
        {MALI_FORMAT_BC7_UNORM, GPU_BLOCK_BC7, 16, 4, 0, 0, 0},
        {MALI_FORMAT_ETC2_RGB8, GPU_BLOCK_ETC2_RGB, 8, 3, 0, 0, 0},
        {MALI_FORMAT_ETC2_RGB8A1, GPU_BLOCK_ETC2_RGB_A1, 8, 4, 0, 0, 0},
        {MALI_FORMAT_ETC2_RGBA8, GPU_BLOCK_ETC2_RGBA, 16, 4, 0, 0, 0},
        {MALI_FORMAT_ETC2_R11_UNORM, GPU_BLOCK_EAC_R, 8, 1, 0, 0, 0},
        {MALI_FORMAT_ETC2_RG11_UNORM, GPU_BLOCK_EAC_RG, 16, 2, 0, 0, 0},
        {MALI_FORMAT_ETC2_R11_SNORM, GPU_BLOCK_EAC_SIGNED_R, 8, 1, 0, 1, 0},
        {MALI_FORMAT_ETC2_RG11_SNORM, GPU_BLOCK_EAC_SIGNED_RG, 16, 2, 0, 1, 0},
        {MALI_FORMAT_ASTC_2D_LDR, GPU_BLOCK_ASTC, 16, 4, 0, 0, 0},
        {MALI_FORMAT_ASTC_2D_HDR, GPU_BLOCK_ASTC, 16, 4, 0, 0, 1},
        {MALI_FORMAT_ASTC_2D_NARROW, GPU_BLOCK_ASTC, 16, 4, 0, 0, 0},
        {MALI_FORMAT_ASTC_3D_LDR, GPU_BLOCK_ASTC_3D, 16, 4, 0, 0, 0},
        {MALI_FORMAT_ASTC_3D_HDR, GPU_BLOCK_ASTC_3D, 16, 4, 0, 0, 1},
        {MALI_FORMAT_ASTC_3D_NARROW, GPU_BLOCK_ASTC_3D, 16, 4, 0, 0, 0},
    };
    struct gpu_texel_format f;
    struct gpu_blocks b;
    double otherwise;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        uint32_t srgb = i % 2 ? 1 << 20 : 0;

        assert_true(gpu_blocks_read(7, srgb | rows[i].format << 12, &f, &b));
        assert_int_equal(b.codec, rows[i].codec);
        assert_int_equal(f.bytes, rows[i].bytes);
        assert_int_equal(b.size[0] * b.size[1] * b.size[2], 16);
        assert_int_equal(b.wide, rows[i].wide);
        assert_int_equal(b.srgb, i % 2);
        assert_int_equal(f.kind, rows[i].is_float    ? GPU_TEXEL_FLOAT
                                 : rows[i].is_signed ? GPU_TEXEL_SNORM
                                                     : GPU_TEXEL_UNORM);
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(gpu_texel_stores(&f, k, &otherwise), k < rows[i].components);
        assert_true(otherwise == 1); /* alpha */
    }
    assert_false(gpu_blocks_read(7, MALI_FORMAT_RGB565 << 12, &f, &b));
    assert_false(gpu_blocks_read(7, MALI_FORMAT_BC1_UNORM << 12 | 1, &f, &b));
}

/* With values of 16 bits a colour between two keeps the precision of a half, eleven bits. */
static void wide_values_have_eleven_bits(void **state)
{
    struct gpu_blocks b = {.codec = GPU_BLOCK_ASTC, .size = {4, 4, 1}, .wide = true};
    uint8_t raw[16] = {0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                       0xff, 0xff, 0xff, 0x0f, 0x34, 0x12, 1,    0};
    const unsigned at[3] = {0};
    double v[4];

    (void)state;
    gpu_block_decode(&b, raw, at, v);
    assert_true(v[0] == 1);
    assert_true(v[1] == 0x0ffe / 65536.0); /* of 0x0fff, twelve bits */
    assert_true(v[2] == 0x1234 / 65536.0);
    assert_true(v[3] == 1 / 65536.0);
    b.srgb = true; /* sRGB values have eight */
    gpu_block_decode(&b, raw, at, v);
    assert_true(v[1] == 0x0f / 255.0);
    b.wide = b.srgb = false;
    gpu_block_decode(&b, raw, at, v);
    assert_true(v[2] == 0x12 / 255.0);
}

/* ---- compressed surfaces --------------------------------------------------------------------- */

/* Headers of a tile are in Morton order. */
static void headers_of_tiles_alternate_bits(void **state)
{
    const struct gpu_afbc narrow = {.stride = 24, .tiled = true},
                          wide = {.stride = 24, .tiled = true, .wide = true};
    uint64_t block;

    (void)state;
    assert_int_equal(gpu_afbc_place(&narrow, 16 * 5 + 7, 16 * 6 + 9, &block), 9 * 16 + 7);
    assert_int_equal(block, 1 + 8 + 16 + 32);
    gpu_afbc_place(&narrow, 16 * (16 + 2), 16 * (8 + 1), &block);
    assert_int_equal(block, 8 * 24 + 2 * 64 + 4 + 2);
    assert_int_equal(gpu_afbc_place(&wide, 32 * 9 + 31, 8 * 3 + 7, &block), 255);
    assert_int_equal(block, 64 + 1 + 2 + 8);
}

/* ---- video ----------------------------------------------------------------------------------- */

static void formats_of_video_have_planes(void **state)
{
    static const struct {
        uint32_t format;
        unsigned planes, rows;
    } rows[] = {
        {MALI_FORMAT_Y8_UV8_420, 2, 2},
        {MALI_FORMAT_Y8_U8_V8_420, 3, 2},
        {MALI_FORMAT_Y8_UV8_422, 2, 1},
        {MALI_FORMAT_Y8_U8_V8_422, 3, 1},
    };
    /* What red, green and blue are, by the lower bits: luma 0, chroma 1 and 2; alpha is 1. */
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 1, 0}, {2, 0, 1}};
    struct gpu_texel_format f;
    struct gpu_yuv y;
    double otherwise;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (unsigned order = 0; order < 6; order++) {
            assert_true(gpu_yuv_read(7, rows[i].format << 12 | order, &f, &y));
            assert_int_equal(y.planes, rows[i].planes);
            assert_int_equal(y.rows, rows[i].rows);
            assert_memory_equal(y.order, orders[order], 3);
            assert_int_equal(y.order[3], 3);
            assert_int_equal(f.kind, GPU_TEXEL_UNORM);
            for (unsigned k = 0; k < 4; k++)
                assert_int_equal(gpu_texel_stores(&f, k, &otherwise), k < 3);
        }
    assert_false(gpu_yuv_read(7, MALI_FORMAT_Y8_UV8_420 << 12 | 6, &f, &y));
    assert_false(gpu_yuv_read(7, MALI_FORMAT_Y8_UV8_420 << 12 | MALI_YUV_SWAPPED, &f, &y));
    assert_false(gpu_yuv_read(6, MALI_FORMAT_Y8_UV8_420 << 12, &f, &y));
    assert_false(gpu_yuv_read(7, MALI_FORMAT_YUV8 << 12, &f, &y));
}

static void texels_of_video_share_chroma(void **state)
{
    struct gpu_texture t = {.yuv = {.planes = 2, .rows = 2}};
    const struct mali_planes p = {.pointer_0 = 0x10000,
                                  .pointer_1 = 0x20000,
                                  .pointer_2 = 0x30000,
                                  .row_stride_0 = 100,
                                  .row_stride_1 = 60};
    const struct gpu_texel_place at = {.x = 7, .y = 5};
    uint64_t va[3];

    (void)state;
    gpu_yuv_places(&t, &p, &at, va);
    assert_int_equal(va[0], 0x10000 + 5 * 100 + 7);
    assert_int_equal(va[1], 0x20000 + 2 * 60 + 3 * 2);
    assert_int_equal(va[2], va[1] + 1);
    t.yuv = (struct gpu_yuv){.planes = 3, .rows = 1};
    gpu_yuv_places(&t, &p, &at, va);
    assert_int_equal(va[1], 0x20000 + 5 * 60 + 3);
    assert_int_equal(va[2], 0x30000 + 5 * 60 + 3);
    t.tiled = true;
    gpu_yuv_places(&t, &p, &at, va);
    assert_int_equal(va[0], 0x10000 + 32 + 4 + 2);
    assert_int_equal(va[1], 0x20000 + 48 + 4 + 2);
}

/* ---- beyond a texture ------------------------------------------------------------------------ */

enum { LOW = -6, COUNT = 16 };

static void coordinates_wrap(void **state)
{
    /* Texels of four, for the places -6 to 9; -1 is the border. */
    static const struct {
        uint32_t mode;
        int8_t want[COUNT];
    } rows[] = {
        {MALI_WRAP_MODE_REPEAT, {2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1}},
        {MALI_WRAP_MODE_MIRRORED_REPEAT, {2, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0, 1}},
        {MALI_WRAP_MODE_CLAMP_TO_EDGE, {0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3}},
        {MALI_WRAP_MODE_MIRRORED_CLAMP_TO_EDGE, {3, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3}},
        {MALI_WRAP_MODE_CLAMP, {-1, -1, -1, -1, -1, -1, 0, 1, 2, 3, -1, -1, -1, -1, -1, -1}},
        {MALI_WRAP_MODE_CLAMP_TO_BORDER,
         {-1, -1, -1, -1, -1, -1, 0, 1, 2, 3, -1, -1, -1, -1, -1, -1}},
        {MALI_WRAP_MODE_MIRRORED_CLAMP, {-1, -1, 3, 2, 1, 0, 0, 1, 2, 3, -1, -1, -1, -1, -1, -1}},
        {MALI_WRAP_MODE_MIRRORED_CLAMP_TO_BORDER,
         {-1, -1, 3, 2, 1, 0, 0, 1, 2, 3, -1, -1, -1, -1, -1, -1}},
        {0, {0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3}}, /* no mode */
    };

    (void)state;
    for (size_t m = 0; m < ARRAY_SIZE(rows); m++)
        for (int i = 0; i < COUNT; i++)
            if (gpu_texture_wrap(rows[m].mode, i + LOW, 4) != rows[m].want[i])
                fail_msg("mode %u at %d", rows[m].mode, i + LOW);
}

static void coordinates_are_scaled(void **state)
{
    static const struct {
        uint32_t mode;
        float s;
        bool normalized;
        float want; /* of a texture with eight texels */
    } rows[] = {
        {MALI_WRAP_MODE_REPEAT, 0.25f, true, 2},
        {MALI_WRAP_MODE_REPEAT, 1.75f, true, 14},
        {MALI_WRAP_MODE_REPEAT, -1.75f, true, -14},
        {MALI_WRAP_MODE_REPEAT, 2, true, 0},
        {MALI_WRAP_MODE_REPEAT, 4000000.25f, true, 2},
        {MALI_WRAP_MODE_REPEAT, -3.75f, true, 2},
        {MALI_WRAP_MODE_REPEAT, 3.5f, false, 3.5f},
        {MALI_WRAP_MODE_REPEAT, NAN, true, 0},
        {MALI_WRAP_MODE_REPEAT, INFINITY, true, 0},
        {MALI_WRAP_MODE_MIRRORED_REPEAT, 3.25f, true, 10},
        {MALI_WRAP_MODE_MIRRORED_REPEAT, 2.25f, true, 2},
        {MALI_WRAP_MODE_CLAMP_TO_EDGE, 2.25f, true, 18},
        {MALI_WRAP_MODE_CLAMP_TO_EDGE, 1e30f, true, 0x1p30f},
        {MALI_WRAP_MODE_CLAMP_TO_EDGE, -INFINITY, false, -0x1p30f},
        {MALI_WRAP_MODE_CLAMP_TO_EDGE, NAN, false, 0},
        {MALI_WRAP_MODE_CLAMP, 1.25f, true, 8},
        {MALI_WRAP_MODE_CLAMP, -0.5f, true, 0},
        {MALI_WRAP_MODE_CLAMP, 0.5f, true, 4},
        {MALI_WRAP_MODE_CLAMP, NAN, true, 0},
        {MALI_WRAP_MODE_CLAMP, 0.0625f, true, 0.5f},
        {MALI_WRAP_MODE_MIRRORED_CLAMP, 0.0625f, true, 0.5f},
        {MALI_WRAP_MODE_MIRRORED_CLAMP, -0.5f, true, 4},
        {MALI_WRAP_MODE_MIRRORED_CLAMP, -1.5f, true, 8},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        float got = gpu_texture_scale(rows[i].mode, rows[i].s, 8, rows[i].normalized);

        if (got != rows[i].want)
            fail_msg("mode %u: %g becomes %g", rows[i].mode, (double)rows[i].s, (double)got);
    }
}

static void levels_halve_sizes(void **state)
{
    const struct gpu_texture t = {.size = {13, 4, 1}};

    (void)state;
    assert_int_equal(gpu_texture_size(&t, 0, 0), 13);
    assert_int_equal(gpu_texture_size(&t, 0, 1), 6);
    assert_int_equal(gpu_texture_size(&t, 0, 4), 1);
    assert_int_equal(gpu_texture_size(&t, 1, 2), 1);
    assert_int_equal(gpu_texture_size(&t, 0, 32), 1);
}

int run_place_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_interleaved),
        cmocka_unit_test(tiles_of_blocks_are_smaller),
        cmocka_unit_test(pointers_tell_sizes_of_blocks),
        cmocka_unit_test(formats_of_blocks_are_known),
        cmocka_unit_test(wide_values_have_eleven_bits),
        cmocka_unit_test(headers_of_tiles_alternate_bits),
        cmocka_unit_test(formats_of_video_have_planes),
        cmocka_unit_test(texels_of_video_share_chroma),
        cmocka_unit_test(coordinates_wrap),
        cmocka_unit_test(coordinates_are_scaled),
        cmocka_unit_test(levels_halve_sizes),
    };

    return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
