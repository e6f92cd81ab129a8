/* The tests of drawing's rules, by file. */
#ifndef TESTS_GRAPHICS_TESTS_H
#define TESTS_GRAPHICS_TESTS_H

int run_raster_tests(void);
int run_pixel_tests(void);
int run_assembly_tests(void);

#endif
