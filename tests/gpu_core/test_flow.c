/* Divergence and reconvergence, ends of lanes, barriers, and windows of endless shaders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/gpu/compute.h"
#include "runtime/gpu/stats.h"
#include "runtime/gpu/timing_model.h"
#include "tests/gpu_core/bench.h"

enum { LANES = 4, OUT = BENCH_DATA };

/* Preloaded registers: r8 is the local id, r10 the global id. */

/* Appends r[out] = 4 * global id + base, in two bundles. */
static void address_of_lane(struct bench *b, unsigned out, uint32_t base)
{
    struct toy_bundle c = {.stages = 3, .constants = 2, .constant = {base}};

    toy_read(&c, 0, 0, 10);
    c.word[0][0] = toy_word(TOY_ADD, 0, 0, 0);
    c.word[1][0] = toy_word(TOY_ADD, TOY_PREVIOUS_0, TOY_PREVIOUS_0, 0);
    c.word[2][0] = toy_word(TOY_ADD, TOY_PREVIOUS_0, TOY_CONSTANT_0, 0);
    toy_write(&c, 2, 0, out, 3);
    bench_bundle(b, &c);
}

/*
 * r1 = local id; loop: r2 += 3; r1 -= 1; if (r1) goto loop; store r2. The number of rounds depends
 * on the lane, so lanes leave the loop one by one.
 */
static void loop_by_lane(void **state)
{
    struct bench *b = bench_new(LANES, 1, 2 * LANES);
    uint64_t loop;

    (void)state;
    bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, 1), 8, 0, 1);
    loop = bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, 3), 2, 0, 2);
    bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, (unsigned)-1), 1, 0, 1);
    bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, (unsigned)((loop - b->code_end) / 16)), 1, 0,
                 TOY_REGISTERS);
    address_of_lane(b, 3, OUT);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_STORE, 0, 1, 0), 3, 2, TOY_REGISTERS);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    for (unsigned i = 0; i < 2 * LANES; i++)
        assert_int_equal(bench_word(b, OUT + 4 * i), 3 * (i + 1));
    assert_int_equal(gpu_stats_total(gpu_cores_stats(b->cores))->divergent_branches,
                     2 * (LANES - 1));
    bench_free(b);
}

/*
 * if (local id) r2 += 5 (skipped by lane 0); all: atomic add of 1 at OUT. After reconvergence the
 * lanes execute the atomic together, or the old values would not be 0, 1, 2, 3.
 */
static void lanes_meet_again(void **state)
{
    struct bench *b = bench_new(LANES, 1, LANES);

    (void)state;
    address_of_lane(b, 3, OUT + 64);
    bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, 4), 8, 0, TOY_REGISTERS);
    bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, 5), 2, 0, 2); /* only lane 0 adds */
    struct toy_bundle count = {.stages = 1, .constants = 2, .constant = {OUT, 1}};

    count.word[0][1] = toy_word(TOY_ATOMIC, TOY_CONSTANT_0, TOY_CONSTANT_1, 0);
    toy_write(&count, 0, 1, 4, 3);
    bench_bundle(b, &count);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_STORE, 0, 1, 0), 3, 4, TOY_REGISTERS);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    for (unsigned i = 0; i < LANES; i++)
        assert_int_equal(bench_word(b, OUT + 64 + 4 * i), i);
    assert_int_equal(gpu_stats_total(gpu_cores_stats(b->cores))->bundles, 5);
    bench_free(b);
}

/* Some lanes end early, the others store. A partial warp stores only for its threads. */
static void some_lanes_end(void **state)
{
    struct bench *b = bench_new(LANES, 1, LANES + 2);

    (void)state;
    address_of_lane(b, 3, OUT);
    bench_simple(b, 0, toy_word(TOY_END, 0, 0, 0), 8, 0, TOY_REGISTERS); /* all lanes but 0 end */
    bench_simple(b, 0, toy_word(TOY_ADD, TOY_ZERO, TOY_ZERO, 7), 0, 0, 2);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_STORE, 0, 1, 0), 3, 2, TOY_REGISTERS);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    assert_int_equal(bench_word(b, OUT), 7);
    for (unsigned i = 1; i < LANES + 4; i++)
        assert_int_equal(bench_word(b, OUT + 4 * i), 0);
    bench_free(b);
}

