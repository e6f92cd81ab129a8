/* The cores of a job: how long it takes on them, and how long each is active. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_on_cores),
        cmocka_unit_test(few_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
