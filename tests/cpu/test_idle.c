/*
 * Unit tests of idle address spaces (runtime/cpu/idle.h): what a soft TLB and the jump cache had of
 * a space is found again when it comes back, unless a flush has reached it meanwhile.
 */
#include "tests/cpu/bench.h"

#include "runtime/cpu/idle.h"
#include "runtime/cpu/large.h"

#define RW      (TRANSLATE_READ | TRANSLATE_WRITE)
#define PRIVATE (RW | TRANSLATE_NOT_GLOBAL)
#define PAGE(n) (UINT64_C(0x400000) + (uint64_t)(n)*CPU_PAGE_SIZE)
#define TABLES  UINT64_C(0x1000)
#define LARGE   UINT64_C(0x40000000)

/* What translations return: DATA, or 2 MB of RAM, in pages of this size with these flags. */
static struct {
    uint32_t flags, shift;
    unsigned asked;
} answer;

static uint32_t translate(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                          uint64_t *pa, uint32_t *flags)
{
    (void)cpu;
    (void)access;
    (void)ring;
    answer.asked++;
    *pa = answer.shift > CPU_PAGE_BITS ? RAM | (va & 0x1ff000) : DATA;
    *flags = answer.flags | answer.shift << TRANSLATE_SIZE_SHIFT;
    return 0;
}

static int setup(void **state)
{
    struct bench *b = bench_new(1);

    b->cpu[0]->hooks.translate = translate;
    answer.flags = PRIVATE;
    answer.shift = CPU_PAGE_BITS;
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench_free(*state);
    return 0;
}

static void change(struct bench *b, uint64_t space)
{
    cpu_set_address_space(b->cpu[0], TABLES, space);
}

static void look_up(struct bench *b, uint64_t va)
{
    uint64_t info;
    uint32_t fault;

    assert_true(tlb_find(b->cpu[0], 1, va, CPU_READ, &info, &fault));
}

/* Whether the soft TLB has the page. */
static bool is_known(struct bench *b, uint64_t va)
{
    uint64_t info;

    return tlb_known(b->cpu[0], 1, va, CPU_READ, &info);
}

/* What inline code may access: bit 0: reads; bit 1: writes. */
static unsigned inline_path(struct bench *b, uint64_t va)
{
    const struct cpu *cpu = b->cpu[0];
    const struct tlb_entry *e =
        &cpu->tlbs[cpu_table(cpu->bank, 1)].entry[va >> CPU_PAGE_BITS & (TLB_SIZE - 1)];

    return (e->read_tag == va) | (e->write_tag == va) << 1;
}

/* Each space has its own entries, whatever others had in the same slots. */
static void entries_come_back(void **state)
{
    struct bench *b = *state;
    unsigned asked;

    change(b, 1);
    for (unsigned n = 0; n < 100; n++)
        look_up(b, PAGE(n));
    change(b, 2);
    for (unsigned n = 0; n < 100; n++) {
        assert_false(is_known(b, PAGE(n)));
        assert_int_equal(inline_path(b, PAGE(n)), 0);
    }
    look_up(b, PAGE(7 + TLB_SIZE));
    look_up(b, PAGE(8));
    asked = answer.asked;
    change(b, 1);
    for (unsigned n = 0; n < 100; n++) {
        assert_true(is_known(b, PAGE(n)));
        assert_int_equal(inline_path(b, PAGE(n)), 3);
    }
    assert_false(is_known(b, PAGE(7 + TLB_SIZE)));
    change(b, 2);
    assert_true(is_known(b, PAGE(7 + TLB_SIZE)));
    assert_true(is_known(b, PAGE(8)));
    assert_false(is_known(b, PAGE(9)));
    assert_int_equal(answer.asked, asked);
}

static void global_entries_stay(void **state)
{
    struct bench *b = *state;

    change(b, 1);
    look_up(b, PAGE(1));
    answer.flags = RW;
    look_up(b, PAGE(2));
    change(b, 2);
    assert_false(is_known(b, PAGE(1)));
    assert_true(is_known(b, PAGE(2)));
    cpu_tlb_flush_page(b->cpu[0], PAGE(2));
    change(b, 1);
    assert_true(is_known(b, PAGE(1)));
    assert_false(is_known(b, PAGE(2)));
}

