/*
 * The detailed model of a GPU whose bundles have stages and a scoreboard, part by part: one pipe,
 * one warp, one line, one pending miss at a time, a stream bound by bandwidth. Expected times are
 * calculated here, in cycles. A bundle of one stage occupies its engine for 1 cycle, and its warp's
 * next bundle begins 4 cycles after it; a load takes 10 if it hits, 50 if it misses L1, 200 if it
 * misses both levels. Nothing else takes time unless a test says so.
 */
#include "make.h"

#include <stdlib.h>
#include <string.h>

static const struct timing_shape one = {1, 1, 64, 4, 100};

static struct timing_params make_params(void)
{
    struct timing_params p = timing_params_default();

    p.stage_issue = 1000;
    p.pipe_depth = 4000;
    p.load_exposed = 10000;
    p.l1_miss_latency = 50000;
    p.l2_miss_latency = 200000;
    return p;
}

static struct timing_result run_and_release(const struct timing_params *p,
                                            const struct timing_shape *shape,
                                            struct timing_job *job)
{
    struct timing_result r = make_run(p, shape, TIMING_DETAILED, job);

    timing_job_release(job);
    return r;
}

/* Returns the cycles of `groups` groups of one warp each, all with this text. */
static uint64_t cycles_of(const struct timing_params *p, const struct timing_shape *shape,
                          unsigned groups, const char *text)
{
    struct timing_job job;

    make_job(&job, 4, 4);
    make_groups(&job, groups, 1, text);
    return run_and_release(p, shape, &job).ticks / TIMING_TICKS;
}

/*
 * As cycles_of(), on one engine. Loads set scoreboard slot 0, for which arithmetic bundles wait if
 * `waits` is set.
 */
static uint64_t cycles_with_slots(const struct timing_params *p, unsigned groups, const char *text,
                                  bool waits)
{
    struct timing_job job;

    make_job(&job, 4, 4);
    job.bundles.data[1].slot = 0;
    job.bundles.data[0].waits = waits;
    make_groups(&job, groups, 1, text);
    return run_and_release(p, &one, &job).ticks / TIMING_TICKS;
}

static void one_engine(void **state)
{
    struct timing_params p = make_params();
    struct timing_shape two = {1, 2, 64, 4, 100};
    struct timing_job job;

    (void)state;
    /* three times 4, since the last bundle must complete, too */
    assert_int_equal(cycles_of(&p, &one, 1, "aaa"), 12);
    /* four warps share the free cycles: 3 * 4 + 3 */
    assert_int_equal(cycles_of(&p, &one, 4, "aaa"), 15);
    /* the engine is full: 24, and 3 to complete */
    assert_int_equal(cycles_of(&p, &one, 8, "aaa"), 27);
    assert_int_equal(cycles_of(&p, &two, 8, "aaa"), 15); /* four warps on each engine */
    p.bundle_issue = 2000;
    assert_int_equal(cycles_of(&p, &one, 1, "aaa"), 18); /* 2 cycles more per bundle */
    assert_int_equal(cycles_of(&p, &one, 8, "aaa"), 8 * 9 + 3);
    p = make_params();
    make_job(&job, 4, 4);
    job.bundles.data[0].stages = 8;
    make_groups(&job, 1, 1, "aaa");
    assert_int_equal(run_and_release(&p, &one, &job).ticks, (3 * (8 + 3)) * 1000);
}

static void one_line(void **state)
{
    struct timing_params p = make_params();

    (void)state;
    /* Issue and depth take 4, then the load. */
    assert_int_equal(cycles_of(&p, &one, 1, "l1"), 204);
    assert_int_equal(cycles_of(&p, &one, 1, "l1l1"), 204 + 14);
    /* The second warp hits the pending line, and receives it at the same time. */
    assert_int_equal(cycles_of(&p, &one, 2, "l1"), 204);
    p.l1_bytes = 64; /* L1 holds one line: the other one is in L2 */
    assert_int_equal(cycles_of(&p, &one, 1, "l1l2l1"), 204 + 204 + 54);
    p.l2_bytes = 64;
    assert_int_equal(cycles_of(&p, &one, 1, "l1l2l1"), 3 * 204);
}

