/*
 * The address space of a process on the host: through random changes, flat memory has the
 * permissions that translate() returns and the contents that Linux specifies; pages with code;
 * addresses outside.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/base/random.h"
#include "runtime/base/sanitizer.h"
#include "runtime/mem/bus.h"
#include "runtime/cpu/layout.h"
#include "runtime/user/space.h"

#define PAGE CPU_PAGE_SIZE
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)
#define RW   (PROT_READ | PROT_WRITE)
#define RWX  (RW | PROT_EXEC)

struct bench {
    struct bus *bus;
    struct cpu_group group; /* without running CPUs */
    struct space space;
};

/* Receives code writes as the code cache does: a written page has no code any more. */
static void on_code_write(void *opaque, uint64_t pa, uint64_t len)
{
    (void)len;
    bus_clear_code(opaque, pa);
}

static void on_fault(int signal);

static void init_bench(struct bench *b)
{
    static const struct space_shape shape = {.bits = 39, .tagged = true};
    struct error err;

    signal(SIGSEGV, on_fault); /* cmocka installs its own handler before each test */
    signal(SIGBUS, on_fault);
    memset(b, 0, sizeof(*b));
    b->bus = bus_new(NULL);
    b->bus->on_code_write = on_code_write;
    b->bus->code_opaque = b->bus;
    assert_true(space_init(&b->space, b->bus, &b->group, &shape, &err));
}

static void free_bench(struct bench *b)
{
    space_free(&b->space);
    bus_free(b->bus);
}

static uint64_t map_anonymous(struct bench *b, uint64_t va, uint64_t pages, int prot, int flags)
{
    int64_t at =
        space_map(&b->space, va, pages * PAGE, prot, ANON | flags, &(struct space_source){0});

    assert_true(at > 0);
    return (uint64_t)at;
}

/* ---- direct accesses ------------------------------------------------------------------------- */

static sigjmp_buf faulted;

static void on_fault(int signal)
{
    (void)signal;
    siglongjmp(faulted, 1);
}

/*
 * Accesses one byte at base + va as translated code does. Returns its value, or -1 for a fault. A
 * write stores the old value.
 */
static int access_at(const struct space *s, uint64_t va, enum cpu_access access)
{
    volatile uint8_t *at = (uint8_t *)(uintptr_t)((uintptr_t)s->host + va);

    if (sigsetjmp(faulted, 1))
        return -1;
    if (access == CPU_WRITE)
        __asm__ volatile("lock addb $0, %0" : "+m"(*at));
    return *at;
}

static bool is_accessible(struct space *s, uint64_t va, enum cpu_access access)
{
    uint64_t pa;
    uint32_t flags;

    return !space_translate(s, va, access, &pa, &flags);
}

static void assert_access(struct space *s, uint64_t va, bool read, bool write)
{
    assert_int_equal(access_at(s, va, CPU_READ) >= 0, read);
    assert_int_equal(access_at(s, va, CPU_WRITE) >= 0, write);
}

/* ---- random changes -------------------------------------------------------------------------- */

enum { WINDOW = 48 }; /* pages in which changes are made */

struct model {
    struct bench b;
    uint64_t random, base; /* random state; address of the window */
    bool mapped[WINDOW];
    int prot[WINDOW];
    uint8_t value[WINDOW];
};

static unsigned draw_below(struct model *m, unsigned below)
{
    return (unsigned)(random_next(&m->random) % below);
}

static int draw_prot(struct model *m)
{
    static const int some[] = {PROT_NONE, PROT_READ, RW, RW, RWX, PROT_READ | PROT_EXEC, PROT_EXEC};

    return some[draw_below(m, sizeof(some) / sizeof(some[0]))];
}

static uint64_t page_at(const struct model *m, unsigned n)
{
    return m->base + n * PAGE;
}

static void set_page(struct model *m, unsigned n, bool mapped, int prot, uint8_t value)
{
    m->mapped[n] = mapped;
    m->prot[n] = prot;
    m->value[n] = value;
}

static void change_map(struct model *m, unsigned at, unsigned pages)
{
    int prot = draw_prot(m);

    assert_int_equal(map_anonymous(&m->b, page_at(m, at), pages, prot, MAP_FIXED), page_at(m, at));
    for (unsigned n = at; n < at + pages; n++)
        set_page(m, n, true, prot, 0);
}

