/*
 * Instructions of several ticks, and CPUs of different speeds: budgets, counts and virtual times as
 * calculated by hand, in the interpreter and in each tier of translation.
 *
 *     test_ticks interp|quick|llvm
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/cpu/group.h"
#include "runtime/cpu/layout.h"
#include "runtime/cpu/ticks.h"
#include "runtime/jit/jit.h"

extern const struct cpu_isa tick_isa;

#define RAM     UINT64_C(0x80000000)
#define SECOND  (RAM + 0x10000) /* the second CPU's code */
#define NOWHERE UINT64_C(0x1000)

enum { ADDI = 1, MUL, MADD, BNZ, TIME, LD };
enum { CPUS = 2 };

static const char *tier = "interp";

struct bench {
    struct log log;
    struct bus *bus;
    struct clock clock;
    struct cpu *cpu[CPUS];
    struct cpu_group group;
    uint64_t insns, ticks; /* at the last read of the time */
};

static uint32_t make_word(unsigned op, unsigned rd, unsigned rs, int imm)
{
    return op << 24 | rd << 20 | rs << 16 | (uint16_t)imm;
}

static uint64_t *registers_of(struct cpu *cpu)
{
    return (uint64_t *)(void *)cpu->state;
}

/* A device on the CPU's port: it reads the virtual time in ns. */
static uint64_t read_time(void *opaque, unsigned cpu, uint32_t reg)
{
    struct bench *b = opaque;

    (void)reg;
    b->insns = cpu_insns_now(b->cpu[cpu]);
    b->ticks = cpu_ticks_now(b->cpu[cpu]);
    return clock_now(&b->clock);
}

static void attach_tier(struct bench *b)
{
    struct jit_options o = jit_defaults();
    struct error err = {0};

    if (!strcmp(tier, "interp"))
        return;
    o.enabled = o.sync = true;
    o.tier = strcmp(tier, "llvm") ? JIT_TIER_QUICK : JIT_TIER_LLVM;
    o.threshold = o.quick_threshold = 4;
    assert_non_null(jit_new(b->group.code, &b->log, &o, &err));
}

static struct bench *bench_of(const struct cpu_isa *isa)
{
    static const uint64_t at[CPUS] = {RAM, SECOND};
    struct bench *b = calloc(1, sizeof(*b));
    struct error err = {0};

    b->bus = bus_new(&b->log);
    clock_init(&b->clock);
    assert_non_null(bus_add_ram(b->bus, "ram", RAM, 0x20000, &err));
    for (unsigned n = 0; n < CPUS; n++) {
        b->cpu[n] = cpu_new(isa, n, b->bus, &b->clock, &b->log, &err);
        assert_non_null(b->cpu[n]);
        b->cpu[n]->devices[CPU_PORT_TIMER] = (struct cpu_device){b, read_time, NULL};
        b->cpu[n]->pc = at[n];
        registers_of(b->cpu[n])[1] = 1;
        registers_of(b->cpu[n])[2] = 3;
    }
    assert_true(cpu_group_init(&b->group, b->cpu, CPUS, b->bus, &b->clock, &err));
    cpu_set_power(b->cpu[0], true);
    attach_tier(b);
    return b;
}

static struct bench *bench_new(void)
{
    return bench_of(&tick_isa);
}

static void bench_free(struct bench *b)
{
    cpu_group_free(&b->group);
    for (unsigned n = 0; n < CPUS; n++)
        cpu_free(b->cpu[n]);
    clock_free(&b->clock);
    bus_free(b->bus);
    free(b);
}

