/*
 * Translations as shader cores request them, and the MMU's registers one by one. Entries, codes and
 * register offsets are Linux's: io-pgtable-arm.c (ARM_MALI_LPAE), panfrost_regs.h.
 */
#include "runtime/base/bits.h"
#include "runtime/gpu/internal.h"
#include "tests/gpu_device/bed.h"

enum {
    TRANSLATION_FAULT = 0xc0, /* plus the level of the table */
    PERMISSION_FAULT = 0xc8,
    TRANSTAB_BUS_FAULT = 0xd0,
    ADDRESS_SIZE_FAULT = 0xe4,
    BUS_FAULT = 0x48,
};

#define BLOCK    UINT64_C(1) /* type bits of an entry; the last level's pages have them, too */
#define TABLE    UINT64_C(3)
#define READ     (UINT64_C(1) << 6)
#define WRITE    (UINT64_C(1) << 7)
#define NO_EXEC  (UINT64_C(3) << 53)
#define READABLE (BLOCK | READ | NO_EXEC)
#define WRITABLE (BLOCK | READ | WRITE | NO_EXEC)

#define MB         UINT64_C(0x100000)
#define OTHER_RAM  UINT64_C(0x90001000) /* three pages, aligned only to 4 KB */
#define OTHER_SIZE UINT64_C(0x3000)

static struct gpu *gpu_of(const struct bed *t)
{
    return t->d->b->dev;
}

static struct gpu_address_space *enter_space(const struct bed *t, unsigned as)
{
    return gpu_mmu_enter(gpu_of(t), as);
}

static uint32_t look_up(const struct bed *t, uint64_t va, enum gpu_access access,
                        struct gpu_page *page)
{
    const struct gpu_address_space *as = enter_space(t, 0);

    return as->translate(as->opaque, va, access, page);
}

/* Returns the fault code of a read, or 0. */
static uint32_t code_of(const struct bed *t, uint64_t va)
{
    struct gpu_page page;

    return look_up(t, va, GPU_ACCESS_READ, &page);
}

static void add_other_ram(const struct bed *t)
{
    struct error err;

    assert_non_null(bus_add_ram(t->d->b->bus, "other", OTHER_RAM, OTHER_SIZE, &err));
}

/* Checks that `va` translates to `pa`, in a page of `bytes`. */
static void expect_page(const struct bed *t, uint64_t va, uint64_t pa, uint64_t bytes)
{
    static uint32_t stamp = 0x1234567;
    struct gpu_page page;

    assert_int_equal(look_up(t, va, GPU_ACCESS_READ, &page), 0);
    assert_int_equal(page.bytes, bytes);
    poke(t->d, pa, ++stamp);
    assert_int_equal(le_get(page.host + (va & (bytes - 1)), 4), stamp);
}

/* Writes an entry at a level, and makes the tables above it as needed. */
static void put_entry(const struct bed *t, uint64_t va, unsigned level, uint64_t entry)
{
    uint64_t table = t->root;

    for (unsigned l = 0; l < level; l++) {
        uint64_t at = table + (va >> (39 - 9 * l) & 0x1ff) * 8;

        if (!peek(t->d, at))
            poke64(t->d, at, board_page(t->d) | TABLE);
        table = bench_read_as(t->d->b, 0, at, 8) & UINT64_C(0xfffffffff000);
    }
    poke64(t->d, table + (va >> (39 - 9 * level) & 0x1ff) * 8, entry);
}

/* ---- walks ----------------------------------------------------------------------------------- */

#define AT UINT64_C(0x123456789000) /* the index differs at each level */

