/*
 * Job slots, register by register and nanosecond by nanosecond. Offsets, bits and codes are those
 * of Linux's panfrost_regs.h and panfrost_job.c. A cycle takes a nanosecond, a job 500.
 */
#include "runtime/base/bits.h"
#include "runtime/gpu/internal.h"
#include "tests/gpu_device/bed.h"

/* JOB_INT_*, JS_STATE */
enum {
    RAWSTAT = 0x1000,
    CLEAR = 0x1004,
    MASK = 0x1008,
    STAT = 0x100c,
    STATE = 0x1010,
    THROTTLE = 0x1014
};

/* registers of a slot */
enum {
    HEAD = 0x00,
    TAIL = 0x08,
    AFFINITY = 0x10,
    CONFIG = 0x18,
    XAFFINITY = 0x1c,
    COMMAND = 0x20,
    STATUS = 0x24,
    HEAD_NEXT = 0x40,
    AFFINITY_NEXT = 0x50,
    CONFIG_NEXT = 0x58,
    XAFFINITY_NEXT = 0x5c,
    COMMAND_NEXT = 0x60,
    FLUSH_ID_NEXT = 0x70,
};

enum { NOP, START, SOFT_STOP, HARD_STOP, SOFT_STOP_0, HARD_STOP_0, SOFT_STOP_1, HARD_STOP_1 };

/* JS_STATUS */
enum {
    DONE = 1,
    STOPPED = 3,
    TERMINATED = 4,
    ACTIVE = 8,
    CONFIG_FAULT = 0x40,
    POWER_FAULT = 0x41,
    AFFINITY_FAULT = 0x44,
    BUS_FAULT = 0x48
};

enum { START_FLUSH = 1 << 8, CHAIN_FLAG = 1 << 11, JOB_CYCLES = 500, WAKE = 1 };

#define HEAP UINT64_C(0x4000000)

static uint32_t slot_register(unsigned slot, uint32_t reg)
{
    return 0x1800 + 0x80 * slot + reg;
}

static struct gpu *gpu_of(const struct bed *t)
{
    return t->d->b->dev;
}

/* Starts a chain on core 0; the address space is the only flag. */
static void start_chain(const struct bed *t, unsigned slot, uint64_t head, uint32_t config)
{
    wr64(t->d, slot_register(slot, HEAD_NEXT), head);
    wr64(t->d, slot_register(slot, AFFINITY_NEXT), 1);
    wr(t->d, slot_register(slot, CONFIG_NEXT), config);
    wr(t->d, slot_register(slot, COMMAND_NEXT), START);
}

/* Writes a circular chain of one null job at `offset` of the page. */
static void put_circle(const struct bed *t, uint64_t offset)
{
    job_header(t->d, t->page + offset, MALI_JOB_TYPE_NULL, 1, VA + offset);
}

static void put_endless(const struct bed *t, uint64_t offset, uint32_t cycles)
{
    job_fake(t->d, t->page + offset, 0,
             &(struct fake_job){.steps = FAKE_ENDLESS, .cycles = cycles, .target = VA + 0x800});
}

/* Writes a single null job. */
static void null_job(const struct bed *t, uint64_t offset)
{
    job_header(t->d, t->page + offset, MALI_JOB_TYPE_NULL, 1, 0);
}

static uint32_t slot_status(const struct bed *t, unsigned slot)
{
    return rd(t->d, slot_register(slot, STATUS));
}

/* ---- registers ------------------------------------------------------------------------------- */

static void test_next_registers(void **unused)
{
    static const uint32_t words[] = {HEAD_NEXT,   HEAD_NEXT + 4,  AFFINITY_NEXT, AFFINITY_NEXT + 4,
                                     CONFIG_NEXT, XAFFINITY_NEXT, FLUSH_ID_NEXT};
    static const uint32_t fixed[] = {HEAD,     HEAD + 4,     TAIL,        TAIL + 4,
                                     AFFINITY, AFFINITY + 4, CONFIG,      XAFFINITY,
                                     COMMAND,  STATUS,       COMMAND_NEXT};
    struct bed t = bed_new();

    (void)unused;
    for (unsigned n = 0; n < 3; n++) {
        for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
            wr(t.d, slot_register(n, words[i]), 0x100 * n + i + 1);
    }
    for (unsigned n = 0; n < 3; n++) {
        for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
            assert_int_equal(rd(t.d, slot_register(n, words[i])), 0x100 * n + i + 1);
        for (unsigned i = 0; i < ARRAY_SIZE(fixed); i++)
            assert_int_equal(rd(t.d, slot_register(n, fixed[i])), 0);
    }
    board_free(t.d);
}

