/* Compressed surfaces: places of texels and headers in AFBC, texels of BC, ETC2 and ASTC blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gpu/texture/texture.h"
#include "tests/graphics/tests.h"

static void blocks_are_in_rows(void **state)
{
    const struct gpu_afbc a = {.stride = 5}, wide = {.stride = 3, .wide = true};
    uint64_t block;

    (void)state;
    assert_int_equal(gpu_afbc_place(&a, 35, 18, &block), 2 * 16 + 3);
    assert_int_equal(block, 5 + 2);
    assert_int_equal(gpu_afbc_place(&wide, 35, 18, &block), 2 * 32 + 3);
    assert_int_equal(block, 2 * 3 + 1);
}

static void headers_are_in_tiles(void **state)
{
    const struct gpu_afbc a = {.stride = 16, .tiled = true};
    uint64_t block;

    (void)state;
    gpu_afbc_place(&a, 16 * 9, 0, &block); /* block (9, 0): second tile, (1, 0) in it */
    assert_int_equal(block, 64 + 1);
    gpu_afbc_place(&a, 0, 16 * 11, &block); /* block (0, 11): second row of tiles, (0, 3) in it */
    assert_int_equal(block, 16 * 8 + 10);
}

static void headers_say_that_nothing_is_compressed(void **state)
{
    uint8_t header[MALI_AFBC_HEADER_BYTES], zero[MALI_AFBC_HEADER_BYTES] = {0};
    unsigned __int128 sizes = 0;

    (void)state;
    gpu_afbc_header(header, 0x12345);
    assert_int_equal(gpu_afbc_offset(header), 0x12345);
    memcpy(&sizes, header + 4, 12);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal((unsigned)(sizes >> 6 * i) & 63, 1);
    assert_int_equal(gpu_afbc_offset(zero), 0);
}

/* Asserts the components of a texel, in 1/255. */
static void assert_texel(const struct gpu_blocks *b, const uint8_t *raw, const unsigned at[3],
                         const int expected[4])
{
    double v[4];

    gpu_block_decode(b, raw, at, v);
    for (unsigned k = 0; k < 4; k++)
        assert_int_equal((int)(v[k] * 255 + 0.5), expected[k]);
}

/* Red, blue and what is between them; with the lesser colour first, the mean and transparent
 * black. */
static void bc1_has_four_colors_or_three(void **state)
{
    const struct gpu_blocks b = {.codec = GPU_BLOCK_BC1, .size = {4, 4, 1}};
    const uint8_t four[8] = {0x00, 0xf8, 0x1f, 0x00, 0xe4}, three[8] = {0x1f, 0, 0, 0xf8, 0xe4, 3};

    (void)state;
    assert_texel(&b, four, (const unsigned[3]){0}, (const int[4]){255, 0, 0, 255});
    assert_texel(&b, four, (const unsigned[3]){1}, (const int[4]){0, 0, 255, 255});
    assert_texel(&b, four, (const unsigned[3]){2}, (const int[4]){170, 0, 85, 255});
    assert_texel(&b, four, (const unsigned[3]){3}, (const int[4]){85, 0, 170, 255});
    assert_texel(&b, three, (const unsigned[3]){2}, (const int[4]){128, 0, 128, 255});
    assert_texel(&b, three, (const unsigned[3]){3}, (const int[4]){0, 0, 0, 0});
    assert_texel(&b, three, (const unsigned[3]){0, 1}, (const int[4]){0, 0, 0, 0});
    assert_texel(&b, three, (const unsigned[3]){1, 1}, (const int[4]){0, 0, 255, 255});
}

/* Colours are always four; alpha has four bits, or steps between two ends, and beyond them 0 and
 * 1. */
