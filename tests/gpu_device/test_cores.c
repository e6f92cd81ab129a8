/*
 * Shader cores of chains and jobs: the affinity register, chains of two address spaces on cores of
 * their own, policies and plans that narrow them, and how long cores are in use. A cycle takes a
 * nanosecond, the start of a job 500.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/gpu/core_policy.h"
#include "runtime/gpu/internal.h"
#include "tests/gpu_device/bed.h"

enum { STEPS = 10, CYCLES = 1000, START = 500, ALL = 0xfff, LOWER = 0x3f, UPPER = 0xfc0 };

/* The bed, with a second address space whose page is another one at the same address. */
struct pair {
    struct bed bed;
    uint64_t other;
};

static struct pair pair_new(void)
{
    struct pair p = {.bed = bed_new()};
    uint64_t root = space_new(p.bed.d);

    p.other = board_page(p.bed.d);
    space_map(p.bed.d, root, VA, p.other, PAGE_RW);
    driver_enable(p.bed.d, 1, root);
    job_fake(p.bed.d, p.bed.page, 0, &(struct fake_job){STEPS, CYCLES, VA + 0x800, 0, 0});
    job_fake(p.bed.d, p.other, 0, &(struct fake_job){STEPS, CYCLES, VA + 0x900, 0, 0});
    return p;
}

static void start_chain(struct board *d, unsigned slot, unsigned space, uint64_t cores)
{
    wr64(d, MALI_JS_HEAD_NEXT_LO(slot), VA);
    wr64(d, MALI_JS_AFFINITY_NEXT_LO(slot), cores);
    wr(d, MALI_JS_CONFIG_NEXT(slot), space);
    wr(d, MALI_JS_COMMAND_NEXT(slot), MALI_SLOT_COMMAND_START);
}

static uint64_t of_core(const struct pair *p, unsigned core, const char *name)
{
    char group[40];

    snprintf(group, sizeof(group), "gpu/cores/core%u", core);
    return stats_get(p->bed.d->b->stats, group, name);
}

static uint64_t total_core_cycles(const struct pair *p)
{
    return stats_get(p->bed.d->b->stats, "gpu/cores", "total_cycles");
}

/* ---- the hardware's rule --------------------------------------------------------------------- */

static void test_affinity(void **unused)
{
    static const uint64_t masks[][2] = {{1, 1}, {0x804, 0x804}, {ALL, ALL}, {~0ull, ALL}};

    (void)unused;
    for (unsigned i = 0; i < ARRAY_SIZE(masks); i++) {
        struct pair p = pair_new();

        start_chain(p.bed.d, 1, 0, masks[i][0]);
        assert_int_equal(driver_finish(p.bed.d, 1, MSEC, NULL), MALI_EXCEPTION_DONE);
        assert_int_equal(fake_used, masks[i][1]);
        for (unsigned core = 0; core < 12; core++)
            assert_int_equal(of_core(&p, core, "clocked_cycles"),
                             masks[i][1] >> core & 1 ? STEPS * CYCLES : 0);
        assert_int_equal(total_core_cycles(&p), START + STEPS * CYCLES);
        board_free(p.bed.d);
    }
}

/* Time until both chains have ended, one per address space. */
static uint64_t run_both(struct pair *p, uint64_t first, uint64_t second)
{
    struct board *d = p->bed.d;
    uint64_t begun = d->now;
    uint32_t wanted = 1u << 1 | 1u << 2;

    start_chain(d, 1, 0, first);
    start_chain(d, 2, 1, second);
    while ((rd(d, MALI_JOB_IRQ_RAWSTAT) & wanted) != wanted && d->now < begun + MSEC)
        board_wait(d, 10);
    return d->now - begun;
}

