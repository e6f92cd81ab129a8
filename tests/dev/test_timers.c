/* Generic timers, SP804, SP805 and PL031: interrupts at exact virtual times. */
#include "tests/dev/bench.h"

#include <string.h>

#include "runtime/dev/arch_timer.h"
#include "runtime/dev/down_counter.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

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

/* Asserts that a line is low one ns before `ns` and high at it. */
static void expect_rise(struct bench *b, unsigned n, uint64_t ns)
{
    bench_run_to(b, ns - 1);
    assert_false(b->level[n]);
    bench_run_to(b, ns);
    assert_true(b->level[n]);
}

/* ---- per-CPU timers: lines are [timer * 2 + cpu], timers in the node's order ---- */

enum { LINE_PHYS = 2, LINE_VIRT = 4, LINE_HYP = 6 };

static struct arch_timer *arch_timer(struct bench *b)
{
    b->env.cpu_count = 2;
    b->env.irq_count = 4;
    b->env.irq_cpu = b->irq_cpu;
    b->env.reg_count = 0;
    bench_create(b, "arch_timer");
    return b->dev;
}

static void test_counter(void **state)
{
    struct bench *b = *state;
    struct arch_timer *t = arch_timer(b);

    assert_int_equal(arch_timer_read(t, 0, ARCH_TIMER_CNTFRQ), 50000000);
    bench_run_to(b, S + 39);
    assert_int_equal(arch_timer_read(t, 0, ARCH_TIMER_CNTPCT), 50000001);
    assert_int_equal(arch_timer_read(t, 1, ARCH_TIMER_CNTVCT), 50000001);
    arch_timer_write(t, 1, ARCH_TIMER_CNTVOFF, 1000);
    assert_int_equal(arch_timer_read(t, 1, ARCH_TIMER_CNTVCT), 49999001);
    assert_int_equal(arch_timer_read(t, 1, ARCH_TIMER_CNTPCT), 50000001);
    assert_int_equal(arch_timer_read(t, 0, ARCH_TIMER_CNTVCT), 50000001);
    arch_timer_write(t, 0, ARCH_TIMER_CNTVCT, 0);
    assert_int_equal(arch_timer_read(t, 0, ARCH_TIMER_CNTVCT), 50000001);
}

static void test_frequency_from_the_tree(void **state)
{
    struct bench *b = *state;

    bench_prop(b, "clock-frequency", "\x01\x6e\x36\x00", 4); /* 24 MHz */
    assert_int_equal(arch_timer_read(arch_timer(b), 0, ARCH_TIMER_CNTFRQ), 24000000);
    bench_run_to(b, S);
    assert_int_equal(arch_timer_read(b->dev, 0, ARCH_TIMER_CNTPCT), 24000000);
}

static void test_compare_value(void **state)
{
    struct bench *b = *state;
    struct arch_timer *t = arch_timer(b);

    arch_timer_write(t, 1, ARCH_TIMER_CNTV_CVAL, 500);
    arch_timer_write(t, 1, ARCH_TIMER_CNTV_CTL, 1);
    assert_int_equal(clock_next(&b->clock), 10 * US);
    expect_rise(b, LINE_VIRT + 1, 10 * US);
    assert_false(b->level[LINE_VIRT]); /* CPU 0's own timer is off */
    assert_int_equal(arch_timer_read(t, 1, ARCH_TIMER_CNTV_CTL), 5);
    /* masked: the condition stays, the line goes low */
    arch_timer_write(t, 1, ARCH_TIMER_CNTV_CTL, 3);
    assert_false(b->level[LINE_VIRT + 1]);
    assert_int_equal(arch_timer_read(t, 1, ARCH_TIMER_CNTV_CTL), 7);
    arch_timer_write(t, 1, ARCH_TIMER_CNTV_CTL, 1);
    assert_true(b->level[LINE_VIRT + 1]);
    arch_timer_write(t, 1, ARCH_TIMER_CNTV_CVAL, 1000); /* in the future: the line goes low */
    assert_false(b->level[LINE_VIRT + 1]);
    arch_timer_write(t, 1, ARCH_TIMER_CNTV_CTL, 0);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    assert_int_equal(arch_timer_read(t, 1, ARCH_TIMER_CNTV_CTL), 0);
}

