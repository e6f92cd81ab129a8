/* Depth and stencil tests of samples (OpenGL ES 3.2, 17.3.3 and 17.3.4), and where samples are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/graphics/draw.h"
#include "runtime/gpu/graphics/samples.h"
#include "tests/graphics/parts.h"

enum { SAMPLES = 4, PLACE = 8 };

/* A lane's pixel with four samples, and the triangle over it. */
struct stage {
    struct gfx_frame frame;
    struct gfx_band band;
    struct gfx_draw draw;
    struct gfx_quads quads;
    struct gfx_triangle triangle;
    uint32_t depth[16];
    uint8_t stencil[16];
};

/* Stored depth 0x8000 of 16 bits, and stencil 0x55. */
static void begin(struct stage *s)
{
    memset(s, 0, sizeof(*s));
    s->frame.samples = s->frame.places = s->band.samples = SAMPLES;
    s->frame.zs.depth_format = MALI_DEPTH_FORMAT_D16;
    s->band.depth = s->depth;
    s->band.stencil = s->stencil;
    s->draw.frame = &s->frame;
    s->draw.band = &s->band;
    s->draw.tests.depth_function = MALI_COMPARE_FUNCTION_ALWAYS;
    s->draw.tests.most_depth = 1;
    s->quads.lane_triangle[0] = &s->triangle;
    s->quads.place[0] = PLACE;
    for (unsigned i = 0; i < 16; i++) {
        s->depth[i] = 0x8000;
        s->stencil[i] = 0x55;
    }
}

static uint16_t test(struct stage *s, uint16_t coverage)
{
    return gfx_zs_test(&s->draw, &s->quads, 0, coverage, true);
}

/* The new depth is the left operand. */
static void depths_are_compared(void **state)
{
    static const bool want[8][3] = {/* less, equal, greater */
                                    {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    static const double depth[3] = {0x7fff / 65535.0, 0x8000 / 65535.0, 0x8001 / 65535.0};
    struct stage s;

    (void)state;
    for (unsigned function = 0; function < 8; function++)
        for (unsigned i = 0; i < 3; i++) {
            begin(&s);
            s.draw.tests.depth_function = function;
            s.draw.tests.depth_write = true;
            s.triangle.z = depth[i];
            assert_int_equal(test(&s, 1), want[function][i]);
            assert_int_equal(s.depth[PLACE], want[function][i] ? 0x7fff + i : 0x8000);
            assert_int_equal(s.depth[PLACE + 1], 0x8000);
        }
}

static void depths_are_written_if_wanted(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    assert_int_equal(test(&s, 0xf), 0xf);
    assert_int_equal(s.depth[PLACE], 0x8000);
    s.draw.tests.depth_write = true;
    assert_int_equal(gfx_zs_test(&s.draw, &s.quads, 0, 5, false), 5);
    assert_int_equal(s.depth[PLACE], 0x8000);
    assert_int_equal(test(&s, 5), 5);
    assert_int_equal(s.depth[PLACE], 0);
    assert_int_equal(s.depth[PLACE + 1], 0x8000);
    assert_int_equal(s.depth[PLACE + 2], 0);
    s.draw.tests.passive = true;
    s.depth[PLACE] = 0x8000;
    assert_int_equal(test(&s, 9), 9);
    assert_int_equal(s.depth[PLACE], 0x8000);
}

/* Floats may be negative and beyond 1. */
static void floats_are_compared(void **state)
{
    static const float order[] = {-2, -1, -0.5f, 0, 0.25f, 1, 8};
    struct stage s;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(order); i++)
        for (size_t k = 0; k < ARRAY_SIZE(order); k++) {
            begin(&s);
            s.frame.zs.depth_format = MALI_DEPTH_FORMAT_D32;
            s.draw.tests.least_depth = -100;
            s.draw.tests.most_depth = 100;
            s.draw.tests.depth_function = MALI_COMPARE_FUNCTION_LESS;
            memcpy(&s.depth[PLACE], &order[k], sizeof(order[k]));
            s.triangle.z = (double)order[i];
            assert_int_equal(test(&s, 1), i < k);
        }
}

/* Depth after bias is limited to the depth range. */
static void depths_are_limited(void **state)
{
    static const struct {
        float z, bias;
        uint32_t want;
    } rows[] = {{0.5f, 0, 0x8000}, {0.5f, 0.25f, 0xbfff}, {0.5f, 0.5f, 0xcccc},
                {-1, 0, 0x3333},   {2, -1.5f, 0x8000},    {NAN, 0, 0x3333}};
    struct stage s;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        begin(&s);
        s.draw.tests.least_depth = 0.2f;
        s.draw.tests.most_depth = 0.8f;
        s.draw.tests.depth_write = true;
        s.triangle.z = (double)rows[i].z;
        s.triangle.bias = rows[i].bias;
        test(&s, 1);
        assert_int_equal(s.depth[PLACE], rows[i].want);
    }
}

