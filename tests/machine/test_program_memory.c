/* Page tables of programs, made by hand, and texts in the memory that they map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/base/bits.h"
#include "runtime/machine/program_texts.h"
#include "runtime/mem/bus.h"

#define RAM  UINT64_C(0x80000000)
#define ROOT RAM
/* The tables are the first four pages, that of the first level first. */
#define FIRST UINT64_C(0x555500001000)

/* As in platforms/programs-aarch64.dtsi. */
static const struct program_format format = {
    .address = UINT64_C(0x0000fffffffff000),
    .table = {3, 3},
    .block = {0x443, 0x441},
    .page = {0x443, 0x443},
    .executable = {UINT64_C(1) << 54, 0},
    .largest_block = 2,
};

enum { PAGES = 1024, READABLE = 1 << 6 | 1 << 10 | 3 };

struct memory {
    struct bus *bus;
    struct program_tables tables;
    unsigned next;     /* page of RAM */
    char texts[8][64]; /* first bytes of the texts that were found */
    unsigned count;
    unsigned pages;
};

static uint8_t *page_of(const struct memory *m, unsigned page)
{
    return bus_ram_ptr(m->bus, RAM + (uint64_t)page * PROGRAM_PAGE, PROGRAM_PAGE);
}

static void set_entry(const struct memory *m, unsigned table, uint64_t index, uint64_t value)
{
    le_put(page_of(m, table) + 8 * index, 8, value);
}

/* Maps a page at `va` to a page of RAM, and returns its bytes. All lie in one table. */
static uint8_t *map(struct memory *m, uint64_t va, bool execute)
{
    m->next -= 2; /* backwards, with gaps */
    set_entry(m, 3, va >> 12 & 511,
              (RAM + (uint64_t)m->next * PROGRAM_PAGE) | READABLE |
                  (execute ? 0 : UINT64_C(1) << 54));
    return page_of(m, m->next);
}

static int make_memory(void **state)
{
    struct memory *m = calloc(1, sizeof(*m));
    struct error err;

    m->bus = bus_new(NULL);
    m->tables = (struct program_tables){&format, ROOT, 48};
    m->next = PAGES;
    assert_non_null(bus_add_ram(m->bus, "ram", RAM, (uint64_t)PAGES * PROGRAM_PAGE, &err));
    for (unsigned level = 3; level > 0; level--)
        set_entry(m, 3 - level, FIRST >> (12 + 9 * level) & 511,
                  (RAM + (uint64_t)(4 - level) * PROGRAM_PAGE) | 3);
    *state = m;
    return 0;
}

static int free_memory(void **state)
{
    struct memory *m = *state;

    bus_free(m->bus);
    free(m);
    return 0;
}

static void take(void *opaque, const char *text)
{
    struct memory *m = opaque;

    assert_true(m->count < 8);
    snprintf(m->texts[m->count++], sizeof(m->texts[0]), "%s", text);
}

static bool count_page(void *opaque, const struct program_page *page)
{
    struct memory *m = opaque;

    (void)page;
    m->pages++;
    return true;
}

/* A text across two pages whose memory is not adjacent, with the word across their border. */
static void test_text_across_pages(void **state)
{
    struct memory *m = *state;
    uint8_t *first = map(m, FIRST, false), *second = map(m, FIRST + PROGRAM_PAGE, false);
    static const char text[] = "\n__kernel void f(global int *a) { a[0] = 1; }";
    struct program_page page;

    memcpy(first + PROGRAM_PAGE - 6, text, 6);
    strcpy((char *)second, text + 6);
    program_texts(m->bus, &m->tables, take, m);
    assert_int_equal(m->count, 1);
    assert_string_equal(m->texts[0], text);
    assert_true(program_page_at(m->bus, &m->tables, FIRST + PROGRAM_PAGE + 5, &page));
    assert_ptr_equal(page.host, second);
    assert_false(program_page_at(m->bus, &m->tables, FIRST + 2 * PROGRAM_PAGE, &page));
    assert_false(program_page_at(m->bus, &m->tables, FIRST | UINT64_C(1) << 48, &page));
}

/* What is no text: bytes before and behind that are not printable, code, and no zero at the end. */
static void test_what_counts(void **state)
{
    struct memory *m = *state;

    strcpy((char *)map(m, FIRST, true) + 8, "kernel void in_code() {}");
    strcpy((char *)map(m, FIRST + PROGRAM_PAGE, false) + 16, "\x01kernel void one() {}");
    strcpy((char *)map(m, FIRST + 2 * PROGRAM_PAGE, false), "kernel void not_ended() {}\x02");
    memset(map(m, FIRST + 5 * PROGRAM_PAGE, false), 'k', PROGRAM_PAGE);
    strcpy((char *)page_of(m, m->next) + PROGRAM_PAGE - 7, "kernel"); /* the text begins before */
    program_texts(m->bus, &m->tables, take, m);
    assert_int_equal(m->count, 2);
    assert_string_equal(m->texts[0], "kernel void one() {}");
    assert_memory_equal(m->texts[1], "kkkkkkkk", 8);
}

static void test_mapped(void **state)
{
    struct memory *m = *state;
    uint8_t *mine = map(m, FIRST, false);

    assert_true(program_maps(m->bus, &m->tables, mine));
    assert_false(program_maps(m->bus, &m->tables, page_of(m, m->next - 1)));
    /* without the program's right to read, and not accessed */
    set_entry(m, 3, FIRST >> 12 & 511, (RAM + (uint64_t)m->next * PROGRAM_PAGE) | 1 << 10 | 3);
    assert_false(program_maps(m->bus, &m->tables, mine));
    set_entry(m, 3, FIRST >> 12 & 511, (RAM + (uint64_t)m->next * PROGRAM_PAGE) | 1 << 6 | 3);
    assert_false(program_maps(m->bus, &m->tables, mine));
}

/* A block of 2 MB has 512 pages. */
static void test_block(void **state)
{
    struct memory *m = *state;
    struct program_page page;

    assert_false(program_page_at(m->bus, &m->tables, FIRST, &page));
    set_entry(m, 2, FIRST >> 21 & 511, RAM | (READABLE & ~2));
    program_pages(m->bus, &m->tables, UINT64_MAX, count_page, m);
    assert_int_equal(m->pages, 512);
    assert_true(program_page_at(m->bus, &m->tables, FIRST, &page));
    assert_ptr_equal(page.host, page_of(m, 1));
}

/* Tables that lead to themselves, or out of memory, end. */
static void test_wild_tables(void **state)
{
    struct memory *m = *state;

    for (unsigned i = 0; i < 512; i++)
        set_entry(m, 0, i, i % 2 ? ROOT | 3 : UINT64_C(0xfffffff000) | 3);
    program_pages(m->bus, &m->tables, 1 << 16, count_page, m);
    program_texts(m->bus, &m->tables, take, m);
    assert_int_equal(m->count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_memory, free_memory)
        TEST(test_text_across_pages), TEST(test_what_counts), TEST(test_mapped), TEST(test_block),
        TEST(test_wild_tables),
#undef TEST
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
