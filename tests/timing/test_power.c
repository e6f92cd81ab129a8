/* The power model, with energies computed by hand. */
#include "make.h"

#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/timing/power.h"

/* A core of two engines at 100 MHz; a cycle takes 10 ns, in which 100 uW are 1 pJ. */
static const struct timing_shape shape = {2, 2, 64, 4, 100};

static struct power_model model_of(void)
{
    return (struct power_model){.params = {.voltage = 1000,
                                           .bundle_energy = 100,
                                           .arithmetic_energy = 10,
                                           .control_energy = 1,
                                           .memory_energy = 20,
                                           .attribute_energy = 3,
                                           .l1_energy = 1000,
                                           .l2_energy = 5000,
                                           .dram_energy = 7000,
                                           .core_active = 400,
                                           .core_gated = 60,
                                           .gpu_active = 200,
                                           .gpu_gated = 40,
                                           .core_leakage = 1000,
                                           .gpu_leakage = 3000},
                                .clock_mhz = 100};
}

static struct timing_params detailed_params(void)
{
    struct timing_params p = timing_params_default();

    p.pipe_depth = 4000;
    p.stage_issue = 1000;
    return p;
}

static struct power_energy energy_of(const struct timing_job *job, enum timing_fidelity fidelity,
                                     struct timing_result *r)
{
    struct power_model m = model_of();
    struct timing_params p = detailed_params();
    struct power_energy e;
    struct power_job j;

    power_job_begin(&j, &m, job);
    assert_true(timing_run_wanted(&p, &shape, fidelity, job, r,
                                  &(struct timing_wanted){.stay = power_job_stay, .opaque = &j}));
    power_job_end(&j, r, &e);
    return e;
}

/* A warp of four lanes and three bundles of one word each: 3 * (100 + 4 * 10) pJ. */
static void test_instructions(void **state)
{
    struct timing_job job;
    struct timing_result r;
    struct power_energy e;

    (void)state;
    make_job(&job, 4, 4);
    make_group(&job, "aaa", NULL);
    job.group_total = 1;
    e = energy_of(&job, TIMING_DETAILED, &r);
    assert_int_equal(e.part[POWER_INSTRUCTIONS], 3 * 140);
    /* bundles begin at 0, 4 and 8, and the warp leaves the pipe at 12 */
    assert_int_equal(r.ticks, 12000);
    assert_int_equal(e.part[POWER_CLOCKS], 12 * (400 + 200) / 100);
    assert_int_equal(e.part[POWER_CACHES] + e.part[POWER_MEMORY] + e.part[POWER_LEAKAGE], 0);
    assert_int_equal(e.core[0], 3 * 140 + 12 * 4);
    assert_int_equal(e.core[1], 0);
    assert_int_equal(power_sum(&e), 3 * 140 + 12 * 6);
    timing_job_release(&job);
}

/* Two loads of a line: the first goes to memory, the second hits L1. */
static void test_lines(void **state)
{
    enum timing_fidelity both[] = {TIMING_DETAILED, TIMING_REASSEMBLE};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct timing_job job;
        struct timing_result r;
        struct power_energy e;

        make_job(&job, 4, 4);
        make_group(&job, "l1l1", NULL);
        job.group_total = 1;
        e = energy_of(&job, both[i], &r);
        assert_int_equal(e.part[POWER_INSTRUCTIONS], 2 * (100 + 4 * 20));
        assert_int_equal(e.part[POWER_CACHES], 2 * 1000 + 5000);
        assert_int_equal(e.part[POWER_MEMORY], 7000);
        timing_job_release(&job);
    }
}

/* Cores add up: two groups on two cores take twice what one takes, but for the shared clock; a
 * third and a fourth make it longer, not more per time. */
static void test_cores(void **state)
{
    struct power_energy e[5];
    struct timing_result r[5];

    (void)state;
    for (unsigned groups = 1; groups <= 4; groups++) {
        struct timing_job job;

        make_job(&job, 64, 4);
        make_groups(&job, groups, 16, "aaaaaaaa");
        job.group_total = groups;
        e[groups] = energy_of(&job, TIMING_DETAILED, &r[groups]);
        timing_job_release(&job);
    }
    assert_int_equal(r[2].ticks, r[1].ticks);
    assert_int_equal(e[2].core[0], e[1].core[0]);
    assert_int_equal(e[2].core[1], e[1].core[0]);
    assert_int_equal(power_sum(&e[2]), power_sum(&e[1]) + e[1].core[0]);
    assert_int_equal(r[4].ticks, 2 * r[2].ticks);
    assert_int_equal(power_sum(&e[4]), 2 * power_sum(&e[2]));
    assert_int_equal(e[3].core[0] + e[3].core[1], 3 * e[1].core[0]);
}

