/* What the cores count of jobs, worked out by hand, and what they are made with. */
#include <inttypes.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/base/bits.h"
#include "runtime/gpu/account.h"
#include "runtime/gpu/inspect.h"
#include "runtime/gpu/shader/core.h"
#include "runtime/gpu/timing_model.h"
#include "runtime/obs/stats.h"
#include "tests/gpu_core/bench.h"

enum { OUT = BENCH_DATA, WIDTH = 4, THREADS = 6, GROUPS = 5, REGISTER_LANE = 2 };

/* A bundle of one stage with constants and an instruction in its second unit. */
static void constant_bundle(struct bench *b, unsigned flags, uint32_t word, uint64_t first,
                            uint64_t second)
{
    struct toy_bundle c = {
        .stages = 1, .constants = 2, .flags = flags, .constant = {first, second}};

    c.word[0][1] = word;
    bench_bundle(b, &c);
}

/* Each lane reads a word, adds one to another, and skips a bundle unless it is the first of its
 * warp. */
static void write_shader(struct bench *b)
{
    bench_simple(b, 0, toy_word(TOY_ADD, TOY_LANE_ID, TOY_ZERO, 0), 0, 0, REGISTER_LANE);
    constant_bundle(b, 0, toy_word(TOY_LOAD, TOY_CONSTANT_0, TOY_ZERO, 0), OUT, 0);
    constant_bundle(b, 0, toy_word(TOY_ATOMIC, TOY_CONSTANT_0, TOY_CONSTANT_1, 0), OUT + BENCH_PAGE,
                    1);
    bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, 4), REGISTER_LANE, 0, TOY_REGISTERS);
    bench_simple(b, 0, toy_word(TOY_ADD, 0, 0, 1), REGISTER_LANE, 0, 3);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_ADD, 0, 0, 1), REGISTER_LANE, 0, 3);
}

/*
 * Six threads are a warp of four lanes and one of two. 5 groups of 6 are 30 threads in 10 warps, of
 * which 10 lanes are the first of theirs. All execute five bundles, and these 10 a sixth.
 */
static const struct {
    const char *name;
    uint64_t value;
} expected[] = {
    {"jobs", 1},
    {"work_groups", GROUPS},
    {"warps", 10},
    {"threads", 30},
    {"bundles", 6 * 10},
    {"stages", 6 * 10},
    {"bundles_of_1_stage", 6 * 10},
    {"bundles_of_2_stages", 0},
    {"arithmetic", 2 * 30 + 10},
    {"load_store", 2 * 30},
    {"control", 30},
    {"attribute", 0},
    {"lane_instructions", 5 * 30 + 10},
    {"empty_slots", 5 * 30 + 10}, /* the first unit of each bundle */
    {"global_reads", 30},
    {"global_writes", 30},
    {"local_reads", 0},
    {"thread_memory_reads", 0},
    {"divergent_branches", 10},
    {"pages_touched", 2},
    /* A core runs two of the groups. A bundle takes 2 cycles, and 1 for its stage. */
    {"cycles", 2 * 2 * 6 * 3},
};

static void assert_counters(const struct bench *b, unsigned jobs)
{
    struct stats *stats = stats_new();

    gpu_stats_register(gpu_cores_stats(b->cores), stats, "s");
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
        if (stats_get(stats, "s", expected[i].name) != jobs * expected[i].value)
            fail_msg("%s of %u jobs: %" PRIu64, expected[i].name, jobs,
                     stats_get(stats, "s", expected[i].name));
    stats_free(stats);
}

/* A job's counts are those worked out by hand, on any number of host threads. */
static void job_counts(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct bench *b = bench_new(WIDTH, threads, THREADS);

        bench_size(b, THREADS, GROUPS);
        write_shader(b);
        for (unsigned jobs = 1; jobs <= 3; jobs++) {
            assert_int_equal(bench_run(b, 100).progress, GPU_PROGRESS_DONE);
            assert_counters(b, jobs);
        }
        bench_free(b);
    }
}

