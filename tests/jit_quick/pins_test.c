/*
 * Exits into other pages, which are linked while these are mapped as they were: a loop that lies in
 * two pages, one of which gets other memory with other code, by each kind of maintenance, or runs
 * at another address as well.
 *
 * Where rounds went is what the registers say that each page counts.
 */
#include <string.h>

#include "runtime/cpu/internal.h"
#include "runtime/cpu/stamp.h"
#include "runtime/jit/internal.h"
#include "tests/jit_quick/paged.h"

enum {
    PAGES = 8,
    RAM = PAGES * CPU_PAGE_SIZE,
    AT = 0x100, /* of the code in each page */
    WARM = 20000,
    TICKS = 4000,
    HERE = CPU_PAGE_SIZE, /* virtual addresses of the first page of the loop; the other is behind */
    THERE = 4 * CPU_PAGE_SIZE,
    FIRST = 1, /* physical pages: the loop's first, and two that may be its second */
    SECOND = 2,
    OTHER = 3,
};

/* The physical page behind HERE and THERE, and what all pages are. */
static struct {
    unsigned behind_here, behind_there;
    uint32_t flags;
    bool only_read; /* what is behind HERE is only read */
} pages;

static uint32_t translate(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                          uint64_t *pa, uint32_t *flags)
{
    const unsigned to[PAGES] = {0, FIRST, pages.behind_here, 0, FIRST, pages.behind_there};

    (void)cpu;
    (void)ring;
    if (va >= RAM || !to[va / CPU_PAGE_SIZE])
        return 1;
    *pa = to[va / CPU_PAGE_SIZE] * CPU_PAGE_SIZE;
    *flags = pages.flags | CPU_PAGE_BITS << TRANSLATE_SIZE_SHIFT;
    if (pages.only_read && va / CPU_PAGE_SIZE == HERE / CPU_PAGE_SIZE + 1) {
        *flags &= ~(uint32_t)TRANSLATE_EXEC;
        return access == CPU_FETCH;
    }
    return 0;
}

/* Every other round goes through the second page. */
static const uint32_t first[] = {
    0x91000400, /* add x0, x0, #1 */
    0x36007fe0, /* tbz x0, #0, to the next page */
    0x91000463, /* add x3, x3, #1 */
    0x17fffffd, /* b to the first */
};

/* Ways back: a branch to a known address, and one to X9. */
static const uint32_t known = 0x17fffbff, computed = 0xd61f0120;

static void poke_second(struct bench *b, uint32_t back)
{
    const uint32_t second[] = {0x91000421, back}; /* add x1, x1, #1 */
    const uint32_t other[] = {0x91000442, back};  /* add x2, x2, #1 */

    poke_code(b, SECOND * CPU_PAGE_SIZE + AT, second, ARRAY_SIZE(second));
    poke_code(b, OTHER * CPU_PAGE_SIZE + AT, other, ARRAY_SIZE(other));
}

static int setup(void **state)
{
    struct bench *b = paged_new(RAM, translate);

    *state = b;
    memset(&pages, 0, sizeof(pages));
    pages.flags = TRANSLATE_READ | TRANSLATE_EXEC;
    pages.behind_here = SECOND;
    pages.behind_there = OTHER;
    poke_code(b, FIRST * CPU_PAGE_SIZE + AT, first, ARRAY_SIZE(first));
    poke_second(b, known);
    return 0;
}

static void run(struct bench *b, uint64_t page, uint64_t ticks)
{
    for (unsigned n = 0; n < 4; n++)
        set(b, (const char *[]){"X0", "X1", "X2", "X3"}[n], 0);
    set(b, "X9", page + AT);
    cpu_set_pc(b->cpu, page + AT);
    cpu_run(b->cpu, ticks);
    assert_int_equal(fault.va, 0);
}

/* Runs the loop, and expects that its second page is this one. */
static void check(struct bench *b, uint64_t page, unsigned second)
{
    run(b, page, TICKS);
    assert_in_range(get(b, "X0"), TICKS / 4 - 1, TICKS / 4 + 1);
    assert_in_range(get(b, "X3"), TICKS / 8 - 1, TICKS / 8 + 1);
    assert_in_range(get(b, second == SECOND ? "X1" : "X2"), TICKS / 8 - 1, TICKS / 8 + 1);
    assert_int_equal(get(b, second == SECOND ? "X2" : "X1"), 0);
}

static uint64_t bridges(struct bench *b)
{
    const struct jit *jit = b->cpu->code->tier->opaque;

    return jit->counters.bridges;
}

static void test_known(void **state)
{
    struct bench *b = *state;

    run(b, HERE, WARM);
    assert_in_range(bridges(b), 1, 8);
    check(b, HERE, SECOND);
}

static void test_computed(void **state)
{
    struct bench *b = *state;
    uint64_t before;

    poke_second(b, known);
    run(b, HERE, WARM);
    before = bridges(b);
    poke_second(b, computed);
    run(b, HERE, WARM);
    assert_in_range(bridges(b), before + 1, before + 8);
    check(b, HERE, SECOND);
}

