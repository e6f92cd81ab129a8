/*
 * Blending and stores to the tile buffer. What a blend function yields is OpenGL's (ES 3.2,
 * 15.1.5); how drivers write it as A + B * C is Mesa's (25, pan_blend.c). A colour of the tile
 * buffer has as many bits as its format, so each result is the exact one, rounded.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gpu/graphics/draw.h"
#include "tests/graphics/tests.h"

enum { SAMPLES = 4, LANES = 3, TARGET = 1 };

/* Pixels of four samples, one per lane; the draw's second target is theirs. */
static struct canvas {
    struct gfx_frame frame;
    struct gfx_band band;
    struct gfx_draw draw;
    struct gfx_quads quads;
    uint8_t bytes[LANES * SAMPLES * 16];
} c;

/* Clears the canvas; each sample has the word `word`, if the format has words. */
static void begin_canvas(uint32_t format, uint32_t raw_bytes, uint32_t word)
{
    memset(&c, 0, sizeof(c));
    c.frame.samples = c.frame.places = c.band.samples = SAMPLES;
    c.frame.targets = 2;
    c.frame.target[TARGET].tile = gfx_tile_format(format, raw_bytes);
    c.band.color[TARGET] = c.bytes;
    c.draw.frame = &c.frame;
    c.draw.band = &c.band;
    c.draw.blend[TARGET].enable = c.draw.blend[TARGET].round = true;
    c.draw.blend[TARGET].equation.mask = 15;
    for (unsigned l = 0; l < LANES; l++)
        c.quads.place[l] = l * SAMPLES;
    for (unsigned i = 0; i < LANES * SAMPLES; i++)
        memcpy(c.bytes + (size_t)4 * i, &word, 4);
}

static uint32_t word_of(unsigned lane, unsigned sample)
{
    uint32_t word;

    memcpy(&word, c.bytes + (size_t)4 * (lane * SAMPLES + sample), 4);
    return word;
}

static void set_equation(uint32_t rgb, uint32_t alpha, uint32_t mask)
{
    uint8_t raw[4];

    le_put(raw, 4, rgb | alpha << 12 | mask << 28);
    assert_null(mali_blend_equation_unpack(7, raw, &c.draw.blend[TARGET].equation));
}

/* Blends into sample 0 of lane 0. */
static uint32_t blend(const float source[4])
{
    gfx_blend(&c.draw, &c.quads, 0, TARGET, 1, source);
    return word_of(0, 0);
}

/* ---- OpenGL's functions ---------------------------------------------------------------------- */

enum factor { F_ZERO, F_SOURCE, F_DESTINATION, F_SOURCE_ALPHA, F_DESTINATION_ALPHA, F_CONSTANT };
enum { FACTORS = 12 }; /* each, and one minus each; one is 1 - zero */
enum operation { OP_ADD, OP_SUBTRACT, OP_REVERSE, OPERATIONS };

/* A component's inputs, and what OpenGL makes of them. */
struct inputs {
    double source, destination, source_alpha, destination_alpha, constant;
};

static double factor_of(unsigned factor, const struct inputs *in)
{
    const double value[6] = {
        0, in->source, in->destination, in->source_alpha, in->destination_alpha, in->constant};

    return factor >= 6 ? 1 - value[factor - 6] : value[factor];
}

static double opengl_result(enum operation op, unsigned source, unsigned destination,
                            const struct inputs *in)
{
    double s = in->source * factor_of(source, in);
    double d = in->destination * factor_of(destination, in);
    double v = op == OP_ADD ? s + d : op == OP_SUBTRACT ? s - d : d - s;

    return v < 0 ? 0 : v > 1 ? 1 : v;
}

