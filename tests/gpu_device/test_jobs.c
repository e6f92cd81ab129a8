/* The job manager and job chains. */
#include "tests/gpu_device/bed.h"

static void test_null_chain(void **unused)
{
    struct bed t = bed_new();
    uint32_t state;

    (void)unused;
    job_header(t.d, t.page, MALI_JOB_TYPE_NULL, 1, VA + 0x80);
    job_header(t.d, t.page + 0x80, MALI_JOB_TYPE_NULL, 2, VA + 0x40);
    job_header(t.d, t.page + 0x40, MALI_JOB_TYPE_CACHE_FLUSH, 3, 0);
    driver_submit(t.d, 1, VA, 0);
    assert_int_equal(rd(t.d, MALI_JS_COMMAND_NEXT(1)), MALI_SLOT_COMMAND_NOP);
    assert_int_equal(rd(t.d, MALI_JS_STATUS(1)), MALI_EXCEPTION_ACTIVE);
    assert_int_equal(rd(t.d, MALI_JS_HEAD_LO(1)), VA);
    assert_int_equal(driver_finish(t.d, 1, LONG, &state), MALI_EXCEPTION_DONE);
    assert_int_equal(state, 0);
    assert_false(t.d->b->level[LINE_JOB]);
    assert_int_equal(rd(t.d, MALI_JS_TAIL_LO(1)), VA + 0x40);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(peek(t.d, t.page + 0x40 * i), MALI_EXCEPTION_DONE);
    assert_int_equal(stats_get(t.d->b->stats, "gpu", "jobs_null"), 2);
    assert_int_equal(stats_get(t.d->b->stats, "gpu", "jobs_cache_flush"), 1);
    board_free(t.d);
}

/* Without write-back the headers do not change. */
static void test_no_write_back(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    job_header(t.d, t.page, MALI_JOB_TYPE_NULL, 1, 0);
    driver_submit(t.d, 1, VA, MALI_JS_CONFIG_DISABLE_DESCRIPTOR_WR_BK);
    assert_int_equal(driver_finish(t.d, 1, LONG, NULL), MALI_EXCEPTION_DONE);
    assert_int_equal(peek(t.d, t.page), 0);
    board_free(t.d);
}

static void test_write_value(void **unused)
{
    static const unsigned types[] = {
        MALI_WRITE_VALUE_TYPE_IMMEDIATE_8,
        MALI_WRITE_VALUE_TYPE_IMMEDIATE_16,
        MALI_WRITE_VALUE_TYPE_IMMEDIATE_32,
        MALI_WRITE_VALUE_TYPE_IMMEDIATE_64,
        MALI_WRITE_VALUE_TYPE_ZERO,
        MALI_WRITE_VALUE_TYPE_CYCLE_COUNTER,
        MALI_WRITE_VALUE_TYPE_SYSTEM_TIMESTAMP,
    };
    struct bed t = bed_new();
    uint64_t out = t.page + 0x800, at[7];

    (void)unused;
    wr(t.d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_CYCLE_COUNT_START);
    for (unsigned i = 0; i < 7; i++) {
        poke64(t.d, out + 8 * i, UINT64_MAX);
        job_write_value(t.d, t.page + 64 * i, i < 6 ? VA + 64 * (i + 1) : 0, types[i],
                        VA + 0x800 + 8 * i, UINT64_C(0x1122334455667788));
    }
    driver_submit(t.d, 1, VA, 0);
    assert_int_equal(driver_finish(t.d, 1, LONG, NULL), MALI_EXCEPTION_DONE);
    for (unsigned i = 0; i < 7; i++)
        at[i] = bench_read_as(t.d->b, 0, out + 8 * i, 8);
    assert_true(at[0] == UINT64_C(0xffffffffffffff88));
    assert_true(at[1] == UINT64_C(0xffffffffffff7788));
    assert_true(at[2] == UINT64_C(0xffffffff55667788));
    assert_true(at[3] == UINT64_C(0x1122334455667788));
    assert_true(at[4] == 0);
    assert_true(at[5] > 0 && at[5] < 1000000);
    assert_true(at[6] > 0 && at[6] < 1000000);
    board_free(t.d);
}

