/* A CPU by itself: budgets, exceptions, interrupts, waiting, single step, registers, statistics. */
#include "tests/cpu/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/cpu/internal.h"

#define LOOP -1 /* B to the instruction before */

/*
 * Loads a loop of 5 instructions in 2 blocks: r1 counts rounds, r2 instructions of the long block.
 */
static void load_loop(struct bench *b)
{
    CODE(b, RAM, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_ADDI, 2, 2, 1),
         toy_word(TOY_ADDI, 2, 2, 1), toy_word(TOY_B, 0, 0, 1), toy_word(TOY_B, 0, 0, -4));
}

static void budgets_are_exact(void **state)
{
    uint64_t total = 0;

    (void)state;
    for (uint64_t budget = 0; budget < 60; budget++) {
        struct bench *b = bench_new(1);
        uint64_t rounds = budget / 5, rest = budget % 5;

        load_loop(b);
        assert_int_equal(cpu_run(b->cpu[0], budget), budget);
        assert_int_equal(cpu_insns(b->cpu[0]), budget);
        assert_int_equal(X(b, 1), rounds + (rest > 0));
        assert_int_equal(X(b, 2), 2 * rounds + (rest > 1) + (rest > 2));
        assert_int_equal(b->cpu[0]->pc, RAM + rest * 4);
        total += budget;
        bench_free(b);
    }
    assert_int_equal(total, 1770);
}

/* The result does not depend on how a run is cut into budgets. */
static void budgets_add_up(void **state)
{
    struct bench *b = bench_new(1);
    uint64_t done = 0;

    (void)state;
    load_loop(b);
    for (uint64_t budget = 1; done < 10000; budget = budget * 7 % 23) {
        assert_int_equal(cpu_run(b->cpu[0], budget), budget);
        done += budget;
    }
    assert_int_equal(X(b, 1), (done + 4) / 5);
    bench_free(b);
}

static void long_blocks_are_cut(void **state)
{
    struct bench *b = bench_new(1);
    uint32_t words[400];

    (void)state;
    for (unsigned n = 0; n < 400; n++)
        words[n] = toy_word(TOY_ADDI, 1, 1, 1);
    bench_code(b, RAM + 0xe00, words, 400); /* crosses a page */
    b->cpu[0]->pc = RAM + 0xe00;
    assert_int_equal(cpu_run(b->cpu[0], 399), 399);
    assert_int_equal(X(b, 1), 399);
    assert_int_equal(b->cpu[0]->pc, RAM + 0xe00 + 399 * 4);
    /* 128 instructions to the page's end: 2 blocks; then 271: 5 blocks. */
    assert_int_equal(b->cpu[0]->counters.blocks_decoded, 7);
    bench_free(b);
}

static void faults_are_precise(void **state)
{
    struct bench *b = bench_new(1);
    struct toy *s = toy_state(b->cpu[0]);

    (void)state;
    CODE(b, RAM, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_ADDI, 1, 1, 1),
         toy_word(TOY_LD64, 2, 5, 8), toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_ADDI, 1, 1, 1),
         toy_word(TOY_SVC, 0, 0, 0x305), toy_word(TOY_UND, 0, 0, 0));
    CODE(b, VECTOR, toy_word(TOY_NOP, 0, 0, 0), toy_word(TOY_B, 0, 0, LOOP));
    s->x[5] = NOWHERE;
    s->x[2] = 77;
    assert_int_equal(cpu_run(b->cpu[0], 3), 3);
    assert_int_equal(s->special[TOY_ELR], RAM + 8);
    assert_int_equal(s->special[TOY_CAUSE], TOY_CAUSE_FAULT);
    assert_int_equal(s->special[TOY_FAULT_VA], NOWHERE + 8);
    assert_int_equal(s->special[TOY_FAULT], (uint64_t)CPU_READ << 32 | CPU_FAULT_EXTERNAL);
    assert_int_equal(s->x[1], 2);
    assert_int_equal(s->x[2], 77);
    assert_int_equal(b->cpu[0]->pc, VECTOR);

    b->cpu[0]->pc = RAM + 12;
    assert_int_equal(cpu_run(b->cpu[0], 3), 3);
    assert_int_equal(s->special[TOY_CAUSE], 0x305);
    assert_int_equal(s->special[TOY_ELR], RAM + 20);
    assert_int_equal(s->x[1], 4);

    b->cpu[0]->pc = RAM + 24;
    assert_int_equal(cpu_run(b->cpu[0], 2), 2);
    assert_int_equal(s->special[TOY_CAUSE], TOY_CAUSE_UNDEFINED);
    assert_int_equal(b->cpu[0]->pc, VECTOR + 4);
    assert_int_equal(cpu_insns(b->cpu[0]), 8);
    assert_int_equal(b->cpu[0]->counters.exceptions, 1);
    assert_int_equal(b->cpu[0]->counters.exception_class[3], 1);
    assert_int_equal(b->cpu[0]->counters.undefined, 1);
    assert_int_equal(b->cpu[0]->counters.memory_faults, 1);
    bench_free(b);
}