/* Appends r[out] = 4 * local id + local memory's address + offset. */
static void address_in_local(struct bench *b, unsigned out, uint32_t offset)
{
    struct toy_bundle c = {.stages = 3, .constants = 2, .constant = {offset}};

    toy_read(&c, 0, 0, 8);
    c.word[0][0] = toy_word(TOY_LOCAL, 0, 0, 0);
    c.word[0][1] = toy_word(TOY_ADD, 0, 0, 0);
    c.word[1][0] = toy_word(TOY_ADD, TOY_PREVIOUS_0, TOY_CONSTANT_0, 0);
    c.word[1][1] = toy_word(TOY_ADD, TOY_PREVIOUS_1, TOY_PREVIOUS_1, 0);
    c.word[2][0] = toy_word(TOY_ADD, TOY_PREVIOUS_0, TOY_PREVIOUS_1, 0);
    toy_write(&c, 2, 0, out, 3);
    bench_bundle(b, &c);
}

/*
 * All lanes do r2 += 5 and store it; then all but the first lane of each group end, which stores
 * ++r5. In each row registers start as 0, whether the previous row ended in host code, at its end
 * or earlier, or in the interpreter.
 */
static void registers_begin_anew(void **state)
{
    enum { THREADS = 8 * LANES, GROUPS = 12, SECOND = 2048 };
    struct bench *b = bench_new(LANES, 1, THREADS);

    (void)state;
    bench_size(b, THREADS, GROUPS);
    address_of_lane(b, 3, OUT);
    bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, 5), 2, 0, 2);
    bench_simple(b, 0, toy_word(TOY_STORE, 0, 1, 0), 3, 2, TOY_REGISTERS);
    bench_simple(b, 0, toy_word(TOY_END, 0, 0, 0), 8, 0, TOY_REGISTERS);
    address_of_lane(b, 4, OUT + SECOND);
    bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, 1), 5, 0, 5);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_STORE, 0, 1, 0), 4, 5, TOY_REGISTERS);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    for (unsigned i = 0; i < THREADS * GROUPS; i++) {
        assert_int_equal(bench_word(b, OUT + 4 * i), 5);
        assert_int_equal(bench_word(b, OUT + SECOND + 4 * i), i % THREADS == 0);
    }
    assert_int_equal(gpu_cores_rows(b->cores).rows_begun, THREADS / GPU_LANE_CHUNK * GROUPS);
    bench_free(b);
}

/*
 * Each thread stores its global id in local memory, waits, and reads the word of the thread one
 * warp further. Memory that no thread of the group wrote is zero, even if another group wrote
 * there.
 */
static void barrier_between_warps(void **state)
{
    enum { THREADS = 5 * LANES, GROUPS = 130 }; /* several windows */
    struct bench *b = bench_new(LANES, 2, THREADS);

    (void)state;
    bench_size(b, THREADS, GROUPS);
    address_in_local(b, 2, 0);
    bench_simple(b, 0, toy_word(TOY_LOAD, 0, 0, 0), 2, 0, 5);
    bench_simple(b, 0, toy_word(TOY_STORE, 0, 1, 0), 2, 10, TOY_REGISTERS);
    bench_simple(b, 0, toy_word(TOY_BARRIER, 0, 0, 0), 0, 0, TOY_REGISTERS);
    address_in_local(b, 2, 4 * LANES);
    bench_simple(b, 0, toy_word(TOY_LOAD, 0, 0, 0), 2, 0, 4);
    bench_simple(b, 0, toy_word(TOY_ADD, 0, 1, 0), 4, 5, 4); /* r5: the initial contents */
    address_of_lane(b, 3, OUT);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_STORE, 0, 1, 0), 3, 4, TOY_REGISTERS);
    assert_int_equal(bench_run(b, 3).progress, GPU_PROGRESS_DONE);
    for (unsigned g = 0; g < GROUPS; g++)
        for (unsigned i = 0; i < THREADS; i++)
            assert_int_equal(bench_word(b, OUT + 4 * (g * THREADS + i)),
                             i + LANES < THREADS ? g * THREADS + i + LANES : 0);
    /* Memory at the local addresses themselves is not written. */
    assert_int_equal(bench_word(b, BENCH_LOCAL + 4), 0);
    assert_int_equal(gpu_stats_total(gpu_cores_stats(b->cores))->accesses[GPU_COUNT_LOCAL_WRITE],
                     GROUPS * THREADS);
    bench_free(b);
}

