/*
 * Breakpoints, watchpoints and steps: which CPU stopped, where and why, and that the guest does not
 * notice.
 */
#include "runtime/cpu/debug.h"
#include "tests/cpu/bench.h"

#include <stdlib.h>

/* Runs turns until a stop, at most `turns` of them. */
static const struct debug_stop *run_until_stop(struct bench *b, struct debug *d, unsigned turns)
{
    if (debug_is_stopped(d))
        debug_resume(d);
    while (turns-- && !debug_is_stopped(d))
        cpu_group_turn(&b->group);
    return debug_last_stop(d);
}

static void load_program(struct bench *b)
{
    CODE(b, RAM, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_ADDI, 2, 2, 1),
         toy_word(TOY_ST64, 1, 5, 8), toy_word(TOY_LD64, 3, 5, 16), toy_word(TOY_B, 0, 0, -4));
    X(b, 5) = DATA;
}

static void breakpoints_stop(void **state)
{
    struct bench *b = bench_new(1);
    struct debug *d;

    (void)state;
    load_program(b);
    cpu_run(b->cpu[0], 500); /* fills the blocks and the jump cache */
    d = debug_attach(&b->group);
    assert_true(debug_add_breakpoint(d, RAM + 8));
    assert_true(debug_add_breakpoint(d, RAM + 8));
    assert_true(debug_add_breakpoint(d, RAM));
    for (unsigned round = 1; round <= 5; round++) {
        assert_int_equal(run_until_stop(b, d, 2)->why, DEBUG_BREAKPOINT);
        assert_int_equal(debug_last_stop(d)->address, RAM);
        assert_ptr_equal(debug_last_stop(d)->cpu, b->cpu[0]);
        assert_int_equal(b->cpu[0]->pc, RAM);
        assert_int_equal(X(b, 1), 100 + round - 1);
        assert_int_equal(run_until_stop(b, d, 2)->why, DEBUG_BREAKPOINT);
        assert_int_equal(debug_last_stop(d)->address, RAM + 8);
        assert_int_equal(X(b, 2), 100 + round);
        assert_int_equal(cpu_insns(b->cpu[0]), 500 + (round - 1) * 5 + 2);
    }
    assert_true(debug_remove_breakpoint(d, RAM));
    assert_false(debug_remove_breakpoint(d, RAM));
    run_until_stop(b, d, 1);
    assert_int_equal(cpu_insns(b->cpu[0]), 500 + 5 * 5 + 2);
    debug_resume(d);
    debug_detach(d);
    while (b->clock.now < 100000)
        cpu_group_turn(&b->group);
    assert_int_equal(cpu_insns(b->cpu[0]), 100500);
    bench_free(b);
}

/*
 * A breakpoint holds for one virtual address and not for an alias of its page, whichever of the two
 * is decoded first.
 */
static void breakpoints_are_virtual(void **state)
{
    (void)state;
    for (unsigned first = 0; first < 2; first++) {
        struct bench *b = bench_new(1);
        struct debug *d = debug_attach(&b->group);
        uint64_t va = first ? 0x20000 : 0x10000;

        load_program(b);
        bench_map(b, 0x10000, RAM, TOY_PTE_EXEC);
        bench_map(b, 0x20000, RAM, TOY_PTE_EXEC);
        bench_map(b, 0x30000, DATA, TOY_PTE_WRITE);
        X(b, 5) = 0x30000;
        toy_state(b->cpu[0])->special[TOY_TTBR] = TABLE;
        debug_add_breakpoint(d, 0x20004);
        b->cpu[0]->pc = va;
        assert_int_equal(run_until_stop(b, d, 2)->why, first ? DEBUG_BREAKPOINT : DEBUG_NONE);
        b->cpu[0]->pc = va ^ 0x30000;
        assert_int_equal(run_until_stop(b, d, 2)->why, first ? DEBUG_NONE : DEBUG_BREAKPOINT);
        debug_detach(d);
        bench_free(b);
    }
}