/* Offsets without a register, of slots that exist (0 to 2) and others. */
static void test_unknown_registers(void **unused)
{
    struct bed t = bed_new();
    uint32_t value;

    (void)unused;
    for (unsigned n = 0; n < 16; n++) {
        for (uint32_t reg = 0; reg < 0x80; reg += 4) {
            bool next = (reg >= HEAD_NEXT && reg < HEAD_NEXT + 8) ||
                        (reg >= AFFINITY_NEXT && reg <= COMMAND_NEXT) || reg == FLUSH_ID_NEXT;
            bool first = reg <= STATUS;

            assert_int_equal(gpu_jobs_read(gpu_of(&t), slot_register(n, reg), &value),
                             n < 3 && (first || next));
            assert_int_equal(gpu_jobs_write(gpu_of(&t), slot_register(n, reg), 0),
                             n < 3 && (next || reg == COMMAND));
        }
    }
    for (uint32_t reg = RAWSTAT; reg <= THROTTLE; reg += 4) {
        assert_true(gpu_jobs_read(gpu_of(&t), reg, &value));
        assert_int_equal(gpu_jobs_write(gpu_of(&t), reg, 0), reg != STAT && reg != STATE);
    }
    assert_false(gpu_jobs_read(gpu_of(&t), THROTTLE + 4, &value));
    assert_false(gpu_jobs_read(gpu_of(&t), 0x17c0, &value));
    assert_false(gpu_jobs_read(gpu_of(&t), 0x2000, &value));
    board_free(t.d);
}

static void test_interrupt_registers(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    wr(t.d, MASK, 0x00020001);
    assert_int_equal(rd(t.d, MASK), 0x00020001);
    wr(t.d, RAWSTAT, 0x00030004);
    assert_int_equal(rd(t.d, RAWSTAT), 0x00030004);
    assert_int_equal(rd(t.d, STAT), 0x00020000);
    assert_int_equal(rd(t.d, CLEAR), 0);
    assert_true(t.d->b->level[LINE_JOB]);
    wr(t.d, CLEAR, 0x00020004);
    assert_int_equal(rd(t.d, RAWSTAT), 0x00010000);
    assert_false(t.d->b->level[LINE_JOB]);
    wr(t.d, THROTTLE, 0x55);
    assert_int_equal(rd(t.d, THROTTLE), 0x55);
    driver_reset(t.d);
    assert_int_equal(rd(t.d, THROTTLE), 0);
    assert_int_equal(rd(t.d, MASK), 0);
    board_free(t.d);
}

/* The command copies the NEXT registers to the current ones. */
static void test_promotion(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    put_circle(&t, 0);
    wr64(t.d, slot_register(1, HEAD_NEXT), VA);
    wr64(t.d, slot_register(1, AFFINITY_NEXT), UINT64_C(0x7700000003));
    wr(t.d, slot_register(1, CONFIG_NEXT), 0x80000);
    wr(t.d, slot_register(1, XAFFINITY_NEXT), 0x66);
    assert_int_equal(rd(t.d, slot_register(1, HEAD)), 0);
    wr(t.d, slot_register(1, COMMAND_NEXT), 7); /* not a start command */
    assert_int_equal(rd(t.d, slot_register(1, COMMAND_NEXT)), NOP);
    assert_int_equal(slot_status(&t, 1), 0);
    wr(t.d, slot_register(1, COMMAND_NEXT), START);
    assert_int_equal(rd(t.d, slot_register(1, COMMAND_NEXT)), NOP);
    assert_int_equal(slot_status(&t, 1), ACTIVE);
    assert_int_equal(rd(t.d, slot_register(1, HEAD)), VA);
    assert_int_equal(rd(t.d, slot_register(1, HEAD) + 4), 0);
    assert_int_equal(rd(t.d, slot_register(1, TAIL)), VA);
    assert_int_equal(rd(t.d, slot_register(1, AFFINITY)), 3);
    assert_int_equal(rd(t.d, slot_register(1, AFFINITY) + 4), 0x77);
    assert_int_equal(rd(t.d, slot_register(1, CONFIG)), 0x80000);
    assert_int_equal(rd(t.d, slot_register(1, XAFFINITY)), 0x66);
    assert_int_equal(rd(t.d, RAWSTAT), 0);
    /* A second chain waits, and can be withdrawn. */
    start_chain(&t, 1, VA + 0x40, 0);
    assert_int_equal(rd(t.d, slot_register(1, COMMAND_NEXT)), START);
    assert_int_equal(rd(t.d, slot_register(1, HEAD)), VA);
    wr(t.d, slot_register(1, COMMAND_NEXT), NOP);
    wr(t.d, slot_register(1, COMMAND), HARD_STOP);
    wr(t.d, CLEAR, UINT32_MAX);
    assert_int_equal(slot_status(&t, 1), TERMINATED);
    assert_int_equal(rd(t.d, slot_register(1, HEAD)), VA);
    board_free(t.d);
}