/*
 * Fetching from unmapped memory, a device or a misaligned address ends the run; also with a bad
 * vector.
 */
static void fetch_faults(void **state)
{
    static const struct {
        uint64_t pc, code;
    } cases[] = {
        {NOWHERE, CPU_FAULT_EXTERNAL},
        {DEVICE, CPU_FAULT_EXTERNAL},
        {RAM + 2, CPU_FAULT_ALIGNMENT},
    };

    (void)state;
    for (unsigned n = 0; n < ARRAY_SIZE(cases); n++) {
        struct bench *b = bench_new(1);
        struct toy *s = toy_state(b->cpu[0]);

        CODE(b, VECTOR, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_JR, 0, 3, 0));
        b->cpu[0]->pc = s->x[3] = cases[n].pc;
        assert_int_equal(cpu_run(b->cpu[0], 30), 30);
        assert_int_equal(s->x[1], 10);
        assert_int_equal(s->special[TOY_FAULT_VA], cases[n].pc);
        assert_int_equal(s->special[TOY_FAULT], (uint64_t)CPU_FETCH << 32 | cases[n].code);
        s->special[TOY_VBAR] = NOWHERE;
        assert_int_equal(cpu_run(b->cpu[0], 1000), 1000);
        bench_free(b);
    }
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static void interrupts_at_boundaries(void **state)
{
    struct bench *b = bench_new(1);
    struct toy *s = toy_state(b->cpu[0]);

    (void)state;
    load_loop(b);
    CODE(b, VECTOR, toy_word(TOY_ADDI, 4, 4, 1), toy_word(TOY_B, 0, 0, 0));
    s->masked = 0;
    cpu_run(b->cpu[0], 12); /* in the middle of the long block */
    cpu_set_line(b->cpu[0], TOY_LINE, true);
    cpu_run(b->cpu[0], 1);
    assert_int_equal(s->special[TOY_CAUSE], TOY_CAUSE_IRQ);
    assert_int_equal(s->special[TOY_ELR], RAM + 8);
    assert_int_equal(s->x[4], 1);
    assert_int_equal(b->cpu[0]->counters.interrupts, 1);

    /* A masked interrupt has no effect, however long its line is up; unmasking takes it at once. */
    CODE(b, VECTOR + 4, toy_word(TOY_ADDI, 5, 5, 1), toy_word(TOY_MASK, 0, 0, 0),
         toy_word(TOY_ADDI, 6, 6, 1));
    cpu_run(b->cpu[0], 2);
    assert_int_equal(s->x[5], 1);
    cpu_run(b->cpu[0], 1);
    assert_int_equal(s->x[4], 2);
    assert_int_equal(s->x[6], 0);
    assert_int_equal(s->special[TOY_ELR], VECTOR + 12);

    cpu_set_line(b->cpu[0], TOY_LINE, false);
    s->masked = 0;
    cpu_run(b->cpu[0], 1);
    assert_int_equal(b->cpu[0]->counters.interrupts, 2);
    bench_free(b);
}

