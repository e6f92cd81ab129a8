/*
 * Performance monitors by the manual (DDI 0406C, C12): counts, overflow and its time, and exception
 * levels that are not counted. The CPUs' own counts come from the test.
 */
#include <string.h>

#include "arm_board.h"
#include "bench.h"
#include "runtime/base/alloc.h"

#define CYCLES 31
#define E      1u
#define P      2u
#define C      4u

static struct device_counts counted[2];

static void cpu_counts(void *opaque, unsigned cpu, struct device_counts *counts)
{
    (void)opaque;
    *counts = counted[cpu];
}

static bool cpu_by_phandle(void *opaque, uint32_t phandle, unsigned *cpu)
{
    (void)opaque;
    *cpu = phandle - 0x10;
    return phandle >= 0x10 && phandle < 0x12;
}

static int setup(void **state)
{
    struct bench *b = bench_new();

    b->env.cpu_count = b->env.irq_count = 2;
    b->env.compatible = "arm,cortex-a15-pmu";
    b->env.cpu_counts = cpu_counts;
    b->env.cpu_by_phandle = cpu_by_phandle;
    counted[0] = (struct device_counts){.insns = 1000, .ticks = 5000, .ps_per_tick = 1000};
    counted[1] = (struct device_counts){.insns = 70, .ticks = 80, .ps_per_tick = 2500};
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench_free(*state);
    return 0;
}

static uint64_t read_register(struct bench *b, unsigned cpu, uint32_t reg)
{
    return b->cls->port_read(b->dev, cpu, reg);
}

static void write_register(struct bench *b, unsigned cpu, uint32_t reg, uint64_t value)
{
    b->cls->port_write(b->dev, cpu, reg, value);
}

static void make_pmu(struct bench *b)
{
    bench_create(b, "arm_pmu");
    b->cls->reset(b->dev);
}

/* Has the CPU execute `insns` instructions in `ticks` ticks, with virtual time. */
static void execute_insns(struct bench *b, uint64_t insns, uint64_t ticks)
{
    counted[0].insns += insns;
    counted[0].ticks += ticks;
    bench_run_to(b, b->clock.now + ticks);
}

static void test_counts(void **state)
{
    struct bench *b = *state;

    make_pmu(b);
    assert_int_equal(read_register(b, 0, ARM_PMU_CONTROL), 0x410f3000);
    write_register(b, 0, ARM_PMU_TYPE + 0, 0x08);
    write_register(b, 0, ARM_PMU_TYPE + 1, 0x11);
    write_register(b, 0, ARM_PMU_TYPE + 2, 0x00);
    write_register(b, 0, ARM_PMU_TYPE + 3, 0x13); /* an event that is not implemented */
    write_register(b, 0, ARM_PMU_ENABLE, 1u << CYCLES | 0xf);
    execute_insns(b, 10, 20); /* PMCR.E is still clear */
    write_register(b, 0, ARM_PMU_CONTROL, E);
    execute_insns(b, 100, 250);
    write_register(b, 0, ARM_PMU_INCREMENT, 0xf);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + 0), 100);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + 1), 250);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + 2), 1);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + 3), 0);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + CYCLES), 250);
    write_register(b, 0, ARM_PMU_DISABLE, 1);
    execute_insns(b, 5, 6);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + 0), 100);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + 1), 256);
    write_register(b, 0, ARM_PMU_CONTROL, E | P);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + 1), 0);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + CYCLES), 256);
    write_register(b, 0, ARM_PMU_CONTROL, E | C);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + CYCLES), 0);
    assert_int_equal(read_register(b, 1, ARM_PMU_COUNTER + CYCLES),
                     0); /* counter of the other CPU */
    assert_int_equal(read_register(b, 2, ARM_PMU_CONTROL), 0);
}

/* A node without interrupts serves no CPU; without a node, a CPU's own monitors serve that CPU. */
static void test_of_one_cpu(void **state)
{
    struct bench *b = *state;

    b->env.irq_count = 0;
    b->env.cpu = 2; /* a CPU without a node */
    make_pmu(b);
    assert_false(b->cls->port_cpu(b->dev, 0));
    assert_false(b->cls->port_cpu(b->dev, 1));
    b->cls->destroy(b->dev);
    b->env.cpu = 1;
    make_pmu(b);
    assert_false(b->cls->port_cpu(b->dev, 0));
    assert_true(b->cls->port_cpu(b->dev, 1));
    write_register(b, 1, ARM_PMU_ENABLE, 1u << CYCLES);
    write_register(b, 1, ARM_PMU_CONTROL, E);
    counted[1].ticks += 33;
    assert_int_equal(read_register(b, 1, ARM_PMU_COUNTER + CYCLES), 33);
}