static void ways_of_sets(void **state)
{
    struct timing_params p = make_params();

    (void)state;
    p.l1_bytes = 4 * 64;
    assert_int_equal(cycles_of(&p, &one, 1, "l0l2l0"), 204 + 204 + 14);
    p.l1_ways = 1; /* four sets: lines 0 and 4 share a set, 0 and 2 do not */
    assert_int_equal(cycles_of(&p, &one, 1, "l0l2l0"), 204 + 204 + 14);
    assert_int_equal(cycles_of(&p, &one, 1, "l0l4l0"), 204 + 204 + 54);
    p.l1_ways = 2; /* two sets of two ways */
    assert_int_equal(cycles_of(&p, &one, 1, "l0l4l0"), 204 + 204 + 14);
    assert_int_equal(cycles_of(&p, &one, 1, "l0l2l4l0"), 204 * 3 + 54);
}

static void scoreboard_waits(void **state)
{
    struct timing_params p = make_params();

    (void)state;
    /*
     * No bundle waits: a load begins every 4 cycles, and the warp ends when the last one has
     * returned.
     */
    assert_int_equal(cycles_with_slots(&p, 1, "l1l2l3", false), 4 + 4 + 1 + 200);
    /* The arithmetic bundle waits, at its end, for the load before it. */
    assert_int_equal(cycles_with_slots(&p, 1, "l1al2", true), 201 + 1 + 200);
    assert_int_equal(cycles_with_slots(&p, 1, "l1al2", false), 4 + 4 + 1 + 200);
    /* A bundle does not wait for a free slot. */
    assert_int_equal(cycles_with_slots(&p, 1, "aaa", true), 12);
}

static void lines_on_their_way(void **state)
{
    struct timing_params p = make_params();

    (void)state;
    p.l1_misses = 1; /* a miss begins when the previous one has returned */
    assert_int_equal(cycles_with_slots(&p, 1, "l1l2l3", false), 1 + 3 * 200);
    p.l1_misses = 2;
    assert_int_equal(cycles_with_slots(&p, 1, "l1l2l3", false), 1 + 200 + 200);
    p.l1_misses = 3;
    assert_int_equal(cycles_with_slots(&p, 1, "l1l2l3", false), 4 + 4 + 1 + 200);
    p.l1_misses = 0;
    p.l2_misses = 1;
    assert_int_equal(cycles_with_slots(&p, 1, "l1l2l3", false), 1 + 3 * 200);
}

static void pipes_of_memory(void **state)
{
    struct timing_params p = make_params();
    struct timing_job job;

    (void)state;
    p.memory_issue =
        20000; /* hits of four warps, one per 20 cycles, after a miss for which all wait */
    assert_int_equal(cycles_of(&p, &one, 4, "l1l1"), 204 + 1 + 3 * 20 + 10 + 3);
    p = make_params();
    p.texture_issue = 30000;
    p.texture_latency = 40000;
    make_job(&job, 4, 4);
    job.bundles.data[1].words[TIMING_PIPE_TEXTURE] = 1;
    make_groups(&job, 2, 1, "l1");
    /*
     * The second access enters 30 cycles after the first, hits its pending line, and is filtered
     * for 40.
     */
    assert_int_equal(run_and_release(&p, &one, &job).ticks, (1 + 200 + 40 + 3) * 1000);
    p.texture_issue = 300000;
    make_job(&job, 4, 4);
    job.bundles.data[1].words[TIMING_PIPE_TEXTURE] = 1;
    make_groups(&job, 2, 1, "l1");
    assert_int_equal(run_and_release(&p, &one, &job).ticks, (1 + 300 + 10 + 40 + 3) * 1000);
}