/* The upper half of addresses is used. */
static void test_wide_addresses(void **unused)
{
    struct bed t = bed_new();
    uint64_t head = UINT64_C(0x123400000000) + VA;

    (void)unused;
    space_map(t.d, t.root, head, t.page, PAGE_RW);
    job_header(t.d, t.page, MALI_JOB_TYPE_NULL, 1, head + 0x40);
    null_job(&t, 0x40);
    start_chain(&t, 1, head, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), DONE);
    assert_int_equal(rd(t.d, slot_register(1, TAIL)), (uint32_t)head + 0x40);
    assert_int_equal(rd(t.d, slot_register(1, TAIL) + 4), 0x1234);
    assert_int_equal(rd(t.d, slot_register(1, HEAD) + 4), 0x1234);
    board_free(t.d);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static uint32_t start_with(const struct bed *t, uint64_t affinity, uint32_t config)
{
    null_job(t, 0);
    wr64(t->d, slot_register(1, HEAD_NEXT), VA);
    wr64(t->d, slot_register(1, AFFINITY_NEXT), affinity);
    wr(t->d, slot_register(1, CONFIG_NEXT), config);
    wr(t->d, slot_register(1, COMMAND_NEXT), START);
    if (slot_status(t, 1) == ACTIVE)
        return driver_finish(t->d, 1, MSEC, NULL);
    assert_int_equal(rd(t->d, RAWSTAT), 1u << 17);
    wr(t->d, CLEAR, 1u << 17);
    return slot_status(t, 1);
}

static void test_refused(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    assert_int_equal(start_with(&t, 1, 0), DONE);
    assert_int_equal(start_with(&t, UINT64_C(1) << 11, 0), DONE);
    assert_int_equal(start_with(&t, UINT64_C(1) << 12, 0),
                     AFFINITY_FAULT); /* only 12 cores exist */
    assert_int_equal(start_with(&t, 0, 0), AFFINITY_FAULT);
    assert_int_equal(start_with(&t, 1, 8), CONFIG_FAULT); /* only address spaces 0 to 7 exist */
    assert_int_equal(start_with(&t, 0, 8), CONFIG_FAULT);
    driver_enable(t.d, 7, t.root);
    assert_int_equal(start_with(&t, 1, 7), DONE);
    /* Only core 2 has power. */
    wr(t.d, 0x1c0, 0xfff & ~4u); /* SHADER_PWROFF_LO */
    board_wait(t.d, MSEC);
    assert_int_equal(start_with(&t, 3, 0), POWER_FAULT);
    assert_int_equal(start_with(&t, 5, 0), DONE);
    wr(t.d, 0x1e0, 1); /* L2_PWROFF_LO */
    board_wait(t.d, MSEC);
    assert_int_equal(start_with(&t, 5, 0), POWER_FAULT);
    board_free(t.d);
}

/* ---- time ------------------------------------------------------------------------------------ */

static void test_job_time(void **unused)
{
    struct bed t = bed_new();
    const struct gpu_slot_count *count = &gpu_of(&t)->perfcnt.slot[1];

    (void)unused;
    null_job(&t, 0x40);
    job_header(t.d, t.page, MALI_JOB_TYPE_NULL, 1, VA + 0x40);
    start_chain(&t, 1, VA, 0);
    board_wait(t.d, WAKE + 2 * JOB_CYCLES - 1);
    assert_int_equal(slot_status(&t, 1), ACTIVE);
    assert_int_equal(rd(t.d, RAWSTAT), 0);
    assert_int_equal(rd(t.d, 0x34) & 1, 1); /* GPU_STATUS: active */
    assert_int_equal(rd(t.d, slot_register(1, TAIL)), VA + 0x40);
    board_wait(t.d, 1);
    assert_int_equal(slot_status(&t, 1), DONE);
    assert_int_equal(rd(t.d, RAWSTAT), 1u << 1);
    assert_int_equal(rd(t.d, 0x34) & 1, 0);
    assert_int_equal(count->jobs, 2);
    assert_int_equal(count->active_cycles, 2 * JOB_CYCLES);
    assert_int_equal(gpu_of(&t)->perfcnt.active_cycles, 2 * JOB_CYCLES);
    board_free(t.d);
}