/* The fields of a function of 12 bits. */
static uint32_t function_of(unsigned a, bool negate_a, unsigned b, bool negate_b, unsigned factor)
{
    static const uint8_t number[6] = {MALI_BLEND_C_ZERO,
                                      MALI_BLEND_C_SOURCE,
                                      MALI_BLEND_C_DESTINATION,
                                      MALI_BLEND_C_SOURCE_ALPHA,
                                      MALI_BLEND_C_DESTINATION_ALPHA,
                                      MALI_BLEND_C_CONSTANT};

    return a | (uint32_t)negate_a << 3 | b << 4 | (uint32_t)negate_b << 7 |
           (uint32_t)number[factor % 6] << 8 | (uint32_t)(factor >= 6) << 11;
}

enum { F_ONE = F_ZERO + 6 };

/* The function as a driver writes it; 0: it has no such form, and needs a shader. */
static uint32_t driver_function(enum operation op, unsigned source, unsigned destination)
{
    bool subtract = op == OP_SUBTRACT, reverse = op == OP_REVERSE;

    if (source == F_ZERO)
        return function_of(MALI_BLEND_A_ZERO, false, MALI_BLEND_B_DESTINATION, subtract,
                           destination);
    if (source == F_ONE)
        return function_of(MALI_BLEND_A_SOURCE, reverse, MALI_BLEND_B_DESTINATION, subtract,
                           destination);
    if (destination == F_ZERO)
        return function_of(MALI_BLEND_A_ZERO, false, MALI_BLEND_B_SOURCE, reverse, source);
    if (destination == F_ONE)
        return function_of(MALI_BLEND_A_DESTINATION, subtract, MALI_BLEND_B_SOURCE, reverse,
                           source);
    if (source == destination)
        return function_of(MALI_BLEND_A_ZERO, false,
                           op == OP_ADD ? MALI_BLEND_B_SOURCE_PLUS_DESTINATION
                                        : MALI_BLEND_B_SOURCE_MINUS_DESTINATION,
                           reverse, source);
    if (source % 6 == destination % 6)
        return function_of(MALI_BLEND_A_DESTINATION, subtract,
                           op == OP_ADD ? MALI_BLEND_B_SOURCE_MINUS_DESTINATION
                                        : MALI_BLEND_B_SOURCE_PLUS_DESTINATION,
                           reverse, source);
    if (op == OP_ADD && source == F_DESTINATION && destination == F_SOURCE)
        return MALI_BLEND_A_ZERO | MALI_BLEND_B_DESTINATION << 4 | MALI_BLEND_C_TWICE_SOURCE << 8;
    return 0;
}

/* A component's 8 bits are the exact value, rounded; a value close to a half may go either way. */
static void is_rounded(unsigned byte, double exact)
{
    double error = byte - exact * 255;

    assert_true(error > -0.5001 && error < 0.5001);
}

static void check_function(enum operation op, unsigned source, unsigned destination, bool of_alpha)
{
    static const uint8_t colors[][8] = {
        {200, 17, 90, 64, 31, 240, 128, 190},
        {0, 255, 128, 255, 255, 0, 127, 0},
        {5, 250, 60, 130, 100, 101, 102, 103},
    };
    uint32_t bits = driver_function(op, source, destination), copy = 0x122;

    for (unsigned i = 0; i < ARRAY_SIZE(colors) && bits; i++) {
        const uint8_t *v = colors[i];
        float in[4];
        uint32_t word;

        begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4,
                     v[4] | (uint32_t)v[5] << 8 | (uint32_t)v[6] << 16 | (uint32_t)v[7] << 24);
        set_equation(of_alpha ? copy : bits, of_alpha ? bits : copy, 15);
        for (unsigned k = 0; k < 4; k++) {
            in[k] = v[k] / 255.0f;
            c.draw.blend[TARGET].constant[k] = 77 / 255.0f;
        }
        word = blend(in);
        for (unsigned k = 0; k < 4; k++) {
            struct inputs of = {v[k] / 255.0, v[4 + k] / 255.0, v[3] / 255.0, v[7] / 255.0,
                                77 / 255.0};

            is_rounded(word >> 8 * k & 0xff, of_alpha == (k == 3)
                                                 ? opengl_result(op, source, destination, &of)
                                                 : of.source);
        }
    }
}

