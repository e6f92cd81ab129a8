/*
 * Modes, exceptions and privileged instructions of Armv7-A, against what DDI 0406C, chapters B1 and
 * B9, says: where an exception goes, what it saves and masks, how it returns.
 */
#include "arm_board.h"
#include "tests/armv7a/bench.h"

#define VECTORS RAM /* VBAR, where all memory is zero: ANDEQ R0, R0, R0 */
#define NOWHERE UINT32_C(0x10000000)
#define CPSR_T  0x20u

#define SVC      0xef000012
#define UDF      0xe7f000f0
#define BKPT     0xe1200070
#define LDR      0xe5910000 /* ldr r0, [r1] */
#define STR      0xe5810000 /* str r0, [r1] */
#define NOP      0xe320f000
#define MRS_SPSR 0xe14f0000 /* mrs r0, spsr */

/* Enters `mode` with VBAR at VECTORS; only the interrupts that `mode` masks are masked. */
static void begin_in_mode(struct bench *b, unsigned mode)
{
    set(b, "VBAR", VECTORS);
    set(b, "SCTLR", 0);
    enter_mode(b, mode);
}

/* Checks the state after exception entry and one more instruction: the PC is at the vector + 4. */
static void check_entry(struct bench *b, unsigned vector, unsigned mode, uint32_t link,
                        uint32_t spsr)
{
    uint32_t cpsr;

    assert_int_equal(b->cpu->pc, VECTORS + vector);
    assert_int_equal(get(b, "LR"), link);
    cpsr = get_cpsr(b);
    assert_int_equal(cpsr & 31, mode);
    assert_int_equal(cpsr & CPSR_I, CPSR_I);
    RUN(b, MRS_SPSR);
    assert_int_equal(get(b, "R0") & 0x3ff, spsr);
}

static void test_entries(void **state)
{
    /* instruction, its vector and mode, LR minus its address, and the masks set besides I */
    static const struct {
        uint32_t word;
        unsigned vector, mode, ahead, masked;
    } rows[] = {
        {UDF, 0x04, MODE_UNDEFINED, 4, 0},   {SVC, 0x08, MODE_SVC, 4, 0},
        {BKPT, 0x0c, MODE_ABORT, 4, CPSR_A}, {LDR, 0x10, MODE_ABORT, 8, CPSR_A},
        {STR, 0x10, MODE_ABORT, 8, CPSR_A},
    };
    static const unsigned from[] = {MODE_USER, MODE_SYSTEM, MODE_FIQ};
    struct bench *b = *state;

    for (unsigned n = 0; n < 15; n++) {
        unsigned i = n / 3, mode = from[n % 3];

        cpu_reset(b->cpu);
        begin_in_mode(b, mode);
        set(b, "R1", NOWHERE + 4);
        RUN(b, rows[i].word);
        if (i >= 3) {
            assert_int_equal(get(b, "DFAR"), NOWHERE + 4);
            assert_int_equal(get(b, "DFSR"), i == 4 ? 0x808 : 0x008);
        }
        if (i == 2)
            assert_int_equal(get(b, "IFSR"), 0x002);
        check_entry(b, rows[i].vector, rows[i].mode, CODE + rows[i].ahead, mode);
        assert_int_equal(get_cpsr(b) & (CPSR_A | CPSR_F), rows[i].masked);
    }
}

static void test_prefetch_abort(void **state)
{
    struct bench *b = *state;

    begin_in_mode(b, MODE_USER | CPSR_F);
    run(b, NOWHERE, 1);
    assert_int_equal(get(b, "IFAR"), NOWHERE);
    assert_int_equal(get(b, "IFSR"), 0x008);
    check_entry(b, 0x0c, MODE_ABORT, NOWHERE + 4, MODE_USER | CPSR_F);
}

/* SCTLR.V and TE; high vectors are at 0xffff0000, where there is nothing. */
static void test_vectors(void **state)
{
    struct bench *b = *state;

    begin_in_mode(b, MODE_SYSTEM);
    set(b, "SCTLR", 1u << 13);
    RUN(b, SVC);
    assert_int_equal(b->cpu->pc, 0xffff0008);
    cpu_reset(b->cpu);
    begin_in_mode(b, MODE_SYSTEM);
    set(b, "SCTLR", 1u << 30);
    RUN(b, UDF);
    /* T32 at the vector: a word of zeros is LSL R0, R0, #0 of 16 bits. */
    cpu_run(b->cpu, 1);
    assert_int_equal(b->cpu->pc, VECTORS + 0x06);
}

