/*
 * What the descriptors of a draw mean: when depth and stencil are tested, which depths pass, how
 * targets blend, which pixels are drawn. Sources: OpenGL ES 3.2, 14.4 (early tests) and 15; Mesa 25
 * (pan_earlyzs.c, pan_blend.c, pan_cmdstream.c) for what drivers write.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gpu/graphics/draw.h"
#include "tests/graphics/memory.h"
#include "tests/graphics/tests.h"

#define STATE    (MEMORY_BASE + 0x1000)
#define VIEWPORT (MEMORY_BASE + 0x2000)
#define BLOCK    (MEMORY_BASE + 0x3000)
#define DRAW     (MEMORY_BASE + 0x4000)
#define POSITION (MEMORY_BASE + 0x5000)
#define CODE     (MEMORY_BASE + 0x6000)

enum { SIDE = 64, TILES = (SIDE / GFX_TILE) * (SIDE / GFX_TILE) };

/* A draw of a frame of 64 by 64 pixels, with its descriptors. */
static struct scene {
    struct memory m;
    struct mali_renderer_state state;
    struct mali_viewport viewport;
    struct mali_blend blend[GFX_TARGETS];
    struct gfx_frame frame;
    struct gfx_band band;
    uint8_t has_primitive[TILES], disabled[TILES];
    struct gfx_draw draw;
    struct gpu_compute_job job;
} s;

/* A draw with a shader that always passes its tests, without blending. */
static void begin_scene(unsigned version)
{
    memset(&s, 0, sizeof(s));
    memory_begin(&s.m, version);
    mali_renderer_state_usual(version, &s.state);
    s.state.shader = CODE;
    s.state.depth_function = s.state.alpha_test = MALI_COMPARE_FUNCTION_ALWAYS;
    s.state.stencil_front.compare_function = MALI_COMPARE_FUNCTION_ALWAYS;
    s.state.stencil_back.compare_function = MALI_COMPARE_FUNCTION_ALWAYS;
    s.viewport = (struct mali_viewport){
        .min_z = 0.25f, .max_z = 0.75f, .scissor_max_x = SIDE - 1, .scissor_max_y = SIDE - 1};
    s.frame = (struct gfx_frame){
        .version = version, .box = {0, 0, SIDE, SIDE}, .samples = 1, .places = 1, .targets = 1};
    for (unsigned i = 0; i < GFX_TARGETS; i++) {
        s.frame.target[i].tile = gfx_tile_format(MALI_TILE_FORMAT_R8G8B8A8, 4);
        mali_blend_usual(version, &s.blend[i]);
    }
    s.band = (struct gfx_band){.box = {0, 0, SIDE, SIDE},
                               .columns = SIDE / GFX_TILE,
                               .rows = SIDE / GFX_TILE,
                               .samples = 1,
                               .has_primitive = s.has_primitive,
                               .disabled = s.disabled};
    s.draw = (struct gfx_draw){.frame = &s.frame, .band = &s.band};
    s.draw.draw.state = STATE;
    s.draw.draw.viewport = VIEWPORT;
}

static void put_scene(void)
{
    MEMORY_PUT(&s.m, renderer_state, STATE, &s.state);
    MEMORY_PUT(&s.m, viewport, VIEWPORT, &s.viewport);
    for (unsigned i = 0; i < s.frame.targets && s.frame.version >= 5; i++) {
        uint64_t at = STATE + MALI_RENDERER_STATE_BYTES + (uint64_t)i * MALI_BLEND_BYTES;

        MEMORY_PUT(&s.m, blend, at, &s.blend[i]);
        if (s.frame.version > 5 || s.blend[i].is_shader)
            continue;
        MEMORY_PUT(&s.m, blend_equation, at + 8, &s.blend[i].equation);
        memcpy(memory_at(&s.m, at + 12), &s.blend[i].constant, 4);
    }
}

static bool read_state(void)
{
    bool good = gfx_draw_state(&s.draw, &s.m.reader, &s.job);

    gpu_compute_job_release(&s.job);
    return good;
}

static const struct gfx_tests *tests_of_scene(void)
{
    put_scene();
    assert_true(read_state());
    return &s.draw.tests;
}

/* A field of the renderer state that a case sets. */
struct change {
    size_t field;
    uint32_t value;
};
#define SET(field, value)                                  \
    {                                                      \
        offsetof(struct mali_renderer_state, field), value \
    }
#define BOTH(field, value) SET(stencil_front.field, value), SET(stencil_back.field, value)
enum { CHANGES = 6 };

static void change_state(const struct change change[CHANGES])
{
    for (unsigned i = 0; i < CHANGES; i++) /* the rest of a case sets the first field to 0 */
        if (change[i].field)
            memcpy((uint8_t *)&s.state + change[i].field, &change[i].value, 4);
}

/* ---- when tests are made --------------------------------------------------------------------- */

struct when_case {
    struct change change[CHANGES];
    enum gfx_when test, update;
};

