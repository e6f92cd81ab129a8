/* Triangles of points, lines and triangles, culling, depth bias, and the tiles that they touch. */
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
#include "tests/graphics/parts.h"

enum { SIDE = 64, TILES = 16, POSITIONS = 0x100, SIZES = 0x8000 };

/* A frame of 4 by 4 tiles and a draw in it. */
struct scene {
    struct gfx_frame frame;
    struct gfx_band band;
    struct gfx_draw draw;
    struct gpu_outcome out;
    struct mali_polygon polygon[4];
    struct mali_polygon_block block;
    uint32_t vertices;
};

static void begin(struct scene *s)
{
    memset(s, 0, sizeof(*s));
    s->frame = parts_frame(1);
    s->frame.box = (struct gfx_box){0, 0, SIDE, SIDE};
    gfx_band_begin(&s->band, &s->frame, 0, 4);
    s->draw.frame = &s->frame;
    s->draw.band = &s->band;
    s->draw.box = s->frame.box;
    s->draw.draw.position = POSITIONS;
    s->draw.tests.max_z = 1;
    s->block.size = 1;
    s->block.first_id = 100;
}

static void end(struct scene *s)
{
    gfx_draw_release(&s->draw);
    gfx_band_end(&s->band);
}

static uint32_t add_vertex(struct scene *s, float x, float y, float z, float w)
{
    const float v[4] = {x, y, z, w};

    memcpy(parts_memory + POSITIONS + s->vertices * sizeof(v), v, sizeof(v));
    return s->vertices++;
}

/* Adds a primitive of the last vertices. */
static void add_primitive(struct scene *s, uint32_t kind)
{
    static const unsigned counts[] = {1, 2, 3};
    struct mali_polygon *p = &s->polygon[s->block.count++];
    unsigned count = counts[kind];

    p->kind = kind;
    for (unsigned k = 0; k < 3; k++)
        p->row[k] = s->vertices - count + (k < count ? k : 0);
}

static void add_triangle(struct scene *s, const float at[3][2], float z)
{
    for (unsigned i = 0; i < 3; i++)
        add_vertex(s, at[i][0], at[i][1], z, 1);
    add_primitive(s, MALI_POLYGON_KIND_TRIANGLE);
}

static void add_line(struct scene *s, float x0, float y0, float x1, float y1)
{
    add_vertex(s, x0, y0, 0.25f, 1);
    add_vertex(s, x1, y1, 0.75f, 1);
    add_primitive(s, MALI_POLYGON_KIND_LINE);
}

static bool set_up(struct scene *s)
{
    struct gfx_reader r = {.version = 7, .as = &parts_space, .out = &s->out};

    return gfx_draw_setup(&s->draw, &r, &s->block, s->polygon);
}

/* Whether one of the triangles covers the pixel's centre. */
static bool covers(const struct scene *s, uint32_t x, uint32_t y)
{
    for (uint32_t i = 0; i < s->draw.triangle_count; i++) {
        const struct gfx_triangle *t = &s->draw.triangles[i];
        int64_t e[3];

        gfx_edges_at(t, x * GFX_SUBPIXEL + 128, y * GFX_SUBPIXEL + 128, e);
        if (x >= t->box.x0 && x < t->box.x1 && y >= t->box.y0 && y < t->box.y1 &&
            gfx_edges_cover(t, e))
            return true;
    }
    return false;
}

/* Asserts that the covered pixels are those of a rectangle. */
static void check_rectangle(const struct scene *s, uint32_t x0, uint32_t y0, uint32_t x1,
                            uint32_t y1)
{
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            if (covers(s, x, y) != (x >= x0 && x < x1 && y >= y0 && y < y1))
                fail_msg("pixel %u, %u", x, y);
}

/* ---- triangles ------------------------------------------------------------------------------- */

/* y goes downwards: a triangle that goes clockwise on the screen. */
static const float clockwise[3][2] = {{4, 4}, {60, 4}, {4, 60}};
static const float reversed[3][2] = {{4, 4}, {4, 60}, {60, 4}};

