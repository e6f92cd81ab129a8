/* The control block, driven as at probe, suspend and resume. */
#include <string.h>

#include "runtime/base/bits.h"
#include "tests/gpu_device/bed.h"

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

/* A reset takes time, and reports its end in the raw status although the mask is 0. */
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
    wr(d, MALI_SHADER_PWRON_LO, 0xffffffff); /* only cores that exist */
    assert_int_equal(rd(d, MALI_SHADER_PWRTRANS_LO), 0xfff);
    assert_int_equal(rd(d, MALI_SHADER_READY_LO), 0);
    assert_int_equal(rd(d, MALI_GPU_STATUS), MALI_GPU_STATUS_POWER_ACTIVE);
    board_wait(d, 100000);
    assert_int_equal(rd(d, MALI_SHADER_PWRTRANS_LO), 0);
    assert_int_equal(rd(d, MALI_SHADER_READY_LO), 0xfff);
    assert_true(rd(d, MALI_GPU_IRQ_RAWSTAT) & MALI_GPU_IRQ_RAWSTAT_POWER_CHANGED_ALL);
    wr(d, MALI_SHADER_PWROFF_LO, 0xf0);
    assert_int_equal(rd(d, MALI_SHADER_READY_LO), 0xf0f);
    wr(d, MALI_SHADER_PWRON_LO, 0x10); /* on again while the power falls */
    board_wait(d, 100000);
    assert_int_equal(rd(d, MALI_SHADER_READY_LO), 0xf1f);
    board_free(d);
}

/* Makes a register of the board's variant read as a constant. */
static void add_constant(struct board *d, uint32_t offset, uint32_t value)
{
    unsigned n = d->variant.value_count++;

    assert_in_range(n, 0, GPU_VARIANT_REGISTERS - 1);
    d->variant.values[n].offset = offset;
    d->variant.values[n].value = value;
}

/*
 * Cores in the upper halves of the registers, and of each kind; ready and absent ones do not
 * change.
 */
static void test_power_of_all_kinds(void **unused)
{
    static const struct {
        uint32_t present, ready, on, off, changing;
    } kinds[] = {{0x100, 0x140, 0x180, 0x1c0, 0x200}, /* shader, tiler, L2, stack */
                 {0x110, 0x150, 0x190, 0x1d0, 0x210},
                 {0x120, 0x160, 0x1a0, 0x1e0, 0x220},
                 {0xe00, 0xe10, 0xe20, 0xe30, 0xe40}};
    struct board *d = board_new();

    (void)unused;
    d->variant.shader_present = UINT64_C(0x500000fff);
    add_constant(d, 0x114, 5);
    add_constant(d, 0x124, 5);
    add_constant(d, 0xe00, 1);
    add_constant(d, 0xe04, 5);
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        assert_int_equal(rd(d, kinds[i].present + 4), 5);
        wr(d, kinds[i].on + 4, 0xf);
        assert_int_equal(rd(d, kinds[i].on + 4), 0);
        assert_int_equal(rd(d, kinds[i].changing), 0);
        assert_int_equal(rd(d, kinds[i].changing + 4), 5);
        board_wait(d, 100000);
        assert_int_equal(rd(d, kinds[i].ready), 0);
        assert_int_equal(rd(d, kinds[i].ready + 4), 5);
        wr(d, kinds[i].on + 4, 5);
        assert_int_equal(rd(d, kinds[i].changing + 4), 0); /* already on */
        assert_int_equal(rd(d, 0x34), 0);
        wr(d, kinds[i].off + 4, 4);
        assert_int_equal(rd(d, kinds[i].off), 0);
        assert_int_equal(rd(d, kinds[i].ready + 4), 1);
        assert_int_equal(rd(d, kinds[i].changing + 4), 4);
        wr(d, kinds[i].on, 1);
        wr(d, kinds[i].off, 1); /* the last request counts */
        board_wait(d, 100000);
        assert_int_equal(rd(d, kinds[i].ready), 0);
        assert_int_equal(rd(d, kinds[i].ready + 4), 1);
        assert_int_equal(rd(d, kinds[i].changing), 0);
    }
    board_free(d);
}