/*
 * A circular chain takes time like any chain: the driver sees it run, and each command can stop it.
 */
static void test_circle(void **unused)
{
    static const uint32_t stops[] = {SOFT_STOP, HARD_STOP, SOFT_STOP_0, HARD_STOP_0};

    (void)unused;
    for (unsigned i = 0; i < ARRAY_SIZE(stops); i++) {
        struct bed t = bed_new();
        uint64_t begun = t.d->now;

        put_circle(&t, 0);
        start_chain(&t, 1, VA, 0);
        board_wait(t.d, MSEC);
        assert_int_equal(slot_status(&t, 1), ACTIVE);
        assert_in_range(gpu_of(&t)->perfcnt.slot[1].jobs, MSEC / JOB_CYCLES - 1, MSEC / JOB_CYCLES);
        wr(t.d, slot_register(1, COMMAND), stops[i]);
        assert_int_equal(driver_finish(t.d, 1, 2000, NULL), i % 2 ? TERMINATED : STOPPED);
        assert_in_range(t.d->now - begun, MSEC, MSEC + 2000);
        board_wait(t.d, MSEC);
        assert_true(clock_next(&t.d->b->clock) == CLOCK_NEVER);
        board_free(t.d);
    }
}

/* Slots take turns of one step each, in ascending order; after a reset slot 1 is first. */
static void test_turns(void **unused)
{
    struct bed t = bed_new();
    const struct gpu_slot_count *count = gpu_of(&t)->perfcnt.slot;

    (void)unused;
    for (unsigned n = 0; n < 3; n++) {
        put_circle(&t, 0x40 * n);
        start_chain(&t, n, VA + 0x40 * n, 0);
    }
    board_wait(t.d, WAKE);
    for (unsigned begun = 1; begun < 10; begun++) {
        assert_int_equal(count[1].jobs, (begun + 2) / 3);
        assert_int_equal(count[2].jobs, (begun + 1) / 3);
        assert_int_equal(count[0].jobs, begun / 3);
        board_wait(t.d, JOB_CYCLES);
    }
    board_free(t.d);
}

/* Statistics of a slot do not include another slot's work. */
static void test_counts(void **unused)
{
    struct bed t = bed_new();
    const struct gpu_slot_count *count = gpu_of(&t)->perfcnt.slot;
    struct fake_job job = {.steps = 4, .cycles = 10000, .target = VA + 0x800};

    (void)unused;
    job_fake(t.d, t.page, VA + 0x100, &job);
    job_fake(t.d, t.page + 0x100, 0, &job);
    null_job(&t, 0x200);
    start_chain(&t, 1, VA, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), DONE);
    start_chain(&t, 2, VA + 0x200, 0);
    assert_int_equal(driver_finish(t.d, 2, MSEC, NULL), DONE);
    assert_int_equal(count[1].jobs, 2);
    assert_int_equal(count[1].tasks, 8);
    assert_int_equal(count[1].active_cycles, 2 * (4 * 10000 + JOB_CYCLES));
    assert_int_equal(count[2].jobs, 1);
    assert_int_equal(count[2].tasks, 0);
    assert_int_equal(count[2].active_cycles, JOB_CYCLES);
    assert_int_equal(count[0].jobs + count[0].tasks + count[0].active_cycles, 0);
    board_free(t.d);
}

/* The flush id counts chains that request a flush at their start, and cache-flush jobs. */
static void test_flush_id(void **unused)
{
    struct bed t = bed_new();
    uint32_t before = rd(t.d, 0x38);

    (void)unused;
    null_job(&t, 0);
    start_chain(&t, 1, VA, 0);
    driver_finish(t.d, 1, MSEC, NULL);
    assert_int_equal(rd(t.d, 0x38), before);
    start_chain(&t, 1, VA, START_FLUSH);
    driver_finish(t.d, 1, MSEC, NULL);
    assert_int_equal(rd(t.d, 0x38), before + 1);
    job_header(t.d, t.page, MALI_JOB_TYPE_CACHE_FLUSH, 1, 0);
    start_chain(&t, 1, VA, 0);
    driver_finish(t.d, 1, MSEC, NULL);
    assert_int_equal(rd(t.d, 0x38), before + 2);
    board_free(t.d);
}