/* Steps end by the number of bundles that they have executed, so that is counted anew in each. */
static void bundles_of_a_step(void **state)
{
    struct bench *b = bench_new(WIDTH, 2, THREADS);

    (void)state;
    bench_size(b, THREADS, GROUPS);
    write_shader(b);
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        struct gpu_outcome out;
        struct gpu_compute *job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);

        gpu_compute_step(job, &out);
        assert_int_equal(out.progress, GPU_PROGRESS_DONE);
        assert_int_equal(job->windows, 1);
        assert_int_equal(job->bundles, 6 * 10);
        gpu_compute_free(job);
    }
    bench_free(b);
}

/* Two jobs that take turns on the cores count what each would alone. */
static void jobs_in_turn(void **state)
{
    struct bench *b = bench_new(WIDTH, 2, THREADS);
    struct gpu_outcome out[2] = {{.progress = GPU_PROGRESS_MORE}, {.progress = GPU_PROGRESS_MORE}};
    struct gpu_compute *job[2];

    (void)state;
    gpu_cores_translate(b->cores, 0);
    gpu_cores_set_window(b->cores, 1); /* many windows, so that a job has two steps at least */
    bench_size(b, THREADS, GROUPS);
    write_shader(b);
    for (unsigned i = 0; i < 2; i++)
        job[i] = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out[i]);
    for (unsigned step = 0; step < 100; step++)
        if (out[step % 2].progress == GPU_PROGRESS_MORE)
            gpu_compute_step(job[step % 2], &out[step % 2]);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(out[i].progress, GPU_PROGRESS_DONE);
        gpu_compute_free(job[i]);
    }
    assert_counters(b, 2);
    bench_free(b);
}

/* A worker may add up its counts in any window. They become the job's once, and not before the
 * others may not run groups. */
static void workers_add_up(void **state)
{
    struct bench *b = bench_new(WIDTH, 2, THREADS);
    struct gpu_worker *k = b->cores->workers[1];
    struct gpu_outcome out;
    struct gpu_compute *job;

    (void)state;
    write_shader(b);
    job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
    b->cores->job = job;
    for (unsigned window = 1; window <= 2; window++) {
        k->warps = 3;
        k->host.core.accesses[GPU_COUNT_GLOBAL_READ] = 5;
        k->uncounted = true;
        gpu_counts_add_up(k);
        assert_false(k->uncounted);
        assert_int_equal(k->warps + k->host.core.accesses[GPU_COUNT_GLOBAL_READ], 0);
        assert_int_equal(k->sum.warps, window * 3);
        assert_int_equal(job->sum.warps, 0);
    }
    k->warps = 1; /* of a window after which it did not add them up */
    k->uncounted = true;
    for (unsigned times = 0; times < 2; times++) {
        gpu_counts_collect(job);
        assert_int_equal(job->sum.warps, 2 * 3 + 1);
        assert_int_equal(job->sum.accesses[GPU_COUNT_GLOBAL_READ], 2 * 5);
    }
    k->warps = 2;
    k->uncounted = true;
    gpu_counts_collect(job);
    assert_int_equal(job->sum.warps, 2 * 3 + 1 + 2);
    gpu_compute_free(job);
    bench_free(b);
}

/* Numbers of instructions are kept by job, so only one worker at a time adds them up. */
static void mixes_wait(void **state)
{
    struct bench *b = bench_new(WIDTH, 1, THREADS);
    struct gpu_worker *k = b->cores->workers[0];
    struct gpu_outcome out;
    struct gpu_compute *job;

    (void)state;
    gpu_cores_describe_shaders(b->cores);
    write_shader(b);
    job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
    b->cores->job = job;
    k->warps = 3;
    k->uncounted = true;
    gpu_counts_add_up(k);
    assert_true(k->uncounted);
    gpu_counts_collect(job);
    assert_int_equal(job->sum.warps, 3);
    gpu_compute_free(job);
    bench_free(b);
}

/* ---- cores ----------------------------------------------------------------------------------- */

