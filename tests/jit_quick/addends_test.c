/*
 * Accesses that share a look-up in the soft TLB, beside the values that a walk of the pages by hand
 * gives: in one page, over the border of two whose memory is not adjacent, with faults behind the
 * border, and in memory of type Device.
 *
 * Each loop runs until it is a trace, and then with other addresses.
 */
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/cpu/internal.h"
#include "runtime/jit/internal.h"
#include "tests/jit_quick/paged.h"

enum {
    PAGES = 8,
    RAM = PAGES * CPU_PAGE_SIZE,
    CODE = 0x100,
    WARM = 200, /* ticks in which a loop becomes a trace */
    LONG = 40000,
    NOWHERE = PAGES,
};

/* Where the guest's pages are: virtual page n has the physical page to[n], NOWHERE if it has
 * none. */
static struct {
    unsigned to[PAGES];
    uint32_t flags[PAGES];
} pages;

static uint32_t translate(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                          uint64_t *pa, uint32_t *flags)
{
    uint64_t n = va / CPU_PAGE_SIZE;
    unsigned to = n < PAGES ? pages.to[n] : NOWHERE;

    (void)cpu;
    (void)ring;
    if (to == NOWHERE || (access == CPU_WRITE && !(pages.flags[n] & TRANSLATE_WRITE)))
        return 1;
    *pa = to * CPU_PAGE_SIZE;
    *flags = pages.flags[n] | 12 << TRANSLATE_SIZE_SHIFT;
    return 0;
}

/* Page 0 is the code's. Pages 1 to 5 are those from 6 down: no two neighbours are neighbours. */
static int setup(void **state)
{
    *state = paged_new(RAM, translate);
    memset(&pages, 0, sizeof(pages));
    for (unsigned n = 0; n < PAGES; n++) {
        pages.to[n] = n && n < 6 ? 7 - n : n ? NOWHERE : 0;
        pages.flags[n] = TRANSLATE_READ | TRANSLATE_WRITE | TRANSLATE_EXEC;
    }
    return 0;
}

static const uint32_t copy[] = {
    0xa9400c02, /* ldp x2, x3, [x0] */
    0xf9400c04, /* ldr x4, [x0, #24] */
    0xa93f9022, /* stp x2, x4, [x1, #-8] */
    0xf9000423, /* str x3, [x1, #8] */
    0x17fffffc, /* b to the first */
};

static void run(struct bench *b, uint64_t from, uint64_t to, uint64_t ticks)
{
    set(b, "X0", from);
    set(b, "X1", to);
    cpu_set_pc(b->cpu, CODE);
    cpu_run(b->cpu, ticks);
}

static uint64_t word_at(struct bench *b, uint64_t pa)
{
    uint64_t value;

    assert_true(cpu_phys_read(b->cpu, pa, 8, &value));
    return value;
}

/* Physical address by the rule of setup(). */
static uint64_t physical(uint64_t va)
{
    return (7 - va / CPU_PAGE_SIZE) * CPU_PAGE_SIZE + va % CPU_PAGE_SIZE;
}

static void check_copy(struct bench *b, uint64_t from, uint64_t to)
{
    assert_int_equal(get(b, "X2"), physical(from));
    assert_int_equal(get(b, "X3"), physical(from + 8));
    assert_int_equal(get(b, "X4"), physical(from + 24));
    assert_int_equal(word_at(b, physical(to - 8)), physical(from));
    assert_int_equal(word_at(b, physical(to)), physical(from + 24));
    assert_int_equal(word_at(b, physical(to + 8)), physical(from + 8));
}

static void test_borders(void **state)
{
    struct bench *b = *state;

    poke_code(b, CODE, copy, ARRAY_SIZE(copy));
    run(b, 0x1800, 0x3800, WARM);
    check_copy(b, 0x1800, 0x3800);
    /* In the first pass the soft TLB does not have all pages. */
    for (uint64_t from = 0x1100; from <= 0x1200; from += 0x100) {
        for (uint64_t before = 0; before <= 40; before += 8) {
            run(b, 0x2000 - before, 0x3100, 20);
            check_copy(b, 0x2000 - before, 0x3100);
            run(b, from + before, 0x4000 - before, 20);
            check_copy(b, from + before, 0x4000 - before);
        }
    }
    assert_int_equal(fault.va, 0);
}

