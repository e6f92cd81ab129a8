/*
 * Unit tests of common pages (runtime/cpu/common.h): what walks of common tables found serves all
 * spaces while the tables stay as they are, and no longer.
 */
#include "tests/cpu/bench.h"

#include "runtime/cpu/common.h"

#define RW      (TRANSLATE_READ | TRANSLATE_WRITE)
#define COMMON  (RW | TRANSLATE_NOT_GLOBAL | TRANSLATE_COMMON)
#define PAGE(n) (UINT64_C(0x400000) + (uint64_t)(n)*CPU_PAGE_SIZE)
#define UPPER   (TABLE + 0x1008)
#define TABLES  UINT64_C(0x1000)

/* What translations return, and where they read: one page behind the other, at last the page's own
 * eight bytes of the last one. */
static struct {
    uint32_t flags;
    uint64_t from;
    unsigned reads, size, asked, shift;
} answer;

static uint64_t entry_of(uint64_t va)
{
    return TABLE + 0x2000 + (va >> answer.shift) % 512 * 8;
}

static uint32_t translate(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                          uint64_t *pa, uint32_t *flags)
{
    uint64_t value;

    (void)access;
    (void)ring;
    answer.asked++;
    for (unsigned n = 1; n < answer.reads; n++)
        cpu_phys_read(cpu, answer.from - (n - 1) * CPU_PAGE_SIZE, answer.size, &value);
    cpu_phys_read(cpu, entry_of(va), 8, &value);
    *pa = DATA;
    *flags = answer.flags | answer.shift << TRANSLATE_SIZE_SHIFT;
    return 0;
}

static void change(struct bench *b, uint64_t space)
{
    cpu_set_address_space(b->cpu[0], TABLES, space);
}

static int setup(void **state)
{
    struct bench *b = bench_new(1);

    b->cpu[0]->hooks.translate = translate;
    answer.flags = COMMON;
    answer.from = UPPER;
    answer.reads = 2;
    answer.size = 8;
    answer.shift = CPU_PAGE_BITS;
    assert_non_null(code_of(b->cpu[0]));
    change(b, 1);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench_free(*state);
    return 0;
}

static void look_up_once(struct bench *b, uint64_t va)
{
    uint64_t info;
    uint32_t fault;

    assert_true(tlb_find(b->cpu[0], 1, va, CPU_READ, &info, &fault));
}

/* As code does that is left after it has read what the same tables map. */
static void look_up(struct bench *b, uint64_t va)
{
    look_up_once(b, PAGE(1000));
    cpu_tlb_flush_page(b->cpu[0], PAGE(1000));
    code_note_tables(b->cpu[0]->code);
    look_up_once(b, va);
}

static bool is_known(struct bench *b, uint64_t va)
{
    uint64_t info;

    return tlb_known(b->cpu[0], 1, va, CPU_READ, &info);
}

static void serve_all_spaces(void **state)
{
    struct bench *b = *state;

    look_up(b, PAGE(1));
    for (unsigned space = 2; space < 40; space++) {
        change(b, space);
        assert_true(is_known(b, PAGE(1)));
        cpu_tlb_flush(b->cpu[0], false);
        assert_true(is_known(b, PAGE(1)));
    }
    cpu_tlb_flush_page(b->cpu[0], PAGE(1));
    assert_false(is_known(b, PAGE(1)));
    look_up(b, PAGE(1));
    cpu_tlb_flush(b->cpu[0], true);
    assert_false(is_known(b, PAGE(1)));
    look_up(b, PAGE(1));
    cpu_set_address_space(b->cpu[0], 2 * TABLES, 40); /* tables of another bank */
    assert_false(is_known(b, PAGE(1)));
}

