/* Properties that hold for every trace, tested on random traces of independent groups. */
#include "make.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/random.h"

static uint64_t draw_below(uint64_t *seed, uint64_t below)
{
    return random_next(seed) % below;
}

/*
 * Makes a job of random groups without barriers; unless `shared`, each group has lines of its own.
 */
static void random_job(struct timing_job *job, uint64_t *seed, bool shared)
{
    unsigned groups = 1 + (unsigned)draw_below(seed, 40);

    make_job(job, 8, 4);
    for (unsigned g = 0; g < groups; g++) {
        char text[2][2048];

        for (unsigned w = 0; w < 2; w++) {
            size_t n = 0;

            for (unsigned i = 0; i < 5 + draw_below(seed, 60); i++) {
                uint64_t line = draw_below(seed, 30) + (shared ? 0 : g * 100);
                uint64_t what = draw_below(seed, 6);

                if (what == 0)
                    n += (size_t)sprintf(text[w] + n, "l%llu", (unsigned long long)line);
                else if (what == 1)
                    n += (size_t)sprintf(text[w] + n, "s%llu", (unsigned long long)line);
                else
                    n += (size_t)sprintf(text[w] + n, "a");
            }
        }
        make_group(job, text[0], text[1], NULL);
    }
}

static const enum timing_fidelity models[] = {TIMING_REASSEMBLE, TIMING_DETAILED};

/* Parameters for both models; parameters that are not set take no time, or have no limit. */
static struct timing_params params_of_both(void)
{
    struct timing_params p = timing_params_default();

    p.pipe_depth = 7 * TIMING_TICKS;
    p.load_exposed = 5 * TIMING_TICKS;
    p.memory_issue = 2 * TIMING_TICKS;
    return p;
}

/* With equal groups and without caches, a further core never increases the time. */
static void more_cores(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (unsigned round = 0; round < 120; round++) {
        struct timing_params p = params_of_both();
        struct timing_job job;
        uint64_t before = UINT64_MAX;
        char text[64];

        p.l1_bytes = p.l2_bytes = 0;
        snprintf(text, sizeof(text), "al%ua%.*sl7", (unsigned)draw_below(&seed, 9),
                 (int)draw_below(&seed, 12), "aaaaaaaaaaaa");
        make_job(&job, 8, 4);
        make_groups(&job, 1 + (unsigned)draw_below(&seed, 60), 2, text);
        for (unsigned cores = 1; cores <= 16; cores++) {
            struct timing_shape shape = {cores, 3, 64, 4, 100};
            uint64_t now = make_run(&p, &shape, models[round % 2], &job).ticks;

            assert_true(now <= before);
            before = now;
        }
        timing_job_release(&job);
    }
}

static void bounds_of_times(void **state)
{
    uint64_t seed = 2;

    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        struct timing_params p = timing_params_default();
        struct timing_shape shape = {1 + (unsigned)draw_below(&seed, 8),
                                     1 + (unsigned)draw_below(&seed, 4), 64, 4, 100};
        struct timing_job job;
        struct timing_result r, again;

        random_job(&job, &seed, round & 1);
        r = make_run(&p, &shape, TIMING_REASSEMBLE, &job);
        again = make_run(&p, &shape, TIMING_REASSEMBLE, &job);
        assert_memory_equal(&r, &again, sizeof(r));
        assert_int_equal(r.instructions, timing_job_work(&job).instructions);
        assert_int_equal(r.groups, job.groups.len);
        assert_int_equal(r.warps, 2 * job.groups.len);
        p.pipe_depth = 7 * TIMING_TICKS;
        again = make_run(&p, &shape, TIMING_DETAILED, &job);
        assert_int_equal(again.instructions, r.instructions);
        assert_int_equal(again.bundles, r.bundles);
        assert_int_equal(again.requests, r.requests);
        assert_int_equal(r.account[TIMING_ISSUE], r.instructions * TIMING_TICKS);
        assert_true(r.ticks * shape.cores * shape.engines >= r.account[TIMING_ISSUE]);
        assert_int_equal(r.l1_hits + r.l1_misses, r.requests);
        assert_int_equal(r.l2_hits + r.l2_misses, r.l1_misses);
        timing_job_release(&job);
    }
}

/* In caches with room for everything a line misses at its first access only. */
static void infinite_caches(void **state)
{
    struct timing_shape shape = {4, 3, 64, 4, 100};
    uint64_t seed = 3;

    (void)state;
    for (unsigned round = 0; round < 100; round++) {
        struct timing_params p = params_of_both();
        enum timing_fidelity model = models[round % 2];
        struct timing_job job;
        struct timing_result r, larger;

        p.l2_bytes = 1 << 30;
        random_job(&job, &seed, true);
        r = make_run(&p, &shape, model, &job);
        assert_true(r.l2_misses <= 30);
        p.l1_bytes = 1 << 30;
        larger = make_run(&p, &shape, model, &job);
        assert_int_equal(larger.l2_misses, r.l2_misses);
        assert_true(larger.l1_misses <= 30 * 4); /* each core has its own L1 */
        timing_job_release(&job);
    }
}

