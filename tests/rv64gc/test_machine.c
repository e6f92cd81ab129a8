/*
 * Machine mode of the RV64GC description, against the RISC-V Instruction Set Manual, volume II.
 * pages.c tests what a program in supervisor mode can try.
 */
#include "tests/rv64gc/bench.h"

#define ECALL     0x00000073
#define WFI       0x10500073
#define SRET      0x10200073
#define SFENCE    0x12000073
#define NOP       0x00000013
#define LD        0x0005b503                            /* ld a0, 0(a1) */
#define SD        0x00a5b023                            /* sd a0, 0(a1) */
#define AMOADD    0x00a5b52f                            /* amoadd.d a0, a0, (a1) */
#define FADD      0x02a57553                            /* fadd.d fa0, fa0, fa0 */
#define CSRR(csr) (0x00002573u | (uint32_t)(csr) << 20) /* csrr a0, csr */
#define CSRW(csr) (0x00051073u | (uint32_t)(csr) << 20) /* csrw csr, a0 */

#define MIE  UINT64_C(8)
#define SIE  UINT64_C(2)
#define MPRV UINT64_C(0x20000)
#define TVM  UINT64_C(0x100000)
#define TW   UINT64_C(0x200000)
#define TSR  UINT64_C(0x400000)
#define FS   UINT64_C(0x6000)

#define MACHINE    HANDLER
#define SUPERVISOR (HANDLER + 0x100)
#define INTERRUPT  (UINT64_C(1) << 63)
#define ILLEGAL    2

static void start_again(struct bench *b)
{
    cpu_reset(b->cpu);
    set(b, "MTVEC", HANDLER);
    set(b, "STVEC", HANDLER + 0x100);
}

/* II.3.1.8: delegated traps go to supervisor mode, but never from machine mode. */
static void test_delegation(void **state)
{
    struct bench *b = *state;

    for (unsigned mode = 0; mode < 4; mode += mode + 1) {
        start_again(b);
        run_in(b, mode, ECALL);
        assert_trapped(b, 3, MACHINE, 8 + mode, 0);
        assert_int_equal(get(b, "MSTATUS") >> 11 & 3, mode);
    }
    set(b, "MEDELEG", 1 << 8 | 1 << ILLEGAL);
    run_in(b, 0, ECALL);
    assert_trapped(b, 1, SUPERVISOR, 8, 0);
    assert_int_equal(get(b, "MSTATUS") >> 8 & 1, 0);
    start_again(b);
    set(b, "MEDELEG", 1 << ILLEGAL);
    run_in(b, 1, 0);
    assert_trapped(b, 1, SUPERVISOR, ILLEGAL, 0);
    assert_int_equal(get(b, "MSTATUS") >> 8 & 1, 1);
    start_again(b);
    set(b, "MEDELEG", 1 << ILLEGAL);
    run_in(b, 3, 0);
    assert_trapped(b, 3, MACHINE, ILLEGAL, 0);
    set(b, "MEDELEG", ~UINT64_C(0)); /* an ECALL of machine mode cannot be delegated */
    assert_int_equal(get(b, "MEDELEG") >> 11 & 1, 0);
}