/* A chain whose first job writes a later one's header: headers are read when their turn comes. */
static void test_chain_writes_itself(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    job_write_value(t.d, t.page, VA + 64, MALI_WRITE_VALUE_TYPE_IMMEDIATE_64, VA + 64 + 24,
                    VA + 128);
    job_header(t.d, t.page + 64, MALI_JOB_TYPE_NULL, 2, 0);
    job_header(t.d, t.page + 128, MALI_JOB_TYPE_NULL, 3, 0);
    driver_submit(t.d, 1, VA, 0);
    assert_int_equal(driver_finish(t.d, 1, LONG, NULL), MALI_EXCEPTION_DONE);
    assert_int_equal(peek(t.d, t.page + 128), MALI_EXCEPTION_DONE);
    board_free(t.d);
}

static void test_compute(void **unused)
{
    struct bed t = bed_new();
    struct fake_job job = {.steps = 5, .cycles = 100000, .target = VA + 0x800};
    uint64_t begin;

    (void)unused;
    job_fake(t.d, t.page, 0, &job);
    begin = t.d->now;
    driver_submit(t.d, 1, VA, 0);
    board_wait(t.d, 100000);
    assert_true(rd(t.d, MALI_GPU_STATUS) & MALI_GPU_STATUS_GPU_ACTIVE);
    assert_int_equal(driver_finish(t.d, 1, LONG, NULL), MALI_EXCEPTION_DONE);
    /* 5 steps of 100,000 cycles at 1 GHz, and some time of the job manager */
    assert_in_range(t.d->now - begin, 500000, 520000);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(peek(t.d, t.page + 0x800 + 4 * i), i + 1);
    assert_int_equal(fake_starts, 1);
    assert_int_equal(stats_get(t.d->b->stats, "gpu", "jobs_compute"), 1);
    board_free(t.d);
}

/* Two chains in a slot: the second starts by itself when the first one has ended. */
static void test_next(void **unused)
{
    struct bed t = bed_new();
    struct fake_job job = {.steps = 10, .cycles = 10000, .target = VA + 0x800};
    uint32_t state;

    (void)unused;
    job_fake(t.d, t.page, 0, &job);
    job_fake(t.d, t.page + 0x100, 0, &job);
    driver_submit(t.d, 1, VA, 0);
    driver_submit(t.d, 1, VA + 0x100, MALI_JS_CONFIG_JOB_CHAIN_FLAG);
    assert_int_equal(rd(t.d, MALI_JS_COMMAND_NEXT(1)), MALI_SLOT_COMMAND_START);
    assert_int_equal(rd(t.d, MALI_JS_HEAD_LO(1)), VA);
    assert_int_equal(driver_finish(t.d, 1, LONG, &state), MALI_EXCEPTION_ACTIVE);
    assert_int_equal(state, 1u << 1); /* the second chain runs, none is queued */
    assert_int_equal(rd(t.d, MALI_JS_HEAD_LO(1)), VA + 0x100);
    assert_int_equal(driver_finish(t.d, 1, LONG, &state), MALI_EXCEPTION_DONE);
    assert_int_equal(state, 0);
    board_free(t.d);
}

/* Two chains end before the driver reads: one interrupt bit, and JS_STATE shows an empty slot. */
static void test_state_sampling(void **unused)
{
    struct bed t = bed_new();
    uint32_t state;

    (void)unused;
    job_header(t.d, t.page, MALI_JOB_TYPE_NULL, 1, 0);
    job_header(t.d, t.page + 64, MALI_JOB_TYPE_NULL, 1, 0);
    driver_submit(t.d, 1, VA, 0);
    driver_submit(t.d, 1, VA + 64, MALI_JS_CONFIG_JOB_CHAIN_FLAG);
    wr(t.d, MALI_JOB_IRQ_CLEAR, 1u << 1);
    assert_int_equal(rd(t.d, MALI_JOB_IRQ_JS_STATE), 1u << 1 | 1u << 17);
    board_wait(t.d, MSEC);
    /* JS_STATE is sampled only at a clear. */
    assert_int_equal(rd(t.d, MALI_JOB_IRQ_JS_STATE), 1u << 1 | 1u << 17);
    assert_int_equal(driver_finish(t.d, 1, LONG, &state), MALI_EXCEPTION_DONE);
    assert_int_equal(state, 0);
    assert_int_equal(rd(t.d, MALI_JOB_IRQ_RAWSTAT), 0);
    board_free(t.d);
}