static void test_leaves(void **unused)
{
    struct bed t = bed_new();
    uint64_t gb = AT & ~(1024 * MB - 1), pa = BOARD_RAM + 8 * MB;

    (void)unused;
    put_entry(&t, AT, 3, pa | READABLE);
    expect_page(&t, AT, pa, 0x1000);
    expect_page(&t, AT + 0xffc, pa + 0xffc, 0x1000);
    assert_int_equal(code_of(&t, AT + 0x1000), TRANSLATION_FAULT + 3);
    assert_int_equal(code_of(&t, AT - 0x1000), TRANSLATION_FAULT + 3);
    /* A block of 2 MB; the lower address bits of its entry are ignored */
    put_entry(&t, AT, 2, (pa + 2 * MB) | 0x5000 | READABLE);
    expect_page(&t, AT & ~(2 * MB - 1), pa + 2 * MB, 2 * MB);
    expect_page(&t, AT, pa + 2 * MB + (AT & (2 * MB - 1)), 2 * MB);
    assert_int_equal(code_of(&t, AT + 2 * MB), TRANSLATION_FAULT + 2);
    /* A block of 1 GB translates in pieces of 2 MB, as far as there is memory. */
    put_entry(&t, AT, 1, BOARD_RAM | READABLE);
    expect_page(&t, gb, BOARD_RAM, 2 * MB);
    expect_page(&t, gb + 5 * MB + 0x1234, BOARD_RAM + 5 * MB + 0x1234, 2 * MB);
    expect_page(&t, gb + BOARD_SIZE - 4, BOARD_RAM + BOARD_SIZE - 4, 2 * MB);
    assert_int_equal(code_of(&t, gb + BOARD_SIZE), BUS_FAULT);
    assert_int_equal(code_of(&t, gb + 1024 * MB), TRANSLATION_FAULT + 1);
    /* There are no blocks of 512 GB. */
    put_entry(&t, AT, 0, BOARD_RAM | READABLE);
    assert_int_equal(code_of(&t, AT), TRANSLATION_FAULT);
    board_free(t.d);
}

/* Entries that end a walk with a fault, at each level. */
static void test_walk_ends(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    for (unsigned level = 4; level--;) {
        put_entry(&t, AT, level, UINT64_C(0x4000) | TABLE); /* no RAM there */
        assert_int_equal(code_of(&t, AT),
                         level == 3 ? TRANSLATION_FAULT + 3 : TRANSTAB_BUS_FAULT + level + 1);
        put_entry(&t, AT, level, t.page | READ | 2);
        assert_int_equal(code_of(&t, AT), TRANSLATION_FAULT + level);
        put_entry(&t, AT, level, 0);
        assert_int_equal(code_of(&t, AT), TRANSLATION_FAULT + level);
    }
    /* the last page of 48 address bits */
    put_entry(&t, UINT64_C(0xfffffffff000), 3, t.page | READABLE);
    assert_int_equal(code_of(&t, UINT64_C(0xffffffffffff)), 0);
    assert_int_equal(code_of(&t, UINT64_C(0x1ffffffffffff)), TRANSLATION_FAULT);
    assert_int_equal(code_of(&t, UINT64_C(0x1000000000000) + VA), TRANSLATION_FAULT);
    board_free(t.d);
}

/*
 * RAM that covers only part of an aligned block: the translation is the largest aligned part within
 * RAM.
 */
static void test_edges_of_memory(void **unused)
{
    struct bed t = bed_new();
    uint64_t before = enter_space(&t, 0)->generation;

    (void)unused;
    put_entry(&t, AT, 2, UINT64_C(0x90000000) | READABLE);
    assert_int_equal(code_of(&t, (AT & ~(2 * MB - 1)) + 0x1000), BUS_FAULT);
    add_other_ram(&t);
    expect_page(&t, (AT & ~(2 * MB - 1)) + 0x1004, OTHER_RAM + 4, 0x1000);
    expect_page(&t, (AT & ~(2 * MB - 1)) + 0x2008, OTHER_RAM + 0x1008, 0x2000);
    expect_page(&t, (AT & ~(2 * MB - 1)) + 0x3ffc, OTHER_RAM + 0x2ffc, 0x2000);
    assert_int_equal(code_of(&t, (AT & ~(2 * MB - 1)) + 0xffc), BUS_FAULT);
    assert_int_equal(code_of(&t, (AT & ~(2 * MB - 1)) + 0x4000), BUS_FAULT);
    assert_true(enter_space(&t, 0)->generation > before); /* earlier translations are invalid */
    /* A table in the last page of RAM */
    put_entry(&t, AT, 2, (OTHER_RAM + 0x2000) | TABLE);
    poke64(t.d, OTHER_RAM + 0x2000 + (AT >> 12 & 0x1ff) * 8, t.page | READABLE);
    expect_page(&t, AT, t.page, 0x1000);
    board_free(t.d);
}