/* Each CPU's identification register, and the implemented events: 0x00, 0x08, 0x11. */
static void test_identification(void **state)
{
    static const struct {
        const char *compatible;
        uint32_t control;
    } rows[] = {{"arm,cortex-a15-pmu", 0x410f3000},
                {"arm,cortex-a57-pmu", 0x41013000},
                {"arm,cortex-a72-pmu", 0x41023000},
                {"arm,cortex-a53-pmu", 0x41033000},
                {"arm,armv8-pmuv3", 0x41003000}};
    struct bench *b = *state;

    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        b->env.compatible = rows[i].compatible;
        make_pmu(b);
        assert_int_equal(read_register(b, 0, ARM_PMU_CONTROL), rows[i].control);
        assert_int_equal(read_register(b, 0, ARM_PMU_EVENTS), 0x20101);
        b->cls->destroy(b->dev);
        b->dev = NULL;
    }
}

/* Six counters and the cycle counter: writes to other bits are ignored. */
static void test_masks(void **state)
{
    struct bench *b = *state;

    make_pmu(b);
    write_register(b, 0, ARM_PMU_ENABLE, ~0u);
    write_register(b, 0, ARM_PMU_INTERRUPT, ~0u);
    write_register(b, 0, ARM_PMU_OVERFLOW, ~0u);
    assert_int_equal(read_register(b, 0, ARM_PMU_ENABLE), 0x8000003f);
    assert_int_equal(read_register(b, 0, ARM_PMU_INTERRUPT), 0x8000003f);
    assert_int_equal(read_register(b, 0, ARM_PMU_OVERFLOW), 0x8000003f);
    write_register(b, 0, ARM_PMU_DISABLE, 0x80000001);
    write_register(b, 0, ARM_PMU_INTERRUPT_CLEAR, 0x80000002);
    write_register(b, 0, ARM_PMU_OVERFLOW_CLEAR, 0x80000004);
    assert_int_equal(read_register(b, 0, ARM_PMU_DISABLE), 0x3e);
    assert_int_equal(read_register(b, 0, ARM_PMU_INTERRUPT_CLEAR), 0x3d);
    assert_int_equal(read_register(b, 0, ARM_PMU_OVERFLOW_CLEAR), 0x3b);
    write_register(b, 0, ARM_PMU_ENABLE, 1);
    assert_int_equal(read_register(b, 0, ARM_PMU_ENABLE), 0x3f);
    for (unsigned n = 6; n < CYCLES; n++) {
        write_register(b, 0, ARM_PMU_COUNTER + n, 5);
        write_register(b, 0, ARM_PMU_TYPE + n, 5);
        assert_int_equal(
            read_register(b, 0, ARM_PMU_COUNTER + n) | read_register(b, 0, ARM_PMU_TYPE + n), 0);
    }
    write_register(b, 0, ARM_PMU_COUNTER + 5, UINT64_C(0x500000006)); /* counters have 32 bits */
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + 5), 6);
    write_register(b, 0, ARM_PMU_TYPE + 5, ~0u);
    assert_int_equal(read_register(b, 0, ARM_PMU_TYPE + 5), 0xf80003ff);
    assert_int_equal(read_register(b, 0, 0xffff), 0); /* not a register */
    write_register(b, 0, ARM_PMU_LEVEL, 0);
    write_register(b, 0, ARM_PMU_TYPE, 0x00); /* software increments do not drive the level */
    write_register(b, 0, ARM_PMU_INCREMENT, 1);
    write_register(b, 0, ARM_PMU_TYPE + 1, 0x11 | 1u << 31); /* user mode only */
    write_register(b, 0, ARM_PMU_CONTROL, E);
    execute_insns(b, 3, 3);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + 1), 3);
}