static void wfi_waits(void **state)
{
    struct bench *b = bench_new(1);
    struct toy *s = toy_state(b->cpu[0]);

    (void)state;
    CODE(b, RAM, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_WFI, 0, 0, 0),
         toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_B, 0, 0, 0));
    assert_int_equal(cpu_run(b->cpu[0], 100), 2);
    assert_true(b->cpu[0]->halted);
    assert_int_equal(cpu_run(b->cpu[0], 100), 0);
    cpu_set_line(b->cpu[0], TOY_OTHER_LINE, true); /* masked: it only wakes */
    assert_int_equal(cpu_run(b->cpu[0], 1), 1);
    assert_int_equal(s->x[1], 2);
    assert_false(b->cpu[0]->halted);
    b->cpu[0]->pc = RAM + 4; /* with a line up WFI does not wait */
    assert_int_equal(cpu_run(b->cpu[0], 10), 10);
    cpu_set_line(b->cpu[0], TOY_OTHER_LINE, false); /* an awake CPU stays awake */
    assert_int_equal(cpu_run(b->cpu[0], 10), 10);
    bench_free(b);
}

static unsigned interrupts_wanted;

static uint8_t take_some(struct cpu *cpu, uint32_t lines)
{
    (void)cpu;
    assert_int_equal(lines, 1 << TOY_LINE);
    return interrupts_wanted && interrupts_wanted--;
}

/* The CPU checks for further interrupts until none is left. */
static void interrupts_follow_each_other(void **state)
{
    struct cpu_isa isa = toy_isa;
    struct bench *b;

    (void)state;
    isa.interrupt = take_some;
    b = bench_new_of(&isa, 1);
    load_loop(b);
    cpu_run(b->cpu[0], 5);
    interrupts_wanted = 3;
    cpu_set_line(b->cpu[0], TOY_LINE, true);
    assert_int_equal(cpu_run(b->cpu[0], 50), 50);
    assert_int_equal(interrupts_wanted, 0);
    assert_int_equal(b->cpu[0]->counters.interrupts, 3);
    interrupts_wanted = 1; /* interrupts are not checked again until a line changes */
    assert_int_equal(cpu_run(b->cpu[0], 50), 50);
    assert_int_equal(interrupts_wanted, 1);
    bench_free(b);
}

static void wfe_waits_for_one_turn(void **state)
{
    struct bench *b = bench_new(1);

    (void)state;
    CODE(b, RAM, toy_word(TOY_WFE, 0, 0, 0), toy_word(TOY_SEV, 0, 0, 0), toy_word(TOY_WFE, 0, 0, 0),
         toy_word(TOY_B, 0, 0, 0));
    assert_int_equal(cpu_run(b->cpu[0], 100), 1);
    assert_int_equal(cpu_run(b->cpu[0], 100), 100);
    assert_int_equal(b->cpu[0]->pc, RAM + 12);
    bench_free(b);
}

static void single_step_traps_after_one(void **state)
{
    struct bench *b = bench_new(1);
    struct toy *s = toy_state(b->cpu[0]);

    (void)state;
    load_loop(b);
    /* The handler counts steps, and returns to the next instruction with stepping on. */
    CODE(b, VECTOR, toy_word(TOY_ADDI, 7, 7, 1), toy_word(TOY_ERET, 0, 0, 0));
    s->saved_step = 1;
    s->special[TOY_ELR] = RAM;
    b->cpu[0]->pc = VECTOR + 4;
    /* ERET, then 7 times: one instruction, two of the handler. */
    assert_int_equal(cpu_run(b->cpu[0], 1 + 7 * 3), 22);
    assert_int_equal(s->x[7], 7);
    assert_int_equal(s->special[TOY_ELR], RAM + 8);
    assert_int_equal(s->x[1], 2);
    assert_int_equal(s->x[2], 3);
    bench_free(b);
}