/* ---- stops ----------------------------------------------------------------------------------- */

/*
 * Each stop command on a chain with the job-chain flag and on one without: only the addressed chain
 * stops.
 */
static void test_stop_commands(void **unused)
{
    static const struct {
        uint32_t command;
        bool hits[2]; /* without flag, with flag */
        uint32_t status;
    } cases[] = {
        {NOP, {false, false}, 0},
        {START, {false, false}, 0},
        {SOFT_STOP, {true, true}, STOPPED},
        {HARD_STOP, {true, true}, TERMINATED},
        {SOFT_STOP_0, {true, false}, STOPPED},
        {HARD_STOP_0, {true, false}, TERMINATED},
        {SOFT_STOP_1, {false, true}, STOPPED},
        {HARD_STOP_1, {false, true}, TERMINATED},
        {8, {false, false}, 0},
    };

    (void)unused;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        for (unsigned flag = 0; flag < 2; flag++) {
            struct bed t = bed_new();

            put_circle(&t, 0);
            wr(t.d, slot_register(1, COMMAND), cases[i].command); /* no chain runs yet */
            start_chain(&t, 1, VA, flag * CHAIN_FLAG);
            board_wait(t.d, 10000);
            wr(t.d, slot_register(1, COMMAND), cases[i].command);
            board_wait(t.d, 2 * JOB_CYCLES);
            assert_int_equal(slot_status(&t, 1), cases[i].hits[flag] ? cases[i].status : ACTIVE);
            assert_int_equal(rd(t.d, RAWSTAT), cases[i].hits[flag] ? 1u << 17 : 0);
            assert_int_equal(rd(t.d, slot_register(0, STATUS)), 0);
            board_free(t.d);
        }
    }
}

/* A requested soft stop is kept in a machine snapshot, and ends with its chain. */
static void test_soft_stop_is_kept(void **unused)
{
    struct bed t = bed_new();
    struct fake_job job = {.steps = 3, .cycles = 10000, .target = VA + 0x800};

    (void)unused;
    job_fake(t.d, t.page, VA + 0x100, &job);
    null_job(&t, 0x100);
    start_chain(&t, 1, VA, 0);
    board_wait(t.d, 5000);
    wr(t.d, slot_register(1, COMMAND), SOFT_STOP);
    bench_save_and_load(t.d->b);
    /* After the load the job goes on to its end, and the job after it does not begin. */
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), STOPPED);
    assert_int_equal(rd(t.d, slot_register(1, TAIL)), VA + 0x100);
    start_chain(&t, 1, VA, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), DONE);
    board_free(t.d);
}

/* After a hard stop within a step the step's end does not come any more. */
static void test_stop_in_a_step(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    put_endless(&t, 0, 100000);
    put_circle(&t, 0x100);
    null_job(&t, 0x200);
    start_chain(&t, 2, VA + 0x100, 0);
    start_chain(&t, 1, VA, 0);
    board_wait(t.d, 50000);
    assert_int_equal(fake_live, 1);
    wr(t.d, slot_register(1, COMMAND), HARD_STOP);
    assert_int_equal(fake_live, 0);
    assert_int_equal(slot_status(&t, 1), TERMINATED);
    wr(t.d, CLEAR, 1u << 17);
    start_chain(&t, 1, VA + 0x200, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), DONE);
    assert_int_equal(rd(t.d, slot_register(1, TAIL)), VA + 0x200);
    assert_int_equal(slot_status(&t, 2), ACTIVE);
    board_free(t.d);
}

/* ---- the driver's acknowledgement ------------------------------------------------------------ */

static void test_blocked(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    job_header(t.d, t.page, MALI_JOB_TYPE_NOT_STARTED, 1, 0);
    null_job(&t, 0x40);
    start_chain(&t, 1, VA, 0);
    start_chain(&t, 1, VA + 0x40, 0);
    board_wait(t.d, 10000);
    assert_int_equal(rd(t.d, RAWSTAT), 1u << 17);
    wr(t.d, CLEAR, 1u << 1 | 1u << 16 | 1u << 18); /* other bits */
    board_wait(t.d, 10000);
    assert_int_equal(slot_status(&t, 1), CONFIG_FAULT);
    assert_int_equal(rd(t.d, slot_register(1, COMMAND_NEXT)), START);
    wr(t.d, CLEAR, 1u << 17);
    assert_int_equal(slot_status(&t, 1), ACTIVE);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), DONE);
    board_free(t.d);
}

