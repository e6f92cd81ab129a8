/* Surfaces of compressed blocks: places of texels, and headers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gpu/texture/texture.h"
#include "tests/graphics/tests.h"

static void blocks_are_in_rows(void **state)
{
    const struct gpu_afbc a = {.stride = 5}, wide = {.stride = 3, .wide = true};
    uint64_t block;

    (void)state;
    assert_int_equal(gpu_afbc_place(&a, 35, 18, &block), 2 * 16 + 3);
    assert_int_equal(block, 5 + 2);
    assert_int_equal(gpu_afbc_place(&wide, 35, 18, &block), 2 * 32 + 3);
    assert_int_equal(block, 2 * 3 + 1);
}

static void headers_are_in_tiles(void **state)
{
    const struct gpu_afbc a = {.stride = 16, .tiled = true};
    uint64_t block;

    (void)state;
    gpu_afbc_place(&a, 16 * 9, 0, &block); /* block (9, 0): second tile, (1, 0) in it */
    assert_int_equal(block, 64 + 1);
    gpu_afbc_place(&a, 0, 16 * 11, &block); /* block (0, 11): second row of tiles, (0, 3) in it */
    assert_int_equal(block, 16 * 8 + 10);
}

static void headers_say_that_nothing_is_compressed(void **state)
{
    uint8_t header[MALI_AFBC_HEADER_BYTES], zero[MALI_AFBC_HEADER_BYTES] = {0};
    unsigned __int128 sizes = 0;

    (void)state;
    gpu_afbc_header(header, 0x12345);
    assert_int_equal(gpu_afbc_offset(header), 0x12345);
    memcpy(&sizes, header + 4, 12);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal((unsigned)(sizes >> 6 * i) & 63, 1);
    assert_int_equal(gpu_afbc_offset(zero), 0);
}

int run_compressed_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_in_rows),
        cmocka_unit_test(headers_are_in_tiles),
        cmocka_unit_test(headers_say_that_nothing_is_compressed),
    };

    return cmocka_run_group_tests_name("compressed", tests, NULL, NULL);
}