/* The variant has 40 bits of physical address. */
static void test_address_size(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    for (unsigned level = 1; level < 4; level++) {
        put_entry(&t, AT, level, UINT64_C(1) << 40 | READABLE);
        assert_int_equal(code_of(&t, AT), ADDRESS_SIZE_FAULT + level);
        put_entry(&t, AT, level, UINT64_C(1) << 39 | READABLE);
        assert_int_equal(code_of(&t, AT), BUS_FAULT);
        put_entry(&t, AT, level, 0);
    }
    board_free(t.d);
}

static void test_modes(void **unused)
{
    struct bed t = bed_new();
    struct gpu_page page;

    (void)unused;
    for (unsigned mode = 0; mode < 4; mode++) {
        wr64(t.d, 0x2400, t.root | 4 | mode);
        wr(t.d, 0x2418, 1);
        assert_int_equal(gpu_mmu_enabled(gpu_of(&t), 0), mode >= 2);
        assert_int_equal(code_of(&t, VA), mode == 3   ? 0
                                          : mode == 2 ? BUS_FAULT
                                                      : TRANSLATION_FAULT);
        assert_int_equal(code_of(&t, t.page), mode == 2 ? 0 : mode == 3 ? 0xc1 : TRANSLATION_FAULT);
        if (mode != 2)
            continue;
        expect_page(&t, t.page + 0x24, t.page + 0x24, 0x1000);
        for (unsigned access = 0; access < 4; access++)
            assert_int_equal(look_up(&t, t.page, access, &page), 0);
        assert_true(page.read && page.write && page.execute);
    }
    board_free(t.d);
}

static void test_rights(void **unused)
{
    static const struct {
        uint64_t bits;
        uint32_t atomic, execute, read, write; /* 0: allowed, else the fault code */
    } cases[] = {
        {NO_EXEC, 1, 1, 1, 1},
        {READ | NO_EXEC, 1, 1, 0, 1},
        {WRITE | NO_EXEC, 1, 1, 1, 0},
        {READ | WRITE | NO_EXEC, 0, 1, 0, 0},
        {0, 1, 1, 1, 1},
        {READ, 1, 0, 0, 1},
        {WRITE, 1, 1, 1, 0},
        {READ | WRITE, 0, 0, 0, 0},
    };
    struct bed t = bed_new();
    uint64_t large = BOARD_RAM + 8 * MB;

    (void)unused;
    for (unsigned level = 2; level < 4; level++) {
        for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
            uint32_t refused = PERMISSION_FAULT + level;
            struct gpu_page page;

            put_entry(&t, AT + level * 2 * MB, level, large | BLOCK | cases[i].bits);
            assert_int_equal(look_up(&t, AT + level * 2 * MB, GPU_ACCESS_ATOMIC, &page),
                             cases[i].atomic * refused);
            assert_int_equal(look_up(&t, AT + level * 2 * MB, GPU_ACCESS_EXECUTE, &page),
                             cases[i].execute * refused);
            assert_int_equal(look_up(&t, AT + level * 2 * MB, GPU_ACCESS_READ, &page),
                             cases[i].read * refused);
            assert_int_equal(page.read, !cases[i].read);
            assert_int_equal(look_up(&t, AT + level * 2 * MB, GPU_ACCESS_WRITE, &page),
                             cases[i].write * refused);
            assert_int_equal(page.write, !cases[i].write);
            if (!cases[i].write) {
                assert_int_equal(page.read, !cases[i].read);
                assert_int_equal(page.execute, !(cases[i].bits & NO_EXEC));
            }
        }
    }
    board_free(t.d);
}

/* ---- what cores write, CPUs must not execute from before ------------------------------------- */

static uint64_t touched[8];
static unsigned touches;

static void on_code_write(void *opaque, uint64_t pa, uint64_t len)
{
    (void)opaque;
    assert_int_equal(len, 0x1000);
    if (touches < ARRAY_SIZE(touched))
        touched[touches] = pa;
    touches++;
}

/* Returns the number of CPU pages whose code is dropped when a step of address space 0 ends. */
static unsigned leave_space(const struct bed *t)
{
    touches = 0;
    gpu_mmu_leave(gpu_of(t), 0);
    return touches;
}

static void watch_code(const struct bed *t, uint64_t pa)
{
    t->d->b->bus->on_code_write = on_code_write;
    bus_mark_code(t->d->b->bus, pa);
}