/* Pages that are not common, and those whose walks cannot be watched, are of one space. */
static void others_are_private(void **state)
{
    struct bench *b = *state;

    for (unsigned kind = 0; kind < 6; kind++) {
        setup(state);
        teardown((void *[]){b});
        b = *state;
        if (kind == 1)
            answer.flags &= ~(uint32_t)TRANSLATE_COMMON;
        else if (kind == 2)
            answer.from = DEVICE;
        else if (kind == 3)
            answer.from = NOWHERE;
        else if (kind == 4)
            answer.from = TABLE + 0x3c; /* into the next granule */
        else if (kind == 5)
            answer.reads = COMMON_READS + 1;
        look_up(b, PAGE(1));
        change(b, 2);
        assert_int_equal(is_known(b, PAGE(1)), kind == 0);
    }
    answer.reads = COMMON_READS;
    look_up(b, PAGE(2));
    change(b, 3);
    assert_true(is_known(b, PAGE(2)));
}

static void write_by_bus(struct bench *b, uint64_t pa)
{
    assert_true(bus_write(b->bus, pa, 8, 0, BUS_NO_CPU));
}

static void write_by_dma(struct bench *b, uint64_t pa)
{
    bus_touched(b->bus, pa - 8, 0x10);
}

/* The page of the tables is mapped, too, and was written to by inline code before. */
static void write_by_program(struct bench *b, uint64_t pa)
{
    struct cpu *cpu = b->cpu[0];

    cpu->hooks.translate = NULL;
    cpu_write_slow(cpu, NULL, 0, pa, 8, 0);
    cpu->hooks.translate = translate;
}

static void write_one_byte(struct bench *b, uint64_t pa)
{
    assert_true(bus_write(b->bus, pa + 7, 1, 0, BUS_NO_CPU));
}

static void drop_code(struct bench *b, uint64_t pa)
{
    (void)pa;
    code_flush(code_of(b->cpu[0])); /* writes are not noticed any more */
}

/* Pages that have changed serve the current space, until another one comes or its entries are
 * flushed. A page's own entry in a table is its alone, those before it are of all pages. */
static void changes_are_seen(void **state)
{
    static void (*const write[])(struct bench *, uint64_t) = {
        write_by_bus, write_by_dma, write_by_program, write_one_byte, drop_code};
    struct bench *b = *state;

    for (unsigned n = 0; n < 4 * ARRAY_SIZE(write); n++) {
        bool upper = n & 2, all = upper || write[n / 4] == drop_code;

        setup(state);
        teardown((void *[]){b});
        b = *state;
        look_up(b, PAGE(1));
        look_up(b, PAGE(3));
        write[n / 4](b, upper ? UPPER : entry_of(PAGE(1)));
        change(b, 1);
        assert_true(is_known(b, PAGE(1)));
        if (n % 2)
            cpu_tlb_flush(b->cpu[0], false);
        else
            change(b, 2);
        assert_false(is_known(b, PAGE(1)));
        assert_int_equal(is_known(b, PAGE(3)), !all);
    }
}

/* Writes to what no walk has read change nothing, however many there are. */
static void neighbours_stay(void **state)
{
    struct bench *b = *state;

    look_up(b, PAGE(1));
    for (unsigned n = 2; n < 400; n++)
        write_by_bus(b, entry_of(PAGE(n)));
    write_by_bus(b, UPPER + 64);
    change(b, 2);
    assert_true(is_known(b, PAGE(1)));
    write_by_bus(b, entry_of(PAGE(1)));
    change(b, 3);
    assert_false(is_known(b, PAGE(1)));
}

/* A page that was of tables, and is written to very often, becomes as fast as others. */
static void tables_become_data(void **state)
{
    struct bench *b = *state;
    unsigned writes = 0;

    look_up(b, PAGE(1));
    while (bus_has_code(b->bus, entry_of(PAGE(1)), 8)) {
        write_by_bus(b, entry_of(PAGE(2)));
        assert_true(++writes < 10000);
    }
    assert_true(writes > 500);
    assert_true(is_known(b, PAGE(1)));
    change(b, 2);
    assert_false(is_known(b, PAGE(1)));
}

/* Each of several pages that have changed is forgotten, and all pages when these are too many. */
static void several_change(void **state)
{
    struct bench *b = *state;

    for (unsigned most = COMMON_PAGES; most <= COMMON_PAGES + 1; most++) {
        for (unsigned n = 0; n <= most; n++)
            look_up(b, PAGE(n));
        for (unsigned n = 1; n <= most; n++)
            write_by_bus(b, entry_of(PAGE(n)));
        change(b, most);
        for (unsigned n = 1; n <= most; n++)
            assert_false(is_known(b, PAGE(n)));
        assert_int_equal(is_known(b, PAGE(0)), most == COMMON_PAGES);
    }
}