static void test_two_spaces(void **unused)
{
    struct pair p = pair_new();
    uint64_t apart = run_both(&p, LOWER, UPPER);

    (void)unused;
    assert_in_range(apart, START + STEPS * CYCLES, START + STEPS * CYCLES + 50);
    assert_int_equal(peek(p.bed.d, p.bed.page + 0x800 + 4 * (STEPS - 1)), STEPS);
    assert_int_equal(peek(p.bed.d, p.other + 0x900 + 4 * (STEPS - 1)), STEPS);
    assert_int_equal(peek(p.bed.d, p.bed.page + 0x900), 0);
    assert_int_equal(of_core(&p, 0, "clocked_cycles"), STEPS * CYCLES);
    assert_int_equal(of_core(&p, 11, "clocked_cycles"), STEPS * CYCLES);
    assert_in_range(total_core_cycles(&p), START + STEPS * CYCLES, START + STEPS * CYCLES + 2);
    assert_int_equal(gpu_work(p.bed.d->b->dev)->cycles, 2 * STEPS * CYCLES);
    board_free(p.bed.d);

    p = pair_new();
    apart = run_both(&p, LOWER, UPPER | 1); /* core 0 is in both: they take turns */
    assert_in_range(apart, 2 * (START + STEPS * CYCLES), 2 * (START + STEPS * CYCLES) + 50);
    assert_int_equal(of_core(&p, 0, "clocked_cycles"), 2 * STEPS * CYCLES);
    assert_int_equal(total_core_cycles(&p), 2 * (START + STEPS * CYCLES));
    board_free(p.bed.d);
}

/* A chain on free cores begins in the middle of another's long step; one on its cores does not. */
static void test_late_start(void **unused)
{
    (void)unused;
    for (unsigned shared = 0; shared < 2; shared++) {
        struct pair p = pair_new();
        struct board *d = p.bed.d;

        job_fake(d, p.bed.page, 0, &(struct fake_job){1, 100000, VA + 0x800, 0, 0});
        start_chain(d, 1, 0, LOWER);
        board_wait(d, 10000);
        start_chain(d, 2, 1, UPPER | shared);
        board_wait(d, START + STEPS * CYCLES + 50);
        assert_int_equal(rd(d, MALI_JOB_IRQ_RAWSTAT), shared ? 0 : 1u << 2);
        assert_int_equal(driver_finish(d, 1, MSEC, NULL), MALI_EXCEPTION_DONE);
        assert_int_equal(driver_finish(d, 2, MSEC, NULL), MALI_EXCEPTION_DONE);
        board_free(d);
    }
}

/* A load in the middle of two steps repeats or ends both. */
static void test_load(void **unused)
{
    struct pair p = pair_new();

    (void)unused;
    start_chain(p.bed.d, 1, 0, LOWER);
    start_chain(p.bed.d, 2, 1, UPPER);
    board_wait(p.bed.d, 5 * CYCLES);
    bench_save_and_load(p.bed.d->b);
    assert_int_equal(driver_finish(p.bed.d, 1, MSEC, NULL), MALI_EXCEPTION_DONE);
    assert_int_equal(driver_finish(p.bed.d, 2, MSEC, NULL), MALI_EXCEPTION_DONE);
    assert_int_equal(peek(p.bed.d, p.other + 0x900 + 4 * (STEPS - 1)), STEPS);
    board_free(p.bed.d);
}

/* ---- policies -------------------------------------------------------------------------------- */

/* Gives address space N the cores of[N], and jobs `job`; 0: none that it may. */
struct choice {
    uint64_t of[2], job;
    struct gpu_core_request chain; /* the last requests */
    struct gpu_core_request of_job;
};

static uint64_t choose_cores(void *opaque, const struct gpu_core_request *r)
{
    struct choice *c = opaque;

    *(r->shape ? &c->of_job : &c->chain) = *r;
    return r->shape ? c->job : c->of[r->space];
}