static void faces_are_culled(void **state)
{
    struct scene s;

    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        bool ccw = i & 1, turned = i & 2, front = i & 4, back = i & 8;
        bool is_back = turned != ccw;

        begin(&s);
        s.draw.draw.front_face_ccw = ccw;
        s.draw.draw.cull_front_face = front;
        s.draw.draw.cull_back_face = back;
        add_triangle(&s, turned ? reversed : clockwise, 0.5f);
        assert_true(set_up(&s));
        assert_int_equal(s.draw.triangle_count, !(is_back ? back : front));
        assert_int_equal(s.draw.counts.culled, is_back ? back : front);
        assert_int_equal(s.draw.counts.primitives, 1);
        if (s.draw.triangle_count)
            assert_int_equal(s.draw.triangles[0].primitive.is_back_facing, is_back);
        end(&s);
    }
}

static void primitives_are_described(void **state)
{
    struct scene s;
    const struct gfx_triangle *t;

    (void)state;
    begin(&s);
    for (unsigned i = 0; i < 5; i++)
        add_vertex(&s, 0, 0, 0, 1); /* other vertices */
    add_triangle(&s, clockwise, 0.5f);
    add_triangle(&s, clockwise, 0.5f);
    s.polygon[1].provoking = 2;
    s.polygon[0].provoking = 3; /* there is none */
    assert_true(set_up(&s));
    assert_int_equal(s.draw.triangle_count, 2);
    t = &s.draw.triangles[1];
    assert_int_equal(t->primitive.id, 101);
    assert_int_equal(t->primitive.row[0], 8);
    assert_int_equal(t->primitive.row[1], 9);
    assert_int_equal(t->primitive.row[2], 10);
    assert_int_equal(t->primitive.provoking, 2);
    assert_int_equal(t->primitive.kind, MALI_POLYGON_KIND_TRIANGLE);
    assert_int_equal(s.draw.triangles[0].primitive.provoking, 0);
    assert_int_equal(s.draw.counts.input_bytes, 2 * MALI_POLYGON_BYTES + 6 * 16);
    end(&s);
}

/* Rows that primitives share are read once. */
static void rows_are_read_together(void **state)
{
    struct scene s;

    (void)state;
    begin(&s);
    add_triangle(&s, clockwise, 0.5f);
    s.polygon[1] = s.polygon[0];
    s.block.count = 2;
    assert_true(set_up(&s));
    assert_int_equal(s.draw.triangle_count, 2);
    assert_int_equal(s.draw.counts.input_bytes, 2 * MALI_POLYGON_BYTES + 3 * 16);
    end(&s);
}

/* Rows that are far from each other are read one by one. */
static void rows_may_be_far_apart(void **state)
{
    struct scene s;

    (void)state;
    begin(&s);
    add_triangle(&s, clockwise, 0.5f);
    s.polygon[0].row[2] = 1 << 16;
    s.draw.draw.position = POSITIONS;
    assert_false(set_up(&s)); /* there is no such row */
    assert_int_equal(s.out.progress, GPU_PROGRESS_FAULT);
    assert_int_equal(s.out.fault.va, POSITIONS + (UINT64_C(16) << 16));
    end(&s);
    begin(&s);
    add_triangle(&s, clockwise, 0.5f);
    s.draw.draw.position = PARTS_BYTES - 32; /* its last row is missing */
    assert_false(set_up(&s));
    assert_int_equal(s.out.progress, GPU_PROGRESS_FAULT);
    end(&s);
}

/* Samples beyond the near or far plane are left out if one vertex is beyond, or behind the eye. */
static void depths_may_leave_their_range(void **state)
{
    static const struct {
        float z, w;
        bool near, far, leaves;
    } rows[] = {
        {0.5f, 1, true, true, false},  {0, 1, true, true, false},    {1, 1, true, true, false},
        {-0.5f, 1, true, false, true}, {1.5f, 1, false, true, true}, {1.5f, 1, false, false, false},
        {0.5f, -1, true, false, true},
    };
    struct scene s;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        begin(&s);
        add_vertex(&s, 4, 4, 0.5f, 1);
        add_vertex(&s, 60, 4, 0.5f, 1);
        add_vertex(&s, 4, 60, rows[i].z, rows[i].w);
        add_primitive(&s, MALI_POLYGON_KIND_TRIANGLE);
        s.draw.tests.near_discard = rows[i].near;
        s.draw.tests.far_discard = rows[i].far;
        assert_true(set_up(&s));
        assert_true(s.draw.triangle_count >= 1);
        assert_int_equal(s.draw.triangles[0].primitive.leaves_depths, rows[i].leaves);
        end(&s);
    }
}

