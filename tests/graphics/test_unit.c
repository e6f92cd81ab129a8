/*
 * Requests of fragment shaders, one by one: varyings at each place, the tests, the tile buffer, and
 * the messages that come before a shader starts. Values of varyings are those of their place.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/graphics/varying.h"
#include "runtime/gpu/lane.h"
#include "runtime/gpu/numeric/bits.h"
#include "runtime/gpu/texture/texture.h"
#include "tests/graphics/parts.h"

enum {
    LANES = 8,
    LANE = 3, /* the lane that asks: pixel (7, 5), the lower right one of its quad */
    X = 7,
    Y = 5,
    SAMPLES = 4,
    VARYINGS = 0x2000, /* rows of four floats: x, y, the row's number, 8 */
    ROW = 16,
    STATE_BYTES = 256 * LANES * 4,
    FLOATS = MALI_FORMAT_RGBA32F << 12,
};

/* A worker that runs one row of fragments: a triangle over the pixels 0 to 63. */
struct bed {
    struct gpu_worker *worker;
    struct gpu_cores cores;
    struct gpu_variant variant;
    struct gpu_compute job;
    struct gpu_group group;
    struct gpu_attribute varying[6];
    struct gpu_attribute attribute[3];
    struct gfx_frame frame;
    struct gfx_band band;
    struct gfx_draw draw;
    struct gfx_quads quads;
    struct gfx_triangle triangle;
    struct gpu_warp *w;
};

enum { PLACE, FRAGMENT, POINT, FACING, HALVES, SHORT };

static void put_floats(uint64_t at, float x, float y, float z, float w)
{
    const float v[4] = {x, y, z, w};

    memcpy(parts_memory + at, v, sizeof(v));
}

static void begin_attributes(struct bed *b)
{
    for (unsigned i = 0; i < 6; i++)
        b->varying[i] = (struct gpu_attribute){.format = FLOATS,
                                               .address = VARYINGS,
                                               .bytes = 3 * ROW,
                                               .stride = ROW,
                                               .type = MALI_ATTRIBUTE_TYPE_LINEAR};
    b->varying[FRAGMENT].type = MALI_ATTRIBUTE_TYPE_FRAGMENT_COORDINATE;
    b->varying[POINT].type = MALI_ATTRIBUTE_TYPE_POINT_COORDINATE;
    b->varying[FACING].type = MALI_ATTRIBUTE_TYPE_FRONT_FACING;
    b->varying[HALVES].format = MALI_FORMAT_RG32F << 12 | MALI_COMPONENT_ORDER_RGBX;
    b->varying[HALVES].offset = 4; /* y, and the row's number */
    b->varying[SHORT].bytes = ROW; /* one row only */
    memcpy(b->attribute, b->varying, sizeof(b->attribute));
    b->attribute[1].type = MALI_ATTRIBUTE_TYPE_VERTEX_ID;
    b->attribute[2].type = MALI_ATTRIBUTE_TYPE_INSTANCE_ID;
    put_floats(VARYINGS, 0, 0, 0, 8);
    put_floats(VARYINGS + ROW, 64, 0, 1, 8);
    put_floats(VARYINGS + 2 * ROW, 0, 64, 2, 8);
    b->job.job.varyings = b->varying;
    b->job.job.varying_count = 6;
    b->job.job.attributes = b->attribute;
    b->job.job.attribute_count = 3;
}

static void begin_triangle(struct bed *b)
{
    static const struct gfx_vertex v[3] = {{0, 0, 0.5f, 1}, {64, 0, 0.5f, 1}, {0, 64, 0.5f, 1}};
    static const float bary[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    memcpy(b->triangle.bary, bary, sizeof(bary));
    assert_true(gfx_triangle_setup(&b->triangle, v, &b->frame.box, NULL));
    b->triangle.primitive = (struct gfx_primitive){
        .row = {0, 1, 2}, .kind = MALI_POLYGON_KIND_TRIANGLE, .provoking = 2};
    for (unsigned l = 0; l < 4; l++) {
        double weight[3];

        b->quads.lane_triangle[l] = &b->triangle;
        b->quads.x[l] = (uint16_t)(X - 1 + l % 2);
        b->quads.y[l] = (uint16_t)(Y - 1 + l / 2);
        b->quads.inside[l] = true;
        b->quads.place[l] = (uint32_t)gfx_band_place(&b->band, b->quads.x[l], b->quads.y[l]);
        b->quads.coverage[l] = 0xf;
        b->quads.w[l] = 0.125f * (float)(l + 1);
        b->quads.z[l] = 0.0625f * (float)(l + 1);
        gfx_triangle_weights(&b->triangle, b->quads.x[l] * GFX_SUBPIXEL + 128,
                             b->quads.y[l] * GFX_SUBPIXEL + 128, weight);
        for (unsigned k = 0; k < 3; k++)
            b->quads.weight[k][l] = weight[k];
    }
    b->quads.lanes = 4;
}

static struct bed *begin(void)
{
    struct bed *b = calloc(1, sizeof(*b));

    b->worker = calloc(1, sizeof(*b->worker));
    b->w = aligned_alloc(64, sizeof(*b->w) + STATE_BYTES);
    memset(b->w, 0, sizeof(*b->w) + STATE_BYTES);
    b->variant.architecture = 7;
    b->cores.variant = &b->variant;
    b->cores.job = &b->job;
    b->worker->cores = &b->cores;
    b->worker->host.core.worker = b->worker;
    for (uint64_t page = 0; page < PARTS_BYTES >> GPU_TLB_PAGE_SHIFT; page++) {
        b->worker->host.core.read[page].page = page;
        b->worker->host.core.read[page].host = parts_memory + (page << GPU_TLB_PAGE_SHIFT);
    }
    b->frame = parts_frame(SAMPLES);
    b->frame.box = (struct gfx_box){0, 0, 64, 64};
    b->frame.targets = 2;
    b->frame.target[1].tile = gfx_tile_format(MALI_TILE_FORMAT_RAW, 8);
    gfx_band_begin(&b->band, &b->frame, 0, 4);
    b->draw.frame = &b->frame;
    b->draw.band = &b->band;
    b->draw.state.multisample = 1;
    b->draw.state.alpha_test = MALI_COMPARE_FUNCTION_ALWAYS;
    b->draw.tests.depth_function = MALI_COMPARE_FUNCTION_ALWAYS;
    b->draw.tests.most_depth = 1;
    for (unsigned i = 0; i < 2; i++) {
        b->draw.blend[i].enable = b->draw.blend[i].replaces = b->draw.blend[i].round = true;
        b->draw.blend[i].equation.mask = 15;
    }
    b->job.job.stage = GPU_STAGE_FRAGMENT;
    b->job.stage = &b->draw;
    b->group.stage = &b->quads;
    b->w->core = &b->worker->host.core;
    b->w->group = &b->group;
    b->w->lanes = LANES;
    begin_attributes(b);
    begin_triangle(b);
    return b;
}

static void end(struct bed *b)
{
    gfx_band_end(&b->band);
    free(b->worker);
    free(b->w);
    free(b);
}

static void set(struct bed *b, enum gpu_graphics_operand which, uint32_t value)
{
    gpu_graphics_operand(b->w, which, value);
}

static void ask(struct bed *b, enum gpu_graphics_operation operation)
{
    gpu_graphics_request(b->w, NULL, LANE, operation);
}

static uint32_t result(const struct bed *b, unsigned k)
{
    return gpu_graphics_result(b->w, k);
}

static void check_floats(const struct bed *b, float x, float y, float z, float w)
{
    const float want[4] = {x, y, z, w};

    for (unsigned k = 0; k < 4; k++)
        assert_float_equal(gpu_float(result(b, k)), want[k], 1e-4f);
}

static void ask_varying(struct bed *b, uint32_t index, enum gpu_graphics_place place)
{
    set(b, GPU_GRAPHICS_INDEX, index);
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F32);
    set(b, GPU_GRAPHICS_PLACE, place);
    ask(b, GPU_GRAPHICS_VARYING);
}

