/*
 * An arena that is cleared gives zeroed memory again, and keeps no more than one chunk.
 */
#include "common/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { PIECES = 1000, BYTES = 100, ROUNDS = 3 };

static void assert_zeros(const unsigned char *p)
{
    for (unsigned i = 0; i < BYTES; i++)
        assert_int_equal(p[i], 0);
}

static void test_cleared_is_zeroed(void **state)
{
    struct arena a = {0};

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < PIECES; i++) {
            unsigned char *p = arena_alloc(&a, BYTES);

            assert_zeros(p);
            memset(p, 0xa5, BYTES);
        }
        arena_clear(&a);
    }
    arena_free(&a);
}

static void test_cleared_keeps_newest_chunk(void **state)
{
    struct arena a = {0};
    const struct arena_chunk *newest;

    (void)state;
    for (unsigned i = 0; i < PIECES; i++)
        arena_alloc(&a, BYTES);
    newest = a.head;
    arena_clear(&a);
    assert_ptr_equal(a.head, newest);
    assert_int_equal(a.used, 0);
    assert_true(a.size >= BYTES);
    arena_free(&a);
    assert_null(a.head);
}

static void test_empty_is_cleared(void **state)
{
    struct arena a = {0};

    (void)state;
    arena_clear(&a);
    assert_null(a.head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cleared_is_zeroed),
        cmocka_unit_test(test_cleared_keeps_newest_chunk),
        cmocka_unit_test(test_empty_is_cleared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
