/* Formats of colours and depths, and the blend equation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "runtime/gpu/graphics/draw.h"
#include "tests/graphics/tests.h"

static void tile_words_hold_components(void **state)
{
    const struct gfx_tile_format *f = gfx_tile_format(MALI_TILE_FORMAT_R8G8B8A8, 4);
    const float c[4] = {0.25f, 0.5f, 0.75f, 1};
    float back[4];

    (void)state;
    assert_int_equal(gfx_tile_encode(f, c, true), 0xffbf8040);
    gfx_tile_decode(f, 0xff000080, back);
    assert_float_equal(back[0], 128 / 255.0f, 1e-6f);
    assert_float_equal(back[3], 1, 0);
}

/* Five whole bits and five of a fraction: 0.5 is 15.5 of 31. */
static void fractions_are_kept_unless_rounded(void **state)
{
    const struct gfx_tile_format *f = gfx_tile_format(MALI_TILE_FORMAT_R5G6B5A0, 2);
    const float c[4] = {0.5f, 0, 0, 0};

    (void)state;
    assert_int_equal(gfx_tile_encode(f, c, false) & 0x3ff, 0x1f0);
    assert_int_equal(gfx_tile_encode(f, c, true) & 0x3ff, 16 << 5);
}

static void memory_follows_the_swizzle(void **state)
{
    const struct gfx_tile_format *tile = gfx_tile_format(MALI_TILE_FORMAT_R8G8B8A8, 4);
    struct gfx_memory_format f = gfx_memory_format(7, MALI_COLOR_FORMAT_R8G8B8A8, tile);
    const float c[4] = {1, 0.5f, 0, 1};
    const uint32_t bgra = 2 | 1 << 3 | 0 << 6 | 3 << 9;
    uint8_t raw[4];

    (void)state;
    gfx_memory_encode(&f, bgra, c, GFX_NEAREST, raw);
    assert_memory_equal(raw, ((uint8_t[]){0, 128, 255, 255}), 4);
    f = gfx_memory_format(7, MALI_COLOR_FORMAT_R5G6B5, tile);
    gfx_memory_encode(&f, 0 | 1 << 3 | 2 << 6 | 3 << 9, c, GFX_NEAREST, raw);
    assert_memory_equal(raw, ((uint8_t[]){0x1f, 0x04}), 2); /* 31, 32 << 5 */
}

/* 20.25 of 31 becomes 21 in a quarter of the pixels; 20 stays 20 in all. */
static void dithering_keeps_the_mean(void **state)
{
    struct gfx_memory_format f = gfx_memory_format(7, MALI_COLOR_FORMAT_R5G6B5, NULL);
    const float c[4] = {20.25f / 31, 20.0f / 63, 0, 1};
    unsigned sum[2] = {0};

    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        uint8_t raw[2];

        gfx_memory_encode(&f, 0 | 1 << 3 | 2 << 6 | 3 << 9, c,
                          gfx_dither_threshold(i % 4 + 8, i / 4 + 4), raw);
        sum[0] += raw[0] & 31;
        assert_int_equal((raw[0] | raw[1] << 8) >> 5, 20);
    }
    assert_int_equal(sum[0], 16 * 20 + 4);
}

static void depth_is_rounded(void **state)
{
    (void)state;
    assert_int_equal(gfx_depth_encode(MALI_DEPTH_FORMAT_D16, 0.5f), 0x8000);
    assert_int_equal(gfx_depth_encode(MALI_DEPTH_FORMAT_D24, 1), 0xffffff);
    assert_int_equal(gfx_depth_encode(MALI_DEPTH_FORMAT_D24, 2), 0xffffff);
    assert_int_equal(gfx_depth_encode(MALI_DEPTH_FORMAT_D32, 1), 0x3f800000);
}

/* A pixel of one tile, and what blends into it. */
struct canvas {
    struct gfx_frame frame;
    struct gfx_band band;
    struct gfx_draw draw;
    struct gfx_quads quads;
    uint32_t word;
};

static void begin_canvas(struct canvas *c, uint32_t equation, uint32_t word)
{
    uint8_t raw[4];

    memset(c, 0, sizeof(*c));
    c->word = word;
    c->frame.samples = c->band.samples = c->frame.targets = 1;
    c->frame.target[0].tile = gfx_tile_format(MALI_TILE_FORMAT_R8G8B8A8, 4);
    c->band.color[0] = (uint8_t *)&c->word;
    c->draw.frame = &c->frame;
    c->draw.band = &c->band;
    c->draw.blend[0].enable = c->draw.blend[0].round = true;
    le_put(raw, 4, equation);
    assert_null(mali_blend_equation_unpack(7, raw, &c->draw.blend[0].equation));
}

/* Source over destination, as drivers write it: destination + (source - destination) * alpha. */
static void blends_over(void **state)
{
    const float half_red[4] = {1, 0, 0, 0.5f};
    struct canvas c;

    (void)state;
    begin_canvas(&c, 0xf0503503, 0xffff0000); /* on blue */
    gfx_blend(&c.draw, &c.quads, 0, 0, 1, half_red);
    assert_int_equal(c.word & 0xffffff, 0x800080);
}

static void masks_components(void **state)
{
    const float white[4] = {1, 1, 1, 1};
    struct canvas c;

    (void)state;
    begin_canvas(&c, 0x20122122, 0); /* green only, source + source * 0 */
    gfx_blend(&c.draw, &c.quads, 0, 0, 1, white);
    assert_int_equal(c.word, 0x0000ff00);
    c.word = 0;
    gfx_blend(&c.draw, &c.quads, 0, 0, 0, white); /* not covered */
    assert_int_equal(c.word, 0);
}

int run_pixel_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_words_hold_components),
        cmocka_unit_test(fractions_are_kept_unless_rounded),
        cmocka_unit_test(memory_follows_the_swizzle),
        cmocka_unit_test(dithering_keeps_the_mean),
        cmocka_unit_test(depth_is_rounded),
        cmocka_unit_test(blends_over),
        cmocka_unit_test(masks_components),
    };

    return cmocka_run_group_tests_name("pixels", tests, NULL, NULL);
}