static void check_when(unsigned version, const struct when_case *c)
{
    const struct gfx_tests *t;

    begin_scene(version);
    change_state(c->change);
    t = tests_of_scene();
    assert_int_equal(t->test, c->test);
    assert_int_equal(t->update, c->update);
}

#define SHADER_DEPTH SET(depth_source, MALI_DEPTH_SOURCE_SHADER)

/* What a shader does to its pixel, or to the world, comes before the tests unless it demands
 * otherwise. */
static void midgard_tests_late_where_it_must(void **state)
{
    static const struct when_case cases[] = {
        {{{0}}, GFX_EARLY, GFX_EARLY},
        {{SET(contains_discard, 1)}, GFX_LATE, GFX_LATE},
        {{SET(has_side_effects, 1)}, GFX_LATE, GFX_LATE},
        {{SET(alpha_to_coverage, 1)}, GFX_LATE, GFX_LATE},
        {{SET(alpha_test, MALI_COMPARE_FUNCTION_GREATER)}, GFX_LATE, GFX_LATE},
        {{SHADER_DEPTH}, GFX_LATE, GFX_LATE},
        {{SET(depth_source, MALI_DEPTH_SOURCE_FIXED_FUNCTION)}, GFX_EARLY, GFX_EARLY},
        {{SET(stencil_from_shader, 1)}, GFX_LATE, GFX_LATE},
        {{SET(reads_tilebuffer, 1)}, GFX_EARLY, GFX_EARLY},
        {{SET(force_early_z, 1)}, GFX_EARLY, GFX_EARLY},
        {{SET(force_early_z, 1), SET(contains_discard, 1)}, GFX_EARLY, GFX_EARLY},
        {{SET(force_early_z, 1), SET(has_side_effects, 1)}, GFX_EARLY, GFX_EARLY},
        {{SET(force_early_z, 1), SHADER_DEPTH}, GFX_EARLY, GFX_EARLY},
        {{SET(force_early_z, 1), SET(stencil_from_shader, 1)}, GFX_EARLY, GFX_EARLY},
    };

    (void)state;
    for (unsigned version = 4; version <= 5; version++)
        for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
            bool late = cases[i].test == GFX_LATE;

            check_when(version, &cases[i]);
            assert_int_equal(s.draw.tests.shader_depth,
                             late && s.state.depth_source == MALI_DEPTH_SOURCE_SHADER);
            assert_int_equal(s.draw.tests.shader_stencil, late && s.state.stencil_from_shader);
        }
}

/* Later GPUs have the driver's word for each of the two; what is tested late is updated late. */
static void bifrost_tests_as_told(void **state)
{
    (void)state;
    for (unsigned version = 6; version <= 7; version++)
        for (uint32_t kill = 0; kill < 4; kill++)
            for (uint32_t update = 0; update < 4; update++) {
                bool late = kill == MALI_PIXEL_KILL_FORCE_LATE;
                bool updates_late = late || update == MALI_PIXEL_KILL_FORCE_LATE;

                check_when(version,
                           &(struct when_case){{SET(pixel_kill, kill), SET(zs_update, update)},
                                               late ? GFX_LATE : GFX_EARLY,
                                               updates_late ? GFX_LATE : GFX_EARLY});
            }
}

#define EARLY               MALI_PIXEL_KILL_FORCE_EARLY
#define STRONG              MALI_PIXEL_KILL_STRONG_EARLY
#define WEAK                MALI_PIXEL_KILL_WEAK_EARLY
#define LATE                MALI_PIXEL_KILL_FORCE_LATE
#define PIXEL(kill, update) SET(pixel_kill, kill), SET(zs_update, update)

/* A depth or stencil reference of the shader is known only behind it. A program that asks for early
 * tests (both are forced) gets them, and what it computes has no effect. */
static void shader_values_are_tested_late(void **state)
{
    static const struct when_case cases[] = {
        {{PIXEL(STRONG, STRONG), SHADER_DEPTH}, GFX_LATE, GFX_LATE},
        {{PIXEL(EARLY, WEAK), SHADER_DEPTH}, GFX_LATE, GFX_LATE},
        {{PIXEL(WEAK, EARLY), SHADER_DEPTH}, GFX_LATE, GFX_LATE},
        {{PIXEL(EARLY, EARLY), SHADER_DEPTH}, GFX_EARLY, GFX_EARLY},
        {{PIXEL(STRONG, STRONG), SET(stencil_from_shader, 1)}, GFX_LATE, GFX_LATE},
        {{PIXEL(EARLY, EARLY), SET(stencil_from_shader, 1)}, GFX_EARLY, GFX_EARLY},
    };

    (void)state;
    for (unsigned version = 6; version <= 7; version++)
        for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
            bool late = cases[i].test == GFX_LATE;
            bool stencil = cases[i].change[2].field ==
                           offsetof(struct mali_renderer_state, stencil_from_shader);

            check_when(version, &cases[i]);
            assert_int_equal(s.draw.tests.shader_depth, late && !stencil);
            assert_int_equal(s.draw.tests.shader_stencil, late && stencil);
        }
}

