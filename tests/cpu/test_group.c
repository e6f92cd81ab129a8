/* Several CPUs in turns: time, events, waiting, fairness, monitors, determinism. */
#include "tests/cpu/bench.h"

#include <stdlib.h>
#include <string.h>

#define COUNTER(n) (RAM + 0x3000 + (n)*0x100) /* address of CPU n's own code */

/* Has CPU n count in r1 for ever. */
static void count_forever(struct bench *b, unsigned n)
{
    CODE(b, COUNTER(n), toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_B, 0, 0, -1));
    b->cpu[n]->pc = COUNTER(n);
    cpu_set_power(b->cpu[n], true);
}

struct alarm {
    struct event event;
    struct bench *b;
    unsigned cpu;
    uint64_t rang_ns, period, count;
};

static void ring_alarm(void *opaque)
{
    struct alarm *a = opaque;

    a->rang_ns = clock_now(&a->b->clock);
    a->count++;
    cpu_set_line(a->b->cpu[a->cpu], TOY_LINE, true);
    if (a->period)
        clock_add(&a->b->clock, &a->event, a->rang_ns + a->period);
}

static void set_alarm(struct alarm *a, struct bench *b, unsigned cpu, uint64_t when)
{
    *a = (struct alarm){.b = b, .cpu = cpu};
    event_init(&a->event, ring_alarm, a);
    clock_add(&b->clock, &a->event, when);
}

static void turns_advance_time(void **state)
{
    struct bench *b = bench_new(2);

    (void)state;
    count_forever(b, 0);
    count_forever(b, 1);
    b->group.quantum = 100;
    b->group.ps_per_tick = 2500;
    for (unsigned n = 1; n <= 7; n++) {
        assert_true(cpu_group_turn(&b->group));
        assert_int_equal(b->clock.now, n * 250);
        assert_int_equal(cpu_insns(b->cpu[0]), n * 100);
        assert_int_equal(cpu_insns(b->cpu[1]), n * 100);
    }
    bench_free(b);
}

/* Instructions that take a fraction of a ns: in the long run no time is lost or gained. */
static void fractions_add_up(void **state)
{
    struct bench *b = bench_new(2);

    (void)state;
    count_forever(b, 0);
    count_forever(b, 1);
    b->group.quantum = 10;
    b->group.ps_per_tick = 333;
    for (unsigned n = 0; n < 1000; n++)
        assert_true(cpu_group_turn(&b->group));
    assert_int_equal(b->clock.now, 3000);
    for (unsigned n = 0; n < 2; n++)
        assert_int_equal(cpu_insns(b->cpu[n]), (3000 * 1000 + 332) / 333);
    bench_free(b);
}

/* An event at 777 ns ends the turn after 777 instructions of 1 ns; then its interrupt is taken. */
static void events_end_turns(void **state)
{
    struct bench *b = bench_new(1);
    struct alarm a;

    (void)state;
    count_forever(b, 0);
    CODE(b, VECTOR, toy_word(TOY_ADDI, 2, 2, 1), toy_word(TOY_B, 0, 0, 0));
    toy_state(b->cpu[0])->masked = 0;
    set_alarm(&a, b, 0, 777);
    assert_true(cpu_group_turn(&b->group));
    assert_int_equal(b->clock.now, 777);
    assert_int_equal(a.rang_ns, 777);
    assert_int_equal(cpu_insns(b->cpu[0]), 777);
    assert_int_equal(X(b, 1), 389);
    assert_true(cpu_group_turn(&b->group));
    assert_int_equal(b->clock.now, 10777);
    assert_int_equal(X(b, 1), 389);
    assert_int_equal(X(b, 2), 1);
    assert_int_equal(toy_state(b->cpu[0])->special[TOY_ELR], COUNTER(0) + 4);
    bench_free(b);
}

/* ---- events that a CPU programs while it runs ------------------------------------------------ */

static struct alarm programmed;

static void program_event(void *opaque, unsigned cpu, uint32_t reg, uint64_t value)
{
    struct bench *b = opaque;

    (void)cpu;
    b->seen_ns = clock_now(&b->clock);
    clock_add(&b->clock, &programmed.event, reg ? 0 : b->seen_ns + value); /* 1: long ago */
}