/* ---- hooks ----------------------------------------------------------------------------------- */

static uint64_t hook_value;

static void on_exception(struct cpu *cpu, uint32_t klass, uint64_t code)
{
    hook_value = (uint64_t)klass << 32 | code;
    cpu->pc += 4;
}

static bool on_firmware(struct cpu *cpu, uint32_t conduit, uint32_t imm)
{
    (void)conduit;
    if (imm == 1) { /* reset this CPU */
        cpu_reset(cpu);
        cpu->pc = RAM + 0x100;
    } else if (imm == 2) {
        cpu_set_power(cpu, false);
    }
    return imm != 3;
}

static void hooks_replace_the_description(void **state)
{
    struct bench *b = bench_new(1);

    (void)state;
    CODE(b, RAM, toy_word(TOY_SVC, 0, 0, 0x207), toy_word(TOY_ADDI, 1, 1, 1),
         toy_word(TOY_FW, 2, 0, 5), toy_word(TOY_FW, 3, 0, 3), toy_word(TOY_NOP, 0, 0, 0),
         toy_word(TOY_FW, 4, 0, 1));
    CODE(b, RAM + 0x100, toy_word(TOY_ADDI, 8, 8, 9), toy_word(TOY_FW, 0, 0, 2),
         toy_word(TOY_ADDI, 8, 8, 9));
    b->cpu[0]->hooks.exception = on_exception;
    b->cpu[0]->hooks.firmware = on_firmware;
    assert_int_equal(cpu_run(b->cpu[0], 4), 4);
    assert_int_equal(hook_value, UINT64_C(2) << 32 | 7);
    assert_int_equal(X(b, 1), 1);
    assert_int_equal(X(b, 2), 1);
    assert_int_equal(X(b, 3), 0);
    /* Reset from inside: registers are cleared, the PC is what the hook sets; then power off. */
    assert_int_equal(cpu_run(b->cpu[0], 100), 4);
    assert_int_equal(X(b, 1), 0);
    assert_int_equal(X(b, 8), 9);
    assert_false(b->cpu[0]->powered);
    assert_int_equal(b->cpu[0]->pc, RAM + 0x108);
    assert_int_equal(cpu_run(b->cpu[0], 100), 0);
    cpu_set_power(b->cpu[0], true);
    assert_int_equal(cpu_run(b->cpu[0], 1), 1);
    assert_int_equal(X(b, 8), 18);
    bench_free(b);
}

static unsigned firmware_parts; /* calls that are left */

/*
 * Firmware work in parts, each 5 ns after the last; a line that wants an interrupt is up after the
 * first.
 */
static bool in_parts(struct cpu *cpu, uint32_t conduit, uint32_t imm)
{
    (void)conduit;
    assert_int_equal(cpu->repeated, firmware_parts != imm);
    cpu_set_line(cpu, TOY_LINE, true);
    if (--firmware_parts)
        cpu_repeat(cpu, 5000);
    return true;
}

/* The guest sees one long instruction, and the group gives posted work its turn. */
static void firmware_repeats(void **state)
{
    struct bench *b = bench_new(1);

    (void)state;
    CODE(b, RAM, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_FW, 2, 0, 4),
         toy_word(TOY_ADDI, 1, 1, 1));
    CODE(b, VECTOR, toy_word(TOY_ADDI, 8, 8, 9), toy_word(TOY_B, 0, 0, 0));
    toy_state(b->cpu[0])->masked = 0;
    b->cpu[0]->hooks.firmware = in_parts;
    firmware_parts = 4;
    for (unsigned turn = 0; firmware_parts; turn++) {
        assert_true(turn < 10);
        assert_true(cpu_group_turn(&b->group));
        if (!firmware_parts)
            break;
        assert_int_equal(X(b, 8), 0);
        assert_int_equal(b->cpu[0]->pc, RAM + 4);
        assert_int_equal(cpu_insns(b->cpu[0]), 1 + 4 - firmware_parts);
        assert_int_equal(cpu_used_ps(b->cpu[0]), 1000 + (4 - firmware_parts) * (1000 + 5000));
    }
    assert_int_equal(X(b, 2), 1);
    assert_int_equal(X(b, 8), 9);
    assert_int_equal(toy_state(b->cpu[0])->special[TOY_ELR], RAM + 8);
    assert_int_equal(b->cpu[0]->counters.interrupts, 1);
    /* A CPU that is reset between parts does not continue the work. */
    for (unsigned n = 0; n < 2; n++) {
        cpu_set_line(b->cpu[0], TOY_LINE, false);
        cpu_reset(b->cpu[0]);
        b->cpu[0]->pc = RAM;
        firmware_parts = 4;
        cpu_run(b->cpu[0], 100);
        assert_int_equal(firmware_parts, 3);
    }
    bench_free(b);
}