/*
 * A single warp that reads its lines three times: the first time all of them miss in both levels.
 */
static void first_touch(void **state)
{
    struct timing_shape shape = {1, 1, 64, 4, 100};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct timing_params p = params_of_both();
        struct timing_job job;
        struct timing_result r;

        p.l1_bytes = p.l2_bytes = 1 << 30;
        make_job(&job, 4, 4);
        make_group(&job, "l1l2l3l4l5l1l2l3l4l5l1l2l3l4l5", NULL);
        r = make_run(&p, &shape, models[i], &job);
        assert_int_equal(r.l1_misses, 5);
        assert_int_equal(r.l1_hits, 10);
        assert_int_equal(r.l2_misses, 5);
        assert_int_equal(r.l2_hits, 0);
        timing_job_release(&job);
    }
}

/* With every second group left out of the trace, the predicted time is that of the whole. */
static void sampling_keeps_time(void **state)
{
    struct timing_params p = timing_params_default();
    struct timing_shape shape = {1, 1, 8, 4, 100};
    struct timing_job job;
    uint64_t all;

    (void)state;
    assert_int_equal(timing_sample_step(100, 0), 1);
    assert_int_equal(timing_sample_step(100, 100), 1);
    assert_int_equal(timing_sample_step(101, 100), 2);
    make_job(&job, 8, 4);
    make_groups(&job, 10, 2, "aaaaaa");
    all = make_run(&p, &shape, TIMING_REASSEMBLE, &job).ticks;
    for (unsigned i = 0; i < 10; i += 2) { /* leaves out every second group */
        struct timing_group *g = &job.groups.data[i + 1];

        for (unsigned n = 0; n < g->row_count; n++)
            free(g->rows[n].data);
        free(g->rows);
        job.groups.data[i / 2] = job.groups.data[i];
    }
    job.groups.len = 5;
    assert_int_equal(make_run(&p, &shape, TIMING_REASSEMBLE, &job).ticks, all);
    timing_job_release(&job);
}

static void parameters_are_checked(void **state)
{
    struct timing_params p = timing_params_default();
    struct timing_shape shape = {4, 2, 256, 1, 600};
    struct error err = {""};

    (void)state;
    assert_true(timing_params_set(&p, &shape, "l1_miss_latency=26.84", &err));
    assert_int_equal(p.l1_miss_latency, 26840);
    assert_true(timing_params_set(&p, &shape, "cores=12", &err));
    assert_int_equal(shape.cores, 12);
    assert_false(timing_params_set(&p, &shape, "cores=0", &err));
    assert_false(timing_params_set(&p, &shape, "l1_miss_latency=0.0001", &err));
    assert_false(timing_params_set(&p, &shape, "l1_bytes=1.5", &err));
    assert_false(timing_params_set(&p, &shape, "l1_bytes", &err));
    assert_false(timing_params_set(&p, &shape, "l1=3", &err));
    assert_string_equal(err.text, "no timing parameter is called l1");
}

/* The stays of groups on cores that the model reported. */
struct stays {
    struct timing_stay at[64];
    unsigned count, warps;
    uint64_t last;
};

static void see_stay(void *opaque, const struct timing_stay *stay)
{
    struct stays *s = opaque;

    assert_true(stay->begin < stay->end && stay->end >= s->last);
    s->last = stay->end;
    s->warps += stay->is_warp;
    if (stay->is_warp)
        return;
    s->at[s->count++] = *stay;
}

/*
 * Each group has one stay; stays in one slot of a core do not overlap; the last one ends no later
 * than the job.
 */
static void stays_follow_each_other(void **state)
{
    uint64_t seed = 11;

    (void)state;
    for (unsigned round = 0; round < 60; round++) {
        struct timing_params p = params_of_both();
        struct timing_shape shape = {1 + (unsigned)draw_below(&seed, 4), 3, 64, 4, 100};
        struct timing_result plain, watched;
        struct timing_job job;
        struct stays s = {0};

        random_job(&job, &seed, true);
        plain = make_run(&p, &shape, models[round % 2], &job);
        assert_true(timing_run_wanted(&p, &shape, models[round % 2], &job, &watched,
                                      &(struct timing_wanted){.stay = see_stay, .opaque = &s}));
        assert_memory_equal(&plain, &watched, sizeof(plain));
        assert_int_equal(s.count, job.groups.len);
        assert_int_equal(s.warps, 2 * job.groups.len);
        assert_true(s.last <= watched.ticks);
        for (unsigned i = 0; i < s.count; i++) {
            assert_true(s.at[i].core < shape.cores);
            assert_int_equal(s.at[i].warps, 2);
            for (unsigned k = 0; k < i; k++)
                assert_true(s.at[k].core != s.at[i].core || s.at[k].slot != s.at[i].slot ||
                            s.at[k].end <= s.at[i].begin);
        }
        timing_job_release(&job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_follow_each_other),
        cmocka_unit_test(more_cores),
        cmocka_unit_test(bounds_of_times),
        cmocka_unit_test(infinite_caches),
        cmocka_unit_test(first_touch),
        cmocka_unit_test(sampling_keeps_time),
        cmocka_unit_test(parameters_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