/* A part of a triangle that begins behind the eye has the weights of its place in the whole. */
static void parts_have_weights_of_the_whole(void **state)
{
    struct scene s;

    (void)state;
    begin(&s);
    add_vertex(&s, 10, 10, 0.5f, 1);
    add_vertex(&s, 50, 10, 0.5f, 1);
    add_vertex(&s, 30, -30, 0.5f, -1);
    add_primitive(&s, MALI_POLYGON_KIND_TRIANGLE);
    assert_true(set_up(&s));
    assert_true(s.draw.triangle_count >= 1);
    for (uint32_t i = 0; i < s.draw.triangle_count; i++)
        for (unsigned k = 0; k < 3; k++) {
            const float *b = s.draw.triangles[i].bary[k];

            assert_float_equal(b[0] + b[1] + b[2], 1, 1e-5f);
        }
    assert_true(covers(&s, 30, 12)); /* away from the vertex behind the eye */
    assert_false(covers(&s, 30, 5));
    assert_int_equal(s.draw.counts.culled, 0);
    end(&s);
}

/* ---- depth bias ------------------------------------------------------------------------------ */

/* factor * the largest slope + units * the format's unit, limited by the clamp (OpenGL ES 3.2,
 * 13.7). The triangle's slopes are 1/56 in x and -1/28 in y. */
static void depth_is_biased(void **state)
{
    static const struct {
        uint32_t format;
        float factor, units, clamp;
        double want;
    } rows[] = {
        {MALI_DEPTH_FORMAT_D16, 0, 3, 0, 3 / 65536.0},
        {MALI_DEPTH_FORMAT_D24, 0, -3, 0, -3 / 16777216.0},
        {MALI_DEPTH_FORMAT_D32, 0, 1, 0, 1 / 16777216.0}, /* largest depth in 0.5 … 1 */
        {MALI_DEPTH_FORMAT_D24, 14, 0, 0, 0.5},
        {MALI_DEPTH_FORMAT_D24, 14, 0, 0.25f, 0.25},
        {MALI_DEPTH_FORMAT_D24, 14, 0, -0.25f, 0.5},
        {MALI_DEPTH_FORMAT_D24, -14, 0, -0.25f, -0.25},
        {MALI_DEPTH_FORMAT_D24, -14, 0, 0.25f, -0.5},
    };
    struct scene s;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (unsigned on = 0; on < 4; on++) {
            bool back = on & 1, enabled = on & 2;

            begin(&s);
            s.frame.zs.depth_format = rows[i].format;
            add_vertex(&s, 4, 4, -0.0625f, 1);
            add_vertex(&s, 60, 4, 0.9375f, 1);
            add_vertex(&s, 4, 60, -2.0625f, 1);
            add_primitive(&s, MALI_POLYGON_KIND_TRIANGLE);
            s.draw.draw.front_face_ccw = back;
            s.draw.state.depth_bias_front = back != enabled;
            s.draw.state.depth_bias_back = back == enabled;
            s.draw.state.depth_factor = rows[i].factor;
            s.draw.state.depth_units = rows[i].units;
            s.draw.state.depth_bias_clamp = rows[i].clamp;
            assert_true(set_up(&s));
            assert_int_equal(s.draw.triangle_count, 1);
            if (fabs((double)s.draw.triangles[0].bias - (enabled ? rows[i].want : 0)) > 1e-9)
                fail_msg("row %zu: %g", i, (double)s.draw.triangles[0].bias);
            end(&s);
        }
}

/* Depth bias is for polygons: points and lines with it enabled keep their depths. */
static void only_triangles_are_biased(void **state)
{
    static const uint32_t kinds[] = {MALI_POLYGON_KIND_POINT, MALI_POLYGON_KIND_LINE,
                                     MALI_POLYGON_KIND_TRIANGLE};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct scene s;

        begin(&s);
        s.frame.zs.depth_format = MALI_DEPTH_FORMAT_D16;
        s.draw.state.single_sampled_lines = 1;
        s.draw.state.depth_bias_front = s.draw.state.depth_bias_back = 1;
        s.draw.state.depth_factor = 2;
        s.draw.state.depth_units = 1;
        add_vertex(&s, 4, 4, 0.25f, 1);
        add_vertex(&s, 4, 60, 0.25f, 1);
        add_vertex(&s, 60, 4, 0.25f, 1);
        add_primitive(&s, kinds[i]);
        assert_true(set_up(&s));
        assert_true(s.draw.triangle_count > 0);
        for (uint32_t k = 0; k < s.draw.triangle_count; k++)
            assert_float_equal(s.draw.triangles[k].bias,
                               kinds[i] == MALI_POLYGON_KIND_TRIANGLE ? 1 / 65536.0f : 0, 1e-9f);
        end(&s);
    }
}

