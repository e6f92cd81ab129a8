/*
 * The interrupt and timer wiring of a RISC-V machine: the harts' inputs, CLINT, PLIC; and its test
 * finisher.
 */
#include "tests/dev/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "riscv_board.h"

#define US UINT64_C(1000)

static int setup(void **state)
{
    *state = bench_new();
    return 0;
}

static int teardown(void **state)
{
    bench_free(*state);
    return 0;
}

static uint64_t read_register64(struct bench *b, uint64_t offset)
{
    return bench_read_as(b, 0, BENCH_BASE + offset, 8);
}

static void write_register64(struct bench *b, uint64_t offset, uint64_t value)
{
    bench_write_as(b, 0, BENCH_BASE + offset, 8, value);
}

static bool is_input_high(const struct bench *b, unsigned hart, enum riscv_input n)
{
    return b->cpu_inputs[hart] >> n & 1;
}

/* ---- a hart's own inputs ---- */

static void test_inputs(void **state)
{
    struct bench *b = *state;
    uint32_t cell = RISCV_INPUT_SEI;
    struct irq_line line;
    struct error err;

    b->env.cpu_count = 3;
    b->env.cpu = 2;
    bench_create(b, "riscv_intc");
    assert_true(b->cls->irq_input(b->dev, &cell, 1, 0, &line, &err)); /* whichever CPU asks */
    irq_set(&line, true);
    assert_int_equal(b->cpu_inputs[2], 1 << RISCV_INPUT_SEI);
    assert_int_equal(b->cpu_inputs[0], 0);
    irq_set(&line, false);
    assert_int_equal(b->cpu_inputs[2], 0);
    cell = 32;
    assert_false(b->cls->irq_input(b->dev, &cell, 1, 0, &line, &err));
    assert_false(b->cls->irq_input(b->dev, &cell, 0, 0, &line, &err));
}

static void test_inputs_of_no_hart(void **state)
{
    struct bench *b = *state;
    struct error err = {""};

    b->env.cpu = b->env.cpu_count;
    assert_null(device_class_by_name("riscv_intc")->create(&b->env, &err));
    assert_non_null(strstr(err.text, "no CPU's node"));
}

/* ---- CLINT: line 2n is hart n's machine software interrupt, 2n + 1 its timer's ---- */

enum { MSIP = 0, MTIMECMP = 0x4000, MTIME = 0xbff8 };

static void make_clint(struct bench *b)
{
    b->env.cpu_count = 2;
    b->env.irq_count = 4;
    b->reg[0].size = 0x10000;
    bench_prop(b, "/cpus/timebase-frequency", "\x00\x0f\x42\x40", 4); /* 1 MHz */
    bench_create(b, "clint");
}

static uint64_t port_read(struct bench *b, unsigned hart, uint32_t reg)
{
    return b->cls->port_read(b->dev, hart, reg);
}

static void port_write(struct bench *b, unsigned hart, uint32_t reg, uint64_t value)
{
    b->cls->port_write(b->dev, hart, reg, value);
}

static void test_software_interrupts(void **state)
{
    struct bench *b = *state;

    make_clint(b);
    bench_write(b, MSIP + 4, UINT32_MAX);
    assert_true(b->level[2]);
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, MSIP + 4), 1);
    bench_write(b, MSIP + 4, 0);
    assert_false(b->level[2]);
    bench_write(b, MSIP + 8, 1); /* hart 2 does not exist */
    assert_int_equal(bench_read(b, MSIP + 8), 0);
    port_write(b, 1, RISCV_PORT_SSIP, 1);
    assert_true(is_input_high(b, 1, RISCV_INPUT_SSI));
    assert_false(is_input_high(b, 0, RISCV_INPUT_SSI));
    assert_int_equal(port_read(b, 1, RISCV_PORT_SSIP), 1);
    bench_save_and_load(b);
    assert_true(is_input_high(b, 1, RISCV_INPUT_SSI));
    port_write(b, 1, RISCV_PORT_SEIP, 3);
    assert_int_equal(b->cpu_inputs[1], 1 << RISCV_INPUT_SSI | 1 << RISCV_INPUT_SEIP);
    assert_int_equal(port_read(b, 1, RISCV_PORT_SEIP), 1);
    bench_save_and_load(b);
    assert_int_equal(b->cpu_inputs[1], 1 << RISCV_INPUT_SSI | 1 << RISCV_INPUT_SEIP);
    port_write(b, 1, RISCV_PORT_SEIP, 0);
    port_write(b, 1, RISCV_PORT_SSIP, 0);
    assert_false(is_input_high(b, 1, RISCV_INPUT_SSI));
}