static void test_interrupts(void **state)
{
    struct bench *b = *state;

    begin_in_mode(b, MODE_USER);
    cpu_set_line(b->cpu, ARM_INPUT_IRQ, true);
    RUN(b, NOP);
    assert_int_equal(b->cpu->pc, VECTORS + 0x18 + 4);
    b->cpu->pc -= 4;
    check_entry(b, 0x18, MODE_IRQ, CODE + 4, MODE_USER);
    assert_int_equal(get_cpsr(b) & (CPSR_A | CPSR_I | CPSR_F), CPSR_A | CPSR_I);
    assert_int_equal(get(b, "ISR"), 0x80);

    /* IRQ is masked now; FIQ is taken in addition. */
    RUN(b, NOP, NOP);
    assert_int_equal(b->cpu->pc, CODE + 8);
    cpu_set_line(b->cpu, ARM_INPUT_FIQ, true);
    RUN(b, NOP);
    b->cpu->pc = VECTORS + 0x1c;
    check_entry(b, 0x1c, MODE_FIQ, CODE + 4, MODE_IRQ | CPSR_A | CPSR_I);
    assert_int_equal(get_cpsr(b) & (CPSR_A | CPSR_I | CPSR_F), CPSR_A | CPSR_I | CPSR_F);
    cpu_set_line(b->cpu, ARM_INPUT_FIQ, false);
    cpu_set_line(b->cpu, ARM_INPUT_IRQ, false);

    /* An asynchronous abort is a data abort with a status of its own. */
    cpu_reset(b->cpu);
    begin_in_mode(b, MODE_USER);
    cpu_set_line(b->cpu, ARM_INPUT_SERROR, true);
    RUN(b, NOP);
    cpu_set_line(b->cpu, ARM_INPUT_SERROR, false);
    assert_int_equal(get(b, "DFSR"), 0x406);
    b->cpu->pc = VECTORS + 0x10;
    check_entry(b, 0x10, MODE_ABORT, CODE + 8, MODE_USER);
}

/* Each mode has its own SP and LR, and FIQ also R8 to R12; System mode has User mode's. */
static void test_banks(void **state)
{
    static const unsigned modes[] = {MODE_FIQ,   MODE_IRQ,       MODE_SVC,
                                     MODE_ABORT, MODE_UNDEFINED, MODE_SYSTEM};
    static const char *const names[] = {"R8", "R12", "R13", "R14"};
    struct bench *b = *state;

    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < 6; i++) {
            enter_mode(b, modes[i] | CPSR_I | CPSR_F);
            for (unsigned n = 0; n < 4; n++) {
                bool own = n >= 2 || modes[i] == MODE_FIQ;

                if (!pass)
                    set(b, names[n], own ? modes[i] << 8 | n : n);
                else
                    assert_int_equal(get(b, names[n]), own ? modes[i] << 8 | n : n);
            }
        }
    }
    RUN(b, 0xe1010300); /* mrs r0, sp_irq */
    assert_int_equal(get(b, "R0"), MODE_IRQ << 8 | 2);
    RUN(b, 0xe1000200); /* mrs r0, r8_usr */
    assert_int_equal(get(b, "R0"), 0);
    set(b, "R1", 0x12345678);
    RUN(b, 0xe124f301); /* msr lr_abt, r1 */
    enter_mode(b, MODE_ABORT);
    assert_int_equal(get(b, "LR"), 0x12345678);

    /* LDM and STM with the user bit access User mode's registers. */
    set(b, "R1", RAM + 0x100);
    poke(b, RAM + 0x100, 0x22);
    poke(b, RAM + 0x104, 0x1313);
    poke(b, RAM + 0x108, 0x1414);
    RUN(b, 0xe8d16004); /* ldm r1, {r2, sp, lr}^ */
    assert_int_equal(get(b, "LR"), 0x12345678);
    set(b, "R1", RAM + 0x200);
    RUN(b, 0xe8c16004); /* stmia r1, {r2, sp, lr}^ */
    assert_int_equal(peek(b, RAM + 0x200), 0x22);
    assert_int_equal(peek(b, RAM + 0x204), 0x1313);
    assert_int_equal(peek(b, RAM + 0x208), 0x1414);
    enter_mode(b, MODE_SYSTEM);
    assert_int_equal(get(b, "R13"), 0x1313);
}