static void leave_again(struct cpu *cpu, uint32_t klass, uint64_t code)
{
    cpu_take_exception(cpu, NULL, klass, (uint32_t)code);
}

/* A description whose exception entry faults itself stops its CPU instead of hanging the host. */
static void endless_exceptions_end(void **state)
{
    struct bench *b = bench_new(1);

    (void)state;
    CODE(b, RAM, toy_word(TOY_SVC, 0, 0, 0x207));
    b->cpu[0]->hooks.exception = leave_again;
    assert_in_range(cpu_run(b->cpu[0], 1000000), 1, 100);
    assert_false(b->cpu[0]->powered);
    assert_int_equal(b->cpu[0]->counters.exceptions, 16);
    bench_free(b);
}

/* Classes without a counter of their own share the last counter. */
static void exceptions_are_counted_by_class(void **state)
{
    struct bench *b = bench_new(1);
    const struct cpu_counters *c = &b->cpu[0]->counters;

    (void)state;
    CODE(b, RAM, toy_word(TOY_SVC, 0, 0, 62 << 8), toy_word(TOY_SVC, 0, 0, 63 << 8),
         toy_word(TOY_SVC, 0, 0, 64 << 8), toy_word(TOY_SVC, 0, 0, 100 << 8));
    b->cpu[0]->hooks.exception = on_exception;
    assert_int_equal(cpu_run(b->cpu[0], 4), 4);
    assert_int_equal(hook_value, UINT64_C(100) << 32);
    assert_int_equal(c->exceptions, 4);
    assert_int_equal(c->exception_class[62], 1);
    assert_int_equal(c->exception_class[63], 3);
    assert_int_equal(c->undefined + c->memory_faults + c->interrupts, 0);
    bench_free(b);
}

static bool in_child;

/* LeakSanitizer calls this function when the process ends. A child that ends within a library
 * releases nothing, and what only a CPU points to looks lost, since CPUs lie in memory that is not
 * scanned. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return in_child;
}

/* Outside of cpu_run() there is nothing to go back to: the host's program ends, and says why. */
static void exceptions_outside_of_a_run(void **state)
{
    struct bench *b = bench_new(1);
    char said[100] = "";
    int ends[2], status;
    pid_t child;

    (void)state;
    load_loop(b);
    cpu_run(b->cpu[0], 5);
    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (!child) {
        in_child = true;
        dup2(ends[1], STDERR_FILENO);
        cpu_take_exception(b->cpu[0], NULL, 1, 2);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 2);
    assert_true(read(ends[0], said, sizeof(said) - 1) > 0);
    assert_string_equal(said, "cpu0: an exported helper took an exception outside of cpu_run()\n");
    close(ends[0]);
    close(ends[1]);
    bench_free(b);
}