static void test_machine_timer(void **state)
{
    struct bench *b = *state;

    make_clint(b);
    assert_int_equal(read_register64(b, MTIMECMP + 8), UINT64_MAX);
    write_register64(b, MTIMECMP + 8, 5);
    bench_run_to(b, 5 * US - 1);
    assert_false(b->level[3]);
    bench_run_to(b, 5 * US);
    assert_true(b->level[3]);
    assert_false(b->level[1]);
    assert_false(is_input_high(b, 1, RISCV_INPUT_STI)); /* the supervisor's timer is separate */
    bench_write(b, MTIMECMP + 12, 1);                   /* upper half of hart 1's MTIMECMP */
    assert_false(b->level[3]);
    assert_int_equal(read_register64(b, MTIMECMP + 8), (UINT64_C(1) << 32) + 5);
    assert_int_equal(bench_read(b, MTIMECMP + 12), 1);
    write_register64(b, MTIMECMP + 16, 1); /* hart 2 does not exist */
    assert_int_equal(read_register64(b, MTIMECMP + 16), 0);
}

static void test_supervisor_timer(void **state)
{
    struct bench *b = *state;

    make_clint(b);
    assert_int_equal(port_read(b, 0, RISCV_PORT_STIMECMP), UINT64_MAX);
    port_write(b, 0, RISCV_PORT_STIMECMP, 7);
    assert_int_equal(clock_next(&b->clock), 7 * US);
    bench_run_to(b, 7 * US - 1);
    assert_false(is_input_high(b, 0, RISCV_INPUT_STI));
    bench_run_to(b, 7 * US);
    assert_true(is_input_high(b, 0, RISCV_INPUT_STI));
    assert_false(is_input_high(b, 1, RISCV_INPUT_STI));
    port_write(b, 0, RISCV_PORT_STIP, 1); /* the bit that software sets, beside the timer's */
    port_write(b, 0, RISCV_PORT_STIMECMP, 100);
    assert_true(is_input_high(b, 0, RISCV_INPUT_STI));
    assert_int_equal(port_read(b, 0, RISCV_PORT_STIP), 1);
    port_write(b, 0, RISCV_PORT_STIP, 0);
    assert_false(is_input_high(b, 0, RISCV_INPUT_STI));
    port_write(b, 0, RISCV_PORT_STIMECMP, 7); /* already past */
    assert_true(is_input_high(b, 0, RISCV_INPUT_STI));
    bench_save_and_load(b);
    assert_true(is_input_high(b, 0, RISCV_INPUT_STI));
    assert_int_equal(port_read(b, 0, RISCV_PORT_STIMECMP), 7);
    assert_int_equal(port_read(b, 2, RISCV_PORT_STIMECMP), 0); /* hart 2 does not exist */
}

/* Time is common to all harts, and machine mode can set it. */
static void test_time(void **state)
{
    struct bench *b = *state;

    make_clint(b);
    bench_run_to(b, 20 * US);
    assert_int_equal(read_register64(b, MTIME), 20);
    assert_int_equal(port_read(b, 1, RISCV_PORT_TIME), 20);
    port_write(b, 0, RISCV_PORT_STIMECMP, 1010);
    write_register64(b, MTIME, 1000);
    assert_int_equal(port_read(b, 1, RISCV_PORT_TIME), 1000);
    assert_int_equal(clock_next(&b->clock), 30 * US);
    bench_run_to(b, 30 * US);
    assert_true(is_input_high(b, 0, RISCV_INPUT_STI));
    bench_save_and_load(b);
    assert_int_equal(read_register64(b, MTIME), 1010);
    bench_write(b, MTIME, 0xffffffff);
    bench_write(b, MTIME + 4, 1);
    assert_int_equal(read_register64(b, MTIME), 0x1ffffffff);
    assert_int_equal(bench_read(b, MTIME + 4), 1);
    port_write(b, 0, RISCV_PORT_TIME, 0); /* read only */
    assert_int_equal(read_register64(b, MTIME), 0x1ffffffff);
}