static void forget_page(struct cpu *cpu)
{
    cpu_tlb_flush_page(cpu, HERE + CPU_PAGE_SIZE + 8);
}

static void forget_all(struct cpu *cpu)
{
    cpu_tlb_flush(cpu, true);
}

static void forget_local(struct cpu *cpu)
{
    cpu_tlb_flush(cpu, false);
}

static void change_space(struct cpu *cpu)
{
    cpu_set_address_space(cpu, 0, cpu->space + 1);
}

static void change_tables(struct cpu *cpu)
{
    static uint64_t tables = 1;

    cpu_set_address_space(cpu, tables++, 0);
}

/* Gives the second page other memory several times, long enough for links to be renewed. */
static void change_pages(struct bench *b, void (*forget)(struct cpu *))
{
    run(b, HERE, WARM);
    for (unsigned n = 0; n < 8; n++) {
        pages.behind_here = n & 1 ? SECOND : OTHER;
        forget(b->cpu);
        check(b, HERE, pages.behind_here);
        run(b, HERE, WARM);
        check(b, HERE, pages.behind_here);
    }
}

static void test_changes(void **state)
{
    static void (*const kinds[])(struct cpu *) = {forget_page, forget_all, forget_local,
                                                  change_space, change_tables};
    struct bench *b = *state;

    for (unsigned n = 0; n < 2 * ARRAY_SIZE(kinds); n++) {
        poke_second(b, n < ARRAY_SIZE(kinds) ? known : computed);
        pages.flags |= TRANSLATE_NOT_GLOBAL;
        pages.behind_here = SECOND;
        cpu_tlb_flush(b->cpu, true);
        change_pages(b, kinds[n % ARRAY_SIZE(kinds)]);
    }
}

/* Two address spaces in turns, with other memory each: exits are linked as in the one that runs,
 * and a stamp comes back with its space. */
static void test_spaces(void **state)
{
    struct bench *b = *state;
    const uint32_t *now = code_stamps(b->cpu)->now + cpu_table(b->cpu->bank, b->cpu->ring);
    uint32_t stamp;

    pages.flags |= TRANSLATE_NOT_GLOBAL;
    cpu_set_address_space(b->cpu, 0, 0);
    run(b, HERE, WARM);
    stamp = *now;
    assert_int_not_equal(stamp, 0);
    for (unsigned n = 1; n < 12; n++) {
        pages.behind_here = n & 1 ? OTHER : SECOND;
        cpu_set_address_space(b->cpu, 0, n & 1);
        check(b, HERE, pages.behind_here);
        if (n & 4)
            run(b, HERE, WARM);
        check(b, HERE, pages.behind_here);
        assert_int_equal(*now == stamp, !(n & 1));
    }
    for (unsigned n = 2; n < 40; n++) { /* more than are kept aside */
        pages.behind_here = n % 3 ? OTHER : SECOND;
        cpu_set_address_space(b->cpu, 0, n);
        run(b, HERE, WARM);
        check(b, HERE, pages.behind_here);
    }
}

/* What is global stays linked when only other pages are forgotten, and is linked again after its
 * own. */
static void test_global(void **state)
{
    struct bench *b = *state;
    const uint32_t *now = code_stamps(b->cpu)->now + cpu_table(b->cpu->bank, b->cpu->ring);
    uint64_t before;
    uint32_t stamp;

    run(b, HERE, WARM);
    stamp = *now;
    assert_int_not_equal(stamp, 0);
    forget_local(b->cpu);
    cpu_tlb_flush_page(b->cpu, THERE);
    check(b, HERE, SECOND);
    assert_int_equal(*now, stamp);
    forget_page(b->cpu);
    assert_int_equal(*now, 0);
    before = bridges(b);
    run(b, HERE, WARM);
    assert_int_not_equal(*now, 0);
    assert_int_equal(bridges(b), before);
    check(b, HERE, SECOND);
}

static void forget_both(struct cpu *cpu)
{
    forget_page(cpu);
    cpu_tlb_flush_page(cpu, THERE + CPU_PAGE_SIZE);
}

static const uint32_t always[] = {0x91000400 /* add x0, x0, #1 */,
                                  0x140003ff /* b to the next page */};

static uint64_t behind(void)
{
    return HERE + CPU_PAGE_SIZE + AT;
}

/* Puts all stamps and the jump cache's entry of the second page out of date. */
static struct jump_entry *make_stale(struct bench *b)
{
    struct jump_entry *j = &b->cpu->jumps[jump_index(behind())];

    stamp_forget_all(b->cpu);
    j->key = (uint16_t)j->key;
    return j;
}

/* Where stamps differ but the page is mapped as it was, an exit and a trace go on by the soft TLB:
 * nobody looks for the jump cache's entry. */