/*
 * Warps go to a barrier. Those whose word at OUT is not 0 take a detour after the shader's end,
 * `detour` grains from the branch, where they store their global id in local memory. After the
 * barrier all read the word of the thread one warp further. Returns the detour's address.
 */
static uint64_t detour_to_barrier(struct bench *b, uint64_t detour)
{
    uint64_t branch, barrier, high;

    address_of_lane(b, 2, OUT);
    bench_simple(b, 0, toy_word(TOY_LOAD, 0, 0, 0), 2, 0, 3);
    address_in_local(b, 6, 0);
    address_in_local(b, 7, 4 * LANES);
    branch = bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, (unsigned)detour), 3, 0, TOY_REGISTERS);
    barrier = bench_simple(b, 0, toy_word(TOY_BARRIER, 0, 0, 0), 0, 0, TOY_REGISTERS);
    bench_simple(b, 0, toy_word(TOY_LOAD, 0, 0, 0), 7, 0, 4);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_STORE, 0, 1, 0), 2, 4, TOY_REGISTERS);
    high = bench_simple(b, 0, toy_word(TOY_STORE, 0, 1, 0), 6, 10, TOY_REGISTERS);
    bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, (unsigned)((barrier - b->code_end) / 16)), 3, 0,
                 TOY_REGISTERS);
    return (high - branch) / 16;
}

/* A warp waits at the barrier for the other warps of its row, wherever they are. */
static void barrier_within_row(void **state)
{
    struct bench *b = bench_new(LANES, 1, 2 * LANES);
    uint64_t detour = detour_to_barrier(b, 1);

    (void)state;
    bench_free(b);
    b = bench_new(LANES, 1, 2 * LANES);
    detour_to_barrier(b, detour);
    for (unsigned i = LANES; i < 2 * LANES; i++)
        bench_set_word(b, OUT + 4 * i, 1);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    for (unsigned i = 0; i < 2 * LANES; i++)
        assert_int_equal(bench_word(b, OUT + 4 * i), i < LANES ? i + LANES : 0);
    assert_int_equal(gpu_stats_total(gpu_cores_stats(b->cores))->divergent_branches, 0);
    bench_free(b);
}

/* A warp waits at the barrier, and the other warp of its row ends at a later address. The barrier
 * opens then, and the waiting warp stores 7. */
static void barrier_as_others_end(void **state)
{
    struct bench *b = bench_new(LANES, 1, 2 * LANES);

    (void)state;
    address_of_lane(b, 2, OUT);
    bench_simple(b, 0, toy_word(TOY_LOAD, 0, 0, 0), 2, 0, 3);
    bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, 8), 3, 0, TOY_REGISTERS);
    bench_simple(b, 0, toy_word(TOY_BARRIER, 0, 0, 0), 0, 0, TOY_REGISTERS);
    bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, 7), 3, 0, 4);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_STORE, 0, 1, 0), 2, 4, TOY_REGISTERS);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    for (unsigned i = LANES; i < 2 * LANES; i++)
        bench_set_word(b, OUT + 4 * i, 1);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    for (unsigned i = 0; i < 2 * LANES; i++)
        assert_int_equal(bench_word(b, OUT + 4 * i), i < LANES ? 7 : 1);
    bench_free(b);
}

/* Atomic operations of work-groups happen in the order of the groups, though the first ones take
 * longest to come to theirs and there are many threads. */