static void test_timer_value(void **state)
{
    struct bench *b = *state;
    struct arch_timer *t = arch_timer(b);

    bench_run_to(b, 20 * US); /* count 1000 */
    arch_timer_write(t, 0, ARCH_TIMER_CNTP_TVAL, 100);
    assert_int_equal(arch_timer_read(t, 0, ARCH_TIMER_CNTP_CVAL), 1100);
    arch_timer_write(t, 0, ARCH_TIMER_CNTP_CTL, 1);
    expect_rise(b, LINE_PHYS, 22 * US);
    bench_run_to(b, 23 * US);
    assert_int_equal(arch_timer_read(t, 0, ARCH_TIMER_CNTP_TVAL), (uint32_t)-50);
    arch_timer_write(t, 0, ARCH_TIMER_CNTP_TVAL, (uint32_t)-10);
    assert_int_equal(arch_timer_read(t, 0, ARCH_TIMER_CNTP_CVAL), 1140);
    assert_true(b->level[LINE_PHYS]);
}

static void test_offset_moves_the_virtual_timer(void **state)
{
    struct bench *b = *state;
    struct arch_timer *t = arch_timer(b);

    arch_timer_write(t, 0, ARCH_TIMER_CNTV_CVAL, 500);
    arch_timer_write(t, 0, ARCH_TIMER_CNTV_CTL, 1);
    arch_timer_write(t, 0, ARCH_TIMER_CNTVOFF, 100);
    /*
     * The counter minus 100 is huge at first, so the condition holds until the counter reaches 100.
     */
    assert_true(b->level[LINE_VIRT]);
    bench_run_to(b, 3 * US);
    arch_timer_write(t, 0, ARCH_TIMER_CNTV_CTL, 1);
    assert_false(b->level[LINE_VIRT]);
    expect_rise(b, LINE_VIRT, 12 * US);
    /* an offset that puts the counter ahead */
    arch_timer_write(t, 0, ARCH_TIMER_CNTVOFF, -UINT64_C(1000));
    arch_timer_write(t, 0, ARCH_TIMER_CNTV_CVAL, 2000);
    assert_false(b->level[LINE_VIRT]);
    expect_rise(b, LINE_VIRT, 20 * US);
}

static void test_far_future(void **state)
{
    struct bench *b = *state;
    struct arch_timer *t = arch_timer(b);

    arch_timer_write(t, 0, ARCH_TIMER_CNTV_CVAL, UINT64_MAX);
    arch_timer_write(t, 0, ARCH_TIMER_CNTV_CTL, 1);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    arch_timer_write(t, 0, ARCH_TIMER_CNTHP_CVAL, 0);
    arch_timer_write(t, 0, ARCH_TIMER_CNTHP_CTL, 1);
    assert_true(b->level[LINE_HYP]); /* the condition holds at once */
}

static void test_arch_timer_snapshot(void **state)
{
    struct bench *b = *state;
    struct arch_timer *t = arch_timer(b);

    arch_timer_write(t, 1, ARCH_TIMER_CNTVOFF, 10);
    arch_timer_write(t, 1, ARCH_TIMER_CNTV_CVAL, 490);
    arch_timer_write(t, 1, ARCH_TIMER_CNTFRQ, 1234);
    bench_run_to(b, US);
    arch_timer_write(t, 1, ARCH_TIMER_CNTV_CTL, 1);
    bench_save_and_load(b);
    assert_int_equal(arch_timer_read(t, 1, ARCH_TIMER_CNTFRQ), 1234);
    expect_rise(b, LINE_VIRT + 1, 10 * US);
}