static void flushes_reach_idle_entries(void **state)
{
    struct bench *b = *state;

    for (unsigned kind = 0; kind < 4; kind++) {
        change(b, 1);
        look_up(b, PAGE(1));
        look_up(b, PAGE(2));
        change(b, 2);
        if (kind == 0)
            cpu_tlb_flush(b->cpu[0], true);
        else if (kind == 1)
            cpu_tlb_flush(b->cpu[0], false);
        else if (kind == 2)
            cpu_tlb_flush_page(b->cpu[0], PAGE(1) + 0x123);
        else
            cpu_set_address_space(b->cpu[0], TABLES + 0x1000, 2); /* another bank: nothing */
        change(b, 1);
        assert_int_equal(is_known(b, PAGE(1)), kind == 3);
        assert_int_equal(is_known(b, PAGE(2)), kind >= 2);
    }
}

/* Tables whose bank is used for others, and then used again, have nothing left. */
static void other_tables_forget(void **state)
{
    struct bench *b = *state;

    change(b, 1);
    look_up(b, PAGE(1));
    change(b, 2);
    cpu_set_address_space(b->cpu[0], 2 * TABLES, 1);
    cpu_set_address_space(b->cpu[0], 3 * TABLES, 1);
    change(b, 1);
    assert_false(is_known(b, PAGE(1)));
}

/* A flush at any address of a larger page drops all of its entries. */
static void large_pages_are_flushed(void **state)
{
    struct bench *b = *state;
    struct cpu *cpu = b->cpu[0];
    const struct large_table *l;

    for (unsigned kind = 0; kind < 3; kind++) {
        answer.shift = TLB_LARGE_BITS;
        change(b, 1);
        look_up(b, LARGE);
        look_up(b, LARGE + 0x5000);
        l = large_table(cpu, (unsigned)(cpu->iface[0] - cpu->tlbs));
        assert_true(l->entry[large_slot(LARGE)].read_tag == LARGE);
        change(b, 2);
        assert_false(l->entry[large_slot(LARGE)].read_tag == LARGE);
        cpu_tlb_flush_page(cpu, kind == 0 ? LARGE + 0x7000 : kind == 1 ? LARGE - 1 : PAGE(3));
        change(b, 1);
        assert_int_equal(is_known(b, LARGE), kind > 0);
        assert_int_equal(is_known(b, LARGE + 0x5000), kind > 0);
        assert_int_equal(l->entry[large_slot(LARGE)].read_tag == LARGE, kind > 0);
    }
}

/* What gets code while its entry is idle is not written to by inline code. */
static void new_code_is_protected(void **state)
{
    struct bench *b = *state;
    struct cpu *cpu = b->cpu[0];
    const struct large_table *l;

    change(b, 1);
    look_up(b, PAGE(1));
    answer.shift = TLB_LARGE_BITS;
    look_up(b, LARGE + (DATA - RAM));
    l = large_table(cpu, (unsigned)(cpu->iface[0] - cpu->tlbs));
    assert_true(l->entry[large_slot(LARGE)].write_tag == LARGE);
    change(b, 2);
    *bus_page_flags(b->bus, DATA) |= BUS_PAGE_CODE;
    tlb_protect(cpu, DATA);
    change(b, 1);
    assert_int_equal(inline_path(b, PAGE(1)), 1);
    assert_int_equal(inline_path(b, LARGE + (DATA - RAM)), 1);
    assert_true(l->entry[large_slot(LARGE)].read_tag != LARGE);
    assert_true(l->entry[large_slot(LARGE)].write_tag != LARGE);
}

