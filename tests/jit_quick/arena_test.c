/* Memory for code: pieces whose ends are given back follow each other closely. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/jit/internal.h"

enum { TAKEN = 4096, USED = 101, CLOSE = ARENA_ALIGN, PIECES = 100 };

static void test_close(void **state)
{
    struct arena a = {0};
    struct chunk *chunk[PIECES];
    uintptr_t last = 0;

    (void)state;
    assert_int_not_equal(arena_init(&a, (size_t)16 << 20), 0);
    for (unsigned n = 0; n < PIECES; n++) {
        uintptr_t at = (uintptr_t)arena_take(&a, ARENA_GUEST, TAKEN, CLOSE, &chunk[n]);

        assert_int_not_equal(at, 0);
        assert_int_equal(at % CLOSE, 0);
        if (n && chunk[n] == chunk[n - 1])
            assert_in_range(at - last, USED, USED + CLOSE - 1);
        arena_trim(&a, chunk[n], (void *)at, TAKEN, USED);
        last = at;
    }
    assert_ptr_equal(chunk[0], chunk[PIECES / 2]);
    for (unsigned n = 0; n < PIECES; n++)
        arena_give(&a, chunk[n]);
    assert_int_equal(arena_bytes(&a), 0);
    arena_drop(&a);
}

/* Those of another compiler lie as it wants them, also at the end of a chunk. */
static void test_aligned(void **state)
{
    struct arena a = {0};
    struct chunk *chunk;

    (void)state;
    assert_int_not_equal(arena_init(&a, (size_t)16 << 20), 0);
    for (unsigned n = 0; n < 40 * PIECES; n++) {
        size_t align = n % 2 ? 64 : CLOSE;
        uint8_t *at = arena_take(&a, ARENA_GUEST, USED + n % 7 * CLOSE, align, &chunk);

        assert_non_null(at);
        assert_int_equal((uintptr_t)at % align, 0);
        memset(at + a.write, 0, USED);
    }
    arena_drop(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_close),
                                       cmocka_unit_test(test_aligned)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
