/*
 * The reassemble model: small cases whose times are calculated here. Unless noted there is one core
 * with one engine; an instruction takes 1 cycle, a store 4, a hit in L1 3, a hit in L2 15, memory
 * 143: seed 002, table 5.9, "micro-benchmark".
 */
#include "make.h"
#include "runtime/base/alloc.h"

#include <stdlib.h>
#include <string.h>

static const struct timing_shape one = {1, 1, 64, 4, 100};

static struct timing_params make_params(void)
{
    struct timing_params p = timing_params_default();

    p.arithmetic_latency = 1000;
    p.store_latency = 4000;
    p.l1_hit_latency = 3000;
    p.l1_miss_latency = 15000;
    p.l2_miss_latency = 143000;
    return p;
}

static struct timing_result time_of(const struct timing_params *p, const struct timing_shape *shape,
                                    struct timing_job *job)
{
    struct timing_result r = make_run(p, shape, TIMING_REASSEMBLE, job);

    timing_job_release(job);
    return r;
}

static void one_warp(void **state)
{
    struct timing_params p = make_params();
    struct timing_job job;

    (void)state;
    make_job(&job, 4, 4);
    make_group(&job, "aaaaa", NULL);
    struct timing_result r = time_of(&p, &one, &job); /* 5 instructions */

    assert_int_equal(r.ticks, 5000);
    assert_int_equal(r.account[TIMING_ISSUE], 5000);
    assert_int_equal(r.instructions, 5);
    p.arithmetic_latency = 800; /* the table's "predicted (G31)" */
    make_job(&job, 4, 4);
    make_group(&job, "aaaaa", NULL);
    assert_int_equal(time_of(&p, &one, &job).ticks, 4000);
}

/* Misses of L1 with lines of some size, of four loads of 4 bytes, which lie 64 bytes apart. */
static uint64_t missing_lines(uint64_t line_bytes)
{
    struct timing_params p = make_params();
    struct timing_job job;

    p.line_bytes = line_bytes;
    make_job(&job, 4, 4);
    make_group(&job, "l0l1l2l3", NULL);
    return time_of(&p, &one, &job).l1_misses;
}

static void any_size_of_line(void **state)
{
    (void)state;
    assert_int_equal(missing_lines(64), 4);
    assert_int_equal(missing_lines(96), 3); /* 0 and 64, 128, 192 */
    assert_int_equal(missing_lines(128), 2);
    assert_int_equal(missing_lines(160), 2); /* 0, 64 and 128, 192 */
    assert_int_equal(missing_lines(65), 4);  /* lines 0, 0, 1 and, on both sides of 195, 2 and 3 */
}

static void one_line(void **state)
{
    struct timing_params p = make_params();
    struct timing_job job;

    (void)state;
    make_job(&job, 4, 4);
    make_group(&job, "al7al7a", NULL);
    /* 2 instructions, 143 for the first access; 2 more, 3 for the second; 1. */
    struct timing_result r = time_of(&p, &one, &job);

    assert_int_equal(r.ticks, (2 + 143 + 2 + 3 + 1) * 1000);
    assert_int_equal(r.account[TIMING_DRAM], 143000);
    assert_int_equal(r.account[TIMING_L1], 3000);
    assert_int_equal(r.l1_hits, 1);
    assert_int_equal(r.l2_misses, 1);
}

static void second_level(void **state)
{
    struct timing_params p = make_params();
    struct timing_job job;

    (void)state;
    p.l1_bytes = 64; /* L1 holds one line */
    make_job(&job, 4, 4);
    make_group(&job, "l1l2l1", NULL);
    /* Line 2 replaces line 1, which stays in L2. */
    struct timing_result r = time_of(&p, &one, &job);

    assert_int_equal(r.ticks, (1 + 143 + 1 + 143 + 1 + 15) * 1000);
    assert_int_equal(r.account[TIMING_L2], 15000);
}

static void store_fills_l1(void **state)
{
    struct timing_params p = make_params();
    struct timing_job job;

    (void)state;
    make_job(&job, 4, 4);
    make_group(&job, "s1l1", NULL); /* a stored line is in L1 */
    struct timing_result r = time_of(&p, &one, &job);

    assert_int_equal(r.ticks, (1 + 4 + 1 + 3) * 1000);
    assert_int_equal(r.account[TIMING_L1], 7000);
}