/* A form is counted as what its description's class says, and as arithmetic if that is another. */
static void classes_of_forms(void **state)
{
    static const struct {
        const char *klass;
        uint8_t counted;
    } all[] = {
        {"load_store", GPU_CLASS_LOAD_STORE},
        {"control", GPU_CLASS_CONTROL},
        {"barrier", GPU_CLASS_CONTROL | GPU_CLASS_IS_BARRIER},
        {"nop", GPU_CLASS_NOP},
        {"attribute", GPU_CLASS_ATTRIBUTE},
        {"arithmetic", GPU_CLASS_ARITHMETIC},
        {"load", GPU_CLASS_ARITHMETIC},
        {NULL, GPU_CLASS_ARITHMETIC},
    };
    struct gpu_form forms[ARRAY_SIZE(all)] = {0};
    struct gpu_unit unit = *toy_isa.unit[1];
    struct gpu_isa isa = toy_isa;
    struct bench *b;

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(all); i++)
        forms[i] = (struct gpu_form){.klass = all[i].klass};
    unit.forms = forms;
    unit.form_count = ARRAY_SIZE(all);
    isa.unit[1] = &unit;
    b = bench_new_isa(&isa, WIDTH, 1, THREADS);
    for (unsigned i = 0; i < ARRAY_SIZE(all); i++)
        assert_int_equal(b->cores->decoder.classes[1][i], all[i].counted);
    bench_free(b);
}

static void host_threads(void **state)
{
    static const struct {
        unsigned asked, made;
    } all[] = {{0, 1}, {1, 1}, {3, 3}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        struct bench *b = bench_new(WIDTH, all[i].asked, THREADS);

        assert_int_equal(b->cores->worker_count, all[i].made);
        for (unsigned n = 0; n < all[i].made; n++)
            assert_int_equal(b->cores->workers[n]->number, n);
        bench_free(b);
    }
}

/* What holds unless the functions of compute.h say otherwise. */
static void defaults(void **state)
{
    struct bench *b = bench_new(WIDTH, 1, THREADS);

    (void)state;
    assert_int_equal(b->cores->translate_after, bench_translates() ? 1 : GPU_TRANSLATE_AFTER);
    assert_int_equal(b->cores->window_bundles, GPU_WINDOW_BUNDLES);
    assert_true(b->cores->draws_left == UINT64_MAX);
    bench_free(b);
}

/* Rows of lanes begin at cache lines: their size is the first multiple of 64 that holds them. */
static void bytes_of_a_row(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= GPU_MAX_LANES; width += width < 4 ? 3 : 4) {
        struct bench *b = bench_new(width, 1, THREADS);
        const struct gpu_decoder *d = &b->cores->decoder;
        size_t slots = gpu_pool_slot(d->isa) + GPU_SPILL_SLOTS + d->pool_slots;
        size_t bytes = sizeof(struct gpu_warp) + slots * d->lanes * sizeof(uint32_t);

        assert_int_equal(b->cores->warp_bytes % 64, 0);
        assert_in_range(b->cores->warp_bytes, bytes, bytes + 63);
        bench_free(b);
    }
}

/* ---- inspection ------------------------------------------------------------------------------ */

static bool count_bundle(void *opaque, const struct gpu_inspected *at)
{
    (void)at;
    ++*(unsigned *)opaque;
    return true;
}

static void pass_fault(void *opaque, struct gpu_warp *row, const struct gpu_fault *fault)
{
    (void)opaque;
    (void)row;
    (void)fault;
}

static unsigned cached_shaders(const struct bench *b)
{
    unsigned count = 0;

    for (unsigned i = 0; i < GPU_MAX_SHADERS; i++)
        count += b->cores->shaders[i] != NULL;
    return count;
}

/* Nothing is translated while bundles are inspected: each is seen once per row, which has both
 * warps of a group. Then the cores are as before, and count alike. */
static void inspected_jobs(void **state)
{
    struct bench *b = bench_new(WIDTH, 2, THREADS);
    unsigned seen = 0;
    const struct gpu_inspector in = {
        &seen, count_bundle, bench_pass_bundle, bench_pass_bundle, bench_pass_access, pass_fault};

    (void)state;
    gpu_cores_translate(b->cores, 77);
    bench_size(b, THREADS, GROUPS);
    write_shader(b);
    bench_run(b, 100);
    assert_int_equal(cached_shaders(b), 1);
    gpu_cores_inspect(b->cores, &in);
    assert_int_equal(cached_shaders(b), 0);
    assert_int_equal(b->cores->translate_after, 0);
    bench_run(b, 100);
    assert_int_equal(seen, 6 * GROUPS);
    gpu_cores_inspect(b->cores, &in); /* a second call does not change what is restored */
    gpu_cores_inspect(b->cores, NULL);
    assert_int_equal(b->cores->translate_after, 77);
    assert_false(b->cores->inspected);
    bench_run(b, 100);
    assert_int_equal(seen, 6 * GROUPS);
    assert_counters(b, 3);
    bench_free(b);
}