static void atomics_in_order(void **state)
{
    enum { GROUPS = 40 };
    struct toy_bundle count = {.stages = 1, .constants = 2, .constant = {OUT + 8192, 1}};
    struct toy_bundle start = {.stages = 8}; /* r1 = (group - GROUPS) * 128 */

    (void)state;
    toy_read(&start, 0, 0, 9);
    start.word[0][0] = toy_word(TOY_ADD, 0, TOY_ZERO, (unsigned)-GROUPS);
    for (unsigned t = 1; t < 8; t++)
        start.word[t][0] = toy_word(TOY_ADD, TOY_PREVIOUS_0, TOY_PREVIOUS_0, 0);
    toy_write(&start, 7, 0, 1, 3);
    for (unsigned round = 0; round < 20; round++) {
        struct bench *b = bench_new(LANES, 5, LANES);

        bench_size(b, LANES, GROUPS);
        address_of_lane(b, 3, OUT);
        bench_bundle(b, &start);
        bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, 1), 1, 0, 1);
        bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, (unsigned)-2), 1, 0, TOY_REGISTERS);
        count.word[0][1] = toy_word(TOY_ATOMIC, TOY_CONSTANT_0, TOY_CONSTANT_1, 0);
        toy_write(&count, 0, 1, 4, 3);
        bench_bundle(b, &count);
        bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_STORE, 0, 1, 0), 3, 4, TOY_REGISTERS);
        assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
        for (unsigned i = 0; i < GROUPS * LANES; i++)
            assert_int_equal(bench_word(b, OUT + 4 * i), i);
        bench_free(b);
    }
}

/* An endless shader yields after some windows, and can be given up. */
static void endless_shader_yields(void **state)
{
    struct bench *b = bench_new(LANES, 2, LANES);
    struct gpu_outcome out;

    (void)state;
    bench_size(b, LANES, 5);
    bench_simple(b, 0, toy_word(TOY_ADD, TOY_ZERO, TOY_ZERO, 1), 0, 0, 1);
    bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, 0), 1, 0, TOY_REGISTERS);
    for (unsigned i = 0; i < 3; i++) {
        out = bench_run(b, 3);
        assert_int_equal(out.progress, GPU_PROGRESS_MORE);
        /* The busiest core runs 2 of the 5 groups; bundles have one stage. */
        assert_true(out.cycles >= 3 * 2 * 3 * 1000);
    }
    bench_free(b);
}

/*
 * A request to leave the program does not wait for the end of a step of many windows. A step has
 * sixteen windows here.
 */
static void leaving_ends_step(void **state)
{
    struct bench *b = bench_new(LANES, 2, LANES);
    bool leave = false;
    const uint64_t *bundles;

    (void)state;
    gpu_cores_set_leaving(b->cores, &leave);
    gpu_cores_set_window(b->cores, 1024);
    bench_size(b, LANES, 64);
    bench_simple(b, 0, toy_word(TOY_ADD, TOY_ZERO, TOY_ZERO, 1), 0, 0, 1);
    bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, 0), 1, 0, TOY_REGISTERS);
    bundles = &gpu_stats_total(gpu_cores_stats(b->cores))->bundles;
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_MORE);
    assert_int_equal(*bundles, 16 * 64 * 1024);
    leave = true;
    assert_int_equal(bench_run(b, 3).progress, GPU_PROGRESS_MORE);
    assert_int_equal(*bundles, 16 * 64 * 1024);
    bench_free(b);
}

/*
 * The cycles of large windows are those of windows of 64 groups. Each group is one warp with a
 * bundle of 2 + 1 cycles, on 3 cores: of 64 groups the busiest core runs 22, in 66 cycles. The job
 * runs as a window of one group, one of 64, and one of the rest. Its cycles are those of 66 windows
 * of 64 groups, and of the last 26 groups, of which the busiest core runs 9.
 */
