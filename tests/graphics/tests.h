/* The tests of graphics rules, which are one program of several files. */
#ifndef TESTS_GRAPHICS_TESTS_H
#define TESTS_GRAPHICS_TESTS_H

/* Fails the test unless a number is as far from the expected one as `by` at most; NaN is not, while
 * cmocka's assert_float_equal() lets it pass. */
#define assert_near(number, expected, by) \
    assert_true((number) - (expected) >= -(by) && (number) - (expected) <= (by))

/*
 * Run the tests of a subject: rasterisation, pixel formats, blending, primitive assembly, the list
 * of primitives, vertex and tiler jobs, descriptors of draws, compressed surfaces. Return the
 * number of failed tests.
 */
int run_raster_tests(void);
int run_pixel_tests(void);
int run_blend_tests(void);
int run_assembly_tests(void);
int run_polygon_tests(void);
int run_geometry_tests(void);
int run_draw_tests(void);
int run_compressed_tests(void);

#endif