/* ---- varyings -------------------------------------------------------------------------------- */

/* The row's number is 0, 1 and 2 at the vertices: x / 64 + 2 y / 64. */
static void check_place(const struct bed *b, float x, float y)
{
    check_floats(b, x, y, x / 64 + y / 32, 8);
}

static void varyings_have_places(void **state)
{
    struct bed *b = begin();

    (void)state;
    ask_varying(b, PLACE, GPU_GRAPHICS_PLACE_OWN);
    check_place(b, X + 0.5f, Y + 0.5f);
    ask_varying(b, PLACE, GPU_GRAPHICS_PLACE_CENTER);
    check_place(b, X + 0.5f, Y + 0.5f);
    ask_varying(b, PLACE, GPU_GRAPHICS_PLACE_CENTROID); /* all samples are covered */
    check_place(b, X + 0.5f, Y + 0.5f);
    b->quads.coverage[LANE] = 0xc; /* samples 2 and 3 of the rotated grid */
    ask_varying(b, PLACE, GPU_GRAPHICS_PLACE_CENTROID);
    check_place(b, X + 0.125f, Y + 0.625f);
    b->quads.coverage[LANE] = 0;
    ask_varying(b, PLACE, GPU_GRAPHICS_PLACE_CENTROID);
    check_place(b, X + 0.5f, Y + 0.5f);
    set(b, GPU_GRAPHICS_SAMPLE, 1);
    ask_varying(b, PLACE, GPU_GRAPHICS_PLACE_SAMPLE);
    check_place(b, X + 0.875f, Y + 0.375f);
    set(b, GPU_GRAPHICS_OFFSET, 64 | (uint32_t)(-128 & 0xffff) << 16);
    ask_varying(b, PLACE, GPU_GRAPHICS_PLACE_OFFSET);
    check_place(b, X + 0.25f, Y - 0.5f);
    b->quads.weight[0][LANE] = 1; /* those of a sample: vertex 0 */
    b->quads.weight[1][LANE] = b->quads.weight[2][LANE] = 0;
    b->draw.per_sample = true;
    ask_varying(b, PLACE, GPU_GRAPHICS_PLACE_OWN);
    check_place(b, 0, 0);
    ask_varying(b, PLACE, GPU_GRAPHICS_PLACE_CENTER);
    check_place(b, X + 0.5f, Y + 0.5f);
    end(b);
}

static void varyings_have_formats(void **state)
{
    struct bed *b = begin();

    (void)state;
    ask_varying(b, HALVES, GPU_GRAPHICS_PLACE_OWN); /* two components */
    check_floats(b, Y + 0.5f, (X + 0.5f) / 64 + (Y + 0.5f) / 32, 0, 1);
    ask_varying(b, 6, GPU_GRAPHICS_PLACE_OWN); /* there is none */
    check_floats(b, 0, 0, 0, 1);
    ask_varying(b, SHORT, GPU_GRAPHICS_PLACE_OWN); /* rows 1 and 2 are beyond the buffer */
    check_floats(b, 0, 0, 0, 8 - 7 * (X + Y + 1) / 64.0f);
    set(b, GPU_GRAPHICS_INDEX, PLACE);
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F16);
    ask(b, GPU_GRAPHICS_VARYING);
    assert_int_equal(result(b, 0), 0x4780 | 0x4580 << 16); /* 7.5, 5.5 */
    set(b, GPU_GRAPHICS_INDEX, PLACE);
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_AUTO);
    ask(b, GPU_GRAPHICS_VARYING);
    check_place(b, X + 0.5f, Y + 0.5f);
    end(b);
}