static void test_policy(void **unused)
{
    struct pair p = pair_new();
    struct choice c = {.of = {0x0f, 0xff0}, .job = 0x30};
    struct gpu_core_policy policy = {choose_cores, &c};

    (void)unused;
    p.bed.d->config.core_policy = &policy;
    /* Linux's driver names all cores in both slots. */
    assert_in_range(run_both(&p, ALL, ALL), START + STEPS * CYCLES, START + STEPS * CYCLES + 50);
    assert_int_equal(c.chain.slot, 2);
    assert_int_equal(c.chain.space, 1);
    assert_int_equal(c.chain.allowed, ALL);
    assert_int_equal(c.chain.others, 0x0f);
    assert_int_equal(c.of_job.allowed, 0xff0);
    assert_non_null(c.of_job.active);
    assert_int_equal(fake_used, 0x30);
    /* no core of 0x30 belongs to the first chain, which keeps all that it has */
    assert_int_equal(of_core(&p, 0, "clocked_cycles"), STEPS * CYCLES);
    assert_int_equal(of_core(&p, 4, "clocked_cycles"), STEPS * CYCLES);
    assert_int_equal(of_core(&p, 6, "clocked_cycles"), 0); /* gated during the job */
    board_free(p.bed.d);
}

/* ---- plans ----------------------------------------------------------------------------------- */

static struct gpu_core_plan *plan_of(const char *text, struct error *err)
{
    char path[] = "/tmp/gencc-plan-XXXXXX";
    int fd = mkstemp(path);
    struct gpu_core_plan *plan;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    plan = gpu_core_plan_read(path, err);
    unlink(path);
    return plan;
}

static uint64_t ask_plan(struct gpu_core_plan *plan, unsigned space,
                         const struct gpu_job_shape *shape, uint64_t hash)
{
    struct gpu_core_policy policy = gpu_core_plan_policy(plan);
    struct gpu_core_request r = {.space = space, .allowed = ALL, .shape = shape, .hash = hash};

    return policy.choose(policy.opaque, &r);
}

static void test_plan(void **unused)
{
    static const struct gpu_job_shape shape = {.shader = 1};
    struct error err = {""};
    struct gpu_core_plan *plan = plan_of("# two programs\n"
                                         "all 0xf00\n\n"
                                         "space 1 7 # the first\n"
                                         "kernel 00000000DEADBEEF 0x1\n"
                                         "space 1 3\n",
                                         &err);

    (void)unused;
    assert_non_null(plan);
    assert_int_equal(ask_plan(plan, 0, NULL, 0), 0xf00);
    assert_int_equal(ask_plan(plan, 1, NULL, 0), 3);
    assert_int_equal(ask_plan(plan, 1, &shape, 0xdeadbeef), 1);
    assert_int_equal(ask_plan(plan, 1, &shape, 5), ALL);
    gpu_core_plan_free(plan);

    plan = gpu_core_plan_read("0x3", &err);
    assert_int_equal(ask_plan(plan, 4, NULL, 0), 3);
    assert_int_equal(ask_plan(plan, 4, &shape, 1), ALL);
    gpu_core_plan_free(plan);
}

static void test_bad_plans(void **unused)
{
    static const char *const wrong[] = {"all",     "all 0",    "all -1",  "all 3 4",   "space x 3",
                                        "space 1", "kernel 3", "cores 3", "kernel z 1"};
    struct error err = {""};

    (void)unused;
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        err.text[0] = 0;
        assert_null(plan_of(wrong[i], &err));
        assert_non_null(strstr(err.text, "line 1"));
    }
    assert_null(gpu_core_plan_read("/no/such/plan", &err));
    assert_non_null(strstr(err.text, "/no/such/plan"));
    assert_null(gpu_core_plan_read("0", &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_affinity),   cmocka_unit_test(test_two_spaces),
        cmocka_unit_test(test_late_start), cmocka_unit_test(test_load),
        cmocka_unit_test(test_policy),     cmocka_unit_test(test_plan),
        cmocka_unit_test(test_bad_plans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
