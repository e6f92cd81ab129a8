/*
 * Caches by reuse distance, against its definition: the number of different lines touched since,
 * counted one by one.
 */
#include "make.h"

#include <stdlib.h>

#include "runtime/base/random.h"
#include "runtime/timing/cache.h"

/* Returns how many different lines were touched since this one; SIZE_MAX if it never was. */
static size_t reuse_distance(const uint64_t *past, size_t n)
{
    size_t different = 0;

    for (size_t i = n; i-- > 0;) {
        bool seen = false;

        if (past[i] == past[n])
            return different;
        for (size_t k = i + 1; k < n && !seen; k++)
            seen = past[k] == past[i];
        different += !seen;
    }
    return SIZE_MAX;
}

static void as_defined(void **state)
{
    static const uint32_t capacities[] = {0, 1, 2, 7, 64, 100};
    uint64_t past[1500];
    uint64_t seed = 1;

    (void)state;
    for (size_t c = 0; c < 6; c++) {
        struct timing_cache cache;

        timing_cache_init(&cache, capacities[c]);
        for (size_t n = 0; n < 1500; n++) {
            past[n] = random_next(&seed) % (n < 700 ? 20 : 150);
            assert_int_equal(timing_cache_touch(&cache, past[n]),
                             reuse_distance(past, n) < capacities[c]);
        }
        assert_int_equal(cache.hits + cache.misses, 1500);
        timing_cache_release(&cache);
    }
}

static void infinite_cache_keeps_all(void **state)
{
    struct timing_cache cache;

    (void)state;
    timing_cache_init(&cache, TIMING_CACHE_INFINITE);
    for (uint64_t round = 0; round < 3; round++)
        for (uint64_t line = 0; line < 100000; line++)
            assert_int_equal(timing_cache_touch(&cache, line << 20), round > 0);
    timing_cache_release(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_defined),
                                       cmocka_unit_test(infinite_cache_keeps_all)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