/* A pixel that fails its test may have to write the stencil, which a late update does behind the
 * shader: so an early test must not kill it. */
static void failing_pixels_live_until_they_update(void **state)
{
    static const struct when_case cases[] = {
        {{PIXEL(STRONG, LATE), SET(stencil_enable, 1)}, GFX_EARLY, GFX_LATE},
        {{PIXEL(STRONG, LATE), SET(stencil_enable, 1),
          SET(stencil_front.stencil_fail, MALI_STENCIL_OP_REPLACE)},
         GFX_LATE,
         GFX_LATE},
        {{PIXEL(STRONG, LATE), SET(stencil_enable, 1),
          SET(stencil_back.stencil_fail, MALI_STENCIL_OP_ZERO)},
         GFX_LATE,
         GFX_LATE},
        {{PIXEL(STRONG, LATE), SET(stencil_enable, 1),
          SET(stencil_front.depth_fail, MALI_STENCIL_OP_INVERT)},
         GFX_LATE,
         GFX_LATE},
        {{PIXEL(STRONG, LATE), SET(stencil_enable, 1),
          SET(stencil_back.depth_fail, MALI_STENCIL_OP_DECREMENT)},
         GFX_LATE,
         GFX_LATE},
        {{PIXEL(STRONG, LATE), SET(stencil_enable, 1), BOTH(depth_pass, MALI_STENCIL_OP_INCREMENT)},
         GFX_EARLY,
         GFX_LATE},
        {{PIXEL(STRONG, LATE), BOTH(stencil_fail, MALI_STENCIL_OP_REPLACE)}, GFX_EARLY, GFX_LATE},
        {{PIXEL(STRONG, STRONG), SET(stencil_enable, 1),
          BOTH(stencil_fail, MALI_STENCIL_OP_REPLACE)},
         GFX_EARLY,
         GFX_EARLY},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++)
        check_when(7, &cases[i]);
}

/* Without a shader there is nothing to wait for. An address of 0 with a tag is no shader. */
static void draws_without_shader_test_early(void **state)
{
    (void)state;
    begin_scene(7);
    change_state((struct change[CHANGES]){PIXEL(LATE, LATE)});
    s.state.shader = 0;
    assert_int_equal(tests_of_scene()->test, GFX_EARLY);
    assert_int_equal(s.draw.tests.update, GFX_EARLY);
    assert_false(s.draw.shades);
    assert_int_equal(s.draw.shader, 0);
    begin_scene(5);
    change_state((struct change[CHANGES]){SET(contains_discard, 1), SET(depth_write, 1)});
    s.state.shader = 0;
    s.state.first_tag = 9;
    assert_int_equal(tests_of_scene()->test, GFX_EARLY);
    assert_int_equal(s.draw.tests.update, GFX_EARLY);
    assert_false(s.draw.shades);
    s.state.shader = CODE;
    assert_int_equal(tests_of_scene()->test, GFX_LATE);
    assert_true(s.draw.shades);
    assert_int_equal(s.draw.shader, CODE);
    assert_int_equal(s.job.stage, GPU_STAGE_FRAGMENT);
}

/* ---- what tests do --------------------------------------------------------------------------- */

/* All samples pass and none writes: that needs a depth test that always passes, no depth written,
 * and a stencil test, if any, that does nothing on either side. */
static void passive_tests_do_nothing(void **state)
{
    static const struct {
        struct change change[CHANGES];
        bool passive;
    } cases[] = {
        {{{0}}, true},
        {{SET(depth_write, 1)}, false},
        {{SET(depth_function, MALI_COMPARE_FUNCTION_LESS)}, false},
        {{SET(depth_function, MALI_COMPARE_FUNCTION_NEVER)}, false},
        {{SET(stencil_enable, 1)}, true},
        {{SET(stencil_enable, 1), SET(stencil_front.compare_function, MALI_COMPARE_FUNCTION_EQUAL)},
         false},
        {{SET(stencil_enable, 1), SET(stencil_back.compare_function, MALI_COMPARE_FUNCTION_EQUAL)},
         false},
        {{SET(stencil_enable, 1), SET(stencil_front.stencil_fail, MALI_STENCIL_OP_ZERO)}, false},
        {{SET(stencil_enable, 1), SET(stencil_back.stencil_fail, MALI_STENCIL_OP_ZERO)}, false},
        {{SET(stencil_enable, 1), SET(stencil_front.depth_fail, MALI_STENCIL_OP_ZERO)}, false},
        {{SET(stencil_enable, 1), SET(stencil_back.depth_fail, MALI_STENCIL_OP_ZERO)}, false},
        {{SET(stencil_enable, 1), SET(stencil_front.depth_pass, MALI_STENCIL_OP_ZERO)}, false},
        {{SET(stencil_enable, 1), SET(stencil_back.depth_pass, MALI_STENCIL_OP_ZERO)}, false},
        {{BOTH(depth_pass, MALI_STENCIL_OP_ZERO),
          BOTH(compare_function, MALI_COMPARE_FUNCTION_NEVER)},
         true},
        {{SET(stencil_enable, 1), SET(depth_write, 1)}, false},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        begin_scene(6);
        change_state(cases[i].change);
        assert_int_equal(tests_of_scene()->passive, cases[i].passive);
    }
}