static void bc2_and_bc3_have_alpha(void **state)
{
    const struct gpu_blocks two = {.codec = GPU_BLOCK_BC2, .size = {4, 4, 1}},
                            three = {.codec = GPU_BLOCK_BC3, .size = {4, 4, 1}};
    const uint8_t bits[16] = {0x5f, [8] = 0x1f, 0, 0, 0xf8, 0xaa},
                  steps[16] = {10, 80, 0xf2, 1, [8] = 0x1f, 0, 0, 0xf8, 0xaa},
                  more[16] = {80, 10, 0xf2, 1};

    (void)state;
    assert_texel(&two, bits, (const unsigned[3]){0}, (const int[4]){85, 0, 170, 255});
    assert_texel(&two, bits, (const unsigned[3]){1}, (const int[4]){85, 0, 170, 85});
    assert_texel(&three, steps, (const unsigned[3]){0}, (const int[4]){85, 0, 170, 24});
    assert_texel(&three, steps, (const unsigned[3]){1}, (const int[4]){85, 0, 170, 0});
    assert_texel(&three, steps, (const unsigned[3]){2}, (const int[4]){85, 0, 170, 255});
    assert_texel(&three, steps, (const unsigned[3]){3}, (const int[4]){85, 0, 170, 10});
    assert_texel(&three, more, (const unsigned[3]){0}, (const int[4]){0, 0, 0, 70});
    assert_texel(&three, more, (const unsigned[3]){2}, (const int[4]){0, 0, 0, 20});
}

/* -128 counts as -127, the least value. */
static void bc5_has_signed_components(void **state)
{
    const struct gpu_blocks b = {.codec = GPU_BLOCK_BC5_SIGNED, .size = {4, 4, 1}};
    const uint8_t raw[16] = {0x80, 127, 0xd0, 1, 0, 0, 0, 0, 64, 0x80, 1};
    double v[4];

    (void)state;
    gpu_block_decode(&b, raw, (const unsigned[3]){0}, v);
    assert_float_equal(v[0], -1, 0);
    assert_float_equal(v[1], -1, 0);
    assert_float_equal(v[2], 0, 0);
    gpu_block_decode(&b, raw, (const unsigned[3]){1}, v);
    assert_float_equal(v[0], (-127 + 254 / 5.0) / 127, 1e-9);
    assert_float_equal(v[1], 64 / 127.0, 1e-9);
    gpu_block_decode(&b, raw, (const unsigned[3]){2}, v);
    assert_float_equal(v[0], 1, 0);
}

/* Two halves with a colour each, both changed by +2; the left one is red. */
static void halves_of_etc2_have_colors(void **state)
{
    const struct gpu_blocks b = {.codec = GPU_BLOCK_ETC2_RGB, .size = {4, 4, 1}};
    const uint8_t raw[8] = {0xf0};

    (void)state;
    assert_texel(&b, raw, (const unsigned[3]){1, 3, 0}, (const int[4]){255, 2, 2, 255});
    assert_texel(&b, raw, (const unsigned[3]){2, 0, 0}, (const int[4]){2, 2, 2, 255});
}

/* The least base of a signed component is -127; with factor 0 the change is not multiplied. */
static void eac_components_are_limited(void **state)
{
    const struct gpu_blocks b = {.codec = GPU_BLOCK_EAC_SIGNED_R, .size = {4, 4, 1}};
    const uint8_t raw[8] = {0x80};
    double v[4];

    (void)state;
    gpu_block_decode(&b, raw, (const unsigned[3]){0}, v);
    assert_float_equal(v[0], (-127 * 8 - 3) / 1023.0, 1e-9);
    assert_float_equal(v[3], 1, 0);
}

/* Three partitions, of which the second has end points of high dynamic range. The texels are those
 * of Mesa's decoder. */