/* Lines have two vertices and points one: the rest is the first one's. */
static void primitives_have_their_vertices(void **state)
{
    struct bed *b = begin();
    const float weight[3] = {0.25f, 0.25f, 0.5f};

    (void)state;
    for (unsigned k = 0; k < 3; k++)
        b->quads.weight[k][LANE] = weight[k];
    b->triangle.primitive.kind = MALI_POLYGON_KIND_LINE;
    ask_varying(b, PLACE, GPU_GRAPHICS_PLACE_OWN);
    check_floats(b, 16, 0, 0.25f, 8);
    b->triangle.primitive.kind = MALI_POLYGON_KIND_POINT;
    memset(b->quads.values, 0, sizeof(b->quads.values)); /* as of another row */
    ask_varying(b, PLACE, GPU_GRAPHICS_PLACE_OWN);
    check_floats(b, 0, 0, 0, 8);
    end(b);
}

/* The two triangles of a rectangle, with corner 2 the last of the first and the middle of the
 * second. */
static void make_rectangle(struct bed *b, float low, float high, struct gfx_triangle t[2])
{
    const struct gfx_vertex corner[4] = {
        {low, low, 0, 1}, {high, low, 0, 1}, {high, high, 0, 1}, {low, high, 0, 1}};

    for (unsigned n = 0; n < 2; n++) {
        const struct gfx_vertex v[3] = {corner[0], corner[1 + n], corner[2 + n]};

        t[n] = b->triangle;
        assert_true(gfx_triangle_setup(&t[n], v, &b->frame.box, NULL));
        t[n].primitive.row[1] = 1 + n;
        t[n].primitive.row[2] = 2 + n;
    }
}

/*
 * 40 of a texture's 127 texels on 60 pixels: every third centre is on the border of two texels. Its
 * coordinate is the float next to the exact one in all rows, so that no row takes another texel.
 */
static void rectangles_have_one_value_per_column(void **state)
{
    struct bed *b = begin();
    const float from = 20.0f / 127, to = 60.0f / 127;
    struct gfx_triangle t[2];

    (void)state;
    for (unsigned corner = 0; corner < 4; corner++)
        put_floats(VARYINGS + corner * ROW, corner == 1 || corner == 2 ? to : from, 0, 0, 1);
    b->varying[PLACE].bytes = 4 * ROW;
    make_rectangle(b, 2, 62, t);
    for (unsigned i = 0; i < 60 * 60; i++) {
        int64_t x = (2 + i % 60) * GFX_SUBPIXEL + 128, y = (2 + i / 60) * GFX_SUBPIXEL + 128;
        const struct gfx_triangle *covers = &t[x < y];
        double weight[3];
        float v[4];

        b->quads.lane_triangle[LANE] = covers;
        gfx_triangle_weights(covers, x, y, weight);
        gfx_varying_weighted(b->w, NULL, LANE, PLACE, weight, v);
        assert_int_equal(gpu_bits(v[0]),
                         gpu_bits((float)(from + ((double)to - from) * (i % 60 + 0.5) / 60)));
    }
    end(b);
}

static void flat_varyings_are_of_one_vertex(void **state)
{
    struct bed *b = begin();

    (void)state;
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F32);
    ask(b, GPU_GRAPHICS_FLAT);
    check_floats(b, 0, 64, 2, 8);
    b->triangle.primitive.provoking = 1;
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_U32); /* floats stay what they are */
    ask(b, GPU_GRAPHICS_FLAT);
    check_floats(b, 64, 0, 1, 8);
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_S32);
    ask(b, GPU_GRAPHICS_FLAT);
    check_floats(b, 64, 0, 1, 8);
    b->varying[PLACE].format = MALI_FORMAT_RGBA32I << 12;
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_S32);
    ask(b, GPU_GRAPHICS_FLAT);
    assert_int_equal(result(b, 0), 0x42800000);
    set(b, GPU_GRAPHICS_INDEX, FACING);
    ask(b, GPU_GRAPHICS_FLAT);
    assert_int_equal(result(b, 0), UINT32_MAX);
    assert_int_equal(result(b, 1), 0);
    b->triangle.primitive.is_back_facing = true;
    set(b, GPU_GRAPHICS_INDEX, FACING);
    ask(b, GPU_GRAPHICS_FLAT);
    assert_int_equal(result(b, 0), 0);
    end(b);
}

static void some_varyings_have_no_memory(void **state)
{
    struct bed *b = begin();

    (void)state;
    b->triangle.primitive.point = (struct gfx_point){.left = 5, .top = 4, .size = 4};
    ask_varying(b, FRAGMENT, GPU_GRAPHICS_PLACE_OWN);
    check_floats(b, X + 0.5f, Y + 0.5f, 0.25f, 0.5f);
    b->varying[POINT].address = 0;
    ask_varying(b, POINT, GPU_GRAPHICS_PLACE_OWN);
    check_floats(b, 0.625f, 0.375f, 0, 1);
    b->varying[POINT].address = 1 << 6; /* y begins below */
    ask_varying(b, POINT, GPU_GRAPHICS_PLACE_OWN);
    check_floats(b, 0.625f, 0.625f, 0, 1);
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F32);
    ask(b, GPU_GRAPHICS_POINT);
    check_floats(b, 0.625f, 0.375f, 0, 1);
    b->draw.state.point_origin_max_y = 1;
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F32);
    ask(b, GPU_GRAPHICS_POINT);
    check_floats(b, 0.625f, 0.625f, 0, 1);
    b->draw.state.point_origin_max_y = 0;
    b->triangle.primitive.point.size = 0; /* no point */
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F32);
    ask(b, GPU_GRAPHICS_POINT);
    check_floats(b, 0, 0, 0, 1);
    b->varying[POINT].address = 0;
    ask_varying(b, POINT, GPU_GRAPHICS_PLACE_OWN);
    check_floats(b, 0, 0, 0, 1);
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F32);
    ask(b, GPU_GRAPHICS_FRAGMENT_W);
    check_floats(b, 0.5f, 0.5f, 0.5f, 0.5f);
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F32);
    ask(b, GPU_GRAPHICS_FRAGMENT_Z);
    check_floats(b, 0.25f, 0.25f, 0.25f, 0.25f);
    end(b);
}