/* Depths are limited to the viewport's range, or to 0 … 1 if the state says so: one bit for depths
 * of primitives, and another one for those of shaders. */
static void depths_have_a_range(void **state)
{
    static const struct {
        struct change change[CHANGES];
        bool whole;
    } cases[] = {
        {{{0}}, false},
        {{SET(fixed_depth_range, 1)}, true},
        {{SET(shader_depth_range, 1)}, false},
        {{SHADER_DEPTH, PIXEL(LATE, LATE), SET(shader_depth_range, 1)}, true},
        {{SHADER_DEPTH, PIXEL(LATE, LATE), SET(fixed_depth_range, 1)}, false},
        {{SHADER_DEPTH, PIXEL(EARLY, EARLY), SET(fixed_depth_range, 1)}, true},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct gfx_tests *t;

        begin_scene(7);
        change_state(cases[i].change);
        t = tests_of_scene();
        assert_near(t->least_depth, cases[i].whole ? 0 : 0.25f, 0);
        assert_near(t->most_depth, cases[i].whole ? 1 : 0.75f, 0);
        assert_near(t->min_z, 0.25f, 0);
        assert_near(t->max_z, 0.75f, 0);
    }
}

static void tests_have_the_states_values(void **state)
{
    const struct gfx_tests *t;

    (void)state;
    begin_scene(7);
    t = tests_of_scene();
    assert_false(t->near_discard || t->far_discard || t->depth_write || t->stencil_enable);
    begin_scene(7);
    change_state((struct change[CHANGES]){SET(near_discard, 1), SET(stencil_mask_front, 0x5a),
                                          SET(stencil_mask_back, 0xc3), SET(stencil_enable, 1),
                                          SET(depth_function, MALI_COMPARE_FUNCTION_GREATER),
                                          SET(stencil_front.reference, 0x81)});
    t = tests_of_scene();
    assert_true(t->near_discard && !t->far_discard && t->stencil_enable && !t->depth_write);
    assert_int_equal(t->stencil_mask[0], 0x5a);
    assert_int_equal(t->stencil_mask[1], 0xc3);
    assert_int_equal(t->stencil[0].reference, 0x81);
    assert_int_equal(t->stencil[1].reference, 0);
    assert_int_equal(t->depth_function, MALI_COMPARE_FUNCTION_GREATER);
    begin_scene(7);
    change_state((struct change[CHANGES]){SET(far_discard, 1), SET(depth_write, 1),
                                          SET(stencil_back.mask, 0x18)});
    t = tests_of_scene();
    assert_true(!t->near_discard && t->far_discard && t->depth_write && !t->stencil_enable);
    assert_int_equal(t->stencil[1].mask, 0x18);
}

/* Occlusion counters count four per pixel up to version 5, where a pixel of several samples counts
 * each of them once; later GPUs count samples. A shader per sample needs several samples. */
static void samples_are_counted(void **state)
{
    static const struct {
        unsigned version, samples, increment;
        bool asks, per_sample;
    } cases[] = {{4, 1, 4, false, false}, {5, 1, 4, true, false}, {5, 4, 1, true, true},
                 {6, 1, 1, true, false},  {7, 1, 1, true, false}, {7, 4, 1, true, true},
                 {7, 4, 1, false, false}, {7, 2, 1, true, true}};

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        begin_scene(cases[i].version);
        s.frame.samples = cases[i].samples;
        s.state.evaluate_per_sample = cases[i].asks;
        assert_int_equal(tests_of_scene()->per_sample, cases[i].increment);
        assert_int_equal(s.draw.per_sample, cases[i].per_sample);
    }
}

/* ---- blending -------------------------------------------------------------------------------- */

/* The inputs of an equation for one component. */
struct inputs {
    double source, destination, source_alpha, destination_alpha, constant;
};

static double result_of(unsigned bits, const struct inputs *in)
{
    const double a[4] = {0, 0, in->source, in->destination};
    const double b[4] = {in->source - in->destination, in->source + in->destination, in->source,
                         in->destination};
    const double c[8] = {0,
                         0,
                         in->source,
                         in->destination,
                         2 * in->source,
                         in->source_alpha,
                         in->destination_alpha,
                         in->constant};
    double factor = bits >> 11 & 1 ? 1 - c[bits >> 8 & 7] : c[bits >> 8 & 7];

    return (bits >> 3 & 1 ? -1 : 1) * a[bits & 3] +
           (bits >> 7 & 1 ? -1 : 1) * b[bits >> 4 & 3] * factor;
}