/* An inspector that comes while a job exists waits for the next job. */
static void inspector_waits(void **state)
{
    struct bench *b = bench_new(WIDTH, 1, THREADS);
    unsigned seen = 0;
    const struct gpu_inspector in = {
        &seen, count_bundle, bench_pass_bundle, bench_pass_bundle, bench_pass_access, pass_fault};
    struct gpu_compute *job;
    struct gpu_outcome out;

    (void)state;
    bench_size(b, THREADS, GROUPS);
    write_shader(b);
    job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
    gpu_cores_inspect(b->cores, &in);
    assert_int_equal(bench_step(job, 100).progress, GPU_PROGRESS_DONE);
    gpu_compute_free(job);
    assert_int_equal(seen, 0);
    bench_run(b, 100);
    assert_int_equal(seen, 6 * GROUPS);
    bench_free(b);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void count_account(void *opaque, const struct gpu_account *job)
{
    (void)job;
    ++*(unsigned *)opaque;
}

/* Runs the job once more on cores that a time model, an account and an inspector watch. */
static void run_watched(struct bench *b)
{
    unsigned seen = 0, accounts = 0;
    const struct gpu_inspector in = {
        &seen, count_bundle, bench_pass_bundle, bench_pass_bundle, bench_pass_access, pass_fault};
    const struct gpu_account_sink sink = {NULL, count_account, &accounts};
    struct error err;

    b->variant.timing = timing_params_default();
    b->variant.timing.pipe_depth = TIMING_TICKS;
    b->variant.max_threads = 24;
    b->variant.clock_mhz = 1;
    if (!gpu_cores_model(b->cores, TIMING_DETAILED, &err))
        fail_msg("%s", err.text);
    gpu_cores_account(b->cores, &sink);
    gpu_cores_inspect(b->cores, &in);
    assert_int_equal(bench_run(b, 100).progress, GPU_PROGRESS_DONE);
    assert_int_equal(seen, 6 * GROUPS);
    assert_int_equal(accounts, 1);
}

/* Makes cores, runs a job, runs it with all that can be asked about it, and frees all. Then cores
 * are refused. */
static void make_and_free(void)
{
    struct bench *b = bench_new(WIDTH, 2, THREADS);

    gpu_cores_translate(b->cores, 0);
    bench_size(b, THREADS, GROUPS);
    write_shader(b);
    assert_int_equal(bench_run(b, 100).progress, GPU_PROGRESS_DONE);
    gpu_cores_describe_shaders(b->cores);
    run_watched(b);
    bench_free(b);
    b = bench_new(2, 1, THREADS);
    assert_null(b->cores);
    bench_free(b);
}

/* After some rounds, which the C library and threads need, a round leaves less than the smallest
 * block of memory. There are many rounds, since freed blocks that threads keep make a difference of
 * up to 1,300 bytes. */
static void memory_is_freed(void **state)
{
    enum { WARM_UP = 8, ROUNDS = 200, LEAST_BLOCK = 32 };
    size_t before;

    (void)state;
    for (unsigned i = 0; i < WARM_UP; i++)
        make_and_free();
    before = mallinfo2().uordblks;
    for (unsigned i = 0; i < ROUNDS; i++)
        make_and_free();
    assert_in_range(mallinfo2().uordblks, 0, before + ROUNDS * LEAST_BLOCK / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(job_counts),      cmocka_unit_test(bundles_of_a_step),
        cmocka_unit_test(jobs_in_turn),    cmocka_unit_test(classes_of_forms),
        cmocka_unit_test(workers_add_up),  cmocka_unit_test(mixes_wait),
        cmocka_unit_test(host_threads),    cmocka_unit_test(defaults),
        cmocka_unit_test(bytes_of_a_row),  cmocka_unit_test(inspected_jobs),
        cmocka_unit_test(inspector_waits), cmocka_unit_test(memory_is_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