/* From pixel to pixel x changes by 1, and y; the quad's lanes are compared. */
static void steps_are_between_pixels(void **state)
{
    struct bed *b = begin();

    (void)state;
    for (unsigned lane = 0; lane < 4; lane++) {
        gpu_graphics_request(b->w, NULL, lane, GPU_GRAPHICS_STEPS);
        check_floats(b, 1, 0, 0, 1);
    }
    set(b, GPU_GRAPHICS_INDEX, HALVES);
    ask(b, GPU_GRAPHICS_STEPS);
    check_floats(b, 0, 1 / 64.0f, 1, 1 / 32.0f);
    end(b);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* The lowest round(alpha * 4) samples. */
static void alpha_becomes_coverage(void **state)
{
    static const struct {
        float alpha;
        uint32_t want;
    } rows[] = {{0, 0}, {0.24f, 1}, {0.5f, 3}, {0.8f, 7}, {1, 15}, {3, 15}, {-1, 0}, {NAN, 0}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (unsigned on = 0; on < 2; on++) {
            struct bed *b = begin();

            b->draw.state.alpha_to_coverage = on;
            set(b, GPU_GRAPHICS_COVERAGE, 0xffff);
            set(b, GPU_GRAPHICS_ALPHA, gpu_bits(rows[i].alpha));
            ask(b, GPU_GRAPHICS_TEST);
            assert_int_equal(result(b, 0), on ? rows[i].want : 15);
            assert_int_equal(b->quads.coverage[LANE], on ? rows[i].want : 15);
            assert_int_equal(b->w->helpers, on && !rows[i].want ? 1 << LANE : 0);
            assert_true(b->quads.tested[LANE]);
            end(b);
        }
}

/* Of more places than samples, the lowest round(alpha * places) are set; a centroid is a place. */
static void alpha_and_centroids_go_by_places(void **state)
{
    struct bed *b = begin();

    (void)state;
    b->frame.samples = b->band.samples = 1;
    b->frame.places = 16;
    b->draw.state.alpha_to_coverage = 1;
    b->quads.coverage[LANE] = 0xffff;
    ask_varying(b, PLACE, GPU_GRAPHICS_PLACE_CENTROID);
    check_place(b, X + 0.5f, Y + 0.5f);
    set(b, GPU_GRAPHICS_COVERAGE, 0xffff);
    set(b, GPU_GRAPHICS_ALPHA, gpu_bits(0.5f));
    ask(b, GPU_GRAPHICS_TEST);
    assert_int_equal(result(b, 0), 0xff);
    b->quads.coverage[LANE] = 0x8000; /* 7/16 left and 8/16 up from the middle */
    ask_varying(b, PLACE, GPU_GRAPHICS_PLACE_CENTROID);
    check_place(b, X + 0.0625f, Y);
    end(b);
}

/* Late tests are made once, for the samples that are left. */
static void late_tests_are_made_once(void **state)
{
    struct bed *b = begin();

    (void)state;
    b->draw.tests.depth_function = MALI_COMPARE_FUNCTION_GREATER;
    b->band.depth[b->quads.place[LANE] + 1] = 0xffffff;
    set(b, GPU_GRAPHICS_COVERAGE, 0x7);
    ask(b, GPU_GRAPHICS_TEST);
    assert_int_equal(result(b, 0), 5);
    b->draw.tests.depth_function = MALI_COMPARE_FUNCTION_NEVER;
    set(b, GPU_GRAPHICS_COVERAGE, 0x3);
    ask(b, GPU_GRAPHICS_TEST);
    assert_int_equal(result(b, 0), 1);
    ask(b, GPU_GRAPHICS_DISCARD);
    assert_int_equal(b->quads.coverage[LANE], 0);
    assert_int_equal(b->w->helpers, 1 << LANE);
    end(b);
}

/* If a shader gives depth or a reference, tests wait for that. */
static void tests_wait_for_the_shader(void **state)
{
    (void)state;
    for (unsigned given = 1; given < 4; given++) {
        struct bed *b = begin();
        size_t place = b->quads.place[LANE];

        b->draw.tests.shader_depth = given & 1;
        b->draw.tests.shader_stencil = given & 2;
        b->draw.tests.depth_write = b->draw.tests.stencil_enable = true;
        b->draw.tests.stencil_mask[0] = 0xff;
        b->draw.tests.stencil[0] =
            (struct mali_stencil){.compare_function = MALI_COMPARE_FUNCTION_ALWAYS,
                                  .depth_pass = MALI_STENCIL_OP_REPLACE,
                                  .reference = 0x11};
        set(b, GPU_GRAPHICS_COVERAGE, 0x7);
        ask(b, GPU_GRAPHICS_TEST);
        assert_int_equal(result(b, 0), 7);
        assert_false(b->quads.tested[LANE]);
        assert_int_equal(b->band.stencil[place], 0);
        set(b, GPU_GRAPHICS_COVERAGE, 0xffff);
        set(b, GPU_GRAPHICS_GIVEN, given);
        set(b, GPU_GRAPHICS_DEPTH, gpu_bits(0.75f));
        set(b, GPU_GRAPHICS_STENCIL, 0x22);
        ask(b, GPU_GRAPHICS_GIVE);
        assert_int_equal(result(b, 0), 7);
        assert_int_equal(b->band.stencil[place], given & 2 ? 0x22 : 0x11);
        assert_int_equal(b->band.depth[place], given & 1 ? 0xbfffff : 0x800000);
        assert_int_equal(b->band.depth[place + 3], 0);
        end(b);
    }
}

/* ---- the tile buffer ------------------------------------------------------------------------- */

static uint32_t word_of(const struct bed *b, unsigned sample)
{
    return (uint32_t)le_get(b->band.color[0] + 4 * (size_t)(b->quads.place[LANE] + sample), 4);
}

static void set_color(struct bed *b, const float c[4])
{
    for (unsigned k = 0; k < 4; k++)
        set(b, GPU_GRAPHICS_COLOR + k, gpu_bits(c[k]));
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F32);
    set(b, GPU_GRAPHICS_COVERAGE, 0xffff);
}

static const float orange[4] = {1, 0.6f, 0.2f, 0.4f};
enum { ORANGE = 0x663399ff };

static void colors_are_written_where_covered(void **state)
{
    struct bed *b = begin();

    (void)state;
    b->quads.coverage[LANE] = 0x6;
    set_color(b, orange);
    set(b, GPU_GRAPHICS_COVERAGE, 0xb);
    ask(b, GPU_GRAPHICS_BLEND);
    for (unsigned s = 0; s < SAMPLES; s++)
        assert_int_equal(word_of(b, s), s == 1 ? ORANGE : 0);
    b->draw.blend[0].enable = false; /* does not matter for stores */
    b->quads.coverage[LANE] = 0x1;
    set_color(b, orange);
    ask(b, GPU_GRAPHICS_BLEND);
    assert_int_equal(word_of(b, 0), 0);
    set_color(b, orange);
    set(b, GPU_GRAPHICS_COUNT, 2); /* blue is 0, and alpha is 1 */
    ask(b, GPU_GRAPHICS_STORE);
    assert_int_equal(word_of(b, 0), 0xff0099ff);
    b->quads.coverage[LANE] = 0x4;
    set_color(b, orange);
    set(b, GPU_GRAPHICS_REPLACES, 1);
    ask(b, GPU_GRAPHICS_BLEND);
    assert_int_equal(word_of(b, 2), ORANGE);
    b->quads.coverage[LANE] = 0x8;
    set(b, GPU_GRAPHICS_COLOR, 0x38003c00); /* 1, 0.5 */
    set(b, GPU_GRAPHICS_COLOR + 1, 0x3c000000);
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F16);
    set(b, GPU_GRAPHICS_COVERAGE, 0xffff);
    ask(b, GPU_GRAPHICS_STORE);
    assert_int_equal(word_of(b, 3), 0xff0080ff);
    set_color(b, orange);
    set(b, GPU_GRAPHICS_TARGET, 2); /* there is none */
    ask(b, GPU_GRAPHICS_STORE);
    assert_int_equal(b->w->faulted, 0);
    end(b);
}