/* A failure holds back the slot's next chain until the driver has cleared it. */
static void test_failure_blocks_next(void **unused)
{
    struct bed t = bed_new();
    struct fake_job bad = {.steps = 1, .target = VA + 0x800, .failure = GPU_JOB_INVALID_ENCODING};

    (void)unused;
    job_fake(t.d, t.page, VA + 0x100, &bad);
    job_header(t.d, t.page + 0x100, MALI_JOB_TYPE_NULL, 2, 0);
    job_header(t.d, t.page + 0x200, MALI_JOB_TYPE_NULL, 1, 0);
    driver_submit(t.d, 1, VA, 0);
    driver_submit(t.d, 1, VA + 0x200, MALI_JS_CONFIG_JOB_CHAIN_FLAG);
    board_wait(t.d, MSEC);
    assert_int_equal(rd(t.d, MALI_JS_STATUS(1)), MALI_EXCEPTION_INSTR_INVALID_ENC);
    assert_int_equal(rd(t.d, MALI_JOB_IRQ_RAWSTAT), 1u << 17);
    assert_int_equal(rd(t.d, MALI_JS_COMMAND_NEXT(1)), MALI_SLOT_COMMAND_START);
    assert_int_equal(peek(t.d, t.page), MALI_EXCEPTION_INSTR_INVALID_ENC);
    assert_int_equal(peek(t.d, t.page + 8), VA);
    /* the failed chain's further jobs did not run */
    assert_int_equal(peek(t.d, t.page + 0x100), 0);
    wr(t.d, MALI_JOB_IRQ_CLEAR, 1u << 17); /* the next chain was not withdrawn */
    assert_int_equal(driver_finish(t.d, 1, LONG, NULL), MALI_EXCEPTION_DONE);
    assert_int_equal(peek(t.d, t.page + 0x200), MALI_EXCEPTION_DONE);
    board_free(t.d);
}

static void expect_failure(unsigned type, unsigned slot, uint32_t code)
{
    struct bed t = bed_new();

    job_header(t.d, t.page, type, 1, 0);
    driver_submit(t.d, slot, VA, 0);
    assert_int_equal(driver_finish(t.d, slot, LONG, NULL), code);
    assert_int_equal(peek(t.d, t.page), code);
    board_free(t.d);
}

static void test_job_types(void **unused)
{
    (void)unused;
    expect_failure(MALI_JOB_TYPE_GEOMETRY, 1, MALI_EXCEPTION_UNKNOWN);
    expect_failure(MALI_JOB_TYPE_FUSED, 1, MALI_EXCEPTION_UNKNOWN);
    expect_failure(MALI_JOB_TYPE_FRAGMENT, 1, MALI_EXCEPTION_JOB_CONFIG_FAULT);
    expect_failure(MALI_JOB_TYPE_COMPUTE, 0, MALI_EXCEPTION_JOB_CONFIG_FAULT);
    expect_failure(MALI_JOB_TYPE_NOT_STARTED, 1, MALI_EXCEPTION_JOB_CONFIG_FAULT);
    expect_failure(99, 1, MALI_EXCEPTION_JOB_CONFIG_FAULT);
}

/* Slots take turns: a short chain ends while another slot's long one runs. */
static void test_slots(void **unused)
{
    struct bed t = bed_new();
    struct fake_job endless = {FAKE_ENDLESS, 1000, VA + 0x800, 0, 0};

    (void)unused;
    job_fake(t.d, t.page, 0, &endless);
    job_header(t.d, t.page + 0x100, MALI_JOB_TYPE_NULL, 1, 0);
    driver_submit(t.d, 1, VA, 0);
    board_wait(t.d, MSEC);
    driver_submit(t.d, 0, VA + 0x100, 0);
    assert_int_equal(driver_finish(t.d, 0, MSEC, NULL), MALI_EXCEPTION_DONE);
    assert_int_equal(rd(t.d, MALI_JS_STATUS(1)), MALI_EXCEPTION_ACTIVE);
    wr(t.d, MALI_JS_COMMAND(1), MALI_SLOT_COMMAND_HARD_STOP);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_TERMINATED);
    board_free(t.d);
}