static void change_unmap(struct model *m, unsigned at, unsigned pages)
{
    assert_int_equal(space_unmap(&m->b.space, page_at(m, at), pages * PAGE), 0);
    for (unsigned n = at; n < at + pages; n++)
        set_page(m, n, false, 0, 0);
}

static void change_protect(struct model *m, unsigned at, unsigned pages)
{
    int prot = draw_prot(m);
    bool all = true;

    for (unsigned n = at; n < at + pages; n++)
        all &= m->mapped[n];
    assert_int_equal(space_protect(&m->b.space, page_at(m, at), pages * PAGE, prot),
                     all ? 0 : -ENOMEM);
    for (unsigned n = at; n < at + pages && all; n++)
        m->prot[n] = prot;
}

static void change_drop(struct model *m, unsigned at, unsigned pages)
{
    bool all = true;

    for (unsigned n = at; n < at + pages; n++)
        all &= m->mapped[n];
    assert_int_equal(space_advise(&m->b.space, page_at(m, at), pages * PAGE, MADV_DONTNEED),
                     all ? 0 : -ENOMEM);
    for (unsigned n = at; n < at + pages && all; n++)
        m->value[n] = 0;
}

/* Marks a page as containing code. */
static void change_code(struct model *m, unsigned at, unsigned pages)
{
    (void)pages;
    if (m->mapped[at] && (m->prot[at] & PROT_EXEC))
        bus_mark_code(m->b.bus, page_at(m, at));
}

/* Writes as a system call does. */
static void change_value(struct model *m, unsigned at, unsigned pages)
{
    uint8_t *to = space_write(&m->b.space, page_at(m, at), 1),
            value = (uint8_t)(1 + draw_below(m, 255));

    (void)pages;
    assert_int_equal(to != NULL, m->mapped[at] && (m->prot[at] & PROT_WRITE));
    if (to)
        *to = m->value[at] = value;
}

static bool is_one_area(struct model *m, unsigned at, unsigned pages)
{
    const struct area *a = space_find(&m->b.space, page_at(m, at));

    return a && a->end >= page_at(m, at + pages);
}

static void change_move(struct model *m, unsigned at, unsigned pages)
{
    unsigned to = draw_below(m, WINDOW - 8), new_pages = 1 + draw_below(m, 8);
    struct model old = *m;
    int64_t moved;

    if (!is_one_area(m, at, pages) || (to < at + pages && at < to + new_pages))
        return;
    moved = space_remap(&m->b.space, page_at(m, at), pages * PAGE, new_pages * PAGE,
                        MREMAP_MAYMOVE | MREMAP_FIXED, page_at(m, to));
    assert_int_equal(moved, page_at(m, to));
    for (unsigned n = at; n < at + pages; n++)
        set_page(m, n, false, 0, 0);
    for (unsigned n = 0; n < new_pages; n++)
        set_page(m, to + n, true, old.prot[at], n < pages ? old.value[at + n] : 0);
}

/* Grows a mapping in place, or shrinks it. */
static void change_size(struct model *m, unsigned at, unsigned pages)
{
    unsigned room = at + pages, want = 1 + draw_below(m, 8);
    int64_t result;

    if (!is_one_area(m, at, pages))
        return;
    while (room < WINDOW && !m->mapped[room])
        room++;
    if (at + want > room)
        want = pages;
    result = space_remap(&m->b.space, page_at(m, at), pages * PAGE, want * PAGE, 0, 0);
    assert_int_equal(result, page_at(m, at));
    for (unsigned n = at + want; n < at + pages; n++)
        set_page(m, n, false, 0, 0);
    for (unsigned n = at + pages; n < at + want; n++)
        set_page(m, n, true, m->prot[at], 0);
}

