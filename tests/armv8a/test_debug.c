/*
 * Self-hosted debug (DDI 0487, D2): breakpoints, watchpoints and software step, in the interpreter
 * and in each tier of translation.
 *
 *     test_debug interp|quick|llvm
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/cpu/tier.h"
#include "runtime/jit/jit.h"
#include "tests/isa_bench/isa_bench.h"

extern const struct cpu_isa armv8a_isa;

#define RAM_SIZE UINT64_C(0x800000)
#define VECTORS  UINT64_C(0x10000)
#define CODE     UINT64_C(0x20000)
#define DATA     UINT64_C(0x30000)
#define TABLE    UINT64_C(0x40000)
#define USER     UINT64_C(0x200000) /* a block of 2 MB that EL0 may access */

#define ADD_X3    0x91000463 /* add x3, x3, #1 */
#define CBNZ_BACK 0xb5ffffc1 /* cbnz x1, two instructions before */
#define NOP       0xd503201f
#define SVC       0xd4000001
#define ERET      0xd69f03e0
#define LDRB      0x39400020 /* loads and stores of x0 or w0 at [x1], unless noted */
#define STRB      0x39000020
#define LDRH      0x79400020
#define LDR       0xf9400020
#define STR       0xf9000020
#define LDTR      0xf8400820
#define STTR      0xf8000820
#define LDP       0xa9400c22 /* registers x2 and x3 */
#define STP       0xa9000c22
#define LDR_Q     0x3dc00020
#define STR_Q     0x3d800020
#define LDXR      0xc85f7c20
#define DC_ZVA    0xd50b7421
#define DC_IVAC   0xd5087621
#define DC_CIVAC  0xd50b7e21

/* MDSCR_EL1 */
enum { SS = 1, KDE = 1 << 13, MDE = 1 << 15 };
/* DBGBCR and DBGWCR */
enum {
    E = 1,
    EL1 = 1 << 1,
    EL0 = 1 << 2,
    LOAD = 1 << 3,
    STORE = 2 << 3,
    BOTH = 3 << 3,
    WORD = 15 << 5, /* BAS of a breakpoint: the whole word */
    ALL = 255 << 5, /* BAS of a watchpoint: all 8 bytes */
    SECURE_ONLY = 2 << 14,
    LINK_4 = 4 << 16,
    LINKED = 1 << 20, /* BT of a breakpoint, WT of a watchpoint */
    CONTEXT = 2 << 20,
    LINKED_CONTEXT = 3 << 20,
};

#define ESR_BREAKPOINT  UINT64_C(0xc6000022)
#define ESR_STEP        UINT64_C(0xcf000022)
#define ESR_WATCHPOINT  UINT64_C(0xd6000022)
#define ESR_LOWER       UINT64_C(0x04000000) /* exception class minus 1: taken from EL0 */
#define ESR_WRITE       UINT64_C(0x40)
#define ESR_MAINTENANCE UINT64_C(0x100)

static const char *tier = "interp";

static int setup(void **state)
{
    struct bench *b = bench_new(&armv8a_isa, 0, RAM_SIZE);
    struct jit_options o = jit_defaults();
    struct error err = {0};

    *state = b;
    if (!strcmp(tier, "interp"))
        return 0;
    o.enabled = o.sync = true;
    o.tier = strcmp(tier, "llvm") ? JIT_TIER_QUICK : JIT_TIER_LLVM;
    o.threshold = o.quick_threshold = 4;
    assert_non_null(jit_new(code_of(b->cpu), &b->log, &o, &err));
    return 0;
}

static void enable_debug(struct cpu *cpu)
{
    cpu_register_set(cpu, "OSLAR_EL1", 0);
    cpu_register_set(cpu, "MDSCR_EL1", KDE | MDE);
    cpu_register_set(cpu, "DAIF", 7); /* PSTATE.D is clear */
}

/*
 * Resets the CPU with debug exceptions enabled from EL1 on; its vectors are branches to themselves.
 */
