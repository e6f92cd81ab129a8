/* Jobs whose groups surely end in the window in which they begin, and those that may not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/asm_text.h"
#include "mali_layout.h"
#include "runtime/gpu/shader/window.h"
#include "tests/gpu_core/bench.h"

#define PUT(b, NAME, value) \
    bench_put(b, BENCH_STORAGE, MALI_##NAME##_BIT, MALI_##NAME##_WIDTH, value)

enum { LANES = 4, ROW = GPU_LANE_CHUNK, GRAIN = 16 };

static unsigned texts; /* calls of disasm() */

/* The text of the second unit's word: branches as real ISAs write them. */
static size_t disasm(const uint8_t *code, size_t available, unsigned index, uint32_t uniforms,
                     struct asm_out *out)
{
    struct gpu_bundle b = {0};
    uint32_t word;

    (void)index, (void)uniforms;
    texts++;
    out->text[0] = 0;
    if (!toy_isa.unpack(code, available, 0, &b))
        return 0;
    word = (uint32_t)b.stage[0].word[1];
    if ((word & 15) == TOY_BRANCH)
        snprintf(out->text, out->size, "BRANCH r0, %+d -> 3\n",
                 (int16_t)(word >> 16) - (int)(b.bytes / GRAIN));
    return b.bytes;
}

static struct bench *new_bench(unsigned host_threads)
{
    static struct gpu_isa isa; /* the cores keep its address */
    struct bench *b;

    isa = toy_isa;
    isa.disasm_bundle = disasm;
    b = bench_new_isa(&isa, LANES, host_threads, ROW);
    PUT(b, LOCAL_STORAGE_TLS_BASE, 0);
    PUT(b, LOCAL_STORAGE_WLS_SIZE_SCALE, 0);
    return b;
}

static void put(struct bench *b, enum toy_op op, int immediate)
{
    bench_simple(b, op == TOY_NOP && !immediate ? GPU_BUNDLE_END : 0,
                 toy_word(op, 0, TOY_ZERO, (unsigned)immediate), 1, 0, TOY_REGISTERS);
}

static void put_end(struct bench *b)
{
    put(b, TOY_NOP, 0);
}

/* Distance between adjacent bundles of put(), in the unit of branches. */
static int bundle_length(struct bench *b)
{
    uint64_t before = b->code_end;

    put(b, TOY_ADD, 1);
    return (int)((b->code_end - before) / GRAIN);
}

static bool surely_ends(struct bench *b)
{
    struct gpu_outcome out;
    struct gpu_compute *job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
    bool result;

    assert_non_null(job);
    result = gpu_groups_surely_end(job);
    gpu_compute_free(job);
    return result;
}

static void without_branches(void **state)
{
    struct bench *b = new_bench(1);

    (void)state;
    put(b, TOY_ADD, 1);
    put_end(b);
    assert_true(surely_ends(b));
    bench_free(b);
}

static void branches_forward(void **state)
{
    struct bench *b = new_bench(1);
    int length = bundle_length(b);

    (void)state;
    put(b, TOY_BRANCH, 2 * length);
    put(b, TOY_ADD, 1);
    put_end(b);
    assert_true(surely_ends(b));
    bench_free(b);
}

static void branches_back(void **state)
{
    struct bench *b;

    (void)state;
    for (int back = 0; back < 2; back++) {
        int length;

        b = new_bench(1);
        length = bundle_length(b);
        put(b, TOY_BRANCH, -back * length); /* to itself, or to the bundle before */
        put_end(b);
        assert_false(surely_ends(b));
        bench_free(b);
    }
}

/* Whether groups end that execute an end of lanes with a second source and an immediate. */
static bool end_ends(enum toy_selector source, enum toy_end told)
{
    struct bench *b = new_bench(1);
    bool result;

    bench_simple(b, 0, toy_word(TOY_END, 0, source, told), 1, 0, TOY_REGISTERS);
    put_end(b);
    result = surely_ends(b);
    bench_free(b);
    return result;
}

/* Lanes end by instructions of which the description says so. Another one of class control without
 * a target may go anywhere. */