/* Depth differs by sample: 1/256 per 1/16 pixel in x. */
static void samples_have_depths(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    s.draw.tests.depth_write = true;
    s.draw.state.multisample = 1;
    s.triangle.z_dx = 1.0 / 16;
    s.triangle.z_dy = 1.0 / 4;
    s.quads.x[0] = 2;
    s.quads.y[0] = 1;
    test(&s, 0xf);
    for (unsigned i = 0; i < SAMPLES; i++) { /* the rotated grid */
        static const double at[SAMPLES][2] = {
            {0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}};
        double z = (2 + at[i][0]) / 16 + (1 + at[i][1]) / 4;

        assert_int_equal(s.depth[PLACE + i], (uint32_t)rint(z * 65535));
    }
    s.draw.state.multisample = 0; /* all are at the centre */
    test(&s, 0xf);
    for (unsigned i = 0; i < SAMPLES; i++)
        assert_int_equal(s.depth[PLACE + i], (uint32_t)rint((2.5 / 16 + 1.5 / 4) * 65535));
    s.draw.tests.shader_depth = true;
    s.quads.z[0] = 0.25f;
    test(&s, 1);
    assert_int_equal(s.depth[PLACE], 0x4000);
}

/* ---- stencil --------------------------------------------------------------------------------- */

/* Reference (masked) is the left operand. */
static void stencils_are_compared(void **state)
{
    static const bool want[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    struct stage s;

    (void)state;
    for (unsigned function = 0; function < 8; function++)
        for (unsigned i = 0; i < 3; i++) {
            begin(&s);
            s.draw.tests.stencil_enable = true;
            s.draw.tests.stencil[0] = (struct mali_stencil){
                .mask = 0x0f, .reference = 0x84 + i, .compare_function = function};
            assert_int_equal(test(&s, 1), want[function][i]);
        }
}

static void stencils_are_changed(void **state)
{
    static const uint8_t old[3] = {0, 0xff, 0x55}, want[8][3] = {
                                                       {0, 0xff, 0x55},    /* keep */
                                                       {0x3c, 0x3c, 0x3c}, /* replace */
                                                       {0, 0, 0},          /* zero */
                                                       {0xff, 0, 0xaa},    /* invert */
                                                       {1, 0, 0x56},       /* increment, wrap */
                                                       {0xff, 0xfe, 0x54}, /* decrement, wrap */
                                                       {1, 0xff, 0x56},    /* increment */
                                                       {0, 0xfe, 0x54},    /* decrement */
                                                   };
    struct stage s;

    (void)state;
    for (unsigned op = 0; op < 8; op++)
        for (unsigned i = 0; i < 3; i++) {
            begin(&s);
            s.draw.tests.stencil_enable = true;
            s.draw.tests.stencil_mask[0] = 0xff;
            s.draw.tests.stencil[0] =
                (struct mali_stencil){.mask = 0xff,
                                      .reference = 0x3c,
                                      .depth_pass = op,
                                      .compare_function = MALI_COMPARE_FUNCTION_ALWAYS};
            s.stencil[PLACE] = old[i];
            test(&s, 1);
            assert_int_equal(s.stencil[PLACE], want[op][i]);
        }
}

/* One of three operations is for each outcome; only writable bits change. */
static void outcomes_have_operations(void **state)
{
    static const struct {
        uint32_t stencil, depth;
        uint8_t want;
    } rows[] = {
        {MALI_COMPARE_FUNCTION_NEVER, MALI_COMPARE_FUNCTION_ALWAYS, 0x50},
        {MALI_COMPARE_FUNCTION_ALWAYS, MALI_COMPARE_FUNCTION_NEVER, 0x5a},
        {MALI_COMPARE_FUNCTION_ALWAYS, MALI_COMPARE_FUNCTION_ALWAYS, 0x56},
    };
    struct stage s;

    (void)state;
    for (unsigned back = 0; back < 2; back++)
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
            begin(&s);
            s.triangle.primitive.is_back_facing = back;
            s.draw.tests.stencil_enable = true;
            s.draw.tests.stencil_mask[back] = 0x0f;
            s.draw.tests.stencil_mask[!back] = 0;
            s.draw.tests.depth_function = rows[i].depth;
            s.draw.tests.stencil[back] =
                (struct mali_stencil){.mask = 0xff,
                                      .compare_function = rows[i].stencil,
                                      .stencil_fail = MALI_STENCIL_OP_ZERO,
                                      .depth_fail = MALI_STENCIL_OP_INVERT,
                                      .depth_pass = MALI_STENCIL_OP_INCREMENT};
            assert_int_equal(test(&s, 3), i == 2 ? 3 : 0);
            assert_int_equal(s.stencil[PLACE], rows[i].want);
            assert_int_equal(s.stencil[PLACE + 1], rows[i].want);
            assert_int_equal(s.stencil[PLACE + 2], 0x55);
            s.stencil[PLACE] = 0x55; /* tests that do not update */
            gfx_zs_test(&s.draw, &s.quads, 0, 1, false);
            assert_int_equal(s.stencil[PLACE], 0x55);
        }
}