static void windows_take_equal_cycles(void **state)
{
    enum { PART = 66, GROUPS = 66 * 64 + 26 };

    (void)state;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct bench *b = bench_new(LANES, threads, LANES);
        struct toy_bundle c = {.stages = 1, .flags = GPU_BUNDLE_END};
        struct gpu_outcome out;

        bench_size(b, LANES, GROUPS);
        c.word[0][1] = toy_word(TOY_NOP, 0, 0, 0);
        bench_bundle(b, &c);
        out = bench_run(b, 10);
        assert_int_equal(out.progress, GPU_PROGRESS_DONE);
        assert_int_equal(out.cycles, 66 * PART + 9 * 3);
        bench_free(b);
    }
}

/*
 * A page is missing in the second window: the first window's time passes before the fault is
 * reported. A group writes 64 bytes, so that 64 groups share a page. It has four warps, each with
 * one bundle of three stages and one of one, which take 5 + 3 cycles; one of three cores runs 22
 * groups.
 */
static void fault_behind_a_window(void **state)
{
    enum { GROUPS = 128, PART = 22 * 4 * (5 + 3), MISSING = OUT / BENCH_PAGE + 1 };

    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct bench *b = bench_new(LANES, threads, 4 * LANES);
        struct gpu_outcome out;
        struct gpu_compute *job;

        bench_size(b, 4 * LANES, GROUPS);
        address_of_lane(b, 3, OUT);
        bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_STORE, 0, 1, 0), 3, 10, TOY_REGISTERS);
        b->mapped[MISSING] = false;
        job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
        out = bench_step(job, 1);
        assert_int_equal(out.progress, GPU_PROGRESS_MORE);
        assert_int_equal(out.cycles, PART);
        for (unsigned i = 0; i < 2; i++) {
            out = bench_step(job, 1);
            assert_int_equal(out.progress, GPU_PROGRESS_FAULT);
            assert_int_equal(out.fault.va, MISSING * BENCH_PAGE);
            assert_int_equal(out.cycles, 0);
        }
        b->mapped[MISSING] = true;
        out = bench_step(job, 1);
        assert_int_equal(out.progress, GPU_PROGRESS_DONE);
        assert_int_equal(out.cycles, PART);
        gpu_compute_free(job);
        for (unsigned i = 0; i < GROUPS * 4 * LANES; i++)
            assert_int_equal(bench_word(b, OUT + 4 * i), i);
        bench_free(b);
    }
}

/* Results, cycles and counters do not depend on the number of host threads. */
static void same_for_all_threads(void **state)
{
    uint64_t cycles[3], bundles[3];

    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        struct bench *b = bench_new(LANES, 1 + 3 * n, 3 * LANES);
        struct gpu_outcome out;

        bench_size(b, 3 * LANES, 200);
        bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, 1), 9, 0, 1); /* rounds by work-group */
        bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, (unsigned)-1), 1, 0, 1);
        bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, (unsigned)-2), 1, 0, TOY_REGISTERS);
        bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
        out = bench_run(b, 1000);
        assert_int_equal(out.progress, GPU_PROGRESS_DONE);
        cycles[n] = out.cycles;
        bundles[n] = gpu_stats_total(gpu_cores_stats(b->cores))->bundles;
        bench_free(b);
    }
    assert_int_equal(cycles[0], cycles[1]);
    assert_int_equal(cycles[0], cycles[2]);
    assert_int_equal(bundles[0], 3 * (200 * 2 + 2 * (200 * 201 / 2)));
    assert_int_equal(bundles[0], bundles[1]);
    assert_int_equal(bundles[0], bundles[2]);
}

/*
 * With a time model a job ends at the model's time, on any number of host threads; windows before
 * that take the time of the model's engines.
 */