/* Each CPU has its own four timers; their interrupts come in the node's order: secure first. */
static void test_all_timers(void **state)
{
    static const enum arch_timer_reg ctl[4] = {ARCH_TIMER_CNTPS_CTL, ARCH_TIMER_CNTP_CTL,
                                               ARCH_TIMER_CNTV_CTL, ARCH_TIMER_CNTHP_CTL};
    struct bench *b = *state;
    const struct device_class *cls;

    arch_timer(b);
    cls = b->cls;
    for (unsigned i = 0; i < 8; i++) { /* CVAL's register number is CTL's plus 1 */
        cls->port_write(b->dev, i % 2, ctl[i / 2] + 1, 100 + i);
        cls->port_write(b->dev, i % 2, ctl[i / 2], 1);
    }
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(cls->port_read(b->dev, i % 2, ctl[i / 2] + 1), 100 + i);
        assert_int_equal(cls->port_read(b->dev, i % 2, ctl[i / 2]), 1);
        assert_int_equal(cls->port_read(b->dev, i % 2, ctl[i / 2] + 2), i ? 1 : 100);
        expect_rise(b, i / 2 * 2 + i % 2, (100 + i) * 20);
    }
    assert_int_equal(cls->port_read(b->dev, 2, ARCH_TIMER_CNTPCT), 0); /* CPU 2 does not exist */
    cls->port_write(b->dev, 2, ARCH_TIMER_CNTFRQ, 5);
    assert_int_equal(cls->port_read(b->dev, 0, ARCH_TIMER_CNTFRQ), 50000000);
    assert_int_equal(cls->port_read(b->dev, 1, ARCH_TIMER_CNTFRQ), 50000000);
}

static void test_arch_timer_reset_and_end(void **state)
{
    struct bench *b = *state;
    struct arch_timer *t = arch_timer(b);

    for (unsigned cpu = 0; cpu < 2; cpu++) {
        arch_timer_write(t, cpu, ARCH_TIMER_CNTFRQ, 7);
        arch_timer_write(t, cpu, ARCH_TIMER_CNTVOFF, 3);
        arch_timer_write(t, cpu, ARCH_TIMER_CNTV_CVAL, 900);
        arch_timer_write(t, cpu, ARCH_TIMER_CNTV_CTL, 1);
        arch_timer_write(t, cpu, ARCH_TIMER_CNTHP_CTL, 1);
    }
    assert_true(b->level[LINE_HYP] && b->level[LINE_HYP + 1]);
    b->cls->reset(b->dev);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    for (unsigned i = 0; i < 8; i++)
        assert_false(b->level[i]);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        assert_int_equal(arch_timer_read(t, cpu, ARCH_TIMER_CNTFRQ), 50000000);
        assert_int_equal(arch_timer_read(t, cpu, ARCH_TIMER_CNTVOFF), 0);
        assert_int_equal(arch_timer_read(t, cpu, ARCH_TIMER_CNTV_CVAL), 0);
        assert_int_equal(arch_timer_read(t, cpu, ARCH_TIMER_CNTHP_CTL), 0);
    }
    bench_save_and_load(b);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        arch_timer_write(t, cpu, ARCH_TIMER_CNTV_CVAL, 900);
        arch_timer_write(t, cpu, ARCH_TIMER_CNTV_CTL, 1);
    }
    b->cls->destroy(b->dev);
    b->dev = NULL;
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
}

static void test_arch_timer_cpus(void **state)
{
    const struct device_class *cls = device_class_by_name("arch_timer");
    struct bench *b = *state;
    struct error err = {""};

    b->env.reg_count = 0;
    b->env.cpu_count = 0;
    assert_null(cls->create(&b->env, &err));
    b->env.cpu_count = DEVICE_MAX_CPUS + 1;
    assert_null(cls->create(&b->env, &err));
    assert_non_null(strstr(err.text, "CPUs exist, not for"));
    b->env.cpu_count = DEVICE_MAX_CPUS;
    bench_create(b, "arch_timer");
    assert_int_equal(b->cls->port_read(b->dev, DEVICE_MAX_CPUS - 1, ARCH_TIMER_CNTFRQ), 50000000);
}

/* ---- memory-mapped timer --------------------------------------------------------------------- */

#define FRAME 0x1000