/* While a job runs, cores are active and the status says so; nothing else changes. */
static void test_busy(void **unused)
{
    struct bed t = bed_new();
    struct fake_job fake = {.steps = FAKE_ENDLESS, .cycles = 1000, .target = VA + 0x800};

    (void)unused;
    assert_int_equal(rd(t.d, MALI_GPU_STATUS), 0);
    assert_int_equal(rd(t.d, MALI_SHADER_PWRACTIVE_LO), 0);
    job_fake(t.d, t.page, 0, &fake);
    driver_submit(t.d, 1, VA, 0);
    board_wait(t.d, 100000);
    assert_int_equal(rd(t.d, MALI_GPU_STATUS), MALI_GPU_STATUS_GPU_ACTIVE);
    assert_int_equal(rd(t.d, MALI_SHADER_PWRACTIVE_LO), 0xfff);
    assert_int_equal(rd(t.d, MALI_SHADER_PWRACTIVE_HI), 0);
    assert_int_equal(rd(t.d, MALI_L2_PWRACTIVE_LO), 1);
    wr(t.d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_SOFT_RESET);
    assert_int_equal(rd(t.d, MALI_GPU_STATUS), 0); /* all work stops at once */
    board_wait(t.d, 100000);
    assert_int_equal(rd(t.d, MALI_SHADER_PWRACTIVE_LO), 0);
    board_free(t.d);
}

/* A reset drops pending work, settings, masks and interrupts. */
static void test_reset_forgets(void **unused)
{
    static const uint32_t kept[] = {0x54, 0x58, 0x304, 0xf00, 0xf04, 0xf08, 0xf0c};
    struct board *d = board_new();

    (void)unused;
    driver_resume(d);
    for (uint32_t i = 0; i < ARRAY_SIZE(kept); i++) {
        wr(d, MALI_PWR_KEY, MALI_PWR_KEY_UNLOCK);
        wr(d, kept[i], 0x1000 + i);
    }
    for (uint32_t i = 0; i < ARRAY_SIZE(kept); i++)
        assert_int_equal(rd(d, kept[i]), 0x1000 + i);
    wr64(d, MALI_AS_TRANSTAB_LO(2), 0x80001007);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_CYCLE_COUNT_START);
    wr(d, MALI_GPU_IRQ_RAWSTAT, MALI_GPU_IRQ_RAWSTAT_FAULT);
    assert_int_equal(rd(d, MALI_GPU_IRQ_STATUS), MALI_GPU_IRQ_RAWSTAT_FAULT);
    wr(d, MALI_SHADER_PWROFF_LO, 1);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_CLEAN_CACHES);
    wr64(d, MALI_PRFCNT_BASE_LO, 0x1000000);
    wr(d, MALI_GPU_IRQ_CLEAR, UINT32_MAX);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_SOFT_RESET);
    board_wait(d, 15000); /* nothing completes any more */
    assert_int_equal(rd(d, MALI_GPU_IRQ_RAWSTAT), 0);
    wr(d, MALI_GPU_IRQ_RAWSTAT, MALI_GPU_IRQ_RAWSTAT_FAULT);
    board_wait(d, 1000000);
    assert_int_equal(rd(d, MALI_GPU_IRQ_RAWSTAT), MALI_GPU_IRQ_RAWSTAT_RESET_COMPLETED);
    assert_int_equal(rd(d, MALI_PRFCNT_BASE_LO) | rd(d, MALI_PRFCNT_BASE_HI), 0);
    assert_int_equal(rd(d, MALI_GPU_IRQ_MASK) | rd(d, 0x1008) | rd(d, 0x2008), 0);
    assert_int_equal(rd(d, MALI_GPU_STATUS), 0);
    assert_int_equal(rd(d, MALI_SHADER_READY_LO), 0);
    assert_int_equal(rd(d, MALI_AS_TRANSTAB_LO(2)), 0);
    for (uint32_t i = 0; i < ARRAY_SIZE(kept); i++)
        assert_int_equal(rd(d, kept[i]), 0);
    assert_true(clock_next(&d->b->clock) == CLOCK_NEVER);
    board_free(d);
}