/* A counter whose event is changed continues at its value, at once. */
static void test_other_events(void **state)
{
    struct bench *b = *state;

    make_pmu(b);
    write_register(b, 0, ARM_PMU_TYPE, 0x11); /* 5000 cycles so far, and 1000 instructions */
    write_register(b, 0, ARM_PMU_ENABLE, 1);
    write_register(b, 0, ARM_PMU_CONTROL, E);
    execute_insns(b, 2, 30);
    write_register(b, 0, ARM_PMU_TYPE, 0x08);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER), 30);
    execute_insns(b, 4, 50);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER), 34);
    write_register(b, 0, ARM_PMU_TYPE, 0x11);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER), 34);
    execute_insns(b, 4, 50);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER), 84);
}

/* Every event counter is cleared, takes increments, and counts for its filter only when enabled. */
static void test_first_and_last_counter(void **state)
{
    struct bench *b = *state;

    make_pmu(b);
    write_register(b, 0, ARM_PMU_ENABLE, 0x21);
    write_register(b, 0, ARM_PMU_CONTROL, E);
    write_register(b, 0, ARM_PMU_COUNTER, 7);
    write_register(b, 0, ARM_PMU_COUNTER + 5, 8);
    write_register(b, 0, ARM_PMU_INCREMENT, 0x21);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER), 8);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + 5), 9);
    write_register(b, 0, ARM_PMU_CONTROL, E | P);
    assert_int_equal(
        read_register(b, 0, ARM_PMU_COUNTER) | read_register(b, 0, ARM_PMU_COUNTER + 5), 0);
    write_register(b, 0, ARM_PMU_TYPE + 1, 1u << 31);
    assert_int_equal(read_register(b, 0, ARM_PMU_FILTERS), 0);
    write_register(b, 0, ARM_PMU_ENABLE, 2);
    assert_int_equal(read_register(b, 0, ARM_PMU_FILTERS), 1);
    write_register(b, 0, ARM_PMU_CONTROL, 0);
    assert_int_equal(read_register(b, 0, ARM_PMU_FILTERS), 0);
}

/* No clock event is scheduled for counters of software events, nor after an overflow. */
static void test_plans(void **state)
{
    struct bench *b = *state;

    make_pmu(b);
    write_register(b, 0, ARM_PMU_ENABLE, 1);
    write_register(b, 0, ARM_PMU_INTERRUPT, 1);
    write_register(b, 0, ARM_PMU_COUNTER, 0xffffffff);
    write_register(b, 0, ARM_PMU_CONTROL, E);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER); /* a software event */
    write_register(b, 0, ARM_PMU_INCREMENT, 1);
    assert_true(b->level[0]);
    write_register(b, 0, ARM_PMU_OVERFLOW_CLEAR, 1);
    assert_false(b->level[0]);
    write_register(b, 0, ARM_PMU_COUNTER, 0xffffff9c);
    write_register(b, 0, ARM_PMU_TYPE, 0x11);
    assert_int_equal(clock_next(&b->clock), 100);
    execute_insns(b, 100, 100);
    assert_true(b->level[0]);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    write_register(b, 0, ARM_PMU_DISABLE, 1);
    write_register(b, 0, ARM_PMU_OVERFLOW_CLEAR, 1);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
}

/* Interrupts beyond the number of CPUs belong to no CPU. */
static void test_interrupts_of_nobody(void **state)
{
    struct bench *b = *state;

    b->env.irq_count = 3;
    make_pmu(b);
    assert_true(b->cls->port_cpu(b->dev, 1));
    assert_false(b->cls->port_cpu(b->dev, 2));
    assert_int_equal(read_register(b, 2, ARM_PMU_CONTROL), 0);
    write_register(b, 2, ARM_PMU_ENABLE, 1);
    assert_int_equal(read_register(b, 2, ARM_PMU_ENABLE), 0);
}

/* A private interrupt (Linux's binding arm,pmu) has one line per CPU and so serves all of them. */
static void test_private_interrupt(void **state)
{
    struct bench *b = *state;

    b->env.irq_count = 1;
    b->env.irq_cpu = b->irq_cpu;
    make_pmu(b);
    assert_true(b->cls->port_cpu(b->dev, 0));
    assert_true(b->cls->port_cpu(b->dev, 1));
    write_register(b, 1, ARM_PMU_INTERRUPT, 1u << CYCLES);
    write_register(b, 1, ARM_PMU_ENABLE, 1u << CYCLES);
    write_register(b, 1, ARM_PMU_CONTROL, E);
    write_register(b, 1, ARM_PMU_OVERFLOW, 1u << CYCLES);
    assert_false(b->level[0]);
    assert_true(b->level[1]);
    b->cls->destroy(b->dev);
    b->irq_cpu[1] = b->irq_cpu[0]; /* a shared interrupt belongs to the first CPU */
    make_pmu(b);
    assert_true(b->cls->port_cpu(b->dev, 0));
    assert_false(b->cls->port_cpu(b->dev, 1));
}