static void test_granted(void **unused)
{
    struct bed t = bed_new();
    uint64_t large = BOARD_RAM + 8 * MB;
    struct gpu_page page;

    (void)unused;
    add_other_ram(&t);
    watch_code(&t, OTHER_RAM + 0x2000);
    watch_code(&t, large + 2 * MB - 0x1000);
    watch_code(&t, large + 2 * MB);
    watch_code(&t, t.page + 0x1000);
    assert_int_equal(leave_space(&t), 0);
    /* AT is read-only and VA has no code, so that nothing is dropped until AT is writable. */
    put_entry(&t, AT, 3, (OTHER_RAM + 0x2000) | READABLE);
    look_up(&t, AT, GPU_ACCESS_READ, &page);
    look_up(&t, VA, GPU_ACCESS_WRITE, &page);
    assert_int_equal(leave_space(&t), 0);
    put_entry(&t, AT, 3, (OTHER_RAM + 0x2000) | WRITABLE);
    for (unsigned i = 0; i < 3; i++)
        look_up(&t, AT, i % 2 ? GPU_ACCESS_READ : GPU_ACCESS_WRITE, &page);
    assert_int_equal(leave_space(&t), 1);
    assert_int_equal(touched[0], OTHER_RAM + 0x2000);
    assert_int_equal(leave_space(&t),
                     1); /* each step may write again through the same translation */
    /* The whole large page, and nothing after it */
    put_entry(&t, AT + 4 * MB, 2, large | WRITABLE);
    look_up(&t, AT + 4 * MB, GPU_ACCESS_WRITE, &page);
    assert_int_equal(leave_space(&t), 2);
    assert_int_equal(touched[1], large + 2 * MB - 0x1000);
    /* A flush revokes translations; the cores request them again. */
    driver_flush(t.d, 0, AT);
    assert_int_equal(leave_space(&t), 0);
    look_up(&t, AT, GPU_ACCESS_WRITE, &page);
    assert_int_equal(leave_space(&t), 1);
    /* Other address spaces have no such translations. */
    gpu_mmu_leave(gpu_of(&t), 1);
    assert_int_equal(touches, 1);
    board_free(t.d);
}