static void watchpoints_stop(void **state)
{
    struct bench *b = bench_new(1);
    struct debug *d;
    const struct debug_stop *stop;

    (void)state;
    load_program(b);
    cpu_run(b->cpu[0], 500); /* fills the TLB */
    d = debug_attach(&b->group);
    assert_true(debug_add_watchpoint(d, DATA + 12, 2, DEBUG_WATCH_WRITE));
    for (unsigned round = 0; round < 4; round++) {
        stop = run_until_stop(b, d, 2);
        assert_int_equal(stop->why, DEBUG_WATCHPOINT);
        assert_int_equal(stop->address, DATA + 12);
        assert_int_equal(stop->watch, DEBUG_WATCH_WRITE);
        assert_int_equal(b->cpu[0]->pc, RAM + 8);
        assert_int_equal(X(b, 1), 101 + round);
        assert_int_equal(bench_get(b, DATA + 8), 100 + round); /* the store has not happened yet */
        assert_int_equal(cpu_insns(b->cpu[0]), 502 + round * 5);
    }
    assert_true(debug_remove_watchpoint(d, DATA + 12, 2, DEBUG_WATCH_WRITE));
    assert_true(debug_add_watchpoint(d, DATA + 16, 1, DEBUG_WATCH_READ));
    assert_int_equal(run_until_stop(b, d, 2)->why, DEBUG_WATCHPOINT);
    assert_int_equal(b->cpu[0]->pc, RAM + 12);
    assert_true(debug_remove_watchpoint(d, DATA + 16, 1, DEBUG_WATCH_READ));
    /* An access beside the watched bytes, in the same page, is no hit. */
    assert_true(debug_add_watchpoint(d, DATA, 8, DEBUG_WATCH_READ | DEBUG_WATCH_WRITE));
    assert_true(debug_add_watchpoint(d, DATA + 24, 8, DEBUG_WATCH_READ | DEBUG_WATCH_WRITE));
    assert_false(debug_add_watchpoint(d, DATA, 0, DEBUG_WATCH_READ));
    assert_false(debug_add_watchpoint(d, UINT64_MAX, 2, DEBUG_WATCH_READ));
    assert_int_equal(run_until_stop(b, d, 3)->why, DEBUG_NONE);
    debug_detach(d);
    bench_free(b);
}

static void single_steps_stop(void **state)
{
    struct bench *b = bench_new(2);
    struct debug *d = debug_attach(&b->group);

    (void)state;
    load_program(b);
    CODE(b, RAM + 0x2000, toy_word(TOY_B, 0, 0, 0));
    b->cpu[1]->pc = RAM + 0x2000;
    cpu_set_power(b->cpu[1], true);
    toy_state(b->cpu[0])->masked = 0;
    debug_stop(d);
    assert_true(debug_is_stopped(d));
    /* CPU 0 alone steps, over a breakpoint and past a pending interrupt. */
    debug_add_breakpoint(d, RAM);
    cpu_set_line(b->cpu[0], TOY_LINE, true);
    for (unsigned n = 1; n <= 7; n++) {
        debug_set_action(d, b->cpu[0], DEBUG_STEP_ONE);
        debug_set_action(d, b->cpu[1], DEBUG_FREEZE);
        assert_int_equal(run_until_stop(b, d, 10)->why, DEBUG_STEP);
        assert_int_equal(cpu_insns(b->cpu[0]), n);
        assert_int_equal(cpu_insns(b->cpu[1]), 0);
        assert_int_equal(b->cpu[0]->pc, RAM + n % 5 * 4);
    }
    /* CPU 0 steps while the other CPU runs. */
    cpu_set_line(b->cpu[0], TOY_LINE, false);
    for (unsigned n = 8; n <= 9; n++) {
        debug_set_action(d, b->cpu[0], DEBUG_STEP_ONE);
        assert_int_equal(run_until_stop(b, d, 10)->why, DEBUG_STEP);
        assert_int_equal(cpu_insns(b->cpu[0]), n);
    }
    assert_int_equal(run_until_stop(b, d, 10)->why, DEBUG_BREAKPOINT);
    assert_int_equal(cpu_insns(b->cpu[0]), 10);
    assert_int_equal(run_until_stop(b, d, 10)->why, DEBUG_BREAKPOINT);
    assert_true(debug_remove_breakpoint(d, RAM));
    run_until_stop(b, d, 3);
    assert_int_equal(cpu_insns(b->cpu[0]), cpu_insns(b->cpu[1]));
    debug_detach(d);
    bench_free(b);
}

