/* The tests of textures in C, which are one program of several files. */
#ifndef TESTS_TEXTURE_TESTS_H
#define TESTS_TEXTURE_TESTS_H

/*
 * Run the tests of compressed blocks, of texels' formats and registers, of places in memory and
 * beyond a texture, and of descriptors. Return the number of failed tests.
 */
int run_block_tests(void);
int run_texel_tests(void);
int run_place_tests(void);
int run_descriptor_tests(void);

#endif