static void test_returns(void **state)
{
    static const uint32_t ways[] = {
        0xe1b0f00e, /* movs pc, lr */
        0xe25ef004, /* subs pc, lr, #4 */
        0xe160006e, /* eret */
        0xe8f18004, /* ldm r1!, {r2, pc}^ */
        0xf8b10a00, /* rfeia r1! */
    };
    struct bench *b = *state;

    for (unsigned n = 0; n < 10; n++) {
        uint32_t to = RAM + 0x500, thumb = n & 1 ? CPSR_T : 0;
        unsigned way = n / 2;

        cpu_reset(b->cpu);
        begin_in_mode(b, MODE_IRQ | CPSR_I | CPSR_F);
        set(b, "R1", 0x50000000 | MODE_USER | CPSR_F | thumb);
        RUN(b, 0xe16ff001); /* msr spsr_fsxc, r1 */
        set(b, "LR", way == 1 ? to + 4 : to);
        poke(b, RAM + 0x100, way == 3 ? 0x77 : to);
        poke(b, RAM + 0x104, way == 3 ? to : get(b, "R1"));
        set(b, "R1", RAM + 0x100);
        RUN(b, ways[way]);
        assert_int_equal(b->cpu->pc, to);
        assert_int_equal(get(b, "MODE"), MODE_USER);
        assert_int_equal(get(b, "AIF"), 1);
        assert_int_equal(get(b, "ZF") << 3 | get(b, "NF") << 2 | get(b, "VF") << 1 | get(b, "CF"),
                         10);
        assert_int_equal(b->cpu->ring, RING_USER);
        if (way >= 3)
            assert_int_equal(get(b, "R1"), RAM + 0x108);
        cpu_run(b->cpu, 1); /* a word of zeros */
        assert_int_equal(b->cpu->pc, thumb ? to + 2 : to + 4);
    }
}

static void test_srs(void **state)
{
    struct bench *b = *state;

    begin_in_mode(b, MODE_SVC | CPSR_I);
    set(b, "R13", RAM + 0x300);
    begin_in_mode(b, MODE_IRQ | CPSR_I);
    set(b, "LR", 0x1234);
    set(b, "R1", 0xf0000010);
    RUN(b, 0xe16ff001, 0xf96d0513); /* msr spsr_fsxc, r1; srsdb sp!, #19 */
    assert_int_equal(peek(b, RAM + 0x2f8), 0x1234);
    assert_int_equal(peek(b, RAM + 0x2fc), 0xf0000010);
    enter_mode(b, MODE_SVC);
    assert_int_equal(get(b, "R13"), RAM + 0x2f8);
}

/* In T32, SVC and undefined instructions in an IT block save the block's state. */
static void test_thumb(void **state)
{
    struct bench *b = *state;

    begin_in_mode(b, MODE_SYSTEM);
    poke(b, RAM + 0x600, 0xdf00bf08); /* it eq; svceq 0 */
    poke(b, RAM + 0x700, 0xde00bf01); /* itttt eq; udfeq #0 */
    set(b, "R1", RAM + 0x601);
    set(b, "ZF", 1);
    RUN(b, 0xe12fff11); /* bx r1 */
    cpu_run(b->cpu, 2);
    assert_int_equal(b->cpu->pc, VECTORS + 8);
    assert_int_equal(get(b, "LR"), RAM + 0x604);
    RUN(b, MRS_SPSR);
    assert_int_equal(get(b, "R0"), 0x40000000 | CPSR_T | MODE_SYSTEM);
    begin_in_mode(b, MODE_SYSTEM);
    set(b, "R1", RAM + 0x701);
    set(b, "ZF", 1);
    RUN(b, 0xe12fff11);
    cpu_run(b->cpu, 2);
    assert_int_equal(b->cpu->pc, VECTORS + 4);
    assert_int_equal(get(b, "LR"), RAM + 0x704);
    RUN(b, MRS_SPSR);
    /* ITSTATE is 00000001; CPSR bits 26:25 hold its bits 1:0. */
    assert_int_equal(get(b, "R0"), 0x40000000 | 1u << 25 | CPSR_T | MODE_SYSTEM);
}