/* II.3.1.9: which interrupt is taken in which mode, and the vectors of II.3.1.7. */
static void test_interrupts(void **state)
{
    struct bench *b = *state;

    poke(b, HANDLER, NOP); /* an interrupt's entry and its handler's first instruction */
    set(b, "MIE", 0xaaa);
    cpu_set_line(b->cpu, 7, true);
    run_in(b, 3, NOP); /* mstatus.MIE is 0 */
    assert_int_equal(b->cpu->pc, CODE + 4);
    set(b, "MSTATUS", MIE);
    b->cpu->pc = CODE;
    cpu_run(b->cpu, 1);
    assert_int_equal(get(b, "MCAUSE"), INTERRUPT | 7);
    assert_int_equal(get(b, "MEPC"), CODE);
    assert_int_equal(get(b, "MSTATUS") & (MIE | MIE << 4), MIE << 4);
    assert_int_equal(get(b, "MIP"), 0x80);

    start_again(b); /* all are pending: external before software before timer, and vectored */
    set(b, "MTVEC", HANDLER | 1);
    set(b, "MIE", 0xaaa);
    for (unsigned line = 1; line < 12; line += 2)
        cpu_set_line(b->cpu, line, true);
    poke(b, HANDLER + 4 * 11, NOP);
    set(b, "MSTATUS", MIE);
    b->cpu->pc = CODE;
    cpu_run(b->cpu, 1);
    assert_int_equal(get(b, "MCAUSE"), INTERRUPT | 11);
    assert_int_equal(b->cpu->pc, HANDLER + 4 * 11 + 4);

    start_again(b); /* a delegated interrupt waits while machine mode runs */
    set(b, "MIE", 0x222);
    set(b, "MIDELEG", ~UINT64_C(0));
    assert_int_equal(get(b, "MIDELEG"), 0x222);
    set(b, "MSTATUS", MIE | SIE);
    b->cpu->pc = CODE;
    cpu_run(b->cpu, 1);
    assert_int_equal(b->cpu->pc, CODE + 4);
    poke(b, HANDLER + 0x100, NOP);
    run_in(b, 1, NOP);
    assert_int_equal(get(b, "SCAUSE"), INTERRUPT | 9);
    assert_int_equal(b->cpu->pc, SUPERVISOR + 4);
    assert_int_equal(get(b, "SIP"), 0x222);
}

/* Software raises SSIP and STIP at the board, but not STIP while Sstc drives it. */
static void test_pending(void **state)
{
    struct bench *b = *state;

    set(b, "MIP", 0xaaa);
    assert_int_equal(b->port[2], 1);
    assert_int_equal(b->port[3], 1);
    set(b, "MENVCFG", UINT64_C(1) << 63);
    set(b, "MIP", 0);
    assert_int_equal(b->port[2], 0);
    assert_int_equal(b->port[3], 1);
    b->port[2] = 7;
    set(b, "SIP", 0); /* SSI is not delegated */
    assert_int_equal(b->port[2], 7);
    set(b, "MIDELEG", 2);
    set(b, "SIP", 0);
    assert_int_equal(b->port[2], 0);
}

/*
 * II.3.1.9: SEI is pending while the controller's line or software's bit is set; writes to other
 * bits of mip do not copy the line to software's bit.
 */
static void test_external_pending(void **state)
{
    enum { CSRRS = 0x34452573, CSRRC = 0x34453573, CSRRSI = 0x34416573 }; /* a0, mip, a0; 2 */
    struct bench *b = *state;

    set(b, "MENVCFG", UINT64_C(1) << 63);
    cpu_set_line(b->cpu, 9, true);
    assert_int_equal(get(b, "MIP"), 0x200);
    set(b, "X10", 2);
    run_in(b, 3, CSRRS);
    assert_int_equal(get(b, "X10"), 0x200);
    assert_int_equal(b->port[2], 1);
    assert_int_equal(b->port[4], 0);
    run_in(b, 3, CSRRSI);
    assert_int_equal(b->port[4], 0);
    set(b, "X10", 0x200);
    run_in(b, 3, CSRRS);
    assert_int_equal(b->port[4], 1);
    cpu_set_line(b->cpu, 9, false);
    cpu_set_line(b->cpu, 16, true); /* the board's answer */
    assert_int_equal(get(b, "MIP"), 0x200);
    set(b, "X10", 2);
    run_in(b, 3, CSRRC);
    assert_int_equal(get(b, "X10"), 0x200);
    assert_int_equal(b->port[4], 1);
    set(b, "MIDELEG", 0x222);
    assert_int_equal(get(b, "SIP"), 0x200);
    set(b, "SIP", 0); /* not writable in supervisor mode */
    assert_int_equal(b->port[4], 1);
    set(b, "MIE", 0x200);
    set(b, "MSTATUS", SIE);
    poke(b, SUPERVISOR, NOP);
    run_in(b, 1, NOP);
    assert_int_equal(get(b, "SCAUSE"), INTERRUPT | 9);
    start_again(b);
    set(b, "X10", 0x200);
    run_in(b, 3, CSRRC);
    assert_int_equal(b->port[4], 0);
}

