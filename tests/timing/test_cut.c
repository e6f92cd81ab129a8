/* Predictions of a part of a job, beside those of the whole. */
#include "make.h"

#include <stdlib.h>

static const struct timing_shape shape = {2, 3, 384, 4, 700};
enum { BUNDLES = 7, PASSES = 500, GROUPS = 12, WARPS = 9 };

struct found {
    struct timing_result r;
    struct timing_line lines[BUNDLES * PASSES + 1];
    uint64_t warps, groups, last;
};

static void keep(void *opaque, const struct timing_stay *s)
{
    struct found *f = opaque;

    f->warps += s->is_warp;
    f->groups += !s->is_warp;
    f->last = s->end > f->last ? s->end : f->last;
    assert_true(s->begin <= s->end && s->core < shape.cores && s->engine < shape.engines);
}

static struct found *predict(uint64_t bundles)
{
    struct timing_params p = timing_params_default();
    struct found *f = calloc(1, sizeof(*f));
    char *text = make_times("aal1aas2a", PASSES);
    struct timing_job job;
    struct timing_wanted wanted = {.lines = f->lines, .stay = keep, .opaque = f};

    p.pipe_depth = 10000;
    make_job(&job, 4 * WARPS, 4);
    make_groups(&job, GROUPS, WARPS, text);
    wanted.cut = (struct timing_cut){bundles, (uint64_t)BUNDLES * PASSES * GROUPS * WARPS};
    assert_true(job.bundles.len <= BUNDLES * PASSES);
    assert_true(timing_run_wanted(&p, &shape, TIMING_DETAILED, &job, &f->r, &wanted));
    for (size_t k = 0; k < TIMING_CAUSES; k++) {
        uint64_t sum = 0;

        for (size_t i = 0; i <= job.bundles.len; i++)
            sum += f->lines[i].account[k];
        assert_int_equal(sum, f->r.account[k]);
    }
    timing_job_release(&job);
    free(text);
    return f;
}

static uint64_t engines(const struct found *f)
{
    uint64_t sum = 0;

    for (size_t k = 0; k < TIMING_CAUSES; k++)
        sum += f->r.account[k];
    return sum;
}

/* A steady job is as long as its tenth says, and its accounts still add up. */
static void tenth(void **state)
{
    struct found *whole = predict(0), *part = predict(whole->r.bundles / 10);
    double ratio = (double)part->r.ticks / (double)whole->r.ticks;

    (void)state;
    assert_true(whole->r.part == 1 && part->r.part > 0.0999 && part->r.part < 0.11);
    assert_true(ratio > 0.97 && ratio < 1.03);
    assert_int_equal(engines(whole), whole->r.ticks * shape.cores * shape.engines);
    assert_int_equal(engines(part), part->r.ticks * shape.cores * shape.engines);
    ratio = (double)part->r.requests / (double)whole->r.requests;
    assert_true(ratio > 0.97 && ratio < 1.03);
    assert_true(part->last < whole->last / 5);
    free(whole);
    free(part);
}

/* A job that is shorter than the bound is predicted whole. */
static void whole(void **state)
{
    struct found *a = predict(0), *b = predict(1 << 30);

    (void)state;
    assert_int_equal(a->r.ticks, b->r.ticks);
    assert_true(b->r.part == 1);
    assert_int_equal(a->warps, GROUPS * WARPS);
    assert_int_equal(a->groups, GROUPS);
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tenth), cmocka_unit_test(whole)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