static void ends_of_lanes(void **state)
{
    (void)state;
    assert_true(end_ends(TOY_ZERO, TOY_ENDS));
    assert_true(end_ends(TOY_ZERO, TOY_ENDS_AT_ZERO));
    assert_false(end_ends(TOY_UNIFORM_0, TOY_ENDS_AT_ZERO));
    assert_false(end_ends(TOY_ZERO, TOY_END_UNTOLD));
}

static void barriers(void **state)
{
    struct bench *b = new_bench(1);

    (void)state;
    put(b, TOY_BARRIER, 0);
    put_end(b);
    assert_false(surely_ends(b));
    bench_free(b);
}

/* Jobs that come again with a shader do not walk through it again, whatever was found. */
static void walks_once(void **state)
{
    (void)state;
    for (int barrier = 0; barrier < 2; barrier++) {
        struct bench *b = new_bench(1);
        unsigned first;

        put(b, barrier ? TOY_BARRIER : TOY_ADD, 0);
        put_end(b);
        assert_int_equal(surely_ends(b), !barrier);
        first = texts;
        assert_int_equal(surely_ends(b), !barrier);
        assert_int_equal(texts, first);
        bench_free(b);
    }
}

/* Each warp executes each bundle once, and a group may execute less than its budget. */
static void bundles_below_budget(void **state)
{
    enum { BUNDLES = 3, WARPS = 2 * ROW / LANES };
    struct bench *b = new_bench(1);

    (void)state;
    bench_size(b, 2 * ROW, 1);
    put(b, TOY_ADD, 1);
    put(b, TOY_ADD, 1);
    put_end(b);
    gpu_cores_set_window(b->cores, BUNDLES * WARPS);
    assert_false(surely_ends(b));
    gpu_cores_set_window(b->cores, BUNDLES * WARPS + 1);
    assert_true(surely_ends(b));
    bench_free(b);
}

/* Private pages may be large: such groups need permission to begin. */
static void private_pages(void **state)
{
    struct bench *b = new_bench(1);

    (void)state;
    put_end(b);
    assert_true(surely_ends(b));
    PUT(b, LOCAL_STORAGE_TLS_BASE, BENCH_THREADS);
    assert_false(surely_ends(b));
    PUT(b, LOCAL_STORAGE_TLS_BASE, 0);
    PUT(b, LOCAL_STORAGE_WLS_SIZE_SCALE, 9);
    assert_false(surely_ends(b));
    bench_free(b);
}

/* Code that is not all there, or that is no longer what was decoded, proves nothing. */
static void unknown_code(void **state)
{
    struct bench *b = new_bench(1);
    struct gpu_outcome out;
    struct gpu_compute *job;

    (void)state;
    put(b, TOY_ADD, 1);
    put_end(b);
    job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
    assert_true(gpu_groups_surely_end(job));
    b->memory[BENCH_CODE + 20] ^= TOY_ADD ^ TOY_BARRIER;
    /* what was proved of the decoded bundles holds for the jobs that execute them */
    job->ends = GPU_ENDS_UNKNOWN;
    assert_true(gpu_groups_surely_end(job));
    job->ends = GPU_ENDS_UNKNOWN;
    job->shader->forward_bundles = 0;
    assert_false(gpu_groups_surely_end(job));
    gpu_compute_free(job);
    assert_false(surely_ends(b)); /* the next job decodes the barrier */
    bench_free(b);

    b = new_bench(1);
    put(b, TOY_ADD, 1); /* behind it are zeros, which are no bundle */
    assert_false(surely_ends(b));
    bench_free(b);
}

/* ---- windows --------------------------------------------------------------------------------- */

enum { GROUPS = 40 * GPU_WINDOW_GROUPS, GROUP_ROWS = 32, OUT = BENCH_DATA };

/* Runs a job of many groups, by two bundles or three of which one may branch back. Returns whether
 * its last window was gated, and its cycles in *cycles. */
