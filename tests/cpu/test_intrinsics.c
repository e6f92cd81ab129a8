/*
 * The runtime functions called by generated code, without those for memory: the state that each
 * changes, on which CPU, and the state to leave unchanged.
 */
#include "tests/cpu/bench.h"

#include <stdio.h>
#include <string.h>

#include "runtime/cpu/internal.h"

/* ---- execution state ------------------------------------------------------------------------- */

/* A CPU that has an interrupt and nothing else for attention. */
static struct cpu *make_calm_cpu(struct bench *b)
{
    b->cpu[0]->attention = CPU_ATT_IRQ;
    return b->cpu[0];
}

enum { STALE = CPU_ATT_IRQ | CPU_ATT_KEY };

static void features_are_bounded(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = make_calm_cpu(b);
    uint32_t last = cpu->features[CPU_MAX_FEATURES - 1];

    (void)state;
    cpu_set_feature(cpu, CPU_MAX_FEATURES - 1, last);
    assert_int_equal(cpu->attention, CPU_ATT_IRQ); /* unchanged */
    cpu_set_feature(cpu, CPU_MAX_FEATURES, 77);
    cpu_set_feature(cpu, UINT32_MAX, 77);
    assert_int_equal(cpu->attention, CPU_ATT_IRQ);
    assert_int_equal(cpu->mode, 0); /* the members after `features` are unchanged */
    cpu_set_feature(cpu, CPU_MAX_FEATURES - 1, last + 1);
    assert_int_equal(cpu->features[CPU_MAX_FEATURES - 1], last + 1);
    assert_int_equal(cpu->attention, STALE);
    bench_free(b);
}

/* Captures the log's messages on accesses to nothing. */
static void capture_log(struct bench *b, char *text, size_t size)
{
    log_enable(&b->log, LOG_UNIMP);
    b->log.out = fmemopen(text, size, "w");
    b->log.close_out = true;
}

static void end_capture(struct bench *b)
{
    log_close(&b->log);
    b->log.mask = 0;
}

/* Each ring has its own translations; a number without a ring means the highest. */
static void rings_switch_tlbs(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = make_calm_cpu(b);
    const struct tlb *high = cpu->iface[0], *low;
    char text[200] = "";

    (void)state;
    assert_int_equal(cpu->ring, 1);
    cpu_set_ring(cpu, 1);
    assert_int_equal(cpu->attention, CPU_ATT_IRQ);
    cpu_set_ring(cpu, 0);
    low = cpu->iface[0];
    assert_int_equal(cpu->ring, 0);
    assert_int_equal(cpu->attention, STALE);
    assert_ptr_not_equal(low, high);
    cpu_set_ring(cpu, 1);
    assert_ptr_equal(cpu->iface[0], high);
    capture_log(b, text, sizeof(text));
    cpu_set_ring(cpu, CPU_RINGS);
    end_capture(b);
    assert_int_equal(cpu->ring, CPU_RINGS - 1);
    assert_string_equal(text, "cpu0: there is no ring 4\n");
    bench_free(b);
}

static void modes_switch_decoders(void **state)
{
    struct cpu_decoder decoders[2] = {toy_isa.decoders[0], toy_isa.decoders[0]};
    struct cpu_isa isa = toy_isa;
    struct bench *b;
    struct cpu *cpu;
    char text[200] = "";

    (void)state;
    isa.decoders = decoders;
    isa.decoder_count = 2;
    b = bench_new_of(&isa, 1);
    cpu = make_calm_cpu(b);
    cpu_set_mode(cpu, 0);
    assert_int_equal(cpu->attention, CPU_ATT_IRQ);
    cpu_set_mode(cpu, 1);
    assert_int_equal(cpu->mode, 1);
    assert_int_equal(cpu->attention, STALE);
    capture_log(b, text, sizeof(text));
    cpu_set_mode(cpu, 2);
    end_capture(b);
    assert_int_equal(cpu->mode, 1);
    assert_string_equal(text, "cpu0: there is no ISA 2\n");
    bench_free(b);
}