static void check_page(struct model *m, unsigned n)
{
    struct space *s = &m->b.space;
    uint64_t va = page_at(m, n);
    bool code = *bus_page_flags(m->b.bus, va) & BUS_PAGE_CODE;
    bool read = m->mapped[n] && m->prot[n], write = m->mapped[n] && (m->prot[n] & PROT_WRITE);

    assert_int_equal(is_accessible(s, va, CPU_READ), read);
    assert_int_equal(is_accessible(s, va, CPU_WRITE), write);
    assert_access(s, va, read, write && !(code && s->flat));
    if (read)
        assert_int_equal(access_at(s, va, CPU_READ), m->value[n]);
}

static void same_as_model(struct model *m, unsigned changes)
{
    static void (*const all[])(struct model *, unsigned, unsigned) = {
        change_map,  change_map,   change_unmap, change_protect, change_drop, change_code,
        change_code, change_value, change_value, change_move,    change_size,
    };

    init_bench(&m->b);
    m->base = m->b.space.size - UINT64_C(0x1000000);
    for (unsigned n = 0; n < changes; n++) {
        unsigned at = draw_below(m, WINDOW - 8), pages = 1 + draw_below(m, 8);

        all[draw_below(m, sizeof(all) / sizeof(all[0]))](m, at, pages);
        for (unsigned page = 0; page < WINDOW; page++)
            check_page(m, page);
    }
    free_bench(&m->b);
}

static void follows_a_model(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct model m = {.random = seed};

        same_as_model(&m, 400);
    }
}

#if !WITH_ADDRESS_SANITIZER /* the sanitizer itself needs the room, and maps much */
/* The host has no room for the reservation. */
static void follows_a_model_without_flat_memory(void **state)
{
    struct rlimit old, some;
    struct model m = {.random = 99};

    (void)state;
    getrlimit(RLIMIT_AS, &old);
    some = old;
    some.rlim_cur = UINT64_C(1) << 38;
    setrlimit(RLIMIT_AS, &some);
    same_as_model(&m, 400);
    assert_true(m.b.space.size < UINT64_C(1) << 38);
    setrlimit(RLIMIT_AS, &old);
}
#endif

/* A guest mapping may consist of several host mappings, which cannot be moved in one call. */
static void moves_several_mappings(void **state)
{
    /* in pages; LARGE is backed by large host pages */
    enum { SMALL = 4, LARGE = 2048, ALL = SMALL + LARGE };
    struct bench b;
    uint64_t at, to;

    (void)state;
    init_bench(&b);
    to = map_anonymous(&b, 0, 2 * ALL, PROT_NONE, 0);
    at = map_anonymous(&b, 0, ALL + 1, PROT_NONE, 0);
    map_anonymous(&b, at, LARGE, RW, MAP_FIXED);
    map_anonymous(&b, at + LARGE * PAGE, SMALL, RW, MAP_FIXED);
    for (unsigned n = 0; n < ALL; n++)
        *(uint16_t *)space_write(&b.space, at + n * PAGE, 2) = (uint16_t)n;
    assert_int_equal(space_protect(&b.space, at, ALL * PAGE, PROT_READ), 0);
    assert_int_equal(
        space_remap(&b.space, at, ALL * PAGE, (ALL + 8) * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to),
        to);
    for (unsigned n = 0; n < ALL + 8; n++)
        assert_int_equal(*(uint16_t *)space_read(&b.space, to + n * PAGE, 2), n < ALL ? n : 0);
    assert_access(&b.space, to, true, false);
    assert_access(&b.space, to + (ALL + 7) * PAGE, true, false);
    assert_access(&b.space, at, false, false);
    assert_access(&b.space, at + (ALL - 1) * PAGE, false, false);
    free_bench(&b);
}

/* ---- addresses outside ----------------------------------------------------------------------- */