/* Groups that are not in the sample take what the others take. */
static void test_sample(void **state)
{
    struct power_energy e[2];
    struct timing_result r;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct timing_job job;

        make_job(&job, 4, 4);
        make_groups(&job, 2, 1, "al1");
        job.group_total = i ? 6 : 2;
        e[i] = energy_of(&job, TIMING_DETAILED, &r);
        timing_job_release(&job);
    }
    assert_int_equal(power_sum(&e[1]), 3 * power_sum(&e[0]));
    assert_int_equal(e[1].part[POWER_CACHES], 3 * e[0].part[POWER_CACHES]);
    assert_int_equal(e[1].core[1], 3 * e[0].core[1]);
}

/* At half the frequency and 0.9 of the voltage: energies by 0.81, clocks by 0.405, leakage by
 * 0.729. */
static void test_points(void **state)
{
    const struct power_point points[] = {{50, 900}, {100, 1000}};
    struct power_model m = model_of();
    struct power_state on = {2, true}, off = {0, false};
    struct power_point slow = power_point_for(points, 2, 50),
                       full = power_point_for(points, 2, 100);
    struct power_energy e = {{0}, {0}};

    (void)state;
    assert_int_equal(slow.millivolt, 900);
    assert_int_equal(power_point_for(points, 2, 51).millivolt, 1000);
    assert_int_equal(power_point_for(points, 2, 51).mhz, 51);
    assert_int_equal(power_point_for(points, 2, 40).millivolt, 900);
    assert_int_equal(power_point_for(points, 2, 200).millivolt, 1000);
    assert_int_equal(power_scaled(&m, &full, 1000), 1000);
    assert_int_equal(power_scaled(&m, &slow, 1000), 810);
    assert_int_equal(power_base_uw(&m, &full, &on), 2 * 60 + 40 + 2 * 1000 + 3000);
    assert_int_equal(power_base_uw(&m, &slow, &on), 64 /* 160 * .405 */ + 3645 /* 5000 * .729 */);
    assert_int_equal(power_base_uw(&m, &full, &off), 3000);
    power_add_base(&m, &full, &on, 1000000, &e); /* a millisecond: uW are nJ */
    assert_int_equal(e.part[POWER_CLOCKS], 160000);
    assert_int_equal(e.part[POWER_LEAKAGE], 5000000);
}

/* Each engine begins a bundle per cycle: 4 * 140 pJ * 100 MHz, and power of all active parts. */
static void test_full(void **state)
{
    const struct power_point full = {100, 1000};
    struct timing_params p = detailed_params();
    struct power_model m = model_of();

    (void)state;
    m.params.turn_words = 1;
    assert_int_equal(power_full_uw(&m, &full, &p, &shape),
                     4 * 140 * 100 + 2 * 400 + 200 + 2 * 60 + 40 + 2 * 1000 + 3000);
    m.params.turn_words = 2;
    assert_int_equal(power_full_uw(&m, &full, &p, &shape),
                     4 * 180 * 100 + 2 * 400 + 200 + 2 * 60 + 40 + 2 * 1000 + 3000);
}

static void test_clocks(void **state)
{
    static const char *const wrong[] = {"",       "x",    "0",     "600:", "600:x",
                                        "600:90", "600x", "10001", "-1"};
    struct power_point at;
    struct error err;

    (void)state;
    assert_true(power_point_read("600", &at, &err));
    assert_int_equal(at.mhz, 600);
    assert_int_equal(at.millivolt, 0);
    assert_true(power_point_read("432:900", &at, &err));
    assert_int_equal(at.mhz, 432);
    assert_int_equal(at.millivolt, 900);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        assert_false(power_point_read(wrong[i], &at, &err));
}

static void test_settings(void **state)
{
    struct power_model m = model_of();
    struct error err;

    (void)state;
    assert_true(power_params_set(&m.params, "l2_energy=17", &err));
    assert_int_equal(m.params.l2_energy, 17);
    assert_false(power_params_set(&m.params, "l3_energy=17", &err));
    assert_string_equal(err.text, "no power parameter is called l3_energy");
    assert_false(power_params_set(&m.params, "voltage=3000", &err));
    assert_string_equal(err.text, "voltage is a number from 100 to 2000, not 3000");
    assert_false(power_params_set(&m.params, "voltage=-1", &err));
    assert_false(power_params_set(&m.params, "voltage=9x", &err));
    assert_false(power_params_set(&m.params, "voltage", &err));
    for (unsigned i = 0; i < POWER_PARTS; i++)
        assert_non_null(power_part_name(i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instructions), cmocka_unit_test(test_lines),
        cmocka_unit_test(test_cores),        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_points),       cmocka_unit_test(test_full),
        cmocka_unit_test(test_clocks),       cmocka_unit_test(test_settings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