static void single_step(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = make_calm_cpu(b);

    (void)state;
    cpu_set_single_step(cpu, 1);
    assert_int_equal(cpu->attention, CPU_ATT_IRQ | CPU_ATT_STEP);
    assert_int_equal(cpu->single_step, 1);
    cpu_set_single_step(cpu, 0);
    assert_int_equal(cpu->attention, CPU_ATT_IRQ);
    assert_int_equal(cpu->single_step, 0);
    bench_free(b);
}

/* ---- waiting --------------------------------------------------------------------------------- */

static void waiting_ends_turns(void **state)
{
    struct bench *b = bench_new(3);
    struct cpu *cpu = make_calm_cpu(b);

    (void)state;
    cpu->lines = 4;
    cpu_halt(cpu);
    assert_false(cpu->halted);
    assert_int_equal(cpu->attention, CPU_ATT_IRQ);
    cpu->lines = 0;
    cpu_halt(cpu);
    assert_true(cpu->halted);
    assert_int_equal(cpu->attention, CPU_ATT_IRQ | CPU_ATT_HALT);
    cpu = make_calm_cpu(b);
    cpu_broadcast_event(cpu, 0);
    assert_true(cpu->event && !b->cpu[1]->event && !b->cpu[2]->event);
    cpu_wait_event(cpu);
    assert_false(cpu->event);
    assert_int_equal(cpu->attention, CPU_ATT_IRQ);
    cpu_wait_event(cpu);
    assert_int_equal(cpu->attention, CPU_ATT_IRQ | CPU_ATT_EVENT);
    cpu_broadcast_event(b->cpu[1], 1);
    assert_true(cpu->event && b->cpu[1]->event && b->cpu[2]->event);
    cpu = make_calm_cpu(b);
    cpu_yield(cpu); /* no other CPU to yield to */
    assert_int_equal(cpu->attention, CPU_ATT_IRQ);
    cpu_set_power(b->cpu[1], true);
    cpu_yield(cpu);
    assert_int_equal(cpu->attention, CPU_ATT_IRQ | CPU_ATT_EVENT);
    bench_free(b);
}

/* ---- devices --------------------------------------------------------------------------------- */

static uint64_t read_seven(void *opaque, unsigned cpu, uint32_t reg)
{
    (void)opaque;
    return 7000 + cpu * 100 + reg;
}

static uint64_t written;

static void write_it(void *opaque, unsigned cpu, uint32_t reg, uint64_t value)
{
    (void)opaque;
    written = value * 10000 + cpu * 100 + reg;
}

/* Read-only and write-only device registers, the last register, and one after it. */
static void devices_by_register(void **state)
{
    struct bench *b = bench_new(2);
    struct cpu *cpu = b->cpu[1];
    const uint32_t count = ARRAY_SIZE(cpu->devices);
    const struct insn at = {.offset = 12};
    char text[300] = "";

    (void)state;
    cpu->devices[count - 1] = (struct cpu_device){.read = read_seven};
    cpu->devices[count - 2] = (struct cpu_device){.write = write_it};
    assert_true(cpu_has_device(cpu, 0));
    assert_true(cpu_has_device(cpu, count - 1));
    assert_true(cpu_has_device(cpu, count - 2));
    assert_false(cpu_has_device(cpu, 1));
    assert_false(cpu_has_device(cpu, count));
    assert_int_equal(cpu_device_read(cpu, &at, count - 1, 5), 7105);
    assert_ptr_equal(cpu->current, &at);
    assert_int_equal(cpu_device_read(cpu, &at, count - 2, 5), 0);
    cpu->current = NULL;
    cpu_device_write(cpu, &at, count - 1, 6, 9);
    assert_int_equal(written, 0);
    assert_ptr_equal(cpu->current, &at);
    cpu_device_write(cpu, &at, count - 2, 6, 9);
    assert_int_equal(written, 90106);
    capture_log(b, text, sizeof(text));
    assert_int_equal(cpu_device_read(cpu, &at, count, 5), 0);
    cpu_device_write(cpu, &at, count, 6, 8);
    end_capture(b);
    assert_int_equal(written, 90106);
    assert_string_equal(text, "cpu1: there is no device 8 on the CPU's port\n"
                              "cpu1: there is no device 8 on the CPU's port\n");
    bench_free(b);
}