static void test_memory_mapped(void **state)
{
    struct bench *b = *state;

    b->env.reg_count = 2;
    b->env.irq_count = 2;
    b->reg[1] = (struct device_reg){BENCH_BASE + FRAME, 0x1000};
    bench_create(b, "arch_timer_mem");
    assert_int_equal(bench_read(b, 0x08) >> 4 & 7, 3); /* frame 1 exists, with a virtual timer */
    bench_write(b, 0x44, 0x3f);
    assert_int_equal(bench_read(b, 0x44), 0x3f);
    assert_int_equal(bench_read(b, FRAME + 0x10), 50000000);
    bench_run_to(b, 100 * S);
    assert_int_equal(bench_read(b, FRAME), (uint32_t)5000000000);
    assert_int_equal(bench_read(b, FRAME + 4), 1);
    assert_true(bench_read_as(b, 0, BENCH_BASE + FRAME, 8) == UINT64_C(5000000000));
    bench_write_as(b, 0, BENCH_BASE + FRAME + 0x20, 8, UINT64_C(5000000050));
    bench_write(b, FRAME + 0x2c, 1);
    expect_rise(b, 0, 100 * S + US);
    assert_int_equal(bench_read(b, FRAME + 0x2c), 5);
    bench_write(b, FRAME + 0x28, 50);
    assert_false(b->level[0]);
    bench_save_and_load(b);
    expect_rise(b, 0, 100 * S + 2 * US);
}

static void memory_mapped(struct bench *b, unsigned frames, unsigned lines)
{
    b->env.reg_count = 1 + frames;
    b->env.irq_count = lines;
    for (unsigned i = 1; i <= frames; i++)
        b->reg[i] = (struct device_reg){BENCH_BASE + i * FRAME, 0x1000};
    bench_create(b, "arch_timer_mem");
}

/*
 * Two frames with two interrupts each: physical and virtual. 64-bit compare values are written in
 * halves.
 */
static void test_frames(void **state)
{
    struct bench *b = *state;

    memory_mapped(b, 2, 4);
    assert_int_equal(bench_read(b, 0x00), 50000000);
    assert_int_equal(bench_read(b, 0x04), 0xff);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t frame = (1 + i / 2) * FRAME, timer = frame + 0x20 + i % 2 * 0x10;

        bench_write(b, timer + 4, 1); /* upper half: far in the future */
        bench_write(b, timer, 100 + i);
        bench_write(b, timer + 0xc, 1);
        assert_int_equal(bench_read(b, timer), 100 + i);
        assert_int_equal(bench_read(b, timer + 4), 1);
        bench_write(b, timer + 4, 0);
    }
    bench_save_and_load(b);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t timer = (1 + i / 2) * FRAME + 0x20 + i % 2 * 0x10;

        expect_rise(b, i, (100 + i) * 20);
        assert_int_equal(bench_read(b, timer + 0xc), 5);
        assert_int_equal(bench_read(b, timer + 8), 0);
        bench_write(b, timer + 8, 100); /* relative to the current count */
        assert_int_equal(bench_read(b, timer), 200 + i);
        assert_false(b->level[i]);
    }
    b->cls->reset(b->dev);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    assert_int_equal(bench_read(b, 2 * FRAME + 0x30) | bench_read(b, 2 * FRAME + 0x3c), 0);
    bench_write(b, 2 * FRAME + 0x30, 1000);
    bench_write(b, 2 * FRAME + 0x3c, 1);
    bench_write(b, FRAME + 0x20, 1000);
    bench_write(b, FRAME + 0x2c, 1);
    b->cls->destroy(b->dev);
    b->dev = NULL;
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
}