/* The page behind the border has no memory: what is before it has been read. */
static void test_read_fault(void **state)
{
    struct bench *b = *state;

    poke_code(b, CODE, copy, ARRAY_SIZE(copy));
    pages.to[2] = NOWHERE;
    run(b, 0x1800, 0x3800, WARM);
    run(b, 0x2000 - 16, 0x3800, 20);
    assert_int_equal(fault.va, 0x2008);
    assert_int_equal(fault.pc, CODE + 4);
    assert_int_equal(get(b, "X2"), physical(0x2000 - 16));
    assert_int_equal(get(b, "X3"), physical(0x2000 - 8));
    assert_int_equal(get(b, "X4"), physical(0x1818));
}

/* The page behind the border cannot be written to: the stores before it have been made. */
static void test_write_fault(void **state)
{
    struct bench *b = *state;

    poke_code(b, CODE, copy, ARRAY_SIZE(copy));
    pages.flags[4] &= ~(uint32_t)TRANSLATE_WRITE;
    run(b, 0x1800, 0x3800, WARM);
    run(b, 0x1100, 0x4000 - 8, 20);
    assert_int_equal(fault.va, 0x4000);
    assert_int_equal(fault.pc, CODE + 12);
    assert_int_equal(word_at(b, physical(0x4000 - 16)), physical(0x1100));
    assert_int_equal(word_at(b, physical(0x4000 - 8)), physical(0x1118));
    assert_int_equal(word_at(b, physical(0x4000)), physical(0x4000));
}

/* Memory of type Device serves aligned accesses only. */
static void test_device(void **state)
{
    struct bench *b = *state;

    poke_code(b, CODE, copy, ARRAY_SIZE(copy));
    pages.flags[2] |= TRANSLATE_DEVICE;
    run(b, 0x1800, 0x3800, WARM);
    for (unsigned n = 0; n < 40; n++) {
        run(b, 0x2000 + n * 8, 0x3800, WARM);
        check_copy(b, 0x2000 + n * 8, 0x3800);
    }
    assert_int_equal(fault.va, 0);
    run(b, 0x2004, 0x3800, 20);
    assert_int_equal(fault.va, 0x2004);
}

/* A load and a store that share what the soft TLB says of writes. */
static const uint32_t update[] = {
    0xf9400002, /* ldr x2, [x0] */
    0x91000442, /* add x2, x2, #1 */
    0xf9000402, /* str x2, [x0, #8] */
    0x17fffffd, /* b to the first */
};

/* The page, which the soft TLB has, can be read and not written to: the load in front of the store
 * has been made. */
static void test_shared_fault(void **state)
{
    static const uint32_t reads[] = {
        0xf9400005, /* ldr x5, [x0] */
        0x17ffffff, /* b to the first */
    };
    struct bench *b = *state;

    poke_code(b, CODE, reads, ARRAY_SIZE(reads));
    pages.flags[4] &= ~(uint32_t)TRANSLATE_WRITE;
    run(b, 0x4100, 0, WARM);
    assert_int_equal(get(b, "X5"), physical(0x4100));
    poke_code(b, CODE, update, ARRAY_SIZE(update));
    run(b, 0x1800, 0, WARM);
    assert_int_equal(word_at(b, physical(0x1808)), physical(0x1800) + 1);
    run(b, 0x4100, 0, WARM);
    assert_int_equal(fault.va, 0x4108);
    assert_int_equal(fault.pc, CODE + 8);
    assert_int_equal(get(b, "X2"), physical(0x4100) + 1);
    assert_int_equal(word_at(b, physical(0x4108)), physical(0x4108));
}

/* Loads whose values are not needed fault as others do, in the first round. */
static void test_unused(void **state)
{
    static const uint32_t loads[] = {
        0xa9407c1f, /* ldp xzr, xzr, [x0] */
        0xf840001f, /* ldur xzr, [x0] */
        0x17fffffe, /* b to the first */
    };
    struct bench *b = *state;
    uint64_t before;

    poke_code(b, CODE, loads, ARRAY_SIZE(loads));
    pages.to[2] = NOWHERE;
    run(b, 0x1800, 0, WARM);
    assert_int_equal(fault.va, 0);
    before = b->cpu->ticks;
    run(b, 0x2100, 0, WARM);
    assert_int_equal(fault.va, 0x2100);
    assert_int_equal(fault.pc, CODE);
    assert_in_range(b->cpu->ticks - before, 0, ARRAY_SIZE(loads));
}

/* Accesses that share nothing, at a distance from their base: in other pages than the base, and in
 * two. */
