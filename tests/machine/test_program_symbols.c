/* Symbols of programs: this test is the guest's program, and dladdr() the referee. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "runtime/machine/program_symbols.h"

extern char end[]; /* of the executable */

/* Memory of this process; one range can be left out. */
struct memory {
    uint64_t without, end;
};

static bool read_self(void *opaque, uint64_t va, void *buf, uint64_t len)
{
    const struct memory *m = opaque;
    struct iovec to = {buf, len}, at = {(void *)(uintptr_t)va, len};

    if (va < m->end && va + len > m->without)
        return false;
    return process_vm_readv(getpid(), &to, 1, &at, 1, 0) == (ssize_t)len;
}

/* Whether dladdr() knows a function of that name at the same address. */
static bool is_alias(const char *name, const Dl_info *info)
{
    void *library = dlopen(info->dli_fname, RTLD_NOLOAD | RTLD_LAZY);
    bool same = library && dlsym(library, name) == info->dli_saddr;

    if (library)
        dlclose(library);
    return same || !strcmp(name, info->dli_sname);
}

static void expect_place(struct program_symbols *s, const struct guest_reader *from,
                         const void *address, const char *object)
{
    struct program_place place;
    Dl_info info;

    assert_true(dladdr(address, &info));
    assert_non_null(info.dli_sname);
    assert_true(program_symbols_find(s, from, (uintptr_t)address, &place));
    assert_non_null(place.object);
    assert_string_equal(place.object, object);
    assert_non_null(place.symbol);
    assert_true(is_alias(place.symbol, &info));
}

/* A function of that library itself: the sanitizers' own library comes before all others. */
static void *function_of(const char *name, const char *object)
{
    void *library = dlopen(object, RTLD_NOLOAD | RTLD_LAZY);
    void *address;

    assert_non_null(library);
    address = dlsym(library, name);
    assert_non_null(address);
    dlclose(library);
    return address;
}

static void test_libraries(void **unused)
{
    static const char *const names[] = {"fopen", "printf", "malloc", "abort", "getpid"};
    struct memory all = {0};
    const struct guest_reader from = {read_self, &all};
    struct program_symbols *s = program_symbols_new();
    struct program_place place;

    (void)unused;
    json_decref(json_object()); /* so that the library is linked */
    for (unsigned n = 0; n < sizeof(names) / sizeof(*names); n++) {
        const char *address = function_of(names[n], "libc.so.6");

        expect_place(s, &from, address, "libc.so.6");
        expect_place(s, &from, address + 2, "libc.so.6");
        expect_place(s, &from, function_of("json_loads", "libjansson.so.4"), "libjansson.so.4");
    }
    /* The executable has no name, and no function of it is exported. */
    assert_true(program_symbols_find(s, &from, (uintptr_t)test_libraries, &place));
    assert_null(place.object);
    assert_null(place.symbol);
    program_symbols_free(s);
}

/* An address behind an object is not the object's, nor is one without any below. */
static void test_outside(void **unused)
{
    struct memory all = {0};
    const struct guest_reader from = {read_self, &all};
    struct program_symbols *s = program_symbols_new();
    struct program_place place;

    (void)unused;
    assert_true(program_symbols_find(s, &from, (uintptr_t)end - 1, &place));
    assert_false(program_symbols_find(s, &from, (uintptr_t)end + 4096, &place));
    assert_false(program_symbols_find(s, &from, 5000, &place));
    program_symbols_free(s);
}

static int find_dynamic_symbols(struct dl_phdr_info *info, size_t size, void *to)
{
    (void)size;
    for (unsigned n = 0; strstr(info->dlpi_name, "libc.so") && n < info->dlpi_phnum; n++) {
        if (info->dlpi_phdr[n].p_type != PT_DYNAMIC)
            continue;
        for (const ElfW(Dyn) *d = (const void *)(info->dlpi_addr + info->dlpi_phdr[n].p_vaddr);
             d->d_tag; d++)
            if (d->d_tag == DT_SYMTAB)
                *(uint64_t *)to = d->d_un.d_ptr;
    }
    return 0;
}

/* Symbols are read again once their pages are mapped. */
static void test_pages_come_later(void **unused)
{
    struct memory part = {0};
    const struct guest_reader from = {read_self, &part};
    struct program_symbols *s = program_symbols_new();
    struct program_place place;
    void *address = function_of("fopen", "libc.so.6");

    (void)unused;
    dl_iterate_phdr(find_dynamic_symbols, &part.without);
    assert_true(part.without);
    part.end = part.without + (1 << 20);
    part.without += 1;
    assert_true(program_symbols_find(s, &from, (uintptr_t)address, &place));
    assert_null(place.symbol);
    part.end = part.without = 0;
    for (unsigned n = 0; n < 3; n++)
        program_symbols_find(s, &from, (uintptr_t)address, &place);
    expect_place(s, &from, address, "libc.so.6");
    program_symbols_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libraries),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_pages_come_later),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