/* Memory added later invalidates all translations. */
static void test_memory_comes_later(void **unused)
{
    struct bed t = bed_new();
    struct gpu_page page;
    uint64_t generation[2];

    (void)unused;
    watch_code(&t, t.page);
    look_up(&t, VA, GPU_ACCESS_WRITE, &page);
    assert_int_equal(leave_space(&t), 1);
    generation[0] = enter_space(&t, 0)->generation;
    generation[1] = enter_space(&t, 7)->generation;
    assert_int_equal(enter_space(&t, 0)->generation, generation[0]);
    add_other_ram(&t);
    assert_true(enter_space(&t, 0)->generation > generation[0]);
    assert_true(enter_space(&t, 7)->generation > generation[1]);
    assert_int_equal(leave_space(&t), 0);
    look_up(&t, VA, GPU_ACCESS_WRITE, &page);
    assert_int_equal(leave_space(&t), 1);
    board_free(t.d);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Offsets in an address space's registers of 64 bits, written in two halves. */
static const uint32_t pairs[] = {0x00 /* TRANSTAB */, 0x08 /* MEMATTR */, 0x10 /* LOCKADDR */,
                                 0x30 /* TRANSCFG */};

static void test_space_registers(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    for (unsigned as = 0; as < 8; as++) {
        for (unsigned i = 0; i < ARRAY_SIZE(pairs); i++) {
            wr(t.d, 0x2400 + 0x40 * as + pairs[i], 0x11110000 + 16 * as + i);
            wr(t.d, 0x2400 + 0x40 * as + pairs[i] + 4, 0x22220000 + 16 * as + i);
        }
    }
    for (unsigned as = 0; as < 8; as++) {
        for (unsigned i = 0; i < ARRAY_SIZE(pairs); i++) {
            assert_int_equal(rd(t.d, 0x2400 + 0x40 * as + pairs[i]), 0x11110000 + 16 * as + i);
            assert_int_equal(rd(t.d, 0x2404 + 0x40 * as + pairs[i]), 0x22220000 + 16 * as + i);
        }
        /* COMMAND is write-only, STATUS, FAULTSTATUS, FAULTADDRESS and FAULTEXTRA are read-only. */
        for (uint32_t reg = 0x18; reg < 0x30; reg += 4) {
            if (reg != 0x18)
                wr(t.d, 0x2400 + 0x40 * as + reg, 0xffffffff);
            assert_int_equal(rd(t.d, 0x2400 + 0x40 * as + reg), 0);
        }
        wr(t.d, 0x2438 + 0x40 * as, 1);
        wr(t.d, 0x243c + 0x40 * as, 1);
        assert_int_equal(rd(t.d, 0x2438 + 0x40 * as), 0);
        assert_int_equal(rd(t.d, 0x243c + 0x40 * as), 0);
    }
    board_free(t.d);
}

/* The variant has address spaces 0 to 7. */
static void test_absent_spaces(void **unused)
{
    struct gpu_mmu_change change = {0};
    struct bed t = bed_new();
    bool known;

    (void)unused;
    for (unsigned as = 0; as < 16; as++) {
        uint32_t value = 1;

        known = gpu_mmu_write(gpu_of(&t), 0x2410 + 0x40 * as, 0x55, &change);
        assert_int_equal(known, as < 8);
        known = gpu_mmu_read(gpu_of(&t), 0x2410 + 0x40 * as, &value);
        assert_int_equal(known, as < 8);
        assert_int_equal(value, as < 8 ? 0x55 : 1);
        assert_int_equal(gpu_mmu_read(gpu_of(&t), 0x2428 + 0x40 * as, &value), as < 8);
        assert_int_equal(gpu_mmu_write(gpu_of(&t), 0x2428 + 0x40 * as, 1, &change), false);
        assert_int_equal(gpu_mmu_write(gpu_of(&t), 0x2438 + 0x40 * as, 1, &change), false);
        assert_int_equal(gpu_mmu_read(gpu_of(&t), 0x243c + 0x40 * as, &value), as < 8);
        assert_int_equal(gpu_mmu_read(gpu_of(&t), 0x242c + 0x40 * as, &value), false);
    }
    assert_false(gpu_mmu_write(gpu_of(&t), 0x2800 + 0x10, 1, &change)); /* behind the last */
    assert_false(gpu_mmu_write(gpu_of(&t), 0x23d0, 1, &change));        /* before the first */
    assert_false(gpu_mmu_read(gpu_of(&t), 0x2010, &(uint32_t){0}));
    board_free(t.d);
}

/* The effect of each command on translations and on the flush id. */
static void test_commands(void **unused)
{
    static const struct {
        uint32_t command;
        bool invalidates, flushes;
    } cases[] = {{0, false, false}, {2, false, false}, {1, true, false}, {3, true, false},
                 {4, true, false},  {5, true, true},   {9, false, false}};
    struct bed t = bed_new();

    (void)unused;
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        uint64_t generation = enter_space(&t, 0)->generation,
                 other = enter_space(&t, 1)->generation;
        uint32_t flushes = rd(t.d, 0x38); /* LATEST_FLUSH_ID */

        wr(t.d, 0x2418, cases[i].command);
        assert_int_equal(enter_space(&t, 0)->generation > generation, cases[i].invalidates);
        assert_int_equal(enter_space(&t, 1)->generation, other);
        assert_int_equal(rd(t.d, 0x38), flushes + cases[i].flushes);
        assert_int_equal(rd(t.d, 0x2428), 0); /* completes at once */
    }
    /* TRANSTAB takes effect at UPDATE only. */
    wr64(t.d, 0x2400, 0);
    for (uint32_t command = 2; command < 6; command++) {
        wr(t.d, 0x2418, command);
        assert_int_equal(code_of(&t, VA), 0);
    }
    wr(t.d, 0x2418, 1);
    assert_int_equal(code_of(&t, VA), TRANSLATION_FAULT);
    board_free(t.d);
}

