/* Textures: compressed blocks, formats of texels, places, descriptors. */
#include "tests/texture/tests.h"

int main(void)
{
    return run_block_tests() + run_texel_tests() + run_place_tests() + run_descriptor_tests();
}
