/* Reuse distances, beside a list of the lines in the order of their last use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/base/random.h"
#include "runtime/report/internal.h"

enum { LINES = 1500, USES = 20000 };

/* Lines by their last use, the latest first. */
struct list {
    uint64_t line[LINES];
    unsigned count;
};

/* Puts the line first. Returns how many were before it; UINT32_MAX: it is new. */
static uint32_t use_line(struct list *l, uint64_t line)
{
    unsigned at = 0;

    while (at < l->count && l->line[at] != line)
        at++;
    memmove(l->line + 1, l->line, at * sizeof(*l->line));
    l->line[0] = line;
    if (at < l->count)
        return at;
    l->count++;
    return UINT32_MAX;
}

/* Lines of which some are far more frequent than others. */
static uint64_t draw_line(uint64_t *random)
{
    unsigned most = LINES >> random_next(random) % 11;

    return UINT64_C(0x1000040) * (random_next(random) % most);
}

static void test_distances_are_those_of_a_list(void **state)
{
    struct report_reuser *u = report_reuser_new();
    struct report_reuse right = {0};
    struct list list = {.count = 0};
    uint64_t random = 1;

    (void)state;
    for (unsigned i = 0; i < USES; i++) {
        uint64_t line = draw_line(&random);
        uint32_t distance = use_line(&list, line);
        unsigned bits = 0;

        report_reuser_touch(u, line);
        if (distance == UINT32_MAX) {
            right.first_uses++;
            continue;
        }
        while (distance >> bits)
            bits++;
        right.by_distance[bits]++;
    }
    assert_memory_equal(report_reuser_result(u), &right, sizeof(right));
    assert_true(right.first_uses > LINES / 2 && right.by_distance[10]);
    report_reuser_free(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_distances_are_those_of_a_list)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