/* All operations and pairs of factors that have a form, for colour and for alpha. */
static void functions_are_opengls(void **state)
{
    (void)state;
    for (unsigned op = 0; op < OPERATIONS; op++)
        for (unsigned source = 0; source < FACTORS; source++)
            for (unsigned destination = 0; destination < FACTORS; destination++) {
                check_function(op, source, destination, false);
                check_function(op, source, destination, true);
            }
}

/* ---- the equation ---------------------------------------------------------------------------- */

/* 0.5 of red over blue, as drivers write it. */
static void blends_over(void **state)
{
    const float half_red[4] = {1, 0, 0, 0.5f};

    (void)state;
    begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4, 0xffff0000);
    set_equation(0x503, 0x503, 15);
    assert_int_equal(blend(half_red), 0xbf800080); /* alpha: 1 + (0.5 - 1) * 0.5 */
}

/* A component that the mask leaves out keeps all its bits, those of its fraction too. */
static void masks_components(void **state)
{
    static const struct {
        uint32_t format, part[4]; /* bits of each component */
    } cases[] = {
        {MALI_TILE_FORMAT_R8G8B8A8, {0xff, 0xff00, 0xff0000, 0xff000000}},
        {MALI_TILE_FORMAT_R10G10B10A2, {0x3ff, 0xffc00, 0x3ff00000, 0xc0000000}},
        {MALI_TILE_FORMAT_R8G8B8A2, {0x3ff, 0xffc00, 0x3ff00000, 0xc0000000}},
        {MALI_TILE_FORMAT_R4G4B4A4, {0xff, 0xff00, 0xff0000, 0xff000000}},
        {MALI_TILE_FORMAT_R5G6B5A0, {0x3ff, 0xffc00, 0x3ff00000, 0xc0000000}},
        {MALI_TILE_FORMAT_R5G5B5A1, {0x3ff, 0xffc00, 0x3ff00000, 0xc0000000}},
    };
    const float black[4] = {0};

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++)
        for (uint32_t mask = 0; mask < 16; mask++)
            for (unsigned replaces = 0; replaces < 2; replaces++) {
                uint32_t kept = 0xffffffff;

                begin_canvas(cases[i].format, 4, 0xffffffff);
                set_equation(0x122, 0x122, mask);
                c.draw.blend[TARGET].replaces = replaces;
                for (unsigned k = 0; k < 4; k++)
                    kept &= mask >> k & 1 ? ~cases[i].part[k] : 0xffffffff;
                assert_int_equal(blend(black), kept);
            }
}

static void disabled_targets_are_left_alone(void **state)
{
    const float white[4] = {1, 1, 1, 1};

    (void)state;
    begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4, 0x12345678);
    set_equation(0x122, 0x122, 15);
    c.draw.blend[TARGET].enable = false;
    assert_int_equal(blend(white), 0x12345678);
}

/* Sources are limited to 0 … 1 before the equation, and results behind it. */
static void colors_are_clamped(void **state)
{
    const float wild[4] = {2, -1, NAN, 1};

    (void)state;
    begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4, 0);
    c.draw.blend[TARGET].constant[0] = 0.5f;
    set_equation(0x721, 0x721, 1); /* source * 0.5: of 1.5 as much as of 1 */
    assert_int_equal(blend((const float[4]){1.5f, 0, 0, 0}), 0x80);
    set_equation(0x9a3, 0x9a3, 1); /* destination - source: of -0.25 as much as of 0 */
    assert_int_equal(blend((const float[4]){-0.25f, 0, 0, 0}), 0x80);
    begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4, 0x80404040);
    set_equation(0x123, 0x123, 15); /* destination + source * 0 */
    assert_int_equal(blend(wild), 0x80404040);
    set_equation(0x922, 0x922, 15); /* source + source * 1 */
    assert_int_equal(blend((const float[4]){0.75f, 0.25f, 0, 0.5f}), 0xff0080ff);
    set_equation(0x503, 0x503, 15); /* over, of 2: as much as of 1 */
    assert_int_equal(blend(wild), 0xff0000ff);
    c.draw.blend[TARGET].replaces = true;
    assert_int_equal(blend(wild), 0xff0000ff);
}