/* With PMCR.D the counter advances once per 64 cycles, and the overflow comes 64 times later. */
static void test_divider(void **state)
{
    struct bench *b = *state;

    make_pmu(b);
    counted[0].ticks = 6400;
    write_register(b, 0, ARM_PMU_ENABLE, 1u << CYCLES);
    write_register(b, 0, ARM_PMU_INTERRUPT, 1u << CYCLES);
    write_register(b, 0, ARM_PMU_COUNTER + CYCLES, 0xfffffffe);
    write_register(b, 0, ARM_PMU_CONTROL, E | 8);
    assert_int_equal(read_register(b, 0, ARM_PMU_CONTROL) & 0xff, E | 8);
    execute_insns(b, 0, 64);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + CYCLES), 0xffffffff);
    execute_insns(b, 0, 63);
    assert_false(b->level[0]);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + CYCLES), 0xffffffff);
    execute_insns(b, 0, 1);
    assert_true(b->level[0]);
    /* DDI 0487, PMCR_EL0: with LC the counter counts every cycle, whatever D is. */
    write_register(b, 0, ARM_PMU_CONTROL, E | 8 | 0x40);
    write_register(b, 0, ARM_PMU_OVERFLOW_CLEAR, ~0u);
    write_register(b, 0, ARM_PMU_COUNTER + CYCLES, UINT64_MAX - 9);
    execute_insns(b, 0, 9);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + CYCLES), UINT64_MAX);
    assert_false(b->level[0]);
    execute_insns(b, 0, 1);
    assert_true(b->level[0]);
}

/* The ticks of the current instruction before its write to the monitors are counted, too. */
static void test_ticks_within(void **state)
{
    struct bench *b = *state;

    make_pmu(b);
    write_register(b, 0, ARM_PMU_ENABLE, 1u << CYCLES);
    execute_insns(b, 10, 10);
    counted[0].within = 1;
    write_register(b, 0, ARM_PMU_CONTROL, E);
    execute_insns(b, 1, 1);
    counted[0].within = 0;
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + CYCLES), 0);
    execute_insns(b, 5, 5);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + CYCLES), 5);
}

/* An instruction that changes the settings is counted by the old ones. */
static void test_within(void **state)
{
    struct bench *b = *state;

    make_pmu(b);
    write_register(b, 0, ARM_PMU_TYPE, 0x08 | 1u << 31); /* user mode only */
    write_register(b, 0, ARM_PMU_ENABLE, 1);
    write_register(b, 0, ARM_PMU_CONTROL, E);
    execute_insns(b, 10, 10);
    counted[0].within = 1;
    write_register(b, 0, ARM_PMU_LEVEL, 0); /* as a return from an exception does */
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER), 0);
    execute_insns(b, 1, 1);
    counted[0].within = 0;
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER), 0);
    execute_insns(b, 7, 7);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER), 7);
}