static void test_offsets(void **state)
{
    static const uint32_t move[] = {
        0xf9400c02, /* ldr x2, [x0, #24] */
        0xf81f8022, /* stur x2, [x1, #-8] */
        0x17fffffe, /* b to the first */
    };
    struct bench *b = *state;

    poke_code(b, CODE, move, ARRAY_SIZE(move));
    run(b, 0x1800, 0x3800, WARM);
    for (unsigned n = 0; n < 12; n++) {
        run(b, 0x2000 - 8 * n, 0x4000 + 8 * n, 30);
        assert_int_equal(get(b, "X2"), physical(0x2018 - 8 * n));
        assert_int_equal(word_at(b, physical(0x3ff8 + 8 * n)), physical(0x2018 - 8 * n));
    }
    run(b, 0x2000 - 28, 0x4000 + 4, WARM);
    assert_int_equal(get(b, "X2") & UINT32_MAX, physical(0x1ff8) >> 32);
    assert_int_equal(get(b, "X2") >> 32, physical(0x2000));
    assert_int_equal(word_at(b, physical(0x3ff8)) >> 32, get(b, "X2") & UINT32_MAX);
    assert_int_equal(word_at(b, physical(0x4000)) & UINT32_MAX, get(b, "X2") >> 32);
    assert_int_equal(fault.va, 0);
    run(b, 0x6000 - 24, 0x3800, WARM);
    assert_int_equal(fault.va, 0x6000);
}

/* Bytes in two pages leave the trace, until the next trace tests what the soft TLB says. */
static void test_often_left(void **state)
{
    struct bench *b = *state;
    const struct jit *jit = b->cpu->code->tier->opaque;
    uint64_t left;

    poke_code(b, CODE, update, ARRAY_SIZE(update));
    run(b, 0x1800, 0, WARM);
    left = jit->counters.deopts;
    run(b, 0x2000 - 8, 0, LONG);
    assert_in_range(jit->counters.deopts - left, 64, 1000);
    left = jit->counters.deopts;
    poke64(b, physical(0x2000 - 8), 41);
    run(b, 0x2000 - 8, 0, LONG);
    assert_int_equal(jit->counters.deopts, left);
    assert_int_equal(get(b, "X2"), 42);
    assert_int_equal(word_at(b, physical(0x2000)), 42);
    assert_int_equal(fault.va, 0);
}

/* Code that runs rarely tests from the start: it is never left. */
static void test_rare(void **state)
{
    static const uint32_t wait[] = {0x14000000 /* b to itself */};
    struct bench *b = *state;
    const struct jit *jit = b->cpu->code->tier->opaque;
    uint64_t left;

    poke_code(b, CODE, update, ARRAY_SIZE(update));
    poke_code(b, CODE + 0x200, wait, ARRAY_SIZE(wait));
    for (unsigned n = 0; n < 8; n++) {
        run(b, 0x1800, 0, ARRAY_SIZE(update));
        cpu_set_pc(b->cpu, CODE + 0x200);
        cpu_run(b->cpu, LONG);
    }
    left = jit->counters.deopts;
    poke64(b, physical(0x2000 - 8), 41);
    run(b, 0x2000 - 8, 0, LONG);
    assert_int_equal(jit->counters.deopts, left);
    assert_int_equal(get(b, "X2"), 42);
    assert_int_equal(word_at(b, physical(0x2000)), 42);
    assert_int_equal(fault.va, 0);
}

/* Accesses by two registers, in turns and in a row, with what is computed between them. There are
 * more values than the host has registers. */
static const uint32_t mix[] = {
    0x4f02e6a0, /* movi v0.16b, #0x55: the host loads it from beside the trace's code */
    0x3d801820, /* str q0, [x1, #96] */
    0xa9400c02, /* ldp x2, x3, [x0] */
    0x8b030044, /* add x4, x2, x3 */
    0xf81f8024, /* stur x4, [x1, #-8] */
    0xf9400805, /* ldr x5, [x0, #16] */
    0xcac41ca6, /* eor x6, x5, x4, ror #7 */
    0x9b057cc7, /* mul x7, x6, x5 */
    0xa9001c26, /* stp x6, x7, [x1] */
    0x79403408, /* ldrh w8, [x0, #26] */
    0x79803809, /* ldrsh x9, [x0, #28] */
    0x39004429, /* strb w9, [x1, #17] */
    0xa9426c1a, /* ldp x26, x27, [x0, #32] */
    0xa901ec3a, /* stp x26, x27, [x1, #24] */
    0xa9432c0a, /* ldp x10, x11, [x0, #48] */
    0xa944340c, /* ldp x12, x13, [x0, #64] */
    0xa9453c0e, /* ldp x14, x15, [x0, #80] */
    0xa9464410, /* ldp x16, x17, [x0, #96] */
    0x8b050052, /* add x18, x2, x5 */
    0x8b090113, /* add x19, x8, x9 */
    0xca0b0154, /* eor x20, x10, x11 */
    0x8b0d0195, /* add x21, x12, x13 */
    0xcb0f01d6, /* sub x22, x14, x15 */
    0x9b117e17, /* mul x23, x16, x17 */
    0xa902cc32, /* stp x18, x19, [x1, #40] */
    0xa903d434, /* stp x20, x21, [x1, #56] */
    0xeb1702df, /* cmp x22, x23 */
    0x9a873078, /* csel x24, x3, x7, lo */
    0xa904dc36, /* stp x22, x23, [x1, #72] */
    0xf9002c38, /* str x24, [x1, #88] */
    0xf9403819, /* ldr x25, [x0, #112] */
    0x17ffffe1, /* b to the first */
};