/* ---- points ---------------------------------------------------------------------------------- */

static void points_are_squares(void **state)
{
    static const struct {
        float x, y, size;
        uint32_t x0, y0, x1, y1;
    } rows[] = {{10.5f, 20.5f, 1, 10, 20, 11, 21},
                {10, 20, 4, 8, 18, 12, 22},
                {10.5f, 20.5f, 0.25f, 10, 20, 11, 21},
                {1, 63, 6, 0, 60, 4, 64}};
    static const float vertex[3] = {1, 0, 0};
    struct scene s;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        begin(&s);
        add_vertex(&s, rows[i].x, rows[i].y, 0.5f, 1);
        add_primitive(&s, MALI_POLYGON_KIND_POINT);
        s.draw.draw.cull_front_face = s.draw.draw.cull_back_face = 1; /* points have no face */
        s.block.size = rows[i].size;
        assert_true(set_up(&s));
        check_rectangle(&s, rows[i].x0, rows[i].y0, rows[i].x1, rows[i].y1);
        for (uint32_t t = 0; t < s.draw.triangle_count; t++)
            for (unsigned k = 0; k < 3; k++) /* all of a point is its vertex */
                assert_memory_equal(s.draw.triangles[t].bary[k], vertex, sizeof(vertex));
        end(&s);
    }
}

/* Points are at most as wide as the driver's limit, which
 * dEQP-GLES2.functional.rasterization.limits.points reads before it draws a wider one. */
static void points_have_a_widest_size(void **state)
{
    struct scene s;

    (void)state;
    le_put(parts_memory + SIZES, 2, 0x6c04);         /* 4112 */
    le_put(parts_memory + SIZES + 4, 4, 0x45807800); /* 4111 */
    for (unsigned half = 0; half < 2; half++) {
        begin(&s);
        add_vertex(&s, 30, 20, 0.5f, 1);
        add_primitive(&s, MALI_POLYGON_KIND_POINT);
        s.block.size_array = half ? SIZES : SIZES + 4;
        s.block.point_size_format =
            half ? MALI_POINT_SIZE_FORMAT_FP16 : MALI_POINT_SIZE_FORMAT_FP32;
        assert_true(set_up(&s));
        assert_float_equal(s.draw.triangles[0].primitive.point.size, 4095.9375, 0);
        assert_float_equal(s.draw.triangles[0].primitive.point.left, 30 - 2047.96875, 0);
        end(&s);
    }
}