static bool run_gated(unsigned host_threads, bool loops, uint64_t *cycles)
{
    struct bench *b = new_bench(host_threads);
    struct gpu_outcome out;
    struct gpu_compute *job;
    bool gated;

    bench_size(b, GROUP_ROWS * ROW, GROUPS);
    put(b, TOY_ADD, 1);
    if (loops)
        bench_simple(b, 0, toy_word(TOY_BRANCH, TOY_ZERO, TOY_ZERO, 0), 0, 0, TOY_REGISTERS);
    put_end(b);
    job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
    assert_non_null(job);
    assert_true(GPU_GROUPS_BYTES / gpu_window_group_bytes(job) < GROUPS - GPU_WINDOW_GROUPS);
    out = bench_step(job, 100);
    assert_int_equal(out.progress, GPU_PROGRESS_DONE);
    gated = job->window.gated;
    *cycles = job->cycles;
    gpu_compute_free(job);
    bench_free(b);
    return gated;
}

/* Groups that surely end need no permission to begin. The cycles follow from the bundles alone: 32
 * rows of four warps in 64 groups, spread over the cores. */
static void windows(void **state)
{
    (void)state;
    for (unsigned host_threads = 1; host_threads <= 4; host_threads += 3) {
        uint64_t straight, looped;

        assert_false(run_gated(host_threads, false, &straight));
        assert_true(run_gated(host_threads, true, &looped));
        assert_true(straight > 0);
        assert_int_equal(straight * 3, looped * 2);
    }
}

/* Begins a job of many groups of one row, runs its first window alone, and returns its number of
 * groups. *shares says whether workers had shares of it. */
static unsigned first_window(struct bench *b, bool *shares)
{
    struct gpu_outcome out;
    struct gpu_compute *job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
    unsigned groups;

    assert_non_null(job);
    gpu_window_open(job);
    groups = job->window.count;
    *shares = job->window.has_shares;
    job->window.open = false;
    gpu_compute_free(job);
    return groups;
}

/* The first window of groups that surely end has as many as a later one. A shader's first job may
 * show that groups wait for turns, so that workers have no shares in such a window. */
static void first_windows(void **state)
{
    (void)state;
    for (unsigned loops = 0; loops < 2; loops++) {
        struct bench *b = new_bench(2);
        bool shares;

        bench_size(b, ROW, GROUPS);
        put(b, TOY_ADD, 1);
        if (loops)
            bench_simple(b, 0, toy_word(TOY_BRANCH, TOY_ZERO, TOY_ZERO, 0), 0, 0, TOY_REGISTERS);
        put_end(b);
        for (unsigned jobs = 0; jobs < 2; jobs++) {
            assert_int_equal(first_window(b, &shares), loops ? GPU_WINDOW_GROUPS : GROUPS);
            assert_int_equal(shares, loops || jobs > 0);
        }
        bench_free(b);
    }
}

/* Long groups make it shorter: all together execute fewer than GPU_WINDOW_WORK bundles, if each
 * warp executes each bundle. */
static void first_windows_of_long_groups(void **state)
{
    enum { BUNDLES = 200, ROWS = 8, OF_PART = GPU_WINDOW_GROUPS * ROWS * ROW / LANES * BUNDLES };
    enum { PARTS = GPU_WINDOW_WORK / (OF_PART + 1) };
    struct bench *b = new_bench(1);
    bool shares;

    (void)state;
    assert_in_range(PARTS, 2, GPU_WINDOW_ROWS / (GPU_WINDOW_GROUPS * ROWS) - 1);
    bench_size(b, ROWS * ROW, 1 << 20);
    for (unsigned i = 1; i < BUNDLES; i++)
        put(b, TOY_ADD, 1);
    put_end(b);
    assert_int_equal(first_window(b, &shares), PARTS * GPU_WINDOW_GROUPS);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_branches),
        cmocka_unit_test(branches_forward),
        cmocka_unit_test(branches_back),
        cmocka_unit_test(ends_of_lanes),
        cmocka_unit_test(barriers),
        cmocka_unit_test(walks_once),
        cmocka_unit_test(bundles_below_budget),
        cmocka_unit_test(private_pages),
        cmocka_unit_test(unknown_code),
        cmocka_unit_test(windows),
        cmocka_unit_test(first_windows),
        cmocka_unit_test(first_windows_of_long_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