static void new_events_shorten_the_turn(void **state)
{
    struct bench *b = bench_new(3);

    (void)state;
    for (unsigned n = 0; n < 3; n++)
        count_forever(b, n);
    /* CPU 1 programs, after 101 instructions, an alarm 50 ns ahead. */
    CODE(b, RAM, toy_word(TOY_ADDI, 2, 2, -1), toy_word(TOY_BNZ, 0, 2, -1),
         toy_word(TOY_DEVW, 3, 0, 0), toy_word(TOY_JR, 0, 4, 0));
    b->cpu[1]->pc = RAM;
    b->cpu[1]->devices[0] = (struct cpu_device){b, NULL, program_event};
    toy_state(b->cpu[1])->x[2] = 50;
    toy_state(b->cpu[1])->x[3] = 50;
    toy_state(b->cpu[1])->x[4] = COUNTER(1);
    set_alarm(&programmed, b, 1, CLOCK_NEVER);
    assert_true(cpu_group_turn(&b->group));
    assert_int_equal(b->seen_ns, 100);
    assert_int_equal(programmed.rang_ns, 150);
    assert_int_equal(b->clock.now, 150);
    assert_int_equal(cpu_insns(b->cpu[0]), 10000); /* had its turn already */
    assert_int_equal(cpu_insns(b->cpu[1]), 150);
    assert_int_equal(cpu_insns(b->cpu[2]), 150);
    assert_true(cpu_group_turn(&b->group));
    assert_int_equal(b->clock.now, 10150);
    for (unsigned n = 0; n < 3; n++)
        assert_int_equal(cpu_insns(b->cpu[n]), 10150);
    bench_free(b);
}

/* A device whose events are always due at once, or earlier, starves no CPU. */
static void immediate_events_are_fair(void **state)
{
    (void)state;
    for (int past = 0; past < 2; past++) {
        struct bench *b = bench_new(2);

        count_forever(b, 1);
        CODE(b, RAM, toy_word(TOY_DEVW, 3, 0, past), toy_word(TOY_B, 0, 0, -1));
        b->cpu[0]->devices[0] = (struct cpu_device){b, NULL, program_event};
        set_alarm(&programmed, b, 1, CLOCK_NEVER);
        for (unsigned n = 0; n < 2000; n++)
            assert_true(cpu_group_turn(&b->group));
        assert_in_range(programmed.count, 900, 2000);
        assert_in_range(cpu_insns(b->cpu[0]), 1500, 5000);
        assert_in_range(cpu_insns(b->cpu[1]) + 20, cpu_insns(b->cpu[0]), cpu_insns(b->cpu[0]) + 40);
        bench_free(b);
    }
}

/* ---- waiting --------------------------------------------------------------------------------- */

static void all_waiting_jumps_to_the_event(void **state)
{
    struct bench *b = bench_new(2);
    struct alarm a;

    (void)state;
    CODE(b, RAM, toy_word(TOY_WFI, 0, 0, 0), toy_word(TOY_DEVR, 1, 0, 0), toy_word(TOY_B, 0, 0, 0));
    cpu_set_power(b->cpu[1], true);
    set_alarm(&a, b, 1, UINT64_C(3600) * NS_PER_SEC);
    assert_true(cpu_group_turn(&b->group)); /* both begin to wait */
    assert_int_equal(b->clock.now, 10000);
    assert_true(cpu_group_turn(&b->group));
    assert_int_equal(b->clock.now, UINT64_C(3600) * NS_PER_SEC);
    assert_int_equal(cpu_insns(b->cpu[1]), 1);
    assert_true(cpu_group_turn(&b->group));
    assert_int_equal(toy_state(b->cpu[1])->x[1], UINT64_C(3600) * NS_PER_SEC);
    assert_int_equal(cpu_insns(b->cpu[0]), 1);
    /* No CPU runs any more, and no event is due. */
    cpu_set_power(b->cpu[1], false);
    assert_false(cpu_group_turn(&b->group));
    assert_false(cpu_group_turn(&b->group));
    bench_free(b);
}