static void raw_targets_have_their_format(void **state)
{
    struct bed *b = begin();
    const uint8_t *raw = b->band.color[1] + 8 * (size_t)b->quads.place[LANE];

    (void)state;
    b->quads.coverage[LANE] = 0x1;
    set_color(b, orange);
    set(b, GPU_GRAPHICS_TARGET, 1);
    set(b, GPU_GRAPHICS_MEMORY, MALI_FORMAT_RG32F << 12);
    ask(b, GPU_GRAPHICS_BLEND);
    assert_int_equal(le_get(raw, 8), gpu_bits(1) | (uint64_t)gpu_bits(0.6f) << 32);
    b->draw.blend[1].enable = false;
    set_color(b, (const float[4]){0});
    set(b, GPU_GRAPHICS_TARGET, 1);
    set(b, GPU_GRAPHICS_MEMORY, MALI_FORMAT_RG32F << 12);
    ask(b, GPU_GRAPHICS_BLEND); /* off */
    assert_int_not_equal(le_get(raw, 8), 0);
    set_color(b, (const float[4]){0});
    set(b, GPU_GRAPHICS_TARGET, 1);
    set(b, GPU_GRAPHICS_MEMORY, MALI_FORMAT_RG32F << 12);
    ask(b, GPU_GRAPHICS_STORE);
    assert_int_equal(le_get(raw, 8), 0);
    set_color(b, orange);
    set(b, GPU_GRAPHICS_TARGET, 1);
    set(b, GPU_GRAPHICS_MEMORY, MALI_FORMAT_YUV8 << 12);
    ask(b, GPU_GRAPHICS_STORE);
    assert_int_equal(b->w->faulted, GPU_FAULT_UNIMPLEMENTED);
    assert_string_equal(b->w->refused_detail, "stores in this format of a target");
    end(b);
}

static void colors_are_loaded(void **state)
{
    struct bed *b = begin();
    size_t place = b->quads.place[LANE];

    (void)state;
    le_put(b->band.color[0] + 4 * (place + 2), 4, ORANGE);
    set(b, GPU_GRAPHICS_SAMPLE, 6); /* of four: 2 */
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F32);
    ask(b, GPU_GRAPHICS_LOAD);
    check_floats(b, 1, 0.6f, 0.2f, 0.4f);
    b->frame.target[0].srgb = true; /* 0.6 and 0.2 of sRGB, by its formula */
    set(b, GPU_GRAPHICS_SAMPLE, 2);
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F32);
    ask(b, GPU_GRAPHICS_LOAD);
    check_floats(b, 1, powf(0.655f / 1.055f, 2.4f), powf(0.255f / 1.055f, 2.4f), 0.4f);
    set(b, GPU_GRAPHICS_SAMPLE, 2);
    ask(b, GPU_GRAPHICS_LOAD_RAW);
    for (unsigned k = 0; k < 4; k++)
        assert_int_equal(result(b, k), ORANGE);
    le_put(b->band.color[1] + 8 * (place + 1), 8, 0x3f00000040000000);
    set(b, GPU_GRAPHICS_TARGET, 1);
    set(b, GPU_GRAPHICS_SAMPLE, 1);
    ask(b, GPU_GRAPHICS_LOAD_RAW);
    assert_int_equal(result(b, 0), 0x40000000);
    assert_int_equal(result(b, 1), 0x3f000000);
    assert_int_equal(result(b, 2), 0x40000000);
    set(b, GPU_GRAPHICS_TARGET, 1);
    set(b, GPU_GRAPHICS_SAMPLE, 1);
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F32);
    set(b, GPU_GRAPHICS_MEMORY, MALI_FORMAT_RG32F << 12 | MALI_COMPONENT_ORDER_RGBX);
    ask(b, GPU_GRAPHICS_LOAD);
    check_floats(b, 2, 0.5f, 0, 1);
    set(b, GPU_GRAPHICS_TARGET, 1);
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F32);
    set(b, GPU_GRAPHICS_MEMORY, FLOATS); /* more bytes than the tile has */
    ask(b, GPU_GRAPHICS_LOAD);
    check_floats(b, 0, 0, 0, 1);
    b->quads.inside[LANE] = false;
    set(b, GPU_GRAPHICS_SAMPLE, 2);
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F32);
    ask(b, GPU_GRAPHICS_LOAD);
    check_floats(b, 0, 0, 0, 1);
    ask(b, GPU_GRAPHICS_LOAD_RAW);
    assert_int_equal(result(b, 0), 0);
    b->quads.sample[LANE] = 3;
    b->quads.coverage[LANE] = 8;
    ask(b, GPU_GRAPHICS_SAMPLE_ID);
    assert_int_equal(result(b, 0), 3);
    assert_int_equal(result(b, 1), 8);
    end(b);
}

