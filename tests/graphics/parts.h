/* The tests of frames in memory and of triangles, which are one program of several files. */
#ifndef TESTS_GRAPHICS_PARTS_H
#define TESTS_GRAPHICS_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/gpu/compute.h"
#include "runtime/gpu/graphics/frame.h"

/* GPU memory of the tests, from address 0 on. */
enum { PARTS_BYTES = 1 << 17 };
extern uint8_t parts_memory[PARTS_BYTES];
/* Its address space; other addresses fault with code 7. */
extern const struct gpu_address_space parts_space;

/* A frame of one target, of 8 bits per component, in linear memory. Its pixels begin at (3, 2), and
 * end before (20, 18), in a surface at PARTS_SURFACE. */
enum { PARTS_SURFACE = 0x1000, PARTS_ROW = 160 };
struct gfx_frame parts_frame(unsigned samples);

/*
 * Run the tests of what tiles are cleared to and stored as, of depth and stencil, of triangles of
 * primitives, of framebuffers' descriptors, of reports, and of requests of shaders. Return the
 * number of failed tests.
 */
int run_writeback_tests(void);
int run_zs_tests(void);
int run_setup_tests(void);
int run_frame_tests(void);
int run_watch_tests(void);
int run_unit_tests(void);

#endif