/*
 * A step of an instruction that takes an exception stops at the vector; a step of one that waits
 * stops too.
 */
static void steps_into_exceptions_and_waits(void **state)
{
    struct bench *b = bench_new(1);
    struct debug *d = debug_attach(&b->group);

    (void)state;
    CODE(b, RAM, toy_word(TOY_NOP, 0, 0, 0), toy_word(TOY_SVC, 0, 0, 1));
    CODE(b, VECTOR, toy_word(TOY_WFI, 0, 0, 0), toy_word(TOY_B, 0, 0, 0));
    debug_stop(d);
    for (unsigned n = 0; n < 3; n++) {
        static const uint64_t pcs[] = {RAM + 4, VECTOR, VECTOR + 4};

        debug_set_action(d, b->cpu[0], DEBUG_STEP_ONE);
        assert_int_equal(run_until_stop(b, d, 10)->why, DEBUG_STEP);
        assert_int_equal(b->cpu[0]->pc, pcs[n]);
    }
    assert_true(b->cpu[0]->halted);
    debug_detach(d);
    bench_free(b);
}

/* A run that a debugger stops at every instruction has the same result as one without. */
static void the_guest_does_not_notice(void **state)
{
    uint64_t digest[2];

    (void)state;
    for (unsigned with = 0; with < 2; with++) {
        struct bench *b = bench_new(2);
        struct debug *d = with ? debug_attach(&b->group) : NULL;
        unsigned stops = 0;

        CODE(b, RAM, toy_word(TOY_LD64, 1, 5, 0), toy_word(TOY_MIX, 1, 6, 0),
             toy_word(TOY_ST64, 1, 5, 0), toy_word(TOY_MIX, 6, 1, 0), toy_word(TOY_B, 0, 0, -4));
        for (unsigned n = 0; n < 2; n++) {
            toy_state(b->cpu[n])->x[5] = DATA;
            toy_state(b->cpu[n])->x[6] = n;
            cpu_set_power(b->cpu[n], true);
        }
        b->group.quantum = 123;
        if (with) {
            debug_add_breakpoint(d, RAM + 4);
            debug_add_watchpoint(d, DATA, 8, DEBUG_WATCH_WRITE);
        }
        while (b->clock.now < 1230) {
            if (with && debug_is_stopped(d)) {
                stops++;
                debug_resume(d);
            }
            cpu_group_turn(&b->group);
        }
        assert_in_range(stops, with ? 900 : 0, with ? 1000 : 0);
        digest[with] = bench_get(b, DATA) + toy_state(b->cpu[0])->x[6] * 31 + X(b, 1);
        assert_int_equal(cpu_insns(b->cpu[1]), 1230);
        debug_detach(d);
        bench_free(b);
    }
    assert_int_equal(digest[0], digest[1]);
}

/* A device whose register 0 sets the interrupt input of the CPU, and register 8 clears it. */
static uint64_t line_read(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    (void)opaque, (void)offset, (void)size, (void)cpu;
    return 0;
}

static void line_write(void *opaque, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    struct bench *b = opaque;

    (void)size, (void)cpu, (void)value;
    cpu_set_line(b->cpu[0], TOY_LINE, !offset);
}

static const struct mmio_ops line_ops = {line_read, line_write, 1, 8};

/* How the_interrupts_stay() is debugged. */
enum way { ALONE, AT_BREAKPOINTS, AT_WATCHPOINT, BY_STEPS, TO_GOALS, WAYS };

static void resume_by(struct bench *b, struct debug *d, enum way way)
{
    if (way == BY_STEPS)
        debug_set_action(d, b->cpu[0], DEBUG_STEP_ONE);
    if (way == TO_GOALS)
        debug_set_goal(d, b->cpu[0], cpu_ticks_now(b->cpu[0]) + 7);
    debug_resume(d);
}