/* Whether a function of 12 bits yields the source for any colours. */
static bool is_source(unsigned bits)
{
    static const struct inputs in[] = {
        {0.25, 0.5, 0.75, 0.125, 0.625}, {0.5, 0.25, 0.5, 0.25, 0.125}, {1, 0.375, 0.25, 1, 0.5}};

    for (unsigned i = 0; i < ARRAY_SIZE(in); i++)
        if (result_of(bits, &in[i]) != in[i].source)
            return false;
    return true;
}

/* Whether blending with the equation is left out, since it yields the source. */
static bool replaces(unsigned rgb, unsigned alpha, unsigned mask)
{
    uint8_t raw[4];

    le_put(raw, 4, rgb | alpha << 12 | mask << 28);
    assert_null(mali_blend_equation_unpack(7, raw, &s.blend[0].equation));
    put_scene();
    assert_true(read_state());
    return s.draw.blend[0].replaces;
}

enum {
    COPY = 0x122, /* source + source * 0, as Mesa writes it without blending */
    ONE = 0x921,  /* 0 + source * (1 - 0), as Mesa writes GL_ONE, GL_ZERO */
    OVER = 0x503, /* destination + (source - destination) * source alpha */
};

static void only_the_source_replaces(void **state)
{
    unsigned found = 0;

    (void)state;
    begin_scene(7);
    s.blend[0].enable = 1;
    for (unsigned bits = 0; bits < 1 << 12; bits++) {
        if (!(bits & 3) || bits >> 2 & 1 || bits >> 6 & 1 || !(bits >> 8 & 7))
            continue; /* no meaning */
        if (replaces(bits, COPY, 15)) {
            assert_true(is_source(bits));
            found++;
        }
        if (replaces(COPY, bits, 15))
            assert_true(is_source(bits));
    }
    assert_true(found >= 2);
    assert_true(replaces(COPY, COPY, 15));
    assert_true(replaces(ONE, ONE, 15));
    assert_true(replaces(COPY, ONE, 15));
    assert_true(replaces(0x132, COPY, 15)); /* source + destination * 0 */
    assert_false(replaces(OVER, OVER, 15));
    for (unsigned mask = 0; mask < 15; mask++)
        assert_false(replaces(COPY, COPY, mask));
}

static void targets_have_descriptors_of_their_own(void **state)
{
    (void)state;
    for (unsigned version = 5; version <= 7; version++) {
        begin_scene(version);
        s.frame.targets = 3;
        s.blend[0].enable = s.blend[1].alpha_to_one = s.blend[2].srgb = s.blend[2].round = 1;
        for (unsigned i = 0; i < 3; i++)
            s.blend[i].equation.mask = i + 1;
        s.blend[3].enable = s.blend[3].round = 1; /* the frame does not have this target */
        s.frame.targets = 4;
        put_scene();
        s.frame.targets = 3;
        assert_true(read_state());
        for (unsigned i = 0; i < 4; i++) {
            const struct gfx_blend *b = &s.draw.blend[i];

            assert_int_equal(b->enable, i == 0);
            assert_int_equal(b->alpha_to_one, i == 1);
            assert_int_equal(b->srgb, i == 2);
            assert_int_equal(b->round, i == 2);
            assert_int_equal(b->equation.mask, i < 3 ? i + 1 : 0);
        }
    }
}

/* The words that a shader passes to BLEND are those of the descriptor, unchanged. */
static void shaders_receive_descriptors(void **state)
{
    (void)state;
    for (unsigned version = 6; version <= 7; version++) {
        begin_scene(version);
        s.frame.targets = 2;
        put_scene();
        for (unsigned i = 0; i < 2; i++) {
            uint8_t *raw =
                memory_at(&s.m, STATE + MALI_RENDERER_STATE_BYTES + i * MALI_BLEND_BYTES);

            le_put(raw + 8, 4, 0x00010002 + i);
            le_put(raw + 12, 4, 0x00123450 + i);
        }
        assert_true(read_state());
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(s.draw.internal[i][0], 0x00010002 + i);
            assert_int_equal(s.draw.internal[i][1], 0x00123450 + i);
        }
    }
}

/* From version 6 on the constant is a number with as many upper bits as the target's components;
 * the bits below do not count. */
static void constants_are_numbers(void **state)
{
    static const struct {
        uint32_t format, bits;
        float value;
    } cases[] = {
        {MALI_TILE_FORMAT_R8G8B8A8, 0x8000, 128 / 255.0f},
        {MALI_TILE_FORMAT_R8G8B8A8, 0x80ff, 128 / 255.0f},
        {MALI_TILE_FORMAT_R8G8B8A8, 0xff00, 1},
        {MALI_TILE_FORMAT_R10G10B10A2, 0x8000, 512 / 1023.0f},
        {MALI_TILE_FORMAT_R4G4B4A4, 0x8000, 8 / 15.0f},
        {MALI_TILE_FORMAT_R5G6B5A0, 0x8000, 16 / 31.0f},
        {MALI_TILE_FORMAT_RAW_32, 0x8000, 32768 / 65535.0f},
        {MALI_TILE_FORMAT_RAW_64, 0xffff, 1},
    };

    (void)state;
    for (unsigned version = 6; version <= 7; version++)
        for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
            begin_scene(version);
            s.frame.target[0].tile = gfx_tile_format(cases[i].format, 0);
            s.blend[0].constant_unorm = cases[i].bits;
            put_scene();
            assert_true(read_state());
            for (unsigned k = 0; k < 4; k++)
                assert_near(s.draw.blend[0].constant[k], cases[i].value, 1e-7f);
        }
}