static void begin_with_debug(struct bench *b)
{
    cpu_reset(b->cpu);
    cpu_set_power(b->cpu, true);
    for (unsigned at = 0; at < 0x800; at += 0x80)
        poke(b, VECTORS + at, 0x14000000);
    set(b, "VBAR_EL1", VECTORS);
    set(b, "CPACR_EL1", 3 << 20);
    set(b, "X1", DATA);
    enable_debug(b->cpu);
}

static void run_at(struct bench *b, uint64_t pc, unsigned count)
{
    b->cpu->pc = pc;
    cpu_run(b->cpu, count);
}

/* Puts a loop of three instructions, which runs until x1 is 0; x3 counts its rounds. */
static void put_loop(struct bench *b, uint64_t at)
{
    poke(b, at, ADD_X3);
    poke(b, at + 4, NOP);
    poke(b, at + 8, CBNZ_BACK);
}

/* Checks that an exception with syndrome `esr` was taken from `pc`. */
static void check_entry(struct bench *b, uint64_t esr, uint64_t pc, uint64_t vector)
{
    assert_int_equal(get(b, "ESR_EL1"), esr);
    assert_int_equal(get(b, "ELR_EL1"), pc);
    assert_int_equal(b->cpu->pc, VECTORS + vector);
}

static void check_taken(struct bench *b, uint64_t esr, uint64_t pc)
{
    check_entry(b, esr, pc, esr >> 26 & 1 ? 0x200 : 0x400);
}

/* ---- D2.8 Breakpoints ------------------------------------------------------------------------ */

static void breakpoint_stops_before_its_instruction(void **state)
{
    struct bench *b = *state;

    for (unsigned n = 0; n < 6; n++) {
        char value[] = "DBGBVRn_EL1", control[] = "DBGBCRn_EL1";

        begin_with_debug(b);
        value[6] = control[6] = (char)('0' + n);
        for (unsigned i = 0; i < 4; i++)
            poke(b, CODE + 4 * i, ADD_X3);
        set(b, value, CODE + 8);
        set(b, control, E | EL1 | WORD);
        run_at(b, CODE, 3);
        check_taken(b, ESR_BREAKPOINT, CODE + 8);
        assert_int_equal(get(b, "X3"), 2);
        /* PSTATE.D is set now, so the returned-to instruction executes. */
        run_at(b, CODE + 8, 1);
        assert_int_equal(b->cpu->pc, CODE + 12);
    }
}

/* Each row alone prevents the breakpoint from hitting. */
static void breakpoint_is_kept_away(void **state)
{
    static const struct {
        const char *reg;
        uint64_t value;
    } rows[] = {
        {"DAIF", 15},
        {"MDSCR_EL1", MDE},
        {"MDSCR_EL1", KDE},
        {"OSLAR_EL1", 1},
        {"OSDLR_EL1", 1},
        {"DBGBCR0_EL1", EL1 | WORD},
        {"DBGBCR0_EL1", E | EL0 | WORD},
        {"DBGBCR0_EL1", E | EL1},
        {"DBGBCR0_EL1", E | EL1 | WORD | SECURE_ONLY},
        {"DBGBCR0_EL1", E | EL1 | WORD | 4 << 20}, /* address mismatch, which only AArch32 has */
        {"DBGBVR0_EL1", CODE + 0x1000},            /* same offset in another page */
        {"DBGBVR0_EL1", CODE | UINT64_C(1) << 40},
    };
    struct bench *b = *state;

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin_with_debug(b);
        poke(b, CODE, ADD_X3);
        set(b, "DBGBVR0_EL1", CODE);
        set(b, "DBGBCR0_EL1", E | EL1 | WORD);
        run_at(b, CODE, 1);
        check_taken(b, ESR_BREAKPOINT, CODE);
        set(b, "DAIF", 7);
        set(b, rows[i].reg, rows[i].value);
        run_at(b, CODE, 1);
        assert_int_equal(b->cpu->pc, CODE + 4);
    }
}

