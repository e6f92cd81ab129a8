/* Missing pages: waiting, continuing, giving up. And invalid shaders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "runtime/gpu/shader/core.h"
#include "tests/gpu_core/bench.h"

enum { LANES = 4, OUT = BENCH_DATA, OUT_PAGE = OUT / BENCH_PAGE };

/* Each lane adds 1 atomically at OUT. */
static void counting_shader(struct bench *b)
{
    struct toy_bundle c = {
        .stages = 1, .constants = 2, .flags = GPU_BUNDLE_END, .constant = {OUT, 1}};

    c.word[0][1] = toy_word(TOY_ATOMIC, TOY_CONSTANT_0, TOY_CONSTANT_1, 0);
    bench_bundle(b, &c);
}

/* An atomic operation that met a missing page takes effect once. */
static void replayed_atomic_counts_once(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct bench *b = bench_new(LANES, threads, LANES);
        struct gpu_outcome out;
        struct gpu_compute *job;

        bench_size(b, LANES, 10);
        counting_shader(b);
        b->mapped[OUT_PAGE] = false;
        job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
        assert_non_null(job);
        for (unsigned i = 0; i < 3; i++) {
            out = bench_step(job, 1);
            assert_int_equal(out.progress, GPU_PROGRESS_FAULT);
            assert_int_equal(out.fault.va, OUT);
            assert_int_equal(out.fault.access, GPU_ACCESS_ATOMIC);
        }
        b->mapped[OUT_PAGE] = true;
        out = bench_step(job, 1);
        assert_int_equal(out.progress, GPU_PROGRESS_DONE);
        gpu_compute_free(job);
        assert_int_equal(bench_word(b, OUT), 10 * LANES);
        bench_free(b);
    }
}

static bool begin_bundle(void *opaque, const struct gpu_inspected *at)
{
    (void)opaque;
    (void)at;
    return true;
}

static void count_fault(void *opaque, struct gpu_warp *row, const struct gpu_fault *fault)
{
    (void)row;
    (void)fault;
    ++*(unsigned *)opaque;
}

/* A step of an inspected job returns at a missing page, although it uses one of several workers. */
static void inspected_job_waits(void **state)
{
    struct bench *b = bench_new(LANES, 4, LANES);
    unsigned faults = 0;
    const struct gpu_inspector in = {&faults,           begin_bundle,      bench_pass_bundle,
                                     bench_pass_bundle, bench_pass_access, count_fault};
    struct gpu_compute *job;
    struct gpu_outcome out;

    (void)state;
    bench_size(b, LANES, 10);
    counting_shader(b);
    b->mapped[OUT_PAGE] = false;
    gpu_cores_inspect(b->cores, &in);
    job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
    assert_non_null(job);
    out = bench_step(job, 1);
    assert_int_equal(out.progress, GPU_PROGRESS_FAULT);
    assert_int_equal(out.fault.va, OUT);
    assert_in_range(faults, 1, LANES);
    b->mapped[OUT_PAGE] = true;
    out = bench_step(job, 1);
    assert_int_equal(out.progress, GPU_PROGRESS_DONE);
    gpu_compute_free(job);
    assert_int_equal(bench_word(b, OUT), 10 * LANES);
    bench_free(b);
}

/* A job that is given up while it waits does not change memory, and the next job works. */
static void give_up(void **state)
{
    struct bench *b = bench_new(LANES, 3, LANES);
    struct gpu_outcome out;
    struct gpu_compute *job;

    (void)state;
    bench_size(b, LANES, 10);
    counting_shader(b);
    for (unsigned i = 0; i < 3; i++) {
        b->mapped[OUT_PAGE] = false;
        job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
        out = bench_step(job, 1);
        assert_int_equal(out.progress, GPU_PROGRESS_FAULT);
        gpu_compute_free(job);
        assert_int_equal(bench_word(b, OUT), 10 * LANES * i);
        b->mapped[OUT_PAGE] = true;
        assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    }
    bench_free(b);
}

/* The reported fault is that of the work-group with the lowest number. */
static void lowest_group_first(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 50; round++) {
        struct bench *b = bench_new(LANES, 4, 1);
        struct gpu_outcome out;
        struct gpu_compute *job;
        struct toy_bundle c = {
            .stages = 1, .constants = 2, .flags = GPU_BUNDLE_END, .constant = {63 * BENCH_PAGE}};

        /* Group 0 writes to a missing page, the other groups to another. */
        bench_size(b, 1, 8);
        bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, 5), 9, 0, TOY_REGISTERS);
        c.word[0][1] = toy_word(TOY_STORE, TOY_CONSTANT_0, TOY_ZERO, 0);
        bench_bundle(b, &c);
        c.constant[0] = OUT;
        bench_bundle(b, &c);
        b->mapped[63] = b->mapped[OUT_PAGE] = false;
        job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
        out = bench_step(job, 1);
        assert_int_equal(out.progress, GPU_PROGRESS_FAULT);
        assert_int_equal(out.fault.va, 63 * BENCH_PAGE);
        b->mapped[63] = true;
        out = bench_step(job, 1);
        assert_int_equal(out.fault.va, OUT);
        gpu_compute_free(job);
        bench_free(b);
    }
}