/* So is what gets a watchpoint, in one page or in many. */
static void new_watchpoints_are_seen(void **state)
{
    struct bench *b = *state;
    struct cpu *cpu = b->cpu[0];

    for (unsigned pages = 1; pages < 8; pages += 6) {
        change(b, 1);
        look_up(b, PAGE(5));
        assert_int_equal(inline_path(b, PAGE(5)), 3);
        change(b, 2);
        cpu_set_watchpoint(cpu, 0, PAGE(5) + 8, PAGE(5) + 15 + (pages - 1) * CPU_PAGE_SIZE, 1);
        change(b, 1);
        assert_true(is_known(b, PAGE(5)));
        assert_int_equal(inline_path(b, PAGE(5)), 0);
        cpu_set_watchpoint(cpu, 0, 0, 0, 0);
    }
}

/* A space with more entries than are kept begins anew, and so does one that was idle for long. */
static void bounds(void **state)
{
    struct bench *b = *state;

    change(b, 1);
    for (unsigned n = 0; n < IDLE_ENTRIES; n++)
        look_up(b, PAGE(n));
    change(b, 2);
    change(b, 1);
    for (unsigned n = 0; n < IDLE_ENTRIES; n++)
        assert_true(is_known(b, PAGE(n)));
    look_up(b, PAGE(IDLE_ENTRIES));
    change(b, 2);
    change(b, 1);
    for (unsigned n = 0; n <= IDLE_ENTRIES; n++)
        assert_false(is_known(b, PAGE(n)));
    look_up(b, PAGE(1));
    for (unsigned n = 2; n <= IDLE_SPACES; n++)
        change(b, n);
    change(b, 1);
    assert_true(is_known(b, PAGE(1)));
    for (unsigned n = 2; n <= IDLE_SPACES + 1; n++) {
        change(b, n);
        assert_false(is_known(b, PAGE(1)));
    }
    change(b, 1);
    assert_false(is_known(b, PAGE(1)));
}

/* How often a space was put aside does not count. */
static void many_changes(void **state)
{
    struct bench *b = *state;

    change(b, 1);
    look_up(b, PAGE(1));
    look_up(b, PAGE(2));
    for (unsigned n = 0; n < IDLE_ENTRIES; n++) {
        change(b, 2);
        change(b, 1);
    }
    assert_true(is_known(b, PAGE(1)));
    assert_true(is_known(b, PAGE(2)));
}

static void enter_jump(struct bench *b, uint64_t pc, uint32_t flags)
{
    static struct block block;

    block.jump_at = 0; /* as another block */
    jump_enter(b->cpu[0], pc, &block, (const uint64_t[]){flags | CPU_PAGE_BITS << 5, 0});
}

static bool jumps_to(const struct bench *b, uint64_t pc)
{
    const struct jump_entry *e = &b->cpu[0]->jumps[jump_index(pc)];

    return e->pc == pc && e->key == b->cpu[0]->key && e->key;
}

static void jumps_come_back(void **state)
{
    struct bench *b = *state;

    assert_non_null(code_of(b->cpu[0]));
    for (unsigned kind = 0; kind < 4; kind++) {
        change(b, 1);
        cpu_find_key(b->cpu[0]);
        enter_jump(b, PAGE(1), PRIVATE);
        change(b, 2);
        assert_false(jumps_to(b, PAGE(1)));
        enter_jump(b, PAGE(1) + 4, PRIVATE);
        if (kind == 1)
            cpu_tlb_flush(b->cpu[0], true);
        else if (kind == 2)
            cpu_tlb_flush(b->cpu[0], false);
        else if (kind == 3)
            cpu_tlb_flush_page(b->cpu[0], PAGE(1));
        enter_jump(b, PAGE(1) + 8, PRIVATE);
        change(b, 1);
        cpu_find_key(b->cpu[0]);
        assert_int_equal(jumps_to(b, PAGE(1)), kind == 0);
        assert_false(jumps_to(b, PAGE(1) + 4));
    }
}