/* Before, it is a float, which counts within 0 … 1. */
static void float_constants_are_limited(void **state)
{
    static const float cases[][2] = {{0.3125f, 0.3125f}, {2, 1}, {-0.5f, 0}, {NAN, 0}};

    (void)state;
    for (unsigned version = 4; version <= 5; version++)
        for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
            begin_scene(version);
            s.blend[0].constant = cases[i][0];
            put_scene();
            if (version == 4)
                memcpy(memory_at(&s.m, STATE + 60), &cases[i][0], 4);
            assert_true(read_state());
            for (unsigned k = 0; k < 4; k++)
                assert_near(s.draw.blend[0].constant[k], cases[i][1], 0);
        }
}

static void midgard_blends_by_shader(void **state)
{
    (void)state;
    begin_scene(5);
    s.frame.targets = 2;
    s.blend[1].is_shader = 1;
    s.blend[1].shader = CODE + 0x100;
    put_scene();
    assert_true(read_state());
    assert_int_equal(s.draw.descriptor[0].is_shader, 0);
    assert_int_equal(s.draw.descriptor[1].is_shader, 1);
    assert_int_equal(s.draw.descriptor[1].shader, CODE + 0x100);
}

/* Version 4 has one target, which the renderer state describes. */
static void version_4_blends_by_state(void **state)
{
    const float constant = 0.6875f;

    (void)state;
    begin_scene(4);
    s.state.write_enable = s.state.srgb = 1;
    put_scene();
    le_put(memory_at(&s.m, STATE + 56), 4, 0xd0000000 | OVER | OVER << 12);
    memcpy(memory_at(&s.m, STATE + 60), &constant, 4);
    assert_true(read_state());
    assert_true(s.draw.blend[0].enable && s.draw.blend[0].srgb);
    assert_false(s.draw.blend[0].alpha_to_one || s.draw.blend[0].round);
    assert_false(s.draw.blend[0].replaces);
    assert_int_equal(s.draw.blend[0].equation.mask, 13);
    assert_int_equal(s.draw.blend[0].equation.rgb_c, MALI_BLEND_C_SOURCE_ALPHA);
    for (unsigned k = 0; k < 4; k++)
        assert_near(s.draw.blend[0].constant[k], constant, 0);
    assert_int_equal(s.draw.descriptor[0].is_shader, 0);
    begin_scene(4);
    s.state.alpha_to_one = s.state.dither_disable = s.state.has_blend_shader = 1;
    s.state.blend_shader = CODE + 0x200;
    put_scene();
    assert_true(read_state());
    assert_false(s.draw.blend[0].enable || s.draw.blend[0].srgb);
    assert_true(s.draw.blend[0].alpha_to_one && s.draw.blend[0].round);
    assert_int_equal(s.draw.descriptor[0].is_shader, 1);
    assert_int_equal(s.draw.descriptor[0].shader, CODE + 0x200);
}

/* ---- pixels ---------------------------------------------------------------------------------- */

/* The pixels that a draw may touch are in the scissor, which includes its last ones, in the frame,
 * and in the band. Each case leaves each side to another one of the three. */