/* Every register of the block is known; registers that read as 0 do not keep what is written. */
static void test_all_registers(void **unused)
{
    static const uint32_t write_only[] = {0x24, 0x30, 0x50};
    static const uint32_t zero[] = {0x08, 0x0c, 0x3c, 0x40, 0x44, 0x4c, 0xac, 0x300, 0x310, 0x90};
    static const uint32_t known[] = {0x20, 0x28, 0x2c, 0x34, 0x38, 0x54, 0x94, 0x98, 0x9c, 0xf0c};
    struct board *d = board_new();

    (void)unused;
    bench_listen(d->b);
    for (size_t i = 0; i < ARRAY_SIZE(write_only); i++) {
        wr(d, write_only[i], 0);
        assert_int_equal(rd(d, write_only[i]), 0);
    }
    for (size_t i = 0; i < ARRAY_SIZE(zero); i++)
        assert_int_equal(rd(d, zero[i]), 0);
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        rd(d, known[i]);
    wr(d, MALI_GPU_IRQ_RAWSTAT, 0x81);
    wr(d, MALI_GPU_IRQ_CLEAR, 0x80);
    assert_int_equal(rd(d, MALI_GPU_IRQ_RAWSTAT), 1);
    wr(d, MALI_GPU_IRQ_MASK, 0x41);
    assert_int_equal(rd(d, MALI_GPU_IRQ_MASK), 0x41);
    assert_int_equal(rd(d, MALI_GPU_IRQ_STATUS), 1);
    wr(d, MALI_PWR_OVERRIDE0, 1); /* without the key: nothing happens */
    wr(d, MALI_JM_CONFIG, 1);
    wr(d, MALI_L2_PWRON_LO, 1);
    wr(d, MALI_L2_PWROFF_HI, 1);
    assert_string_equal(bench_heard(d->b), "");
    wr(d, MALI_GPU_COMMAND, 0x55);
    assert_non_null(strstr(bench_heard(d->b), "unknown command: 0x55"));
    wr(d, MALI_GPU_ID, 1); /* read-only */
    assert_non_null(strstr(bench_heard(d->b), "write of 0x1 to offset 0"));
    rd(d, 0x3f0);
    assert_non_null(strstr(bench_heard(d->b), "read of offset 0x3f0"));
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
    assert_int_equal(rd(d, MALI_GPU_STATUS), 0);
    /* The counter continues from its value; starting a running one has no effect. */
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_CYCLE_COUNT_START);
    board_wait(d, 700);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_CYCLE_COUNT_START);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_PRFCNT_SAMPLE); /* a command without effect on it */
    board_wait(d, 300);
    assert_int_equal(rd(d, MALI_CYCLE_COUNT_LO), (uint32_t)UINT64_C(5000001000));
    board_wait(d, UINT64_C(90000000000)); /* the time stamp's upper half: 95 s of 50 MHz */
    assert_int_equal(rd(d, MALI_TIMESTAMP_HI), 1);
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
    assert_int_equal(rd(d, MALI_LATEST_FLUSH), flush + 1);
    /* Cleaning alone invalidates nothing, so it does not count as a flush. */
    wr(d, MALI_GPU_IRQ_CLEAR, UINT32_MAX);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_CLEAN_CACHES);
    assert_int_equal(rd(d, MALI_GPU_IRQ_RAWSTAT), 0);
    board_wait(d, 100);
    assert_int_equal(rd(d, MALI_GPU_IRQ_RAWSTAT), 0);
    board_wait(d, 100000);
    assert_int_equal(rd(d, MALI_GPU_IRQ_RAWSTAT), MALI_GPU_IRQ_RAWSTAT_CLEAN_CACHES_COMPLETED);
    assert_int_equal(rd(d, MALI_LATEST_FLUSH), flush + 1);
    /* The interrupt of a command does not raise those of earlier commands again. */
    wr(d, MALI_GPU_IRQ_CLEAR, UINT32_MAX);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_PRFCNT_SAMPLE);
    board_wait(d, 100000);
    assert_int_equal(rd(d, MALI_GPU_IRQ_RAWSTAT), MALI_GPU_IRQ_RAWSTAT_PRFCNT_SAMPLE_COMPLETED);
    board_free(d);
}

/* Settings that need a key: each unlocking permits one write. */
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

/* An idle GPU schedules no event, so that a machine whose CPUs all wait can jump ahead. */
static void test_idle(void **unused)
{
    struct board *d = board_new();

    (void)unused;
    driver_resume(d);
    board_wait(d, 1000000);
    assert_true(clock_next(&d->b->clock) == CLOCK_NEVER);
    board_free(d);
}