/* A loop is translated, then gets a breakpoint, loses it, and gets it again. */
static void loop_gets_and_loses_a_breakpoint(void **state)
{
    struct bench *b = *state;
    uint64_t ticks;

    begin_with_debug(b);
    put_loop(b, CODE);
    run_at(b, CODE, 5000 * 3);
    for (unsigned i = 1; i < 4; i++) {
        uint64_t x3 = get(b, "X3");

        assert_int_equal(x3, 5000 * (2 * i - 1));
        set(b, "DBGBVR1_EL1", CODE + 4);
        set(b, "DBGBCR1_EL1", E | EL1 | WORD);
        ticks = b->cpu->ticks;
        run_at(b, CODE, 2);
        check_taken(b, ESR_BREAKPOINT, CODE + 4);
        assert_int_equal(b->cpu->ticks - ticks, 2);
        assert_int_equal(get(b, "X3"), x3 + 1);
        /* A breakpoint that never matches does not shorten the loop's other blocks. */
        set(b, "DAIF", 7);
        set(b, "DBGBVR1_EL1", CODE + 0x1004);
        run_at(b, CODE + 4, 2 + 4999 * 3);
        assert_int_equal(b->cpu->pc, CODE);
        set(b, "DBGBCR1_EL1", 0);
        run_at(b, CODE, 5000 * 3);
        assert_int_equal(b->cpu->pc, CODE);
    }
}

/* The CPUs of a bus share blocks, but not breakpoints. */
static void other_cpu_has_no_breakpoint(void **state)
{
    struct bench *b = *state;
    struct error err = {0};
    struct cpu *other = cpu_new(&armv8a_isa, 1, b->bus, &b->clock, &b->log, &err);

    assert_non_null(other);
    begin_with_debug(b);
    put_loop(b, CODE);
    cpu_reset(other);
    cpu_set_power(other, true);
    enable_debug(other);
    cpu_register_set(other, "X1", 1);
    set(b, "DBGBVR0_EL1", CODE + 4);
    set(b, "DBGBCR0_EL1", E | EL1 | WORD);
    for (unsigned i = 1; i < 8; i++) {
        set(b, "DAIF", 7);
        run_at(b, CODE, 2);
        check_taken(b, ESR_BREAKPOINT, CODE + 4);
        other->pc = CODE;
        cpu_run(other, 300);
        assert_int_equal(other->pc, CODE);
        assert_int_equal(cpu_register_get(other, "X3"), 100 * i);
    }
    cpu_free(other);
}

static void breakpoint_asks_for_the_context(void **state)
{
    struct bench *b = *state;

    begin_with_debug(b);
    poke(b, CODE, ADD_X3);
    poke(b, CODE + 4, ADD_X3);
    set(b, "DBGBVR0_EL1", CODE);
    set(b, "DBGBCR0_EL1", E | EL1 | WORD | LINKED | LINK_4);
    run_at(b, CODE, 1); /* breakpoint 4, to which this one is linked, is off */
    assert_int_equal(b->cpu->pc, CODE + 4);
    set(b, "DBGBVR4_EL1", 0x1234);
    set(b, "DBGBCR4_EL1", E | EL1 | WORD | LINKED_CONTEXT);
    run_at(b, CODE, 1);
    assert_int_equal(b->cpu->pc, CODE + 4);
    set(b, "CONTEXTIDR_EL1", 0x1234);
    run_at(b, CODE, 1);
    check_taken(b, ESR_BREAKPOINT, CODE);
    /* A context breakpoint alone hits at every address. */
    begin_with_debug(b);
    set(b, "DBGBVR5_EL1", 0x77);
    set(b, "DBGBCR5_EL1", E | EL1 | WORD | CONTEXT);
    run_at(b, CODE, 1);
    assert_int_equal(b->cpu->pc, CODE + 4);
    set(b, "CONTEXTIDR_EL1", 0x77);
    run_at(b, CODE + 4, 1);
    check_taken(b, ESR_BREAKPOINT, CODE + 4);
    /* Breakpoints 0 to 3 cannot compare a context. */
    begin_with_debug(b);
    set(b, "DBGBCR3_EL1", E | EL1 | WORD | CONTEXT);
    run_at(b, CODE, 1);
    assert_int_equal(b->cpu->pc, CODE + 4);
}

