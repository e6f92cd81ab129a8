/* Coverage, interpolation and clipping of triangles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gpu/graphics/raster.h"
#include "tests/graphics/tests.h"

enum { SIDE = 8 };

static const struct gfx_box screen = {0, 0, SIDE, SIDE};

static struct gfx_triangle make_triangle(const float p[3][2])
{
    struct gfx_triangle t = {.bary = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    struct gfx_vertex v[3];

    for (unsigned i = 0; i < 3; i++)
        v[i] = (struct gfx_vertex){p[i][0], p[i][1], 0.5f, 1};
    assert_true(gfx_triangle_setup(&t, v, &screen, NULL));
    return t;
}

/* Adds 1 to each pixel whose centre is covered. */
static void draw_triangle(const float p[3][2], unsigned count[SIDE][SIDE])
{
    struct gfx_triangle t = make_triangle(p);

    for (unsigned y = 0; y < SIDE; y++)
        for (unsigned x = 0; x < SIDE; x++) {
            int64_t e[3];

            gfx_edges_at(&t, x * GFX_SUBPIXEL + 128, y * GFX_SUBPIXEL + 128, e);
            count[y][x] += gfx_edges_cover(&t, e);
        }
}

/* Both halves of a rectangle with all kinds of edges through pixel centres. */
static void shared_edges_belong_to_one(void **state)
{
    unsigned count[SIDE][SIDE] = {{0}};

    (void)state;
    draw_triangle((const float[3][2]){{1.5f, 1.5f}, {6.5f, 1.5f}, {6.5f, 6.5f}}, count);
    draw_triangle((const float[3][2]){{1.5f, 1.5f}, {6.5f, 6.5f}, {1.5f, 6.5f}}, count);
    for (unsigned y = 0; y < SIDE; y++)
        for (unsigned x = 0; x < SIDE; x++)
            assert_int_equal(count[y][x], x >= 1 && x < 6 && y >= 1 && y < 6);
}

/* The top and left edges go through centres that are inside; right and bottom ones do not. */
static void top_and_left_are_inside(void **state)
{
    unsigned count[SIDE][SIDE] = {{0}};

    (void)state;
    draw_triangle((const float[3][2]){{2.5f, 2.5f}, {5.5f, 2.5f}, {2.5f, 5.5f}}, count);
    assert_int_equal(count[2][2], 1);
    assert_int_equal(count[2][4], 1);
    assert_int_equal(count[4][2], 1);
    assert_int_equal(count[2][5], 0); /* on the hypotenuse, a right edge */
    assert_int_equal(count[3][4], 0);
    assert_int_equal(count[5][2], 0);
    assert_int_equal(count[3][3], 1);
}

/* The pixels from the least to the largest position, and no further ones. */
static void boxes_hold_triangles(void **state)
{
    const float inside[3][2] = {{1.25f, 2.5f}, {5.5f, 2.5f}, {1.25f, 6}};
    const float beyond[3][2] = {{-3, -3}, {20, -3}, {-3, 20}};
    struct gfx_triangle t = make_triangle(inside);

    (void)state;
    assert_int_equal(t.box.x0, 1);
    assert_int_equal(t.box.x1, 6);
    assert_int_equal(t.box.y0, 2);
    assert_int_equal(t.box.y1, 7);
    t = make_triangle(beyond);
    assert_int_equal(t.box.x0, 0);
    assert_int_equal(t.box.x1, SIDE);
    assert_int_equal(t.box.y0, 0);
    assert_int_equal(t.box.y1, SIDE);
}

