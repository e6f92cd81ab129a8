/*
 * Monitor debug-mode of Armv7-A (DDI 0406C, C3): breakpoints, watchpoints, vector catches.
 */
#include "tests/armv7a/bench.h"

#define VECTORS RAM
#define DATA    (RAM + 0x4000)

#define ADD_R3 0xe2833001 /* add r3, r3, #1 */
#define NOP    0xe320f000
#define SVC    0xef000012
#define BKPT   0xe1200070
#define LDR    0xe5910000 /* ldr r0, [r1] */
#define STR    0xe5810000 /* str r0, [r1] */
#define LDRB   0xe5d10000
#define STRB   0xe5c10000
#define LDRD   0xe1c120d0 /* ldrd r2, r3, [r1] */
#define STRT   0xe4a10000 /* strt r0, [r1], #0 */
#define LDM    0xe891000c /* ldm r1, {r2, r3} */

#define MDBGEN 0x8000
/* DBGBCR and DBGWCR */
enum {
    E = 1,
    PL1 = 1 << 1,
    PL0 = 1 << 2,
    LOAD = 1 << 3,
    STORE = 2 << 3,
    BOTH = 3 << 3,
    WORD = 15 << 5,
    LOW_HALF = 3 << 5,
    HIGH_HALF = 12 << 5,
    ALL = 255 << 5,
    SECURE_ONLY = 2 << 14,
    LINK_5 = 5 << 16,
    LINKED = 1 << 20,
    CONTEXT = 2 << 20,
    LINKED_CONTEXT = 3 << 20,
    MISMATCH = 4 << 20,
};
/* DBGDSCR.MOE */
enum { MOE_BREAKPOINT = 1, MOE_BKPT = 3, MOE_VECTOR = 5, MOE_WATCHPOINT = 10 };

static void enable_debug(struct bench *b, unsigned mode)
{
    cpu_reset(b->cpu);
    for (unsigned at = 0; at < 32; at += 4)
        poke(b, VECTORS + at, 0xeafffffe); /* b . */
    set(b, "VBAR", VECTORS);
    set(b, "R1", DATA);
    set(b, "R3", 0);
    set(b, "DBGDSCREXT", MDBGEN);
    enter_mode(b, mode);
}

static unsigned method_of_entry(struct bench *b)
{
    return get(b, "DBGDSCREXT") >> 2 & 15;
}

/* Checks that a debug event at `pc` has caused a Prefetch Abort with DBGDSCR.MOE = `why`. */
static void check_event(struct bench *b, unsigned why, uint32_t pc)
{
    assert_int_equal(b->cpu->pc, VECTORS + 0x0c);
    assert_int_equal(get(b, "IFSR"), 0x002);
    assert_int_equal(method_of_entry(b), why);
    assert_int_equal(get(b, "LR"), pc + 4);
}

static void breakpoint_is_a_prefetch_abort(void **state)
{
    struct bench *b = *state;

    for (unsigned n = 0; n < 6; n++) {
        char value[] = "DBGBVRn", control[] = "DBGBCRn";

        enable_debug(b, MODE_SVC);
        value[6] = control[6] = (char)('0' + n);
        set(b, value, CODE + 4);
        set(b, control, E | PL1 | WORD);
        RUN(b, ADD_R3, ADD_R3);
        check_event(b, MOE_BREAKPOINT, CODE + 4);
        assert_int_equal(get(b, "R3"), 1);
    }
}

static void breakpoint_is_kept_away(void **state)
{
    static const struct {
        const char *reg;
        uint32_t value;
    } rows[] = {
        {"DBGDSCREXT", 0},
        {"DBGOSLAR", 0xc5acce55},
        {"DBGOSDLR", 1},
        {"DBGBCR0", PL1 | WORD},
        {"DBGBCR0", E | PL0 | WORD},
        {"DBGBCR0", E | PL1},
        {"DBGBCR0", E | PL1 | HIGH_HALF},
        {"DBGBCR0", E | PL1 | WORD | SECURE_ONLY},
        {"DBGBCR0", E | PL1 | WORD | MISMATCH}, /* for User mode only */
        {"DBGBVR0", CODE + 0x1000},
    };
    struct bench *b = *state;

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        enable_debug(b, MODE_SVC);
        set(b, "DBGBVR0", CODE);
        set(b, "DBGBCR0", E | PL1 | WORD);
        RUN(b, ADD_R3);
        check_event(b, MOE_BREAKPOINT, CODE);
        set(b, rows[i].reg, rows[i].value);
        RUN(b, ADD_R3);
        assert_int_equal(b->cpu->pc, CODE + 4);
    }
}