static void wake_cpu(void *opaque, unsigned cpu, uint32_t reg, uint64_t value)
{
    struct bench *b = opaque;

    (void)cpu;
    (void)reg;
    cpu_set_line(b->cpu[value], TOY_LINE, true);
}

/* A woken CPU continues at the virtual time of the waking, not earlier. */
static void woken_in_the_wakers_time(void **state)
{
    (void)state;
    for (unsigned waker = 0; waker < 2; waker++) {
        struct bench *b = bench_new(2);
        unsigned sleeper = 1 - waker;

        CODE(b, RAM, toy_word(TOY_WFI, 0, 0, 0), toy_word(TOY_DEVR, 1, 0, 0),
             toy_word(TOY_B, 0, 0, 0));
        cpu_set_power(b->cpu[1], true);
        cpu_run(b->cpu[sleeper], 1);
        CODE(b, RAM + 0x100, toy_word(TOY_ADDI, 2, 2, -1), toy_word(TOY_BNZ, 0, 2, -1),
             toy_word(TOY_DEVW, 3, 0, 0), toy_word(TOY_B, 0, 0, 0));
        b->cpu[waker]->pc = RAM + 0x100;
        toy_state(b->cpu[waker])->x[2] = 1000;
        toy_state(b->cpu[waker])->x[3] = sleeper;
        b->cpu[waker]->devices[0].write = wake_cpu;
        cpu_group_turn(&b->group);
        cpu_group_turn(&b->group);
        assert_int_equal(toy_state(b->cpu[sleeper])->x[1], waker == 0 ? 2000 : 10000);
        bench_free(b);
    }
}

static void wfe_and_yield_end_the_turn(void **state)
{
    struct bench *b = bench_new(2);

    (void)state;
    count_forever(b, 1);
    CODE(b, RAM, toy_word(TOY_WFE, 0, 0, 0), toy_word(TOY_YIELD, 0, 0, 0),
         toy_word(TOY_B, 0, 0, -2));
    for (unsigned n = 0; n < 10; n++)
        cpu_group_turn(&b->group);
    assert_int_equal(cpu_insns(b->cpu[0]), 14); /* WFE; YIELD; B, WFE; … */
    assert_int_equal(cpu_insns(b->cpu[1]), 100000);
    /* With one CPU, YIELD does nothing. */
    cpu_set_power(b->cpu[1], false);
    CODE(b, RAM, toy_word(TOY_YIELD, 0, 0, 0), toy_word(TOY_B, 0, 0, -1));
    b->cpu[0]->pc = RAM;
    cpu_group_turn(&b->group);
    assert_int_equal(cpu_insns(b->cpu[0]), 10014);
    bench_free(b);
}

/* SEV before WFE: the event is remembered. */
static void events_are_remembered(void **state)
{
    struct bench *b = bench_new(2);

    (void)state;
    CODE(b, RAM, toy_word(TOY_SEV, 0, 0, 0), toy_word(TOY_B, 0, 0, 0));
    CODE(b, COUNTER(1), toy_word(TOY_WFE, 0, 0, 0), toy_word(TOY_B, 0, 0, 0));
    b->cpu[1]->pc = COUNTER(1);
    cpu_set_power(b->cpu[1], true);
    cpu_group_turn(&b->group);
    assert_int_equal(cpu_insns(b->cpu[1]), 10000);
    bench_free(b);
}

/* ---- memory shared --------------------------------------------------------------------------- */

#define LOCKED_ADD                                                                              \
    toy_word(TOY_LDX, 1, 5, 0), toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_STX, 1, 5, 0),        \
        toy_word(TOY_BNZ, 0, 1, -3), toy_word(TOY_ADDI, 2, 2, -1), toy_word(TOY_BNZ, 0, 2, -5), \
        toy_word(TOY_WFI, 0, 0, 0)