/* Where each sample is shaded on its own, a thread loads its sample, whatever number the request
 * has. */
static void a_thread_per_sample_loads_its_own(void **state)
{
    struct bed *b = begin();
    size_t place = b->quads.place[LANE];

    (void)state;
    le_put(b->band.color[0] + 4 * (place + 3), 4, ORANGE);
    b->quads.sample[LANE] = 3;
    ask(b, GPU_GRAPHICS_LOAD_RAW);
    assert_int_equal(result(b, 0), 0);
    b->draw.per_sample = true;
    ask(b, GPU_GRAPHICS_LOAD_RAW);
    assert_int_equal(result(b, 0), ORANGE);
    set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F32);
    ask(b, GPU_GRAPHICS_LOAD);
    check_floats(b, 1, 0.6f, 0.2f, 0.4f);
    end(b);
}

/* A target of ten bits per component, fractions included, is loaded as the upper eight bits of each
 * and then the lower two: 0x155 is 0x55 and 1, 0x2aa is 0xaa and 2, 0x0f3 is 0x3c and 3. */
static void raw_loads_split_components(void **state)
{
    static const uint32_t formats[] = {MALI_TILE_FORMAT_R10G10B10A2, MALI_TILE_FORMAT_R8G8B8A2};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
        struct bed *b = begin();

        b->frame.target[0].tile = gfx_tile_format(formats[i], 4);
        le_put(b->band.color[0] + 4 * ((size_t)b->quads.place[LANE] + 2), 4,
               0x155 | 0x2aa << 10 | 0x0f3 << 20 | 2u << 30);
        set(b, GPU_GRAPHICS_SAMPLE, 2);
        ask(b, GPU_GRAPHICS_LOAD_RAW);
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(result(b, k), 0x55 | 0xaa << 8 | 0x3c << 16 | (2u << 6 | 0x39) << 24);
        end(b);
    }
}

/* ---- writes of Midgard ----------------------------------------------------------------------- */

static void ask_write(struct bed *b, uint32_t target, const float c[4])
{
    set_color(b, c);
    set(b, GPU_GRAPHICS_TARGET, target);
    set(b, GPU_GRAPHICS_BACK_LOW, 0x5550);
    ask(b, GPU_GRAPHICS_WRITE);
}

static void writes_test_and_blend(void **state)
{
    struct bed *b = begin();

    (void)state;
    b->draw.state.alpha_test = MALI_COMPARE_FUNCTION_GREATER;
    b->draw.state.alpha_reference = 0.3f;
    ask_write(b, 0, orange);
    assert_int_equal(word_of(b, 3), ORANGE);
    assert_true(b->quads.tested[LANE]);
    b->quads.tested[LANE] = false;
    b->draw.state.alpha_reference = 0.4f;
    ask_write(b, 0, (const float[4]){0});
    assert_int_equal(word_of(b, 3), ORANGE);
    assert_int_equal(b->quads.coverage[LANE], 0);
    end(b);
    b = begin();
    b->draw.state.alpha_to_coverage = 1;
    ask_write(b, 0, orange);
    assert_int_equal(word_of(b, 1), ORANGE);
    assert_int_equal(word_of(b, 2), 0);
    end(b);
    b = begin(); /* depth and stencil only */
    b->frame.targets = 1;
    b->draw.tests.shader_depth = b->draw.tests.depth_write = true;
    set(b, GPU_GRAPHICS_DEPTH, gpu_bits(0.75f));
    ask_write(b, 0xff, orange);
    assert_int_equal(word_of(b, 0), 0);
    assert_int_equal(b->band.depth[b->quads.place[LANE]], 0xbfffff);
    end(b);
    b = begin(); /* outputs that have no target in this frame */
    ask_write(b, 7 << 8, orange);
    assert_int_equal(word_of(b, 0), 0);
    b->frame.targets = 1;
    ask_write(b, 1 << 8, orange);
    assert_int_equal(word_of(b, 0), 0);
    ask_write(b, 0, orange);
    assert_int_equal(word_of(b, 0), ORANGE);
    end(b);
    b = begin(); /* a number that the register has from other uses */
    ask_write(b, 0x3f800000, orange);
    assert_int_equal(word_of(b, 0), ORANGE);
    end(b);
    b = begin();
    b->frame.targets = 1;
    ask_write(b, 0xff, orange);
    assert_int_equal(word_of(b, 0), ORANGE);
    end(b);
    b = begin();
    b->frame.target[1] = b->frame.target[0];
    ask_write(b, 1 << 8, orange);
    assert_int_equal(word_of(b, 0), 0);
    assert_int_equal(le_get(b->band.color[1] + 4 * (size_t)b->quads.place[LANE], 4), ORANGE);
    end(b);
}