/* PMC 0 with HMC and SSC 0 matches in User, System and Supervisor mode. */
static void breakpoint_of_three_modes(void **state)
{
    static const unsigned modes[] = {MODE_USER, MODE_SYSTEM, MODE_SVC, MODE_IRQ, MODE_ABORT};
    struct bench *b = *state;

    for (unsigned i = 0; i < 5; i++) {
        enable_debug(b, modes[i]);
        set(b, "DBGBVR0", CODE);
        set(b, "DBGBCR0", E | WORD);
        RUN(b, ADD_R3);
        if (i < 3)
            check_event(b, MOE_BREAKPOINT, CODE);
        else
            assert_int_equal(b->cpu->pc, CODE + 4);
    }
}

static void breakpoint_in_t32(void **state)
{
    struct bench *b = *state;

    for (unsigned half = 0; half < 2; half++) {
        enable_debug(b, MODE_SVC);
        poke(b, CODE, 0x3301bf00); /* nop; adds r3, #1 */
        set(b, "DBGBVR2", CODE);
        set(b, "DBGBCR2", E | PL1 | (half ? HIGH_HALF : LOW_HALF));
        set(b, "LR", CODE | 1);
        poke(b, CODE + 0x100, 0xe12fff1e); /* bx lr */
        run(b, CODE + 0x100, 3);
        check_event(b, MOE_BREAKPOINT, CODE + 2 * half);
    }
}

/*
 * A kernel steps over a breakpoint with a mismatch: it hits at any other instruction of User mode.
 */
static void mismatch_steps(void **state)
{
    struct bench *b = *state;

    enable_debug(b, MODE_USER);
    set(b, "DBGBVR5", CODE);
    set(b, "DBGBCR5", E | PL0 | WORD | MISMATCH);
    RUN(b, ADD_R3, ADD_R3, ADD_R3);
    check_event(b, MOE_BREAKPOINT, CODE + 4);
    assert_int_equal(get(b, "R3"), 1);
    /* The handler does not run in User mode, so the breakpoint does not hit there. */
    cpu_run(b->cpu, 5);
    assert_int_equal(b->cpu->pc, VECTORS + 0x0c);
    assert_int_equal(get_cpsr(b) & 31, MODE_ABORT);
}

static void breakpoint_asks_for_the_context(void **state)
{
    struct bench *b = *state;

    enable_debug(b, MODE_USER);
    set(b, "DBGBVR0", CODE);
    set(b, "DBGBCR0", E | PL0 | WORD | LINKED | LINK_5);
    set(b, "DBGBVR5", 0x4200);
    set(b, "DBGBCR5", E | PL0 | WORD | LINKED_CONTEXT);
    RUN(b, ADD_R3);
    assert_int_equal(b->cpu->pc, CODE + 4);
    set(b, "CONTEXTIDR", 0x4200);
    RUN(b, ADD_R3);
    check_event(b, MOE_BREAKPOINT, CODE);
    enable_debug(b, MODE_USER);
    set(b, "DBGBVR4", 0x4200);
    set(b, "DBGBCR4", E | PL0 | WORD | CONTEXT);
    RUN(b, ADD_R3);
    assert_int_equal(b->cpu->pc, CODE + 4);
    set(b, "CONTEXTIDR", 0x4200);
    RUN(b, ADD_R3);
    check_event(b, MOE_BREAKPOINT, CODE);
}

static void bkpt_says_so(void **state)
{
    struct bench *b = *state;

    enable_debug(b, MODE_SVC);
    set(b, "DBGDSCREXT", 0); /* BKPT needs no Monitor debug-mode. */
    RUN(b, BKPT);
    check_event(b, MOE_BKPT, CODE);
}

/* ---- C3.4 Watchpoints ------------------------------------------------------------------------ */

static const struct watch_row {
    /* instruction; R1; watchpoint's address; control bits besides E and PL1 */
    uint32_t word, at, value, control;
    int hit; /* 'r' or 'w': a hit of a read or a write; 0: none */
} watch_rows[] = {
    {LDR, DATA, DATA, LOAD | ALL, 'r'},
    {LDR, DATA, DATA, STORE | ALL, 0},
    {STR, DATA, DATA, STORE | ALL, 'w'},
    {STR, DATA, DATA, LOAD | ALL, 0},
    {STR, DATA + 8, DATA, BOTH | ALL, 0},
    {LDRB, DATA + 2, DATA, BOTH | 4 << 5, 'r'},
    {LDRB, DATA + 3, DATA, BOTH | 4 << 5, 0},
    {STRB, DATA + 5, DATA, BOTH | 32 << 5, 'w'}, /* within the upper word of a doubleword */
    {STRB, DATA + 5, DATA + 4, BOTH | 2 << 5, 'w'},
    {STRB, DATA + 1, DATA + 4, BOTH | 2 << 5, 0},
    {LDRD, DATA, DATA + 4, BOTH | 15 << 5, 'r'},
    {LDM, DATA, DATA + 4, BOTH | 15 << 5, 'r'},
    {LDRB, DATA + 0xff, DATA, BOTH | ALL | 8 << 24, 'r'},
    {LDRB, DATA + 0x100, DATA, BOTH | ALL | 8 << 24, 0},
    {STRT, DATA, DATA, BOTH | ALL, 0}, /* STRT accesses as User mode would */
    {LDR, DATA, DATA, BOTH | ALL | LINKED | LINK_5, 0},
};