/* Four CPUs add to one word by exclusive accesses; no addition is lost at any turn length. */
static void exclusive_accesses(void **state)
{
    (void)state;
    for (uint64_t quantum = 7; quantum < 300; quantum += 13) {
        struct bench *b = bench_new(4);

        CODE(b, RAM, LOCKED_ADD);
        b->group.quantum = quantum;
        for (unsigned n = 0; n < 4; n++) {
            cpu_set_power(b->cpu[n], true);
            toy_state(b->cpu[n])->x[5] = DATA;
            toy_state(b->cpu[n])->x[2] = 500;
        }
        while (cpu_group_turn(&b->group))
            ;
        assert_int_equal(bench_get(b, DATA), 2000);
        assert_true(toy_state(b->cpu[0])->monitor_clears > 0);
        bench_free(b);
    }
}

static void tlb_flush_on_all_cpus(void **state)
{
    struct bench *b = bench_new(2);

    (void)state;
    bench_map(b, 0x10000, DATA, TOY_PTE_WRITE);
    bench_map(b, 0x11000, RAM, TOY_PTE_EXEC);
    bench_put(b, DATA + 0x1000, 5);
    CODE(b, RAM, toy_word(TOY_LD64, 1, 5, 0), toy_word(TOY_B, 0, 0, -1));
    CODE(b, RAM + 0x100, toy_word(TOY_TLBI, 0, 5, 2), toy_word(TOY_TLBI, 0, 5, 4 + 2),
         toy_word(TOY_B, 0, 0, 0));
    for (unsigned n = 0; n < 2; n++) {
        toy_state(b->cpu[n])->special[TOY_TTBR] = TABLE;
        toy_state(b->cpu[n])->x[5] = 0x10000;
    }
    b->cpu[0]->pc = 0x11100;
    b->cpu[1]->pc = 0x11000;
    cpu_set_power(b->cpu[1], true);
    cpu_run(b->cpu[1], 4);
    bench_map(b, 0x10000, DATA + 0x1000, TOY_PTE_WRITE);
    cpu_run(b->cpu[0], 1); /* CPU 0's monitor only */
    cpu_run(b->cpu[1], 4);
    assert_int_equal(toy_state(b->cpu[1])->x[1], 0);
    cpu_run(b->cpu[0], 1);
    cpu_run(b->cpu[1], 4);
    assert_int_equal(toy_state(b->cpu[1])->x[1], 5);
    bench_free(b);
}

/* ---- determinism ----------------------------------------------------------------------------- */

/*
 * Three CPUs race on shared memory with interrupts. Returns a digest of all that they saw. With
 * `stops` the run is stopped and resumed in between.
 */
static uint64_t race_on_memory(unsigned stops)
{
    struct bench *b = bench_new(3);
    struct alarm alarm;
    uint64_t digest = 0, end = 2000000;

    CODE(b, RAM, toy_word(TOY_LD64, 1, 5, 0), toy_word(TOY_MIX, 1, 6, 0),
         toy_word(TOY_ST64, 1, 5, 0), toy_word(TOY_DEVR, 2, 0, 0), toy_word(TOY_MIX, 6, 2, 0),
         toy_word(TOY_YIELD, 0, 0, 0), toy_word(TOY_B, 0, 0, -6));
    CODE(b, VECTOR, toy_word(TOY_MIX, 6, 1, 0), toy_word(TOY_DEVW, 6, 0, 1),
         toy_word(TOY_ERET, 0, 0, 0));
    for (unsigned n = 0; n < 3; n++) {
        struct toy *s = toy_state(b->cpu[n]);

        s->x[5] = DATA;
        s->x[6] = n;
        s->masked = 0;
        cpu_set_power(b->cpu[n], true);
    }
    b->group.quantum = 501;
    set_alarm(&alarm, b, 1, 1234);
    alarm.period = 7777;
    for (unsigned n = 0; b->clock.now < end; n++) {
        assert_true(cpu_group_turn(&b->group));
        if (alarm.count % 3 == 0)
            cpu_set_line(b->cpu[1], TOY_LINE, false);
        if (stops && n % stops == 0)
            cpu_stop(b->cpu[n % 3]);
    }
    for (unsigned n = 0; n < 3; n++)
        digest = digest * 31 + toy_state(b->cpu[n])->x[6] + cpu_insns(b->cpu[n]);
    digest = digest * 31 + bench_get(b, DATA) + b->device[1];
    bench_free(b);
    return digest;
}

