/* Accounts of jobs: executions of bundles, and the ways of warps and lanes between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gpu/account.h"
#include "runtime/gpu/stats.h"
#include "tests/gpu_core/bench.h"

enum { LANES = 4, OUT = BENCH_DATA, MOST = 64 };

/* A copy of the last account. */
struct kept {
    unsigned accounts;
    struct gpu_counters counters;
    struct gpu_account_bundle bundle[MOST];
    struct gpu_account_way way[MOST];
    size_t bundles, ways;
};

static void keep_account(void *opaque, const struct gpu_account *a)
{
    struct kept *k = opaque;

    k->accounts++;
    k->counters = *a->counters;
    assert_true(a->bundle_count < MOST && a->way_count < MOST);
    memcpy(k->bundle, a->bundles, a->bundle_count * sizeof(*a->bundles));
    memcpy(k->way, a->ways, a->way_count * sizeof(*a->ways));
    k->bundles = a->bundle_count;
    k->ways = a->way_count;
}

/* Sums of the ways out of a bundle, or into it, and of the warps that diverged on them. */
static struct gpu_account_way sum_of_ways(const struct kept *k, uint64_t address, bool into)
{
    struct gpu_account_way sum = {0};

    for (size_t i = 0; i < k->ways; i++)
        if ((into ? k->way[i].to : k->way[i].from) == address) {
            sum.count.warps += k->way[i].count.warps;
            sum.count.lanes += k->way[i].count.lanes;
            sum.divergent += k->way[i].divergent;
        }
    return sum;
}

/* Nothing is lost between bundles; sums are the job's counters. */
static void check_sums(const struct kept *k)
{
    uint64_t bundles = 0, divergent = 0;
    struct gpu_account_way start = sum_of_ways(k, GPU_WAY_START, false);

    assert_int_equal(k->accounts, 1);
    for (size_t i = 0; i < k->bundles; i++) {
        const struct gpu_account_bundle *b = &k->bundle[i];
        struct gpu_account_way out = sum_of_ways(k, b->address, false);

        assert_true(i == 0 || b[-1].address < b->address);
        assert_int_equal(sum_of_ways(k, b->address, true).count.lanes, b->count.lanes);
        assert_int_equal(out.count.lanes, b->count.lanes);
        assert_in_range(out.count.warps, b->count.warps, UINT64_MAX);
        assert_in_range(out.divergent, 2 * b->divergent, UINT64_MAX);
        bundles += b->count.warps;
        divergent += b->divergent;
    }
    assert_int_equal(bundles, k->counters.bundles);
    assert_int_equal(divergent, k->counters.divergent_branches);
    assert_int_equal(start.count.warps, k->counters.warps);
    assert_int_equal(start.count.lanes, k->counters.threads);
    assert_int_equal(sum_of_ways(k, GPU_WAY_END, true).count.lanes, k->counters.threads);
}

static const struct gpu_account_way *find_way(const struct kept *k, uint64_t from, uint64_t to)
{
    static const struct gpu_account_way none;

    for (size_t i = 0; i < k->ways; i++)
        if (k->way[i].from == from && k->way[i].to == to)
            return &k->way[i];
    return &none;
}

static void assert_way(const struct kept *k, uint64_t from, uint64_t to, uint64_t warps,
                       uint64_t lanes, uint64_t divergent)
{
    assert_int_equal(find_way(k, from, to)->count.warps, warps);
    assert_int_equal(find_way(k, from, to)->count.lanes, lanes);
    assert_int_equal(find_way(k, from, to)->divergent, divergent);
}

static struct kept *new_kept(struct bench *b)
{
    struct kept *k = calloc(1, sizeof(*k));

    assert_non_null(k);
    gpu_cores_account(b->cores, &(struct gpu_account_sink){.end = keep_account, .opaque = k});
    return k;
}

/* r1 = local id; loop: r1 -= 1; if (r1) goto loop: lanes leave the loop one after the other. The
 * loop of a thread has one pass more than its number in the group, of which four in a row are a
 * warp. */
static void loop_by_lane(void **state)
{
    enum { GROUPS = 50, THREADS = 3 * LANES, PASSES = 4 + 8 + 12 };
    struct bench *b = bench_new(LANES, 2, THREADS);
    struct kept *k = new_kept(b);
    uint64_t start = b->code_end, loop, branch, last;

    (void)state;
    bench_size(b, THREADS, GROUPS);
    bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, 1), 8, 0, 1);
    loop = bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, (unsigned)-1), 1, 0, 1);
    branch = bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, (unsigned)((loop - b->code_end) / 16)),
                          1, 0, TOY_REGISTERS);
    last = bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    assert_int_equal(bench_run(b, 100).progress, GPU_PROGRESS_DONE);
    check_sums(k);
    assert_way(k, GPU_WAY_START, start, GROUPS * 3, GROUPS * THREADS, 0);
    assert_way(k, branch, loop, GROUPS * (PASSES - 3), GROUPS * (THREADS * (THREADS - 1) / 2),
               GROUPS * 3 * (LANES - 1));
    assert_way(k, branch, last, GROUPS * THREADS, GROUPS * THREADS, GROUPS * 3 * (LANES - 1));
    assert_way(k, last, GPU_WAY_END, GROUPS * 3, GROUPS * THREADS, 0);
    bench_free(b);
    free(k);
}