/* A stream of lines, issued without waiting, each `bytes` after the previous one. */
static void streams_need_bandwidth(void **state)
{
    struct timing_params p = make_params();
    char text[2000] = "";

    (void)state;
    for (unsigned i = 0; i < 100; i++)
        sprintf(text + strlen(text), "l%u", i);
    p.dram_bandwidth = 4; /* 16 cycles per line */
    assert_int_equal(cycles_with_slots(&p, 1, text, false), 1 + 99 * 16 + 200);
    p.dram_bandwidth = 0;
    p.l2_bandwidth = 2; /* 32 cycles per line */
    assert_int_equal(cycles_with_slots(&p, 1, text, false), 1 + 99 * 32 + 200);
    p.l2_bandwidth = 64; /* 1 cycle per line, but the warp issues only every 4 cycles */
    assert_int_equal(cycles_with_slots(&p, 1, text, false), 1 + 99 * 4 + 200);
}

/* Written lines leave L1 when others replace them, and later L2. */
static void written_lines(void **state)
{
    struct timing_params p = make_params();
    struct timing_job job;
    struct timing_result r;

    (void)state;
    p.l1_bytes = 64;
    p.l2_bytes = 2 * 64;
    make_job(&job, 4, 4);
    make_groups(&job, 1, 1, "s1s2s3s4");
    r = run_and_release(&p, &one, &job);
    assert_int_equal(r.dram_reads, 0);
    assert_int_equal(r.l2_writes, 3);
    assert_int_equal(r.dram_writes, 1);
    make_job(&job, 4, 4);
    make_groups(&job, 1, 1, "l1l2x3"); /* atomic operations are executed in L2 */
    r = run_and_release(&p, &one, &job);
    assert_int_equal(r.dram_reads, 3);
    assert_int_equal(r.l2_reads, 2);
    assert_int_equal(r.l2_writes, 1);
    assert_int_equal(r.l1_misses, 2);
}

/* The accounts of all bundles and the unassigned part add up to the total account. */
static void lines_of_code(void **state)
{
    struct timing_params p = make_params();
    struct timing_job job;
    struct timing_result r;
    struct timing_line lines[3];
    struct error err = {""};

    (void)state;
    for (unsigned fidelity = 0; fidelity < 2; fidelity++) {
        make_job(&job, 8, 4);
        make_groups(&job, 5, 2, "al1aa|l2as3a");
        assert_true(
            timing_run_lines(&(struct timing_design){&p, &one, fidelity}, &job, &r, lines, &err));
        for (unsigned i = 0; i < TIMING_CAUSES; i++)
            assert_int_equal(lines[0].account[i] + lines[1].account[i] + lines[2].account[i],
                             r.account[i]);
        assert_int_equal(lines[0].executions, 10 * 5);
        assert_int_equal(lines[1].executions, 10 * 3);
        /* the load is accounted, since a bundle waits for it */
        assert_int_equal(lines[0].account[TIMING_DRAM], 0);
        assert_true(lines[1].account[TIMING_DRAM] > 0);
        assert_int_equal(lines[2].account[TIMING_ISSUE], 0);
        timing_job_release(&job);
    }
}

/*
 * With equal groups on disjoint lines, further cores never increase the time, whatever the limit
 * is.
 */
static void more_cores(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 32; round++) {
        struct timing_params p = make_params();
        uint64_t before = UINT64_MAX / 2;
        bool shared = round & (4 | 8);

        p.l1_misses = round & 1 ? 2 : 0;
        p.l2_misses = round & 2 ? 3 : 0;
        p.l2_bandwidth = round & 4 ? 8 : 0;
        p.dram_bandwidth = round & 8 ? 4 : 0;
        p.memory_issue = round & 16 ? 3000 : 0;
        for (unsigned cores = 1; cores <= 8; cores++) {
            struct timing_shape shape = {cores, 2, 16, 4, 100};
            struct timing_job job;
            uint64_t now;

            make_job(&job, 8, 4);
            for (unsigned g = 0; g < 24; g++) {
                char text[2][64];

                for (unsigned w = 0; w < 2; w++)
                    sprintf(text[w], "al%uaal%uas%u", 6 * g + 3 * w, 6 * g + 3 * w + 1,
                            6 * g + 3 * w + 2);
                make_group(&job, text[0], text[1], NULL);
            }
            now = run_and_release(&p, &shape, &job).ticks;
            /* A shared resource is idle in the last wave of groups, which may be small. */
            assert_true(now <= (shared ? before + before / 10 : before));
            before = now < before ? now : before;
        }
    }
}