/* II.3.1.16: the value is the instruction word, 16 bits of it for a compressed one. */
static void test_illegal_value(void **state)
{
    struct bench *b = *state;

    run_in(b, 3, 0xdead8000 | 0x0004); /* c.addi4spn with immediate 0: reserved */
    assert_trapped(b, 3, MACHINE, ILLEGAL, 0x8004);
    start_again(b);
    run_in(b, 3, 0xffff0000); /* 16 zeros are illegal by definition */
    assert_trapped(b, 3, MACHINE, ILLEGAL, 0);
    start_again(b);
    poke(b, CODE + 4094, 0xfe00ffff); /* the second half is in the next page */
    poke(b, CODE + 4096, 0x1234dead);
    b->cpu->pc = CODE + 4094;
    cpu_run(b->cpu, 1);
    assert_int_equal(get(b, "MCAUSE"), ILLEGAL);
    assert_int_equal(get(b, "MTVAL"), 0xdeadffff);
}

/* II.3.1.6.6: operations that machine mode denies supervisor mode. */
static void test_virtualisation_bits(void **state)
{
    static const struct {
        uint32_t word;
        uint64_t bit;
    } rows[] = {{WFI, TW}, {SRET, TSR}, {SFENCE, TVM}, {CSRR(0x180), TVM}, {CSRW(0x180), TVM}};
    struct bench *b = *state;

    for (unsigned n = 0; n < sizeof(rows) / sizeof(*rows); n++) {
        start_again(b);
        set(b, "X10", 0);
        run_in(b, 1, rows[n].word);
        assert_int_equal(get(b, "MCAUSE"), 0);
        start_again(b);
        set(b, "MSTATUS", rows[n].bit);
        run_in(b, 1, rows[n].word);
        assert_trapped(b, 3, MACHINE, ILLEGAL, rows[n].word);
        start_again(b);
        run_in(b, 0, rows[n].word); /* user mode never may */
        assert_trapped(b, 3, MACHINE, ILLEGAL, rows[n].word);
    }
}

/* II.2.1 and II.3.1.11: access to registers by mode. */
static void test_access(void **state)
{
    static const uint16_t counters[] = {0xc00, 0xc01, 0xc02};
    struct bench *b = *state;

    run_in(b, 1, CSRR(0x300)); /* mstatus */
    assert_trapped(b, 3, MACHINE, ILLEGAL, CSRR(0x300));
    run_in(b, 3, CSRW(0xf14)); /* mhartid */
    assert_trapped(b, 3, MACHINE, ILLEGAL, CSRW(0xf14));
    run_in(b, 3, CSRR(0x7c0)); /* not a register */
    assert_trapped(b, 3, MACHINE, ILLEGAL, CSRR(0x7c0));
    for (unsigned n = 0; n < 3; n++) {
        start_again(b);
        run_in(b, 1, CSRR(counters[n]));
        assert_trapped(b, 3, MACHINE, ILLEGAL, CSRR(counters[n]));
        start_again(b);
        set(b, "MCOUNTEREN", 1u << n);
        run_in(b, 0, CSRR(counters[n])); /* scounteren denies it */
        assert_trapped(b, 3, MACHINE, ILLEGAL, CSRR(counters[n]));
        start_again(b);
        set(b, "MCOUNTEREN", 1u << n);
        set(b, "SCOUNTEREN", 1u << n);
        run_in(b, 0, CSRR(counters[n]));
        assert_int_equal(b->cpu->pc, CODE + 4);
    }
    start_again(b); /* PMP and the other counters read as zero, whatever is written */
    set(b, "X10", 5);
    run_in(b, 3, CSRW(0x3a0));
    run_in(b, 3, CSRW(0xb03));
    assert_int_equal(b->cpu->pc, CODE + 4);
    run_in(b, 3, CSRR(0x3b0));
    assert_int_equal(get(b, "X10"), 0);
}

/* I.9.1: an instruction that writes minstret is not counted itself. */
static void test_instret(void **state)
{
    static const uint64_t values[] = {0, 7, UINT64_MAX};
    struct bench *b = *state;

    for (unsigned n = 0; n < sizeof(values) / sizeof(*values); n++) {
        set(b, "X10", values[n]);
        run_in(b, 3, CSRW(0xb02));
        run_in(b, 3, CSRR(0xb02));
        assert_true(get(b, "X10") == values[n]);
        run_in(b, 3, NOP);
        run_in(b, 3, CSRR(0xc02)); /* after the first CSRR and the NOP */
        assert_true(get(b, "X10") == values[n] + 2);
    }
}