/* Frames with a single interrupt have physical timers only. Access rights are only stored. */
static void test_frames_without_virtual_timers(void **state)
{
    struct bench *b = *state;

    bench_prop(b, "clock-frequency", "\x01\x6e\x36\x00", 4);
    memory_mapped(b, 2, 2);
    bench_listen(b);
    assert_int_equal(bench_read(b, 0x00), 24000000);
    assert_int_equal(bench_read(b, FRAME + 0x10), 24000000);
    assert_int_equal(bench_read(b, 0x08), 0x11111111);
    bench_write(b, 2 * FRAME + 0x20, 24);
    bench_write(b, 2 * FRAME + 0x2c, 1);
    expect_rise(b, 1, US);
    assert_false(b->level[0]);
    for (unsigned i = 0; i < 8; i++)
        bench_write(b, 0x40 + 4 * i, 0xf0 + i);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(bench_read(b, 0x40 + 4 * i), 0x30 + i);
    bench_write(b, FRAME + 0x14, 0xf123);
    assert_int_equal(bench_read(b, FRAME + 0x14), 0x123);
    assert_int_equal(bench_read(b, 2 * FRAME + 0x14), 0);
    assert_string_equal(bench_heard(b), "");
    bench_write(b, 0x60, 1);
    assert_non_null(strstr(bench_heard(b), "control frame: write of 0x1 to offset 0x60"));
    bench_write(b, FRAME + 0x18, 1);
    assert_non_null(strstr(bench_heard(b), "timer frame: write of 0x1 to offset 0x18"));
    assert_int_equal(bench_read(b, FRAME + 0x40), 0);
    assert_non_null(strstr(bench_heard(b), "timer frame: read of offset 0x40"));
    b->cls->reset(b->dev);
    assert_int_equal(bench_read(b, 0x5c) | bench_read(b, FRAME + 0x14), 0);
}

/* ---- the counter that SP804 and SP805 are made of, at 1 MHz ---------------------------------- */

static unsigned zeros;

static void at_zero(void *opaque)
{
    const struct down_counter *c = opaque;

    zeros++;
    assert_int_equal(down_counter_value(c), 0);
    assert_int_equal(c->s.running, 0);
}

static void test_down_counter(void **state)
{
    struct bench *b = *state;
    struct down_counter c;

    zeros = 0;
    down_counter_init(&c, &b->clock, 1000000, at_zero, &c);
    assert_int_equal(down_counter_value(&c), 0);
    down_counter_start(&c, 10);
    bench_run_to(b, 4 * US);
    assert_int_equal(down_counter_value(&c), 6);
    down_counter_stop(&c);
    bench_run_to(b, 100 * US);
    assert_int_equal(down_counter_value(&c), 6);
    assert_int_equal(zeros, 0);
    down_counter_set_divider(&c, 16); /* while stopped: changes only the later speed */
    assert_int_equal(down_counter_value(&c), 6);
    bench_run_to(b, 160 * US);
    down_counter_start(&c, 3);
    bench_run_to(b, 192 * US);
    assert_int_equal(down_counter_value(&c), 1);
    down_counter_set_divider(&c, 1); /* while running: continues from its value */
    bench_run_to(b, 193 * US - 1);
    assert_int_equal(down_counter_value(&c), 1);
    bench_run_to(b, 193 * US);
    assert_int_equal(zeros, 1);
    assert_int_equal(down_counter_value(&c), 0);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    down_counter_start(&c, UINT64_MAX); /* never, and not at once */
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    assert_int_equal(down_counter_value(&c), UINT64_MAX);
}

/* Any snapshot is safe: a divider of 0 loads as 1, and a stopped counter schedules no event. */
static void test_down_counter_loads(void **state)
{
    struct bench *b = *state;
    struct down_counter c;

    zeros = 0;
    down_counter_init(&c, &b->clock, 1000000, at_zero, &c);
    down_counter_start(&c, 10);
    c.s = (struct down_counter_state){.value = 5, .running = 0, .divider = 0};
    down_counter_post_load(&c);
    assert_int_equal(c.s.divider, 1);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    c.s = (struct down_counter_state){.value = 5, .start = 2, .running = 1, .divider = 4};
    down_counter_post_load(&c);
    assert_int_equal(c.s.divider, 4);
    assert_int_equal(clock_next(&b->clock), 28 * US);
    bench_run_to(b, 20 * US);
    assert_int_equal(down_counter_value(&c), 2);
    bench_run_to(b, 28 * US);
    assert_int_equal(zeros, 1);
}

/* ---- SP804 at 1 MHz -------------------------------------------------------------------------- */

#define T_LOAD    0x00
#define T_VALUE   0x04
#define T_CONTROL 0x08
#define T_INTCLR  0x0c
#define T_RIS     0x10
#define T_MIS     0x14
#define T_BGLOAD  0x18