/* ---- EL0 ------------------------------------------------------------------------------------- */

/* Maps blocks of 2 MB: the first for EL1 only, the second for EL0 as well. */
static void map_blocks(struct bench *b)
{
    poke64(b, TABLE, 0x401);
    poke64(b, TABLE + 8, USER | 0x441);
    set(b, "MAIR_EL1", 0xff);
    set(b, "TCR_EL1", 39); /* 25 bits of address, so that the table is one level of blocks */
    set(b, "TTBR0_EL1", TABLE);
    set(b, "SCTLR_EL1", get(b, "SCTLR_EL1") | 1);
}

static void enter_el0(struct bench *b, uint64_t pc, uint64_t spsr)
{
    poke(b, CODE, ERET);
    set(b, "SPSR_EL1", spsr);
    set(b, "ELR_EL1", pc);
    run_at(b, CODE, 1);
    assert_int_equal(b->cpu->pc, pc);
}

static void breakpoint_in_el0(void **state)
{
    struct bench *b = *state;

    begin_with_debug(b);
    map_blocks(b);
    put_loop(b, USER);
    set(b, "MDSCR_EL1", MDE); /* KDE and PSTATE.D apply to EL1 alone */
    set(b, "DBGBVR2_EL1", USER + 8);
    set(b, "DBGBCR2_EL1", E | EL0 | WORD);
    for (unsigned i = 1; i < 8; i++) {
        enter_el0(b, USER, 0x200);
        cpu_run(b->cpu, 3);
        check_taken(b, ESR_BREAKPOINT - ESR_LOWER, USER + 8);
        assert_int_equal(get(b, "X3"), i);
    }
}

/* BAS chooses the half of a word in T32. */
static void breakpoint_in_t32(void **state)
{
    static const struct {
        unsigned bas, from, to; /* `to`: offset of the PC that hits; 8: none hits */
    } rows[] = {{12, 0, 2}, {3, 2, 8}, {3, 0, 0}};
    struct bench *b = *state;

    for (unsigned i = 0; i < 3; i++) {
        begin_with_debug(b);
        map_blocks(b);
        poke(b, USER, 0x3301bf00); /* nop; adds r3, #1 */
        poke(b, USER + 4, 0x3301bf00);
        set(b, "DBGBVR0_EL1", USER);
        set(b, "DBGBCR0_EL1", E | EL0 | rows[i].bas << 5);
        enter_el0(b, USER + rows[i].from, 0x30);
        cpu_run(b->cpu, 3);
        if (rows[i].to < 8)
            check_entry(b, ESR_BREAKPOINT - ESR_LOWER, USER + rows[i].to, 0x600);
        else
            assert_int_equal(b->cpu->pc, USER + 8);
    }
}

/* ---- D2.9 Watchpoints ------------------------------------------------------------------------ */

