/*
 * When bundles are recorded, and which bundles a recording has. One that begins behind a barrier
 * passes through other traces, so that the way to the next barrier or the end is one function.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/gpu/shader/core.h"
#include "tests/gpu_core/bench.h"

enum { LANES = 4, HOT = 4, GROUPS = 4 * HOT, OUT = BENCH_DATA, SKIP = BENCH_DATA + 4 };
enum { SIMPLE = 2 /* size of a bundle of bench_simple(), in units of branches */ };

/*
 * Two ways to the same end: r2 = 1 + 2 with a barrier before the first sum, and r2 = 2 if the word
 * at SKIP is not 0. r2 is stored at OUT. Returns the address behind the barrier; *sum becomes that
 * of the second sum.
 */
static uint64_t put_shader(struct bench *b, uint64_t *sum)
{
    struct toy_bundle load = {.stages = 1, .constants = 1, .constant = {SKIP}};
    struct toy_bundle store = {
        .stages = 1, .constants = 1, .flags = GPU_BUNDLE_END, .constant = {OUT}};
    uint64_t behind;

    toy_write(&load, 0, 1, 1, 3);
    load.word[0][1] = toy_word(TOY_LOAD, TOY_CONSTANT_0, 0, 0);
    bench_bundle(b, &load);
    bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, 3 * SIMPLE), 1, 0, TOY_REGISTERS);
    bench_simple(b, 0, toy_word(TOY_BARRIER, 0, 0, 0), 0, 0, TOY_REGISTERS);
    behind = bench_simple(b, 0, toy_word(TOY_ADD, TOY_ZERO, TOY_ZERO, 1), 0, 0, 2);
    *sum = bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, 2), 2, 0, 2);
    toy_read(&store, 0, 0, 2);
    store.word[0][1] = toy_word(TOY_STORE, TOY_CONSTANT_0, 0, 0);
    bench_bundle(b, &store);
    return behind;
}

/* The number of bundles of the first trace that begins at `address`; 0: there is none. */
static unsigned bundles_of_trace(const struct bench *b, uint64_t address)
{
    const struct gpu_shader *s = b->cores->shaders[0];

    for (unsigned n = 0; n < s->code_count; n++)
        if (s->codes[n]->address == address)
            return s->codes[n]->trace ? s->codes[n]->trace->count : 0;
    return 0;
}

static void run(struct bench *b, uint32_t skip, uint32_t expected)
{
    bench_set_word(b, SKIP, skip);
    bench_set_word(b, OUT, 0);
    assert_int_equal(bench_run(b, 10).progress, GPU_PROGRESS_DONE);
    assert_int_equal(bench_word(b, OUT), expected);
}

/* The second sum becomes hot on the way without the barrier, so a trace begins at it before the
 * first sum, on the other way, is hot. */
static void passes_through_behind_barrier(void **state)
{
    struct bench *b = bench_new(LANES, 1, LANES);
    uint64_t sum, behind = put_shader(b, &sum);

    (void)state;
    bench_size(b, LANES, GROUPS);
    gpu_cores_translate(b->cores, HOT);
    assert_non_null(b->cores->translator);
    run(b, 1, 2);
    run(b, 0, 3);
    assert_int_equal(bundles_of_trace(b, sum), 2);
    assert_int_equal(bundles_of_trace(b, behind), 3);
    bench_free(b);
}

/* Runs the shader in jobs of that many groups, whose rows all take the way without the barrier.
 * Returns which job, from 1 for the first, translated its first bundle; 0: none of `most` did. */
static unsigned job_that_translates(uint32_t after, unsigned groups, unsigned most)
{
    struct bench *b = bench_new(LANES, 1, LANES);
    uint64_t sum;

    put_shader(b, &sum);
    bench_size(b, LANES, groups);
    gpu_cores_translate(b->cores, after);
    for (unsigned n = 1; n <= most; n++) {
        run(b, 1, 2);
        if (!bundles_of_trace(b, BENCH_CODE))
            continue;
        bench_free(b);
        return n;
    }
    bench_free(b);
    return 0;
}

/* A shader that comes again is translated after 1024 executions from its fourth job on, and from
 * its eighth on after 256, all of its jobs taken together. */
static void is_hot_sooner_when_it_comes_again(void **state)
{
    (void)state;
    assert_int_equal(job_that_translates(8192, 8192, 3), 1);
    assert_int_equal(job_that_translates(8192, 2730, 3), 0);
    assert_int_equal(job_that_translates(8192, 2731, 3), 3);
    assert_int_equal(job_that_translates(8192, 256, 5), 4);
    assert_int_equal(job_that_translates(8192, 255, 5), 5);
    assert_int_equal(job_that_translates(8192, 32, 9), 8);
    assert_int_equal(job_that_translates(8192, 31, 9), 9);
    assert_int_equal(job_that_translates(16, 15, 5), 2);
    assert_int_equal(job_that_translates(0, 600, 5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_hot_sooner_when_it_comes_again),
        cmocka_unit_test(passes_through_behind_barrier),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