static void test_clint_reset(void **state)
{
    struct bench *b = *state;

    make_clint(b);
    bench_run_to(b, 20 * US);
    write_register64(b, MTIME, 1000);
    write_register64(b, MTIMECMP, 0);
    bench_write(b, MSIP, 1);
    for (uint32_t reg = RISCV_PORT_STIMECMP; reg <= RISCV_PORT_STIP; reg++)
        port_write(b, 0, reg, 1);
    assert_true(b->level[0] && b->level[1]);
    assert_true(is_input_high(b, 0, RISCV_INPUT_SSI) && is_input_high(b, 0, RISCV_INPUT_STI));
    b->cls->reset(b->dev);
    assert_false(b->level[0] || b->level[1] || b->cpu_inputs[0]);
    assert_int_equal(read_register64(b, MTIME), 20);
    assert_int_equal(read_register64(b, MTIMECMP), UINT64_MAX);
    assert_int_equal(port_read(b, 0, RISCV_PORT_STIMECMP), UINT64_MAX);
    assert_int_equal(bench_read(b, MSIP), 0);
    bench_save_and_load(b);
    assert_false(b->level[0] || b->level[1] || b->cpu_inputs[0] || b->cpu_inputs[1]);
}

static void test_clint_harts(void **state)
{
    struct bench *b = *state;
    struct error err = {""};

    b->env.cpu_count = DEVICE_MAX_CPUS + 1;
    assert_null(device_class_by_name("clint")->create(&b->env, &err));
    b->env.cpu_count = 0;
    assert_null(device_class_by_name("clint")->create(&b->env, &err));
    b->env.cpu_count = DEVICE_MAX_CPUS;
    bench_create(b, "clint");
    port_write(b, DEVICE_MAX_CPUS - 1, RISCV_PORT_SSIP, 1);
    assert_true(is_input_high(b, DEVICE_MAX_CPUS - 1, RISCV_INPUT_SSI));
}

/*
 * Accesses to words and pairs of words at the ends of the registers; others are logged as unknown.
 */
static void test_clint_bounds(void **state)
{
    struct bench *b = *state;
    uint64_t value;

    make_clint(b);
    bench_listen(b);
    bench_write(b, MSIP, 1);
    assert_int_equal(bench_read_as(b, 0, BENCH_BASE + MSIP, 1), 1);
    assert_int_equal(bench_read_as(b, 0, BENCH_BASE + MSIP + 1, 1), 0); /* part of the same word */
    bench_write(b, MTIMECMP + 12, 0x11223344);
    assert_int_equal(read_register64(b, MTIMECMP + 8), UINT64_C(0x11223344ffffffff));
    assert_string_equal(bench_heard(b), "");
    bench_read(b, MSIP + 8);
    assert_non_null(strstr(bench_heard(b), "read of offset 0x8"));
    bench_write(b, MTIMECMP + 16, 1);
    assert_non_null(strstr(bench_heard(b), "write of 0x1 to offset 0x4010"));
    assert_true(bus_read(b->bus, BENCH_BASE + MTIME, 8, &value, 0));
    /* after the CLINT's 48 KB */
    assert_false(bus_read(b->bus, BENCH_BASE + MTIME + 8, 1, &value, 0));
}

/* 10 MHz, unless the tree has another frequency. */
static void test_clint_frequency(void **state)
{
    struct bench *b = *state;

    b->reg[0].size = 0x10000;
    bench_create(b, "clint");
    bench_run_to(b, UINT64_C(1000000000));
    assert_int_equal(read_register64(b, MTIME), 10000000);
}

/* The CLINT's timers end with it. */
static void test_clint_ends(void **state)
{
    struct bench *b = *state;

    make_clint(b);
    write_register64(b, MTIMECMP, 5);
    write_register64(b, MTIMECMP + 8, 6);
    port_write(b, 0, RISCV_PORT_STIMECMP, 7);
    port_write(b, 1, RISCV_PORT_STIMECMP, 8);
    assert_int_equal(clock_next(&b->clock), 5 * US);
    b->cls->destroy(b->dev);
    b->dev = NULL;
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
}

