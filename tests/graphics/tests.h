/* The tests of graphics rules, which are one program of several files. */
#ifndef TESTS_GRAPHICS_TESTS_H
#define TESTS_GRAPHICS_TESTS_H

/*
 * Run the tests of rasterisation, pixel formats, primitive assembly and compressed surfaces. Return
 * the number of failed tests.
 */
int run_raster_tests(void);
int run_pixel_tests(void);
int run_assembly_tests(void);
int run_compressed_tests(void);

#endif