static void test_hard_stop(void **unused)
{
    struct bed t = bed_new();
    struct fake_job endless = {FAKE_ENDLESS, 1000, VA + 0x800, 0, 0};

    (void)unused;
    job_fake(t.d, t.page, VA + 0x100, &endless);
    job_header(t.d, t.page + 0x100, MALI_JOB_TYPE_NULL, 2, 0);
    driver_submit(t.d, 1, VA, MALI_JS_CONFIG_JOB_CHAIN_FLAG);
    board_wait(t.d, MSEC);
    /* the command of the other chain flag */
    wr(t.d, MALI_JS_COMMAND(1), MALI_SLOT_COMMAND_HARD_STOP_0);
    /* a soft stop does not end the running job */
    wr(t.d, MALI_JS_COMMAND(1), MALI_SLOT_COMMAND_SOFT_STOP);
    board_wait(t.d, 10 * MSEC);
    assert_int_equal(rd(t.d, MALI_JS_STATUS(1)), MALI_EXCEPTION_ACTIVE);
    wr(t.d, MALI_JS_COMMAND(1), MALI_SLOT_COMMAND_HARD_STOP_1);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_TERMINATED);
    assert_int_equal(peek(t.d, t.page), MALI_EXCEPTION_TERMINATED);
    assert_int_equal(fake_live, 0);
    board_wait(t.d, MSEC);
    assert_true(clock_next(&t.d->b->clock) == CLOCK_NEVER);
    board_free(t.d);
}

/* A soft stop takes effect between jobs; the tail is the address to continue at. */
static void test_soft_stop(void **unused)
{
    struct bed t = bed_new();
    struct fake_job job = {.steps = 10, .cycles = 10000, .target = VA + 0x800};
    uint64_t tail;

    (void)unused;
    job_fake(t.d, t.page, VA + 0x100, &job);
    job_fake(t.d, t.page + 0x100, 0, &job);
    driver_submit(t.d, 1, VA, 0);
    board_wait(t.d, 20000);
    /* the command of the other chain flag */
    wr(t.d, MALI_JS_COMMAND(1), MALI_SLOT_COMMAND_SOFT_STOP_1);
    wr(t.d, MALI_JS_COMMAND(1), MALI_SLOT_COMMAND_SOFT_STOP_0);
    assert_int_equal(driver_finish(t.d, 1, LONG, NULL), MALI_EXCEPTION_STOPPED);
    assert_int_equal(peek(t.d, t.page), MALI_EXCEPTION_DONE);
    assert_int_equal(peek(t.d, t.page + 0x100), 0);
    assert_int_equal(fake_starts, 1);
    tail = rd(t.d, MALI_JS_TAIL_LO(1));
    assert_int_equal(tail, VA + 0x100);
    driver_submit(t.d, 1, tail, 0);
    assert_int_equal(driver_finish(t.d, 1, LONG, NULL), MALI_EXCEPTION_DONE);
    assert_int_equal(fake_starts, 2);
    board_free(t.d);
}

/* A circular chain runs until it is stopped. */
static void test_loop(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    job_header(t.d, t.page, MALI_JOB_TYPE_NULL, 1, VA);
    driver_submit(t.d, 1, VA, 0);
    board_wait(t.d, 10 * MSEC);
    assert_int_equal(rd(t.d, MALI_JS_STATUS(1)), MALI_EXCEPTION_ACTIVE);
    wr(t.d, MALI_JS_COMMAND(1), MALI_SLOT_COMMAND_SOFT_STOP);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_STOPPED);
    board_free(t.d);
}

static void test_power_fault(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    job_header(t.d, t.page, MALI_JOB_TYPE_NULL, 1, 0);
    driver_power_off(t.d);
    driver_submit(t.d, 1, VA, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_JOB_POWER_FAULT);
    driver_power_on(t.d);
    wr(t.d, MALI_L2_PWROFF_LO, 1); /* cores whose L2 is off */
    driver_submit(t.d, 1, VA, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_JOB_POWER_FAULT);
    driver_power_on(t.d);
    driver_submit(t.d, 1, VA, 0);
    wr64(t.d, MALI_JS_AFFINITY_NEXT_LO(1), 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_DONE);
    wr64(t.d, MALI_JS_AFFINITY_NEXT_LO(1), UINT64_C(1) << 40);
    wr(t.d, MALI_JS_COMMAND_NEXT(1), MALI_SLOT_COMMAND_START);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_JOB_AFFINITY_FAULT);
    board_free(t.d);
}

