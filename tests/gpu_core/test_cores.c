/* The cores of a job: how long it takes on them, how long each is active, what is counted of it,
 * and which GPUs the cores can be of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/base/bits.h"
#include "runtime/gpu/mix.h"
#include "runtime/gpu/shader/core.h"
#include "tests/gpu_core/bench.h"

enum { GROUPS = 6, CORES = 3, OUT = BENCH_DATA };

/* Runs `groups` work-groups on the cores in `bits` (0: gpu_compute_use() is not called). Returns
 * the cycles; active[] receives those of each core. */
static uint64_t run_on_cores(unsigned groups, uint64_t bits, unsigned threads, uint64_t *active)
{
    struct bench *b = bench_new(4, threads, 4);
    struct gpu_outcome out;
    struct gpu_compute *job;

    b->variant.shader_present = 0x32; /* three cores, with gaps */
    bench_size(b, 4, groups);
    for (unsigned i = 0; i < 9; i++)
        bench_simple(b, i == 8 ? GPU_BUNDLE_END : 0, toy_word(TOY_ADD, 0, 0, 1), 1, 1, 2);
    job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
    assert_non_null(job);
    if (bits)
        gpu_compute_use(job, bits);
    out = bench_step(job, 100);
    assert_int_equal(out.progress, GPU_PROGRESS_DONE);
    gpu_compute_free(job);
    memcpy(active, gpu_cores_active(b->cores), CORES * sizeof(*active));
    bench_free(b);
    return out.cycles;
}

static void time_on_cores(void **state)
{
    uint64_t active[CORES], all = run_on_cores(GROUPS, 0, 1, active);

    (void)state;
    for (unsigned i = 0; i < CORES; i++)
        assert_int_equal(active[i], all);
    for (unsigned threads = 1; threads <= 3; threads++) {
        assert_int_equal(run_on_cores(GROUPS, 0x32, threads, active), all);
        assert_int_equal(run_on_cores(GROUPS, 0xff, threads, active), all);
        assert_int_equal(run_on_cores(GROUPS, 0x01, threads, active), all); /* no core: all */
        assert_int_equal(run_on_cores(GROUPS, 0x10, threads, active), CORES * all);
        assert_int_equal(active[0], 0);
        assert_int_equal(active[1], CORES * all);
        assert_int_equal(active[2], 0);
        assert_int_equal(run_on_cores(GROUPS, 0x22, threads, active), CORES * all / 2);
        assert_int_equal(active[0], CORES * all / 2);
        assert_int_equal(active[1], 0);
        assert_int_equal(active[2], CORES * all / 2);
    }
}

/* A core without a work-group is not active. */
static void few_groups(void **state)
{
    uint64_t active[CORES], one = run_on_cores(1, 0, 1, active);

    (void)state;
    assert_int_equal(active[0], one);
    assert_int_equal(active[1], 0);
    assert_int_equal(active[2], 0);
    run_on_cores(1, 0x30, 1, active);
    assert_int_equal(active[0], 0);
    assert_int_equal(active[1], one);
    assert_int_equal(active[2], 0);
}

/* Runs a group of a stage whose groups take 10, 20, 30 … cycles and 7 bundles each. `stage`
 * receives the set of their indices. */
static void run_stage_group(struct gpu_worker *k, struct gpu_group *g)
{
    unsigned *seen = k->cores->job->stage;

    gpu_group_enter(k, g);
    __atomic_or_fetch(seen, 1u << g->index, __ATOMIC_RELAXED);
    g->work = 10 * (g->index + 1);
    g->budget -= 7;
    g->finished = true;
}

/* Runs a stage of `groups` groups in one step. Returns its cycles. */
static uint64_t run_stage(struct bench *b, unsigned groups)
{
    static const struct gpu_stage_functions functions = {.run = run_stage_group};
    struct gpu_compute_job what;
    struct gpu_outcome out;
    struct gpu_compute *job;
    unsigned seen = 0;

    assert_true(gpu_compute_read(&b->variant, &b->as, BENCH_JOB, &what, &out));
    what.group_total = groups;
    job = gpu_stage_start(b->cores, &b->as, &what, &functions, &seen);
    gpu_compute_step(job, &out);
    assert_int_equal(out.progress, GPU_PROGRESS_DONE);
    assert_int_equal(seen, (1u << groups) - 1);
    assert_int_equal(job->bundles, 7 * groups);
    gpu_compute_free(job);
    return out.cycles;
}

/*
 * Groups are given to the three cores in turn: of five, core 0 has those of 10 and 40 cycles, core
 * 1 those of 20 and 50, core 2 that of 30. The stage takes as long as the core with the most, half
 * as long with two engines per core, and one cycle without groups.
 */
static void time_of_a_stage(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct bench *b = bench_new(4, threads, 4);

        bench_size(b, 4, 5);
        bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
        assert_int_equal(run_stage(b, 5), 20 + 50);
        assert_int_equal(run_stage(b, 4), 10 + 40);
        assert_int_equal(run_stage(b, 1), 10);
        assert_int_equal(run_stage(b, 0), 1);
        b->variant.engines = 2;
        assert_int_equal(run_stage(b, 5), 10 + 25);
        bench_free(b);
    }
}

/* A step has GPU_STEP_WINDOWS windows. Here a window has one bundle of each group, so that the 40
 * bundles of a group take three steps. */