/* One entry of a table may be of a large page, or of several pages. */
static void large_pages_change(void **state)
{
    struct bench *b = *state;

    answer.shift = 21;
    look_up(b, PAGE(1));
    look_up(b, PAGE(1024));
    look_up(b, PAGE(2));
    write_by_bus(b, entry_of(PAGE(1)));
    change(b, 2);
    assert_false(is_known(b, PAGE(1)));
    assert_false(is_known(b, PAGE(2)));
    assert_true(is_known(b, PAGE(1024)));
    answer.shift = CPU_PAGE_BITS;
    look_up(b, PAGE(3));
    look_up(b, PAGE(3 + 1024));
    write_by_bus(b, entry_of(PAGE(3)));
    change(b, 3);
    assert_false(is_known(b, PAGE(3)));
    assert_false(is_known(b, PAGE(3 + 1024)));
}

/* Inline code does not write to a page of tables. */
static void tables_are_protected(void **state)
{
    struct bench *b = *state;
    struct cpu *cpu = b->cpu[0];
    const struct tlb_entry *e;
    uint64_t info;
    uint32_t fault;

    cpu->hooks.translate = NULL;
    assert_true(tlb_find(cpu, 1, UPPER, CPU_WRITE, &info, &fault));
    e = &cpu->iface[0]->entry[UPPER >> CPU_PAGE_BITS & (TLB_SIZE - 1)];
    assert_int_equal(e->write_tag, UPPER & ~CPU_PAGE_MASK);
    cpu->hooks.translate = translate;
    look_up(b, PAGE(1));
    assert_int_not_equal(e->write_tag, UPPER & ~CPU_PAGE_MASK);
    write_by_program(b, UPPER);
    assert_int_equal(e->write_tag, UPPER & ~CPU_PAGE_MASK);
}

/* After all pages were stale there are none for some time, and what was found then is found
 * again. */
static void pause(void **state)
{
    struct bench *b = *state;
    bool kept = false;
    unsigned long turns = 0;

    look_up(b, PAGE(1));
    write_by_bus(b, UPPER);
    look_up(b, PAGE(2));
    assert_false(bus_has_code(b->bus, UPPER, 8)); /* a guest that fills tables has many writes */
    change(b, 2);
    for (unsigned space = 3; !kept; space++) {
        look_up(b, PAGE(1));
        change(b, space);
        kept = is_known(b, PAGE(1));
        b->cpu[0]->ticks += 1000;
        assert_true(++turns < 1000);
    }
    assert_true(turns > 100);
    assert_int_equal(b->cpu[0]->attention & CPU_ATT_CODE, CPU_ATT_CODE);
    tlb_drop_waiting(b->cpu[0]);
    assert_false(is_known(b, PAGE(1)));
    look_up(b, PAGE(1));
    tlb_drop_waiting(b->cpu[0]);
    assert_true(is_known(b, PAGE(1)));
    write_by_bus(b, UPPER);
    change(b, 2);
    cpu_state_changed(b->cpu[0]);
    change(b, 2);
    look_up(b, PAGE(1));
    change(b, 3);
    assert_true(is_known(b, PAGE(1)));
}

/* The trace that runs when a walk reads tables first may still write to them unnoticed, so what it
 * looks up is private, and it is left soon. */
static void first_walk(void **state)
{
    struct bench *b = *state;

    b->cpu[0]->attention = 0;
    look_up_once(b, PAGE(1));
    look_up_once(b, PAGE(2));
    assert_int_equal(b->cpu[0]->attention, CPU_ATT_CODE);
    change(b, 2);
    assert_false(is_known(b, PAGE(1)));
    assert_false(is_known(b, PAGE(2)));
    assert_false(bus_has_code(b->bus, UPPER, 8));
    cpu_run(b->cpu[0], 1);
    assert_true(bus_has_code(b->bus, UPPER, 8));
}

