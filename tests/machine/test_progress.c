/* The line about a long GPU job: when it comes, what it says, and when it goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/machine/progress.h"

#define MS UINT64_C(1000000)

static void test_line(void **unused)
{
    struct progress p = {0};
    struct gpu_job_shape job = {.begun = 10, .total = 400};
    char text[PROGRESS_LINE] = "";

    (void)unused;
    assert_false(progress_step(&p, &job, 1000 * MS, text));
    assert_false(progress_step(&p, &job, 2999 * MS, text));
    job.begun = 110;
    assert_true(progress_step(&p, &job, 3000 * MS, text));
    assert_string_equal(text, "gpu: 110 of 400 work-groups (27 %), 50 a second");
    assert_false(progress_step(&p, &job, 3499 * MS, text));
    job.begun = 400;
    assert_true(progress_step(&p, &job, 3500 * MS, text));
    assert_string_equal(text, "gpu: 400 of 400 work-groups (100 %), 156 a second");
    assert_true(progress_end(&p));
    assert_false(progress_end(&p));
    assert_false(progress_step(&p, &job, 9000 * MS, text)); /* a new job */
    assert_false(progress_end(&p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_line)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