static const struct watch_row {
    uint32_t word;
    uint64_t at, value; /* X1, and the watchpoint's address */
    uint64_t control;   /* control bits besides E and EL1 */
    int hit;            /* 'r' or 'w': a hit of a read or a write; 0: none */
} watch_rows[] = {
    {LDR, DATA, DATA, LOAD | ALL, 'r'},
    {LDR, DATA, DATA, STORE | ALL, 0},
    {STR, DATA, DATA, LOAD | ALL, 0},
    {STR, DATA, DATA, STORE | ALL, 'w'},
    {STR, DATA, DATA, BOTH | ALL, 'w'},
    {LDR, DATA + 8, DATA, BOTH | ALL, 0},
    {LDR, DATA + 0x1000, DATA, BOTH | ALL, 0},
    {LDRB, DATA + 3, DATA, BOTH | 8 << 5, 'r'},
    {LDRB, DATA + 2, DATA, BOTH | 8 << 5, 0},
    {LDRB, DATA + 4, DATA, BOTH | 8 << 5, 0},
    {STRB, DATA + 7, DATA, BOTH | 128 << 5, 'w'},
    {LDRH, DATA + 2, DATA, BOTH | 8 << 5, 'r'},
    {LDR, DATA, DATA, BOTH | 8 << 5, 'r'},
    /* byte 2 of the watched word */
    {LDRB, DATA + 6, DATA + 4, BOTH | 4 << 5, 'r'},
    {LDRB, DATA + 2, DATA + 4, BOTH | 4 << 5, 0},
    {LDRB, DATA + 6, DATA + 4, BOTH | 64 << 5, 0},
    /* Accesses that are unaligned, larger than the watched bytes, or of two registers. */
    {LDR, DATA + 1, DATA + 8, BOTH | 1 << 5, 'r'},
    {LDR, DATA, DATA + 8, BOTH | 1 << 5, 0},
    {LDR_Q, DATA, DATA + 8, BOTH | ALL, 'r'},
    {STR_Q, DATA, DATA + 8, BOTH | ALL, 'w'},
    {LDP, DATA, DATA + 8, BOTH | ALL, 'r'},
    {STP, DATA, DATA + 8, BOTH | ALL, 'w'},
    {STP, DATA, DATA + 16, BOTH | ALL, 0},
    {LDXR, DATA, DATA, LOAD | ALL, 'r'},
    {LDR, DATA + 0xffc, DATA + 0x1000, BOTH | 1 << 5, 'r'}, /* across the end of a page */
    {LDR, DATA + 0xffc, DATA + 0xff8, BOTH | 128 << 5, 'r'},
    {DC_ZVA, DATA + 64, DATA + 72, STORE | ALL, 'w'},
    {DC_ZVA, DATA + 64, DATA + 128, STORE | ALL, 0},
    {DC_CIVAC, DATA, DATA, BOTH | ALL, 0},
    /* Ranges of addresses by MASK. */
    {LDRB, DATA + 0x7ff, DATA, BOTH | ALL | 11 << 24, 'r'},
    {LDRB, DATA + 0x800, DATA, BOTH | ALL | 11 << 24, 0},
    {STRB, DATA + 0x2123, DATA, BOTH | ALL | 16 << 24, 'w'},
    {STRB, DATA + 0x2123, 0, BOTH | ALL | 31 << 24, 'w'},
    {LDRB, DATA, DATA, BOTH | ALL | 1 << 24, 0}, /* reserved */
    /* Security state and exception level. */
    {LDR, DATA, DATA, BOTH | ALL | SECURE_ONLY, 0},
    {LDR, DATA, DATA, BOTH | ALL | LINKED | LINK_4, 0},
};

/*
 * Executes a row 12 times, three times without and three times with the watchpoint in turn: it is
 * newly set, or was set before the translation.
 */
static void check_watch(struct bench *b, const struct watch_row *row)
{
    begin_with_debug(b);
    map_blocks(b);
    poke(b, CODE, row->word);
    for (unsigned i = 0; i < 12; i++) {
        bool on = i / 3 % 2;

        set(b, "DAIF", 7);
        set(b, "X1", row->at);
        set(b, "DBGWVR3_EL1", row->value);
        set(b, "DBGWCR3_EL1", row->control | EL1 | (on ? E : 0));
        run_at(b, CODE, 1);
        if (on && row->hit) {
            check_taken(b, ESR_WATCHPOINT | (row->hit == 'w' ? ESR_WRITE : 0), CODE);
            assert_in_range(get(b, "FAR_EL1"), row->at,
                            row->value > row->at ? row->value : row->at + 8);
        } else {
            assert_int_equal(b->cpu->pc, CODE + 4);
        }
    }
}

static void watchpoints_hit_bytes(void **state)
{
    for (unsigned i = 0; i < sizeof(watch_rows) / sizeof(watch_rows[0]); i++)
        check_watch(*state, &watch_rows[i]);
}

