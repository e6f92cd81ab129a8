/* The tests of graphics rules: rasterisation, pixel formats, primitive assembly, compressed
 * surfaces. Each function
 * returns the number of failed tests. */
#ifndef TESTS_GRAPHICS_TESTS_H
#define TESTS_GRAPHICS_TESTS_H

int run_raster_tests(void);
int run_pixel_tests(void);
int run_assembly_tests(void);
int run_compressed_tests(void);

#endif