static void test_soft_tlb(void **state)
{
    struct bench *b = *state;

    for (unsigned n = 0; n < 3; n++) {
        const struct jump_entry *j;

        poke_second(b, n == 1 ? computed : known);
        if (n == 2)
            poke_code(b, FIRST * CPU_PAGE_SIZE + AT, always, ARRAY_SIZE(always));
        run(b, HERE, WARM);
        run(b, HERE, WARM);
        j = make_stale(b);
        run(b, HERE, 33); /* none of these times C is called by turns */
        assert_int_equal(get(b, "X1"), n == 2 ? 8 : 4);
        assert_int_equal(j->key, (uint16_t)j->key);
    }
}

/* The soft TLB has the page, but not for fetches. */
static void test_only_read(void **state)
{
    struct bench *b = *state;
    uint64_t info;
    uint32_t code;

    for (unsigned n = 0; n < 2; n++) {
        if (n)
            poke_code(b, FIRST * CPU_PAGE_SIZE + AT, always, ARRAY_SIZE(always));
        pages.only_read = false;
        forget_page(b->cpu);
        run(b, HERE, WARM);
        pages.only_read = true;
        forget_page(b->cpu);
        assert_true(tlb_find(b->cpu, b->cpu->ring, behind(), CPU_READ, &info, &code));
        set(b, "X1", 0);
        cpu_set_pc(b->cpu, HERE + AT);
        cpu_run(b->cpu, TICKS);
        assert_int_equal(fault.va, behind());
        assert_int_equal(get(b, "X1"), 0);
        fault.va = 0;
    }
}

/* A loop that goes through both pages in each round is a trace, which compares stamps inside. */
static void test_inside(void **state)
{
    static void (*const kinds[])(struct cpu *) = {forget_both, forget_all, change_space};
    struct bench *b = *state;

    poke_code(b, FIRST * CPU_PAGE_SIZE + AT, always, ARRAY_SIZE(always));
    pages.flags |= TRANSLATE_NOT_GLOBAL;
    for (unsigned n = 0; n < 24; n++) {
        bool there = n & 4;
        uint64_t ticks = n & 8 ? WARM : TICKS;

        pages.behind_here = n & 1 ? OTHER : SECOND;
        pages.behind_there = n & 2 ? OTHER : SECOND;
        kinds[n % ARRAY_SIZE(kinds)](b->cpu);
        run(b, there ? THERE : HERE, ticks);
        assert_in_range(get(b, "X0"), ticks / 4 - 1, ticks / 4 + 1);
        assert_in_range(get(b, n & (there ? 2 : 1) ? "X2" : "X1"), ticks / 4 - 1, ticks / 4 + 1);
        assert_int_equal(get(b, n & (there ? 2 : 1) ? "X1" : "X2"), 0);
    }
}

/* Runs a loop of an instruction that sets X2, and of others, at both addresses. Returns the size of
 * its host code. */
static uint64_t run_address(struct bench *b, uint32_t insn, uint64_t offset)
{
    const uint32_t loop[] = {insn, 0x91006042 /* add x2, x2, #24 */,
                             0x91000400 /* add x0, x0, #1 */, 0x17fffffd /* b to the first */};
    const struct jit *jit = b->cpu->code->tier->opaque;
    uint64_t before = jit->counters.bytes;

    poke_code(b, FIRST * CPU_PAGE_SIZE + AT, loop, ARRAY_SIZE(loop));
    for (unsigned n = 0; n < 4; n++) {
        run(b, n & 1 ? THERE : HERE, TICKS);
        assert_int_equal(get(b, "X2"), (n & 1 ? THERE : HERE) + offset + 24);
    }
    return jit->counters.bytes - before;
}

/* The address of a page takes as much code as that of an instruction. */
static void test_page_address(void **state)
{
    uint64_t bytes = run_address(*state, 0x10018802 /* adr x2, . + 0x3100 */, 0x3100 + AT);

    assert_int_equal(run_address(*state, 0xf0000002 /* adrp x2, . + 0x3000 */, 0x3000), bytes);
}

/* One trace serves both addresses of its page; what is behind differs. */
static void test_addresses(void **state)
{
    struct bench *b = *state;

    for (unsigned n = 0; n < 2; n++) {
        poke_second(b, n ? computed : known);
        run(b, HERE, WARM);
        for (unsigned k = 0; k < 8; k++) {
            check(b, THERE, OTHER);
            check(b, HERE, SECOND);
        }
        run(b, THERE, WARM);
        check(b, HERE, SECOND);
        check(b, THERE, OTHER);
    }
}

/* New code in the second page. */
static void test_written(void **state)
{
    struct bench *b = *state;

    run(b, HERE, WARM);
    poke(b, SECOND * CPU_PAGE_SIZE + AT, 0x91000442); /* add x2, x2, #1 */
    check(b, HERE, OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_known, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_computed, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_changes, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_spaces, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_global, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_soft_tlb, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_only_read, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_inside, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_page_address, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_addresses, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(test_written, setup, bench_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