static void places_beyond_the_guard_band_are_not_set_up(void **state)
{
    const float wrong[] = {GFX_GUARD + 1, -GFX_GUARD - 1, INFINITY, NAN};

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        for (unsigned axis = 0; axis < 2; axis++) {
            struct gfx_triangle t = {.bary = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
            struct gfx_vertex v[3] = {{0, 0, 0, 1}, {4, 0, 0, 1}, {0, 4, 0, 1}};

            *(axis ? &v[2].y : &v[1].x) = wrong[i];
            assert_false(gfx_triangle_setup(&t, v, &screen, NULL));
            assert_true(gfx_triangle_needs_clip(v));
        }
}

static void orientation_does_not_matter(void **state)
{
    unsigned one[SIDE][SIDE] = {{0}}, other[SIDE][SIDE] = {{0}};

    (void)state;
    draw_triangle((const float[3][2]){{0.3f, 0.7f}, {7.1f, 2.2f}, {3.4f, 7.9f}}, one);
    draw_triangle((const float[3][2]){{0.3f, 0.7f}, {3.4f, 7.9f}, {7.1f, 2.2f}}, other);
    assert_memory_equal(one, other, sizeof(one));
}

static void no_area_is_nothing(void **state)
{
    struct gfx_triangle t = {0};
    struct gfx_vertex v[3] = {{1, 1, 0, 1}, {2, 2, 0, 1}, {3, 3, 0, 1}};

    (void)state;
    assert_false(gfx_triangle_setup(&t, v, &screen, NULL));
}

/* At the middle of an edge from w = 1 to w = 3, the weights are 1/4 and 3/4 by 1 / w: 1 and 1/3. */
static void weights_respect_perspective(void **state)
{
    struct gfx_triangle t = {.bary = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    struct gfx_vertex v[3] = {{0, 0, 0, 1}, {4, 0, 1, 1.0f / 3}, {0, 4, 0, 1}};
    double weight[3];
    float w;

    (void)state;
    assert_true(gfx_triangle_setup(&t, v, &screen, NULL));
    w = gfx_triangle_weights(&t, 2 * GFX_SUBPIXEL, 0, weight);
    assert_float_equal(w, 2.0f / 3, 1e-6f);
    assert_float_equal(weight[0], 0.75f, 1e-6f);
    assert_float_equal(weight[1], 0.25f, 1e-6f);
    assert_float_equal(weight[2], 0, 1e-6f);
    assert_float_equal(gfx_triangle_depth(&t, 2 * GFX_SUBPIXEL, 0), 0.5f, 1e-6f);
}

/* Clipping a triangle with one vertex behind the eye leaves a quadrilateral in front of the eye. */
static void clips_at_the_eye(void **state)
{
    struct gfx_vertex v[3] = {{0, 0, 0.5f, 1}, {4, 0, 0.5f, 1}, {2, 4, 0.5f, -1}};
    struct gfx_vertex out[GFX_CLIPPED_TRIANGLES][3];
    float bary[GFX_CLIPPED_TRIANGLES][3][3];
    unsigned count;

    (void)state;
    assert_true(gfx_triangle_needs_clip(v));
    count = gfx_triangle_clip(v, out, bary);
    assert_true(count >= 2);
    for (unsigned n = 0; n < count; n++)
        for (unsigned i = 0; i < 3; i++) {
            assert_true(out[n][i].w > 0);
            assert_float_equal(bary[n][i][0] + bary[n][i][1] + bary[n][i][2], 1, 1e-5f);
        }
}

/* A triangle that leaves the guard band: depth and weights on it are what they were, since
 * both are linear in x and y if w is the same. */
static void clipping_keeps_depth_and_weights(void **state)
{
    const float far = 100000;
    struct gfx_vertex v[3] = {{0, 0, 0, 1}, {far, 0, 1, 1}, {0, 8, 0.5f, 1}};
    struct gfx_vertex out[GFX_CLIPPED_TRIANGLES][3];
    float bary[GFX_CLIPPED_TRIANGLES][3][3];
    unsigned count;

    (void)state;
    assert_true(gfx_triangle_needs_clip(v));
    for (unsigned turn = 0; turn < 4; turn++) { /* to each of the four sides */
        struct gfx_vertex turned[3];
        float sign = turn & 1 ? -1 : 1;

        for (unsigned i = 0; i < 3; i++) {
            turned[i] = v[i];
            turned[i].x = sign * (turn & 2 ? v[i].y : v[i].x);
            turned[i].y = sign * (turn & 2 ? v[i].x : v[i].y);
        }
        count = gfx_triangle_clip(turned, out, bary);
        assert_int_equal(count, 2);
        for (unsigned n = 0; n < count; n++)
            for (unsigned i = 0; i < 3; i++) {
                float along = sign * (turn & 2 ? out[n][i].y : out[n][i].x) / far;
                float across = sign * (turn & 2 ? out[n][i].x : out[n][i].y) / 8;

                assert_true(fabsf(out[n][i].x) <= GFX_GUARD && fabsf(out[n][i].y) <= GFX_GUARD);
                assert_float_equal(out[n][i].z, along + across / 2, 1e-5f);
                assert_float_equal(out[n][i].w, 1, 1e-6f);
                assert_float_equal(bary[n][i][0], 1 - along - across, 1e-5f);
                assert_float_equal(bary[n][i][1], along, 1e-5f);
                assert_float_equal(bary[n][i][2], across, 1e-5f);
            }
    }
}

/* A reversed triangle's vertices change places, and their weights with them. */
static void weights_follow_the_vertices(void **state)
{
    struct gfx_triangle t = {.bary = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    struct gfx_vertex v[3] = {{0, 0, 0, 1}, {0, 4, 1, 1}, {4, 0, 0.5f, 0.5f}};
    bool negative = false;
    double weight[3];

    (void)state;
    assert_true(gfx_triangle_setup(&t, v, &screen, &negative));
    assert_true(negative);
    gfx_triangle_weights(&t, 0, 3 * GFX_SUBPIXEL, weight);
    assert_float_equal(weight[0], 0.25f, 1e-6f);
    assert_float_equal(weight[1], 0.75f, 1e-6f);
    assert_float_equal(weight[2], 0, 1e-6f);
    assert_float_equal(gfx_triangle_depth(&t, 0, 3 * GFX_SUBPIXEL), 0.75f, 1e-6f);
    gfx_triangle_weights(&t, 2 * GFX_SUBPIXEL, 0, weight); /* 1 / w is 1 and 1/2 there */
    assert_float_equal(weight[0], 2.0f / 3, 1e-6f);
    assert_float_equal(weight[2], 1.0f / 3, 1e-6f);
}

static void nothing_is_left_behind_the_eye(void **state)
{
    struct gfx_vertex v[3] = {{0, 0, 0.5f, -1}, {4, 0, 0.5f, -1}, {2, 4, 0.5f, -1}};
    struct gfx_vertex out[GFX_CLIPPED_TRIANGLES][3];
    float bary[GFX_CLIPPED_TRIANGLES][3][3];

    (void)state;
    assert_int_equal(gfx_triangle_clip(v, out, bary), 0);
}

int run_raster_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_edges_belong_to_one),
        cmocka_unit_test(top_and_left_are_inside),
        cmocka_unit_test(orientation_does_not_matter),
        cmocka_unit_test(no_area_is_nothing),
        cmocka_unit_test(weights_respect_perspective),
        cmocka_unit_test(clips_at_the_eye),
        cmocka_unit_test(nothing_is_left_behind_the_eye),
        cmocka_unit_test(weights_follow_the_vertices),
        cmocka_unit_test(clipping_keeps_depth_and_weights),
        cmocka_unit_test(boxes_hold_triangles),
        cmocka_unit_test(places_beyond_the_guard_band_are_not_set_up),
    };

    return cmocka_run_group_tests_name("raster", tests, NULL, NULL);
}