static void atomics_pass_l1(void **state)
{
    struct timing_params p = make_params();
    struct timing_job job;

    (void)state;
    make_job(&job, 4, 4);
    make_group(&job, "l1x1", NULL);
    struct timing_result r =
        time_of(&p, &one, &job); /* the line is in L1, but atomic operations happen in L2 */

    assert_int_equal(r.ticks, (1 + 143 + 1 + 15) * 1000);
    assert_int_equal(r.l1_misses + r.l1_hits, 1);
    assert_int_equal(r.l2_hits, 1);
}

/*
 * Groups that run together each have their own memory behind the same address; a later group reuses
 * an earlier one's.
 */
static void memory_of_groups(void **state)
{
    struct timing_params p = make_params();
    struct timing_shape shape = {2, 1, 16, 4, 100};
    struct timing_job job;
    struct timing_result r;

    (void)state;
    make_job(&job, 8, 4);
    make_groups(&job, 4, 2, "g5"); /* two groups of two warps on each core */
    r = time_of(&p, &shape, &job);
    assert_int_equal(r.l2_misses, 4);
    assert_int_equal(r.l1_hits, 4);
    make_job(&job, 8, 4);
    make_groups(&job, 8, 2, "g5");
    r = time_of(&p, &shape, &job);
    assert_int_equal(r.l2_misses, 4);
    assert_int_equal(r.l1_hits, 12);
    make_job(&job, 8, 4);
    make_groups(&job, 4, 2, "l5"); /* a shared line: one miss in L2, two in L1 */
    r = time_of(&p, &shape, &job);
    assert_int_equal(r.l2_misses, 1);
    assert_int_equal(r.l1_misses, 2);
}

static void two_warps_hide_latency(void **state)
{
    struct timing_params p = make_params();
    struct timing_job job;

    (void)state;
    make_job(&job, 8, 4);
    make_group(&job, "l1aa", "aaal2a", NULL);
    /*
     * 0-1: A issues its load, which returns at 144. 1-5: B's three and its load, which returns at
     * 148. 144-146: A. 148-149: B.
     */
    struct timing_result r = time_of(&p, &one, &job);

    assert_int_equal(r.ticks, 149000);
    assert_int_equal(r.account[TIMING_ISSUE], 8000);
    assert_int_equal(r.account[TIMING_DRAM], (139 + 2) * 1000);
}

static void engines_share_warps(void **state)
{
    struct timing_params p = make_params();
    struct timing_shape two = {1, 2, 64, 4, 100};
    struct timing_job job;

    (void)state;
    make_job(&job, 12, 4);
    make_group(&job, "aaaa", "aa", "aaa", NULL);
    /* The third warp runs on the engine that is free first, at 2. */
    assert_int_equal(time_of(&p, &two, &job).ticks, 5000);
}

static void barrier_meets_warps(void **state)
{
    struct timing_params p = make_params();
    struct timing_shape two = {1, 2, 64, 4, 100};
    struct timing_job job;

    (void)state;
    make_job(&job, 8, 4);
    make_group(&job, "a|a", "aaaaaa|a", NULL);
    struct timing_result r = time_of(&p, &two, &job); /* all warps meet at 6 */

    assert_int_equal(r.ticks, 7000);
    assert_int_equal(r.account[TIMING_AT_BARRIER], 5000);
    make_job(&job, 8, 4);
    make_group(&job, "a|a", "aaa", NULL); /* the barrier opens when the second warp ends */
    assert_int_equal(time_of(&p, &two, &job).ticks, 4000);
}