/* ---- PLIC: line n is context n's ---- */

enum { PENDING = 0x1000, ENABLE = 0x2000, THRESHOLD = 0x200000, CLAIM = 0x200004 };

static void make_plic(struct bench *b)
{
    b->env.irq_count = 2;
    b->reg[0].size = 0x400000;
    bench_prop(b, "riscv,ndev", "\0\0\0\x28", 4);
    bench_create(b, "plic");
    for (unsigned source = 1; source <= 40; source++)
        bench_write(b, 4 * source, 1);
}

static uint64_t enable_offset(unsigned context)
{
    return ENABLE + 0x80 * context;
}

static uint64_t claim_offset(unsigned context)
{
    return CLAIM + 0x1000 * context;
}

static void drive_source(struct bench *b, uint32_t source, bool level)
{
    struct irq_line line;

    assert_true(b->cls->irq_input(b->dev, &source, 1, 0, &line, NULL));
    irq_set(&line, level);
}

static void test_plic_claim(void **state)
{
    struct bench *b = *state;

    make_plic(b);
    drive_source(b, 10, true);
    assert_int_equal(bench_read(b, PENDING), 1 << 10);
    assert_false(b->level[1]); /* not enabled in any context */
    bench_write(b, enable_offset(1), 1 << 10);
    assert_true(b->level[1]);
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, claim_offset(0)), 0);
    /* a debugger's read has no side effect */
    assert_int_equal(bench_read_as(b, BUS_NO_CPU, BENCH_BASE + claim_offset(1), 4), 10);
    assert_true(b->level[1]);
    assert_int_equal(bench_read(b, claim_offset(1)), 10);
    assert_false(b->level[1]);
    assert_int_equal(bench_read(b, PENDING), 0);
    assert_int_equal(bench_read(b, claim_offset(1)), 0);
    bench_write(b, claim_offset(1), 10); /* the line is still up: another request */
    assert_true(b->level[1]);
    assert_int_equal(bench_read(b, claim_offset(1)), 10);
    drive_source(b, 10, false);
    drive_source(b, 10, true); /* the line is ignored between claim and completion */
    assert_int_equal(bench_read(b, PENDING), 0);
    drive_source(b, 10, false);
    bench_write(b, claim_offset(1), 10);
    assert_false(b->level[1]);
}

/* A request stays pending after its line has gone low. */
static void test_plic_keeps_requests(void **state)
{
    struct bench *b = *state;

    make_plic(b);
    bench_write(b, enable_offset(0), 1 << 3);
    drive_source(b, 3, true);
    drive_source(b, 3, false);
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, claim_offset(0)), 3);
    bench_write(b, claim_offset(0), 3);
    assert_false(b->level[0]);
}

static void test_plic_priorities(void **state)
{
    struct bench *b = *state;

    make_plic(b);
    bench_write(b, enable_offset(0), 0xe);
    bench_write(b, 4 * 2, UINT32_MAX);
    assert_int_equal(bench_read(b, 4 * 2), 7);
    bench_write(b, 4 * 1, 0);
    for (unsigned source = 1; source <= 3; source++)
        drive_source(b, source, true);
    bench_write(b, THRESHOLD, 7); /* the threshold masks the line, not the claim */
    assert_false(b->level[0]);
    bench_write(b, THRESHOLD, 6);
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, claim_offset(0)), 2);
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, claim_offset(0)), 3);
    assert_int_equal(bench_read(b, claim_offset(0)), 0); /* priority 0 never interrupts */
    bench_write(b, 4 * 1, 1);
    bench_write(b, THRESHOLD, 0);
    assert_true(b->level[0]);
    bench_write(b, 4 * 40, 1); /* the lowest number among equal priorities */
    bench_write(b, enable_offset(0) + 4, 1 << 8);
    drive_source(b, 40, true);
    assert_int_equal(bench_read(b, claim_offset(0)), 1);
    assert_int_equal(bench_read(b, claim_offset(0)), 40);
}

