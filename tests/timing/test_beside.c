/* Jobs side by side on cores of their own, and how long a core has work-groups. */
#include "make.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/timing/beside.h"

static const struct timing_shape gpu = {4, 1, 64, 1, 600};

static struct timing_params make_params(void)
{
    struct timing_params p = timing_params_default();

    p.pipe_depth = 10000;
    p.l1_bytes = 256;
    p.l2_bytes = 4096;
    p.line_bytes = 64;
    p.l2_miss_latency = 100000;
    p.dram_bandwidth = 4; /* a line takes 16 cycles */
    return p;
}

/* A job of groups of one warp. */
static void job_of(struct timing_job *job, unsigned groups, const char *text)
{
    make_job(job, 1, 1);
    make_groups(job, groups, 1, text);
}

/* A job whose groups load lines of their own. */
static void make_loads(struct timing_job *job, unsigned groups, unsigned each)
{
    char text[400], *at;

    make_job(job, 1, 1);
    for (unsigned g = 0; g < groups; g++) {
        at = text;
        for (unsigned i = 0; i < each; i++)
            at += sprintf(at, "l%u", 4 * (g * each + i)); /* lines apart from each other */
        make_group(job, text, NULL);
    }
}

static uint64_t ticks_alone(const struct timing_job *job, unsigned cores)
{
    struct timing_params p = make_params();
    struct timing_shape shape = gpu;

    shape.cores = cores;
    return make_run(&p, &shape, TIMING_DETAILED, job).ticks;
}

static void run_lanes(struct timing_lane *lanes, size_t count)
{
    struct timing_params p = make_params();
    struct error err = {""};

    assert_true(timing_run_beside(&p, &gpu, lanes, count, &err));
}

static void one_lane(void **state)
{
    struct timing_job job;

    (void)state;
    make_loads(&job, 12, 5);
    for (unsigned cores = 1; cores <= 4; cores++) {
        struct timing_lane lane = {.jobs = &job, .count = 1, .cores = cores};

        run_lanes(&lane, 1);
        assert_int_equal(lane.passes, 1);
        assert_int_equal(lane.ticks, ticks_alone(&job, cores));
    }
    timing_job_release(&job);
}

/* Lanes of arithmetic do not disturb each other; the shorter one runs again until the longer has
 * ended. */
static void lanes_do_not_disturb(void **state)
{
    struct timing_job job[2];
    struct timing_lane lanes[2] = {{.jobs = &job[0], .count = 1, .cores = 1},
                                   {.jobs = &job[1], .count = 1, .cores = 3}};

    (void)state;
    job_of(&job[0], 1, "aaaaaaaaaa"); /* 10 bundles of 10 cycles */
    job_of(&job[1], 3, "aaa");
    run_lanes(lanes, 2);
    assert_int_equal(lanes[0].passes, 1);
    assert_int_equal(lanes[0].ticks, 100000);
    assert_int_equal(lanes[1].passes, 3);
    assert_int_equal(lanes[1].ticks, 3 * 30000);
    for (unsigned i = 0; i < 2; i++)
        timing_job_release(&job[i]);
}

/* Lanes that wait for memory share its bandwidth, but not their lines: the same addresses are
 * others in each lane. */
static void lanes_share_bandwidth(void **state)
{
    struct timing_job job;
    struct timing_lane lanes[2] = {{.count = 1, .cores = 2}, {.count = 1, .cores = 2}};
    uint64_t before;

    (void)state;
    make_loads(&job, 64, 8);
    lanes[0].jobs = lanes[1].jobs = &job;
    before = ticks_alone(&job, 2);
    run_lanes(lanes, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(lanes[i].passes, 1);
        assert_true(lanes[i].ticks > before);
    }
    /* 512 lines of each, 16 cycles a line */
    assert_true(lanes[0].ticks >= 2 * 512 * 16 * TIMING_TICKS ||
                lanes[1].ticks >= 2 * 512 * 16 * TIMING_TICKS);
    timing_job_release(&job);
}