/* The source's alpha counts as 1, as a value and as a factor. */
static void alpha_may_be_one(void **state)
{
    const float dim[4] = {0.2f, 0.4f, 0.6f, 0.25f};

    (void)state;
    begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4, 0);
    c.draw.blend[TARGET].alpha_to_one = true;
    set_equation(0x503, 0x503, 15);
    assert_int_equal(blend(dim), 0xff996633);
    begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4, 0);
    c.draw.blend[TARGET].alpha_to_one = c.draw.blend[TARGET].replaces = true;
    assert_int_equal(blend(dim), 0xff996633);
    c.draw.blend[TARGET].alpha_to_one = false;
    assert_int_equal(blend(dim), 0x40996633);
}

/* A format without alpha: the destination's reads as 1 (ES 3.2, 15.1.5). */
static void absent_alpha_is_one(void **state)
{
    const float half[4] = {0.5f, 0.5f, 0.5f, 0};

    (void)state;
    begin_canvas(MALI_TILE_FORMAT_R5G6B5A0, 2, 0);
    set_equation(0x621, 0x621, 15); /* source * destination alpha */
    assert_int_equal(blend(half), (16 << 5) | (32 << 14) | (16 << 25));
    set_equation(0xe21, 0xe21, 15); /* source * (1 - destination alpha) */
    assert_int_equal(blend(half), 0);
}

/* Rounded to whole bits, or with those of the fraction: 0.5 of 31 is 15.5. */
static void results_are_rounded_if_told(void **state)
{
    const float half[4] = {0.5f, 0, 0, 0};

    (void)state;
    for (unsigned replaces = 0; replaces < 2; replaces++) {
        begin_canvas(MALI_TILE_FORMAT_R5G6B5A0, 2, 0);
        set_equation(0x122, 0x122, 15);
        c.draw.blend[TARGET].replaces = replaces;
        assert_int_equal(blend(half), 16 << 5);
        c.draw.blend[TARGET].round = false;
        assert_int_equal(blend(half), 15 << 5 | 16);
    }
}

/* ---- sRGB ------------------------------------------------------------------------------------ */

/* ES 3.2, 8.23 and 15.1.7. */
static double to_linear(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double from_linear(double v)
{
    return v < 0.0031308 ? 12.92 * v : 1.055 * pow(v, 0.41666) - 0.055;
}

/* A byte may be the next one at a half, and the standard's exponent is rounded. */
static void is_about(unsigned byte, double exact)
{
    double error = byte - exact * 255;

    assert_true(error > -0.52 && error < 0.52);
}

/* The source is linear; the tile buffer has sRGB, but for alpha. */
static void srgb_is_stored(void **state)
{
    (void)state;
    for (unsigned i = 0; i <= 255; i++) {
        float v = (float)i / 255, source[4] = {v, v * v, v / 32, v};
        uint32_t word;

        for (unsigned replaces = 0; replaces < 2; replaces++) {
            begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4, 0);
            set_equation(0x122, 0x122, 15);
            c.draw.blend[TARGET].srgb = true;
            c.draw.blend[TARGET].replaces = replaces;
            word = blend(source);
            for (unsigned k = 0; k < 3; k++)
                is_about(word >> 8 * k & 0xff, from_linear(source[k]));
            assert_int_equal(word >> 24, i);
        }
    }
}

/* Blending mixes linear values: the same colour over itself stays, and half of one over another is
 * the mean of their light. */