static void draws_are_limited_to_three_boxes(void **state)
{
    static const struct {
        uint32_t scissor[4];
        struct gfx_box frame, band, expected;
    } cases[] = {
        {{8, 9, 40, 41}, {0, 0, 64, 64}, {0, 0, 64, 64}, {8, 9, 41, 42}},
        {{0, 0, 63, 63}, {3, 4, 50, 51}, {0, 0, 64, 64}, {3, 4, 50, 51}},
        {{0, 0, 63, 63}, {0, 0, 64, 64}, {16, 32, 48, 48}, {16, 32, 48, 48}},
        {{8, 5, 63, 63}, {3, 9, 50, 64}, {0, 0, 64, 48}, {8, 9, 50, 48}},
        {{1, 2, 20, 63}, {4, 1, 64, 30}, {0, 16, 48, 32}, {4, 16, 21, 30}},
        {{1, 2, 20, 30}, {0, 0, 64, 64}, {16, 0, 64, 32}, {16, 2, 21, 31}},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct gfx_box *e = &cases[i].expected, *box = &s.draw.box;

        begin_scene(7);
        s.viewport.scissor_min_x = cases[i].scissor[0];
        s.viewport.scissor_min_y = cases[i].scissor[1];
        s.viewport.scissor_max_x = cases[i].scissor[2];
        s.viewport.scissor_max_y = cases[i].scissor[3];
        s.frame.box = cases[i].frame;
        s.band.box = cases[i].band;
        put_scene();
        assert_true(read_state());
        assert_true(box->x0 == e->x0 && box->y0 == e->y0 && box->x1 == e->x1 && box->y1 == e->y1);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The descriptor of the draw, and positions of the frame's corners, row by row. */
static void put_draw(uint64_t at)
{
    const float corner[4][4] = {
        {0, 0, 0.5f, 1}, {SIDE, 0, 0.5f, 1}, {0, SIDE, 0.5f, 1}, {SIDE, SIDE, 0.5f, 1}};
    struct mali_draw d;

    mali_draw_usual(s.frame.version, &d);
    d.state = STATE;
    d.viewport = VIEWPORT;
    d.position = POSITION;
    MEMORY_PUT(&s.m, draw, at, &d);
    memcpy(memory_at(&s.m, POSITION), corner, sizeof(corner));
}

/* A block of one primitive: the upper left half of the frame. */
static void put_block(void)
{
    const struct mali_polygon_block b = {.draw = DRAW, .count = 1, .rows = 4, .first_id = 7};
    const struct mali_polygon p = {
        .row = {0, 1, 2}, .kind = MALI_POLYGON_KIND_TRIANGLE, .provoking = 2};

    MEMORY_PUT(&s.m, polygon_block, BLOCK, &b);
    MEMORY_PUT(&s.m, polygon, BLOCK + MALI_POLYGON_BLOCK_BYTES, &p);
}

static bool read_block(void)
{
    bool good = gfx_draw_read(&s.draw, &s.m.reader, &s.frame, &s.band, BLOCK, &s.job);

    gpu_compute_job_release(&s.job);
    return good;
}

static void blocks_become_draws(void **state)
{
    (void)state;
    begin_scene(7);
    put_scene();
    put_draw(DRAW);
    put_block();
    assert_true(read_block());
    assert_int_equal(s.draw.address, DRAW);
    assert_int_equal(s.draw.shader, CODE);
    assert_false(s.draw.is_frame_shader || s.draw.needs_primitives);
    assert_int_equal(s.draw.triangle_count, 1);
    assert_int_equal(s.draw.triangles[0].primitive.id, 7);
    assert_int_equal(s.draw.triangles[0].primitive.provoking, 2);
    assert_int_equal(s.draw.group_count, 10); /* the tiles on the diagonal, and above it, of 16 */
    assert_int_equal(s.has_primitive[0], 1);
    assert_int_equal(s.has_primitive[TILES - 1], 0);
    gfx_draw_release(&s.draw);
    assert_null(s.draw.triangles);
    assert_null(s.draw.frame);
    assert_int_equal(s.draw.group_count, 0);
}

/* Every descriptor may be on a page that is not mapped: the job waits for it, and draws then. */
static void draws_wait_for_pages(void **state)
{
    static const uint64_t places[] = {BLOCK, DRAW, STATE, VIEWPORT, POSITION};

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(places); i++) {
        begin_scene(6);
        put_scene();
        put_draw(DRAW);
        put_block();
        memory_map(&s.m, places[i], false);
        assert_false(read_block());
        memory_has_fault(&s.m, places[i], GPU_ACCESS_READ);
        gfx_draw_release(&s.draw);
        memory_map(&s.m, places[i], true);
        assert_true(read_block());
        gfx_draw_release(&s.draw);
    }
}

/* Blend descriptors follow the renderer state, here on the next page. */
static void draws_wait_for_blends(void **state)
{
    const uint64_t at = STATE + MEMORY_PAGE - MALI_RENDERER_STATE_BYTES;

    (void)state;
    begin_scene(7);
    put_scene();
    MEMORY_PUT(&s.m, renderer_state, at, &s.state);
    s.viewport.scissor_max_x = 1;
    MEMORY_PUT(&s.m, viewport, VIEWPORT + MEMORY_PAGE, &s.viewport);
    s.draw.draw.state = at;
    s.draw.draw.viewport = VIEWPORT + MEMORY_PAGE;
    memory_map(&s.m, VIEWPORT, false);
    assert_false(read_state());
    memory_has_fault(&s.m, at + MALI_RENDERER_STATE_BYTES, GPU_ACCESS_READ);
    memory_map(&s.m, VIEWPORT, true);
    MEMORY_PUT(&s.m, blend, at + MALI_RENDERER_STATE_BYTES, &s.blend[0]);
    assert_true(read_state());
    assert_int_equal(s.draw.box.x1, 2);
}

static void bad_states_fail(void **state)
{
    (void)state;
    begin_scene(7);
    put_scene();
    put_draw(DRAW);
    put_block();
    memory_at(&s.m, STATE)[17] |= 1 << 4; /* no number of registers */
    assert_false(read_block());
    memory_is_invalid(&s.m, STATE);
    gfx_draw_release(&s.draw);
}

/* ---- frame shaders --------------------------------------------------------------------------- */

static bool read_frame_shader(unsigned which)
{
    bool good = gfx_draw_read_frame(&s.draw, &s.m.reader, &s.frame, &s.band, which, &s.job);

    gpu_compute_job_release(&s.job);
    return good;
}

/* Triangles that cover a pixel's centre. */
static unsigned covering(uint32_t x, uint32_t y)
{
    unsigned found = 0;

    for (uint32_t n = 0; n < s.draw.triangle_count; n++) {
        int64_t e[3];

        gfx_edges_at(&s.draw.triangles[n], x * GFX_SUBPIXEL + GFX_SUBPIXEL / 2,
                     y * GFX_SUBPIXEL + GFX_SUBPIXEL / 2, e);
        found += gfx_edges_cover(&s.draw.triangles[n], e);
    }
    return found;
}

/* Each of the three is a draw of its own, and draws every pixel once. Only primitives count as such
 * for what is stored. */
static void frame_shaders_cover_the_frame(void **state)
{
    (void)state;
    for (unsigned which = 0; which < GFX_FRAME_SHADERS; which++) {
        begin_scene(7);
        put_scene();
        s.frame.draws = DRAW;
        put_draw(DRAW + which * UINT64_C(128)); /* the others have no viewport */
        assert_true(read_frame_shader(which));
        assert_true(s.draw.is_frame_shader);
        assert_int_equal(s.draw.address, 0);
        assert_int_equal(s.draw.shader, CODE);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++)
                assert_int_equal(covering(x, y), 1);
        assert_int_equal(s.draw.group_count, TILES);
        for (unsigned i = 0; i < TILES; i++)
            assert_int_equal(s.has_primitive[i], 0);
        gfx_draw_release(&s.draw);
    }
}

