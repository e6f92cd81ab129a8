/* The control block: what a driver does at probe and at each suspend and resume. */
#include "tests/gpu_device/board.h"

static void test_probe(void **unused)
{
    struct board *d = board_new();

    (void)unused;
    driver_reset(d);
    assert_int_equal(rd(d, MALI_GPU_ID), 0x62210010);
    assert_int_equal(rd(d, MALI_L2_FEATURES), 0x07120206);
    assert_int_equal(rd(d, MALI_MMU_FEATURES), 0x2830);
    assert_int_equal(rd(d, MALI_SHADER_PRESENT_LO), 0xfff);
    assert_int_equal(rd(d, MALI_SHADER_PRESENT_HI), 0);
    assert_int_equal(rd(d, MALI_TILER_PRESENT_LO), 1);
    assert_int_equal(rd(d, MALI_L2_PRESENT_LO), 1);
    assert_int_equal(rd(d, MALI_THREAD_MAX_THREADS), 384);
    assert_int_equal(rd(d, MALI_JS_FEATURES(1)), 0x1fe);
    assert_int_equal(rd(d, MALI_TEXTURE_FEATURES(3)), 0);
    wr(d, MALI_SHADER_CONFIG, 0x20000);
    assert_int_equal(rd(d, MALI_SHADER_CONFIG), 0x20000);
    driver_power_on(d);
    driver_power_off(d);
    assert_int_equal(rd(d, MALI_SHADER_READY_LO), 0);
    driver_resume(d);
    assert_int_equal(rd(d, MALI_SHADER_CONFIG), 0); /* the reset cleared it */
    assert_int_equal(stats_get(d->b->stats, "gpu", "resets"), 2);
    board_free(d);
}

/* A reset takes time, and says so in the raw status although the mask is 0. */
static void test_reset_takes_time(void **unused)
{
    struct board *d = board_new();

    (void)unused;
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_HARD_RESET);
    board_wait(d, 100);
    assert_int_equal(rd(d, MALI_GPU_IRQ_RAWSTAT), 0);
    board_wait(d, 1000000);
    assert_int_equal(rd(d, MALI_GPU_IRQ_RAWSTAT), MALI_GPU_IRQ_RAWSTAT_RESET_COMPLETED);
    assert_int_equal(rd(d, MALI_GPU_IRQ_STATUS), 0);
    assert_false(d->b->level[LINE_GPU]);
    wr(d, MALI_GPU_IRQ_MASK, UINT32_MAX);
    assert_true(d->b->level[LINE_GPU]);
    wr(d, MALI_GPU_IRQ_CLEAR, UINT32_MAX);
    assert_false(d->b->level[LINE_GPU]);
    board_free(d);
}

static void test_power(void **unused)
{
    struct board *d = board_new();

    (void)unused;
    wr(d, MALI_SHADER_PWRON_LO, 0xffffffff); /* only cores that are there */
    assert_int_equal(rd(d, MALI_SHADER_PWRTRANS_LO), 0xfff);
    assert_int_equal(rd(d, MALI_SHADER_READY_LO), 0);
    assert_int_equal(rd(d, MALI_GPU_STATUS), MALI_GPU_STATUS_POWER_ACTIVE);
    board_wait(d, 100000);
    assert_int_equal(rd(d, MALI_SHADER_PWRTRANS_LO), 0);
    assert_int_equal(rd(d, MALI_SHADER_READY_LO), 0xfff);
    assert_true(rd(d, MALI_GPU_IRQ_RAWSTAT) & MALI_GPU_IRQ_RAWSTAT_POWER_CHANGED_ALL);
    wr(d, MALI_SHADER_PWROFF_LO, 0xf0);
    assert_int_equal(rd(d, MALI_SHADER_READY_LO), 0xf0f);
    wr(d, MALI_SHADER_PWRON_LO, 0x10); /* on again while it falls */
    board_wait(d, 100000);
    assert_int_equal(rd(d, MALI_SHADER_READY_LO), 0xf1f);
    board_free(d);
}