/*
 * II.3.1.6.5: floating-point instructions and registers are illegal while mstatus.FS is Off, and
 * else set it to Dirty.
 */
static void test_fs(void **state)
{
    struct bench *b = *state;

    run_in(b, 3, FADD);
    assert_trapped(b, 3, MACHINE, ILLEGAL, FADD);
    run_in(b, 3, CSRR(0x003));
    assert_trapped(b, 3, MACHINE, ILLEGAL, CSRR(0x003));
    set(b, "MSTATUS", UINT64_C(0x2000));
    assert_int_equal(get(b, "MSTATUS") & FS, FS);
    run_in(b, 3, FADD);
    assert_int_equal(b->cpu->pc, CODE + 4);
    run_in(b, 3, CSRR(0x300));
    assert_int_equal(get(b, "X10") >> 63, 1); /* SD */
}

/*
 * II.3.1.6.3: loads and stores with the rights of the mode in MPP, through a table with one
 * gigapage.
 */
static void test_mprv(void **state)
{
    enum { TABLE = 0x10000, VALID = 1, USER = 16, READ = 2, WRITE = 4, USED = 0xc0 };
    struct bench *b = *state;
    uint64_t data = RAM + 0x20000, seen = data - RAM; /* the table maps it at 0 */

    poke64(b, RAM + TABLE, RAM >> 2 | VALID | READ | WRITE | USED);
    poke64(b, data, 0x1234);
    set(b, "SATP", UINT64_C(8) << 60 | (RAM + TABLE) >> 12);
    set(b, "X11", seen);
    run_in(b, 3, LD); /* unmapped as a physical address */
    assert_trapped(b, 3, MACHINE, 5, seen);
    set(b, "MSTATUS", MPRV | 1 << 11);
    run_in(b, 3, LD);
    assert_int_equal(b->cpu->pc,
                     CODE + 4); /* the instruction itself was fetched there, untranslated */
    assert_int_equal(get(b, "X10"), 0x1234);
    set(b, "MSTATUS", MPRV | 0 << 11);
    run_in(b, 3, SD);
    assert_trapped(b, 3, MACHINE, 15, seen); /* not readable in user mode */
    set(b, "MSTATUS", 0);
    set(b, "X11", data);
    run_in(b, 3, LD);
    assert_int_equal(get(b, "X10"), 0x1234);
}

/* The causes of faults that do not come from page tables. */
static void test_causes(void **state)
{
    static const struct {
        uint32_t word;
        uint64_t address, cause;
    } rows[] = {{LD, 0x1000, 5}, {SD, 0x1000, 7}, {AMOADD, 0x1000, 7}, {AMOADD, RAM + 4, 6}};
    struct bench *b = *state;

    for (unsigned n = 0; n < sizeof(rows) / sizeof(*rows); n++) {
        set(b, "X11", rows[n].address);
        run_in(b, 3, rows[n].word);
        assert_trapped(b, 3, MACHINE, rows[n].cause, rows[n].address);
    }
    set(b, "X11", RAM + 0x30001);
    run_in(b, 3, LD); /* misaligned loads are executed */
    assert_int_equal(b->cpu->pc, CODE + 4);
    b->cpu->pc = 0x1000;
    cpu_run(b->cpu, 1);
    assert_int_equal(get(b, "MCAUSE"), 1);
}

/* A machine may start a hart in the state that its firmware would leave it in. */
static void test_start(void **state)
{
    struct bench *b = *state;

    assert_int_equal(get(b, "PRIV"), 3);
    b->cpu->config[1] = 1;
    cpu_reset(b->cpu);
    assert_int_equal(get(b, "PRIV"), 1);
    assert_int_equal(get(b, "MEDELEG"), 0xb1ff);
    assert_int_equal(get(b, "MIDELEG"), 0x222);
    b->cpu->config[1] = 0;
    cpu_reset(b->cpu);
    assert_int_equal(get(b, "PRIV"), 0);
    assert_int_equal(get(b, "MSTATUS") & FS, FS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_delegation),    TEST(test_interrupts),
        TEST(test_pending),       TEST(test_external_pending),
        TEST(test_illegal_value), TEST(test_virtualisation_bits),
        TEST(test_access),        TEST(test_fs),
        TEST(test_mprv),          TEST(test_causes),
        TEST(test_start),         TEST(test_instret),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