/* A space that takes another one's place has none of its jumps. */
static void replaced_jumps(void **state)
{
    struct bench *b = *state;

    assert_non_null(code_of(b->cpu[0]));
    change(b, 1);
    cpu_find_key(b->cpu[0]);
    enter_jump(b, PAGE(1), PRIVATE);
    for (unsigned n = 2; n <= 2 * IDLE_SPACES; n++) {
        change(b, n);
        assert_false(jumps_to(b, PAGE(1)));
    }
    change(b, 1);
    assert_false(jumps_to(b, PAGE(1)));
}

static void enter_crossing_jump(struct bench *b, uint64_t pc)
{
    static struct block block = {.crosses_page = true};
    const uint64_t info = PRIVATE | CPU_PAGE_BITS << 5;

    jump_enter(b->cpu[0], pc, &block, (const uint64_t[]){info, info});
}

static unsigned pages_in_filter(const struct bench *b)
{
    const struct jump_pages *p = &b->cpu[0]->jump_pages;
    unsigned count = 0;

    for (unsigned n = 0; n < ARRAY_SIZE(p->bloom); n++)
        count += (unsigned)__builtin_popcountll(p->bloom[n]);
    return count;
}

/* Pages of spaces that have ended do not make flushes of other pages look for their jumps for ever;
 * those of idle spaces are still found. */
static void filter_forgets_ended_spaces(void **state)
{
    struct bench *b = *state;

    assert_non_null(code_of(b->cpu[0]));
    change(b, 1);
    cpu_find_key(b->cpu[0]);
    for (unsigned space = 3; space < 100; space++) {
        change(b, space);
        enter_jump(b, PAGE(space * 20), PRIVATE);
    }
    change(b, 1);
    enter_jump(b, PAGE(1), PRIVATE);
    enter_crossing_jump(b, PAGE(4) - 2);
    change(b, 2);
    enter_jump(b, PAGE(2), PRIVATE);
    assert_in_range(pages_in_filter(b), 90, 101);
    for (unsigned n = 0; n < 1100; n++)
        cpu_tlb_flush_page(b->cpu[0], PAGE(7000));
    /* The 14 spaces that are idle beside space 1, the first one, whose number other soft TLBs have,
     * too, and four pages of 1 and 2. */
    assert_int_equal(pages_in_filter(b), 14 + 1 + 4);
    assert_true(jumps_to(b, PAGE(2)));
    cpu_tlb_flush_page(b->cpu[0], PAGE(2));
    assert_false(jumps_to(b, PAGE(2)));
    change(b, 1);
    cpu_find_key(b->cpu[0]);
    assert_true(jumps_to(b, PAGE(1)));
    change(b, 2);
    cpu_tlb_flush_page(b->cpu[0], PAGE(1));
    change(b, 1);
    cpu_find_key(b->cpu[0]);
    assert_false(jumps_to(b, PAGE(1)));
}

/* While no code is private, no space needs jumps of its own. */
static void global_jumps_stay(void **state)
{
    struct bench *b = *state;

    assert_non_null(code_of(b->cpu[0]));
    change(b, 1);
    cpu_find_key(b->cpu[0]);
    enter_jump(b, PAGE(1), RW);
    change(b, 2);
    assert_true(jumps_to(b, PAGE(1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(entries_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(global_entries_stay, setup, teardown),
        cmocka_unit_test_setup_teardown(flushes_reach_idle_entries, setup, teardown),
        cmocka_unit_test_setup_teardown(other_tables_forget, setup, teardown),
        cmocka_unit_test_setup_teardown(large_pages_are_flushed, setup, teardown),
        cmocka_unit_test_setup_teardown(new_code_is_protected, setup, teardown),
        cmocka_unit_test_setup_teardown(new_watchpoints_are_seen, setup, teardown),
        cmocka_unit_test_setup_teardown(bounds, setup, teardown),
        cmocka_unit_test_setup_teardown(many_changes, setup, teardown),
        cmocka_unit_test_setup_teardown(jumps_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(replaced_jumps, setup, teardown),
        cmocka_unit_test_setup_teardown(filter_forgets_ended_spaces, setup, teardown),
        cmocka_unit_test_setup_teardown(global_jumps_stay, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