/* `-d exec` lists each executed block, as long as the channel is on. */
static void blocks_are_logged(void **state)
{
    struct bench *b = bench_new(1);
    char text[200] = "";

    (void)state;
    load_loop(b);
    log_enable(&b->log, LOG_EXEC);
    b->log.out = fmemopen(text, sizeof(text), "w");
    b->log.close_out = true;
    assert_int_equal(cpu_run(b->cpu[0], 10), 10);
    log_close(&b->log);
    assert_string_equal(text, "cpu0: 0x80000000\ncpu0: 0x80000010\n"
                              "cpu0: 0x80000000\ncpu0: 0x80000010\n");
    b->log.mask = 0;
    assert_int_equal(cpu_run(b->cpu[0], 10), 10);
    assert_false(b->cpu[0]->attention & CPU_ATT_TRACE);
    bench_free(b);
}

/* A block that is left early counts only what was executed, in instructions and in ticks. */
static void long_instructions_are_counted(void **state)
{
    struct cpu_isa isa = toy_isa;
    struct cpu_form forms[256];
    struct bench *b;

    (void)state;
    memcpy(forms, toy_isa.forms, sizeof(forms));
    forms[TOY_ADDI].ticks = 3;
    isa.forms = forms;
    b = bench_new_of(&isa, 1);
    CODE(b, RAM, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_ADDI, 1, 1, 1),
         toy_word(TOY_LD64, 2, 5, 0), toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_B, 0, 0, 0));
    X(b, 5) = NOWHERE;
    assert_int_equal(cpu_run(b->cpu[0], 7), 7);
    assert_int_equal(toy_state(b->cpu[0])->special[TOY_ELR], RAM + 8);
    assert_int_equal(cpu_insns(b->cpu[0]), 3);
    assert_int_equal(b->cpu[0]->ticks, 7);
    bench_free(b);
}

enum { MODES = 5, CONTEXT = offsetof(struct toy, saved_step) };

/* Returns the key after a change from mode 0 to `mode`. */
static uint64_t key_of_change(struct cpu *cpu, uint32_t mode)
{
    uint64_t key;

    cpu_change_mode(cpu, mode);
    key = cpu->key;
    assert_int_equal(cpu->mode, mode);
    assert_false(cpu->attention & CPU_ATT_KEY);
    cpu_change_mode(cpu, 0);
    return key;
}

/* Each mode has its own key, and one per decode context, however often the mode changes. */
static void modes_have_keys(void **state)
{
    struct cpu_decoder decoders[MODES];
    struct cpu_isa isa = toy_isa;
    struct bench *b;
    struct cpu *cpu;
    uint64_t key[MODES], base, with_context;

    (void)state;
    for (unsigned n = 0; n < MODES; n++)
        decoders[n] = toy_isa.decoders[0];
    decoders[3].has_context = true;
    decoders[3].context = CONTEXT;
    isa.decoders = decoders;
    isa.decoder_count = MODES;
    b = bench_new_of(&isa, 1);
    cpu = b->cpu[0];
    load_loop(b);
    cpu_run(cpu, 5);
    base = cpu->key;
    toy_state(cpu)->saved_step = 5;
    with_context = key_of_change(cpu, 3);
    toy_state(cpu)->saved_step = 0;
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned n = 1; n < MODES; n++) {
            uint64_t found = key_of_change(cpu, n);

            assert_int_equal(cpu->key, base);
            if (!round)
                key[n] = found;
            assert_int_equal(found, key[n]);
            for (unsigned other = 1; other < n; other++)
                assert_int_not_equal(found, key[other]);
            assert_int_not_equal(found, base);
            assert_int_not_equal(found, with_context);
        }
        toy_state(cpu)->saved_step = 5;
        assert_int_equal(key_of_change(cpu, 3), with_context);
        toy_state(cpu)->saved_step = 0;
    }
    cpu_change_mode(cpu, MODES); /* not a mode */
    assert_int_equal(cpu->mode, 0);
    assert_int_equal(cpu->key, base);
    bench_free(b);
}