static void runs_are_alike(void **state)
{
    (void)state;
    assert_int_equal(race_on_memory(0), race_on_memory(0));
    assert_int_not_equal(race_on_memory(0), race_on_memory(2)); /* the digest shows a difference */
}

static struct bench *stopping;
static unsigned stop_countdown;

static uint64_t stop_now(void *opaque, unsigned cpu, uint32_t reg)
{
    (void)opaque;
    (void)cpu;
    (void)reg;
    if (stopping && !--stop_countdown) {
        stop_countdown = 17;
        cpu_group_stop(&stopping->group);
    }
    return 3;
}

static uint64_t run_with_stops(bool stops, uint64_t *turns)
{
    struct bench *b = bench_new(3);
    uint64_t digest = 0;

    CODE(b, RAM, toy_word(TOY_LD64, 1, 5, 0), toy_word(TOY_MIX, 1, 6, 0),
         toy_word(TOY_ST64, 1, 5, 0), toy_word(TOY_DEVR, 2, 0, 0), toy_word(TOY_MIX, 6, 2, 0),
         toy_word(TOY_B, 0, 0, -5));
    stopping = stops ? b : NULL;
    stop_countdown = 5;
    for (unsigned n = 0; n < 3; n++) {
        toy_state(b->cpu[n])->x[5] = DATA;
        toy_state(b->cpu[n])->x[6] = n;
        b->cpu[n]->devices[0].read = stop_now;
        cpu_set_power(b->cpu[n], true);
    }
    b->group.quantum = 501;
    for (*turns = 0; b->clock.now < 50100; ++*turns)
        assert_true(cpu_group_turn(&b->group));
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(cpu_insns(b->cpu[n]), 50100);
        digest = digest * 31 + toy_state(b->cpu[n])->x[6];
    }
    digest = digest * 31 + bench_get(b, DATA);
    bench_free(b);
    return digest;
}

/* Stopping and resuming the group within a turn changes nothing. */
static void stops_change_nothing(void **state)
{
    uint64_t plain, stopped, digest;

    (void)state;
    digest = run_with_stops(false, &plain);
    assert_int_equal(run_with_stops(true, &stopped), digest);
    assert_int_equal(plain, 100);
    assert_in_range(stopped, 500, 5000);
}

static void cpus_come_and_go(void **state)
{
    struct bench *b = bench_new(1);
    struct error err;
    struct cpu *more = cpu_new(&toy_isa, 1, b->bus, &b->clock, &b->log, &err);

    (void)state;
    count_forever(b, 0);
    cpu_reset(more);
    more->pc = COUNTER(0);
    cpu_set_power(more, true);
    cpu_group_add(&b->group, more);
    cpu_group_turn(&b->group);
    assert_int_equal(cpu_insns(more), 10000);
    cpu_group_remove(&b->group, more);
    cpu_group_turn(&b->group);
    assert_int_equal(cpu_insns(more), 10000);
    assert_int_equal(cpu_insns(b->cpu[0]), 20000);
    cpu_free(more);
    cpu_group_turn(&b->group);
    bench_free(b);
}

