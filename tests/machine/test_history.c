/* Which saved states of a machine in memory are dropped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/base/alloc.h"
#include "runtime/machine/history_points.h"

#define KEEP     16
#define ANY_SIZE UINT64_MAX
#define MILLION  UINT64_C(1000000)

/* Puts a state without memory at this place, which may be in the midst. */
static void put(struct history_points *points, uint64_t insns)
{
    struct history_point *point = xcalloc(1, sizeof(*point));
    size_t n = points->all.len;

    point->insns = insns;
    vec_push(&points->all, point);
    for (; n && points->all.data[n - 1]->insns > insns; n--)
        points->all.data[n] = points->all.data[n - 1];
    points->all.data[n] = point;
}

static bool has(const struct history_points *points, uint64_t insns)
{
    for (size_t n = 0; n < points->all.len; n++) {
        if (points->all.data[n]->insns == insns)
            return true;
    }
    return false;
}

/* A run of 1,000 million instructions, saved each 4 million. */
static void run(struct history_points *points)
{
    for (uint64_t now = 0; now <= 1000 * MILLION; now += 4 * MILLION) {
        put(points, now);
        history_points_thin(points, now, KEEP, ANY_SIZE);
    }
}

static void test_forward(void **unused)
{
    struct history_points points = {0};

    (void)unused;
    run(&points);
    assert_int_equal(points.all.len, KEEP);
    assert_true(has(&points, 0) && has(&points, 1000 * MILLION));
    assert_true(has(&points, 996 * MILLION) && has(&points, 992 * MILLION));
    history_points_clear(&points);
}

/* A machine that went back to its begin and runs on keeps what it saves on the way, and still has
 * states near the end of its past. */
static void test_in_the_past(void **unused)
{
    struct history_points points = {0};

    (void)unused;
    run(&points);
    for (uint64_t now = 3 * MILLION; now < 900 * MILLION; now += 4 * MILLION) {
        put(&points, now);
        history_points_thin(&points, now, KEEP, ANY_SIZE);
        assert_true(has(&points, now));
        assert_int_equal(points.all.len, KEEP);
    }
    assert_true(has(&points, 996 * MILLION));
    history_points_clear(&points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forward),
        cmocka_unit_test(test_in_the_past),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