/* User mode may access its thread pointers and barriers; the rest is undefined, or ignored. */
static void test_user_rights(void **state)
{
    static const struct {
        uint32_t word;
        bool user;
    } rows[] = {
        {0xee1d0f70, true},  /* mrc tpidruro */
        {0xee0d0f70, false}, /* mcr tpidruro */
        {0xee0d0f50, true},  /* mcr tpidrurw */
        {0xee110f10, false}, /* mrc sctlr */
        {0xec520f1e, false}, /* mrrc cntvct */
        {0xee190f1d, false}, /* mrc pmccntr */
        {0xee100e10, true},  /* mrc dbgdidr */
        {0xee100fb3, false}, /* mrc of a reserved identification */
        {0xee070fba, true},  /* mcr cp15dmb */
        {0xee070f3a, false}, /* mcr dccmvac */
        {0xe14f0000, false}, /* mrs spsr */
        {0xe1010300, false}, /* mrs sp_irq */
        {0xf8b10a00, false}, /* rfeia r1! */
        {0xe1600070, false}, /* smc: without firmware undefined everywhere */
        {0xf10c01c0, true},  /* cpsid aif: ignored */
        {0xe320f000, true},
    };
    struct bench *b = *state;

    for (unsigned n = 0; n < 2 * sizeof(rows) / sizeof(*rows); n++) {
        unsigned i = n / 2;
        bool user = n & 1, may = user ? rows[i].user : i != 13;

        cpu_reset(b->cpu);
        begin_in_mode(b, MODE_IRQ);
        set(b, "SCTLR", 1 << 5); /* CP15BEN */
        poke(b, RAM + 0x104, MODE_SVC);
        poke(b, RAM + 0x100, CODE + 4);
        if (user)
            enter_mode(b, MODE_USER);
        set(b, "R1", RAM + 0x100);
        RUN(b, rows[i].word);
        assert_int_equal(b->cpu->pc, may ? CODE + 4 : VECTORS + 4);
        if (user)
            assert_int_equal(get(b, "AIF") & 1, 0);
    }
    /* CNTKCTL and PMUSERENR permit the access. */
    for (unsigned i = 4; i < 6; i++) {
        cpu_reset(b->cpu);
        begin_in_mode(b, MODE_SVC);
        set(b, "CNTKCTL", 2);
        set(b, "PMUSERENR", 1);
        enter_mode(b, MODE_USER);
        RUN(b, rows[i].word);
        assert_int_equal(b->cpu->pc, CODE + 4);
    }
}

/* An interrupt raised while masked is taken after the instruction that unmasks it. */
static void test_unmasked(void **state)
{
    static const uint32_t words[] = {0xf1080080 /* cpsie i */, 0xe121f001 /* msr cpsr_c, r1 */};
    struct bench *b = *state;

    for (unsigned n = 0; n < sizeof(words) / sizeof(words[0]); n++) {
        begin_in_mode(b, MODE_SVC | CPSR_I);
        set(b, "R1", MODE_SVC);
        cpu_set_line(b->cpu, ARM_INPUT_IRQ, true);
        RUN(b, NOP, words[n]);
        assert_int_equal(get(b, "MODE"), MODE_SVC);
        assert_int_equal(get(b, "AIF") & 2, 0);
        cpu_run(b->cpu, 1);
        assert_int_equal(get(b, "MODE"), MODE_IRQ);
        assert_int_equal(get(b, "AIF") & 2, 2);
        cpu_set_line(b->cpu, ARM_INPUT_IRQ, false);
    }
    /* In User mode neither instruction changes the mask. */
    begin_in_mode(b, MODE_USER | CPSR_I);
    RUN(b, words[0], words[1]);
    assert_int_equal(get_cpsr(b) & (CPSR_I | 31), MODE_USER | CPSR_I);
}

int main(void)
{
#define TEST(x) cmocka_unit_test_setup_teardown(x, bench_setup, bench_teardown)
    static const struct CMUnitTest tests[] = {
        TEST(test_entries),  TEST(test_prefetch_abort), TEST(test_vectors), TEST(test_interrupts),
        TEST(test_unmasked), TEST(test_banks),          TEST(test_returns), TEST(test_srs),
        TEST(test_thumb),    TEST(test_user_rights),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