static void test_plic_completion(void **state)
{
    struct bench *b = *state;

    make_plic(b);
    bench_write(b, enable_offset(0), 1 << 5);
    drive_source(b, 5, true);
    assert_int_equal(bench_read(b, claim_offset(0)), 5);
    bench_write(b, claim_offset(1), 5); /* not enabled in context 1: ignored */
    assert_false(b->level[0]);
    bench_write(b, claim_offset(0), 41); /* source 41 does not exist */
    bench_write(b, claim_offset(0), 0);
    assert_false(b->level[0]);
    bench_save_and_load(b);
    drive_source(b, 5, true);
    assert_false(b->level[0]);
    bench_write(b, claim_offset(0), 5);
    assert_true(b->level[0]);
    bench_save_and_load(b);
    assert_true(b->level[0]);
}

static void test_plic_edges(void **state)
{
    struct bench *b = *state;
    uint32_t none[] = {0, 41};
    struct irq_line line;
    struct error err;

    make_plic(b);
    for (unsigned i = 0; i < 2; i++)
        assert_false(b->cls->irq_input(b->dev, &none[i], 1, 0, &line, &err));
    bench_write(b, enable_offset(0), UINT32_MAX);
    assert_int_equal(bench_read(b, enable_offset(0)), 0xfffffffe); /* source 0 does not exist */
    bench_write(b, enable_offset(0) + 4, UINT32_MAX);
    assert_int_equal(bench_read(b, enable_offset(0) + 4), 0x1ff); /* source 41 does not exist */
    bench_write(b, enable_offset(0) + 8, UINT32_MAX);
    assert_int_equal(bench_read(b, enable_offset(0) + 8), 0);
    bench_write(b, 0, 7);
    assert_int_equal(bench_read(b, 0), 0);
    bench_write(b, 4 * 41, 7);
    assert_int_equal(bench_read(b, 4 * 41), 0);
    bench_write(b, PENDING, UINT32_MAX);
    assert_int_equal(bench_read(b, PENDING), 0);
    bench_write(b, enable_offset(2), 2); /* context 2 does not exist */
    assert_int_equal(bench_read(b, enable_offset(2)), 0);
    bench_write(b, THRESHOLD, UINT32_MAX);
    assert_int_equal(bench_read(b, THRESHOLD), 7);
}

static void test_plic_reset(void **state)
{
    struct bench *b = *state;

    make_plic(b);
    bench_write(b, enable_offset(0), 1 << 3 | 1 << 4);
    bench_write(b, THRESHOLD, 5);
    drive_source(b, 3, true);
    assert_int_equal(bench_read(b, claim_offset(0)), 3);
    drive_source(b, 4, true);
    bench_write(b, THRESHOLD, 0);
    assert_true(b->level[0]);
    bench_write(b, THRESHOLD, 5);
    b->cls->reset(b->dev);
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, THRESHOLD), 0);
    assert_int_equal(bench_read(b, enable_offset(0)), 0);
    assert_int_equal(bench_read(b, PENDING), 0);
    assert_int_equal(bench_read(b, 4 * 3), 0);
    bench_write(b, enable_offset(0), 1 << 3);
    bench_write(b, 4 * 3, 1);
    drive_source(b, 3, true); /* not between claim and completion any more */
    assert_true(b->level[0]);
}

/* Without riscv,ndev in the tree, all sources exist. */
static void test_plic_without_ndev(void **state)
{
    uint32_t last = 1023, none = 1024;
    struct bench *b = *state;
    struct irq_line line;
    struct error err;

    b->reg[0].size = 0x400000;
    bench_create(b, "plic");
    assert_true(b->cls->irq_input(b->dev, &last, 1, 0, &line, &err));
    assert_false(b->cls->irq_input(b->dev, &none, 1, 0, &line, &err));
    bench_write(b, 4 * last, 3);
    bench_write(b, enable_offset(0) + 4 * 31, UINT32_C(1) << 31);
    irq_set(&line, true);
    assert_true(b->level[0]);
    assert_int_equal(bench_read(b, claim_offset(0)), last);
}

/* ---- Goldfish real-time clock ---- */

enum {
    TIME_LOW = 0x00,
    TIME_HIGH = 0x04,
    ALARM_LOW = 0x08,
    ALARM_HIGH = 0x0c,
    IRQ_ENABLED = 0x10,
    CLEAR_ALARM = 0x14,
    ALARM_STATUS = 0x18,
    CLEAR_INTERRUPT = 0x1c,
};