enum {
    MIX_REGISTERS = 28, /* X0 to X27 */
    MIX_FIRST = -8,     /* bytes that it stores, from X1 on */
    MIX_WORDS = 15,
};

struct mixed {
    uint64_t x[MIX_REGISTERS], stored[MIX_WORDS];
};

/* Runs it once, at an address, over words that hold their own addresses. */
static struct mixed run_mix(struct bench *b, uint64_t pc, uint64_t from, uint64_t to)
{
    struct mixed m;
    char name[8];

    for (int64_t n = 0; n < MIX_WORDS; n++)
        poke64(b, physical(to + (uint64_t)(MIX_FIRST + 8 * n)), (uint64_t)n);
    set(b, "X0", from);
    set(b, "X1", to);
    cpu_set_pc(b->cpu, pc);
    cpu_run(b->cpu, ARRAY_SIZE(mix));
    for (unsigned n = 0; n < MIX_REGISTERS; n++) {
        snprintf(name, sizeof(name), "X%u", n);
        m.x[n] = get(b, name);
    }
    for (int64_t n = 0; n < MIX_WORDS; n++)
        m.stored[n] = word_at(b, physical(to + (uint64_t)(MIX_FIRST + 8 * n)));
    return m;
}

/* Makes a trace of it that runs rarely. */
static void warm_mix(struct bench *b)
{
    static const uint32_t wait[] = {0x14000000 /* b to itself */};

    set(b, "CPACR_EL1", 3 << 20);
    poke_code(b, CODE, mix, ARRAY_SIZE(mix));
    poke_code(b, CODE + 0x200, wait, ARRAY_SIZE(wait));
    for (unsigned n = 0; n < 8; n++) {
        run_mix(b, CODE, 0x1800, 0x3800);
        cpu_set_pc(b->cpu, CODE + 0x200);
        cpu_run(b->cpu, LONG);
    }
}

/* Detours round accesses in two pages: as the interpreter has it, which new code runs in. */
static void test_detours(void **state)
{
    struct bench *b = *state;
    const struct jit *jit = b->cpu->code->tier->opaque;
    uint64_t left;

    warm_mix(b);
    pages.to[6] = 1; /* new code in the trace's page would end the trace */
    left = jit->counters.deopts;
    for (uint64_t n = 0; n < 128; n += 8) {
        uint64_t from[] = {0x2000 - n, 0x1800, 0x2000 - n}, to[] = {0x3800, 0x4000 - n, 0x4010 - n};

        for (unsigned k = 0; k < ARRAY_SIZE(from); k++) {
            struct mixed expected, m;

            poke_code(b, CPU_PAGE_SIZE, mix, ARRAY_SIZE(mix));
            expected = run_mix(b, 6 * CPU_PAGE_SIZE, from[k], to[k]);
            if (n & 8) /* with misses, too */
                cpu_tlb_flush(b->cpu, true);
            m = run_mix(b, CODE, from[k], to[k]);
            assert_memory_equal(&m, &expected, sizeof(m));
        }
    }
    assert_int_equal(jit->counters.deopts, left);
    assert_int_equal(fault.va, 0);
}

/* A fault in a detour: what is in front of it has been done. */
static void test_detour_fault(void **state)
{
    struct bench *b = *state;
    struct mixed m, all;

    warm_mix(b);
    all = run_mix(b, CODE, 0x2000 - 48, 0x3800);
    pages.to[2] = NOWHERE;
    cpu_tlb_flush(b->cpu, true);
    m = run_mix(b, CODE, 0x2000 - 48, 0x3800);
    assert_int_equal(fault.va, 0x2000);
    assert_int_equal(fault.pc, CODE + 14 * 4);
    assert_memory_equal(m.x, all.x, 10 * sizeof(m.x[0]));
    assert_memory_equal(m.stored, all.stored, 6 * sizeof(m.stored[0]));
    assert_int_equal(m.stored[6], 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_borders, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_read_fault, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_write_fault, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_device, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_shared_fault, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_offsets, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_unused, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_often_left, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_rare, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_detours, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_detour_fault, setup, bench_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
