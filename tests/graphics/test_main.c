/* Rules of drawing: from descriptors of a job to primitives, and from these to pixels in memory. */
#include "tests/graphics/tests.h"

int main(void)
{
    return run_raster_tests() + run_pixel_tests() + run_blend_tests() + run_assembly_tests() +
           run_polygon_tests() + run_geometry_tests() + run_draw_tests() + run_compressed_tests();
}