/* Counters are dumped to the address space that the configuration selects. */
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
    model.l2_reads += 200; /* accesses of the job */
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
    assert_int_equal(peek(d, page + 4 * 17), 3); /* tasks of slot 1 */
    assert_true(peek(d, page + 4 * 18) >= 300);  /* cycles of slot 1 */
    assert_int_equal(peek(d, page + 4 * 8), 0);  /* jobs of slot 0 */
    assert_int_equal(peek(d, page + 4 * 2), UINT32_MAX);
    /*
     * The time model's counters, divided by the two memory slices: lookups, lines, beats of 16
     * bytes.
     */
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
    /*
     * The first core's block comes after job manager, tiler and two memory slices. Of three groups
     * on twelve cores the first core has one, but its four counters from 20 on are masked.
     */
    assert_int_equal(peek(d, page + 4 * 256 + 4 * 2), ~(UINT32_C(1) << 5));
    assert_int_equal(peek(d, page + 4 * 256 + 4 * 23), 0);
    assert_int_equal(peek(d, page + 4 * 256 + 4 * 26), 300);
    /* A dump restarts the counters from 0. */
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_PRFCNT_SAMPLE);
    board_wait(d, 100000);
    assert_int_equal(peek(d, page + 4 * 16), 0);
    assert_int_equal(peek(d, page + 4 * (128 + 25)), 0);
    /* Clearing does so without a dump. */
    job_fake(d, job, 0, &fake);
    driver_submit(d, 1, 0x2000000, 3);
    assert_int_equal(driver_finish(d, 1, 1000000, NULL), MALI_EXCEPTION_DONE);
    poke(d, page + 4 * 16, 0x55);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_PRFCNT_CLEAR);
    assert_int_equal(peek(d, page + 4 * 16), 0x55);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_PRFCNT_SAMPLE);
    board_wait(d, 100000);
    assert_int_equal(peek(d, page + 4 * 16), 0);
    fake_model = NULL;
    /* A dump that cannot be written is dropped. */
    wr64(d, MALI_PRFCNT_BASE_LO, 0x7000000);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_PRFCNT_SAMPLE);
    board_wait(d, 100000);
    board_free(d);
}

/* Counters of a core go by the cycles for which it was active. */
static void test_core_counters(void **unused)
{
    enum { CORE = 4 * 256, CORE_BYTES = 4 * 64, ACTIVE = 4 * 26, TASKS = 4 * 23 };
    struct board *d = board_new();
    uint64_t root = space_new(d), page = board_page(d), job = board_page(d);
    struct fake_job fake = {.steps = 3, .cycles = 100, .target = 0x2000800};

    (void)unused;
    fake_active[0] = 70; /* before the counters were cleared */
    driver_resume(d);
    space_map(d, root, 0x1000000, page, PAGE_RW);
    space_map(d, root, 0x2000000, job, PAGE_RW);
    driver_enable(d, 3, root);
    wr64(d, MALI_PRFCNT_BASE_LO, 0x1000000);
    wr(d, MALI_PRFCNT_SHADER_EN, UINT32_MAX);
    wr(d, MALI_PRFCNT_CONFIG,
       3u << MALI_PRFCNT_CONFIG_AS_SHIFT | MALI_PRFCNT_MODE_MANUAL
                                               << MALI_PRFCNT_CONFIG_MODE_SHIFT);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_PRFCNT_CLEAR);
    job_fake(d, job, 0, &fake);
    driver_submit(d, 1, 0x2000000, 3);
    assert_int_equal(driver_finish(d, 1, 1000000, NULL), MALI_EXCEPTION_DONE);
    fake_active[0] += 200;
    fake_active[2] += 100;
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_PRFCNT_SAMPLE);
    board_wait(d, 100000);
    assert_int_equal(peek(d, page + CORE + ACTIVE), 200);
    assert_int_equal(peek(d, page + CORE + CORE_BYTES + ACTIVE), 0);
    assert_int_equal(peek(d, page + CORE + 2 * CORE_BYTES + ACTIVE), 100);
    assert_int_equal(peek(d, page + CORE + TASKS), 2);
    assert_int_equal(peek(d, page + CORE + CORE_BYTES + TASKS), 0);
    assert_int_equal(peek(d, page + CORE + 2 * CORE_BYTES + TASKS), 1);
    memset(fake_active, 0, sizeof(fake_active));
    board_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probe),         cmocka_unit_test(test_reset_takes_time),
        cmocka_unit_test(test_power),         cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_caches),        cmocka_unit_test(test_power_key),
        cmocka_unit_test(test_idle),          cmocka_unit_test(test_counters),
        cmocka_unit_test(test_core_counters), cmocka_unit_test(test_power_of_all_kinds),
        cmocka_unit_test(test_busy),          cmocka_unit_test(test_reset_forgets),
        cmocka_unit_test(test_all_registers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