/* Unmapped code is a fault, too, with the access kind of an instruction fetch. */
static void missing_code(void **state)
{
    struct bench *b = bench_new(LANES, 1, LANES);
    struct gpu_outcome out;
    struct gpu_compute *job;

    (void)state;
    counting_shader(b);
    b->mapped[BENCH_CODE / BENCH_PAGE] = false;
    job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
    out = bench_step(job, 1);
    assert_int_equal(out.progress, GPU_PROGRESS_FAULT);
    assert_int_equal(out.fault.va, BENCH_CODE);
    assert_int_equal(out.fault.access, GPU_ACCESS_EXECUTE);
    b->mapped[BENCH_CODE / BENCH_PAGE] = true;
    assert_int_equal(bench_step(job, 1).progress, GPU_PROGRESS_DONE);
    gpu_compute_free(job);
    assert_int_equal(bench_word(b, OUT), LANES);
    bench_free(b);
}

static void check_failure(uint32_t word, enum gpu_job_error expected)
{
    struct bench *b = bench_new(LANES, 2, LANES);
    struct gpu_outcome out;

    bench_simple(b, 0, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    bench_simple(b, GPU_BUNDLE_END, word, 10, 0, TOY_REGISTERS);
    out = bench_run(b, 1);
    assert_int_equal(out.progress, GPU_PROGRESS_FAILED);
    assert_int_equal(out.code, expected);
    assert_int_equal(out.address, BENCH_CODE + 32);
    bench_free(b);
}

static void bad_shaders(void **state)
{
    (void)state;
    check_failure(toy_word(TOY_RAISE, 0, 0, 0), GPU_JOB_UNIMPLEMENTED);
    check_failure(TOY_OPS, GPU_JOB_INVALID_ENCODING);
    check_failure(toy_word(TOY_ADD, TOY_RESERVED, 0, 0), GPU_JOB_INVALID_ENCODING);
    /* no such embedded constant; no unit before the first */
    check_failure(toy_word(TOY_ADD, TOY_CONSTANT_0, 0, 0), GPU_JOB_INVALID_ENCODING);
}

/* Words that cannot be executed are reported by name, once per kind. */
static void named_once(void **state)
{
    struct bench *b = bench_new(LANES, 2, LANES);
    struct gpu_outcome out;

    (void)state;
    bench_simple(b, 0, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_RAISE, 0, 0, 0x1234), 10, 0, TOY_REGISTERS);
    out = bench_run(b, 1);
    assert_string_equal(out.refused,
                        "RAISE (toy word 0x12340008, stage 0 of the bundle at 0x4020)");
    assert_null(bench_run(b, 1).refused);
    b->code_end = BENCH_CODE;
    bench_simple(b, GPU_BUNDLE_END, TOY_OPS, 0, 0, TOY_REGISTERS);
    out = bench_run(b, 1);
    assert_non_null(strstr(out.refused, "a bundle that cannot be decoded, at 0x4000: 01 0"));
    bench_free(b);
}

static void leaving_code(void **state)
{
    struct bench *b = bench_new(LANES, 2, LANES);
    struct gpu_outcome out;

    (void)state;
    struct toy_bundle c = {.stages = 1, .constants = 1, .constant = {1}};

    c.word[0][1] = toy_word(TOY_BRANCH, TOY_CONSTANT_0, 0, 0x7fff);
    bench_bundle(b, &c);
    out = bench_run(b, 1);
    assert_int_equal(out.progress, GPU_PROGRESS_FAULT);
    assert_int_equal(out.fault.access, GPU_ACCESS_EXECUTE);
    bench_free(b);
}

/* Code that changed between two jobs is decoded again. */
static void changed_code(void **state)
{
    struct bench *b = bench_new(LANES, 1, LANES);

    (void)state;
    counting_shader(b);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    b->code_end = BENCH_CODE;
    struct toy_bundle c = {
        .stages = 1, .constants = 2, .flags = GPU_BUNDLE_END, .constant = {OUT, 100}};

    c.word[0][1] = toy_word(TOY_ATOMIC, TOY_CONSTANT_0, TOY_CONSTANT_1, 0);
    bench_bundle(b, &c);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    assert_int_equal(bench_word(b, OUT), LANES + 100 * LANES);
    bench_free(b);
}

