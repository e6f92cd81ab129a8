/*
 * Address spaces (DDI 0487, D8.16): which ASID is in use, and the switch of tables that Linux does
 * at each exception while programs run with tables that lack the kernel (KPTI).
 */
#include "tests/isa_bench/isa_bench.h"

extern const struct cpu_isa armv8a_isa;

#define TCR_A1  (UINT64_C(1) << 22)
#define ASID(n) ((uint64_t)(n) << 48)
#define PROGRAM UINT64_C(0x40000) /* translation tables */
#define KERNEL  UINT64_C(0x50000)
#define STUB    UINT64_C(0x51000)

static int setup(void **state)
{
    struct bench *b = bench_new(&armv8a_isa, 0, 0x100000);

    cpu_reset(b->cpu);
    *state = b;
    return 0;
}

static void the_asid_of_either_register(void **state)
{
    struct bench *b = *state;

    set(b, "TTBR0_EL1", PROGRAM | ASID(7));
    set(b, "TTBR1_EL1", KERNEL | ASID(4));
    assert_true(b->cpu->space == (PROGRAM | ASID(7)));
    set(b, "TCR_EL1", TCR_A1);
    assert_true(b->cpu->space == (PROGRAM | ASID(4)));
    set(b, "TTBR1_EL1", KERNEL | ASID(6));
    assert_true(b->cpu->space == (PROGRAM | ASID(6)));
}

static void tables_of_programs_and_of_the_kernel(void **state)
{
    struct bench *b = *state;
    uint64_t flushes;
    unsigned kernel;

    set(b, "TCR_EL1", TCR_A1);
    set(b, "TTBR0_EL1", PROGRAM);
    set(b, "TTBR1_EL1", STUB | ASID(5));
    set(b, "TTBR1_EL1", KERNEL | ASID(4));
    kernel = b->cpu->bank;
    set(b, "TTBR1_EL1", STUB | ASID(5));
    assert_int_not_equal(b->cpu->bank, kernel);
    flushes = b->cpu->counters.tlb_spaces;
    set(b, "TTBR1_EL1", KERNEL | ASID(4));
    assert_int_equal(b->cpu->bank, kernel);
    set(b, "TTBR1_EL1", STUB | ASID(5));
    assert_int_equal(b->cpu->counters.tlb_spaces, flushes);
    set(b, "TTBR1_EL1", KERNEL | ASID(8)); /* ASID of another program */
    assert_int_equal(b->cpu->bank, kernel);
    assert_true(b->cpu->counters.tlb_spaces > flushes);
}

static uint32_t flags_of(struct bench *b, uint64_t va)
{
    uint64_t pa;
    uint32_t flags = 0;

    assert_int_equal(armv8a_isa.translate(b->cpu, va, CPU_READ, 1, &pa, &flags), 0);
    return flags & (TRANSLATE_NOT_GLOBAL | TRANSLATE_COMMON);
}

/* What TTBR1_EL1 maps is the same for all ASIDs, what TTBR0_EL1 does is not. */
static void common_tables(void **state)
{
    struct bench *b = *state;
    uint64_t block = 1 << 11 | 1 << 10 | 1; /* nG, AF */

    assert_true(bus_load(b->bus, KERNEL, &block, sizeof(block)));
    assert_true(bus_load(b->bus, PROGRAM, &block, sizeof(block)));
    set(b, "TCR_EL1", TCR_A1 | UINT64_C(2) << 30 | 25 << 16 | 25);
    set(b, "TTBR0_EL1", PROGRAM);
    set(b, "TTBR1_EL1", KERNEL | ASID(4));
    set(b, "SCTLR_EL1", get(b, "SCTLR_EL1") | 1);
    assert_int_equal(flags_of(b, 0x1000), TRANSLATE_NOT_GLOBAL);
    assert_int_equal(flags_of(b, UINT64_C(0xffffff8000001000)),
                     TRANSLATE_NOT_GLOBAL | TRANSLATE_COMMON);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_asid_of_either_register, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(tables_of_programs_and_of_the_kernel, setup,
                                        bench_teardown),
        cmocka_unit_test_setup_teardown(common_tables, setup, bench_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