/* A write to CLEAR samples JS_STATE for the slots whose bits it has. */
static void test_state(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    put_circle(&t, 0);
    start_chain(&t, 0, VA, 0);
    start_chain(&t, 2, VA, 0);
    start_chain(&t, 2, VA, 0);
    assert_int_equal(rd(t.d, STATE), 0);
    wr(t.d, CLEAR, 1u << 0);
    assert_int_equal(rd(t.d, STATE), 1u << 0);
    wr(t.d, CLEAR, 1u << 18 | 1u << 1); /* the failed bit samples as well */
    assert_int_equal(rd(t.d, STATE), 1u << 0 | 1u << 2 | 1u << 18);
    wr(t.d, slot_register(0, COMMAND), HARD_STOP);
    assert_int_equal(rd(t.d, STATE), 1u << 0 | 1u << 2 | 1u << 18);
    wr(t.d, slot_register(2, COMMAND_NEXT), NOP);
    wr(t.d, CLEAR, 1u << 16);
    assert_int_equal(rd(t.d, STATE), 1u << 2 | 1u << 18);
    wr(t.d, CLEAR, 1u << 2);
    assert_int_equal(rd(t.d, STATE), 1u << 2);
    driver_reset(t.d);
    assert_int_equal(rd(t.d, STATE), 0);
    board_free(t.d);
}

/* A reset stops the chains of all slots. */
static void test_reset_of_each_slot(void **unused)
{
    (void)unused;
    for (unsigned slot = 0; slot < 3; slot++) {
        struct bed t = bed_new();

        put_circle(&t, 0);
        start_chain(&t, slot, VA, 0);
        start_chain(&t, slot, VA + 0x40, 0);
        board_wait(t.d, 10000);
        assert_int_equal(rd(t.d, 0x34) & 1, 1);
        driver_reset(t.d);
        assert_int_equal(rd(t.d, 0x34) & 1, 0);
        assert_int_equal(slot_status(&t, slot), 0);
        assert_int_equal(rd(t.d, slot_register(slot, COMMAND_NEXT)), NOP);
        assert_int_equal(rd(t.d, slot_register(slot, HEAD_NEXT)), 0);
        board_wait(t.d, MSEC);
        assert_true(clock_next(&t.d->b->clock) == CLOCK_NEVER);
        board_free(t.d);
    }
}

/* Jobs that store a clock: GPU cycles, or the system counter at 50 MHz. */
static void test_clocks(void **unused)
{
    struct bed t = bed_new();
    uint64_t cycles, ticks;

    (void)unused;
    board_wait(t.d, MSEC);
    wr(t.d, 0x30, 5); /* GPU_COMMAND: CYCLE_COUNT_START */
    job_write_value(t.d, t.page, VA + 0x40, MALI_WRITE_VALUE_TYPE_CYCLE_COUNTER, VA + 0x800, 0);
    job_write_value(t.d, t.page + 0x40, 0, MALI_WRITE_VALUE_TYPE_SYSTEM_TIMESTAMP, VA + 0x808, 0);
    start_chain(&t, 1, VA, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), DONE);
    cycles = bench_read_as(t.d->b, 0, t.page + 0x800, 8);
    ticks = bench_read_as(t.d->b, 0, t.page + 0x808, 8);
    assert_int_equal(cycles, WAKE);
    assert_in_range(ticks, MSEC / 20, t.d->now / 20);
    board_free(t.d);
}

/* Number of reports to the CPUs that a step wrote where a CPU has code. */
static unsigned code_writes;

static void on_code_write(void *opaque, uint64_t pa, uint64_t len)
{
    (void)opaque, (void)pa, (void)len;
    code_writes++;
}

static void test_cpu_code(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    job_write_value(t.d, t.page, 0, MALI_WRITE_VALUE_TYPE_IMMEDIATE_32, VA + 0x800, 1);
    t.d->b->bus->on_code_write = on_code_write;
    bus_mark_code(t.d->b->bus, t.page);
    code_writes = 0;
    start_chain(&t, 1, VA, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), DONE);
    assert_int_equal(code_writes, 1);
    board_free(t.d);
}