/* A write calls the target's blend shader, whose writes are bytes; the last one returns. */
static void writes_may_call_blend_shaders(void **state)
{
    struct bed *b = begin();

    (void)state;
    b->draw.descriptor[0].is_shader = 1;
    b->draw.descriptor[0].shader = 0x123456789f; /* the lower bits are a tag */
    set(b, GPU_GRAPHICS_BACK_HIGH, 0x77);
    ask_write(b, 0, orange);
    assert_int_equal(result(b, 0), 0x34567890);
    assert_int_equal(result(b, 1), 0x12);
    assert_int_equal(result(b, 2), 0);
    assert_true(b->quads.blending[LANE]);
    assert_int_equal(word_of(b, 0), 0);
    b->quads.coverage[LANE] = 0xb;
    for (unsigned k = 0; k < 4; k++)
        set(b, GPU_GRAPHICS_COLOR + k, 0x11111111 * (k + 1));
    set(b, GPU_GRAPHICS_BACK_LOW, 0x10);     /* not the last one */
    set(b, GPU_GRAPHICS_TARGET, 0 << 8 | 1); /* samples from 4 on */
    ask(b, GPU_GRAPHICS_WRITE);
    assert_true(b->quads.blending[LANE]);
    assert_int_equal(word_of(b, 0), 0);
    for (unsigned k = 0; k < 4; k++)
        set(b, GPU_GRAPHICS_COLOR + k, 0x11111111 * (k + 1));
    ask(b, GPU_GRAPHICS_WRITE);
    assert_false(b->quads.blending[LANE]);
    assert_int_equal(result(b, 0), 0x5550);
    assert_int_equal(result(b, 1), 0x77);
    assert_int_equal(result(b, 2), 0);
    assert_int_equal(word_of(b, 0), 0x11111111);
    assert_int_equal(word_of(b, 1), 0x22222222);
    assert_int_equal(word_of(b, 2), 0);
    assert_int_equal(word_of(b, 3), 0x44444444);
    b->quads.blending[LANE] = true;
    b->quads.back[LANE] = 0; /* the caller was the shader's end */
    set(b, GPU_GRAPHICS_TARGET, 2 << 8);
    ask(b, GPU_GRAPHICS_WRITE);
    assert_int_equal(result(b, 2), 1);
    end(b);
}

/* ---- other threads --------------------------------------------------------------------------- */

static void other_threads_have_attributes_only(void **state)
{
    struct bed *b = begin();

    (void)state;
    for (unsigned index = 0; index < 3; index++) {
        set(b, GPU_GRAPHICS_INDEX, index);
        set(b, GPU_GRAPHICS_VERTEX, 2);
        set(b, GPU_GRAPHICS_INSTANCE, 9);
        set(b, GPU_GRAPHICS_FORMAT, GPU_REGISTER_F32);
        ask(b, GPU_GRAPHICS_ATTRIBUTE);
        if (!index)
            check_floats(b, 0, 64, 2, 8);
        else
            assert_int_equal(result(b, 0), index == 1 ? 2 : 9);
    }
    assert_int_equal(result(b, 4), 0);
    ask(b, (enum gpu_graphics_operation)999);
    assert_string_equal(b->w->refused_detail, "an unknown request");
    b->w->faulted = 0;
    b->job.job.stage = GPU_STAGE_VERTEX;
    ask(b, GPU_GRAPHICS_DISCARD);
    assert_int_equal(b->w->ended, 1 << LANE);
    assert_int_equal(b->w->faulted, 0);
    ask(b, GPU_GRAPHICS_FLAT);
    assert_string_equal(b->w->refused_detail, "what only threads of fragments have");
    end(b);
}

/* ---- messages -------------------------------------------------------------------------------- */

static uint32_t register_of(const struct bed *b, unsigned number, unsigned lane)
{
    return (uint32_t)le_get(b->w->state + 4 * (size_t)(number * LANES + lane), 4);
}

static uint32_t message_of(const struct mali_message_preload *m)
{
    uint8_t raw[MALI_MESSAGE_PRELOAD_BYTES] = {0};

    assert_null(mali_message_preload_pack(7, m, raw));
    return (uint32_t)le_get(raw, 4);
}

/* Each message has four registers, of which its components take some. */
static void messages_set_registers(void **state)
{
    struct bed *b = begin();
    struct mali_message_preload m = {.type = MALI_MESSAGE_TYPE_VARYING,
                                     .varying = PLACE,
                                     .texel_varying = PLACE,
                                     .format = MALI_MESSAGE_FORMAT_F32,
                                     .components = 3};

    (void)state;
    b->draw.state.message_0 = message_of(&m);
    m.varying = m.texel_varying = HALVES;
    m.format = MALI_MESSAGE_FORMAT_F16;
    b->draw.state.message_1 = message_of(&m);
    gfx_send_messages(b->w);
    for (unsigned l = 0; l < 4; l++) {
        float x = X - 0.5f + (float)(l % 2), y = Y - 0.5f + (float)(l / 2);

        assert_float_equal(gpu_float(register_of(b, 0, l)), x, 1e-4f);
        assert_float_equal(gpu_float(register_of(b, 1, l)), y, 1e-4f);
        assert_float_equal(gpu_float(register_of(b, 2, l)), x / 64 + y / 32, 1e-4f);
        assert_int_equal(register_of(b, 3, l), 0); /* the fourth is not wanted */
        assert_int_equal(register_of(b, 4, l) & 0xffff, l / 2 ? 0x4580 : 0x4480);
        assert_int_equal(register_of(b, 5, l), 0x3c000000 & 0xffff0000); /* 0, and alpha 1 */
        assert_int_equal(register_of(b, 6, l), 0);
    }
    assert_int_equal(register_of(b, 0, 4), 0); /* no pixel */
    end(b);
    b = begin();
    b->variant.architecture = 6; /* has no messages */
    b->draw.state.message_0 = message_of(&m);
    gfx_send_messages(b->w);
    assert_int_equal(register_of(b, 0, 3), 0);
    end(b);
}