static void time_is_exact_inside_of_blocks(void **state)
{
    struct bench *b = bench_new(1);

    (void)state;
    CODE(b, RAM, toy_word(TOY_NOP, 0, 0, 0), toy_word(TOY_NOP, 0, 0, 0),
         toy_word(TOY_DEVR, 1, 0, 1), toy_word(TOY_LD32, 2, 5, 0), toy_word(TOY_DEVW, 1, 0, 3),
         toy_word(TOY_B, 0, 0, 0));
    X(b, 5) = DEVICE;
    cpu_run(b->cpu[0], 3);
    assert_int_equal(X(b, 1), 2);
    cpu_run(b->cpu[0], 1);
    assert_int_equal(b->seen_insns, 3);
    cpu_run(b->cpu[0], 1);
    assert_int_equal(b->seen_insns, 4);
    assert_int_equal(b->device[3], 2);
    b->cpu[0]->pc = RAM;
    cpu_run(b->cpu[0], 5);
    assert_int_equal(X(b, 1), 7);
    assert_int_equal(b->seen_insns, 9);
    assert_int_equal(b->cpu[0]->counters.mmio_reads, 2);
    bench_free(b);
}

/* ---- registers and statistics ---------------------------------------------------------------- */

static void registers_by_name(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = b->cpu[0];
    struct cpu_view v;

    (void)state;
    cpu_register_set(cpu, "x15", 42);
    assert_int_equal(X(b, 15), 42);
    assert_int_equal(cpu_register_get(cpu, "X15"), 42);
    cpu_register_set(cpu, "pc", RAM + 4);
    assert_int_equal(cpu->pc, RAM + 4);
    assert_int_equal(cpu_register_get(cpu, "PC"), RAM + 4);
    assert_false(cpu_register_find(cpu->isa, "X16", &v));
    assert_false(cpu_register_find(cpu->isa, "X01", &v));
    assert_false(cpu_register_find(cpu->isa, "X", &v));
    assert_false(cpu_register_find(cpu->isa, "X4294967296", &v));
    assert_true(cpu_register_find(cpu->isa, "mask", &v));
    assert_int_equal(cpu_register_bytes(v), 1);
    cpu_register_set(cpu, "MASK", 0x100);
    assert_int_equal(toy_state(cpu)->masked, 0);
    assert_int_equal(toy_state(cpu)->monitor, 0);
    /* System registers: written through the description's own masks, computed when read. */
    cpu_register_set(cpu, "vbar", RAM + 7);
    assert_int_equal(cpu_register_get(cpu, "VBAR"), RAM + 4);
    assert_int_equal(cpu_register_get(cpu, "count"), 1);
    assert_int_equal(cpu_register_get(cpu, "count"), 2);
    assert_int_equal(cpu_register_get(cpu, "traps"), 0); /* the read tries to take an exception */
    bench_free(b);
}

static void statistics_count_every_instruction(void **state)
{
    struct bench *b = bench_new(1);
    struct stats *stats = stats_new();
    struct toy *s = toy_state(b->cpu[0]);

    (void)state;
    /* Ring 1: two alu, a load that faults in mid-block; its handler: one alu, then ring 0 loops. */
    CODE(b, RAM, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_ADDI, 1, 1, 1),
         toy_word(TOY_LD64, 2, 5, 0), toy_word(TOY_MIX, 1, 1, 0), toy_word(TOY_B, 0, 0, 0));
    CODE(b, VECTOR, toy_word(TOY_NOP, 0, 0, 0), toy_word(TOY_RING, 0, 0, 0),
         toy_word(TOY_GETFEAT, 3, 0, 1), toy_word(TOY_NOP, 0, 0, 0), toy_word(TOY_B, 0, 0, -2));
    s->x[5] = NOWHERE;
    cpu_register_stats(b->cpu[0], stats);
    assert_int_equal(cpu_run(b->cpu[0], 3 + 2 + 31), 36);
    assert_int_equal(stats_get(stats, "cpu0", "executed"), 36);
    assert_int_equal(stats_get(stats, "cpu0", "memory_faults"), 1);
    assert_int_equal(stats_get(stats, "host/cpu0", "blocks_decoded"),
                     b->cpu[0]->counters.blocks_decoded);
    assert_int_equal(stats_get(stats, "cpu0/instructions/ring1", "alu"), 3);
    assert_int_equal(stats_get(stats, "cpu0/instructions/ring1", "memory"), 1);
    assert_int_equal(stats_get(stats, "cpu0/instructions/ring1", "branch"), 0);
    assert_int_equal(stats_get(stats, "cpu0/instructions/ring1", "system"), 1);
    assert_int_equal(stats_get(stats, "cpu0/instructions/ring0", "other"), 11);
    assert_int_equal(stats_get(stats, "cpu0/instructions/ring0", "alu"), 10);
    assert_int_equal(stats_get(stats, "cpu0/instructions/ring0", "branch"), 10);
    /* Executions of blocks that were dropped are counted. */
    cpu_code_flush(b->cpu[0]);
    assert_int_equal(cpu_run(b->cpu[0], 3), 3);
    assert_int_equal(stats_get(stats, "cpu0/instructions/ring0", "other"), 12);
    assert_int_equal(stats_get(stats, "cpu0/instructions/ring0", "branch"), 11);
    stats_free(stats);
    bench_free(b);
}