#define START UINT64_C(1700000000) /* s */

static struct bench *make_rtc(void **state)
{
    struct bench *b = *state;

    b->env.start_time = START;
    bench_create(b, "goldfish_rtc");
    return b;
}

static uint64_t rtc_time(struct bench *b)
{
    uint32_t low = bench_read(b, TIME_LOW);

    return (uint64_t)bench_read(b, TIME_HIGH) << 32 | low;
}

static void set_alarm(struct bench *b, uint64_t ns)
{
    bench_write(b, ALARM_HIGH, (uint32_t)(ns >> 32));
    bench_write(b, ALARM_LOW, (uint32_t)ns);
}

static void test_rtc_time(void **state)
{
    struct bench *b = make_rtc(state);
    uint64_t start = START * 1000000000, high;

    assert_int_equal(rtc_time(b), start);
    bench_run_to(b, 5 * US);
    assert_int_equal(rtc_time(b), start + 5 * US);
    high = rtc_time(b) >> 32;
    bench_read(b, TIME_LOW);
    bench_run_to(b, UINT64_C(1) << 33);
    assert_int_equal(bench_read(b, TIME_HIGH), high); /* latched by the read of the lower half */
    bench_write(b, TIME_HIGH, 7);
    bench_write(b, TIME_LOW, 9);
    assert_int_equal(rtc_time(b), (UINT64_C(7) << 32) + 9);
    bench_save_and_load(b);
    assert_int_equal(rtc_time(b), (UINT64_C(7) << 32) + 9);
}

static void test_rtc_alarm(void **state)
{
    struct bench *b = make_rtc(state);
    uint64_t start = START * 1000000000;

    set_alarm(b, start + 10 * US);
    assert_int_equal(bench_read(b, ALARM_STATUS), 1);
    assert_int_equal(bench_read(b, ALARM_HIGH), (start + 10 * US) >> 32);
    assert_int_equal(bench_read(b, ALARM_LOW), (uint32_t)(start + 10 * US));
    bench_run_to(b, 10 * US);
    assert_false(b->level[0]); /* not enabled */
    assert_int_equal(bench_read(b, ALARM_STATUS), 0);
    bench_write(b, IRQ_ENABLED, 3);
    assert_int_equal(bench_read(b, IRQ_ENABLED), 1);
    assert_true(b->level[0]);
    bench_save_and_load(b);
    assert_true(b->level[0]);
    bench_write(b, CLEAR_INTERRUPT, 0);
    assert_false(b->level[0]);
    set_alarm(b, start + 20 * US);
    bench_save_and_load(b);
    bench_run_to(b, 20 * US - 1);
    assert_false(b->level[0]);
    bench_run_to(b, 20 * US);
    assert_true(b->level[0]);
    bench_write(b, CLEAR_INTERRUPT, 0);
    set_alarm(b, start); /* already past */
    assert_true(b->level[0]);
    bench_write(b, CLEAR_INTERRUPT, 0);
    set_alarm(b, start + 40 * US);
    bench_write(b, CLEAR_ALARM, 0);
    assert_int_equal(bench_read(b, ALARM_STATUS), 0);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    set_alarm(b, start + 40 * US); /* setting the time reschedules the alarm */
    bench_write(b, TIME_HIGH, (uint32_t)((start + 35 * US) >> 32));
    bench_write(b, TIME_LOW, (uint32_t)(start + 35 * US));
    assert_int_equal(clock_next(&b->clock), 25 * US);
    set_alarm(b, UINT64_MAX); /* never */
    assert_true(clock_next(&b->clock) > UINT64_C(1) << 60);
}

static void test_rtc_reset(void **state)
{
    struct bench *b = make_rtc(state);
    uint64_t start = START * 1000000000;

    bench_write(b, IRQ_ENABLED, 1);
    set_alarm(b, start + 10 * US);
    bench_write(b, IRQ_ENABLED, 1); /* no effect on the pending alarm */
    assert_int_equal(bench_read(b, ALARM_STATUS), 1);
    bench_run_to(b, 10 * US);
    set_alarm(b, start + 20 * US);
    assert_true(b->level[0]);
    b->cls->reset(b->dev);
    assert_false(b->level[0]);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    assert_int_equal(bench_read(b, ALARM_STATUS), 0);
    assert_int_equal(bench_read(b, IRQ_ENABLED), 0);
    assert_int_equal(rtc_time(b), start + 10 * US); /* the clock has a battery */
}

