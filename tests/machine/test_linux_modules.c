/* Modules of a kernel, laid out by hand as two versions of Linux do, and parts of a run. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/base/bits.h"
#include "runtime/machine/linux_modules.h"

#define BASE UINT64_C(0xffff800000100000)
#define LIST BASE

enum { BYTES = 0x10000, FIRST = 0x1008, SECOND = 0x3008, SYMBOLS = 0x5000, NAMES = 0x6000 };

static uint8_t memory[BYTES];

static bool read_bytes(void *opaque, uint64_t va, void *buf, uint64_t len)
{
    (void)opaque;
    if (va < BASE || va - BASE > BYTES || len > BYTES - (va - BASE))
        return false;
    memcpy(buf, memory + (va - BASE), len);
    return true;
}

static void put_word(unsigned at, uint64_t value)
{
    le_put(memory + at, 8, value);
}

static void put_symbol(unsigned at, uint64_t value, uint64_t size, uint32_t name)
{
    const Elf64_Sym symbol = {.st_name = name,
                              .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
                              .st_shndx = 1,
                              .st_value = value,
                              .st_size = size};

    memcpy(memory + at, &symbol, sizeof(symbol));
}

/* `modules` leads to the first entry, that to the second, and that back. */
static void make_list(void)
{
    memset(memory, 0, sizeof(memory));
    put_word(0, BASE + FIRST);
    put_word(FIRST, BASE + SECOND);
    put_word(SECOND, LIST);
    strcpy((char *)memory + FIRST + 16, "panfrost");
    strcpy((char *)memory + SECOND + 16, "gpu_sched");
    /* The one has its area and symbols early, the other has an area late and no symbols. */
    put_word(FIRST + 160, BASE + 0x100000);
    put_word(FIRST + 168, UINT64_C(0x1000) << 32 | 0x5000);
    put_word(FIRST + 400, BASE + SYMBOLS);
    put_word(FIRST + 408, 3);
    put_word(FIRST + 416, BASE + NAMES);
    put_symbol(SYMBOLS + 24, BASE + 0x100100, 0x80, 1);
    put_symbol(SYMBOLS + 48, BASE + 0x100200, 0x10, 5);
    memcpy(memory + NAMES, "\0one\0two", 9);
    put_word(SECOND + 1200, BASE + 0x200000);
    put_word(SECOND + 1208, 0x3000);
}

static void expect_place(struct linux_modules *m, uint64_t pc, const char *module,
                         const char *symbol)
{
    const struct guest_reader from = {read_bytes, NULL};
    struct linux_module_place place;

    assert_true(linux_modules_find(m, &from, LIST, pc, &place));
    assert_string_equal(place.module, module);
    if (symbol)
        assert_string_equal(place.symbol, symbol);
    else
        assert_null(place.symbol);
}

static void test_places(void **unused)
{
    const struct guest_reader from = {read_bytes, NULL};
    struct linux_modules *m = linux_modules_new();
    struct linux_module_place place;

    (void)unused;
    make_list();
    expect_place(m, BASE + 0x100100, "panfrost", "one");
    expect_place(m, BASE + 0x10017f, "panfrost", "one");
    expect_place(m, BASE + 0x100180, "panfrost", NULL);
    expect_place(m, BASE + 0x10020f, "panfrost", "two");
    expect_place(m, BASE + 0x202fff, "gpu_sched", NULL);
    assert_false(linux_modules_find(m, &from, LIST, BASE + 0x203000, &place));
    assert_false(linux_modules_find(m, &from, LIST, BASE + 0x105000, &place));
    linux_modules_free(m);
}

/* A module that is loaded later is found, and one of another kernel is not. */
static void test_list_changes(void **unused)
{
    const struct guest_reader from = {read_bytes, NULL};
    struct linux_modules *m = linux_modules_new();
    struct linux_module_place place;

    (void)unused;
    make_list();
    put_word(FIRST, LIST);
    assert_false(linux_modules_find(m, &from, LIST, BASE + 0x200000, &place));
    put_word(FIRST, BASE + SECOND);
    assert_false(linux_modules_find(m, &from, LIST, BASE + 0x200000, &place));
    expect_place(m, BASE + 0x200000, "gpu_sched", NULL);
    linux_modules_forget(m);
    put_word(0, LIST);
    assert_false(linux_modules_find(m, &from, LIST, BASE + 0x200000, &place));
    linux_modules_free(m);
}

/* A list that never ends, leads nowhere, or has a symbol table without end. */
static void test_nothing_is_trusted(void **unused)
{
    const struct guest_reader from = {read_bytes, NULL};
    struct linux_modules *m = linux_modules_new();
    struct linux_module_place place;

    (void)unused;
    make_list();
    put_word(SECOND, BASE + FIRST);
    put_word(FIRST + 408, 0xffffffff);
    expect_place(m, BASE + 0x100100, "panfrost", NULL);
    linux_modules_forget(m);
    put_word(FIRST, BASE + BYTES - 4);
    expect_place(m, BASE + 0x100100, "panfrost", NULL);
    assert_false(linux_modules_find(m, &from, BASE + BYTES, BASE + 0x200000, &place));
    linux_modules_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_list_changes),
        cmocka_unit_test(test_nothing_is_trusted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