/* A store that a watchpoint stops writes nothing. */
static void watched_store_writes_nothing(void **state)
{
    struct bench *b = *state;
    uint64_t value = 0;

    begin_with_debug(b);
    map_blocks(b);
    poke64(b, DATA, 5);
    poke(b, CODE, STR);
    set(b, "X0", 7);
    set(b, "DBGWVR0_EL1", DATA);
    set(b, "DBGWCR0_EL1", E | EL1 | BOTH | ALL);
    run_at(b, CODE, 1);
    check_taken(b, ESR_WATCHPOINT | ESR_WRITE, CODE);
    assert_true(cpu_memory_read(b->cpu, DATA, &value, sizeof(value)));
    assert_int_equal(value, 5);
}

/* LDTR and STTR count as accesses of EL0: watchpoints for EL0 alone stop only these at EL1. */
static void unprivileged_accesses_are_of_el0(void **state)
{
    struct bench *b = *state;

    begin_with_debug(b);
    map_blocks(b);
    set(b, "X1", USER);
    set(b, "DBGWVR0_EL1", USER);
    set(b, "DBGWCR0_EL1", E | EL0 | BOTH | ALL);
    poke(b, CODE, STR);
    run_at(b, CODE, 1);
    assert_int_equal(b->cpu->pc, CODE + 4);
    poke(b, CODE, STTR);
    run_at(b, CODE, 1);
    check_taken(b, ESR_WATCHPOINT | ESR_WRITE, CODE);
    set(b, "DAIF", 7);
    set(b, "DBGWCR0_EL1", E | EL1 | BOTH | ALL);
    poke(b, CODE, LDTR);
    run_at(b, CODE, 1);
    assert_int_equal(b->cpu->pc, CODE + 4);
}

static void watchpoint_in_el0(void **state)
{
    struct bench *b = *state;

    begin_with_debug(b);
    map_blocks(b);
    set(b, "MDSCR_EL1", MDE);
    set(b, "X1", USER + 0x1000);
    set(b, "DBGWVR1_EL1", USER + 0x1000);
    set(b, "DBGWCR1_EL1", E | EL0 | BOTH | ALL);
    poke(b, USER, STR);
    enter_el0(b, USER, 0x200);
    cpu_run(b->cpu, 1);
    check_taken(b, (ESR_WATCHPOINT - ESR_LOWER) | ESR_WRITE, USER);
    assert_int_equal(get(b, "FAR_EL1"), USER + 0x1000);
}

/* D2.9.7: DC IVAC counts as a store to the line. */
static void invalidation_is_a_store(void **state)
{
    struct bench *b = *state;

    begin_with_debug(b);
    map_blocks(b);
    poke(b, CODE, DC_IVAC);
    set(b, "X1", DATA);
    set(b, "DBGWVR0_EL1", DATA + 56);
    set(b, "DBGWCR0_EL1", E | EL1 | STORE | ALL);
    run_at(b, CODE, 1);
    check_taken(b, ESR_WATCHPOINT | ESR_WRITE | ESR_MAINTENANCE, CODE);
    assert_int_equal(get(b, "FAR_EL1"), DATA);
}

/* A loop of loads is translated, then gets a watchpoint and loses it again. */
static void loop_gets_and_loses_a_watchpoint(void **state)
{
    struct bench *b = *state;

    begin_with_debug(b);
    map_blocks(b);
    put_loop(b, CODE);
    poke(b, CODE + 4, LDR);
    set(b, "X1", DATA);
    set(b, "DBGWVR0_EL1", DATA);
    for (unsigned i = 0; i < 3; i++) {
        set(b, "X3", 0);
        set(b, "DAIF", 7);
        run_at(b, CODE, 5000 * 3);
        assert_int_equal(get(b, "X3"), 5000);
        set(b, "DBGWCR0_EL1", E | EL1 | LOAD | ALL);
        run_at(b, CODE, 2);
        check_taken(b, ESR_WATCHPOINT, CODE + 4);
        assert_int_equal(get(b, "X3"), 5001);
        set(b, "DBGWCR0_EL1", 0);
    }
}

/* ---- D2.11 Software step --------------------------------------------------------------------- */