/* Removing a CPU, also within a turn, keeps the order and the shares of the others. */
static void cpus_go_from_the_middle(void **state)
{
    struct bench *b = bench_new(4);

    (void)state;
    for (unsigned n = 0; n < 4; n++)
        count_forever(b, n);
    cpu_group_remove(&b->group, b->cpu[1]);
    assert_int_equal(b->group.count, 3);
    assert_null(b->cpu[1]->group);
    cpu_group_remove(&b->group, b->cpu[1]); /* not in the group any more */
    assert_int_equal(b->group.count, 3);
    cpu_group_turn(&b->group);
    assert_int_equal(b->group.turns, 1);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(cpu_insns(b->cpu[n]), n == 1 ? 0 : 10000);
    /* CPU 2 stops the turn; CPU 0, whose share is used up, is removed. */
    CODE(b, RAM, toy_word(TOY_DEVR, 2, 0, 0), toy_word(TOY_B, 0, 0, 0));
    b->cpu[2]->pc = RAM;
    b->cpu[2]->devices[0].read = stop_now;
    stopping = b;
    stop_countdown = 1;
    cpu_group_turn(&b->group);
    assert_true(b->group.open);
    cpu_group_remove(&b->group, b->cpu[0]);
    assert_ptr_equal(b->group.cpu[b->group.next], b->cpu[2]);
    cpu_group_turn(&b->group);
    assert_false(b->group.open);
    assert_int_equal(b->group.turns, 2);
    assert_int_equal(cpu_insns(b->cpu[2]), 20000);
    assert_int_equal(cpu_insns(b->cpu[3]), 20000);
    b->cpu[3]->ahead_ps = 5; /* a CPU that is added again starts without a debt */
    cpu_group_remove(&b->group, b->cpu[3]);
    cpu_group_add(&b->group, b->cpu[3]);
    assert_int_equal(b->cpu[3]->ahead_ps, 0);
    bench_free(b);
}

/* A CPU that the debugger holds does not run, even if it could. */
static void frozen_cpus_do_not_run(void **state)
{
    struct bench *b = bench_new(2);

    (void)state;
    for (unsigned n = 0; n < 2; n++)
        count_forever(b, n);
    b->cpu[1]->frozen = true;
    cpu_group_turn(&b->group);
    assert_int_equal(cpu_insns(b->cpu[0]), 10000);
    assert_int_equal(cpu_insns(b->cpu[1]), 0);
    bench_free(b);
}

/* An event that was due before a turn is called at the turn's beginning. */
static void late_events_come_first(void **state)
{
    struct bench *b = bench_new(1);
    struct alarm a;

    (void)state;
    count_forever(b, 0);
    cpu_group_turn(&b->group);
    set_alarm(&a, b, 0, 5000);
    cpu_group_turn(&b->group);
    assert_int_equal(a.rang_ns, 10000);
    assert_int_equal(b->clock.now, 20000);
    bench_free(b);
}

static void ring_nothing(void *opaque)
{
    (void)opaque;
}

/* A clock outlives its group, and no longer calls it. */
static void freed_groups_are_not_asked(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu_group *g = calloc(1, sizeof(*g));
    struct event event;
    struct error err;

    (void)state;
    cpu_group_free(&b->group);
    assert_true(cpu_group_init(g, b->cpu, 1, b->bus, &b->clock, &err));
    cpu_group_free(g);
    memset(g, 0x5a, sizeof(*g));
    assert_int_equal(clock_now(&b->clock), 0);
    event_init(&event, ring_nothing, NULL);
    clock_add(&b->clock, &event, 1);
    clock_cancel(&b->clock, &event);
    free(g);
    assert_true(cpu_group_init(&b->group, b->cpu, 1, b->bus, &b->clock, &err));
    bench_free(b);
}

/* ---- memory that takes time ------------------------------------------------------------------ */

struct waits {
    uint64_t ps, reads, writes, last_pa;
    unsigned last_size;
};

static uint64_t record_wait(void *opaque, uint64_t pa, unsigned size, enum cpu_access access)
{
    struct waits *w = opaque;

    w->last_pa = pa;
    w->last_size = size;
    *(access == CPU_WRITE ? &w->writes : &w->reads) += 1;
    return w->ps;
}

/*
 * A loop of two ticks and 5 ns of memory: time that a turn overruns is taken from the next turns.
 */
