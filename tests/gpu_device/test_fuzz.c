/*
 * A guest that writes random values to random registers, with memory full of random data: the
 * device keeps running, and works after a reset.
 */
#include "runtime/base/random.h"
#include "tests/gpu_device/board.h"

enum { ROUNDS = 300, WRITES = 2000 };

#define VA UINT64_C(0x2000000)

static uint64_t draw_below(uint64_t *r, unsigned n)
{
    return random_next(r) % n;
}

/* Random numbers that favour meaningful ones: small numbers and addresses. */
static uint32_t draw_value(uint64_t *r)
{
    switch (draw_below(r, 5)) {
    case 0:
        return (uint32_t)draw_below(r, 9);
    case 1:
        return (uint32_t)(VA + 64 * draw_below(r, 64));
    case 2:
        return UINT32_C(1) << draw_below(r, 32);
    case 3:
        return (uint32_t)(BOARD_RAM + 0x1000 * draw_below(r, 16) + draw_below(r, 8));
    }
    return (uint32_t)random_next(r);
}

static uint32_t any_register(uint64_t *r)
{
    const struct mali_register *reg = &mali_registers[draw_below(r, MALI_REGISTERS_COUNT)];

    if (!draw_below(r, 10))
        return (uint32_t)(4 * draw_below(r, 0x1000));
    return reg->offset + (uint32_t)(reg->stride * draw_below(r, reg->count));
}

static void fill_page(struct board *d, uint64_t *r, uint64_t page)
{
    for (unsigned i = 0; i < 64; i++) {
        uint64_t next = draw_below(r, 8) ? VA + 64 * draw_below(r, 64) : draw_value(r);
        struct fake_job fake = {draw_value(r), (uint32_t)draw_below(r, 5000), draw_value(r),
                                (uint32_t)draw_below(r, 9), (uint32_t)draw_below(r, 2)};

        if (draw_below(r, 2))
            job_fake(d, page + 64 * i, next, &fake);
        else
            job_write_value(d, page + 64 * i, next, (unsigned)draw_below(r, 9), draw_value(r),
                            random_next(r));
        if (draw_below(r, 2))
            job_header(d, page + 64 * i, (unsigned)draw_below(r, 12), (unsigned)draw_below(r, 5),
                       next);
    }
}

static void round_of(uint64_t seed)
{
    struct board *d = board_new();
    uint64_t root = space_new(d), page = board_page(d);
    uint64_t r = seed;

    driver_resume(d);
    space_map(d, root, VA, page, PAGE_RW | PAGE_X);
    driver_enable(d, 0, root);
    fill_page(d, &r, page);
    for (unsigned i = 0; i < WRITES; i++) {
        wr(d, any_register(&r), draw_value(&r));
        rd(d, any_register(&r));
        if (!draw_below(&r, 20))
            driver_enable(d, (unsigned)draw_below(&r, 2), root);
        if (!draw_below(&r, 20))
            board_wait(d, draw_below(&r, 100000));
    }
    if (seed % 2)
        bench_save_and_load(d->b);
    driver_resume(d);
    driver_enable(d, 0, root);
    space_map(d, root, VA, page, PAGE_RW);
    job_header(d, page, MALI_JOB_TYPE_NULL, 1, 0);
    driver_submit(d, 1, VA, 0);
    assert_int_equal(driver_finish(d, 1, 1000000, NULL), MALI_EXCEPTION_DONE);
    board_free(d);
}

static void test_random(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++)
        round_of(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