static uint32_t long_code(void *opaque, uint64_t va, enum gpu_access access, struct gpu_page *out)
{
    struct bench *b = opaque;

    (void)access;
    if (va >= BENCH_PAGES * BENCH_PAGE) /* maps every address to the same page of code */
        va = BENCH_CODE;
    *out =
        (struct gpu_page){b->memory + va / BENCH_PAGE * BENCH_PAGE, BENCH_PAGE, true, true, true};
    return 0;
}

/*
 * Shaders without an end are refused after GPU_MAX_BUNDLES bundles, and their bundles use a bounded
 * amount of host memory.
 */
static void endless_code(void **state)
{
    struct bench *b = bench_new(LANES, 1, 1);
    unsigned bundles = 0;

    (void)state;
    b->as.translate = long_code;
    while (b->code_end < BENCH_CODE + BENCH_PAGE)
        bench_simple(b, 0, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    for (uint64_t i = 1; i < 8; i++) {
        struct gpu_outcome out;

        bench_put(b, BENCH_STATE, 0, 64, i << 32);
        out = bench_run(b, 10);
        assert_int_equal(out.progress, GPU_PROGRESS_FAILED);
        assert_int_equal(out.code, GPU_JOB_UNIMPLEMENTED);
        assert_int_equal(out.address, (i << 32) + GPU_MAX_BUNDLES * 32);
    }
    for (unsigned i = 0; i < GPU_MAX_SHADERS; i++)
        bundles += b->cores->shaders[i] ? b->cores->shaders[i]->code_count : 0;
    assert_in_range(bundles, GPU_MAX_BUNDLES, GPU_KEPT_BUNDLES + GPU_MAX_BUNDLES);
    bench_free(b);
}

/*
 * Two jobs share the cores: while one waits for a page the other one does not run, then both end.
 * They alternate between steps, also after the first one's code changed.
 */
static void two_jobs(void **state)
{
    /*
     * Three steps: two full ones, whose windows except the first have short groups, and the rest.
     */
    enum { WINDOW = GPU_WINDOW_PARTS * GPU_WINDOW_GROUPS };
    enum { GROUPS = GPU_WINDOW_GROUPS + (2 * GPU_STEP_WINDOWS - 1) * WINDOW + 90 };
    struct bench *b = bench_new(LANES, 2, LANES);
    struct gpu_compute *first, *second;
    struct gpu_outcome out;

    (void)state;
    bench_size(b, LANES, GROUPS);
    counting_shader(b);
    first = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
    assert_int_equal(bench_step(first, 1).progress, GPU_PROGRESS_MORE);
    b->code_end = BENCH_CODE;
    struct toy_bundle c = {
        .stages = 1, .constants = 2, .flags = GPU_BUNDLE_END, .constant = {OUT + 4, 1}};

    c.word[0][1] = toy_word(TOY_ATOMIC, TOY_CONSTANT_0, TOY_CONSTANT_1, 0);
    bench_bundle(b, &c);
    second = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
    assert_int_equal(bench_step(second, 1).progress, GPU_PROGRESS_MORE);
    b->mapped[OUT_PAGE] = false;
    b->as.generation++;
    assert_int_equal(bench_step(first, 1).progress, GPU_PROGRESS_FAULT);
    out = bench_step(second, 1);
    assert_int_equal(out.progress, GPU_PROGRESS_MORE);
    assert_true(out.cycles);
    b->mapped[OUT_PAGE] = true;
    assert_int_equal(bench_step(first, 1).progress, GPU_PROGRESS_MORE);
    assert_int_equal(bench_step(second, 1).progress, GPU_PROGRESS_MORE);
    assert_int_equal(bench_step(first, 1).progress, GPU_PROGRESS_DONE);
    gpu_compute_free(first);
    assert_int_equal(bench_step(second, 1).progress, GPU_PROGRESS_DONE);
    gpu_compute_free(second);
    /* The first job continues with the code as it was decoded. */
    assert_int_equal(bench_word(b, OUT), GROUPS * LANES);
    assert_int_equal(bench_word(b, OUT + 4), GROUPS * LANES);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replayed_atomic_counts_once),
        cmocka_unit_test(inspected_job_waits),
        cmocka_unit_test(give_up),
        cmocka_unit_test(lowest_group_first),
        cmocka_unit_test(missing_code),
        cmocka_unit_test(bad_shaders),
        cmocka_unit_test(named_once),
        cmocka_unit_test(leaving_code),
        cmocka_unit_test(changed_code),
        cmocka_unit_test(endless_code),
        cmocka_unit_test(two_jobs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
