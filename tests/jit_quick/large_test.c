/*
 * Accesses in large pages, which look in a table of 2 MB entries after many misses of the soft TLB:
 * that they do, and values and faults beside those that a walk of the pages by hand gives, also
 * when the pages change.
 */
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/cpu/large.h"
#include "runtime/cpu/tier.h"
#include "tests/jit_quick/paged.h"

enum {
    CHUNKS = 4, /* of 2 MB of memory */
    RAM = CHUNKS * LARGE_BYTES,
    CODE = 0x100,
    WARM = 100000, /* ticks in which each copy of an unrolled loop meets enough misses */
    ROUNDS = 24,   /* ticks of four rounds: parts of a round are interpreted */
    NOWHERE = CHUNKS,
};

/* Pages at this distance have the same entry of the soft TLB. */
#define SAME ((uint64_t)TLB_SIZE * CPU_PAGE_SIZE)
/* Virtual addresses of two large pages at that distance. */
#define A ((uint64_t)LARGE_BYTES)
#define B (A + SAME)

/* Which 2 MB of memory the large pages at A and B, and behind A, have, what all allow, and what the
 * one at B denies. */
static struct {
    unsigned a, b, behind_a;
    uint32_t flags, denied;
} pages;

static unsigned chunk_at(uint64_t va)
{
    switch (va & ~LARGE_MASK) {
    case 0: /* the code's */
        return 0;
    case A:
        return pages.a;
    case A + LARGE_BYTES:
        return pages.behind_a;
    case B:
        return pages.b;
    default:
        return NOWHERE;
    }
}

static uint32_t translate(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                          uint64_t *pa, uint32_t *flags)
{
    unsigned chunk = chunk_at(va);
    uint32_t allowed = pages.flags & ~(chunk == pages.b ? pages.denied : 0);

    (void)cpu;
    (void)ring;
    if (chunk == NOWHERE || !(allowed >> access & 1))
        return 1;
    *pa = (uint64_t)chunk * LARGE_BYTES + (va & LARGE_MASK);
    *flags = allowed | TLB_LARGE_BITS << TRANSLATE_SIZE_SHIFT;
    return 0;
}

static int setup(void **state)
{
    *state = paged_new(RAM, translate);
    memset(&pages, 0, sizeof(pages));
    pages.a = 1;
    pages.b = 2;
    pages.behind_a = NOWHERE;
    pages.flags = TRANSLATE_READ | TRANSLATE_WRITE | TRANSLATE_EXEC;
    return 0;
}

static const uint32_t copy[] = {
    0xf9400002, /* ldr x2, [x0] */
    0xf9000822, /* str x2, [x1, #16] */
    0xf9400106, /* ldr x6, [x8]: its base changes, so it shares no look-up */
    0x8b090108, /* add x8, x8, x9 */
    0xa9409003, /* ldp x3, x4, [x0, #8] */
    0x17fffffb, /* b to the first */
};

static void run(struct bench *b, uint64_t from, uint64_t to, uint64_t ticks)
{
    set(b, "X0", from);
    set(b, "X1", to);
    set(b, "X8", from);
    cpu_set_pc(b->cpu, CODE);
    cpu_run(b->cpu, ticks);
}

static uint64_t physical(uint64_t va)
{
    return chunk_at(va) * (uint64_t)LARGE_BYTES + (va & LARGE_MASK);
}

static uint64_t word_at(struct bench *b, uint64_t va)
{
    uint64_t value;

    assert_true(cpu_phys_read(b->cpu, physical(va), 8, &value));
    return value;
}

static void check_copy(struct bench *b, uint64_t from, uint64_t to)
{
    assert_int_equal(get(b, "X2"), physical(from));
    assert_int_equal(get(b, "X3"), physical(from + 8));
    assert_int_equal(get(b, "X4"), physical(from + 16));
    assert_int_equal(get(b, "X6"), physical(from));
    assert_int_equal(word_at(b, to + 16), physical(from));
}

/* Runs a loop whose two pages push each other out of the soft TLB, until it has entries of 2 MB. */
static void warm_up(struct bench *b)
{
    uint64_t before;

    poke_code(b, CODE, copy, ARRAY_SIZE(copy));
    run(b, A + 0x8000, B + 0x8000, WARM);
    check_copy(b, A + 0x8000, B + 0x8000);
    before = b->cpu->counters.tlb_misses;
    run(b, A + 0x8000, B + 0x8000, WARM);
    assert_in_range(b->cpu->counters.tlb_misses - before, 0, 8);
}

/* Loads that have not met enough misses themselves meet each page once. The trace is left there, so
 * the interpreter does the store behind them, which meets its page. */
