/* The thin sample of a large job: which groups of it are traced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gpu/shader/core.h"
#include "runtime/gpu/timing_capture.h"
#include "runtime/gpu/variant.h"
#include "tests/gpu_core/bench.h"

enum { LANES = 4, GROUPS = 40000, BUNDLES = 8, TURNS = 4 };

struct seen {
    uint64_t groups, first, last, together;
};

static void record_job(void *opaque, const struct timing_job *job)
{
    struct seen *s = opaque;

    s->groups = job->groups.len;
    s->first = job->groups.data[0].index;
    s->last = job->groups.data[job->groups.len - 1].index;
}

/* Traces a thin sample of a job whose groups are one warp of BUNDLES bundles. */
static struct seen trace_sample(unsigned threads, unsigned groups,
                                const struct gpu_timing_thin *thin)
{
    struct bench *b = bench_new(LANES, threads, 1);
    /* the bench's variant does not limit the threads of a core: one group per core at a time */
    struct seen s = {.together = b->cores->variant->cores};

    gpu_cores_timing(b->cores, 0, record_job, &s);
    gpu_cores_timing_thin(b->cores, thin);
    gpu_cores_translate(b->cores, 0);
    bench_size(b, LANES, groups);
    for (unsigned i = 0; i < BUNDLES; i++)
        bench_simple(b, i + 1 == BUNDLES ? GPU_BUNDLE_END : 0, toy_word(TOY_NOP, 0, 0, 0), 0, 0,
                     TOY_REGISTERS);
    assert_int_equal(bench_run(b, 1000).progress, GPU_PROGRESS_DONE);
    bench_free(b);
    return s;
}

static void is_in_the_middle(const struct seen *s)
{
    uint64_t middle = (s->first + s->last) / 2;

    assert_int_equal(s->last - s->first + 1, s->groups);
    assert_in_range(middle, GROUPS / 2 - GPU_WINDOW_GROUPS, GROUPS / 2 + GPU_WINDOW_GROUPS);
}

/* Adjacent groups are traced, as many as the job's size or the number of bundles says. */
static void one_block(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct seen s =
            trace_sample(threads, GROUPS, &(struct gpu_timing_thin){GROUPS, GROUPS, TURNS, 0});

        assert_int_equal(s.groups, s.together);
        is_in_the_middle(&s);
        s = trace_sample(threads, GROUPS, &(struct gpu_timing_thin){10, 10, TURNS, 0});
        assert_int_equal(s.groups,
                         TURNS * s.together < GROUPS / 10 ? TURNS * s.together : GROUPS / 10);
        is_in_the_middle(&s);
        s = trace_sample(threads, GROUPS,
                         &(struct gpu_timing_thin){GROUPS, 10, TURNS, 2 * s.together * BUNDLES});
        assert_in_range(s.groups, 3 * s.together / 2, 2 * s.together);
        is_in_the_middle(&s);
    }
}

/* A job that fits into the GPU at once is traced whole. */
static void small_jobs_are_whole(void **state)
{
    struct seen s = trace_sample(1, 3, &(struct gpu_timing_thin){10, 10, TURNS, 0});

    (void)state;
    assert_int_equal(s.groups, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_block),
                                       cmocka_unit_test(small_jobs_are_whole)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
