/* Rules of drawing: rasterisation, formats and blending, assembly of primitives, compression. */
#include "tests/graphics/tests.h"

int main(void)
{
    return run_raster_tests() + run_pixel_tests() + run_assembly_tests() + run_compressed_tests();
}