enum { SURFACES = 0x3000, TEXELS = 0x4000, TEXTURE_SIDE = 64 };

/* Two levels, of which each texel tells its place and its level. */
static void make_texture(struct gpu_texture *t, struct gpu_sampler *s)
{
    *t = (struct gpu_texture){.dimension = MALI_TEXTURE_DIMENSION_FLAT,
                              .size = {TEXTURE_SIDE, TEXTURE_SIDE, 1},
                              .layers = 1,
                              .levels = 2,
                              .samples = 1,
                              .maximum_lod = UINT16_MAX,
                              .swizzle = {0, 1, 2, 3},
                              .surfaces = SURFACES};
    assert_true(gpu_texel_format_read(7, MALI_FORMAT_RGBA8_UNORM << 12, &t->format));
    *s = (struct gpu_sampler){.normalized = true,
                              .magnify_nearest = true,
                              .minify_nearest = true,
                              .maximum_lod = UINT16_MAX};
    for (uint32_t level = 0; level < 2; level++) {
        struct mali_surface surface = {.pointer = TEXELS + level * 0x5000, .row_stride = 256};

        assert_null(
            mali_surface_pack(7, &surface, parts_memory + SURFACES + level * MALI_SURFACE_BYTES));
        for (uint32_t y = 0; y < (uint32_t)TEXTURE_SIDE >> level; y++)
            for (uint32_t x = 0; x < (uint32_t)TEXTURE_SIDE >> level; x++)
                le_put(parts_memory + surface.pointer + y * 256 + 4 * x, 4,
                       x | y << 8 | level * 51 << 16 | 0xffu << 24);
    }
}

/* Pixels are two texels apart: level 1, unless the message (bit 15) wants level 0. Pixel (7, 5) has
 * texel (15, 11) of level 0. The message names texture and sampler 1 (bits 7 and 8). */
static void messages_bring_texels(void **state)
{
    const float first = 0.5f / TEXTURE_SIDE, last = 128.5f / TEXTURE_SIDE;
    struct gpu_texture textures[2] = {{.refused = "the wrong texture"}};
    struct gpu_sampler samplers[2];

    (void)state;
    for (unsigned zero = 0; zero < 2; zero++) {
        struct bed *b = begin();
        float x = zero ? 15 : 7, y = zero ? 11 : 5;

        make_texture(&textures[1], &samplers[1]);
        samplers[0] = samplers[1];
        samplers[0].maximum_lod = samplers[1].bias = 0;
        b->job.job.textures = (struct gpu_textures){textures, samplers, 2, 2, 0};
        put_floats(VARYINGS, first, first, 0, 8);
        put_floats(VARYINGS + ROW, last, first, 1, 8);
        put_floats(VARYINGS + 2 * ROW, first, last, 2, 8);
        b->draw.state.message_1 =
            MALI_MESSAGE_TYPE_VARYING_TEXEL | 1u << 7 | MALI_MESSAGE_FORMAT_F32 << 9 | zero << 15;
        gfx_send_messages(b->w);
        assert_int_equal(b->w->faulted, 0);
        assert_float_equal(gpu_float(register_of(b, 4, LANE)), x / 255, 1e-5f);
        assert_float_equal(gpu_float(register_of(b, 5, LANE)), y / 255, 1e-5f);
        assert_float_equal(gpu_float(register_of(b, 6, LANE)), zero ? 0 : 0.2f, 1e-5f);
        assert_float_equal(gpu_float(register_of(b, 7, LANE)), 1, 1e-5f);
        assert_int_equal(register_of(b, 0, LANE), 0);
        end(b);
        b = begin(); /* halves take two registers */
        b->job.job.textures = (struct gpu_textures){textures, samplers, 2, 2, 0};
        b->draw.state.message_0 =
            MALI_MESSAGE_TYPE_VARYING_TEXEL | 1u << 7 | MALI_MESSAGE_FORMAT_F16 << 9 | 1u << 15;
        gfx_send_messages(b->w);
        assert_int_equal(register_of(b, 1, LANE) >> 16, 0x3c00);
        assert_int_equal(register_of(b, 2, LANE), 0);
        end(b);
    }
}

int run_unit_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(varyings_have_places),
        cmocka_unit_test(varyings_have_formats),
        cmocka_unit_test(primitives_have_their_vertices),
        cmocka_unit_test(rectangles_have_one_value_per_column),
        cmocka_unit_test(flat_varyings_are_of_one_vertex),
        cmocka_unit_test(some_varyings_have_no_memory),
        cmocka_unit_test(steps_are_between_pixels),
        cmocka_unit_test(alpha_becomes_coverage),
        cmocka_unit_test(alpha_and_centroids_go_by_places),
        cmocka_unit_test(late_tests_are_made_once),
        cmocka_unit_test(tests_wait_for_the_shader),
        cmocka_unit_test(colors_are_written_where_covered),
        cmocka_unit_test(raw_targets_have_their_format),
        cmocka_unit_test(colors_are_loaded),
        cmocka_unit_test(a_thread_per_sample_loads_its_own),
        cmocka_unit_test(raw_loads_split_components),
        cmocka_unit_test(writes_test_and_blend),
        cmocka_unit_test(writes_may_call_blend_shaders),
        cmocka_unit_test(other_threads_have_attributes_only),
        cmocka_unit_test(messages_set_registers),
        cmocka_unit_test(messages_bring_texels),
    };

    return cmocka_run_group_tests_name("unit", tests, NULL, NULL);
}