/* The last one, if it says so, runs only where there are primitives; before they are drawn, it is
 * not known where they are. */
static void frame_shaders_may_need_primitives(void **state)
{
    static const struct {
        unsigned which;
        uint32_t mode;
        unsigned tiles;
    } cases[] = {{0, MALI_FRAME_SHADER_INTERSECT, TILES},
                 {1, MALI_FRAME_SHADER_INTERSECT, TILES},
                 {2, MALI_FRAME_SHADER_INTERSECT, 1},
                 {2, MALI_FRAME_SHADER_ALWAYS, TILES},
                 {1, MALI_FRAME_SHADER_EARLY_ZS_ALWAYS, TILES}};

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        begin_scene(6);
        put_scene();
        s.frame.draws = DRAW;
        s.frame.frame_shader_mode[cases[i].which] = cases[i].mode;
        s.has_primitive[5] = 1;
        put_draw(DRAW + cases[i].which * UINT64_C(128));
        assert_true(read_frame_shader(cases[i].which));
        assert_int_equal(s.draw.group_count, cases[i].tiles);
        assert_int_equal(s.draw.tiles[0], cases[i].tiles == 1 ? 5 : 0);
        gfx_draw_release(&s.draw);
    }
}

static void frame_shaders_wait_for_pages(void **state)
{
    static const uint64_t places[] = {DRAW, STATE, VIEWPORT, POSITION};

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(places); i++) {
        begin_scene(7);
        put_scene();
        s.frame.draws = DRAW;
        put_draw(DRAW);
        memory_map(&s.m, places[i], false);
        assert_false(read_frame_shader(0));
        memory_has_fault(&s.m, places[i], GPU_ACCESS_READ);
        gfx_draw_release(&s.draw);
    }
}

int run_draw_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(midgard_tests_late_where_it_must),
        cmocka_unit_test(bifrost_tests_as_told),
        cmocka_unit_test(shader_values_are_tested_late),
        cmocka_unit_test(failing_pixels_live_until_they_update),
        cmocka_unit_test(draws_without_shader_test_early),
        cmocka_unit_test(passive_tests_do_nothing),
        cmocka_unit_test(depths_have_a_range),
        cmocka_unit_test(tests_have_the_states_values),
        cmocka_unit_test(samples_are_counted),
        cmocka_unit_test(only_the_source_replaces),
        cmocka_unit_test(targets_have_descriptors_of_their_own),
        cmocka_unit_test(shaders_receive_descriptors),
        cmocka_unit_test(constants_are_numbers),
        cmocka_unit_test(float_constants_are_limited),
        cmocka_unit_test(midgard_blends_by_shader),
        cmocka_unit_test(version_4_blends_by_state),
        cmocka_unit_test(draws_are_limited_to_three_boxes),
        cmocka_unit_test(blocks_become_draws),
        cmocka_unit_test(draws_wait_for_pages),
        cmocka_unit_test(draws_wait_for_blends),
        cmocka_unit_test(bad_states_fail),
        cmocka_unit_test(frame_shaders_cover_the_frame),
        cmocka_unit_test(frame_shaders_may_need_primitives),
        cmocka_unit_test(frame_shaders_wait_for_pages),
    };

    return cmocka_run_group_tests_name("draw", tests, NULL, NULL);
}