static void points_have_sizes_of_their_own(void **state)
{
    struct scene s;
    const struct gfx_point *p;

    (void)state;
    le_put(parts_memory + SIZES + 2, 2, 0x4600);     /* 6 */
    le_put(parts_memory + SIZES + 4, 4, 0x41000000); /* 8 */
    for (unsigned half = 0; half < 2; half++) {
        begin(&s);
        add_vertex(&s, 0, 0, 0, 1);
        add_vertex(&s, 30, 20, 0.5f, 1);
        add_primitive(&s, MALI_POLYGON_KIND_POINT);
        s.polygon[0].row[1] = s.polygon[0].row[2] = 0; /* a point has one row */
        s.block.size_array = SIZES;
        s.block.point_size_format =
            half ? MALI_POINT_SIZE_FORMAT_FP16 : MALI_POINT_SIZE_FORMAT_FP32;
        assert_true(set_up(&s));
        p = &s.draw.triangles[0].primitive.point;
        assert_float_equal(p->size, half ? 6 : 8, 0);
        assert_float_equal(p->left, half ? 27 : 26, 0);
        assert_float_equal(p->top, half ? 17 : 16, 0);
        end(&s);
        begin(&s);
        add_vertex(&s, 30, 20, 0.5f, 1);
        add_primitive(&s, MALI_POLYGON_KIND_POINT);
        s.block.size_array = PARTS_BYTES;
        s.block.point_size_format =
            half ? MALI_POINT_SIZE_FORMAT_FP16 : MALI_POINT_SIZE_FORMAT_FP32;
        assert_false(set_up(&s));
        end(&s);
    }
    begin(&s);
    add_vertex(&s, 30, 20, 0.5f, -1); /* behind the eye */
    add_primitive(&s, MALI_POLYGON_KIND_POINT);
    assert_true(set_up(&s));
    assert_int_equal(s.draw.triangle_count, 0);
    assert_int_equal(s.draw.counts.culled, 1);
    end(&s);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Lines of single samples along an axis: the pixels whose diamonds they leave; of odd widths,
 * around the line. */
static void lines_of_single_samples_leave_diamonds(void **state)
{
    static const struct {
        float from[2], to[2], width;
        uint32_t x0, y0, x1, y1;
    } rows[] = {
        {{20.5f, 30.5f}, {30.5f, 30.5f}, 1, 20, 30, 30, 31},
        {{30.5f, 30.5f}, {20.5f, 30.5f}, 1, 21, 30, 31, 31},
        {{20.5f, 30.5f}, {30.5f, 30.5f}, 3, 20, 29, 30, 32},
        {{20.5f, 30.5f}, {20.5f, 40.5f}, 1, 20, 30, 21, 40},
        {{20.5f, 40.5f}, {20.5f, 30.5f}, 3, 19, 31, 22, 41},
        {{20.5f, 30.5f}, {30.5f, 30.5f}, 0, 20, 30, 30, 31},
    };
    struct scene s;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        begin(&s);
        s.draw.state.single_sampled_lines = 1;
        s.block.size = rows[i].width;
        add_line(&s, rows[i].from[0], rows[i].from[1], rows[i].to[0], rows[i].to[1]);
        assert_true(set_up(&s));
        check_rectangle(&s, rows[i].x0, rows[i].y0, rows[i].x1, rows[i].y1);
        end(&s);
    }
}

/* Other lines are rectangles around the line, of its length. */
static void lines_are_rectangles(void **state)
{
    struct scene s;

    (void)state;
    begin(&s);
    s.block.size = 4;
    add_line(&s, 20, 30, 40, 30);
    assert_true(set_up(&s));
    check_rectangle(&s, 20, 28, 40, 32);
    end(&s);
    begin(&s);
    s.block.size = 2;
    add_line(&s, 20, 40, 20, 10);
    assert_true(set_up(&s));
    check_rectangle(&s, 19, 10, 21, 40);
    end(&s);
    begin(&s); /* one pixel downwards */
    s.block.size = 6;
    add_line(&s, 20, 30, 20, 31);
    assert_true(set_up(&s));
    check_rectangle(&s, 17, 30, 23, 31);
    end(&s);
    begin(&s); /* three fifths and four fifths: pixels of 5 along, 10 across */
    s.block.size = 10;
    add_line(&s, 20, 20, 32, 36);
    assert_true(set_up(&s));
    assert_true(covers(&s, 26, 28));
    assert_true(covers(&s, 29, 25)); /* 3.5 right and 2.5 up: 4.3 across */
    assert_false(covers(&s, 31, 24));
    assert_true(covers(&s, 22, 31));
    assert_false(covers(&s, 20, 32));
    end(&s);
}

/* The two triangles of a line or point are one primitive where a pixel may be in both. */
static void rectangles_stay_together(void **state)
{
    struct scene s;

    (void)state;
    for (unsigned places = 1; places <= 16; places *= 4) {
        begin(&s);
        s.frame.places = places;
        s.block.size = 4;
        add_triangle(&s, clockwise, 0.5f);
        add_line(&s, 20, 30, 40, 30);
        add_vertex(&s, 20, 20, 0.5f, 1);
        add_primitive(&s, MALI_POLYGON_KIND_POINT);
        assert_true(set_up(&s));
        assert_int_equal(s.draw.triangle_count, 5);
        for (uint32_t i = 0; i < s.draw.triangle_count; i++)
            assert_int_equal(s.draw.triangles[i].rest, places == 1 || !i ? 0 : i % 2 ? 1 : -1);
        end(&s);
    }
}