static void srgb_is_blended_linearly(void **state)
{
    (void)state;
    for (unsigned i = 0; i <= 255; i++) {
        const float black[4] = {0, 0, 0, 0.5f};
        double linear = to_linear(i / 255.0);
        uint32_t word;

        begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4, i * 0x01010101u);
        set_equation(0x503, 0x503, 15);
        c.draw.blend[TARGET].srgb = true;
        word = blend(black);
        for (unsigned k = 0; k < 3; k++)
            is_about(word >> 8 * k & 0xff, from_linear(linear / 2));
        is_about(word >> 24, i / 510.0 + 0.25);
    }
    begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4, 0);
    set_equation(0x922, 0x922, 15); /* twice the source: more than 1, and less than 0 */
    c.draw.blend[TARGET].srgb = true;
    assert_int_equal(blend((const float[4]){0.75f, 0.5f, 0, 1}), 0xff00ffff);
    set_equation(0x92a, 0x92a, 15); /* -source + source * 1 */
    assert_int_equal(blend((const float[4]){0.75f, 0.5f, 0, 1}), 0);
    set_equation(0x1a3 | 0x800, 0x122, 15); /* destination - source */
    assert_int_equal(blend((const float[4]){0.75f, 0.5f, 1, 1}), 0xff000000);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Only covered samples of the lane change. */
static void is_written(unsigned lane, uint32_t coverage, uint32_t word)
{
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned i = 0; i < SAMPLES; i++)
            assert_int_equal(word_of(l, i), l == lane && coverage >> i & 1 ? word : 0x11111111);
}

static void covered_samples_are_written(void **state)
{
    const float color[4] = {0, 0.2f, 0.4f, 1};

    (void)state;
    for (unsigned lane = 0; lane < LANES; lane++)
        for (uint16_t coverage = 0; coverage < 16; coverage++) {
            const uint8_t raw[4] = {1, 2, 3, 4};

            begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4, 0x11111111);
            set_equation(0x122, 0x122, 15);
            gfx_blend(&c.draw, &c.quads, lane, TARGET, coverage, color);
            is_written(lane, coverage, 0xff663300);
            begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4, 0x11111111);
            gfx_replace(&c.draw, &c.quads, lane, TARGET, coverage, color);
            is_written(lane, coverage, 0xff663300);
            begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4, 0x11111111);
            gfx_store_raw(&c.draw, &c.quads, lane, TARGET, coverage, raw);
            is_written(lane, coverage, 0x04030201);
        }
}

/* The single sample of a pixel is written once, whichever places of its coverage are covered. */
static void places_are_written_as_one_sample(void **state)
{
    const float gray[4] = {0.2f, 0.2f, 0.2f, 0.2f};
    const uint8_t raw[4] = {1, 2, 3, 4};

    (void)state;
    for (unsigned lane = 0; lane < LANES; lane++) {
        begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4, 0x11111111);
        c.frame.samples = c.band.samples = 1;
        c.frame.places = 16;
        set_equation(0x932, 0x932, 15); /* source + destination * 1 */
        gfx_blend(&c.draw, &c.quads, lane, TARGET, 0, gray);
        gfx_replace(&c.draw, &c.quads, lane, TARGET, 0, gray);
        is_written(lane, 0, 0);
        gfx_blend(&c.draw, &c.quads, lane, TARGET, 0xc006, gray);
        is_written(lane, 1, 0x44444444);
        gfx_store_raw(&c.draw, &c.quads, lane, TARGET, 0x8000, raw);
        is_written(lane, 1, 0x04030201);
    }
}

/* Each sample is blended with its own colour. */
static void samples_are_blended_apart(void **state)
{
    const float gray[4] = {0.2f, 0.2f, 0.2f, 0.2f};

    (void)state;
    begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4, 0);
    for (unsigned i = 0; i < SAMPLES; i++)
        memset(c.bytes + (size_t)4 * i, (int)(16 * i), 4);
    set_equation(0x932, 0x932, 15); /* source + destination * 1 */
    gfx_blend(&c.draw, &c.quads, 0, TARGET, 15, gray);
    for (unsigned i = 0; i < SAMPLES; i++)
        assert_int_equal(word_of(0, i), (51 + 16 * i) * 0x01010101u);
}