/* A lane's jobs follow each other; the ticks of a pass are those of all. */
static void in_turn(void **state)
{
    struct timing_job job[2];
    struct timing_lane lane = {.jobs = job, .count = 2, .cores = 1};

    (void)state;
    job_of(&job[0], 1, "aa");
    job_of(&job[1], 1, "aaaaa");
    run_lanes(&lane, 1);
    assert_int_equal(lane.ticks, 70000);
    for (unsigned i = 0; i < 2; i++)
        timing_job_release(&job[i]);
}

/* A thinned-out job of equal groups takes the same time: each group left counts for several. */
static void thinned_job_takes_as_long(void **state)
{
    struct timing_job job;
    uint64_t before;

    (void)state;
    job_of(&job, 64, "aaaa");
    before = ticks_alone(&job, 1);
    timing_job_sample(&job, 0);
    assert_int_equal(job.groups.len, 64);
    timing_job_sample(&job, 20);
    assert_int_equal(job.groups.len, 16);
    assert_int_equal(job.groups.data[1].index, 4);
    assert_int_equal(job.group_total, 64);
    /* 64 warps fill the pipe of 10 cycles; 16 do, too */
    assert_in_range(ticks_alone(&job, 1), before, before + before / 4);
    timing_job_release(&job);
}

static void bad_lanes_are_refused(void **state)
{
    struct timing_job job, none;
    struct timing_params p = make_params();
    struct timing_lane lanes[2] = {{.jobs = &job, .count = 1, .cores = 3},
                                   {.jobs = &job, .count = 1, .cores = 2}};
    struct error err = {""};

    (void)state;
    job_of(&job, 1, "a");
    make_job(&none, 1, 1);
    assert_false(timing_run_beside(&p, &gpu, lanes, 2, &err));
    assert_non_null(strstr(err.text, "cores"));
    assert_false(timing_run_beside(&p, &gpu, lanes, 0, &err));
    lanes[0].cores = 0;
    assert_false(timing_run_beside(&p, &gpu, lanes, 1, &err));
    lanes[0] = (struct timing_lane){.jobs = &none, .count = 1, .cores = 1};
    assert_false(timing_run_beside(&p, &gpu, lanes, 1, &err));
    lanes[0] = (struct timing_lane){.jobs = &job, .count = 0, .cores = 1};
    assert_false(timing_run_beside(&p, &gpu, lanes, 1, &err));
    timing_job_release(&job);
    timing_job_release(&none);
}

/* A core is active while it has a group. */
static void active_while_it_has_groups(void **state)
{
    struct timing_params p = make_params();
    struct timing_result r;
    struct timing_job job;

    (void)state;
    make_job(&job, 64, 1); /* a group fills a core */
    make_group(&job, "aaaa", NULL);
    make_group(&job, "aa", NULL);
    make_group(&job, "a", NULL);
    r = make_run(&p, &(struct timing_shape){2, 1, 64, 1, 600}, TIMING_DETAILED, &job);
    assert_int_equal(r.ticks, 40000);
    assert_int_equal(r.active[0], 40000);
    assert_int_equal(r.active[1], 30000); /* the second group, then the third */
    assert_int_equal(r.active[2], 0);
    r = make_run(&p, &(struct timing_shape){4, 1, 64, 1, 600}, TIMING_REASSEMBLE, &job);
    assert_int_equal(r.active[0], r.ticks);
    assert_int_equal(r.active[1], r.ticks / 2);
    assert_int_equal(r.active[3], 0);
    timing_job_release(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_lane),
        cmocka_unit_test(lanes_do_not_disturb),
        cmocka_unit_test(lanes_share_bandwidth),
        cmocka_unit_test(in_turn),
        cmocka_unit_test(thinned_job_takes_as_long),
        cmocka_unit_test(bad_lanes_are_refused),
        cmocka_unit_test(active_while_it_has_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