static void windows_of_a_step(void **state)
{
    enum { BUNDLES = 2 * GPU_STEP_WINDOWS + 8 };

    (void)state;
    for (unsigned groups = 1; groups <= GROUPS; groups++) {
        struct bench *b = bench_new(4, 1, 4);
        struct gpu_outcome out;
        struct gpu_compute *job;

        gpu_cores_translate(b->cores, 0);
        gpu_cores_set_window(b->cores, 1);
        bench_size(b, 4, groups);
        for (unsigned i = 0; i < BUNDLES; i++)
            bench_simple(b, i == BUNDLES - 1 ? GPU_BUNDLE_END : 0, toy_word(TOY_ADD, 0, 0, 1), 1, 1,
                         2);
        job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
        for (unsigned step = 1; step <= 3; step++) {
            gpu_compute_step(job, &out);
            assert_int_equal(out.progress, step < 3 ? GPU_PROGRESS_MORE : GPU_PROGRESS_DONE);
        }
        gpu_compute_free(job);
        bench_free(b);
    }
}

/* A group that does not end in 16,384 bundles may run four times as many in the next window, and
 * sixteen times as many in those that follow. The third fills the first step. */
static void long_groups_get_more(void **state)
{
    struct bench *b = bench_new(4, 1, 4);
    const uint64_t *bundles = &gpu_stats_total(gpu_cores_stats(b->cores))->bundles;

    (void)state;
    bench_size(b, 4, 1);
    bench_simple(b, 0, toy_word(TOY_ADD, TOY_ZERO, TOY_ZERO, 1), 0, 0, 1);
    bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, 0), 1, 0, TOY_REGISTERS);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_MORE);
    assert_int_equal(*bundles, (1 + 4 + 16) * 16384);
    bench_free(b);
}

/* What host code adds to the count of a bundle, by the lanes that execute it: one per warp that has
 * some, and the lanes. */
static void counts_of_lanes(void **state)
{
    static const struct {
        unsigned width, lanes, warps;
    } all[] = {{4, 0x00, 0}, {4, 0x01, 1}, {4, 0x08, 1}, {4, 0x0f, 1}, {4, 0x10, 1},
               {4, 0x11, 2}, {4, 0x88, 2}, {4, 0xf0, 1}, {4, 0xff, 2}, {8, 0x01, 1},
               {8, 0x11, 1}, {8, 0x80, 1}, {8, 0xff, 1}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        struct bench *b = bench_new(all[i].width, 1, 4);

        assert_int_equal(b->cores->workers[0]->host.lane_counts[all[i].lanes],
                         GPU_COUNT_WARP * all[i].warps +
                             (unsigned)__builtin_popcount(all[i].lanes));
        bench_free(b);
    }
}

/* Executions of instructions, by name: of GROUPS groups of 4 threads each runs ADD twice. Empty
 * slots are not listed. */
static void mix_of_instructions(void **state)
{
    struct bench *b = bench_new(4, 1, 4);
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    unsigned total, of_it, shader;
    char rest[2];

    (void)state;
    gpu_cores_describe_shaders(b->cores);
    bench_size(b, 4, GROUPS);
    bench_simple(b, 0, toy_word(TOY_ADD, TOY_ZERO, TOY_ZERO, 1), 0, 0, 1);
    bench_simple(b, 0, toy_word(TOY_ADD, TOY_ZERO, TOY_ZERO, 1), 0, 0, 2);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    assert_int_equal(bench_run(b, 10).progress, GPU_PROGRESS_DONE);
    assert_true(gpu_mix_write_text(b->cores->mix, out));
    fclose(out);
    assert_int_equal(
        sscanf(text, "total toy/ADD %u shader 0x%x toy/ADD %u %1s", &total, &shader, &of_it, rest),
        3);
    assert_int_equal(total, GROUPS * 4 * 2);
    assert_int_equal(of_it, GROUPS * 4 * 2);
    assert_int_equal(shader, BENCH_CODE);
    free(text);
    bench_free(b);
}

static bool makes_cores(unsigned width, unsigned cores, unsigned engines, unsigned registers)
{
    struct gpu_variant variant = {.name = "toy",
                                  .warp_width = width,
                                  .cores = cores,
                                  .engines = engines,
                                  .bundle_cycles = 1,
                                  .stage_cycles = 1};
    struct gpu_isa isa = toy_isa;
    struct gpu_cores *c;

    isa.register_count = registers;
    c = gpu_cores_new(&variant, &isa, 1);
    gpu_cores_free(c);
    return c;
}

/* A warp has 1 lane, or a multiple of 4, at most GPU_MAX_LANES. */
static void which_gpus(void **state)
{
    (void)state;
    assert_true(makes_cores(1, 1, 1, TOY_REGISTERS));
    assert_true(makes_cores(4, 1, 1, TOY_REGISTERS));
    assert_true(makes_cores(12, 1, 1, TOY_REGISTERS));
    assert_true(makes_cores(GPU_MAX_LANES, 1, 1, TOY_REGISTERS));
    assert_true(makes_cores(4, 1, 1, GPU_MAX_REGISTERS));
    assert_false(makes_cores(0, 1, 1, TOY_REGISTERS));
    assert_false(makes_cores(2, 1, 1, TOY_REGISTERS));
    assert_false(makes_cores(6, 1, 1, TOY_REGISTERS));
    assert_false(makes_cores(GPU_MAX_LANES + 4, 1, 1, TOY_REGISTERS));
    assert_false(makes_cores(4, 0, 1, TOY_REGISTERS));
    assert_false(makes_cores(4, 1, 0, TOY_REGISTERS));
    assert_false(makes_cores(4, 1, 1, GPU_MAX_REGISTERS + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_on_cores),        cmocka_unit_test(few_groups),
        cmocka_unit_test(time_of_a_stage),      cmocka_unit_test(windows_of_a_step),
        cmocka_unit_test(long_groups_get_more), cmocka_unit_test(counts_of_lanes),
        cmocka_unit_test(mix_of_instructions),  cmocka_unit_test(which_gpus),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