static void wild_addresses_fault(void **state)
{
    static const uint64_t some[] = {
        UINT64_C(1) << 39,
        UINT64_C(1) << 40,
        (UINT64_C(1) << 44) - 8,
        UINT64_C(1) << 46,
        UINT64_C(1) << 47,
        UINT64_C(1) << 48,
        (UINT64_C(1) << 48) - 8,
        UINT64_C(0x00007fffffffff00),
        UINT64_C(0x0000464544434241), /* addresses made of text and of fill patterns */
        UINT64_C(0x0000616161616161),
        UINT64_C(0x6161616161616161),
        UINT64_C(0x0000aaaaaaaaaaaa),
        UINT64_C(0xaaaaaaaaaaaaaaaa),
        UINT64_C(0xdeadbeefdeadbeef),
        UINT64_C(0x3ff0000000000000), /* addresses made of floating-point numbers */
        UINT64_C(0x7fffffffffffffff),
        UINT64_C(0x8000000000000000),
        UINT64_C(0xfffe000000000000),
        UINT64_C(0xffff000000000000), /* kernel addresses */
        UINT64_C(0xffff800008000000),
        UINT64_C(0xffff888000000000),
        UINT64_C(0xffffffff81000000),
        UINT64_C(0xffffffff80000000),
        UINT64_C(0xffffff8000000000),
        UINT64_C(0xffffffffffffffff), /* small negative numbers */
        UINT64_C(0xfffffffffffff000),
        UINT64_C(0xfffffffffffffff2),
        UINT64_C(0),
        UINT64_C(8),
        UINT64_C(0xffff),
    };
    struct bench b;
    uint64_t at;

    (void)state;
    init_bench(&b);
    assert_true(b.space.flat);
    at = map_anonymous(&b, 0, 1, RW, 0);
    for (size_t n = 0; n < sizeof(some) / sizeof(some[0]); n++)
        assert_access(&b.space, some[n], false, false);
    for (unsigned tag = 1; tag < 256; tag++) /* the slow path serves these addresses */
        assert_access(&b.space, at | (uint64_t)tag << 56, false, false);
    for (unsigned bit = 39; bit < 64; bit++) {
        assert_access(&b.space, at | UINT64_C(1) << bit, false, false);
        assert_access(&b.space, ~(UINT64_C(1) << bit), false, false);
    }
    assert_access(&b.space, at, true, true);
    free_bench(&b);
}

/* A base of 0 takes no displacement in translated code. It needs a guest without the addresses that
 * Linux does not map. */
static void base_is_0_where_that_may_be(void **state)
{
#if WITH_ADDRESS_SANITIZER || !defined(__x86_64__)
    const bool may_be = false;
#else
    const bool may_be = true;
#endif
    struct reservation r = {0};
    uint8_t *base = NULL;
    struct bench b;

    (void)state;
    init_bench(&b);
    assert_int_equal(!b.space.host, may_be);
    assert_non_null(space_read(&b.space, 0, 0));
    assert_non_null(space_write(&b.space, 0, 0));
    assert_null(space_read(&b.space, 0, 1));
    assert_int_equal(space_map(&b.space, 0x8000, PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                               &(struct space_source){-1, 0, NULL}),
                     -EPERM);
    free_bench(&b);
    assert_true(reservation_flat(&r, 0, &base));
    assert_non_null(base);
    assert_true(r.at <= base);
    reservation_free(&r);
    assert_null(r.at);
}

#if !WITH_ADDRESS_SANITIZER
/* Guest addresses that would reach the simulator itself are those that flat.h states. */
static void is_far_from_the_simulator(void **state)
{
    unsigned long long from, to;
    unsigned seen = 0;
    char line[512];
    struct bench b;
    FILE *maps;

    (void)state;
    init_bench(&b);
    maps = fopen("/proc/self/maps", "re");
    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps)) {
        assert_int_equal(sscanf(line, "%llx-%llx", &from, &to), 2);
        if (from >> 63 || (from >= (uintptr_t)b.space.reserved.at &&
                           to <= (uintptr_t)b.space.reserved.at + b.space.reserved.bytes))
            continue;
        for (unsigned end = 0; end < 2; end++) {
            uint64_t host = end ? to - 1 : from, va = host - (uintptr_t)b.space.host;

            if (host >> 40 != 0x55 && host >> 40 != 0x56 && host >> 40 != 0x7e &&
                host >> 40 != 0x7f)
                fail_msg("guest address %#llx hits %s", (unsigned long long)va, line);
            seen++;
        }
    }
    fclose(maps);
    assert_true(seen > 10);
    free_bench(&b);
}
#endif

/* ---- code ------------------------------------------------------------------------------------ */