static void test_overflow(void **state)
{
    struct bench *b = *state;

    make_pmu(b);
    write_register(b, 0, ARM_PMU_TYPE + 1, 0x08);
    write_register(b, 0, ARM_PMU_COUNTER + 1, 0xffffff00);
    write_register(b, 0, ARM_PMU_ENABLE, 2);
    write_register(b, 0, ARM_PMU_INTERRUPT, 2);
    write_register(b, 0, ARM_PMU_CONTROL, E);
    execute_insns(b, 255, 255);
    assert_false(b->level[0]);
    execute_insns(b, 1, 1);
    assert_true(b->level[0]);
    assert_int_equal(read_register(b, 0, ARM_PMU_OVERFLOW), 2);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + 1), 0);
    write_register(b, 0, ARM_PMU_OVERFLOW_CLEAR, 2);
    assert_false(b->level[0]);

    /* Without the interrupt enabled only the flag is set. */
    write_register(b, 0, ARM_PMU_INTERRUPT_CLEAR, 2);
    write_register(b, 0, ARM_PMU_COUNTER + 1, 0xffffffff);
    execute_insns(b, 3, 3);
    assert_false(b->level[0]);
    assert_int_equal(read_register(b, 0, ARM_PMU_OVERFLOW), 2);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + 1), 2);
    /* The cycle counter has 32 bits, and with LC 64. */
    write_register(b, 0, ARM_PMU_ENABLE, 1u << CYCLES);
    write_register(b, 0, ARM_PMU_OVERFLOW_CLEAR, ~0u);
    write_register(b, 0, ARM_PMU_COUNTER + CYCLES, 0xfffffff0);
    execute_insns(b, 16, 16);
    assert_int_equal(read_register(b, 0, ARM_PMU_OVERFLOW), 1u << CYCLES);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + CYCLES), UINT64_C(0x100000000));
    write_register(b, 0, ARM_PMU_CONTROL, E | 0x40);
    write_register(b, 0, ARM_PMU_OVERFLOW_CLEAR, ~0u);
    write_register(b, 0, ARM_PMU_COUNTER + CYCLES, 0xfffffff0);
    execute_insns(b, 16, 16);
    assert_int_equal(read_register(b, 0, ARM_PMU_OVERFLOW), 0);
    write_register(b, 0, ARM_PMU_COUNTER + CYCLES, UINT64_MAX);
    execute_insns(b, 1, 1);
    assert_int_equal(read_register(b, 0, ARM_PMU_OVERFLOW), 1u << CYCLES);
}

/* A waiting CPU does not count, causes few clock events, and is interrupted soon afterwards. */
static void test_waiting(void **state)
{
    struct bench *b = *state;
    unsigned events = 0;

    make_pmu(b);
    write_register(b, 0, ARM_PMU_COUNTER + CYCLES, 0xfffffff0);
    write_register(b, 0, ARM_PMU_ENABLE, 1u << CYCLES);
    write_register(b, 0, ARM_PMU_INTERRUPT, 1u << CYCLES);
    write_register(b, 0, ARM_PMU_CONTROL, E);
    while (clock_next(&b->clock) < UINT64_C(1000000000)) {
        bench_run_to(b, clock_next(&b->clock));
        assert_true(++events < 1100);
    }
    assert_false(b->level[0]);
    counted[0].ticks += 16;
    bench_run_to(b, b->clock.now + 1000000);
    assert_true(b->level[0]);
}

static void test_levels(void **state)
{
    /* bits P, U, NSK, NSU; whether privileged and user mode count */
    static const struct {
        uint32_t type;
        bool privileged, user;
    } rows[] = {
        {0, true, true},          {1u << 31, false, true},           {1u << 30, true, false},
        {3u << 30, false, false}, {1u << 31 | 1u << 29, true, true}, {1u << 29, false, true},
        {1u << 28, true, false},  {1u << 30 | 1u << 28, true, true},
    };
    struct bench *b = *state;

    make_pmu(b);
    write_register(b, 0, ARM_PMU_ENABLE, 1);
    write_register(b, 0, ARM_PMU_CONTROL, E);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        write_register(b, 0, ARM_PMU_TYPE, rows[i].type | 0x08);
        assert_int_equal(read_register(b, 0, ARM_PMU_FILTERS),
                         !(rows[i].privileged && rows[i].user));
        write_register(b, 0, ARM_PMU_COUNTER, 0);
        write_register(b, 0, ARM_PMU_LEVEL, 1);
        execute_insns(b, 100, 100);
        write_register(b, 0, ARM_PMU_LEVEL, 0);
        execute_insns(b, 10, 10);
        write_register(b, 0, ARM_PMU_LEVEL, 1);
        assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER),
                         (rows[i].privileged ? 100 : 0) + (rows[i].user ? 10 : 0));
    }
}