static void modelled_time(void **state)
{
    uint64_t cycles[2][3];

    (void)state;
    for (unsigned fidelity = 0; fidelity < 2; fidelity++)
        for (unsigned n = 0; n < 3; n++) {
            struct bench *b = bench_new(LANES, 1 + 3 * n, 3 * LANES);
            const struct gpu_model_counters *model;
            struct gpu_outcome out;
            struct error err = {""};
            uint64_t sum = 0;

            b->variant.timing = timing_params_default();
            b->variant.timing.pipe_depth = 100 * TIMING_TICKS;
            b->variant.max_threads = 24;
            b->variant.clock_mhz = 1;
            assert_true(gpu_cores_model(b->cores, (enum timing_fidelity)fidelity, &err));
            model = gpu_model_counters(b->cores);
            bench_size(b, 3 * LANES, 200);
            /* rounds by work-group */
            bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, 1), 9, 0, 1);
            bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, (unsigned)-1), 1, 0, 1);
            bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, (unsigned)-2), 1, 0, TOY_REGISTERS);
            bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
            out = bench_run(b, 1000);
            assert_int_equal(out.progress, GPU_PROGRESS_DONE);
            cycles[fidelity][n] = out.cycles;
            assert_int_equal(model->jobs, 1);
            assert_in_range(out.cycles, model->cycles, model->cycles + 1);
            for (unsigned i = 0; i < TIMING_CAUSES; i++)
                sum += model->engine_cycles[i];
            assert_in_range(sum,
                            model->cycles * b->variant.cores * b->variant.engines - TIMING_CAUSES,
                            (model->cycles + 1) * b->variant.cores * b->variant.engines);
            bench_free(b);
        }
    assert_int_equal(cycles[0][0], cycles[0][1]);
    assert_int_equal(cycles[0][0], cycles[0][2]);
    assert_int_equal(cycles[1][0], cycles[1][1]);
    assert_int_equal(cycles[1][0], cycles[1][2]);
    /* The last group executes two bundles 201 times, and two more. */
    assert_in_range(cycles[1][0], 100 * (2 * 200 + 2), UINT64_MAX);
}

/* The energy of a job's instructions is that of all its bundles and lanes, and cores share it; on
 * any number of host threads. */
static void modelled_energy(void **state)
{
    struct power_energy e[3] = {{{0}, {0}}};

    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        struct bench *b = bench_new(LANES, n + 1, LANES);
        const struct gpu_counters *total;
        uint64_t cores = 0;
        struct error err;

        b->variant.timing = timing_params_default();
        b->variant.timing.pipe_depth = 100 * TIMING_TICKS; /* the job outlasts its windows */
        b->variant.max_threads = 24;
        b->variant.clock_mhz = 1;
        b->variant.power = (struct power_params){.voltage = 1000,
                                                 .bundle_energy = 1000,
                                                 .arithmetic_energy = 7,
                                                 .control_energy = 3,
                                                 .core_active = 11,
                                                 .gpu_active = 1000000};
        assert_true(gpu_cores_model(b->cores, TIMING_DETAILED, &err));
        gpu_model_power(b->cores);
        bench_size(b, 3 * LANES, 40);
        bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, 1), 9, 0, 1);
        bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, (unsigned)-1), 1, 0, 1);
        bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, (unsigned)-2), 1, 0, TOY_REGISTERS);
        bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
        assert_int_equal(bench_run(b, 1000).progress, GPU_PROGRESS_DONE);
        gpu_model_energy(b->cores, &e[n]);
        total = gpu_stats_total(gpu_cores_stats(b->cores));
        assert_int_equal(e[n].part[POWER_INSTRUCTIONS],
                         1000 * total->bundles + 7 * total->instructions[GPU_CLASS_ARITHMETIC] +
                             3 * total->instructions[GPU_CLASS_CONTROL]);
        assert_true(e[n].part[POWER_CLOCKS] > 0);
        assert_int_equal(e[n].part[POWER_LEAKAGE], 0); /* leakage is counted by the device */
        for (unsigned i = 0; i < POWER_CORES; i++)
            cores += e[n].core[i];
        /* Windows were charged less than the clock of all cores: the rest follows at the end. */
        assert_int_equal(cores, e[n].part[POWER_INSTRUCTIONS] + e[n].part[POWER_CLOCKS]);
        assert_memory_equal(&e[n], &e[0], sizeof(e[0]));
        e[n] = e[0];
        gpu_model_energy(b->cores, &e[n]); /* no energy since the last call */
        assert_memory_equal(&e[n], &e[0], sizeof(e[0]));
        bench_free(b);
    }
}

static struct bench *bench_with_model(void)
{
    struct bench *b = bench_new(LANES, 1, LANES);
    struct error err;

