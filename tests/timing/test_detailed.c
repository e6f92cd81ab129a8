/*
 * The detailed model, against the formulas of seed 000: threads are warps of one lane, a pipe has a
 * depth of 38 cycles and takes one word per cycle, a load adds 52 cycles and a store 40. Times are
 * of one pass of a loop. Start and end of a run, until the threads are in step, cancel out in the
 * difference of two lengths.
 */
#include "make.h"

#include <stdlib.h>

static const struct timing_shape core = {1, 2, 256, 1, 600};
static const struct timing_shape gpu = {4, 2, 256, 1, 600};

static struct timing_params make_params(void)
{
    struct timing_params p = timing_params_default();

    p.pipe_depth = 38000;
    p.load_exposed = 52000;
    p.store_exposed = 40000;
    p.core_fill = 64;
    p.batch_groups = 256;
    p.batch_threads = 1024;
    return p;
}

static uint64_t ticks_of(const struct timing_shape *shape, unsigned groups, unsigned size,
                         const char *pass, unsigned passes)
{
    struct timing_params p = make_params();
    struct timing_job job;
    char *text = make_times(pass, passes);
    struct timing_result r;

    make_job(&job, size, 1);
    make_groups(&job, groups, size, text);
    r = make_run(&p, shape, TIMING_DETAILED, &job);
    timing_job_release(&job);
    free(text);
    return r.ticks;
}

/* Returns the cycles per pass. */
static double pass_of(const struct timing_shape *shape, unsigned groups, unsigned size,
                      const char *pass)
{
    return (double)(ticks_of(shape, groups, size, pass, 200) -
                    ticks_of(shape, groups, size, pass, 100)) /
           100 / TIMING_TICKS;
}

static void depth_of_the_pipe(void **state)
{
    (void)state;
    /* each bundle waits for the previous one */
    assert_int_equal(ticks_of(&core, 1, 1, "a", 10), 380000);
    assert_true(pass_of(&core, 1, 1, "aaa") == 114);    /* mul_add 2 */
    assert_true(pass_of(&core, 1, 1, "aaaaaa") == 228); /* mul_add 5 */
    assert_true(pass_of(&core, 38, 1, "aa") == 76);     /* the pipe is full */
    assert_true(pass_of(&core, 39, 1, "aa") == 78);
    assert_true(pass_of(&core, 50, 1, "aa") == 100);
}

static void second_pipe(void **state)
{
    (void)state;
    assert_true(pass_of(&core, 38, 2, "aa") == 76); /* twice the work takes the same time */
    assert_true(pass_of(&core, 1, 76, "aa") == 76); /* 2 * depth threads of one group */
    assert_true(pass_of(&core, 1, 78, "aa") == 78);
    assert_true(pass_of(&core, 76, 1, "aa") == 152); /* groups of one thread all go to one pipe */
}

static void loads_and_stores(void **state)
{
    (void)state;
    assert_true(pass_of(&core, 1, 1, "al1aaaa") == 280); /* 6 * 38 + 52 */
    assert_true(pass_of(&core, 64, 1, "al1aaaa") == 384);
    assert_true(pass_of(&core, 1, 1, "as1a") == 154); /* 3 * 38 + 40 */
    assert_true(pass_of(&core, 64, 1, "as1a") == 192);
}

static void dispatch_of_groups(void **state)
{
    (void)state;
    assert_true(pass_of(&gpu, 64, 1, "aa") == 128); /* all groups are on one core */
    assert_true(pass_of(&gpu, 256, 1, "aa") == 128);
    assert_true(pass_of(&gpu, 38, 1, "aa") == 76);
    assert_true(pass_of(&gpu, 256, 2, "aaaaa") ==
                320); /* 13.3 rounds: 533.33 ms for 1e6 passes at 600 MHz */
    /* A batch of 256 groups, then one group alone: 128 + 76. */
    assert_true(pass_of(&gpu, 257, 1, "aa") == 204);
    /* Four groups of 256 fill all cores; the fifth waits for the batch. */
    assert_true(pass_of(&gpu, 5, 256, "aa") == 512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_of_the_pipe),
        cmocka_unit_test(second_pipe),
        cmocka_unit_test(loads_and_stores),
        cmocka_unit_test(dispatch_of_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