/* interrupt-affinity assigns the interrupts to CPUs; other CPUs have no monitors. */
static void test_affinity(void **state)
{
    struct bench *b = *state;

    b->env.irq_count = 1;
    bench_prop(b, "interrupt-affinity", "\0\0\0\x11", 4);
    make_pmu(b);
    assert_false(b->cls->port_cpu(b->dev, 0));
    assert_true(b->cls->port_cpu(b->dev, 1));
    write_register(b, 1, ARM_PMU_COUNTER + CYCLES, 0xffffffff);
    write_register(b, 1, ARM_PMU_ENABLE, 1u << CYCLES);
    write_register(b, 1, ARM_PMU_INTERRUPT, 1u << CYCLES);
    write_register(b, 1, ARM_PMU_CONTROL, E);
    bench_run_to(b, 2);
    counted[1].ticks++;
    assert_false(b->level[0]);
    bench_run_to(b, 3); /* 2.5 ns per tick */
    assert_true(b->level[0]);
}

static void overflow_cycles(struct bench *b, unsigned cpu)
{
    write_register(b, cpu, ARM_PMU_COUNTER + CYCLES, 0xffffffff);
    write_register(b, cpu, ARM_PMU_ENABLE, 1u << CYCLES);
    write_register(b, cpu, ARM_PMU_INTERRUPT, 1u << CYCLES);
    write_register(b, cpu, ARM_PMU_CONTROL, E);
    counted[cpu].ticks += 16;
    bench_run_to(b, b->clock.now + 1000000);
}

/* A private interrupt is the own line of each CPU that interrupt-affinity names. */
static void test_affinity_of_private_interrupts(void **state)
{
    struct bench *b = *state;

    for (unsigned n = 0; n < 4; n++) /* [index * 2 + cpu] */
        b->irq_cpu[n] = b->irq[10 + n];
    b->env.irq_cpu = b->irq_cpu;
    b->env.irq_count = 1;
    b->irq[0] = b->irq[10];
    bench_prop(b, "interrupt-affinity", "\0\0\0\x11", 4);
    make_pmu(b);
    assert_false(b->cls->port_cpu(b->dev, 0));
    assert_true(b->cls->port_cpu(b->dev, 1));
    overflow_cycles(b, 1);
    assert_true(!b->level[10] && b->level[11]);
}

static void test_several_private_interrupts(void **state)
{
    struct bench *b = *state;

    for (unsigned n = 0; n < 4; n++)
        b->irq_cpu[n] = b->irq[10 + n];
    b->env.irq_cpu = b->irq_cpu;
    b->env.irq_count = 2;
    b->irq[0] = b->irq[10];
    b->irq[1] = b->irq[12];
    make_pmu(b);
    overflow_cycles(b, 0);
    assert_true(b->level[10] && !b->level[11] && !b->level[12] && !b->level[13]);
    overflow_cycles(b, 1);
    assert_true(!b->level[11] && !b->level[12] && b->level[13]);
}

static void test_saved(void **state)
{
    struct bench *b = *state;

    make_pmu(b);
    write_register(b, 0, ARM_PMU_COUNTER + CYCLES, 0xffffff00);
    write_register(b, 0, ARM_PMU_ENABLE, 1u << CYCLES);
    write_register(b, 0, ARM_PMU_INTERRUPT, 1u << CYCLES);
    write_register(b, 0, ARM_PMU_CONTROL, E);
    bench_save_and_load(b);
    execute_insns(b, 0, 0x100);
    assert_true(b->level[0]);
    assert_int_equal(read_register(b, 0, ARM_PMU_COUNTER + CYCLES), UINT64_C(0x100000000));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_of_one_cpu, setup, teardown),
        cmocka_unit_test_setup_teardown(test_identification, setup, teardown),
        cmocka_unit_test_setup_teardown(test_masks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_events, setup, teardown),
        cmocka_unit_test_setup_teardown(test_first_and_last_counter, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plans, setup, teardown),
        cmocka_unit_test_setup_teardown(test_interrupts_of_nobody, setup, teardown),
        cmocka_unit_test_setup_teardown(test_private_interrupt, setup, teardown),
        cmocka_unit_test_setup_teardown(test_divider, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ticks_within, setup, teardown),
        cmocka_unit_test_setup_teardown(test_within, setup, teardown),
        cmocka_unit_test_setup_teardown(test_overflow, setup, teardown),
        cmocka_unit_test_setup_teardown(test_waiting, setup, teardown),
        cmocka_unit_test_setup_teardown(test_levels, setup, teardown),
        cmocka_unit_test_setup_teardown(test_affinity, setup, teardown),
        cmocka_unit_test_setup_teardown(test_affinity_of_private_interrupts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_several_private_interrupts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_saved, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