    b->variant.timing = timing_params_default();
    b->variant.timing.pipe_depth = 100 * TIMING_TICKS;
    b->variant.max_threads = 24;
    b->variant.clock_mhz = 1;
    b->variant.power = (struct power_params){.voltage = 1000, .bundle_energy = 1000};
    assert_true(gpu_cores_model(b->cores, TIMING_DETAILED, &err));
    gpu_model_power(b->cores);
    return b;
}

/* A snapshot has the model's counters, and the energy that has not been taken yet. */
static void modelled_saved(void **state)
{
    struct bench *from = bench_with_model(), *to = bench_with_model(),
                 *without = bench_new(LANES, 1, LANES);
    const struct gpu_model_counters *had = gpu_model_counters(from->cores),
                                    *has = gpu_model_counters(to->cores);
    struct power_energy e = {{0}, {0}}, loaded = {{0}, {0}};
    struct state_buf buf = {0}, empty = {0};
    struct error err = {""};

    (void)state;
    bench_size(from, 3 * LANES, 40);
    bench_simple(from, GPU_BUNDLE_END, toy_word(TOY_ADD, 0, TOY_ZERO, 1), 9, 0, 1);
    assert_int_equal(bench_run(from, 1000).progress, GPU_PROGRESS_DONE);
    gpu_model_save(without->cores, &buf);
    assert_int_equal(buf.len, 0);
    gpu_model_save(from->cores, &buf);
    assert_true(gpu_model_load(without->cores, &empty, true, &err));
    assert_false(gpu_model_load(to->cores, &empty, false, &err));
    assert_true(gpu_model_load(to->cores, &buf, false, &err));
    assert_int_equal(has->jobs, 0);
    assert_true(gpu_model_load(to->cores, &buf, true, &err));
    assert_int_equal(has->jobs, 1);
    assert_memory_equal(has, had, sizeof(*had));
    gpu_model_energy(from->cores, &e);
    gpu_model_energy(to->cores, &loaded);
    assert_true(e.part[POWER_INSTRUCTIONS] > 0);
    assert_memory_equal(&loaded, &e, sizeof(e));
    state_buf_free(&buf);
    bench_free(from);
    bench_free(to);
    bench_free(without);
}

/* With a model, too, an endless job can be given up. */
static void modelled_endless(void **state)
{
    struct bench *b = bench_new(LANES, 2, LANES);
    struct error err = {""};
    struct gpu_outcome out;

    (void)state;
    b->variant.timing = timing_params_default();
    b->variant.max_threads = 24;
    assert_true(gpu_cores_model(b->cores, TIMING_REASSEMBLE, &err));
    bench_size(b, LANES, 5);
    bench_simple(b, 0, toy_word(TOY_ADD, TOY_ZERO, TOY_ZERO, 1), 0, 0, 1);
    bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, 0), 1, 0, TOY_REGISTERS);
    for (unsigned i = 0; i < 3; i++) {
        out = bench_run(b, 3);
        assert_int_equal(out.progress, GPU_PROGRESS_MORE);
        /* Five groups' bundles of one or more instructions, spread over all engines. */
        assert_true(out.cycles >=
                    3 * 5 * UINT64_C(16384) / (b->variant.cores * b->variant.engines));
    }
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loop_by_lane),
        cmocka_unit_test(lanes_meet_again),
        cmocka_unit_test(some_lanes_end),
        cmocka_unit_test(registers_begin_anew),
        cmocka_unit_test(barrier_between_warps),
        cmocka_unit_test(barrier_within_row),
        cmocka_unit_test(barrier_as_others_end),
        cmocka_unit_test(atomics_in_order),
        cmocka_unit_test(endless_shader_yields),
        cmocka_unit_test(leaving_ends_step),
        cmocka_unit_test(windows_take_equal_cycles),
        cmocka_unit_test(fault_behind_a_window),
        cmocka_unit_test(same_for_all_threads),
        cmocka_unit_test(modelled_time),
        cmocka_unit_test(modelled_energy),
        cmocka_unit_test(modelled_saved),
        cmocka_unit_test(modelled_endless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