/* The value of a counter in the middle of a block. */
static void counted_at_the_instruction(void **state)
{
    struct bench *b = bench_new(1);
    const struct insn at = {.offset = 0};

    (void)state;
    CODE(b, RAM, toy_word(TOY_NOP, 0, 0, 0), toy_word(TOY_DEVR, 1, 0, 1),
         toy_word(TOY_NOP, 0, 0, 0), toy_word(TOY_DEVR, 2, 0, 1), toy_word(TOY_B, 0, 0, -4));
    cpu_run(b->cpu[0], 10);
    assert_int_equal(X(b, 1), 6);
    assert_int_equal(X(b, 2), 8);
    b->cpu[0]->current = NULL;
    cpu_instruction_count(b->cpu[0], &at);
    assert_ptr_equal(b->cpu[0]->current, &at);
    bench_free(b);
}

/* A fault says how memory was accessed. */
static void faults_of_writes(void **state)
{
    struct bench *b = bench_new(1);
    struct toy *s = toy_state(b->cpu[0]);

    (void)state;
    CODE(b, RAM, toy_word(TOY_ST64, 1, 5, 8), toy_word(TOY_B, 0, 0, 0));
    CODE(b, VECTOR, toy_word(TOY_B, 0, 0, 0));
    X(b, 5) = NOWHERE;
    cpu_run(b->cpu[0], 2);
    assert_int_equal(s->special[TOY_CAUSE], TOY_CAUSE_FAULT);
    assert_int_equal(s->special[TOY_FAULT_VA], NOWHERE + 8);
    assert_int_equal(s->special[TOY_FAULT], (uint64_t)CPU_WRITE << 32 | CPU_FAULT_EXTERNAL);
    bench_free(b);
}

/* ---- translation caches ---------------------------------------------------------------------- */

enum { PAGES = 3, CPUS = 3 };

static const uint64_t pages[PAGES] = {0x10000, 0x11000, 0x12000}; /* the second one is not global */

/* Runs a load by cpu_run(), and returns the word that the CPU finds in the page. */
static uint64_t load_from_page(struct bench *b, unsigned cpu, unsigned page)
{
    struct cpu *c = b->cpu[cpu];

    c->pc = 0x20000;
    toy_state(c)->x[5] = pages[page];
    assert_int_equal(cpu_run(c, 1), 1);
    return toy_state(c)->x[1];
}

static void expect_flushed(unsigned kind, uint32_t all, unsigned by)
{
    static const bool gone[3][PAGES] = {
        {true, true, true}, {false, true, false}, {false, false, true}};
    struct bench *b = bench_new(CPUS);

    bench_map(b, 0x20000, RAM, TOY_PTE_EXEC);
    CODE(b, RAM, toy_word(TOY_LD64, 1, 5, 0), toy_word(TOY_B, 0, 0, 0));
    for (unsigned page = 0; page < PAGES; page++) {
        bench_map(b, pages[page], DATA, page == 1 ? TOY_PTE_NOT_GLOBAL : 0);
        bench_put(b, DATA + 0x1000, 9);
    }
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        cpu_set_power(b->cpu[cpu], true);
        toy_state(b->cpu[cpu])->special[TOY_TTBR] = TABLE;
        for (unsigned page = 0; page < PAGES; page++)
            assert_int_equal(load_from_page(b, cpu, page), 0);
    }
    for (unsigned page = 0; page < PAGES; page++)
        bench_map(b, pages[page], DATA + 0x1000, 0);
    if (kind == 0)
        cpu_flush_all(b->cpu[by], all);
    else if (kind == 1)
        cpu_flush_asid(b->cpu[by], 5, all);
    else
        cpu_flush_va(b->cpu[by], pages[2] + 0x123, all);
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        for (unsigned page = 0; page < PAGES; page++)
            assert_int_equal(load_from_page(b, cpu, page),
                             gone[kind][page] && (all || cpu == by) ? 9 : 0);
    }
    bench_free(b);
}