/* ---- the test finisher ---- */

static void test_finisher(void **state)
{
    struct bench *b = *state;

    char *said = NULL;
    size_t len;

    bench_create(b, "sifive_test");
    b->log.out = open_memstream(&said, &len);
    b->log.close_out = true;
    log_enable(&b->log, LOG_GUEST_ERRORS);
    bench_write(b, 0, 0x1234);
    bench_write(b, 4, 0x5555);
    assert_int_equal(b->power_off + b->power_reset, 0);
    fflush(b->log.out);
    assert_non_null(strstr(said, "0x1234 is no way to end\n"));
    bench_write(b, 0, 0x5555);
    assert_int_equal(b->power_off, 1);
    assert_int_equal(b->power_status, 0);
    bench_write(b, 0, 0x7777);
    assert_int_equal(b->power_reset, 1);
    fflush(b->log.out);
    assert_null(strstr(said, "failed"));
    bench_write(b, 0, 3 << 16 | 0x3333);
    assert_int_equal(b->power_off, 2);
    assert_int_equal(b->power_status, 3);
    fflush(b->log.out);
    assert_non_null(strstr(said, "the guest failed with code 3\n"));
    bench_write(b, 0, 0x0405 << 16 | 0x3333);
    assert_int_equal(b->power_status, 5); /* exit statuses have eight bits */
    assert_int_equal(bench_read(b, 0), 0);
    log_close(&b->log);
    free(said);
}

/* The register is a word: smaller accesses reach part of it, and larger ones two words. */
static void test_finisher_words(void **state)
{
    struct bench *b = *state;
    uint64_t value;

    b->reg[0].size = 0x2000; /* a window larger than the registers */
    bench_create(b, "sifive_test");
    bench_listen(b);
    bench_write_as(b, 0, BENCH_BASE + 1, 1, 0x55);
    assert_non_null(strstr(bench_heard(b), "0x5500 is no way to end\n"));
    assert_int_equal(b->power_off, 0);
    write_register64(b, 0, UINT64_C(0x2100005555));
    assert_int_equal(b->power_off, 1);
    assert_non_null(strstr(bench_heard(b), "0x21 is no way to end\n"));
    assert_int_equal(read_register64(b, 0), 0);
    assert_int_equal(bench_read(b, 0xffc), 0);
    assert_false(bus_read(b->bus, BENCH_BASE + 0x1000, 1, &value, 0));
}

/* A machine that cannot be powered off continues, with a message. */
static void test_finisher_without_power(void **state)
{
    struct bench *b = *state;

    bench_create(b, "sifive_test");
    bench_listen(b);
    b->env.power = NULL;
    bench_write(b, 0, 4 << 16 | 0x3333);
    assert_non_null(strstr(bench_heard(b), "the guest failed with code 4\n"));
}

/* Without its registers in the tree, a device is not made, and leaves nothing allocated. */
static void test_finisher_without_registers(void **state)
{
    struct bench *b = *state;
    struct error err = {""};

    b->env.reg_count = 0;
    assert_null(device_class_by_name("sifive_test")->create(&b->env, &err));
    assert_string_not_equal(err.text, "");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_inputs),
        TEST(test_inputs_of_no_hart),
        TEST(test_software_interrupts),
        TEST(test_machine_timer),
        TEST(test_supervisor_timer),
        TEST(test_time),
        TEST(test_clint_reset),
        TEST(test_clint_harts),
        TEST(test_clint_bounds),
        TEST(test_clint_frequency),
        TEST(test_clint_ends),
        TEST(test_plic_claim),
        TEST(test_plic_keeps_requests),
        TEST(test_plic_priorities),
        TEST(test_plic_completion),
        TEST(test_plic_edges),
        TEST(test_plic_reset),
        TEST(test_plic_without_ndev),
        TEST(test_rtc_time),
        TEST(test_rtc_alarm),
        TEST(test_rtc_reset),
        TEST(test_finisher),
        TEST(test_finisher_words),
        TEST(test_finisher_without_power),
        TEST(test_finisher_without_registers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