/* ---- waiting for pages ----------------------------------------------------------------------- */

/* A job that writes to the unmapped heap and waits for its page. */
static struct bed make_waiting_bed(unsigned slot)
{
    struct bed t = bed_new();

    job_write_value(t.d, t.page, 0, MALI_WRITE_VALUE_TYPE_IMMEDIATE_32, HEAP, 1);
    start_chain(&t, slot, VA, 0);
    board_wait(t.d, 10000);
    assert_int_equal(rd(t.d, 0x2000), 1); /* MMU_INT_RAWSTAT */
    assert_true(gpu_of(&t)->jobs.slot[slot].stalled);
    return t;
}

/* While one job waits others run, and no event is scheduled for it. */
static void test_others_run(void **unused)
{
    struct bed t = make_waiting_bed(1);

    (void)unused;
    assert_true(clock_next(&t.d->b->clock) == CLOCK_NEVER);
    assert_int_equal(rd(t.d, 0x34) & 1, 1);
    null_job(&t, 0x100);
    start_chain(&t, 2, VA + 0x100, 0);
    assert_int_equal(driver_finish(t.d, 2, MSEC, NULL), DONE);
    assert_int_equal(slot_status(&t, 1), ACTIVE);
    wr(t.d, slot_register(1, COMMAND), HARD_STOP);
    assert_int_equal(slot_status(&t, 1), TERMINATED);
    assert_false(gpu_of(&t)->jobs.slot[1].stalled);
    board_free(t.d);
}

/* After an MMU command the access is repeated 10 us later, not earlier. */
static void test_replay_time(void **unused)
{
    (void)unused;
    for (unsigned slot = 0; slot < 3; slot++) {
        struct bed t = make_waiting_bed(slot);

        wr(t.d, 0x2004, 1);
        wr(t.d, 0x2458, 4); /* FLUSH_PT of another address space */
        assert_true(clock_next(&t.d->b->clock) == CLOCK_NEVER);
        wr(t.d, 0x2418, 4);
        board_wait(t.d, 9999);
        assert_int_equal(rd(t.d, 0x2000), 0);
        assert_true(gpu_of(&t)->jobs.slot[slot].stalled);
        board_wait(t.d, 3 + JOB_CYCLES);
        assert_int_equal(rd(t.d, 0x2000), 1);
        assert_int_equal(stats_get(t.d->b->stats, "gpu", "waits_for_a_page"), 2);
        /* gpu_jobs_replay() does not repeat an access whose replay was not requested. */
        gpu_jobs_replay(gpu_of(&t));
        board_wait(t.d, MSEC);
        assert_int_equal(stats_get(t.d->b->stats, "gpu", "waits_for_a_page"), 2);
        board_free(t.d);
    }
}

/* A job that waits to read a page continues even if the page is not writable. */
static void test_retry_of_a_read(void **unused)
{
    struct bed t = bed_new();
    uint64_t page = board_page(t.d);

    (void)unused;
    null_job(&t, 0);
    job_header(t.d, page, MALI_JOB_TYPE_NULL, 1, 0);
    start_chain(&t, 1, HEAP, MALI_JS_CONFIG_DISABLE_DESCRIPTOR_WR_BK);
    board_wait(t.d, 10000);
    assert_true(gpu_of(&t)->jobs.slot[1].stalled);
    space_map(t.d, t.root, HEAP, page, PAGE_R);
    wr(t.d, 0x2004, 1);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), DONE);
    board_free(t.d);
}

/*
 * Clearing the interrupt lets the job continue only if the page is mapped for that access in that
 * address space.
 */
static void test_retry(void **unused)
{
    struct bed t = make_waiting_bed(1);
    uint64_t page = board_page(t.d);

    (void)unused;
    wr(t.d, 0x2004, 1);
    assert_true(gpu_of(&t)->jobs.slot[1].stalled);
    space_map(t.d, t.root, HEAP, page, PAGE_R);
    wr(t.d, 0x2004, 1);
    assert_true(gpu_of(&t)->jobs.slot[1].stalled);
    space_map(t.d, t.root, HEAP, page, PAGE_RW);
    wr(t.d, 0x2004, 2);
    wr(t.d, 0x2004, 0x10000);
    assert_true(gpu_of(&t)->jobs.slot[1].stalled);
    wr(t.d, 0x2004, 1);
    assert_false(gpu_of(&t)->jobs.slot[1].stalled);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), DONE);
    assert_int_equal(peek(t.d, page), 1);
    board_free(t.d);
}