static void test_clocks(void **unused)
{
    struct board *d = board_new();
    uint64_t stamp;

    (void)unused;
    board_wait(d, 5000);
    assert_int_equal(rd(d, MALI_CYCLE_COUNT_LO), 0);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_CYCLE_COUNT_START);
    assert_true(rd(d, MALI_GPU_STATUS) & MALI_GPU_STATUS_CYCLE_COUNT_ACTIVE);
    board_wait(d, UINT64_C(5000000000));
    assert_int_equal(rd(d, MALI_CYCLE_COUNT_LO), (uint32_t)UINT64_C(5000000000));
    assert_int_equal(rd(d, MALI_CYCLE_COUNT_HI), 1);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_CYCLE_COUNT_STOP);
    stamp = rd(d, MALI_TIMESTAMP_LO);
    board_wait(d, 1000000);
    assert_int_equal(rd(d, MALI_CYCLE_COUNT_LO), (uint32_t)UINT64_C(5000000000));
    assert_int_equal(rd(d, MALI_TIMESTAMP_LO) - stamp, 50000);
    board_free(d);
}

static void test_caches(void **unused)
{
    struct board *d = board_new();
    uint32_t flush;

    (void)unused;
    driver_resume(d);
    flush = rd(d, MALI_LATEST_FLUSH);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_CLEAN_INV_CACHES);
    assert_false(d->b->level[LINE_GPU]);
    board_wait(d, 100000);
    assert_true(d->b->level[LINE_GPU]);
    assert_int_equal(rd(d, MALI_GPU_IRQ_STATUS), MALI_GPU_IRQ_RAWSTAT_CLEAN_CACHES_COMPLETED);
    assert_int_not_equal(rd(d, MALI_LATEST_FLUSH), flush);
    board_free(d);
}

/* Settings behind a key: one write each time it is shown. */
static void test_power_key(void **unused)
{
    struct board *d = board_new();

    (void)unused;
    wr(d, MALI_PWR_OVERRIDE1, 0xfff);
    assert_int_equal(rd(d, MALI_PWR_OVERRIDE1), 0);
    wr(d, MALI_PWR_KEY, MALI_PWR_KEY_UNLOCK);
    wr(d, MALI_PWR_OVERRIDE1, 0x200fff);
    wr(d, MALI_PWR_OVERRIDE1, 1);
    assert_int_equal(rd(d, MALI_PWR_OVERRIDE1), 0x200fff);
    board_free(d);
}

/* An idle GPU plans nothing, so that a machine whose CPUs wait can jump ahead. */
static void test_idle(void **unused)
{
    struct board *d = board_new();

    (void)unused;
    driver_resume(d);
    board_wait(d, 1000000);
    assert_true(clock_next(&d->b->clock) == CLOCK_NEVER);
    board_free(d);
}