static void infinite_caches(void **state)
{
    struct timing_params p = make_params();
    struct timing_shape shape = {4, 2, 64, 4, 100};
    struct timing_job job;
    struct timing_result r;

    (void)state;
    p.l1_bytes = p.l2_bytes = 1 << 30;
    make_job(&job, 8, 4);
    make_groups(&job, 40, 2, "l1l2l3al1l2l3as4l4l5");
    r = run_and_release(&p, &shape, &job);
    assert_int_equal(r.dram_reads, 4); /* line 4 is written back first */
    assert_int_equal(r.l1_misses, 4 * 5);
    assert_int_equal(r.dram_writes, 0);
}

/* Returns the cycles of two groups of one warp each. */
static uint64_t cycles_of_two(const struct timing_params *p, const char *first, const char *second)
{
    struct timing_job job;

    make_job(&job, 4, 4);
    make_group(&job, first, NULL);
    make_group(&job, second, NULL);
    return run_and_release(p, &one, &job).ticks / TIMING_TICKS;
}

static void barriers_take_time(void **state)
{
    struct timing_params p = make_params();
    struct timing_job job;

    (void)state;
    p.memory_issue = 1000;
    make_job(&job, 12, 4);
    make_groups(&job, 1, 3, "a|a");
    /* The three warps arrive at 4, 5 and 6; their next bundles begin at 6, 7 and 8. */
    assert_int_equal(run_and_release(&p, &one, &job).ticks, 12000);
    p.barrier_issue = 5000;
    make_job(&job, 12, 4);
    make_groups(&job, 1, 3, "a|a");
    /* The pipe processes messages from 4, 9 and 14 on; at 19 all warps continue. */
    assert_int_equal(run_and_release(&p, &one, &job).ticks, 25000);
    p.barrier_latency = 30000;
    make_job(&job, 12, 4);
    make_groups(&job, 1, 3, "a|a");
    struct timing_result r = run_and_release(&p, &one, &job);

    assert_int_equal(r.ticks, 55000);
    /* Idle from 6 on: all warps have arrived. */
    assert_int_equal(r.account[TIMING_AT_BARRIER], 43000);
    p.barrier_latency = 0;
    p.barrier_issue = 100000;
    /*
     * The other group's load is issued at 10, and the pipe is free at 104 or at once; the load
     * returns after 200, and takes 3 to complete.
     */
    assert_int_equal(cycles_of_two(&p, "a|a", "aal1"), 307);
    p.barrier_issue = 0;
    assert_int_equal(cycles_of_two(&p, "a|a", "aal1"), 213);
}

static void instruction_cache(void **state)
{
    struct timing_params p = make_params();
    struct timing_shape two = {1, 2, 64, 4, 100};

    (void)state;
    p.icache_bytes = 64;
    p.icache_miss_latency = 20000;
    /* the line, then three bundles */
    assert_int_equal(cycles_of(&p, &one, 1, "aaa"), 20 + 12);
    /* the other warp waits for the same line */
    assert_int_equal(cycles_of(&p, &one, 2, "aaa"), 20 + 13);
    assert_int_equal(cycles_of(&p, &two, 2, "aaa"), 20 + 12); /* on an engine of its own */
    /* without lines each bundle waits, and the other warp runs meanwhile */
    p.icache_bytes = 16;
    assert_int_equal(cycles_of(&p, &one, 1, "aaa"), 3 * (20 + 4));
    assert_int_equal(cycles_of(&p, &one, 2, "aaa"), 3 * (20 + 4) + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_engine),
        cmocka_unit_test(one_line),
        cmocka_unit_test(ways_of_sets),
        cmocka_unit_test(scoreboard_waits),
        cmocka_unit_test(pipes_of_memory),
        cmocka_unit_test(lines_on_their_way),
        cmocka_unit_test(streams_need_bandwidth),
        cmocka_unit_test(written_lines),
        cmocka_unit_test(lines_of_code),
        cmocka_unit_test(instruction_cache),
        cmocka_unit_test(more_cores),
        cmocka_unit_test(infinite_caches),
        cmocka_unit_test(barriers_take_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