/* After a load waiting jobs still wait, and the others go on. */
static void test_load(void **unused)
{
    struct bed t = make_waiting_bed(1);
    uint64_t page = board_page(t.d);

    (void)unused;
    job_header(t.d, t.page + 0x100, MALI_JOB_TYPE_NULL, 1, VA + 0x140);
    put_endless(&t, 0x140, 1000);
    start_chain(&t, 2, VA + 0x100, 0);
    board_wait(t.d, 10000);
    assert_int_equal(fake_starts, 1);
    bench_save_and_load(t.d->b);
    assert_true(gpu_of(&t)->jobs.slot[1].stalled);
    assert_int_equal(fake_live, 1);
    board_wait(t.d, 10000);
    assert_int_equal(fake_starts, 1);
    assert_int_equal(slot_status(&t, 2), ACTIVE);
    wr(t.d, slot_register(2, COMMAND), HARD_STOP);
    wr(t.d, CLEAR, 1u << 18);
    space_map(t.d, t.root, HEAP, page, PAGE_RW);
    wr(t.d, 0x2004, 1);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), DONE);
    assert_int_equal(rd(t.d, 0x2000), 0);
    board_free(t.d);
}

/* A snapshot is a file: contradictory values in it cause no harm. */
static void test_bad_load(void **unused)
{
    struct bed t = make_waiting_bed(1);
    struct gpu_jobs *jobs = &gpu_of(&t)->jobs;

    (void)unused;
    jobs->slot[1].stall_access = 4 + GPU_ACCESS_WRITE;
    jobs->slot[0].stalled = 1; /* waits, but without a chain */
    /* a slot that the GPU does not have */
    jobs->slot[5] = (struct gpu_job_slot){.active = 1, .stepping = 1, .head = VA};
    jobs->slot[1].stepping = 1; /* a step without an end */
    jobs->outcome[5] = jobs->outcome[1] = (struct gpu_chain_outcome){.progress = 77, .between = 1};
    bench_save_and_load(t.d->b);
    assert_int_equal(jobs->slot[1].stall_access, GPU_ACCESS_WRITE);
    assert_int_equal(jobs->slot[0].stalled, 0);
    assert_int_equal(jobs->slot[5].active, 0);
    assert_int_equal(jobs->slot[1].stepping, 0);
    assert_int_equal(jobs->slot[5].stepping, 0);
    assert_int_equal(jobs->slot[5].head, 0);
    space_map(t.d, t.root, HEAP, board_page(t.d), PAGE_RW);
    wr(t.d, 0x2004, 1);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), DONE);
    board_free(t.d);
}

/* In a disabled address space, or with missing memory, a fault cannot be served: the job fails. */
static void test_bus_fault(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    null_job(&t, 0);
    start_chain(&t, 1, VA, 3);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), BUS_FAULT);
    assert_int_equal(rd(t.d, 0x2000), 0);
    job_fake(t.d, t.page, 0, &(struct fake_job){.steps = 1, .target = HEAP});
    space_map(t.d, t.root, HEAP, 0x1000, PAGE_RW);
    start_chain(&t, 1, VA, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), BUS_FAULT);
    assert_int_equal(rd(t.d, 0x2000), 0x10000);
    assert_int_equal(peek(t.d, t.page), BUS_FAULT);
    assert_int_equal(fake_live, 0);
    board_free(t.d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_next_registers),
        cmocka_unit_test(test_unknown_registers),
        cmocka_unit_test(test_interrupt_registers),
        cmocka_unit_test(test_promotion),
        cmocka_unit_test(test_wide_addresses),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_job_time),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_flush_id),
        cmocka_unit_test(test_stop_commands),
        cmocka_unit_test(test_soft_stop_is_kept),
        cmocka_unit_test(test_stop_in_a_step),
        cmocka_unit_test(test_blocked),
        cmocka_unit_test(test_state),
        cmocka_unit_test(test_reset_of_each_slot),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_cpu_code),
        cmocka_unit_test(test_others_run),
        cmocka_unit_test(test_replay_time),
        cmocka_unit_test(test_retry),
        cmocka_unit_test(test_retry_of_a_read),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_bad_load),
        cmocka_unit_test(test_bus_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
