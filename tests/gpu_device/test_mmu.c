/* Address spaces, their faults, and how the driver serves them. */
#include "tests/gpu_device/bed.h"

#define HEAP UINT64_C(0x4000000)

static void expect_fault(struct board *d, unsigned as, uint32_t code, uint32_t access, uint64_t va)
{
    for (unsigned i = 0; i < 1000 && !d->b->level[LINE_MMU]; i++)
        board_wait(d, 1000);
    assert_true(d->b->level[LINE_MMU]);
    assert_int_equal(rd(d, MALI_MMU_IRQ_STATUS), UINT32_C(1) << as);
    assert_int_equal(rd(d, MALI_AS_FAULTSTATUS(as)), code | access << 8);
    assert_int_equal(rd(d, MALI_AS_FAULTADDRESS_LO(as)), (uint32_t)va);
    assert_int_equal(rd(d, MALI_AS_FAULTADDRESS_HI(as)), va >> 32);
}

/* A growing heap: the driver maps 2 MB and flushes, and the job continues at the access. */
static void test_replay(void **unused)
{
    struct bed t = bed_new();
    struct fake_job job = {.steps = 4, .cycles = 1000, .target = HEAP + 0x100000};
    uint64_t big = (BOARD_RAM + BOARD_SIZE / 2);

    (void)unused;
    job_fake(t.d, t.page, 0, &job);
    driver_submit(t.d, 1, VA, 0);
    expect_fault(t.d, 0, MALI_EXCEPTION_TRANSLATION_FAULT + 2, MALI_FAULT_ACCESS_WRITE,
                 HEAP + 0x100000);
    wr(t.d, MALI_MMU_IRQ_MASK, 0);
    wr(t.d, MALI_MMU_IRQ_CLEAR, 0x10001);
    board_wait(t.d, 3 * MSEC); /* a slow driver: no second interrupt comes */
    assert_int_equal(rd(t.d, MALI_MMU_IRQ_RAWSTAT), 0);
    assert_int_equal(rd(t.d, MALI_JS_STATUS(1)), MALI_EXCEPTION_ACTIVE);
    space_map_large(t.d, t.root, HEAP, big, PAGE_RW);
    driver_flush(t.d, 0, HEAP);
    wr(t.d, MALI_MMU_IRQ_MASK, UINT32_MAX);
    assert_int_equal(driver_finish(t.d, 1, LONG, NULL), MALI_EXCEPTION_DONE);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(peek(t.d, big + 0x100000 + 4 * i), i + 1);
    assert_int_equal(fake_starts, 1);
    assert_int_equal(stats_get(t.d->b->stats, "gpu", "waits_for_a_page"), 1);
    board_free(t.d);
}

/*
 * A driver that maps before it clears the interrupt and gives no command: the clear lets the job
 * continue.
 */
static void test_replay_without_command(void **unused)
{
    struct bed t = bed_new();
    struct fake_job job = {.steps = 1, .target = HEAP};

    (void)unused;
    job_fake(t.d, t.page, 0, &job);
    driver_submit(t.d, 1, VA, 0);
    expect_fault(t.d, 0, MALI_EXCEPTION_TRANSLATION_FAULT + 2, MALI_FAULT_ACCESS_WRITE, HEAP);
    space_map(t.d, t.root, HEAP, board_page(t.d), PAGE_RW);
    wr(t.d, MALI_MMU_IRQ_CLEAR, 1);
    assert_int_equal(driver_finish(t.d, 1, LONG, NULL), MALI_EXCEPTION_DONE);
    board_free(t.d);
}

/* A flush without a mapping: the access faults again, with a new interrupt. */
static void test_fault_again(void **unused)
{
    struct bed t = bed_new();
    struct fake_job job = {.steps = 1, .target = HEAP};

    (void)unused;
    job_fake(t.d, t.page, 0, &job);
    driver_submit(t.d, 1, VA, 0);
    expect_fault(t.d, 0, MALI_EXCEPTION_TRANSLATION_FAULT + 2, MALI_FAULT_ACCESS_WRITE, HEAP);
    wr(t.d, MALI_MMU_IRQ_CLEAR, 1);
    assert_false(t.d->b->level[LINE_MMU]);
    driver_flush(t.d, 0, HEAP);
    expect_fault(t.d, 0, MALI_EXCEPTION_TRANSLATION_FAULT + 2, MALI_FAULT_ACCESS_WRITE, HEAP);
    board_free(t.d);
}

/*
 * panfrost's handling of a fault that it cannot serve: it disables the address space, the job
 * fails, and no further page fault comes.
 */
