/*
 * The GPU's clock and the meter of its supply, with energies computed by hand. At full speed a
 * cycle takes 1 ns, in which 1 mW is 1 pJ.
 */
#include <string.h>

#include "runtime/gpu/observer.h"
#include "tests/gpu_device/board.h"

/* 12 cores: each leaks 10 mW and has a gated clock of 2 mW; the rest leaks 100 mW, and its clock
 * takes 20 mW, or 60 more while a job runs. */
static const struct power_params numbers = {.voltage = 1000,
                                            .core_leakage = 10000,
                                            .core_gated = 2000,
                                            .gpu_leakage = 100000,
                                            .gpu_gated = 20000,
                                            .gpu_active = 60000};

enum { OFF = 100000, ON = 100000 + 20000 + 12 * 12000, US = 1000, MS = 1000 * US, VA = 0x100000 };

static struct gpu_supply supply;

static struct board *make_board(void)
{
    supply = (struct gpu_supply){
        .offers = {{{500, 900}, 300}, {{1000, 1000}, 900}}, .count = 2, .initial = 1};
    return board_new_metered(&supply, &numbers);
}

static uint64_t power_of(const struct gpu_supply *s)
{
    struct gpu_reading r;

    assert_true(gpu_supply_read(s, &r));
    return r.microwatt;
}

static uint64_t energy_of(const struct gpu_supply *s)
{
    struct gpu_reading r;

    assert_true(gpu_supply_read(s, &r));
    return r.microjoule;
}

static uint64_t energy_part(struct board *d, const char *name)
{
    return stats_get(d->b->stats, "gpu/power", name);
}

/* Power of the last whole millisecond; energy since power-on. */
static void test_base(void **state)
{
    struct board *d = make_board();

    (void)state;
    board_wait(d, 2 * MS);
    assert_int_equal(power_of(&supply), OFF);
    assert_int_equal(energy_of(&supply), 2 * OFF / 1000);
    driver_resume(d);
    board_wait(d, 20 * MS - d->now % MS);
    assert_int_equal(power_of(&supply), ON);
    assert_int_equal(power_of(&supply), ON); /* reading changes nothing */
    assert_int_equal(energy_part(d, "energy_uj"), energy_of(&supply));
    assert_int_equal(energy_part(d, "instructions_uj"), 0);
    /* the sum of its parts, but for what each loses below a microjoule */
    assert_in_range(energy_of(&supply) - energy_part(d, "leakage_uj") - energy_part(d, "clocks_uj"),
                    0, 2);
    d->b->cls->reset(d->b->dev);
    assert_int_equal(energy_of(&supply), 0);
    board_free(d);
}

static uint64_t with_job(struct board *d)
{
    uint64_t root = space_new(d), page = board_page(d);

    space_map(d, root, VA, page, PAGE_RW);
    driver_enable(d, 0, root);
    job_fake(d, page, 0, &(struct fake_job){.steps = 1, .cycles = 4 * MS, .target = VA + 0x800});
    driver_submit(d, 1, VA, 0);
    return d->now;
}

/* A step of 4 ms takes 8 mJ, evenly: 2 W, besides the base and the shared clock. */
static void test_job(void **state)
{
    struct board *d = make_board();

    (void)state;
    driver_resume(d);
    fake_energy.part[POWER_INSTRUCTIONS] = UINT64_C(8000000000);
    fake_energy.core[3] = UINT64_C(5000000000);
    with_job(d);
    board_wait(d, 4 * MS - d->now % MS);
    assert_int_equal(power_of(&supply), ON + 2000000 + 60000);
    assert_in_range(energy_part(d, "instructions_uj"), 5900, 8000);
    board_wait(d, 6 * MS);
    assert_int_equal(energy_part(d, "instructions_uj"), 8000);
    assert_int_equal(energy_part(d, "core3_uj"), 5000);
    assert_int_equal(energy_part(d, "core2_uj"), 0);
    assert_int_equal(power_of(&supply), ON);
    board_free(d);
}

static uint64_t told; /* the power that an observer received last */

static void tell(void *opaque, uint64_t ns, uint64_t microwatt)
{
    (void)opaque;
    (void)ns;
    told = microwatt;
}

/* Maps a job of one step into an address space of its own. */
static void job_of(struct board *d, unsigned space, uint32_t cycles)
{
    uint64_t root = space_new(d), page = board_page(d);

    space_map(d, root, VA, page, PAGE_RW);
    driver_enable(d, space, root);
    job_fake(d, page, 0, &(struct fake_job){.steps = 1, .cycles = cycles, .target = VA + 0x800});
}

static void start(struct board *d, unsigned slot, unsigned space, uint64_t cores)
{
    wr64(d, MALI_JS_HEAD_NEXT_LO(slot), VA);
    wr64(d, MALI_JS_AFFINITY_NEXT_LO(slot), cores);
    wr(d, MALI_JS_CONFIG_NEXT(slot), space);
    wr(d, MALI_JS_COMMAND_NEXT(slot), MALI_SLOT_COMMAND_START);
}

/* Returns the energy that a part has used since it was `before`. */
static uint64_t energy_since(struct board *d, const char *name, uint64_t before)
{
    return energy_part(d, name) - before;
}

/*
 * One slot has a step of 4 ms and 2 W; a millisecond later another slot on other cores has one
 * of 1 W, which ends before the first or, if it takes 5 ms, after it. Each takes its own power
 * until its own end, and the clocks of shared parts count once.
 */
