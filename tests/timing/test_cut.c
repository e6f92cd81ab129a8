/* Predictions of a part of a job, beside those of the whole. */
#include "make.h"

#include <stdlib.h>

static const struct timing_shape shape = {2, 3, 384, 4, 700};
enum { BUNDLES = 7, PASSES = 500, GROUPS = 12, WARPS = 9, MANY = 640, FEW = 160 };

struct found {
    struct timing_result r;
    struct timing_line lines[BUNDLES * PASSES + 1];
    uint64_t warps, groups, last;
};

static void keep_stay(void *opaque, const struct timing_stay *s)
{
    struct found *f = opaque;

    f->warps += s->is_warp;
    f->groups += !s->is_warp;
    f->last = s->end > f->last ? s->end : f->last;
    assert_true(s->begin <= s->end && s->core < shape.cores && s->engine < shape.engines);
}

struct tried {
    unsigned passes, more, groups; /* what the trace has: passes of group n are passes + n % more */
    struct timing_cut cut;
};

static unsigned passes_of(const struct tried *t, unsigned group)
{
    return t->passes + group % t->more;
}

/* Group `n` stores to a line of its own. */
static void add_groups(struct timing_job *job, const struct tried *t)
{
    for (unsigned n = 0; n < t->groups; n++) {
        char own[20], *text;

        snprintf(own, sizeof(own), "aal1aas%ua", 100 + n);
        text = make_times(own, passes_of(t, n));
        make_groups(job, 1, WARPS, text);
        free(text);
    }
}

static struct found *predict_of(const struct tried *t)
{
    struct timing_params p = timing_params_default();
    struct found *f = calloc(1, sizeof(*f));
    struct timing_job job;
    struct timing_wanted wanted = {
        .lines = f->lines, .stay = keep_stay, .opaque = f, .cut = t->cut};

    p.pipe_depth = 10000;
    p.l1_bytes = 4 * p.line_bytes;
    p.l2_bytes = 64 * p.line_bytes;
    make_job(&job, 4 * WARPS, 4);
    add_groups(&job, t);
    if (t->cut.whole)
        job.group_total = MANY;
    assert_true(job.bundles.len <= BUNDLES * PASSES);
    assert_true(timing_run_wanted(&p, &shape, TIMING_DETAILED, &job, &f->r, &wanted));
    for (size_t k = 0; k < TIMING_CAUSES; k++) {
        uint64_t sum = 0;

        for (size_t i = 0; i <= job.bundles.len; i++)
            sum += f->lines[i].account[k];
        assert_int_equal(sum, f->r.account[k]);
    }
    timing_job_release(&job);
    return f;
}

static uint64_t executed_ticks(unsigned groups, unsigned passes)
{
    return (uint64_t)BUNDLES * passes * groups * WARPS;
}

static struct found *predict_part(uint64_t bundles)
{
    return predict_of(
        &(struct tried){PASSES, 1, GROUPS, {bundles, executed_ticks(GROUPS, PASSES), false}});
}

static uint64_t engine_ticks(const struct found *f)
{
    uint64_t sum = 0;

    for (size_t k = 0; k < TIMING_CAUSES; k++)
        sum += f->r.account[k];
    return sum;
}

/* A steady job is as long as its tenth says, and its accounts still add up. */
static void tenth_predicts_whole(void **state)
{
    struct found *whole = predict_part(0), *part = predict_part(whole->r.bundles / 10);
    double ratio = (double)part->r.ticks / (double)whole->r.ticks;

    (void)state;
    assert_true(whole->r.part == 1 && part->r.part > 0.0999 && part->r.part < 0.11);
    assert_true(ratio > 0.97 && ratio < 1.03);
    assert_int_equal(engine_ticks(whole), whole->r.ticks * shape.cores * shape.engines);
    assert_int_equal(engine_ticks(part), part->r.ticks * shape.cores * shape.engines);
    ratio = (double)part->r.requests / (double)whole->r.requests;
    assert_true(ratio > 0.97 && ratio < 1.03);
    assert_true(part->last < whole->last / 5);
    free(whole);
    free(part);
}

/* The busier of two cores has 8 of the 15 groups, and the job lasts as long as that core. */
static void uneven_cores_last_longer(void **state)
{
    uint64_t all = executed_ticks(15, PASSES);
    struct found *whole = predict_of(&(struct tried){PASSES, 1, 15, {0, all, false}});
    struct found *part = predict_of(&(struct tried){PASSES, 1, 15, {all / 10, all, false}});
    double ratio = (double)part->r.ticks / (double)whole->r.ticks;

    (void)state;
    assert_true(part->r.part < 0.11);
    assert_true(ratio > 0.97 && ratio < 1.03);
    assert_true(part->r.error > 0 && part->r.error < 0.1 && whole->r.error == 0);
    free(whole);
    free(part);
}

/* A sample of the first groups, of which 20 fit at once, of a job of many that are alike. */
static void first_groups_stand_for_all(void **state)
{
    enum { SHORT = 5, MORE = 16 };
    uint64_t all = executed_ticks(MANY, 2 * SHORT + MORE - 1) / 2;
    struct found *whole = predict_of(&(struct tried){SHORT, MORE, MANY, {0}});
    struct found *part = predict_of(&(struct tried){SHORT, MORE, FEW, {0, all, true}});
    double ratio = (double)part->r.ticks / (double)whole->r.ticks;

    (void)state;
    assert_true(part->r.part > 0.03 && part->r.part < (double)FEW / MANY);
    assert_true(part->r.scale == 1 && ratio > 0.97 && ratio < 1.03);
    assert_int_equal(engine_ticks(part), part->r.ticks * shape.cores * shape.engines);
    ratio = (double)part->r.dram_writes / (double)whole->r.dram_writes;
    assert_true(whole->r.dram_writes > MANY / 2 && ratio > 0.9 && ratio < 1.25);
    free(whole);
    free(part);
}

/* A job that is shorter than the bound is predicted whole. */
static void short_job_is_whole(void **state)
{
    struct found *a = predict_part(0), *b = predict_part(1 << 30);

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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tenth_predicts_whole), cmocka_unit_test(uneven_cores_last_longer),
        cmocka_unit_test(first_groups_stand_for_all), cmocka_unit_test(short_job_is_whole)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