/* Sum of what a run of 5 us does to registers, with the place of each interrupt. */
static uint64_t run_by(enum way way, unsigned *stops)
{
    struct bench *b = bench_new(1);
    struct debug *d = way ? debug_attach(&b->group) : NULL;
    struct error err;
    uint64_t sum;

    assert_non_null(
        bus_add_mmio(b->bus, "line", (struct bus_range){0x11000000, 0x1000}, &line_ops, b, &err));
    CODE(b, RAM, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_ST64, 1, 5, 0),
         toy_word(TOY_ADDI, 2, 2, 3), toy_word(TOY_ST64, 2, 6, 0), toy_word(TOY_MIX, 3, 2, 0),
         toy_word(TOY_B, 0, 0, -5));
    CODE(b, VECTOR, toy_word(TOY_MIX, 3, 1, 0), toy_word(TOY_ST64, 1, 5, 8),
         toy_word(TOY_ERET, 0, 0, 0));
    X(b, 5) = 0x11000000;
    X(b, 6) = DATA;
    toy_state(b->cpu[0])->masked = 0;
    for (unsigned n = 0; way == AT_BREAKPOINTS && n < 6; n += 1 + (n == 2))
        debug_add_breakpoint(d, RAM + 4 * n);
    if (way == AT_WATCHPOINT)
        debug_add_watchpoint(d, DATA, 8, DEBUG_WATCH_WRITE);
    if (way) {
        debug_set_exact(d, true);
        debug_stop(d);
    }
    b->group.quantum = 5000;
    while (b->clock.now < 5000) {
        if (way && debug_is_stopped(d)) {
            ++*stops;
            resume_by(b, d, way);
        }
        cpu_group_turn(&b->group);
    }
    sum = X(b, 1) + 31 * X(b, 2) + 1009 * X(b, 3) + toy_state(b->cpu[0])->special[TOY_ELR] * 7 +
          b->cpu[0]->counters.interrupts * 65537 + cpu_insns(b->cpu[0]);
    assert_in_range(b->cpu[0]->counters.interrupts, 400, 600);
    debug_detach(d);
    bench_free(b);
    return sum;
}

/* An interrupt that a store raises is taken at the end of its block, wherever a debugger stops. */
static void the_interrupts_stay(void **state)
{
    uint64_t alone = 0;

    (void)state;
    for (enum way way = ALONE; way < WAYS; way++) {
        unsigned stops = 0;
        uint64_t sum = run_by(way, &stops);

        alone = way ? alone : sum;
        assert_int_equal(sum, alone);
        assert_true(!way || stops > 400);
    }
}

/* A goal where CPU 0's turn ends is reported before CPU 1 has its turn, or when CPU 0 goes on. */
static void goals_behind_turns(void **state)
{
    (void)state;
    for (unsigned behind = 0; behind < 2; behind++) {
        struct bench *b = bench_new(2);
        struct debug *d = debug_attach(&b->group);

        load_program(b);
        toy_state(b->cpu[1])->x[5] = DATA;
        cpu_set_power(b->cpu[1], true);
        debug_set_exact(d, true);
        b->group.quantum = 100;
        (behind ? debug_set_goal_behind : debug_set_goal)(d, b->cpu[0], 100);
        assert_int_equal(run_until_stop(b, d, 2)->why, DEBUG_GOAL);
        assert_int_equal(cpu_insns(b->cpu[0]), 100);
        assert_int_equal(cpu_insns(b->cpu[1]), behind ? 0 : 100);
        /* The turn goes on with CPU 1 alone. */
        run_until_stop(b, d, 1);
        assert_int_equal(cpu_insns(b->cpu[0]), behind ? 100 : 200);
        assert_int_equal(cpu_insns(b->cpu[1]), behind ? 100 : 200);
        debug_detach(d);
        bench_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breakpoints_stop),
        cmocka_unit_test(breakpoints_are_virtual),
        cmocka_unit_test(watchpoints_stop),
        cmocka_unit_test(single_steps_stop),
        cmocka_unit_test(steps_into_exceptions_and_waits),
        cmocka_unit_test(the_guest_does_not_notice),
        cmocka_unit_test(the_interrupts_stay),
        cmocka_unit_test(goals_behind_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