/*
 * `if (local id)` skips a bundle: only lane 0 of the first warp executes it, and the lanes
 * reconverge after it. The last warp has two lanes.
 */
static void lanes_skip(void **state)
{
    enum { GROUPS = 300, THREADS = 2 * LANES + 2 };
    struct bench *b = bench_new(LANES, 1, THREADS);
    struct kept *k = new_kept(b);
    uint64_t branch, alone, behind;

    (void)state;
    bench_size(b, THREADS, GROUPS);
    branch = bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, 4), 8, 0, TOY_REGISTERS);
    alone = bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, 5), 2, 0, 2);
    behind = bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    assert_int_equal(bench_run(b, 100).progress, GPU_PROGRESS_DONE);
    check_sums(k);
    assert_int_equal(k->bundles, 3);
    assert_way(k, branch, alone, GROUPS, GROUPS, GROUPS);
    assert_way(k, branch, behind, 3 * GROUPS, (THREADS - 1) * GROUPS, GROUPS);
    assert_way(k, alone, behind, GROUPS, GROUPS, 0);
    assert_way(k, behind, GPU_WAY_END, 3 * GROUPS, THREADS * GROUPS, 0);
    bench_free(b);
    free(k);
}

/* Lanes that end within the shader do not diverge. */
static void some_lanes_end(void **state)
{
    enum { GROUPS = 300, THREADS = 2 * LANES };
    struct bench *b = bench_new(LANES, 1, THREADS);
    struct kept *k = new_kept(b);
    uint64_t end, last;

    (void)state;
    bench_size(b, THREADS, GROUPS);
    end = bench_simple(b, 0, toy_word(TOY_END, 0, 0, 0), 8, 0, TOY_REGISTERS);
    last = bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    assert_int_equal(bench_run(b, 100).progress, GPU_PROGRESS_DONE);
    check_sums(k);
    assert_way(k, end, GPU_WAY_END, 2 * GROUPS, (THREADS - 1) * GROUPS, 0);
    assert_way(k, end, last, GROUPS, GROUPS, 0);
    assert_way(k, last, GPU_WAY_END, GROUPS, GROUPS, 0);
    bench_free(b);
    free(k);
}

/* Host code goes round a loop alike for all lanes, whose branch goes back. */
static void loop_together(void **state)
{
    enum { GROUPS = 20, PASSES = 1000 };
    struct bench *b = bench_new(LANES, 3, LANES);
    struct kept *k = new_kept(b);
    uint64_t loop, branch, last;

    (void)state;
    bench_size(b, LANES, GROUPS);
    bench_simple(b, 0, toy_word(TOY_ADD, TOY_ZERO, TOY_ZERO, PASSES), 0, 0, 1);
    loop = bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, (unsigned)-1), 1, 0, 1);
    branch = bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, (unsigned)((loop - b->code_end) / 16)),
                          1, 0, TOY_REGISTERS);
    last = bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    assert_int_equal(bench_run(b, 100).progress, GPU_PROGRESS_DONE);
    check_sums(k);
    assert_way(k, branch, loop, GROUPS * (PASSES - 1), GROUPS * (PASSES - 1) * LANES, 0);
    assert_way(k, branch, last, GROUPS, GROUPS * LANES, 0);
    bench_free(b);
    free(k);
}

/* A lane that faults ends there. */
static void fault_ends_lane(void **state)
{
    struct bench *b = bench_new(LANES, 1, LANES);
    struct kept *k = new_kept(b);
    uint64_t raise;

    (void)state;
    bench_simple(b, 0, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    raise = bench_simple(b, 0, toy_word(TOY_RAISE, 0, 0, 0), 0, 0, TOY_REGISTERS);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_FAILED);
    check_sums(k);
    assert_way(k, raise, GPU_WAY_END, 1, LANES, 0);
    bench_free(b);
    free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loop_by_lane),    cmocka_unit_test(lanes_skip),
        cmocka_unit_test(some_lanes_end),  cmocka_unit_test(loop_together),
        cmocka_unit_test(fault_ends_lane),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