static void test_sp804_periodic(void **state)
{
    struct bench *b = *state;

    bench_create(b, "sp804");
    assert_int_equal(bench_read(b, T_CONTROL), 0x20);
    bench_write(b, T_LOAD, 100);
    bench_write(b, T_CONTROL, 0xe2); /* on, periodic, interrupt, 32 bits */
    bench_run_to(b, 30 * US);
    assert_int_equal(bench_read(b, T_VALUE), 70);
    expect_rise(b, 0, 100 * US);
    assert_int_equal(bench_read(b, T_VALUE), 100);
    bench_write(b, T_INTCLR, 0);
    assert_false(b->level[0]);
    expect_rise(b, 0, 200 * US);
    bench_write(b, T_BGLOAD, 50); /* takes effect with the next period */
    bench_write(b, T_INTCLR, 1);
    expect_rise(b, 0, 300 * US);
    bench_write(b, T_INTCLR, 1);
    expect_rise(b, 0, 350 * US);
    bench_write(b, T_CONTROL, 0xc2); /* no interrupt */
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, T_RIS), 1);
    assert_int_equal(bench_read(b, T_MIS), 0);
}

static void test_sp804_one_shot_and_prescaler(void **state)
{
    struct bench *b = *state;

    bench_create(b, "sp804");
    bench_write(b, T_LOAD, 10);
    bench_write(b, T_CONTROL, 0xa7); /* enabled, one shot, 32 bits, divided by 16 */
    expect_rise(b, 0, 160 * US);
    assert_int_equal(bench_read(b, T_VALUE), 0);
    bench_write(b, T_INTCLR, 1);
    bench_run_to(b, S);
    assert_false(b->level[0]);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
}

static void test_sp804_free_running_16_bits(void **state)
{
    struct bench *b = *state;

    bench_create(b, "sp804");
    bench_write(b, T_LOAD, 0x10005); /* only 16 bits count */
    bench_write(b, T_CONTROL, 0xa0);
    expect_rise(b, 0, 5 * US);
    bench_write(b, T_INTCLR, 1);
    bench_run_to(b, 6 * US);
    assert_int_equal(bench_read(b, T_VALUE), 0xffff);
    expect_rise(b, 0, (5 + 65536) * US);
}

static void test_sp804_shares_or_splits_its_lines(void **state)
{
    struct bench *b = *state;

    b->env.irq_count = 2;
    bench_create(b, "sp804");
    bench_write(b, 0x20 + T_LOAD, 7);
    bench_write(b, 0x20 + T_CONTROL, 0xe2);
    expect_rise(b, 1, 7 * US);
    assert_false(b->level[0]);
    b->env.irq_count = 1; /* a node with one interrupt: both are ORed */
    bench_write(b, 0x20 + T_CONTROL, 0xe2);
    assert_true(b->level[0]);
}

static void test_sp804_zero_period_does_not_hang(void **state)
{
    struct bench *b = *state;

    bench_create(b, "sp804");
    bench_write(b, T_CONTROL, 0xe2);
    bench_write(b, T_LOAD, 0);
    bench_run_to(b, S);
    assert_true(b->level[0]);
}

/* DDI 0271, table 3-1; a reset stops both timers, and so does destroying the device. */
static void test_sp804_reset_and_end(void **state)
{
    struct bench *b = *state;

    bench_create(b, "sp804");
    bench_listen(b);
    for (unsigned n = 0; n < 0x40; n += 0x20) {
        assert_int_equal(bench_read(b, n + T_LOAD), 0);
        assert_int_equal(bench_read(b, n + T_CONTROL), 0x20);
        bench_write(b, n + T_CONTROL, 0x02);
        assert_int_equal(bench_read(b, n + T_VALUE), 0xffffffff);
        bench_write(b, n + T_LOAD, 5);
        bench_write(b, n + T_CONTROL, 0xe2);
    }
    bench_run_to(b, 6 * US);
    assert_true(b->level[0]);
    assert_string_equal(bench_heard(b), "");
    bench_write(b, T_CONTROL, 0xee); /* an undefined divider */
    assert_non_null(strstr(bench_heard(b), "prescaler value 3"));
    bench_write(b, T_CONTROL, 0xea);
    assert_string_equal(bench_heard(b), "");
    b->cls->reset(b->dev);
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, T_RIS) | bench_read(b, 0x20 + T_RIS), 0);
    assert_int_equal(bench_read(b, 0x20 + T_CONTROL), 0x20);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    for (unsigned n = 0; n < 0x40; n += 0x20) {
        bench_write(b, n + T_LOAD, 5);
        bench_write(b, n + T_CONTROL, 0xe2);
    }
    b->cls->destroy(b->dev);
    b->dev = NULL;
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
}