static void barrier_takes_time(void **state)
{
    struct timing_params p = make_params();
    struct timing_shape two = {1, 2, 64, 4, 100};
    struct timing_job job;

    (void)state;
    p.barrier_issue = 20000;
    make_job(&job, 8, 4);
    make_group(&job, "a|a", "aaaaaa|a", NULL);
    /*
     * Each warp has its own engine: the last warp arrives at 6 and holds the barrier until 26, then
     * both continue.
     */
    struct timing_result r = time_of(&p, &two, &job);

    assert_int_equal(r.ticks, 27000);
    /* Both warps are held for 20, and the first one's engine waits from 21 to 26. */
    assert_int_equal(r.account[TIMING_AT_BARRIER], 45000);
    make_job(&job, 8, 4);
    make_group(&job, "a|a", "aaaaaa|a", NULL);
    /* Both warps on one engine: 1 + 20, 6 + 20, then 1 + 1. */
    assert_int_equal(time_of(&p, &one, &job).ticks, 49000);
    p.barrier_latency = 30000;
    make_job(&job, 8, 4);
    make_group(&job, "a|a", "aaaaaa|a", NULL);
    r = time_of(&p, &two, &job);
    assert_int_equal(r.ticks, 57000);
    assert_int_equal(r.account[TIMING_AT_BARRIER], 105000); /* 30 more per warp */
    make_job(&job, 8, 4);
    make_group(&job, "a|a", "aaa", NULL); /* arrives at 21, alone: until 51 */
    assert_int_equal(time_of(&p, &two, &job).ticks, 52000);
}

static void groups_wait_for_room(void **state)
{
    struct timing_params p = make_params();
    struct timing_shape small = {2, 4, 8, 4, 100}; /* a core has room for a group of 8 threads */
    struct timing_job job;

    (void)state;
    p.group_launch = 10000;
    p.job_launch = 100000;
    make_job(&job, 8, 4);
    make_groups(&job, 3, 2, "aaaaa");
    /* Two groups from 110 to 115; the third begins 10 later. */
    assert_int_equal(time_of(&p, &small, &job).ticks, 130000);
}

static void batches_of_groups(void **state)
{
    static const struct timing_shape four = {4, 1, 64, 4, 100};
    struct timing_job job;

    (void)state;
    for (unsigned by_threads = 0; by_threads < 2; by_threads++) {
        struct timing_params p = make_params();

        *(by_threads ? &p.batch_threads : &p.batch_groups) = by_threads ? 8 : 2;
        make_job(&job, 4, 4);
        make_groups(&job, 2, 1, "aaaaa");
        assert_int_equal(time_of(&p, &four, &job).ticks, 5000);
        make_job(&job, 4, 4);
        make_groups(&job, 5, 1, "aaaaa"); /* two, two and one */
        assert_int_equal(time_of(&p, &four, &job).ticks, 15000);
    }
}

/* A core is given groups until it has 8 threads. */
static void cores_are_filled(void **state)
{
    static const struct timing_shape two = {2, 1, 12, 4, 100};
    struct timing_params p = make_params();
    struct timing_job job;

    (void)state;
    p.core_fill = 8;
    make_job(&job, 4, 4);
    make_groups(&job, 2, 1, "aaaaa"); /* both groups run on the first core */
    assert_int_equal(time_of(&p, &two, &job).ticks, 10000);
    make_job(&job, 4, 4);
    make_groups(&job, 4, 1, "aaaaa");
    assert_int_equal(time_of(&p, &two, &job).ticks, 10000);
    p.core_fill = 0;
    make_job(&job, 4, 4);
    make_groups(&job, 2, 1, "aaaaa"); /* each core runs a group */
    assert_int_equal(time_of(&p, &two, &job).ticks, 5000);
}

static void several_lines(void **state)
{
    struct timing_params p = make_params();
    struct timing_job job;
    struct timing_writer w = {0};
    struct timing_group g = {.row_count = 1};

    (void)state;
    make_job(&job, 4, 4);
    g.rows = xcalloc(1, sizeof(*g.rows));
    g.rows[0].lanes = 4;
    timing_writer_begin(&w, 15);
    for (unsigned lane = 0; lane < 4; lane++) /* lanes 0 and 1 are in one line */
        timing_writer_access(&w, TIMING_LOAD, lane, lane * 60, 4);
    timing_writer_bundle(&w, 1, 15);
    timing_writer_end(&w, &g.rows[0]);
    timing_writer_release(&w);
    vec_push(&job.groups, g);
    job.group_total = 1;
    /* Three requests, one per cycle: 1 to issue, the last one leaves 2 later. */
    struct timing_result r = time_of(&p, &one, &job);

    assert_int_equal(r.requests, 3);
    assert_int_equal(r.ticks, (1 + 143 + 2) * 1000);
}