static void test_two_slots(void **state)
{
    static const struct gpu_observer observer = {.power = tell};
    static const uint64_t second[] = {1, 5}; /* ms */

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t with = ON + 60000, mj = second[i] * 1000;
        struct board *d = make_board();
        uint64_t clocks, instructions, shared, begun;

        d->config.observers = &observer;
        driver_resume(d);
        job_of(d, 0, 4 * MS);
        job_of(d, 1, (uint32_t)(second[i] * MS));
        instructions = energy_part(d, "instructions_uj");
        fake_energy.part[POWER_INSTRUCTIONS] = UINT64_C(8000000000);
        start(d, 1, 0, 1);
        board_wait(d, US);
        assert_in_range(told, with + 1999000, with + 2001000);
        begun = d->now;
        clocks = energy_part(d, "clocks_uj");
        board_wait(d, MS);
        start(d, 2, 1, 2);
        board_wait(d, US / 10); /* the header's step, which takes 500 ns, has begun */
        fake_energy.part[POWER_INSTRUCTIONS] = second[i] * UINT64_C(1000000000);
        board_wait(d, US);
        assert_in_range(told, with + 2998000, with + 3002000);
        board_wait(d, (3 + i) * MS / 2); /* 1.5 and 2 ms of the second: its end, or its middle */
        assert_in_range(told, with + (i ? 2998000 : 1998000), with + (i ? 3002000 : 2002000));
        board_wait(d, 2 * MS); /* after the end of the first */
        assert_in_range(told, i ? with + 998000 : ON, i ? with + 1002000 : ON);
        board_wait(d, 4 * MS);
        assert_int_equal(told, ON);
        assert_in_range(energy_since(d, "instructions_uj", instructions), 8000 + mj - 1, 8000 + mj);
        /* gated clocks until now, and 4 or 6 ms of the shared ones */
        shared = energy_since(d, "clocks_uj", clocks) - (d->now - begun) * 44 / MS;
        assert_in_range(shared, (i ? 360 : 240) - 2, (i ? 360 : 240) + 2);
        board_free(d);
    }
}

/* At half the clock and 0.9 of the voltage a step takes twice the time, instructions 0.81 of the
 * energy, gated clocks 0.405 of the power and leakage 0.729. The cycle counter goes on. */
static void test_clock(void **state)
{
    struct board *d = make_board();
    uint32_t before;
    uint64_t begun;

    (void)state;
    driver_resume(d);
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_CYCLE_COUNT_START);
    board_wait(d, MS);
    before = rd(d, MALI_CYCLE_COUNT_LO);
    assert_int_equal(before, MS);
    gpu_supply_set(&supply, supply.offers[0].at);
    assert_int_equal(fake_mhz, 500);
    assert_int_equal(supply.at.millivolt, 900);
    assert_int_equal(rd(d, MALI_CYCLE_COUNT_LO), before);
    board_wait(d, MS);
    assert_int_equal(rd(d, MALI_CYCLE_COUNT_LO), before + MS / 2);
    board_wait(d, 2 * MS);
    assert_int_equal(power_of(&supply), 220000 * 729 / 1000 + 44000 * 405 / 1000);
    fake_energy.part[POWER_CACHES] = UINT64_C(1000000000);
    begun = with_job(d);
    assert_true(board_wait_for(d, MALI_JOB_IRQ_RAWSTAT, 2, 2, 20 * MS));
    assert_in_range(d->now - begun, 8 * MS, 8 * MS + 10 * US);
    assert_int_equal(energy_part(d, "caches_uj"), 810);
    gpu_supply_set(&supply, supply.offers[1].at);
    assert_int_equal(rd(d, MALI_CYCLE_COUNT_LO),
                     before + MS * 3 / 2 + (uint32_t)(d->now - begun) / 2);
    board_free(d);
}

static void test_snapshot(void **state)
{
    struct board *d = make_board();
    uint64_t energy;

    (void)state;
    driver_resume(d);
    gpu_supply_set(&supply, supply.offers[0].at);
    board_wait(d, 3 * MS);
    energy = energy_of(&supply);
    supply.at = supply.offers[1].at;
    fake_mhz = 0;
    bench_save_and_load(d->b);
    assert_int_equal(fake_mhz, 500);
    assert_int_equal(energy_of(&supply), energy);
    assert_int_equal(supply.at.mhz, 500);
    board_free(d);
}

/* A GPU without a meter reports no power, but follows the clock. */
static void test_unmetered(void **state)
{
    struct gpu_reading r;
    struct board *d;

    (void)state;
    supply = (struct gpu_supply){.offers = {{{500, 900}, 300}}, .count = 1};
    d = board_new_metered(&supply, NULL);
    assert_int_equal(supply.at.mhz, 500);
    assert_false(gpu_supply_read(&supply, &r));
    wr(d, MALI_GPU_COMMAND, MALI_GPU_COMMAND_CYCLE_COUNT_START);
    board_wait(d, MS);
    assert_int_equal(rd(d, MALI_CYCLE_COUNT_LO), MS / 2);
    board_free(d);
    gpu_supply_set(&supply, (struct power_point){700, 950}); /* without a GPU */
    assert_int_equal(supply.at.mhz, 700);
    assert_false(gpu_supply_read(&supply, &r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base),      cmocka_unit_test(test_job),
        cmocka_unit_test(test_clock),     cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_unmetered), cmocka_unit_test(test_two_slots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