/* Depth and weights at both ends and in the middle; 1 / w is 1 and 1/3. */
static void lines_interpolate(void **state)
{
    struct scene s;
    double weight[3];

    (void)state;
    begin(&s);
    s.block.size = 2;
    add_vertex(&s, 10, 30, 0.25f, 1);
    add_vertex(&s, 30, 30, 0.75f, 1.0f / 3);
    add_primitive(&s, MALI_POLYGON_KIND_LINE);
    assert_true(set_up(&s));
    assert_int_equal(s.draw.triangle_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_float_equal(gfx_triangle_depth(&s.draw.triangles[i], 15 * 256, 30 * 256), 0.375f,
                           1e-6f);
        gfx_triangle_weights(&s.draw.triangles[i], 20 * 256, 30 * 256, weight);
        assert_float_equal(weight[0], 0.75f, 1e-5f);
        assert_float_equal(weight[1], 0.25f, 1e-5f);
        assert_float_equal(weight[2], 0, 0);
    }
    end(&s);
}

/* Ends of single samples are moved by half a pixel, with their weights; 1 / w is 1 and 1/3. */
static void ends_of_lines_keep_their_weights(void **state)
{
    struct scene s;
    double weight[3];

    (void)state;
    begin(&s);
    s.draw.state.single_sampled_lines = 1;
    add_vertex(&s, 10.5f, 30.5f, 0.25f, 1);
    add_vertex(&s, 30.5f, 30.5f, 0.75f, 1.0f / 3);
    add_primitive(&s, MALI_POLYGON_KIND_LINE);
    assert_true(set_up(&s));
    assert_int_equal(s.draw.triangle_count, 2);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned x = 0; x < 20; x++) { /* from 0 to 19 of 20 pixels */
            float t = (float)x / 20, second = t / 3 / (1 - t + t / 3);
            int64_t at[2] = {(int64_t)((10.5 + x) * 256), (int64_t)(30.5 * 256)};

            gfx_triangle_weights(&s.draw.triangles[i], at[0], at[1], weight);
            assert_float_equal(weight[0], 1 - second, 1e-4f);
            assert_float_equal(weight[1], second, 1e-4f);
            assert_float_equal(gfx_triangle_depth(&s.draw.triangles[i], at[0], at[1]),
                               0.25f + t / 2, 1e-5f);
        }
    end(&s);
}