/* Flushes of everything, an address space, or a page; on one CPU or on all. */
static void flushes_by_kind(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3 * 2 * CPUS; n++)
        expect_flushed(n % 3, n / 3 % 2, n / 6);
}

/* For a CPU without a group, "all CPUs" is itself. */
static void flushes_without_a_group(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu_group *group = b->cpu[0]->group;

    (void)state;
    bench_map(b, 0x20000, RAM, TOY_PTE_EXEC);
    CODE(b, RAM, toy_word(TOY_LD64, 1, 5, 0), toy_word(TOY_B, 0, 0, 0));
    toy_state(b->cpu[0])->special[TOY_TTBR] = TABLE;
    for (unsigned kind = 0; kind < 3; kind++) {
        bench_map(b, pages[0], DATA, TOY_PTE_NOT_GLOBAL);
        bench_put(b, DATA + 0x1000, 9);
        cpu_tlb_flush(b->cpu[0], true);
        assert_int_equal(load_from_page(b, 0, 0), 0);
        bench_map(b, pages[0], DATA + 0x1000, TOY_PTE_NOT_GLOBAL);
        b->cpu[0]->group = NULL;
        if (kind == 0)
            cpu_flush_all(b->cpu[0], 1);
        else if (kind == 1)
            cpu_flush_asid(b->cpu[0], 0, 1);
        else
            cpu_flush_va(b->cpu[0], pages[0], 1);
        cpu_broadcast_event(b->cpu[0], 1);
        cpu_yield(b->cpu[0]);
        b->cpu[0]->group = group;
        assert_int_equal(load_from_page(b, 0, 0), 9);
    }
    bench_free(b);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static void check_products(uint128_t (*multiply)(uint64_t a, uint64_t b))
{
    const uint64_t x = UINT64_C(0x8123456789abcdef), top = UINT64_C(1) << 63;
    const uint128_t all = (uint128_t)UINT64_C(0x5555555555555555) << 64 | 0x5555555555555555;
    uint128_t product = multiply(x, top);

    assert_true(multiply(x, 0) == 0);
    assert_true(multiply(0, x) == 0);
    assert_true(multiply(x, 1) == x);
    assert_true(multiply(1, x) == x);
    assert_true(multiply(x, 2) == (uint128_t)x << 1);
    assert_int_equal((uint64_t)product, x << 63);
    assert_int_equal((uint64_t)(product >> 64), x >> 1);
    assert_true(multiply(x, 5) == (x ^ (uint128_t)x << 2));
    assert_true(multiply(3, 3) == 5); /* (t + 1)^2 = t^2 + 1 */
    assert_true(multiply(UINT64_MAX, UINT64_MAX) == all);
}

static void polynomial_products(void **state)
{
    (void)state;
    check_products(cpu_polymul64);
    check_products(cpu_polymul64_plain);
    assert_int_equal(cpu_polymul8(0xff, 0xff), 0x5555);
    assert_int_equal(cpu_polymul8(0x80, 0x80), 0x4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_are_bounded),
        cmocka_unit_test(rings_switch_tlbs),
        cmocka_unit_test(modes_switch_decoders),
        cmocka_unit_test(single_step),
        cmocka_unit_test(waiting_ends_turns),
        cmocka_unit_test(devices_by_register),
        cmocka_unit_test(counted_at_the_instruction),
        cmocka_unit_test(faults_of_writes),
        cmocka_unit_test(flushes_by_kind),
        cmocka_unit_test(flushes_without_a_group),
        cmocka_unit_test(polynomial_products),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