/* An instruction that a breakpoint or watchpoint stopped is single-stepped afterwards. */
static void stopped_instruction_is_stepped_again(void **state)
{
    struct bench *b = *state;

    begin_with_debug(b);
    map_blocks(b);
    set(b, "X1", USER + 0x1000);
    poke(b, USER, LDR);
    set(b, "MDSCR_EL1", MDE | SS);
    set(b, "DBGBVR0_EL1", USER);
    set(b, "DBGBCR0_EL1", E | EL0 | WORD);
    set(b, "DBGWVR0_EL1", USER + 0x1000);
    set(b, "DBGWCR0_EL1", E | EL0 | BOTH | ALL);
    enter_el0(b, USER, 1 << 21);
    cpu_run(b->cpu, 1);
    check_taken(b, ESR_BREAKPOINT - ESR_LOWER, USER);
    assert_int_equal(get(b, "SPSR_EL1") >> 21 & 1, 1);
    set(b, "DBGBCR0_EL1", 0);
    enter_el0(b, USER, 1 << 21);
    cpu_run(b->cpu, 1);
    check_taken(b, ESR_WATCHPOINT - ESR_LOWER, USER);
    assert_int_equal(get(b, "SPSR_EL1") >> 21 & 1, 1);
    set(b, "DBGWCR0_EL1", 0);
    enter_el0(b, USER, 1 << 21);
    cpu_run(b->cpu, 2);
    check_taken(b, ESR_STEP - ESR_LOWER, USER + 4);
    assert_int_equal(get(b, "SPSR_EL1") >> 21 & 1, 0);
}

/* ---- registers ------------------------------------------------------------------------------- */

static void claim_tags_are_set_and_cleared(void **state)
{
    struct bench *b = *state;

    begin_with_debug(b);
    assert_int_equal(get(b, "DBGCLAIMSET_EL1"), 0xff);
    set(b, "DBGCLAIMSET_EL1", 0x105);
    set(b, "DBGCLAIMSET_EL1", 0x10);
    assert_int_equal(get(b, "DBGCLAIMCLR_EL1"), 0x15);
    set(b, "DBGCLAIMCLR_EL1", 4);
    assert_int_equal(get(b, "DBGCLAIMCLR_EL1"), 0x11);
    assert_int_equal(get(b, "DBGCLAIMSET_EL1"), 0xff);
}

static void reset_forgets_points(void **state)
{
    struct bench *b = *state;

    begin_with_debug(b);
    set(b, "DBGBVR0_EL1", CODE);
    set(b, "DBGBCR0_EL1", E | EL1 | WORD);
    set(b, "DBGWVR0_EL1", DATA);
    set(b, "DBGWCR0_EL1", E | EL1 | BOTH | ALL);
    assert_int_not_equal(b->cpu->points.breaks & b->cpu->points.watches, 0);
    cpu_reset(b->cpu);
    assert_int_equal(b->cpu->points.breaks | b->cpu->points.watches, 0);
    begin_with_debug(b);
    poke(b, CODE, STR);
    run_at(b, CODE, 1);
    assert_int_equal(b->cpu->pc, CODE + 4);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(breakpoint_stops_before_its_instruction),
        cmocka_unit_test(breakpoint_is_kept_away),
        cmocka_unit_test(loop_gets_and_loses_a_breakpoint),
        cmocka_unit_test(other_cpu_has_no_breakpoint),
        cmocka_unit_test(breakpoint_asks_for_the_context),
        cmocka_unit_test(breakpoint_in_el0),
        cmocka_unit_test(breakpoint_in_t32),
        cmocka_unit_test(watchpoints_hit_bytes),
        cmocka_unit_test(watched_store_writes_nothing),
        cmocka_unit_test(unprivileged_accesses_are_of_el0),
        cmocka_unit_test(watchpoint_in_el0),
        cmocka_unit_test(invalidation_is_a_store),
        cmocka_unit_test(loop_gets_and_loses_a_watchpoint),
        cmocka_unit_test(stopped_instruction_is_stepped_again),
        cmocka_unit_test(claim_tags_are_set_and_cleared),
        cmocka_unit_test(reset_forgets_points),
    };

    if (argc == 2)
        tier = argv[1];
    return cmocka_run_group_tests(tests, setup, bench_teardown);
}