/* A reset while jobs run removes them all, and the next one works. */
static void test_reset_in_flight(void **unused)
{
    struct bed t = bed_new();
    struct fake_job endless = {FAKE_ENDLESS, 1000, VA + 0x800, 0, 0};

    (void)unused;
    job_fake(t.d, t.page, 0, &endless);
    job_header(t.d, t.page + 0x100, MALI_JOB_TYPE_NULL, 1, 0);
    driver_submit(t.d, 1, VA, 0);
    driver_submit(t.d, 1, VA + 0x100, MALI_JS_CONFIG_JOB_CHAIN_FLAG);
    board_wait(t.d, MSEC);
    driver_resume(t.d);
    assert_int_equal(fake_live, 0);
    assert_int_equal(rd(t.d, MALI_JS_COMMAND_NEXT(1)), MALI_SLOT_COMMAND_NOP);
    assert_int_equal(rd(t.d, MALI_JS_STATUS(1)), 0);
    board_wait(t.d, MSEC);
    assert_int_equal(peek(t.d, t.page), 0);
    driver_enable(t.d, 0, t.root);
    driver_submit(t.d, 1, VA + 0x100, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_DONE);
    board_free(t.d);
}

/* Two chains that are loaded in their midst go on: they do the same steps at the same times. */
static void test_snapshot(void **unused)
{
    struct fake_job job = {.steps = 10, .cycles = 10000, .target = VA + 0x800};
    uint64_t took[2];

    (void)unused;
    for (unsigned saved = 0; saved < 2; saved++) {
        struct bed t = bed_new();
        unsigned starts = fake_starts, steps = fake_steps;
        uint64_t begin = t.d->now;

        job_fake(t.d, t.page, VA + 0x100, &job);
        job_header(t.d, t.page + 0x100, MALI_JOB_TYPE_NULL, 2, 0);
        job_fake(t.d, t.page + 0x200, 0, &job);
        driver_submit(t.d, 1, VA, 0);
        driver_submit(t.d, 2, VA + 0x200, 0);
        for (unsigned i = 0; i < 7; i++) {
            board_wait(t.d, 25000);
            if (saved)
                bench_save_and_load(t.d->b);
        }
        assert_int_equal(rd(t.d, MALI_JS_STATUS(1)), MALI_EXCEPTION_ACTIVE);
        assert_int_equal(driver_finish(t.d, 1, LONG, NULL), MALI_EXCEPTION_DONE);
        assert_int_equal(driver_finish(t.d, 2, LONG, NULL), MALI_EXCEPTION_DONE);
        took[saved] = t.d->now - begin;
        assert_int_equal(fake_starts - starts, 2);
        assert_int_equal(fake_steps - steps, 20);
        assert_int_equal(peek(t.d, t.page + 0x100), MALI_EXCEPTION_DONE);
        board_free(t.d);
    }
    assert_int_equal(took[0], took[1]);
}

/*
 * A job that has done its work and waits for its end has done it after a load as well, and ends at
 * the same time.
 */
static void test_snapshot_at_the_end(void **unused)
{
    /* a chain that is done, and one that continues */
    static const uint64_t next[] = {0, VA + 0x100};
    struct fake_job job = {.steps = 1, .cycles = 1000000, .target = VA + 0x800};

    (void)unused;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t took[2];

        for (unsigned saved = 0; saved < 2; saved++) {
            struct bed t = bed_new();
            uint64_t begin = t.d->now;
            unsigned starts = fake_starts;

            job_fake(t.d, t.page, next[i], &job);
            job_header(t.d, t.page + 0x100, MALI_JOB_TYPE_NULL, 2, 0);
            driver_submit(t.d, 1, VA, 0);
            board_wait(t.d, 300000);
            if (saved)
                bench_save_and_load(t.d->b);
            assert_int_equal(rd(t.d, MALI_JS_STATUS(1)), MALI_EXCEPTION_ACTIVE);
            assert_int_equal(driver_finish(t.d, 1, LONG, NULL), MALI_EXCEPTION_DONE);
            assert_int_equal(fake_starts - starts, 1);
            assert_int_equal(peek(t.d, t.page + 0x100), i ? MALI_EXCEPTION_DONE : 0);
            took[saved] = t.d->now - begin;
            board_free(t.d);
        }
        assert_int_equal(took[0], took[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_chain),
        cmocka_unit_test(test_no_write_back),
        cmocka_unit_test(test_write_value),
        cmocka_unit_test(test_chain_writes_itself),
        cmocka_unit_test(test_compute),
        cmocka_unit_test(test_next),
        cmocka_unit_test(test_state_sampling),
        cmocka_unit_test(test_failure_blocks_next),
        cmocka_unit_test(test_job_types),
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_hard_stop),
        cmocka_unit_test(test_soft_stop),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_power_fault),
        cmocka_unit_test(test_reset_in_flight),
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_snapshot_at_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