/* A store without an equation ignores its mask, and that blending is off; the rest is as usual. */
static void replacing_ignores_the_equation(void **state)
{
    const float color[4] = {0.5f, 0, 1, 0.25f};

    (void)state;
    begin_canvas(MALI_TILE_FORMAT_R8G8B8A8, 4, 0x11111111);
    set_equation(0x123, 0x123, 0);
    c.draw.blend[TARGET].enable = false;
    c.draw.blend[TARGET].alpha_to_one = c.draw.blend[TARGET].srgb = true;
    gfx_replace(&c.draw, &c.quads, 0, TARGET, 1, color);
    assert_int_equal(word_of(0, 0), 0xffff00bc); /* 0.5 is 188 in sRGB */
    c.draw.blend[TARGET].alpha_to_one = c.draw.blend[TARGET].srgb = false;
    gfx_replace(&c.draw, &c.quads, 0, TARGET, 1, color);
    assert_int_equal(word_of(0, 0), 0x40ff0080);
    begin_canvas(MALI_TILE_FORMAT_R5G6B5A0, 2, 0);
    gfx_replace(&c.draw, &c.quads, 0, TARGET, 1, color);
    assert_int_equal(word_of(0, 0), 16 << 5 | 31 << 25);
    c.draw.blend[TARGET].round = false;
    gfx_replace(&c.draw, &c.quads, 0, TARGET, 1, color);
    assert_int_equal(word_of(0, 0), 15 << 5 | 16 | 31 << 25);
}

/* Raw targets take as many bytes as they have; the samples beside stay. */
static void raw_bytes_are_stored(void **state)
{
    static const uint32_t sizes[] = {1, 2, 4, 8, 16};
    uint8_t raw[16];

    (void)state;
    for (unsigned k = 0; k < sizeof(raw); k++)
        raw[k] = (uint8_t)(0xa0 + k);
    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        begin_canvas(MALI_TILE_FORMAT_RAW, sizes[i], 0);
        memset(c.bytes, 0x33, sizeof(c.bytes));
        gfx_store_raw(&c.draw, &c.quads, 1, TARGET, 1 << 2, raw);
        for (uint32_t k = 0; k < sizeof(c.bytes); k++) {
            uint32_t first = (SAMPLES + 2) * sizes[i];

            assert_int_equal(c.bytes[k],
                             k >= first && k < first + sizes[i] ? raw[k - first] : 0x33);
        }
    }
}

/* A shader has the upper eight of ten bits in a byte of each component, and the lower two of all in
 * the fourth. */
static void ten_bits_are_joined(void **state)
{
    const uint8_t raw[4] = {0xff, 0x80, 0x01, 0xc0 | 2 << 4 | 1 << 2 | 3};

    (void)state;
    begin_canvas(MALI_TILE_FORMAT_R10G10B10A2, 4, 0);
    gfx_store_raw(&c.draw, &c.quads, 0, TARGET, 1, raw);
    assert_int_equal(word_of(0, 0), 0xc0000000 | 0x3ff | 0x201 << 10 | 0x006 << 20);
}

int run_blend_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_opengls),
        cmocka_unit_test(blends_over),
        cmocka_unit_test(masks_components),
        cmocka_unit_test(disabled_targets_are_left_alone),
        cmocka_unit_test(colors_are_clamped),
        cmocka_unit_test(alpha_may_be_one),
        cmocka_unit_test(absent_alpha_is_one),
        cmocka_unit_test(results_are_rounded_if_told),
        cmocka_unit_test(srgb_is_stored),
        cmocka_unit_test(srgb_is_blended_linearly),
        cmocka_unit_test(covered_samples_are_written),
        cmocka_unit_test(places_are_written_as_one_sample),
        cmocka_unit_test(samples_are_blended_apart),
        cmocka_unit_test(replacing_ignores_the_equation),
        cmocka_unit_test(raw_bytes_are_stored),
        cmocka_unit_test(ten_bits_are_joined),
    };

    return cmocka_run_group_tests_name("blend", tests, NULL, NULL);
}
