/* Unit tests of the memory of blocks (pool.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "runtime/cpu/pool.h"

enum {
    MANY = 3000,
    BIGGEST = POOL_UNIT * (POOL_SIZES - 1),
    MORE_THAN_A_CHUNK = 600, /* pieces of BIGGEST bytes */
};

/* Pieces of all sizes are aligned and do not overlap. */
static void pieces_are_apart(void **state)
{
    static uint8_t *piece[MANY];
    static size_t bytes[MANY];
    struct pool p = {0};

    (void)state;
    for (unsigned n = 0; n < MANY; n++) {
        bytes[n] = 1 + n * 7919u % BIGGEST;
        piece[n] = pool_take(&p, bytes[n]);
        assert_int_equal((uintptr_t)piece[n] % POOL_UNIT, 0);
        memset(piece[n], (int)(n & 0xff), bytes[n]);
    }
    for (unsigned n = 0; n < MANY; n++) {
        assert_int_equal(piece[n][0], n & 0xff);
        assert_int_equal(piece[n][bytes[n] - 1], n & 0xff);
    }
    pool_drop(&p);
}

/* A piece is used again for the same number of units, and for no other. */
static void pieces_are_used_again(void **state)
{
    struct pool p = {0};
    void *one, *two, *third;

    (void)state;
    one = pool_take(&p, POOL_UNIT + 1);
    two = pool_take(&p, 2 * POOL_UNIT);
    pool_give(&p, one, POOL_UNIT + 1);
    pool_give(&p, two, 2 * POOL_UNIT);
    third = pool_take(&p, POOL_UNIT);
    assert_ptr_not_equal(third, one);
    assert_ptr_not_equal(third, two);
    assert_ptr_not_equal(pool_take(&p, 2 * POOL_UNIT + 1), two);
    assert_ptr_equal(pool_take(&p, POOL_UNIT + 2), two);
    assert_ptr_equal(pool_take(&p, 2 * POOL_UNIT), one);
    assert_ptr_not_equal(pool_take(&p, 2 * POOL_UNIT), one);
    pool_drop(&p);
}

/* Memory of tables is zeroed when it is given again, and large tables are in whole large pages. */
static void tables_are_zeroed(void **state)
{
    (void)state;
    for (size_t bytes = 100; bytes < (size_t)5 << 20; bytes = bytes * 7 + 1) {
        uint8_t *table = large_take(bytes);

        assert_int_equal((uintptr_t)table & ((2 << 20) - 1), 0);
        for (size_t n = 0; n < bytes; n++)
            assert_int_equal(table[n], 0);
        memset(table, 0xa5, bytes);
        large_give(table, bytes);
    }
}

/* A dropped pool has no memory, and can be used again. */
static void pools_are_dropped(void **state)
{
    struct pool p = {0};

    (void)state;
    for (unsigned n = 0; n < MORE_THAN_A_CHUNK; n++)
        memset(pool_take(&p, BIGGEST), 1, BIGGEST);
    pool_give(&p, pool_take(&p, 1), 1);
    pool_drop(&p);
    assert_null(p.chunks);
    assert_null(p.free[1]);
    memset(pool_take(&p, BIGGEST), 1, BIGGEST);
    pool_drop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_apart),
        cmocka_unit_test(pieces_are_used_again),
        cmocka_unit_test(tables_are_zeroed),
        cmocka_unit_test(pools_are_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