static void pages_with_code(void **state)
{
    struct bench b;
    uint64_t at;

    (void)state;
    init_bench(&b);
    at = map_anonymous(&b, 0, 4, RWX, 0);
    bus_mark_code(b.bus, at + PAGE + 8);
    bus_mark_code(b.bus, at + 2 * PAGE);
    assert_access(&b.space, at, true, true);
    assert_access(&b.space, at + PAGE, true, false);
    assert_access(&b.space, at + 2 * PAGE, true, false);
    assert_access(&b.space, at + 3 * PAGE, true, true);
    /* The page's own permissions change, and its code stays. */
    assert_int_equal(space_protect(&b.space, at, 4 * PAGE, PROT_READ | PROT_EXEC), 0);
    assert_access(&b.space, at, true, false);
    assert_int_equal(space_protect(&b.space, at, 4 * PAGE, RWX), 0);
    assert_access(&b.space, at, true, true);
    assert_access(&b.space, at + PAGE, true, false);
    assert_access(&b.space, at + 2 * PAGE, true, false);
    assert_access(&b.space, at + 3 * PAGE, true, true);
    /* A system call writes across a page border. */
    memset(space_write(&b.space, at + 2 * PAGE - 4, 8), 1, 8);
    assert_access(&b.space, at + PAGE, true, true);
    assert_access(&b.space, at + 2 * PAGE, true, true);
    /* New memory has no code. */
    bus_mark_code(b.bus, at);
    map_anonymous(&b, at, 1, RWX, MAP_FIXED);
    assert_false(bus_has_code(b.bus, at, 1));
    assert_access(&b.space, at, true, true);
    space_free(&b.space);
    assert_null(b.bus->protect);
    bus_free(b.bus);
}

/*
 * Simulates the host's limit of mappings (vm.max_map_count), which is too high to reach: only this
 * number of single-page changes, each of which splits a mapping, succeed. The linker redirects the
 * space's mprotect() calls here.
 */
static unsigned long splits_left = ~0ul;

int __real_mprotect(void *at, size_t len, int prot);
int __wrap_mprotect(void *at, size_t len, int prot);

int __wrap_mprotect(void *at, size_t len, int prot)
{
    if (len == PAGE && !splits_left) {
        errno = ENOMEM;
        return -1;
    }
    splits_left -= len == PAGE && splits_left != ~0ul;
    return __real_mprotect(at, len, prot);
}

static unsigned long host_limit(void)
{
    FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
    unsigned long limit = 0;

    if (file && fscanf(file, "%lu", &limit) != 1)
        limit = 0;
    if (file)
        fclose(file);
    return limit ? limit : ~0ul;
}

/* The host limits mappings, and each change of permissions may split one. */
static void too_many_mappings(void **state)
{
    enum { PAGES = 150000, USUAL = 65530 };
    struct cpu *cpu = aligned_alloc(_Alignof(struct cpu), sizeof(*cpu));
    struct bench b;
    uint64_t at;

    (void)state;
    assert_non_null(cpu);
    memset(cpu, 0, sizeof(*cpu));
    init_bench(&b);
    b.group.cpu = &cpu;
    b.group.count = 1;
    space_set_flat(&b.space, cpu);
    assert_true(cpu->flat);
    at = map_anonymous(&b, 0, PAGES, RWX, 0);
    if (host_limit() > USUAL)
        splits_left = 1000;
    for (unsigned n = 0; n < PAGES && b.space.flat; n += 2)
        bus_mark_code(b.bus, at + n * PAGE);
    splits_left = ~0ul;
    assert_false(b.space.flat);
    assert_false(cpu->flat);
    for (unsigned n = 0; n < PAGES; n += 2 * 997) {
        bus_mark_code(b.bus, at + n * PAGE);
        assert_access(&b.space, at + n * PAGE, true, true);
    }
    free_bench(&b);
    free(cpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_a_model),
        cmocka_unit_test(moves_several_mappings),
        cmocka_unit_test(wild_addresses_fault),
        cmocka_unit_test(base_is_0_where_that_may_be),
        cmocka_unit_test(pages_with_code),
        cmocka_unit_test(too_many_mappings),
#if !WITH_ADDRESS_SANITIZER
        cmocka_unit_test(follows_a_model_without_flat_memory),
        cmocka_unit_test(is_far_from_the_simulator),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