static void test_interrupt_registers(void **unused)
{
    struct bed t = bed_new();

    (void)unused;
    wr(t.d, 0x2008, 0x00020001); /* MASK */
    assert_int_equal(rd(t.d, 0x2008), 0x00020001);
    wr(t.d, 0x2000, 0x00030004); /* RAWSTAT raises */
    assert_int_equal(rd(t.d, 0x2000), 0x00030004);
    assert_int_equal(rd(t.d, 0x200c), 0x00020000); /* STATUS */
    assert_int_equal(rd(t.d, 0x2004), 0);          /* CLEAR is write-only */
    assert_true(t.d->b->level[LINE_MMU]);
    wr(t.d, 0x2004, 0x00020004);
    assert_int_equal(rd(t.d, 0x2000), 0x00010000);
    assert_false(t.d->b->level[LINE_MMU]);
    board_free(t.d);
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* FAULTSTATUS holds the exception in [7:0] and the access in [9:8]; the first fault is kept. */
static void test_fault_registers(void **unused)
{
    struct bed t = bed_new();
    struct gpu_fault fault = {UINT64_C(0x123456789abc), 0xc3, GPU_ACCESS_WRITE, 0};

    (void)unused;
    for (unsigned access = 0; access < 4; access++) {
        fault.access = access;
        assert_true(gpu_mmu_fault(gpu_of(&t), 2, &fault));
        assert_int_equal(rd(t.d, 0x2000), 1u << 2);
        assert_int_equal(rd(t.d, 0x249c), 0xc3 | access << 8);
        assert_int_equal(rd(t.d, 0x24a0), 0x56789abc);
        assert_int_equal(rd(t.d, 0x24a4), 0x1234);
        wr(t.d, 0x2004, 1u << 2);
    }
    assert_true(gpu_mmu_fault(gpu_of(&t), 2, &fault));
    /*
     * A second fault of the same space is reported but not kept; a fault of another space is kept.
     */
    assert_false(
        gpu_mmu_fault(gpu_of(&t), 2, &(struct gpu_fault){0x1000, 0x48, GPU_ACCESS_READ, 0}));
    assert_true(
        gpu_mmu_fault(gpu_of(&t), 3, &(struct gpu_fault){0x2000, 0xc1, GPU_ACCESS_READ, 0}));
    assert_int_equal(rd(t.d, 0x2000), 1u << 2 | 1u << 18 | 1u << 3);
    assert_int_equal(rd(t.d, 0x249c), 0x3c3);
    assert_int_equal(rd(t.d, 0x24dc), 0x2c1);
    assert_int_equal(rd(t.d, 0x24e0), 0x2000);
    /* The line is up as long as either kind is pending */
    wr(t.d, 0x2004, 1u << 2);
    assert_true(
        gpu_mmu_fault(gpu_of(&t), 2, &(struct gpu_fault){0x3000, 0xc2, GPU_ACCESS_READ, 0}));
    assert_int_equal(rd(t.d, 0x24a0), 0x56789abc);
    wr(t.d, 0x2004, 1u << 2 | 1u << 18);
    assert_true(
        gpu_mmu_fault(gpu_of(&t), 2, &(struct gpu_fault){0x3000, 0xc2, GPU_ACCESS_READ, 0}));
    assert_int_equal(rd(t.d, 0x249c), 0x2c2);
    assert_int_equal(rd(t.d, 0x24a0), 0x3000);
    assert_int_equal(rd(t.d, 0x24a4), 0);
    board_free(t.d);
}

/* A reset clears registers and invalidates translations, and so does a load. */
static void test_reset(void **unused)
{
    struct bed t = bed_new();
    uint64_t generation;

    (void)unused;
    gpu_mmu_fault(gpu_of(&t), 0, &(struct gpu_fault){0x1000, 0xc0, GPU_ACCESS_READ, 0});
    generation = enter_space(&t, 5)->generation;
    bench_save_and_load(t.d->b);
    assert_true(enter_space(&t, 5)->generation > generation);
    assert_int_equal(rd(t.d, 0x2420), 0x1000);
    assert_int_equal(code_of(&t, VA), 0);
    generation = enter_space(&t, 5)->generation;
    driver_reset(t.d);
    assert_true(enter_space(&t, 5)->generation > generation);
    assert_int_equal(rd(t.d, 0x2400), 0);
    assert_int_equal(rd(t.d, 0x2420), 0);
    assert_int_equal(rd(t.d, 0x2000), 0);
    assert_int_equal(code_of(&t, VA), TRANSLATION_FAULT);
    board_free(t.d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaves),          cmocka_unit_test(test_walk_ends),
        cmocka_unit_test(test_edges_of_memory), cmocka_unit_test(test_address_size),
        cmocka_unit_test(test_modes),           cmocka_unit_test(test_rights),
        cmocka_unit_test(test_granted),         cmocka_unit_test(test_memory_comes_later),
        cmocka_unit_test(test_space_registers), cmocka_unit_test(test_absent_spaces),
        cmocka_unit_test(test_commands),        cmocka_unit_test(test_interrupt_registers),
        cmocka_unit_test(test_fault_registers), cmocka_unit_test(test_reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