static void watchpoint_is_a_data_abort(void **state)
{
    struct bench *b = *state;

    for (unsigned i = 0; i < sizeof(watch_rows) / sizeof(watch_rows[0]); i++) {
        const struct watch_row *row = &watch_rows[i];

        enable_debug(b, MODE_SVC);
        set(b, "R1", row->at);
        set(b, "DBGWVR1", row->value);
        set(b, "DBGWCR1", row->control | E | PL1);
        RUN(b, row->word);
        if (!row->hit) {
            assert_int_equal(b->cpu->pc, CODE + 4);
            continue;
        }
        assert_int_equal(b->cpu->pc, VECTORS + 0x10);
        assert_int_equal(get(b, "DFSR"), row->hit == 'w' ? 0x802 : 0x002);
        assert_in_range(get(b, "DFAR"), row->at, row->value > row->at ? row->value : row->at);
        assert_int_equal(method_of_entry(b), MOE_WATCHPOINT);
        assert_int_equal(get(b, "LR"), CODE + 8);
        set(b, "DBGWCR1", 0);
        RUN(b, row->word);
        assert_int_equal(b->cpu->pc, CODE + 4);
    }
}

/* ---- C3.3.4 Vector catch --------------------------------------------------------------------- */

static void vector_catch_is_at_the_vector(void **state)
{
    struct bench *b = *state;

    enable_debug(b, MODE_USER);
    set(b, "DBGVCR", UINT32_C(1) << 26); /* SVC in Non-secure state */
    RUN(b, SVC);
    assert_int_equal(b->cpu->pc, VECTORS + 8);
    cpu_run(b->cpu, 1);
    check_event(b, MOE_VECTOR, VECTORS + 8);
    /* The caught address moves with VBAR. */
    enable_debug(b, MODE_USER);
    set(b, "DBGVCR", UINT32_C(1) << 26);
    set(b, "VBAR", VECTORS + 0x40);
    run(b, VECTORS + 8, 1);
    assert_int_equal(b->cpu->pc, VECTORS + 8);
    /* Bits for vectors of the Secure state, and of aborts, catch nothing. */
    enable_debug(b, MODE_SVC);
    set(b, "DBGVCR", 0x1bdf);
    run(b, VECTORS + 8, 2);
    run(b, VECTORS + 0x0c, 2);
    assert_int_equal(method_of_entry(b), 0);
    set(b, "DBGVCR", UINT32_C(3) << 27);
    run(b, VECTORS + 0x0c, 2);
    run(b, VECTORS + 0x10, 2);
    assert_int_equal(method_of_entry(b), 0);
}

/* A breakpoint at the vector of its own exception does not stop virtual time. */
static void breakpoint_at_its_own_vector(void **state)
{
    struct bench *b = *state;

    enable_debug(b, MODE_SVC);
    set(b, "DBGBVR0", VECTORS + 0x0c);
    set(b, "DBGBCR0", E | PL1 | WORD);
    b->cpu->pc = VECTORS + 0x0c;
    assert_int_equal(cpu_run(b->cpu, 100), 100);
    check_event(b, MOE_BREAKPOINT, VECTORS + 0x0c);
}

static void identification_says_what_there_is(void **state)
{
    struct bench *b = *state;

    enable_debug(b, MODE_SVC);
    /* 4 watchpoints, 6 breakpoints, 2 of them with context comparison, debug v7.1 */
    assert_int_equal(get(b, "DBGDIDR") >> 16, 0x3515);
    assert_int_equal(get(b, "DBGAUTHSTATUS"), 0x0f);
    assert_int_equal(get(b, "DBGCLAIMSET"), 0xff);
    set(b, "DBGCLAIMSET", 0x105);
    set(b, "DBGCLAIMCLR", 4);
    assert_int_equal(get(b, "DBGCLAIMCLR"), 1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(breakpoint_is_a_prefetch_abort),
        cmocka_unit_test(breakpoint_is_kept_away),
        cmocka_unit_test(breakpoint_of_three_modes),
        cmocka_unit_test(breakpoint_in_t32),
        cmocka_unit_test(mismatch_steps),
        cmocka_unit_test(breakpoint_asks_for_the_context),
        cmocka_unit_test(bkpt_says_so),
        cmocka_unit_test(watchpoint_is_a_data_abort),
        cmocka_unit_test(vector_catch_is_at_the_vector),
        cmocka_unit_test(breakpoint_at_its_own_vector),
        cmocka_unit_test(identification_says_what_there_is),
    };

    return cmocka_run_group_tests(tests, bench_setup, bench_teardown);
}