static void test_wild_pointer(void **unused)
{
    struct bed t = bed_new();
    struct fake_job job = {.steps = 1, .target = UINT64_C(0x123456789000)};

    (void)unused;
    job_fake(t.d, t.page, 0, &job);
    job_header(t.d, t.page + 0x100, MALI_JOB_TYPE_NULL, 1, 0);
    driver_submit(t.d, 1, VA, 0);
    expect_fault(t.d, 0, MALI_EXCEPTION_TRANSLATION_FAULT, MALI_FAULT_ACCESS_WRITE,
                 UINT64_C(0x123456789000));
    wr(t.d, MALI_MMU_IRQ_CLEAR, 0x10001);
    driver_disable(t.d, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_JOB_BUS_FAULT);
    board_wait(t.d, MSEC);
    assert_int_equal(rd(t.d, MALI_MMU_IRQ_RAWSTAT), 0);
    assert_int_equal(fake_live, 0);
    /* The next user of the address space is not affected. */
    driver_enable(t.d, 0, t.root);
    driver_submit(t.d, 1, VA + 0x100, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_DONE);
    board_free(t.d);
}

/* Jobs in a disabled address space fail at once. */
static void test_unmapped_space(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    job_header(t.d, t.page, MALI_JOB_TYPE_NULL, 1, 0);
    driver_submit(t.d, 1, VA, 5);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_JOB_BUS_FAULT);
    driver_submit(t.d, 1, VA, 9); /* an address space that this GPU does not have */
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_JOB_CONFIG_FAULT);
    board_free(t.d);
}

static uint32_t fault_of(uint64_t target, unsigned rights, bool code, uint64_t pa)
{
    struct bed t = bed_new();
    struct fake_job job = {.steps = 1, .target = target, .code = code};
    uint32_t status;

    job_fake(t.d, t.page, 0, &job);
    if (rights)
        space_map(t.d, t.root, target, pa ? pa : board_page(t.d), rights);
    driver_submit(t.d, 1, VA, 0);
    board_wait(t.d, MSEC);
    status = rd(t.d, MALI_AS_FAULTSTATUS(0));
    if (status)
        wr(t.d, MALI_JS_COMMAND(1), MALI_SLOT_COMMAND_HARD_STOP);
    else
        assert_int_equal(rd(t.d, MALI_JS_STATUS(1)), MALI_EXCEPTION_DONE);
    board_free(t.d);
    return status;
}

static void test_fault_codes(void **unused)
{
    const uint32_t write = MALI_FAULT_ACCESS_WRITE << 8, execute = MALI_FAULT_ACCESS_EXECUTE << 8;

    (void)unused;
    assert_int_equal(fault_of(HEAP, PAGE_RW, false, 0), 0);
    assert_int_equal(fault_of(HEAP, PAGE_R | PAGE_X, true, 0), 0);
    assert_int_equal(fault_of(VA + 0x1000, 0, false, 0),
                     (MALI_EXCEPTION_TRANSLATION_FAULT + 3) | write);
    assert_int_equal(fault_of(UINT64_C(0x40000000), 0, false, 0),
                     (MALI_EXCEPTION_TRANSLATION_FAULT + 1) | write);
    assert_int_equal(fault_of(UINT64_C(0x8000000000), 0, false, 0),
                     MALI_EXCEPTION_TRANSLATION_FAULT | write);
    assert_int_equal(fault_of(UINT64_C(0xffff000000000000), 0, false, 0),
                     MALI_EXCEPTION_TRANSLATION_FAULT | write);
    assert_int_equal(fault_of(HEAP, PAGE_R, false, 0),
                     (MALI_EXCEPTION_PERMISSION_FAULT + 3) | write);
    assert_int_equal(fault_of(HEAP, PAGE_RW, true, 0),
                     (MALI_EXCEPTION_PERMISSION_FAULT + 3) | execute);
    /* A page outside of RAM is a bus error: it cannot be served, and the job fails. */
    assert_int_equal(fault_of(HEAP, PAGE_RW, false, 0x1000), MALI_EXCEPTION_JOB_BUS_FAULT | write);
    /* An address beyond 40 physical bits */
    assert_int_equal(fault_of(HEAP, PAGE_RW, false, UINT64_C(0x10000000000)),
                     (MALI_EXCEPTION_ADDR_SIZE_FAULT_OUT + 3) | write);
}

static void test_bus_error(void **unused)
{
    struct bed t = bed_new();
    struct fake_job job = {.steps = 1, .target = HEAP};

    (void)unused;
    job_fake(t.d, t.page, 0, &job);
    space_map(t.d, t.root, HEAP, 0x1000, PAGE_RW);
    driver_submit(t.d, 1, VA, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_JOB_BUS_FAULT);
    assert_int_equal(rd(t.d, MALI_MMU_IRQ_RAWSTAT), 1u << 16);
    /* A table outside of RAM */
    wr(t.d, MALI_MMU_IRQ_CLEAR, UINT32_MAX);
    driver_enable(t.d, 1, 0x4000);
    driver_submit(t.d, 1, VA, 1);
    board_wait(t.d, MSEC);
    assert_int_equal(rd(t.d, MALI_AS_FAULTSTATUS(1)),
                     MALI_EXCEPTION_TRANSTAB_BUS_FAULT | MALI_FAULT_ACCESS_READ << 8);
    board_free(t.d);
}