/* From a vertex before the eye a line to one behind it goes away from that one's place. */
static void lines_from_behind_the_eye_go_away(void **state)
{
    struct scene s;

    (void)state;
    for (unsigned swapped = 0; swapped < 2; swapped++) {
        begin(&s);
        s.block.size = 2;
        add_vertex(&s, swapped ? 20 : 40, 30, 0.5f, swapped ? -1 : 1);
        add_vertex(&s, swapped ? 40 : 20, 30, 0.5f, swapped ? 1 : -1);
        add_primitive(&s, MALI_POLYGON_KIND_LINE);
        assert_true(set_up(&s));
        check_rectangle(&s, 40, 29, 64, 31);
        end(&s);
    }
    begin(&s);
    add_vertex(&s, 20, 30, 0.5f, -1);
    add_vertex(&s, 40, 30, 0.5f, -1);
    add_primitive(&s, MALI_POLYGON_KIND_LINE);
    assert_true(set_up(&s));
    assert_int_equal(s.draw.triangle_count, 0);
    end(&s);
    for (unsigned single = 0; single < 2; single++) { /* no length: nothing */
        begin(&s);
        s.draw.state.single_sampled_lines = single;
        add_line(&s, 20.5f, 30.5f, 20.5f, 30.5f);
        assert_true(set_up(&s));
        assert_int_equal(s.draw.triangle_count, 0);
        end(&s);
    }
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* The lower right half of the frame is not touched by a triangle in the upper left one. */
static void triangles_are_listed_by_tile(void **state)
{
    static const float half[3][2] = {{0, 0}, {48, 0}, {0, 48}},
                       small[3][2] = {{18, 2}, {30, 2}, {18, 14}};
    static const uint32_t tiles[6] = {0, 1, 2, 4, 5, 8};
    struct scene s;

    (void)state;
    begin(&s);
    add_triangle(&s, half, 0.5f);
    add_triangle(&s, small, 0.5f);
    assert_true(set_up(&s));
    assert_int_equal(s.draw.group_count, 6);
    assert_int_equal(s.draw.counts.tiles, 6);
    for (unsigned i = 0; i < 6; i++) {
        uint32_t first = s.draw.first[i];

        assert_int_equal(s.draw.tiles[i], tiles[i]);
        assert_int_equal(s.draw.first[i + 1] - first, i == 1 ? 2 : 1);
        assert_int_equal(s.draw.tile_triangles[first], 0);
        if (i == 1)
            assert_int_equal(s.draw.tile_triangles[first + 1], 1);
    }
    for (unsigned i = 0; i < TILES; i++)
        assert_int_equal(s.band.has_primitive[i], i < 3 || i == 4 || i == 5 || i == 8);
    end(&s);
}

static void tiles_may_be_left_out(void **state)
{
    struct scene s;

    (void)state;
    begin(&s);
    s.band.disabled[0] = 1;
    add_triangle(&s, (const float[3][2]){{0, 0}, {30, 0}, {0, 30}}, 0.5f);
    assert_true(set_up(&s));
    assert_int_equal(s.draw.group_count, 2);
    assert_int_equal(s.draw.tiles[0], 1);
    assert_int_equal(s.draw.tiles[1], 4);
    end(&s);
    begin(&s); /* a frame shader in the tiles that have primitives */
    s.draw.is_frame_shader = s.draw.needs_primitives = true;
    s.band.has_primitive[4] = 1;
    add_triangle(&s, (const float[3][2]){{0, 0}, {30, 0}, {0, 30}}, 0.5f);
    assert_true(set_up(&s));
    assert_int_equal(s.draw.group_count, 1);
    assert_int_equal(s.draw.tiles[0], 4);
    assert_int_equal(s.draw.counts.input_bytes, 3 * 16);
    end(&s);
    begin(&s);
    s.draw.is_frame_shader = true;
    add_triangle(&s, (const float[3][2]){{0, 0}, {30, 0}, {0, 30}}, 0.5f);
    assert_true(set_up(&s));
    assert_int_equal(s.band.has_primitive[0], 0);
    end(&s);
    begin(&s); /* an empty scissor */
    s.draw.box = (struct gfx_box){8, 8, 8, 20};
    add_triangle(&s, clockwise, 0.5f);
    assert_true(set_up(&s));
    assert_int_equal(s.draw.triangle_count, 0);
    assert_int_equal(s.draw.counts.culled, 1);
    end(&s);
}

/* A scissor limits the pixels, and a band below others the tiles. */
static void bands_and_scissors_limit(void **state)
{
    struct scene s;

    (void)state;
    begin(&s);
    gfx_band_end(&s.band);
    gfx_band_begin(&s.band, &s.frame, 2, 2);
    s.draw.box = (struct gfx_box){20, 32, 64, 60};
    add_triangle(&s, (const float[3][2]){{0, 0}, {128, 0}, {0, 128}}, 0.5f);
    assert_true(set_up(&s));
    assert_int_equal(s.draw.group_count, 6);
    assert_int_equal(s.draw.tiles[0], 1);
    assert_int_equal(s.draw.tiles[5], 7);
    check_rectangle(&s, 20, 32, 64, 60);
    end(&s);
}

int run_setup_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_are_culled),
        cmocka_unit_test(primitives_are_described),
        cmocka_unit_test(rows_are_read_together),
        cmocka_unit_test(rows_may_be_far_apart),
        cmocka_unit_test(depths_may_leave_their_range),
        cmocka_unit_test(parts_have_weights_of_the_whole),
        cmocka_unit_test(depth_is_biased),
        cmocka_unit_test(only_triangles_are_biased),
        cmocka_unit_test(points_are_squares),
        cmocka_unit_test(points_have_a_widest_size),
        cmocka_unit_test(points_have_sizes_of_their_own),
        cmocka_unit_test(lines_of_single_samples_leave_diamonds),
        cmocka_unit_test(lines_are_rectangles),
        cmocka_unit_test(rectangles_stay_together),
        cmocka_unit_test(lines_interpolate),
        cmocka_unit_test(ends_of_lines_keep_their_weights),
        cmocka_unit_test(lines_from_behind_the_eye_go_away),
        cmocka_unit_test(triangles_are_listed_by_tile),
        cmocka_unit_test(tiles_may_be_left_out),
        cmocka_unit_test(bands_and_scissors_limit),
    };

    return cmocka_run_group_tests_name("setup", tests, NULL, NULL);
}