static void test_sp804_snapshot(void **state)
{
    struct bench *b = *state;

    bench_create(b, "sp804");
    bench_write(b, T_LOAD, 100);
    bench_write(b, T_CONTROL, 0xe2);
    bench_run_to(b, 40 * US);
    bench_save_and_load(b);
    assert_int_equal(bench_read(b, T_VALUE), 60);
    expect_rise(b, 0, 100 * US);
}

/* Registers repeat in a window that is larger than needed. */
static void test_sp804_repeats_in_its_window(void **state)
{
    struct bench *b = *state;

    b->reg[0].size = 0x10000;
    bench_create(b, "sp804");
    bench_write(b, 0x3000, 7);
    bench_write(b, 0x3020, 9);
    assert_int_equal(bench_read(b, 0x00), 7);
    assert_int_equal(bench_read(b, 0x20), 9);
    assert_int_equal(bench_read(b, 0xf000), 7);
    assert_int_equal(bench_read(b, 0xf020), 9);
}

static void test_sp804_is_recognised(void **state)
{
    struct bench *b = *state;
    uint32_t id = 0, cell = 0;

    bench_create(b, "sp804");
    for (unsigned i = 0; i < 4; i++) {
        id |= bench_read(b, 0xfe0 + 4 * i) << (8 * i);
        cell |= bench_read(b, 0xff0 + 4 * i) << (8 * i);
    }
    assert_int_equal(id, 0x00141804);
    assert_int_equal(cell, 0xb105f00d);
}

/* ---- SP805 at 1 MHz -------------------------------------------------------------------------- */

static void test_watchdog(void **state)
{
    struct bench *b = *state;

    bench_create(b, "sp805");
    bench_write(b, 0xc00, 0x1acce551);
    bench_write(b, 0x00, 1000);
    bench_write(b, 0x08, 3);
    bench_write(b, 0xc00, 1); /* locked: further writes are ignored */
    bench_write(b, 0x08, 0);
    assert_int_equal(bench_read(b, 0xc00), 1);
    expect_rise(b, 0, MS);
    bench_write(b, 0xc00, 0x1acce551);
    bench_run_to(b, MS + 500 * US);
    bench_write(b, 0x0c, 1); /* fed: starts again from the load value */
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, 0x04), 1000);
    expect_rise(b, 0, 2 * MS + 500 * US);
    assert_int_equal(b->power_reset, 0);
    bench_run_to(b, 3 * MS + 500 * US); /* not fed: resets */
    assert_int_equal(b->power_reset, 1);
    bench_run_to(b, 10 * MS);
    assert_int_equal(b->power_reset, 1);
}

static void test_watchdog_without_reset(void **state)
{
    struct bench *b = *state;

    bench_create(b, "sp805");
    bench_write(b, 0x00, 0);
    bench_write(b, 0x08, 1);
    bench_run_to(b, MS);
    assert_true(b->level[0]);
    assert_int_equal(b->power_reset, 0);
    bench_write(b, 0x08, 0);
    assert_false(b->level[0]);
}

/*
 * DDI 0270, table 3-1: registers after a reset, both states of the interrupt, and what the lock
 * protects.
 */
