/*
 * Delays of a CPU's memory accesses, against values calculated by hand: set-associative caches, and
 * several kinds of misses.
 */
#include "make.h"

#include "runtime/base/random.h"
#include "runtime/timing/delays.h"

/* In a set of two ways, the third line replaces the least recently touched one. */
static void ways_are_replaced(void **state)
{
    struct timing_sets c;

    (void)state;
    timing_sets_init(&c, 4, 2);
    assert_false(timing_sets_touch(&c, 1));
    assert_false(timing_sets_touch(&c, 5));
    assert_true(timing_sets_touch(&c, 1));
    assert_false(timing_sets_touch(&c, 9)); /* replaces 5 */
    assert_true(timing_sets_touch(&c, 1));
    assert_false(timing_sets_touch(&c, 5)); /* replaces 9 */
    assert_false(timing_sets_touch(&c, 2)); /* in the other set */
    assert_true(timing_sets_touch(&c, 1));
    assert_int_equal(c.hits, 3);
    assert_int_equal(c.misses, 5);
    timing_sets_release(&c);
}

/* A line is a hit if fewer other lines of its set than there are ways were touched since. */
static void as_defined(void **state)
{
    enum { SETS = 8, WAYS = 3, TIMES = 3000 };
    static uint64_t past[TIMES];
    struct timing_sets c;
    uint64_t seed = 1;

    (void)state;
    timing_sets_init(&c, SETS, WAYS);
    for (size_t n = 0; n < TIMES; n++) {
        uint64_t others[WAYS] = {0};
        size_t different = 0, i = n;
        bool there = false;

        past[n] = random_next(&seed) % 48;
        while (i-- > 0 && different < WAYS && !there) {
            bool seen = past[i] % SETS != past[n] % SETS;

            there = past[i] == past[n];
            for (size_t k = 0; k < different; k++)
                seen = seen || others[k] == past[i];
            if (!seen && !there)
                others[different++] = past[i];
        }
        assert_int_equal(timing_sets_touch(&c, past[n]), there);
    }
    timing_sets_release(&c);
}

/*
 * 1000 ps for the shared cache, 9000 for memory, 700 for a prefetched line; a store costs a tenth.
 */
static const struct timing_delay_costs costs = {1000, 9000, 700, 100, 10};

static struct timing_delays make_delays(struct timing_sets *shared)
{
    struct timing_delays d = {.shared = shared, .costs = costs, .line_bits = 6};

    timing_sets_init(&d.own, 4, 2);
    return d;
}

#define TAKES(ps, address, bytes, write) \
    assert_int_equal(timing_delays_access(&d, address, bytes, write), ps)

static void levels_have_costs(void **state)
{
    struct timing_sets shared;
    struct timing_delays d;

    (void)state;
    timing_sets_init(&shared, 16, 4);
    d = make_delays(&shared);
    TAKES(9000, 0x1008, 8, false);
    TAKES(0, 0x1030, 8, false);
    TAKES(0, 0x1038, 8, true);
    TAKES(900, 0x2000, 4, true);
    TAKES(9000, 0x3000, 4, false); /* the first set is full: 0x1000 is replaced */
    TAKES(1000, 0x1000, 4, false);
    TAKES(9000 + 700, 0x407c, 8, false); /* two lines, the second one prefetched */
    assert_int_equal(d.waited_ps, 9000 + 900 + 9000 + 1000 + 9700);
    assert_int_equal(d.streamed, 1);
    timing_sets_release(&shared);
    timing_sets_release(&d.own);
}

/* Two streams side by side, as in a copy: each waits for its first line. */
static void streams_are_recognised(void **state)
{
    struct timing_delays d = make_delays(NULL);

    (void)state;
    TAKES(9000, 0x10000, 8, false);
    TAKES(900, 0x20000, 8, true);
    for (unsigned n = 1; n < 100; n++) {
        TAKES(700, 0x10000 + n * 64, 8, false);
        TAKES(70, 0x20000 + n * 64, 8, true);
        TAKES(0, 0x10000 + n * 64 + 8, 8, false);
    }
    assert_int_equal(d.streamed, 198);
    timing_sets_release(&d.own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_are_replaced), cmocka_unit_test(as_defined),
        cmocka_unit_test(levels_have_costs), cmocka_unit_test(streams_are_recognised)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