/* Two address spaces in use at once, with the same virtual address in both. */
static void test_two_spaces(void **unused)
{
    struct bed t = bed_new();
    uint64_t root = space_new(t.d), page = board_page(t.d);

    (void)unused;
    space_map(t.d, root, VA, page, PAGE_RW);
    driver_enable(t.d, 7, root);
    job_write_value(t.d, t.page, 0, MALI_WRITE_VALUE_TYPE_IMMEDIATE_32, VA + 0x800, 1);
    job_write_value(t.d, page, 0, MALI_WRITE_VALUE_TYPE_IMMEDIATE_32, VA + 0x800, 2);
    driver_submit(t.d, 1, VA, 0);
    driver_submit(t.d, 2, VA, 7);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_DONE);
    assert_int_equal(driver_finish(t.d, 2, MSEC, NULL), MALI_EXCEPTION_DONE);
    assert_int_equal(peek(t.d, t.page + 0x800), 1);
    assert_int_equal(peek(t.d, page + 0x800), 2);
    board_free(t.d);
}

/* New values of an address space's registers take effect at the update command. */
static void test_update(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    job_header(t.d, t.page, MALI_JOB_TYPE_NULL, 1, 0);
    wr64(t.d, MALI_AS_TRANSTAB_LO(0), 0);
    driver_submit(t.d, 1, VA, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_DONE);
    wr(t.d, MALI_AS_COMMAND(0), MALI_AS_COMMAND_UPDATE);
    driver_submit(t.d, 1, VA, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_JOB_BUS_FAULT);
    board_free(t.d);
}

/* A reset while a job waits for a page. */
static void test_reset_while_waiting(void **unused)
{
    struct bed t = bed_new();
    struct fake_job job = {.steps = 1, .target = HEAP};

    (void)unused;
    job_fake(t.d, t.page, 0, &job);
    driver_submit(t.d, 1, VA, 0);
    expect_fault(t.d, 0, MALI_EXCEPTION_TRANSLATION_FAULT + 2, MALI_FAULT_ACCESS_WRITE, HEAP);
    driver_resume(t.d);
    assert_false(t.d->b->level[LINE_MMU]);
    assert_int_equal(fake_live, 0);
    assert_int_equal(rd(t.d, MALI_AS_FAULTSTATUS(0)), 0);
    board_free(t.d);
}

/* A job that waits for a page still waits after a snapshot. */
static void test_snapshot_while_waiting(void **unused)
{
    struct bed t = bed_new();
    struct fake_job job = {.steps = 1, .target = HEAP};

    (void)unused;
    job_fake(t.d, t.page, 0, &job);
    driver_submit(t.d, 1, VA, 0);
    expect_fault(t.d, 0, MALI_EXCEPTION_TRANSLATION_FAULT + 2, MALI_FAULT_ACCESS_WRITE, HEAP);
    bench_save_and_load(t.d->b);
    assert_true(t.d->b->level[LINE_MMU]);
    space_map(t.d, t.root, HEAP, board_page(t.d), PAGE_RW);
    wr(t.d, MALI_MMU_IRQ_CLEAR, 1);
    driver_flush(t.d, 0, HEAP);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_DONE);
    board_free(t.d);
}

/* ---- code ------------------------------------------------------------------------------------ */

static unsigned dropped;

static void on_code_write(void *opaque, uint64_t pa, uint64_t len)
{
    struct bed *t = opaque;

    assert_true(len <= 0x1000);
    dropped += pa == t->code;
    bus_clear_code(t->d->b->bus, pa);
}

/* CPUs do not execute old decoded code where the GPU has written. */
static void test_cpu_code(void **unused)
{
    struct bed t = bed_new();
    struct fake_job job = {.steps = 2, .cycles = 1000, .target = HEAP};

    (void)unused;
    t.code = board_page(t.d);
    dropped = 0;
    t.d->b->bus->on_code_write = on_code_write;
    t.d->b->bus->code_opaque = &t;
    space_map(t.d, t.root, HEAP, t.code, PAGE_RW);
    bus_mark_code(t.d->b->bus, t.code);
    job_fake(t.d, t.page, 0, &job);
    driver_submit(t.d, 1, VA, 0);
    assert_int_equal(driver_finish(t.d, 1, MSEC, NULL), MALI_EXCEPTION_DONE);
    assert_int_equal(dropped, 1);
    board_free(t.d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_replay_without_command),
        cmocka_unit_test(test_fault_again),
        cmocka_unit_test(test_wild_pointer),
        cmocka_unit_test(test_unmapped_space),
        cmocka_unit_test(test_fault_codes),
        cmocka_unit_test(test_bus_error),
        cmocka_unit_test(test_two_spaces),
        cmocka_unit_test(test_update),
        cmocka_unit_test(test_reset_while_waiting),
        cmocka_unit_test(test_snapshot_while_waiting),
        cmocka_unit_test(test_cpu_code),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