static void test_watchdog_registers(void **state)
{
    struct bench *b = *state;

    b->reg[0].size = 0x10000;
    bench_create(b, "sp805");
    bench_listen(b);
    assert_int_equal(bench_read(b, 0x00), 0xffffffff);
    assert_int_equal(bench_read(b, 0x04), 0xffffffff);
    assert_int_equal(bench_read(b, 0x08) | bench_read(b, 0x10) | bench_read(b, 0xc00), 0);
    bench_write(b, 0x3000, 100); /* registers repeat in a larger window */
    assert_int_equal(bench_read(b, 0x04), 100);
    assert_int_equal(bench_read(b, 0x4fe0), 0x05);
    bench_write(b, 0x08, 0xff);
    assert_int_equal(bench_read(b, 0x08), 3);
    bench_run_to(b, 40 * US);
    assert_int_equal(bench_read(b, 0x04), 60);
    bench_write(b, 0x08, 2); /* disabled: the count stands still, without an interrupt */
    bench_run_to(b, MS);
    assert_int_equal(bench_read(b, 0x04), 60);
    assert_int_equal(bench_read(b, 0x10), 0);
    bench_write(b, 0x08, 1); /* enabled: counts from the start */
    assert_int_equal(bench_read(b, 0x04), 100);
    bench_save_and_load(b);
    expect_rise(b, 0, MS + 100 * US);
    assert_int_equal(bench_read(b, 0x10), 1);
    assert_int_equal(bench_read(b, 0x14), 1);
    bench_write(b, 0x08, 0);
    assert_int_equal(bench_read(b, 0x10), 1);
    assert_int_equal(bench_read(b, 0x14), 0);
    assert_string_equal(bench_heard(b), "");
    bench_write(b, 0xc00, 5);
    assert_int_equal(bench_read(b, 0xc00), 1);
    bench_write(b, 0x0c, 1);
    assert_non_null(strstr(bench_heard(b), "locked register"));
    assert_int_equal(bench_read(b, 0x10), 1);
    bench_write(b, 0xc00, 0x1acce551);
    bench_write(b, 0x08, 1);
    assert_true(b->level[0]);
    b->cls->reset(b->dev);
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, 0x00) & bench_read(b, 0x04), 0xffffffff);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
}

static void test_watchdog_is_recognised(void **state)
{
    static const uint8_t id[8] = {0x05, 0x18, 0x14, 0x00, 0x0d, 0xf0, 0x05, 0xb1};
    struct bench *b = *state;

    bench_create(b, "sp805");
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(bench_read(b, 0xfe0 + 4 * i), id[i]);
}

/* ---- PL031 ----------------------------------------------------------------------------------- */

static void test_rtc(void **state)
{
    struct bench *b = *state;

    b->env.start_time = 1700000000;
    bench_create(b, "pl031");
    assert_int_equal(bench_read(b, 0x00), 1700000000);
    bench_run_to(b, 10 * S - 1);
    assert_int_equal(bench_read(b, 0x00), 1700000009);
    bench_write(b, 0x10, 1);
    bench_write(b, 0x04, 1700000012); /* alarm */
    expect_rise(b, 0, 12 * S);
    assert_int_equal(bench_read(b, 0x18), 1);
    bench_write(b, 0x1c, 1);
    assert_false(b->level[0]);
    bench_write(b, 0x08, 100); /* sets the time */
    assert_int_equal(bench_read(b, 0x00), 100);
    bench_write(b, 0x04, 103);
    bench_save_and_load(b);
    expect_rise(b, 0, 15 * S);
    assert_int_equal(bench_read(b, 0x00), 103);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_counter),
        TEST(test_frequency_from_the_tree),
        TEST(test_compare_value),
        TEST(test_timer_value),
        TEST(test_offset_moves_the_virtual_timer),
        TEST(test_far_future),
        TEST(test_arch_timer_snapshot),
        TEST(test_all_timers),
        TEST(test_arch_timer_reset_and_end),
        TEST(test_arch_timer_cpus),
        TEST(test_memory_mapped),
        TEST(test_frames),
        TEST(test_frames_without_virtual_timers),
        TEST(test_down_counter),
        TEST(test_down_counter_loads),
        TEST(test_sp804_periodic),
        TEST(test_sp804_one_shot_and_prescaler),
        TEST(test_sp804_free_running_16_bits),
        TEST(test_sp804_shares_or_splits_its_lines),
        TEST(test_sp804_zero_period_does_not_hang),
        TEST(test_sp804_reset_and_end),
        TEST(test_sp804_snapshot),
        TEST(test_sp804_is_recognised),
        TEST(test_sp804_repeats_in_its_window),
        TEST(test_watchdog),
        TEST(test_watchdog_without_reset),
        TEST(test_watchdog_registers),
        TEST(test_watchdog_is_recognised),
        TEST(test_rtc),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