static void shaders_may_give_the_reference(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    s.draw.tests.stencil_enable = true;
    s.draw.tests.stencil_mask[0] = 0xff;
    s.draw.tests.stencil[0] =
        (struct mali_stencil){.reference = 0x11,
                              .mask = 0xff,
                              .depth_pass = MALI_STENCIL_OP_REPLACE,
                              .compare_function = MALI_COMPARE_FUNCTION_ALWAYS};
    s.quads.shader_stencil[0] = 0x22;
    test(&s, 1);
    assert_int_equal(s.stencil[PLACE], 0x11);
    s.draw.tests.shader_stencil = true;
    test(&s, 1);
    assert_int_equal(s.stencil[PLACE], 0x22);
}

static void passing_samples_are_counted(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    s.draw.tests.per_sample = 3;
    s.draw.tests.depth_function = MALI_COMPARE_FUNCTION_LESS;
    s.depth[PLACE + 1] = 0;
    test(&s, 0xf);
    assert_int_equal(s.draw.passed_samples, 0); /* there is no query */
    s.draw.draw.occlusion_query = MALI_OCCLUSION_MODE_COUNTER;
    gfx_zs_test(&s.draw, &s.quads, 0, 0xf, false);
    assert_int_equal(s.draw.passed_samples, 0);
    assert_int_equal(test(&s, 0xf), 0xd);
    assert_int_equal(s.draw.passed_samples, 9);
    s.draw.tests.passive = true; /* counted all the same */
    test(&s, 5);
    assert_int_equal(s.draw.passed_samples, 15);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Direct3D's standard patterns, in 1/16 pixel from the centre; that of 4 is the rotated grid. */
static void samples_have_standard_places(void **state)
{
    static const int8_t eight[8][2] = {{1, -3}, {-1, 3},  {5, 1}, {-3, -5},
                                       {-5, 5}, {-7, -1}, {3, 7}, {7, -7}};
    static const int8_t sixteen[16][2] = {{1, 1},  {-1, -3}, {-3, 2}, {4, -1}, {-5, -2}, {2, 5},
                                          {5, 3},  {3, -5},  {-2, 6}, {0, -7}, {-4, -6}, {-6, 4},
                                          {-8, 0}, {7, -4},  {6, 7},  {-7, -8}};
    struct gfx_frame f = {.samples = 8};
    struct gfx_draw d = {.frame = &f, .state = {.multisample = 1}};

    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(gfx_sample_place(&d, i)->x, 128 + 16 * eight[i][0]);
        assert_int_equal(gfx_sample_place(&d, i)->y, 128 + 16 * eight[i][1]);
    }
    f.samples = 16;
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(gfx_sample_place(&d, i)->x, 128 + 16 * sixteen[i][0]);
        assert_int_equal(gfx_sample_place(&d, i)->y, 128 + 16 * sixteen[i][1]);
    }
    assert_ptr_equal(gfx_sample_place(&d, 17), gfx_sample_place(&d, 1));
    f.samples = 8;
    assert_ptr_equal(gfx_sample_place(&d, 9), gfx_sample_place(&d, 1));
    f.samples = 4;
    assert_ptr_equal(gfx_sample_place(&d, 5), gfx_sample_place(&d, 1));
    assert_int_equal(gfx_sample_place(&d, 1)->x, 128 + 96);
    f.samples = 1;
    assert_int_equal(gfx_sample_place(&d, 0)->x, 128);
    f.samples = 2; /* no pattern of its own */
    assert_int_equal(gfx_sample_place(&d, 1)->y, 128);
}