static void test_other_pages(void **state)
{
    struct bench *b = *state;
    uint64_t before;
    unsigned pairs = 0;

    warm_up(b);
    before = b->cpu->counters.tlb_misses;
    for (uint64_t at = 0x10000; at < LARGE_BYTES; at += 0xf008) {
        run(b, A + at, B + at - 0x4000, ROUNDS);
        check_copy(b, A + at, B + at - 0x4000);
        pairs++;
    }
    assert_in_range(b->cpu->counters.tlb_misses - before, 0, 2 * pairs + 8);
    assert_int_equal(fault.va, 0);
}

/* A flush of any page of the 2 MB forgets them. */
static void test_moved(void **state)
{
    struct bench *b = *state;

    warm_up(b);
    pages.a = 3;
    cpu_tlb_flush_page(b->cpu, A + 0x105000);
    run(b, A + 0x20000, B + 0x8000, ROUNDS);
    check_copy(b, A + 0x20000, B + 0x8000);
    pages.b = 1;
    cpu_tlb_flush(b->cpu, false);
    run(b, A + 0x20000, B + 0x20000, ROUNDS);
    check_copy(b, A + 0x20000, B + 0x20000);
}

/* The page at B has been read, and is not written to. */
static void test_write_fault(void **state)
{
    struct bench *b = *state;

    warm_up(b);
    pages.denied = TRANSLATE_WRITE;
    cpu_tlb_flush_page(b->cpu, B);
    run(b, B + 0x8000, B + 0x20000, ROUNDS);
    assert_int_equal(fault.va, B + 0x20010);
    assert_int_equal(fault.pc, CODE + 4);
    assert_int_equal(get(b, "X2"), physical(B + 0x8000));
    assert_int_equal(word_at(b, B + 0x20010), physical(B + 0x20010));
}

/* The page at B has been written to, and is not read. */
static void test_read_fault(void **state)
{
    struct bench *b = *state;

    warm_up(b);
    pages.denied = TRANSLATE_READ;
    cpu_tlb_flush_page(b->cpu, B);
    run(b, A + 0x8000, B + 0x20000, ROUNDS);
    check_copy(b, A + 0x8000, B + 0x20000);
    run(b, B + 0x8000, B + 0x20000, ROUNDS);
    assert_int_equal(fault.va, B + 0x8000);
    assert_int_equal(fault.pc, CODE);
}

/* A page of type Device serves no misaligned access. */
static void test_device(void **state)
{
    struct bench *b = *state;

    warm_up(b);
    pages.flags |= TRANSLATE_DEVICE;
    cpu_tlb_flush(b->cpu, true);
    run(b, A + 0x8000, B + 0x8000, WARM);
    check_copy(b, A + 0x8000, B + 0x8000);
    run(b, A + 0x8000, B + 0x8004, ROUNDS);
    assert_int_equal(fault.va, B + 0x8014);
}

/* Accesses at the end of the 2 MB, of which the last ones lie behind. */
static void test_border(void **state)
{
    struct bench *b = *state;

    warm_up(b);
    run(b, A + LARGE_BYTES - 16, B + 0x8000, ROUNDS);
    assert_int_equal(fault.va, A + LARGE_BYTES);
    assert_int_equal(fault.pc, CODE + 16);
    assert_int_equal(get(b, "X2"), physical(A + LARGE_BYTES - 16));
    pages.behind_a = 3;
    run(b, A + LARGE_BYTES - 16, B + 0x8000, ROUNDS);
    check_copy(b, A + LARGE_BYTES - 16, B + 0x8000);
    /* Bytes 4 to 7 of the last word, and bytes 0 to 3 of the first one behind it. */
    run(b, A + LARGE_BYTES - 4, B + 0x8000, ROUNDS);
    assert_int_equal(get(b, "X2"), (uint64_t)(3 * LARGE_BYTES) << 32);
    assert_int_equal(get(b, "X6"), (uint64_t)(3 * LARGE_BYTES) << 32);
    run(b, A, B + LARGE_BYTES - 20, ROUNDS);
    assert_int_equal(fault.va, B + LARGE_BYTES);
}

/* A page that gets code is not written to inline any more: new code runs. */
static void test_code(void **state)
{
    struct bench *b = *state;

    warm_up(b);
    poke64(b, physical(B + 0x9010), 0x14000000d2800025); /* mov x5, #1; b to itself */
    cpu_set_pc(b->cpu, B + 0x9010);
    cpu_run(b->cpu, 10);
    assert_int_equal(get(b, "X5"), 1);
    poke64(b, physical(A + 0x9000), 0x14000000d2800045); /* mov x5, #2; b to itself */
    run(b, A + 0x9000, B + 0x9000, 12);
    cpu_set_pc(b->cpu, B + 0x9010);
    cpu_run(b->cpu, 10);
    assert_int_equal(get(b, "X5"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_other_pages, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_moved, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_write_fault, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_read_fault, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_device, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_border, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_code, setup, bench_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