static void memory_takes_time(void **state)
{
    static const struct {
        unsigned insns, loads;
    } after[] = {{100, 50}, {100, 50}, {100, 50}, {150, 75}, {150, 75}, {225, 113}};
    struct bench *b = bench_new(1);
    struct waits w = {.ps = 5000};
    const struct cpu_delays delays = {&w, record_wait};

    (void)state;
    CODE(b, RAM, toy_word(TOY_LD64, 1, 5, 8), toy_word(TOY_B, 0, 0, -1));
    X(b, 5) = DATA;
    b->group.quantum = 100;
    cpu_set_delays(b->cpu[0], &delays);
    for (unsigned n = 0; n < ARRAY_SIZE(after); n++) {
        cpu_group_turn(&b->group);
        assert_int_equal(b->clock.now, 100 * (n + 1));
        assert_int_equal(cpu_insns(b->cpu[0]), after[n].insns);
        assert_int_equal(w.reads, after[n].loads);
        assert_int_equal(cpu_used_ps(b->cpu[0]), after[n].insns * 1000 + after[n].loads * 5000);
    }
    assert_int_equal(w.last_pa, DATA + 8);
    assert_int_equal(w.last_size, 8);
    CODE(b, RAM, toy_word(TOY_ST16, 1, 5, 0), toy_word(TOY_B, 0, 0, 0));
    b->cpu[0]->pc = RAM;
    for (unsigned n = 0; n < 5; n++)
        cpu_group_turn(&b->group);
    assert_int_equal(w.writes, 1);
    assert_int_equal(w.last_size, 2);
    bench_free(b);
}

/*
 * Within a turn the clock includes the time of the CPU's instructions and memory accesses so far.
 */
static void time_has_memory_in_it(void **state)
{
    struct bench *b = bench_new(1);
    struct waits w = {.ps = 7000};
    const struct cpu_delays delays = {&w, record_wait};

    (void)state;
    CODE(b, RAM, toy_word(TOY_LD64, 1, 5, 0), toy_word(TOY_DEVR, 2, 0, 0),
         toy_word(TOY_ADDI, 3, 3, 1), toy_word(TOY_B, 0, 0, -3));
    X(b, 5) = DATA;
    b->group.quantum = 50;
    b->group.ps_per_tick = 2000;
    cpu_set_delays(b->cpu[0], &delays);
    for (unsigned n = 0; n < 40; n++) {
        cpu_group_turn(&b->group);
        /*
         * A round takes 4 ticks of 2 ns and the load's 7 ns; a turn may end between load and DEVR.
         */
        assert_int_equal(X(b, 2) % 15, 2 + 7);
        assert_in_range(X(b, 2) / 15, w.reads - 2, w.reads - 1);
    }
    assert_int_equal(cpu_used_ps(b->cpu[0]), cpu_insns(b->cpu[0]) * 2000 + w.reads * 7000);
    assert_in_range(w.reads, 40 * 100 / 15, 40 * 100 / 15 + 7);
    bench_free(b);
}

static void groups_without_a_clock(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu_group g;
    struct error err;

    (void)state;
    count_forever(b, 0);
    cpu_group_free(&b->group);
    assert_true(cpu_group_init(&g, b->cpu, 1, b->bus, NULL, &err));
    assert_true(cpu_group_turn(&g));
    assert_true(cpu_group_turn(&g));
    assert_int_equal(cpu_insns(b->cpu[0]), 20000);
    cpu_set_power(b->cpu[0], false);
    assert_false(cpu_group_turn(&g));
    cpu_group_free(&g);
    assert_true(cpu_group_init(&b->group, b->cpu, 1, b->bus, &b->clock, &err));
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_advance_time),
        cmocka_unit_test(fractions_add_up),
        cmocka_unit_test(events_end_turns),
        cmocka_unit_test(new_events_shorten_the_turn),
        cmocka_unit_test(immediate_events_are_fair),
        cmocka_unit_test(all_waiting_jumps_to_the_event),
        cmocka_unit_test(woken_in_the_wakers_time),
        cmocka_unit_test(wfe_and_yield_end_the_turn),
        cmocka_unit_test(events_are_remembered),
        cmocka_unit_test(exclusive_accesses),
        cmocka_unit_test(tlb_flush_on_all_cpus),
        cmocka_unit_test(runs_are_alike),
        cmocka_unit_test(stops_change_nothing),
        cmocka_unit_test(cpus_come_and_go),
        cmocka_unit_test(cpus_go_from_the_middle),
        cmocka_unit_test(frozen_cpus_do_not_run),
        cmocka_unit_test(late_events_come_first),
        cmocka_unit_test(freed_groups_are_not_asked),
        cmocka_unit_test(memory_takes_time),
        cmocka_unit_test(time_has_memory_in_it),
        cmocka_unit_test(groups_without_a_clock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