/* Counters are dumped into the address space that the configuration names. */
static void test_counters(void **unused)
{
    struct board *d = board_new();
    uint64_t root = space_new(d), page = board_page(d), job = board_page(d);
    struct fake_job fake = {.steps = 3, .cycles = 100, .target = 0x2000800};
    struct gpu_model_counters model = {
        .l2_reads = 1000, .l2_writes = 301, .dram_reads = 50, .dram_writes = 3};

    (void)unused;
    driver_resume(d);
    fake_model = &model;
    space_map(d, root, 0x1000000, page, PAGE_RW);
    space_map(d, root, 0x2000000, job, PAGE_RW);
    driver_enable(d, 3, root);
    wr64(d, MALI_PRFCNT_BASE_LO, 0x1000000);
    wr(d, MALI_PRFCNT_JM_EN, UINT32_MAX);
    wr(d, MALI_PRFCNT_SHADER_EN, ~(UINT32_C(1) << 5));
    wr(d, MALI_PRFCNT_MMU_L2_EN, UINT32_MAX);
    wr(d, MALI_PRFCNT_CONFIG,
       3u << MALI_PRFCNT_CONFIG_AS_SHIFT | MALI_PRFCNT_MODE_MANUAL
                                               << MALI_PRFCNT_CONFIG_MODE_SHIFT);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_PRFCNT_CLEAR);
    assert_true(rd(d, MALI_GPU_STATUS) & MALI_GPU_STATUS_PRFCNT_ACTIVE);
    model.l2_reads += 200; /* the job's */
    model.l2_writes += 21;
    model.dram_reads += 14;
    model.dram_writes += 5;
    model.l2_read_bytes = 64 * 200;
    model.dram_read_bytes = 64 * 14;
    model.dram_write_bytes = 64 * 5;
    model.engine_cycles[TIMING_DRAM] = 12 * 3 * 40;
    job_fake(d, job, 0, &fake);
    driver_submit(d, 1, 0x2000000, 3);
    assert_int_equal(driver_finish(d, 1, 1000000, NULL), MALI_EXCEPTION_DONE);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_PRFCNT_SAMPLE);
    board_wait(d, 100000);
    assert_int_equal(rd(d, MALI_GPU_IRQ_STATUS), MALI_GPU_IRQ_RAWSTAT_PRFCNT_SAMPLE_COMPLETED);
    assert_int_equal(peek(d, page + 4 * 16), 1); /* job manager: jobs of slot 1 */
    assert_int_equal(peek(d, page + 4 * 17), 3); /* its tasks */
    assert_true(peek(d, page + 4 * 18) >= 300);  /* its cycles */
    assert_int_equal(peek(d, page + 4 * 8), 0);  /* jobs of slot 0 */
    assert_int_equal(peek(d, page + 4 * 2), UINT32_MAX);
    /* The time model's, shared by the two slices of memory: lookups, lines, beats of 16 bytes. */
    assert_int_equal(peek(d, page + 4 * (128 + 25)), 111);
    assert_int_equal(peek(d, page + 4 * (192 + 25)), 110);
    assert_int_equal(peek(d, page + 4 * (128 + 26)), 100);
    assert_int_equal(peek(d, page + 4 * (128 + 27)), 11);
    assert_int_equal(peek(d, page + 4 * (128 + 29)), 7);
    assert_int_equal(peek(d, page + 4 * (128 + 32)), 28);
    assert_int_equal(peek(d, page + 4 * (192 + 42)), 2);
    assert_int_equal(peek(d, page + 4 * (192 + 47)), 10);
    assert_int_equal(peek(d, page + 4 * 256 + 4 * 30), 40); /* cycles that an engine was idle */
    assert_int_equal(peek(d, page + 4 * 256 + 4 * 56), 200 * 4 / 12 + 1); /* beats read */
    /* Behind job manager, tiler and two slices of memory stands the first core. Three groups on
     * twelve cores: the first has one; but its group of four counters from 20 is switched off. */
    assert_int_equal(peek(d, page + 4 * 256 + 4 * 2), ~(UINT32_C(1) << 5));
    assert_int_equal(peek(d, page + 4 * 256 + 4 * 23), 0);
    assert_int_equal(peek(d, page + 4 * 256 + 4 * 26), 300);
    /* A dump starts them anew. */
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_PRFCNT_SAMPLE);
    board_wait(d, 100000);
    assert_int_equal(peek(d, page + 4 * 16), 0);
    assert_int_equal(peek(d, page + 4 * (128 + 25)), 0);
    fake_model = NULL;
    /* A dump that cannot be written is dropped. */
    wr64(d, MALI_PRFCNT_BASE_LO, 0x7000000);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_PRFCNT_SAMPLE);
    board_wait(d, 100000);
    board_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probe),  cmocka_unit_test(test_reset_takes_time),
        cmocka_unit_test(test_power),  cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_caches), cmocka_unit_test(test_power_key),
        cmocka_unit_test(test_idle),   cmocka_unit_test(test_counters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