/* What waited is found again when writes are noticed. */
static void waiting_pages_are_kept(void **state)
{
    struct bench *b = *state;

    look_up_once(b, PAGE(1));
    b->cpu[0]->attention |= CPU_ATT_CODE;
    cpu_run(b->cpu[0], 1);
    assert_false(is_known(b, PAGE(1)));
    look_up_once(b, PAGE(1));
    change(b, 2);
    assert_true(is_known(b, PAGE(1)));
}

static void enter_jump(struct bench *b, uint64_t va)
{
    static struct block blocks[4];
    uint64_t info[2] = {0};
    uint32_t fault;

    assert_true(tlb_find(b->cpu[0], 1, va, CPU_FETCH, &info[0], &fault));
    jump_enter(b->cpu[0], va, &blocks[va >> CPU_PAGE_BITS & 3], info);
}

static bool has_jump(struct bench *b, uint64_t va)
{
    const struct jump_entry *e = &b->cpu[0]->jumps[jump_index(va)];

    cpu_find_key(b->cpu[0]);
    return e->pc == va && e->key == b->cpu[0]->key;
}

/* Jumps to common pages stay with them. */
static void jumps_stay(void **state)
{
    struct bench *b = *state;

    answer.flags |= TRANSLATE_EXEC;
    cpu_find_key(b->cpu[0]);
    look_up(b, PAGE(2));
    enter_jump(b, PAGE(1));
    enter_jump(b, PAGE(2));
    change(b, 2);
    assert_true(has_jump(b, PAGE(1)));
    cpu_tlb_flush(b->cpu[0], false);
    assert_true(has_jump(b, PAGE(1)));
    write_by_bus(b, entry_of(PAGE(1)));
    change(b, 3);
    assert_false(has_jump(b, PAGE(1)));
    assert_true(has_jump(b, PAGE(2)));
}

/* Jumps to pages that wait do not make the others those of one space. */
static void waiting_jumps(void **state)
{
    struct bench *b = *state;

    answer.flags |= TRANSLATE_EXEC;
    cpu_find_key(b->cpu[0]);
    enter_jump(b, PAGE(1));
    assert_true(has_jump(b, PAGE(1)));
    code_note_tables(b->cpu[0]->code);
    tlb_drop_waiting(b->cpu[0]);
    assert_false(has_jump(b, PAGE(1)));
    enter_jump(b, PAGE(1));
    change(b, 2);
    assert_true(has_jump(b, PAGE(1)));
    answer.flags &= ~(uint32_t)TRANSLATE_COMMON;
    enter_jump(b, PAGE(2));
    change(b, 3);
    assert_false(has_jump(b, PAGE(1)));
}

/* If another space comes before their tables are noted, they are of the first space. */
static void waiting_jumps_are_private(void **state)
{
    struct bench *b = *state;

    answer.flags |= TRANSLATE_EXEC;
    cpu_find_key(b->cpu[0]);
    enter_jump(b, PAGE(1));
    change(b, 2);
    assert_false(has_jump(b, PAGE(1)));
    change(b, 1);
    assert_true(has_jump(b, PAGE(1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(serve_all_spaces, setup, teardown),
        cmocka_unit_test_setup_teardown(others_are_private, setup, teardown),
        cmocka_unit_test_setup_teardown(changes_are_seen, setup, teardown),
        cmocka_unit_test_setup_teardown(neighbours_stay, setup, teardown),
        cmocka_unit_test_setup_teardown(tables_become_data, setup, teardown),
        cmocka_unit_test_setup_teardown(several_change, setup, teardown),
        cmocka_unit_test_setup_teardown(large_pages_change, setup, teardown),
        cmocka_unit_test_setup_teardown(tables_are_protected, setup, teardown),
        cmocka_unit_test_setup_teardown(pause, setup, teardown),
        cmocka_unit_test_setup_teardown(first_walk, setup, teardown),
        cmocka_unit_test_setup_teardown(waiting_pages_are_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(jumps_stay, setup, teardown),
        cmocka_unit_test_setup_teardown(waiting_jumps, setup, teardown),
        cmocka_unit_test_setup_teardown(waiting_jumps_are_private, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