/*
 * A changed feature that decoding depends on gives code another key; the old value finds the old
 * blocks.
 */
static void features_decode_anew(void **state)
{
    struct bench *b = bench_new(1);
    struct toy *s = toy_state(b->cpu[0]);
    uint64_t decoded;

    (void)state;
    CODE(b, RAM, toy_word(TOY_GETFEAT, 1, 0, 0), toy_word(TOY_ADD, 2, 1, 0),
         toy_word(TOY_FEAT, 0, 3, 0), toy_word(TOY_B, 0, 0, -3));
    s->x[3] = 100;
    cpu_run(b->cpu[0], 4);
    assert_int_equal(s->x[2], 5);
    cpu_run(b->cpu[0], 4);
    assert_int_equal(s->x[2], 105);
    s->x[3] = 5;
    cpu_run(b->cpu[0], 8);
    assert_int_equal(s->x[2], 210);
    decoded = b->cpu[0]->counters.blocks_decoded;
    cpu_run(b->cpu[0], 4);
    assert_int_equal(b->cpu[0]->counters.blocks_decoded, decoded);
    /* More keys than are kept. */
    CODE(b, RAM + 0x400, toy_word(TOY_ADDI, 3, 3, 1), toy_word(TOY_FEAT, 0, 3, 0),
         toy_word(TOY_GETFEAT, 4, 0, 0), toy_word(TOY_ADD, 5, 4, 0), toy_word(TOY_B, 0, 0, -4));
    b->cpu[0]->pc = RAM + 0x400;
    s->x[3] = s->x[5] = 0;
    cpu_run(b->cpu[0], 5 * 10000);
    assert_int_equal(s->x[5], UINT64_C(10000) * 10001 / 2);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_are_exact),
        cmocka_unit_test(budgets_add_up),
        cmocka_unit_test(long_blocks_are_cut),
        cmocka_unit_test(faults_are_precise),
        cmocka_unit_test(fetch_faults),
        cmocka_unit_test(interrupts_at_boundaries),
        cmocka_unit_test(wfi_waits),
        cmocka_unit_test(wfe_waits_for_one_turn),
        cmocka_unit_test(single_step_traps_after_one),
        cmocka_unit_test(hooks_replace_the_description),
        cmocka_unit_test(firmware_repeats),
        cmocka_unit_test(endless_exceptions_end),
        cmocka_unit_test(exceptions_are_counted_by_class),
        cmocka_unit_test(exceptions_outside_of_a_run),
        cmocka_unit_test(interrupts_follow_each_other),
        cmocka_unit_test(blocks_are_logged),
        cmocka_unit_test(long_instructions_are_counted),
        cmocka_unit_test(modes_have_keys),
        cmocka_unit_test(time_is_exact_inside_of_blocks),
        cmocka_unit_test(registers_by_name),
        cmocka_unit_test(statistics_count_every_instruction),
        cmocka_unit_test(features_decode_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