static void astc_has_partitions(void **state)
{
    const struct gpu_blocks b = {.codec = GPU_BLOCK_ASTC, .size = {6, 5, 1}, .srgb = true};
    const uint8_t raw[16] = {0x52, 0x90, 0x10, 0xab, 0x04, 0xd8, 0x21, 0x54,
                             0x5a, 0xa3, 0xf5, 0x48, 0x60, 0x5e, 0xeb, 0x25};

    (void)state;
    assert_texel(&b, raw, (const unsigned[3]){0, 0, 0}, (const int[4]){84, 142, 255, 255});
    assert_texel(&b, raw, (const unsigned[3]){3, 2, 0}, (const int[4]){134, 19, 0, 189});
    assert_texel(&b, raw, (const unsigned[3]){5, 4, 0}, (const int[4]){100, 14, 0, 199});
    assert_texel(&b, raw, (const unsigned[3]){1, 3, 0}, (const int[4]){112, 16, 0, 196});
}

static void set_bits(uint8_t *raw, unsigned at, unsigned bits, unsigned value)
{
    for (unsigned i = 0; i < bits; i++)
        raw[(at + i) / 8] |= (uint8_t)((value >> i & 1) << (at + i) % 8);
}

/* Black to white, with a weight for each corner of a block of 4 by 4 by 4: white at the last. A
 * third of the way to it, the weight is 20 of 64. */
static void astc_has_volumes(void **state)
{
    const struct gpu_blocks b = {.codec = GPU_BLOCK_ASTC_3D, .size = {4, 4, 4}};
    uint8_t raw[16] = {0};

    (void)state;
    set_bits(raw, 0, 11, 0x13); /* 2 by 2 by 2 weights of three bits */
    set_bits(raw, 25, 8, 255);
    set_bits(raw, 128 - 24, 3, 7); /* weights are stored from the block's end on */
    assert_texel(&b, raw, (const unsigned[3]){3, 3, 3}, (const int[4]){255, 255, 255, 255});
    assert_texel(&b, raw, (const unsigned[3]){3, 3, 1}, (const int[4]){80, 80, 80, 255});
    assert_texel(&b, raw, (const unsigned[3]){3, 3, 0}, (const int[4]){0, 0, 0, 255});
    assert_texel(&b, raw, (const unsigned[3]){3, 0, 3}, (const int[4]){0, 0, 0, 255});
    set_bits(raw, 128 - 24, 24, 0xffffff); /* all corners white: so is all between them */
    assert_texel(&b, raw, (const unsigned[3]){1, 2, 3}, (const int[4]){255, 255, 255, 255});
    assert_texel(&b, raw, (const unsigned[3]){2, 2, 1}, (const int[4]){255, 255, 255, 255});
}

static void astc_that_is_not_legal_is_magenta(void **state)
{
    const struct gpu_blocks b = {.codec = GPU_BLOCK_ASTC, .size = {4, 4, 1}, .wide = true};
    const uint8_t reserved[16] = {0},
                  all_ones[16] = {0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                  0,    0x80, 0xff, 0xff, 0,    0,    0,    0x80};
    uint8_t empty_part[16];

    (void)state;
    memcpy(empty_part, all_ones, sizeof(empty_part));
    empty_part[4] = 0; /* the part of the texture with this colour ends before it begins */
    assert_texel(&b, reserved, (const unsigned[3]){0}, (const int[4]){255, 0, 255, 255});
    assert_texel(&b, empty_part, (const unsigned[3]){0}, (const int[4]){255, 0, 255, 255});
    assert_texel(&b, all_ones, (const unsigned[3]){0}, (const int[4]){128, 255, 0, 128});
}

int run_compressed_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_in_rows),
        cmocka_unit_test(headers_are_in_tiles),
        cmocka_unit_test(headers_say_that_nothing_is_compressed),
        cmocka_unit_test(bc1_has_four_colors_or_three),
        cmocka_unit_test(bc2_and_bc3_have_alpha),
        cmocka_unit_test(bc5_has_signed_components),
        cmocka_unit_test(halves_of_etc2_have_colors),
        cmocka_unit_test(eac_components_are_limited),
        cmocka_unit_test(astc_has_partitions),
        cmocka_unit_test(astc_has_volumes),
        cmocka_unit_test(astc_that_is_not_legal_is_magenta),
    };

    return cmocka_run_group_tests_name("compressed", tests, NULL, NULL);
}