static void load_words(struct bench *b, uint64_t at, const uint32_t *words, size_t count)
{
    assert_true(bus_load(b->bus, at, words, count * sizeof(*words)));
}
#define CODE(b, at, ...)                               \
    load_words(b, at, (const uint32_t[]){__VA_ARGS__}, \
               sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* A round of 5 instructions and 10 ticks; the instructions begin after 0, 1, 4, 7 and 8 ticks. */
static void load_round(struct bench *b, uint64_t at)
{
    CODE(b, at, make_word(ADDI, 3, 3, 1), make_word(MUL, 4, 2, 0), make_word(MUL, 4, 2, 0),
         make_word(ADDI, 5, 5, 1), make_word(BNZ, 0, 1, -4));
}

/* Returns the number of instructions that begin within `ticks` ticks. */
static unsigned insns_begun(uint64_t ticks)
{
    return (ticks > 0) + (ticks > 1) + (ticks > 4) + (ticks > 7) + (ticks > 8);
}
static const unsigned taken[] = {0, 1, 4, 7, 8, 10};

/* An instruction begins if a tick of the budget is left, and then takes all of its ticks. */
static void budgets_end_runs(void **state)
{
    struct bench *b = bench_new();
    struct cpu *cpu = b->cpu[0];

    (void)state;
    load_round(b, RAM);
    assert_int_equal(cpu_run(cpu, 1000), 1000); /* translated by now */
    assert_int_equal(cpu_insns(cpu), 500);
    for (uint64_t budget = 0; budget < 64; budget++) {
        uint64_t rounds = cpu->ticks / 10;
        unsigned rest = insns_begun(budget % 10);

        assert_int_equal(cpu_run(cpu, budget), budget / 10 * 10 + taken[rest]);
        rounds += budget / 10;
        assert_int_equal(cpu->ticks, 10 * rounds + taken[rest]);
        assert_int_equal(cpu_insns(cpu), 5 * rounds + rest);
        assert_int_equal(cpu->pc, RAM + rest % 5 * 4);
        assert_int_equal(registers_of(cpu)[3], rounds + (rest > 0));
        assert_int_equal(registers_of(cpu)[5], rounds + (rest > 3));
        cpu_run(cpu, rest ? 10 - taken[rest] : 0);
        assert_int_equal(cpu->pc, RAM);
    }
    bench_free(b);
}

/* Budgets of one tick each execute whole instructions. */
static void budgets_of_one(void **state)
{
    struct bench *b = bench_new();
    struct cpu *cpu = b->cpu[0];

    (void)state;
    load_round(b, RAM);
    for (unsigned n = 1; n <= 500; n++) {
        static const unsigned each[] = {1, 3, 3, 1, 2};

        assert_int_equal(cpu_run(cpu, 1), each[(n - 1) % 5]);
        assert_int_equal(cpu_insns(cpu), n);
    }
    assert_int_equal(cpu->ticks, 1000);
    bench_free(b);
}

/* In 100 turns of 10 ns, a CPU of 1 ns per tick has 1000 ticks, one of 2.5 ns has 400. */
static void speeds_give_ticks(void **state)
{
    struct bench *b = bench_new();

    (void)state;
    load_round(b, RAM);
    load_round(b, SECOND);
    b->group.quantum = 10;
    b->cpu[1]->ps_per_tick = 2500;
    cpu_set_power(b->cpu[1], true);
    for (unsigned n = 1; n <= 100; n++) {
        assert_true(cpu_group_turn(&b->group));
        assert_int_equal(b->clock.now, 10 * n);
        assert_int_equal(b->cpu[0]->ticks, 10 * n);
        /* 4 ticks per turn; an instruction that began in one turn may end in the next. */
        assert_int_equal(b->cpu[1]->ticks, 4 * n / 10 * 10 + taken[insns_begun(4 * n % 10)]);
    }
    assert_int_equal(cpu_insns(b->cpu[0]), 500);
    assert_int_equal(cpu_insns(b->cpu[1]), 200);
    bench_free(b);
}

/* A turn is as long as the ticks of the fastest CPU take, whichever CPU that is. */
static void turns_of_fastest_cpu(void **state)
{
    struct bench *b = bench_new();

    (void)state;
    load_round(b, RAM);
    load_round(b, SECOND);
    b->group.quantum = 1000;
    b->cpu[0]->ps_per_tick = 4000;
    b->cpu[1]->ps_per_tick = 500;
    cpu_set_power(b->cpu[1], true);
    assert_true(cpu_group_turn(&b->group));
    assert_int_equal(b->clock.now, 500);
    assert_int_equal(b->cpu[0]->ticks, 127); /* 125, and the rest of the last instruction */
    assert_int_equal(b->cpu[1]->ticks, 1000);
    bench_free(b);
}

/* Time within a block, on a CPU of 2.5 ns per tick: after 3 ticks of a round, and after 8. */
static void time_inside(void **state)
{
    struct bench *b = bench_new();
    struct cpu *cpu = b->cpu[0];

    (void)state;
    CODE(b, RAM, make_word(MUL, 4, 2, 0), make_word(TIME, 6, 0, 0), make_word(MADD, 4, 2, 5),
         make_word(TIME, 7, 0, 0), make_word(BNZ, 0, 1, -4)); /* 11 ticks, 27.5 ns */
    cpu->ps_per_tick = 2500;
    b->group.quantum = 22;
    for (unsigned n = 0; n < 100; n++) {
        uint64_t start = (2 * n + 1) * 27500; /* start of the turn's second round */

        assert_true(cpu_group_turn(&b->group));
        assert_int_equal(registers_of(cpu)[6], (start + 3 * 2500) / 1000);
        assert_int_equal(registers_of(cpu)[7], (start + 8 * 2500) / 1000);
        assert_int_equal(b->insns, 10 * n + 8);
        assert_int_equal(b->ticks, 22 * n + 19);
        assert_int_equal(cpu_insns(cpu), 10 * (n + 1));
    }
    bench_free(b);
}

/* An instruction that faults takes its ticks; those after it in the block take none. */
static void faults_take_ticks(void **state)
{
    struct bench *b = bench_new();
    struct cpu *cpu = b->cpu[0];

    (void)state;
    CODE(b, RAM, make_word(MUL, 4, 2, 0), make_word(LD, 6, 8, 0), make_word(MADD, 4, 2, 5),
         make_word(BNZ, 0, 1, -3));
    registers_of(cpu)[15] = RAM;
    registers_of(cpu)[8] = RAM + 0x8000;
    assert_int_equal(cpu_run(cpu, 1000), 1000); /* 100 rounds of 10 ticks */
    assert_int_equal(cpu_insns(cpu), 400);
    registers_of(cpu)[8] = NOWHERE;
    for (unsigned n = 1; n <= 50; n++) {
        assert_int_equal(cpu_run(cpu, 4), 4);
        assert_int_equal(cpu->pc, RAM);
        assert_int_equal(cpu_insns(cpu), 400 + 2 * n);
    }
    assert_int_equal(cpu->counters.memory_faults, 50);
    bench_free(b);
}

/* ---- memory that takes time, and other ticks of a class -------------------------------------- */

struct told {
    unsigned count, size;
    uint64_t pa;
    enum cpu_access access;
};

static uint64_t five_ns(void *opaque, uint64_t pa, unsigned size, enum cpu_access access)
{
    struct told *t = opaque;

    *t = (struct told){t->count + 1, size, pa, access};
    return 5000;
}

/*
 * A round takes 5 ns, and its access 5 more: turns of 50 ticks take 100 ns, so every second turn is
 * idle. Within the last round the time is that of nine rounds, an access and an instruction.
 */
static void memory_time(void **state)
{
    struct bench *b = bench_new();
    struct cpu *cpu = b->cpu[0];
    struct told told = {0};
    struct cpu_delays delays = {&told, five_ns};

    (void)state;
    CODE(b, RAM, make_word(LD, 6, 8, 0), make_word(TIME, 7, 0, 0), make_word(ADDI, 3, 3, 1),
         make_word(BNZ, 0, 1, -3));
    registers_of(cpu)[8] = RAM + 0x8000;
    b->group.quantum = 50;
    cpu_set_delays(cpu, &delays);
    for (unsigned n = 1; n <= 200; n++) {
        assert_true(cpu_group_turn(&b->group));
        assert_int_equal(b->clock.now, 100 * n - 50);
        assert_int_equal(registers_of(cpu)[7], 100 * (n - 1) + 9 * 10 + 5 + 1);
        assert_true(cpu_group_turn(&b->group));
        assert_int_equal(b->clock.now, 100 * n);
        assert_int_equal(cpu_insns(cpu), 40 * n);
        assert_int_equal(cpu_used_ps(cpu), 100000 * n);
    }
    assert_int_equal(told.count, 2000);
    assert_int_equal(told.size, 8);
    assert_int_equal(told.pa, RAM + 0x8000);
    assert_int_equal(told.access, CPU_READ);
    bench_free(b);
}

static uint16_t ticks_of_class(const void *opaque, const char *klass)
{
    (void)opaque;
    return !strcmp(klass, "multiply") ? 5 : !strcmp(klass, "alu") ? 2 : 0;
}

/* 2 + 5 + 5 + 2, and 2 for the branch itself. */
static void other_ticks(void **state)
{
    const struct cpu_isa *isa = cpu_isa_with_ticks(&tick_isa, ticks_of_class, NULL);
    struct bench *b = bench_of(isa);
    struct cpu *cpu = b->cpu[0];

    (void)state;
    load_round(b, RAM);
    assert_int_equal(cpu_run(cpu, 16000), 16000);
    assert_int_equal(cpu_insns(cpu), 5000);
    assert_int_equal(cpu_run(cpu, 3), 7);
    assert_int_equal(cpu_insns(cpu), 5002);
    bench_free(b);
    cpu_isa_free(isa);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_end_runs),  cmocka_unit_test(budgets_of_one),
        cmocka_unit_test(speeds_give_ticks), cmocka_unit_test(turns_of_fastest_cpu),
        cmocka_unit_test(time_inside),       cmocka_unit_test(faults_take_ticks),
        cmocka_unit_test(memory_time),       cmocka_unit_test(other_ticks),
    };

    if (argc > 1)
        tier = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