static void missing_parameters(void **state)
{
    struct timing_params p = make_params();
    struct timing_job job;
    struct timing_result r;
    struct error err = {""};

    (void)state;
    make_job(&job, 4, 4);
    make_group(&job, "a", NULL);
    assert_false(timing_run(&p, &one, TIMING_DETAILED, &job, &r, &err));
    assert_non_null(strstr(err.text, "pipe_depth"));
    p.line_bytes = 8;
    assert_false(timing_run(&p, &one, TIMING_REASSEMBLE, &job, &r, &err));
    timing_job_release(&job);
}

/* A loop of two bundles, in different lines of code, of one warp: `times` passes. */
static struct timing_result run_loop(uint64_t icache_bytes, uint64_t times)
{
    struct timing_params p = make_params();
    struct timing_writer w = {0};
    struct timing_job job;
    struct timing_row *row;

    p.icache_bytes = icache_bytes;
    p.icache_miss_latency = 20000;
    make_job(&job, 4, 4);
    job.bundles.data[1].address = 64;
    make_group(&job, "a", NULL);
    row = &job.groups.data[0].rows[0];
    free(row->data);
    timing_writer_begin(&w, 0xf);
    timing_writer_runs(&w, 0, 2, times, 0xf);
    timing_writer_end(&w, row);
    timing_writer_release(&w);
    return time_of(&p, &one, &job);
}

static void code_cache_misses_cost(void **state)
{
    struct timing_result r;

    (void)state;
    assert_int_equal(run_loop(0, 10).ticks, 20000); /* no cache: all code is there */
    r = run_loop(128, 10);                          /* two misses of 20 */
    assert_int_equal(r.ticks, 60000);
    assert_int_equal(r.code_misses, 2);
    assert_int_equal(r.code_hits, 18);
    assert_int_equal(r.account[TIMING_DEPENDENCY], 40000);
    r = run_loop(64, 10); /* each line replaces the other */
    assert_int_equal(r.ticks, 420000);
    assert_int_equal(r.code_misses, 20);
    assert_int_equal(run_loop(16, 10).code_misses, 20); /* smaller than a line: it has none */
    assert_int_equal(run_loop(64, 1).ticks, 42000);
}

/* Cycles of four warps, of which an engine holds `held` at a time. */
static uint64_t cycles_of_four(uint64_t held, unsigned engines, const char *text)
{
    struct timing_params p = make_params();
    struct timing_shape shape = {1, engines, 64, 4, 100};
    struct timing_job job;

    p.engine_warps = held;
    make_job(&job, 16, 4);
    make_groups(&job, 1, 4, text);
    return time_of(&p, &shape, &job).ticks / TIMING_TICKS;
}

static void warps_of_an_engine(void **state)
{
    (void)state;
    /* a load of one instruction that misses L2 once and hits L1 otherwise, then two instructions */
    assert_int_equal(cycles_of_four(1, 1, "l1aa"), (1 + 143 + 2) + 3 * (1 + 3 + 2));
    /* two at a time: the second hits while the first still waits, and so do the others */
    assert_int_equal(cycles_of_four(2, 1, "l1aa"), 1 + 143 + 2);
    assert_int_equal(cycles_of_four(1, 2, "l1aa"), 1 + 143 + 2);
    assert_int_equal(cycles_of_four(0, 1, "l1aa"), 1 + 143 + 2);
    /* a limit that is never reached changes nothing */
    assert_int_equal(cycles_of_four(4, 1, "al1al2|as3"), cycles_of_four(0, 1, "al1al2|as3"));
    /* at a barrier an engine takes the next warp, or no warp would come to it */
    assert_int_equal(cycles_of_four(1, 1, "a|a"), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_warp),
        cmocka_unit_test(any_size_of_line),
        cmocka_unit_test(one_line),
        cmocka_unit_test(code_cache_misses_cost),
        cmocka_unit_test(warps_of_an_engine),
        cmocka_unit_test(second_level),
        cmocka_unit_test(store_fills_l1),
        cmocka_unit_test(atomics_pass_l1),
        cmocka_unit_test(memory_of_groups),
        cmocka_unit_test(two_warps_hide_latency),
        cmocka_unit_test(engines_share_warps),
        cmocka_unit_test(barrier_meets_warps),
        cmocka_unit_test(barrier_takes_time),
        cmocka_unit_test(groups_wait_for_room),
        cmocka_unit_test(batches_of_groups),
        cmocka_unit_test(cores_are_filled),
        cmocka_unit_test(several_lines),
        cmocka_unit_test(missing_parameters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