/* Where a frame of one sample has 16 places, bits of coverage stand for these, and the sample is in
 * the middle of the pixel. Without multisampling all places are there. */
static void coverage_may_have_more_places(void **state)
{
    struct gfx_frame f = {.samples = 1, .places = 16};
    struct gfx_draw d = {.frame = &f, .state = {.multisample = 1}};

    (void)state;
    assert_int_equal(gfx_coverage_place(&d, 15)->x, 128 - 16 * 7);
    assert_int_equal(gfx_coverage_place(&d, 15)->y, 0);
    assert_int_equal(gfx_sample_place(&d, 0)->x, 128);
    d.state.multisample = 0;
    assert_int_equal(gfx_coverage_place(&d, 15)->x, 128);
    assert_int_equal(gfx_covered_samples(&f, 0), 0);
    assert_int_equal(gfx_covered_samples(&f, 0x8000), 1);
    f = (struct gfx_frame){.samples = 4, .places = 4};
    assert_int_equal(gfx_covered_samples(&f, 0xa), 0xa);
}

/* All places of the coverage pass with the sample, which is counted once, or none does. */
static void places_share_their_sample(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    s.frame.samples = s.band.samples = 1;
    s.frame.places = 16;
    s.draw.state.multisample = 1;
    s.draw.draw.occlusion_query = MALI_OCCLUSION_MODE_COUNTER;
    s.draw.tests.per_sample = 1;
    s.draw.tests.depth_function = MALI_COMPARE_FUNCTION_LESS;
    s.draw.tests.depth_write = true;
    s.triangle.z = 0.25;
    assert_int_equal(test(&s, 0xa000), 0xa000);
    assert_int_equal(s.draw.passed_samples, 1);
    assert_int_equal(s.depth[PLACE], 0x4000);
    s.triangle.z = 0.75;
    assert_int_equal(test(&s, 0xa000), 0);
    assert_int_equal(s.draw.passed_samples, 1);
}

int run_zs_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(depths_are_compared),
        cmocka_unit_test(depths_are_written_if_wanted),
        cmocka_unit_test(floats_are_compared),
        cmocka_unit_test(depths_are_limited),
        cmocka_unit_test(samples_have_depths),
        cmocka_unit_test(stencils_are_compared),
        cmocka_unit_test(stencils_are_changed),
        cmocka_unit_test(outcomes_have_operations),
        cmocka_unit_test(shaders_may_give_the_reference),
        cmocka_unit_test(passing_samples_are_counted),
        cmocka_unit_test(samples_have_standard_places),
        cmocka_unit_test(coverage_may_have_more_places),
        cmocka_unit_test(places_share_their_sample),
    };

    return cmocka_run_group_tests_name("zs", tests, NULL, NULL);
}
