/*
 * Accesses of a row's lanes that host code hands over (translate/row.h): which memory they meet, in
 * which order, and how they are counted. They are made by C functions called from within a shader.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gpu/shader/core.h"
#include "runtime/gpu/stats.h"
#include "runtime/gpu/translate/row.h"
#include "tests/gpu_core/bench.h"

enum { WARP = 4, ROW = 16, OUT = BENCH_DATA, PAGE = BENCH_PAGE };

static void (*body)(struct gpu_warp *w);
static uint64_t va[ROW];

static void run_body_of(const struct gpu_warp *w)
{
    body((struct gpu_warp *)(uintptr_t)w);
}

/* Runs `fn` once. Returns the counts of accesses; *pages becomes the number of touched pages. */
static const uint64_t *run(struct bench *b, void (*fn)(struct gpu_warp *w), uint64_t *pages)
{
    const struct gpu_counters *all = gpu_stats_total(gpu_cores_stats(b->cores));

    toy_dump = run_body_of;
    body = fn;
    bench_size(b, 1, 1);
    b->code_end = BENCH_CODE;
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_DUMP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    *pages = all->pages;
    return all->accesses;
}

/* Host code has counted each lane's access by the expected counter. */
static uint32_t expect_count(struct gpu_warp *w, unsigned lanes, unsigned bytes, unsigned counter)
{
    w->core->accesses[counter] += lanes;
    return bytes | counter << GPU_ROW_COUNTER;
}

static uint32_t out32[ROW];

static void read_far_apart(struct gpu_warp *w)
{
    memset(out32, 0xee, sizeof(out32));
    for (unsigned l = 0; l < ROW; l++)
        va[l] = OUT + (uint64_t)l % 8 * PAGE + 4 * l;
    gpu_row_read(w, 0xfffd, va, out32, expect_count(w, 15, 4, GPU_COUNT_GLOBAL_READ));
}

/* Each lane reads its own page; a lane outside the mask reads nothing, and its page is not
 * touched. */
static void lanes_in_pages(void **state)
{
    struct bench *b = bench_new(WARP, 1, 1);
    const uint64_t *counts;
    uint64_t pages;

    (void)state;
    for (unsigned l = 0; l < ROW; l++)
        bench_set_word(b, OUT + l % 8 * PAGE + 4 * l, 1000 + l);
    counts = run(b, read_far_apart, &pages);
    for (unsigned l = 0; l < ROW; l++)
        assert_int_equal(out32[l], l == 1 ? 0xeeeeeeee : 1000 + l);
    assert_int_equal(counts[GPU_COUNT_GLOBAL_READ], 15);
    assert_int_equal(pages, 8); /* lane 9 is in the page of lane 1 */
    bench_free(b);
}

static void write_overlapping(struct gpu_warp *w)
{
    static const uint32_t in[ROW] = {0x11111111, 0x22222222, 0x33333333, 0x44444444};

    va[0] = OUT;
    va[1] = OUT + 2;
    va[2] = OUT + PAGE - 2; /* in two pages */
    va[3] = OUT + PAGE;
    gpu_row_write(w, 0xf, va, in, expect_count(w, 4, 4, GPU_COUNT_GLOBAL_WRITE));
}

/* The lowest lane comes first. From lane 2 on, which is in two pages, lanes are counted byte by
 * byte where they are so written. */
static void later_lanes_win(void **state)
{
    struct bench *b = bench_new(WARP, 1, 1);
    const uint64_t *counts;
    uint64_t pages;

    (void)state;
    counts = run(b, write_overlapping, &pages);
    assert_int_equal(bench_word(b, OUT), 0x22221111);
    assert_int_equal(bench_word(b, OUT + 4), 0x2222);
    assert_int_equal(bench_word(b, OUT + PAGE - 4), 0x33330000);
    assert_int_equal(bench_word(b, OUT + PAGE), 0x44444444);
    assert_int_equal(counts[GPU_COUNT_GLOBAL_WRITE], 1 + 1 + 4 + 1);
    assert_int_equal(pages, 2);
    bench_free(b);
}

static uint16_t out16[ROW];

static void mix_kinds(struct gpu_warp *w)
{
    static const uint32_t in[ROW] = {0xa1, 0xa2, 0xa3};

    va[0] = OUT;
    va[1] = BENCH_LOCAL + 8;
    va[2] = OUT + 64;
    gpu_row_write(w, 7, va, in, expect_count(w, 3, 4, GPU_COUNT_GLOBAL_WRITE));
    gpu_row_read(w, 7, va, out16, expect_count(w, 3, 2, GPU_COUNT_LOCAL_READ));
}

/* Lanes count by the kind of page that they meet, whatever was expected. */
static void kinds_are_mixed(void **state)
{
    struct bench *b = bench_new(WARP, 1, 1);
    const uint64_t *counts;
    uint64_t pages;

    (void)state;
    counts = run(b, mix_kinds, &pages);
    assert_int_equal(counts[GPU_COUNT_GLOBAL_WRITE], 2);
    assert_int_equal(counts[GPU_COUNT_LOCAL_WRITE], 1);
    assert_int_equal(counts[GPU_COUNT_GLOBAL_READ], 2);
    assert_int_equal(counts[GPU_COUNT_LOCAL_READ], 1);
    assert_int_equal(out16[0], 0xa1);
    assert_int_equal(out16[1], 0xa2);
    assert_int_equal(out16[2], 0xa3);
    assert_int_equal(bench_word(b, BENCH_LOCAL + 8), 0);
    assert_int_equal(pages, 2);
    bench_free(b);
}

static void read_side_by_side(struct gpu_warp *w)
{
    memset(out32, 0, sizeof(out32));
    for (unsigned l = 0; l < ROW; l++)
        va[l] = OUT + 4 * (uint64_t)l;
    gpu_row_read(w, 0x0ff0, va, out32, expect_count(w, 8, 4, GPU_COUNT_GLOBAL_READ));
}

static void side_by_side(void **state)
{
    struct bench *b = bench_new(WARP, 1, 1);
    const uint64_t *counts;
    uint64_t pages;

    (void)state;
    for (unsigned l = 0; l < ROW; l++)
        bench_set_word(b, OUT + 4 * l, 50 + l);
    counts = run(b, read_side_by_side, &pages);
    for (unsigned l = 0; l < ROW; l++)
        assert_int_equal(out32[l], l < 4 || l > 11 ? 0 : 50 + l);
    assert_int_equal(counts[GPU_COUNT_GLOBAL_READ], 8);
    assert_int_equal(pages, 1);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_in_pages),
        cmocka_unit_test(later_lanes_win),
        cmocka_unit_test(kinds_are_mixed),
        cmocka_unit_test(side_by_side),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
