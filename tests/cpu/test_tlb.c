/*
 * Unit tests of the soft TLB and the jump cache, whose contract is in internal.h and cpu.h: the
 * stored translations, the entries that inline accesses may use, and the effect of each flush.
 */
#include "tests/cpu/bench.h"

#include <stdlib.h>

#include "runtime/cpu/debug.h"
#include "runtime/cpu/internal.h"

#define RW      (TRANSLATE_READ | TRANSLATE_WRITE)
#define VA      UINT64_C(0x10000)
#define SAME    (TLB_SIZE * CPU_PAGE_SIZE) /* pages at this distance share a slot */
#define TOP     (UINT64_C(0xff) << 56)     /* a tag */
#define DENIED  99u
#define ENTRIES (1u << JUMP_CACHE_BITS)

/* What the next translation returns: the page at `pa`, or a fault. */
static struct answer {
    uint64_t pa;
    uint32_t flags, shift, fault;
    uint64_t va; /* the last address asked for */
    uint32_t access, ring;
    unsigned asked;
} answer;

static uint32_t give_answer(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                            uint64_t *pa, uint32_t *flags)
{
    (void)cpu;
    answer.va = va;
    answer.access = access;
    answer.ring = ring;
    answer.asked++;
    *pa = answer.pa;
    *flags = answer.flags | answer.shift << TRANSLATE_SIZE_SHIFT;
    return answer.fault;
}

/* CPUs whose translation returns `answer`. */
static struct bench *make_answering_bench(void)
{
    struct bench *b = bench_new(1);

    answer = (struct answer){.pa = DATA, .flags = RW, .shift = CPU_PAGE_BITS};
    b->cpu[0]->hooks.translate = give_answer;
    b->cpu[0]->counters = (struct cpu_counters){0};
    return b;
}

static uint64_t find_translation(struct bench *b, unsigned ring, uint64_t va,
                                 enum cpu_access access)
{
    uint64_t info = 0;
    uint32_t fault = 0;

    assert_true(tlb_find(b->cpu[0], ring, va, access, &info, &fault));
    return info;
}

/* Fills the table with a page, by an access. */
static void fill_table(struct bench *b, unsigned ring, uint64_t va, uint32_t flags, uint32_t shift)
{
    answer.flags = flags;
    answer.shift = shift;
    find_translation(b, ring, va, CPU_READ);
}

/* Whether the table has the page: an access does not call the translation. */
static bool is_known(struct bench *b, unsigned ring, uint64_t va)
{
    unsigned before = answer.asked;
    uint64_t info;
    uint32_t fault;
    bool found;

    answer.fault = DENIED;
    found = tlb_find(b->cpu[0], ring, va, CPU_READ, &info, &fault);
    answer.fault = 0;
    assert_int_equal(answer.asked, before + !found);
    return found;
}

static struct tlb_entry *entry_of(struct bench *b, unsigned ring, uint64_t va)
{
    struct cpu *cpu = b->cpu[0];

    return &cpu->tlbs[cpu_table(cpu->bank, ring)].entry[va >> CPU_PAGE_BITS & (TLB_SIZE - 1)];
}

/* What the inline path may access at `va`: bit 0 a read, bit 1 a write. */
static unsigned inline_path(struct bench *b, unsigned ring, uint64_t va)
{
    const struct tlb_entry *e = entry_of(b, ring, va);

    return (e->read_tag == va) | (e->write_tag == va) << 1;
}

/* As inline_path(), for accesses whose alignment was checked: TLB_ALIGNED may be set in a tag. */
static unsigned aligned_path(struct bench *b, unsigned ring, uint64_t va)
{
    const struct tlb_entry *e = entry_of(b, ring, va);

    return (((e->read_tag ^ va) & ~TLB_ALIGNED) == 0) | (((e->write_tag ^ va) & ~TLB_ALIGNED) == 0)
                                                            << 1;
}

/* Whether a tag of this slot can match at all. */
static bool matches_here(uint64_t tag, uint64_t va)
{
    return (tag >> CPU_PAGE_BITS & (TLB_SIZE - 1)) == (va >> CPU_PAGE_BITS & (TLB_SIZE - 1));
}

/* ---- the table ------------------------------------------------------------------------------- */

static void a_translation_is_remembered(void **state)
{
    struct bench *b = make_answering_bench();
    struct cpu_counters *c = &b->cpu[0]->counters;
    uint64_t info;

    (void)state;
    answer.pa = DATA + 0x123; /* the offset in the page is ignored */
    answer.flags = TRANSLATE_READ | TRANSLATE_NOT_GLOBAL;
    info = find_translation(b, 2, VA + 0x456, CPU_READ);
    assert_int_equal(answer.va, VA + 0x456);
    assert_int_equal(answer.access, CPU_READ);
    assert_int_equal(answer.ring, 2);
    assert_int_equal(info & ~CPU_PAGE_MASK, DATA);
    assert_int_equal(info & 0x1f, TRANSLATE_READ | TRANSLATE_NOT_GLOBAL);
    assert_int_equal(tlb_page_shift(info), CPU_PAGE_BITS);
    assert_int_equal(tlb_address(info, VA + 0x456), DATA + 0x456);
    assert_int_equal(c->tlb_misses, 1);
    assert_int_equal(c->walks, 1);
    assert_true(find_translation(b, 2, VA + 0xfff, CPU_READ) == info);
    assert_int_equal(c->tlb_misses, 1);
    assert_int_equal(c->walks, 1);
    assert_false(is_known(b, 1, VA)); /* each ring has its own table */
    assert_false(is_known(b, 2, VA + 0x1000));
    bench_free(b);
}

/* An access that an entry does not allow calls the translation, which may then allow it. */
static void each_kind_of_access(void **state)
{
    struct bench *b = make_answering_bench();

    (void)state;
    answer.flags = TRANSLATE_READ;
    find_translation(b, 1, VA, CPU_READ);
    find_translation(b, 1, VA, CPU_WRITE); /* the write flag is missing, but no fault is returned */
    assert_int_equal(answer.asked, 2);
    assert_int_equal(find_translation(b, 1, VA, CPU_WRITE) & 7, RW);
    assert_int_equal(answer.asked, 2);
    assert_int_equal(find_translation(b, 1, VA, CPU_FETCH) & 7, TRANSLATE_READ | TRANSLATE_EXEC);
    assert_int_equal(answer.asked, 3);
    bench_free(b);
}

static void faults_are_not_remembered(void **state)
{
    struct bench *b = make_answering_bench();
    uint64_t info;
    uint32_t fault = 0;

    (void)state;
    answer.fault = DENIED;
    for (unsigned n = 1; n < 3; n++) {
        assert_false(tlb_find(b->cpu[0], 1, VA, CPU_WRITE, &info, &fault));
        assert_int_equal(fault, DENIED);
        assert_int_equal(answer.asked, n);
    }
    answer.fault = 0;
    find_translation(b, 1, VA, CPU_WRITE);
    assert_int_equal(b->cpu[0]->counters.tlb_misses, 3);
    bench_free(b);
}

/* Without translation addresses are physical and everything is allowed. */
static void without_translation(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu_isa plain = toy_isa;
    const uint32_t all = TRANSLATE_READ | TRANSLATE_WRITE | TRANSLATE_EXEC;

    (void)state;
    plain.translate = NULL;
    b->cpu[0]->isa = &plain;
    assert_int_equal(find_translation(b, 1, DATA + 8, CPU_FETCH), DATA | all);
    assert_int_equal(b->cpu[0]->counters.walks, 0);
    b->cpu[0]->isa = &toy_isa;
    find_translation(b, 2, DATA + 8, CPU_FETCH);
    assert_int_equal(b->cpu[0]->counters.walks,
                     1); /* the description's own hook, which this one precedes */
    bench_free(b);
}

/* ---- what the inline path sees --------------------------------------------------------------- */

static void tags_by_what_is_mapped(void **state)
{
    static const struct {
        uint64_t pa;
        uint32_t flags;
        unsigned seen, aligned;
    } cases[] = {
        {DATA, RW, 3, 3},
        {DATA, TRANSLATE_READ, 1, 1},
        {DATA, TRANSLATE_WRITE | TRANSLATE_READ, 3, 3},
        {DATA, RW | TRANSLATE_DEVICE, 0, 3},
        {DATA, TRANSLATE_READ | TRANSLATE_DEVICE, 0, 1},
        {DATA, RW | TRANSLATE_NOT_GLOBAL, 3, 3},
        {ROM, RW, 1, 1},
        {ROM, RW | TRANSLATE_DEVICE, 0, 1},
        {DEVICE, RW, 0, 0},
        {DEVICE, RW | TRANSLATE_DEVICE, 0, 0},
        {NOWHERE, RW, 0, 0},
    };

    (void)state;
    for (unsigned n = 0; n < ARRAY_SIZE(cases); n++) {
        struct bench *b = make_answering_bench();
        const struct tlb_entry *e = entry_of(b, 1, VA);

        answer.pa = cases[n].pa + 0x800;
        fill_table(b, 1, VA, cases[n].flags, CPU_PAGE_BITS);
        assert_int_equal(inline_path(b, 1, VA), cases[n].seen);
        assert_int_equal(aligned_path(b, 1, VA), cases[n].aligned);
        if (cases[n].aligned) {
            assert_ptr_equal((uint8_t *)(VA + e->addend), bus_find(b->bus, cases[n].pa)->host +
                                                              cases[n].pa -
                                                              bus_find(b->bus, cases[n].pa)->base);
        }
        assert_int_equal(matches_here(e->read_tag, VA), cases[n].seen & 1);
        assert_int_equal(matches_here(e->write_tag, VA), cases[n].seen >> 1);
        bench_free(b);
    }
}

/* In a table with one page no other address matches a tag, also if its alignment was checked. */
static void empty_entries_match_nothing(void **state)
{
    static const uint64_t others[] = {0, TLB_ALIGNED, 2 * TLB_ALIGNED, 3 * TLB_ALIGNED, SAME};
    struct bench *b = make_answering_bench();

    (void)state;
    fill_table(b, 1, VA, RW, CPU_PAGE_BITS);
    for (unsigned n = 0; n < ARRAY_SIZE(others); n++) {
        assert_int_equal(inline_path(b, 1, others[n]), 0);
        assert_int_equal(aligned_path(b, 1, others[n]), 0);
        tlb_retag(b->cpu[0], 1, others[n]);
        tlb_retag_page(b->cpu[0], others[n]);
        assert_int_equal(aligned_path(b, 1, others[n]), 0);
        assert_false(is_known(b, 1, others[n]));
    }
    assert_true(is_known(b, 1, VA));
    bench_free(b);
}

/* What the inline path may write to it may read, too: translated code looks a place up once for
 * both. So a page that may be written but not read is in neither path. */
static void write_only_pages(void **state)
{
    struct bench *b = make_answering_bench();

    (void)state;
    answer.flags = 0;
    find_translation(b, 1, VA, CPU_WRITE);
    assert_int_equal(inline_path(b, 1, VA), 0);
    bench_free(b);
}

static void pages_with_code_are_not_written_inline(void **state)
{
    struct bench *b = make_answering_bench();

    (void)state;
    fill_table(b, 1, VA, RW, CPU_PAGE_BITS);
    fill_table(b, 3, VA + 0x5000, RW, CPU_PAGE_BITS);
    answer.pa = DATA + 0x1000;
    fill_table(b, 1, VA + 0x1000, RW, CPU_PAGE_BITS);
    tlb_protect(b->cpu[0], DATA + 0x678);
    assert_int_equal(inline_path(b, 1, VA), 1);
    assert_int_equal(inline_path(b, 3, VA + 0x5000), 1); /* an alias in ring 3 */
    assert_int_equal(inline_path(b, 1, VA + 0x1000), 3); /* a physical page without code */
    assert_false(matches_here(entry_of(b, 1, VA)->write_tag, VA));
    bus_mark_code(b->bus, DATA + 0x1000);
    tlb_retag(b->cpu[0], 1, VA + 0x1fff);
    assert_int_equal(inline_path(b, 1, VA + 0x1000), 1);
    bus_clear_code(b->bus, DATA + 0x1000);
    tlb_retag(b->cpu[0], 1, VA + 0x1000 + SAME); /* not the page in the slot */
    assert_int_equal(inline_path(b, 1, VA + 0x1000), 1);
    tlb_retag(b->cpu[0], 1, VA + 0x1fff);
    assert_int_equal(inline_path(b, 1, VA + 0x1000), 3);
    bench_free(b);
}

static void watched_pages_are_not_accessed_inline(void **state)
{
    struct bench *b = make_answering_bench();
    struct debug *debug = debug_attach(&b->group);

    (void)state;
    assert_true(debug_add_watchpoint(debug, VA + 0x100, 4, DEBUG_WATCH_READ));
    assert_true(debug_add_watchpoint(debug, VA + 0x1ff8, 8, DEBUG_WATCH_WRITE));
    assert_true(debug_add_watchpoint(debug, VA + 0x2000, 1, DEBUG_WATCH_READ | DEBUG_WATCH_WRITE));
    for (unsigned n = 0; n < 4; n++)
        fill_table(b, 1, VA + n * 0x1000, RW, CPU_PAGE_BITS);
    assert_int_equal(inline_path(b, 1, VA),
                     0); /* not written to either, as write_only_pages() says */
    assert_int_equal(inline_path(b, 1, VA + 0x1000), 1);
    assert_int_equal(inline_path(b, 1, VA + 0x2000), 0);
    assert_int_equal(inline_path(b, 1, VA + 0x3000), 3);
    debug_detach(debug);
    bench_free(b);
}

/* ---- flushes --------------------------------------------------------------------------------- */

static void flush_of_everything(void **state)
{
    struct bench *b = make_answering_bench();

    (void)state;
    for (unsigned ring = 0; ring < CPU_RINGS; ring++) {
        fill_table(b, ring, VA, RW, CPU_PAGE_BITS);
        fill_table(b, ring, VA + SAME - 0x1000, RW | TRANSLATE_NOT_GLOBAL, 21);
    }
    cpu_tlb_flush(b->cpu[0], true);
    assert_int_equal(b->cpu[0]->counters.tlb_flushes, 1);
    for (unsigned ring = 0; ring < CPU_RINGS; ring++) {
        assert_false(is_known(b, ring, VA));
        assert_false(is_known(b, ring, VA + SAME - 0x1000));
        assert_int_equal(inline_path(b, ring, VA), 0);
        fill_table(b, ring, VA, RW, 21);
    }
    tlb_flush_all(b->cpu[0]); /* as the CPU's reset does */
    for (unsigned ring = 0; ring < CPU_RINGS; ring++) {
        assert_false(is_known(b, ring, VA));
        assert_int_equal(inline_path(b, ring, VA), 0);
        assert_int_equal(b->cpu[0]->tlbs[ring].large_high, 0);
        assert_int_equal(b->cpu[0]->tlbs[ring].large_low, 0);
    }
    bench_free(b);
}

static void flush_of_an_address_space(void **state)
{
    struct bench *b = make_answering_bench();

    (void)state;
    for (unsigned ring = 0; ring < CPU_RINGS; ring++) {
        for (unsigned n = 0; n < 4; n++)
            fill_table(b, ring, VA + n * 0x1000, RW | (n & 1 ? TRANSLATE_NOT_GLOBAL : 0), 12);
    }
    cpu_tlb_flush(b->cpu[0], false);
    assert_int_equal(b->cpu[0]->counters.tlb_flushes, 1);
    for (unsigned ring = 0; ring < CPU_RINGS; ring++) {
        for (unsigned n = 0; n < 4; n++)
            assert_int_equal(is_known(b, ring, VA + n * 0x1000), !(n & 1));
    }
    bench_free(b);
}

static void flush_of_a_page(void **state)
{
    struct bench *b = make_answering_bench();

    (void)state;
    for (unsigned ring = 0; ring < CPU_RINGS; ring++) {
        for (unsigned n = 0; n < 3; n++)
            fill_table(b, ring, VA + n * 0x1000, RW, CPU_PAGE_BITS);
    }
    cpu_tlb_flush_page(b->cpu[0], VA + 0x1000 + SAME); /* shares the slot, but is not in it */
    for (unsigned n = 0; n < 3; n++)
        assert_true(is_known(b, 1, VA + n * 0x1000));
    cpu_tlb_flush_page(b->cpu[0], VA + 0x1abc);
    assert_int_equal(b->cpu[0]->counters.tlb_flushes, 2);
    for (unsigned ring = 0; ring < CPU_RINGS; ring++) {
        for (unsigned n = 0; n < 3; n++) {
            assert_int_equal(inline_path(b, ring, VA + n * 0x1000), n == 1 ? 0 : 3);
            assert_int_equal(is_known(b, ring, VA + n * 0x1000), n != 1);
        }
    }
    bench_free(b);
}

/* A flush of any of its addresses removes all entries of a large page, and no others. */
static void flush_of_a_large_page(void **state)
{
    static const uint32_t shifts[] = {14, 16, 21, 30, 39};

    (void)state;
    for (unsigned n = 0; n < ARRAY_SIZE(shifts); n++) {
        uint64_t size = UINT64_C(1) << shifts[n], base = 4 * size;
        /* Their slots differ, so that all of them are in the table. */
        const uint64_t inside[] = {base, base + size / 2 + 0x1000, base + size - 0x1000};

        for (unsigned by = 0; by < 3; by++) {
            struct bench *b = make_answering_bench();

            for (unsigned i = 0; i < 3; i++)
                fill_table(b, 1, inside[i], RW, shifts[n]);
            fill_table(b, 1, base + size + 0x5000, RW, shifts[n]);
            fill_table(b, 1, base - 0x8000, RW, CPU_PAGE_BITS);
            cpu_tlb_flush_page(b->cpu[0], base - 0x1000);
            cpu_tlb_flush_page(b->cpu[0], base + 2 * size + 0x5000);
            assert_true(is_known(b, 1, base));
            cpu_tlb_flush_page(b->cpu[0], inside[by] + 0xfff);
            for (unsigned i = 0; i < 3; i++)
                assert_false(is_known(b, 1, inside[i]));
            assert_true(is_known(b, 1, base + size + 0x5000));
            assert_true(is_known(b, 1, base - 0x8000));
            bench_free(b);
        }
    }
}

/* Several large pages: flushes look for them in one range, from the lowest to the highest. */
static void flushes_among_large_pages(void **state)
{
    static const uint64_t bases[] = {0x40000000, 0x00200000, 0x7fe00000, 0x00601000 & ~0x1fffff};

    (void)state;
    for (unsigned by = 0; by < 4; by++) {
        struct bench *b = make_answering_bench();

        for (unsigned n = 0; n < 4; n++)
            fill_table(b, 1, bases[n] + n * 0x1000, RW, 21);
        cpu_tlb_flush_page(b->cpu[0], bases[by] + 0x1ff000);
        for (unsigned n = 0; n < 4; n++)
            assert_int_equal(is_known(b, 1, bases[n] + n * 0x1000), n != by);
        bench_free(b);
    }
}

/* A page as large as the address space, or larger, is hit by every flush. */
static void pages_as_large_as_the_space(void **state)
{
    static const uint32_t shifts[] = {48, 63, 64, 65, 255};

    (void)state;
    for (unsigned n = 0; n < ARRAY_SIZE(shifts); n++) {
        struct bench *b = make_answering_bench();

        fill_table(b, 1, VA, RW, shifts[n]);
        assert_int_equal(tlb_page_shift(find_translation(b, 1, VA, CPU_READ)),
                         shifts[n] > 64 ? 64 : shifts[n]);
        cpu_tlb_flush_page(b->cpu[0], UINT64_C(0x00007fff12345000));
        assert_false(is_known(b, 1, VA));
        bench_free(b);
    }
}

/* An address with a tag is another name of the same page. */
static void tags_of_addresses(void **state)
{
    struct bench *b = make_answering_bench();

    (void)state;
    fill_table(b, 1, VA | TOP, RW, CPU_PAGE_BITS);
    cpu_tlb_flush_page(b->cpu[0], VA);
    assert_false(is_known(b, 1, VA | TOP));
    fill_table(b, 1, VA | TOP, RW, 21);
    cpu_tlb_flush_page(b->cpu[0], VA + 0x3000);
    assert_false(is_known(b, 1, VA | TOP));
    fill_table(b, 1, VA, RW, 21);
    cpu_tlb_flush_page(b->cpu[0], (VA + 0x3000) | TOP);
    assert_false(is_known(b, 1, VA));
    bench_free(b);
}

/* A large page is dropped from the range when another page takes its slot. */
static void a_large_page_is_replaced(void **state)
{
    struct bench *b = make_answering_bench();

    (void)state;
    fill_table(b, 1, VA, RW, 21);
    fill_table(b, 1, VA + SAME, RW, CPU_PAGE_BITS);
    cpu_tlb_flush_page(b->cpu[0], VA + 0x1000);
    assert_true(is_known(b, 1, VA + SAME));
    assert_false(is_known(b, 1, VA));
    bench_free(b);
}

/* ---- the jump cache -------------------------------------------------------------------------- */

/*
 * Fills the jump cache as code_find() does after it decoded the block at `pc`; the address of a
 * page's entry identifies the page.
 */
static void enter_jump(struct bench *b, uint64_t pc, uint32_t flags, uint32_t shift)
{
    static struct block block;

    block.jump_at = 0; /* as another block */
    jump_enter(b->cpu[0], pc, &block, (const uint64_t[]){flags | (uint64_t)shift << 5, 0});
}

static bool jumps_to(const struct bench *b, uint64_t pc)
{
    const struct jump_entry *e = &b->cpu[0]->jumps[jump_index(pc)];

    return e->pc == pc && e->key == b->cpu[0]->key && e->key;
}

/* The bench of these tests; its CPU has a key. */
static struct bench *make_jumping_bench(void)
{
    struct bench *b = make_answering_bench();

    b->cpu[0]->key = 0x30007;
    b->cpu[0]->jump_pages.generation = 3;
    return b;
}

static void jumps_are_found(void **state)
{
    struct bench *b = make_jumping_bench();

    (void)state;
    enter_jump(b, VA + 8, 0, 12);
    assert_true(jumps_to(b, VA + 8));
    assert_non_null(b->cpu[0]->jumps[jump_index(VA + 8)].block);
    assert_false(jumps_to(b, VA + 12));
    b->cpu[0]->key = 0x30008; /* the key of another ring */
    assert_false(jumps_to(b, VA + 8));
    bench_free(b);
}

static void flush_of_all_jumps(void **state)
{
    struct bench *b = make_jumping_bench();

    (void)state;
    enter_jump(b, VA, 0, 21);
    enter_jump(b, VA + 4, TRANSLATE_NOT_GLOBAL, 12);
    jump_flush(b->cpu[0]);
    assert_false(jumps_to(b, VA));
    assert_false(jumps_to(b, VA + 4));
    assert_true(b->cpu[0]->key == 0x40007); /* a new generation of the same key */
    enter_jump(b, VA, 0, 12);
    assert_true(jumps_to(b, VA));
    jump_flush_va(b->cpu[0], VA + 0x100000); /* the large page is dropped as well */
    assert_true(jumps_to(b, VA));
    enter_jump(b, VA + 4, 0, 12);
    jump_flush_not_global(b->cpu[0]); /* the new large page was not global */
    assert_true(jumps_to(b, VA + 4));
    bench_free(b);
}

static void flush_of_jumps_by_space(void **state)
{
    struct bench *b = make_jumping_bench();
    const uint64_t far = VA + 4 * (ENTRIES - 1);

    (void)state;
    enter_jump(b, VA, TRANSLATE_NOT_GLOBAL, 12);
    enter_jump(b, VA + 4, 0, 12);
    enter_jump(b, VA + 4 * 70, TRANSLATE_NOT_GLOBAL, 12);
    enter_jump(b, far, TRANSLATE_NOT_GLOBAL, 12);
    enter_jump(b, VA + 8, TRANSLATE_NOT_GLOBAL, 12);
    enter_jump(b, VA + 8 + 4 * ENTRIES, 0, 12); /* replaces a private one */
    jump_flush_not_global(b->cpu[0]);
    assert_false(jumps_to(b, VA));
    assert_true(jumps_to(b, VA + 4));
    assert_false(jumps_to(b, VA + 4 * 70));
    assert_false(jumps_to(b, far));
    assert_true(jumps_to(b, VA + 8 + 4 * ENTRIES));
    assert_true(b->cpu[0]->key == 0x30007);
    enter_jump(b, VA, 0, 12);
    jump_flush_not_global(b->cpu[0]);
    assert_true(jumps_to(b, VA));
    bench_free(b);
}

/*
 * A flush removes every entry of the page and none of another, also at the ends of the address
 * space.
 */
static void flush_of_jumps_by_page(void **state)
{
    static const uint64_t pages[] = {VA, 0, UINT64_MAX & ~CPU_PAGE_MASK,
                                     UINT64_C(0xffff800000001000), UINT64_C(0x0000fffffffff000)};

    (void)state;
    for (unsigned n = 0; n < ARRAY_SIZE(pages); n++) {
        struct bench *b = make_jumping_bench();
        uint64_t page = pages[n];

        for (uint64_t offset = 0; offset < CPU_PAGE_SIZE; offset += 4)
            enter_jump(b, page + offset, 0, 12);
        enter_jump(b, page + CPU_PAGE_SIZE, 0, 12);
        enter_jump(b, page - 4, 0, 12);
        jump_flush_va(b->cpu[0], page + 0x7fc);
        for (uint64_t offset = 0; offset < CPU_PAGE_SIZE; offset += 4)
            assert_false(jumps_to(b, page + offset));
        assert_true(jumps_to(b, page + CPU_PAGE_SIZE));
        assert_true(jumps_to(b, page - 4));
        bench_free(b);
    }
}

/* An entry in the same slots that belongs to another page stays. */
static void flush_of_a_page_without_jumps(void **state)
{
    struct bench *b = make_jumping_bench();

    (void)state;
    enter_jump(b, VA + 4 * ENTRIES, 0, 12);
    jump_flush_va(b->cpu[0], VA);
    assert_true(jumps_to(b, VA + 4 * ENTRIES));
    enter_jump(b, VA, 0, 12);
    enter_jump(b, VA + 4 * ENTRIES, 0, 12); /* replaces the first one */
    jump_flush_va(b->cpu[0], VA);
    assert_true(jumps_to(b, VA + 4 * ENTRIES));
    assert_true(b->cpu[0]->key == 0x30007);
    enter_jump(b, VA | TOP, 0, 12);
    jump_flush_va(b->cpu[0], VA);
    assert_false(jumps_to(b, VA | TOP));
    bench_free(b);
}

static void flush_of_jumps_by_large_page(void **state)
{
    const uint64_t base = 0x40000000;

    (void)state;
    for (unsigned count = 1; count <= JUMP_LARGE + 2; count++) {
        struct bench *b = make_jumping_bench();

        for (unsigned n = 0; n < count; n++) {
            for (unsigned twice = 0; twice < 2; twice++)
                enter_jump(b, base + ((uint64_t)n << 21) + 0x1000 * twice, 0, 21);
        }
        enter_jump(b, VA, 0, 12);
        jump_flush_va(b->cpu[0], base - 0x1000);
        /* With more than JUMP_LARGE large pages, their places are no longer known. */
        assert_int_equal(jumps_to(b, VA), count <= JUMP_LARGE);
        if (count > JUMP_LARGE) {
            bench_free(b);
            continue;
        }
        jump_flush_va(b->cpu[0], base + ((uint64_t)count << 21));
        assert_true(jumps_to(b, VA));
        jump_flush_va(b->cpu[0], base + ((uint64_t)(count - 1) << 21) + 0x1ff000);
        assert_false(jumps_to(b, base + ((uint64_t)(count - 1) << 21)));
        bench_free(b);
    }
}

/* A large page within a remembered one needs no place of its own; a larger one does. */
static void nested_large_pages(void **state)
{
    struct bench *b = make_jumping_bench();

    (void)state;
    enter_jump(b, 0x40000000, 0, 30);
    for (unsigned n = 0; n < 2 * JUMP_LARGE; n++)
        enter_jump(b, 0x40000000 + ((uint64_t)n << 21), 0, 21);
    assert_int_equal(b->cpu[0]->jump_pages.large_count, 1);
    enter_jump(b, 0x80000000, 0, 21);
    enter_jump(b, 0x80000000, 0, 30);
    assert_int_equal(b->cpu[0]->jump_pages.large_count, 3);
    jump_flush_va(b->cpu[0], 0x80000000 + 0x3ffff000);
    assert_false(jumps_to(b, 0x80000000));
    bench_free(b);
}

/* TLB flushes by the guest also clear the jump cache. */
static void tlb_flushes_forget_jumps(void **state)
{
    struct bench *b = make_jumping_bench();

    (void)state;
    enter_jump(b, VA, 0, 12);
    enter_jump(b, VA + 0x1000, TRANSLATE_NOT_GLOBAL, 12);
    cpu_tlb_flush(b->cpu[0], false);
    assert_true(jumps_to(b, VA));
    assert_false(jumps_to(b, VA + 0x1000));
    cpu_tlb_flush_page(b->cpu[0], VA + 0x800);
    assert_false(jumps_to(b, VA));
    enter_jump(b, VA, 0, 12);
    cpu_tlb_flush(b->cpu[0], true);
    assert_false(jumps_to(b, VA));
    bench_free(b);
}

static void ignore_block(void *opaque, struct block *block)
{
    (void)opaque, (void)block;
}

static void ignore_event(void *opaque)
{
    (void)opaque;
}

/*
 * Translated code relies on the jump cache: it must look up again after every flush that changes
 * it.
 */
static void translated_code_looks_up(void **state)
{
    static const struct code_tier tier = {NULL, ignore_block, ignore_block, ignore_event,
                                          ignore_event};
    struct bench *b = make_jumping_bench();
    struct cpu *cpu = b->cpu[0];

    (void)state;
    for (unsigned with = 0; with < 2; with++) {
        if (with)
            assert_true(code_set_tier(code_of(cpu), &tier));
        for (unsigned kind = 0; kind < 4; kind++) {
            enter_jump(b, VA, 0, 12);
            cpu->attention = 0;
            if (kind == 0)
                jump_flush(cpu);
            else if (kind == 1)
                jump_flush_not_global(cpu);
            else
                jump_flush_va(cpu, kind == 2 ? VA : VA + 0x5000);
            assert_int_equal(cpu->attention, with && kind < 3 ? CPU_ATT_CODE : 0);
        }
    }
    bench_free(b);
}

/* ---- address spaces -------------------------------------------------------------------------- */

#define SHARED  VA
#define PRIVATE (VA + 0x1000)

/* Fills the table with one page of all address spaces and one of the current space only. */
static void fill_both(struct bench *b, unsigned ring)
{
    fill_table(b, ring, SHARED, RW, CPU_PAGE_BITS);
    fill_table(b, ring, PRIVATE, RW | TRANSLATE_NOT_GLOBAL, CPU_PAGE_BITS);
}

/* Returns bit 0: the shared page is in the table; bit 1: the private one is. */
static unsigned known_of(struct bench *b, unsigned ring)
{
    return is_known(b, ring, SHARED) | is_known(b, ring, PRIVATE) << 1;
}

/* A program with its own tables, and the kernel: changes to either keep the other's entries. */
static void tables_are_kept_side_by_side(void **state)
{
    struct bench *b = make_answering_bench();
    struct cpu *cpu = b->cpu[0];
    uint64_t flushes;

    (void)state;
    cpu_set_address_space(cpu, 0x1000, 1);
    fill_both(b, 1);
    cpu_set_address_space(cpu, 0x2000, 2);
    assert_int_equal(known_of(b, 1), 0);
    fill_both(b, 1);
    flushes = cpu->counters.tlb_spaces;
    cpu_set_address_space(cpu, 0x1000, 1);
    assert_int_equal(known_of(b, 1), 3);
    cpu_set_address_space(cpu, 0x2000, 2);
    assert_int_equal(known_of(b, 1), 3);
    assert_int_equal(cpu->counters.tlb_spaces, flushes);
    cpu_set_address_space(cpu, 0x2000, 3); /* a new address space */
    assert_int_equal(known_of(b, 1), 1);
    cpu_set_address_space(cpu, 0x3000, 1); /* takes the place of the tables that are not current */
    assert_int_equal(known_of(b, 1), 0);
    cpu_set_address_space(cpu, 0x2000, 3);
    assert_int_equal(known_of(b, 1), 1);
    cpu_set_address_space(cpu, 0x1000, 1);
    assert_int_equal(known_of(b, 1), 0);
    bench_free(b);
}

/* A ring that is not current keeps the entries of the space in which it last ran. */
static void rings_keep_their_space(void **state)
{
    struct bench *b = make_answering_bench();
    struct cpu *cpu = b->cpu[0];

    (void)state;
    cpu_set_address_space(cpu, 0x1000, 1);
    cpu_set_ring(cpu, 2);
    fill_both(b, 2);
    cpu_set_ring(cpu, 1);
    fill_both(b, 1);
    cpu_set_address_space(cpu, 0x1000, 2);
    assert_int_equal(known_of(b, 1), 1);
    cpu_set_address_space(cpu, 0x1000, 1);
    cpu_set_ring(cpu, 2);
    assert_int_equal(known_of(b, 2), 3);
    cpu_set_ring(cpu, 1);
    cpu_set_address_space(cpu, 0x1000, 2);
    cpu_set_ring(cpu, 2);
    assert_int_equal(known_of(b, 2), 1);
    bench_free(b);
}

/* Flushes reach all tables, and all of them see new code. */
static void flushes_reach_all_tables(void **state)
{
    struct bench *b = make_answering_bench();
    struct cpu *cpu = b->cpu[0];

    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) {
        cpu_set_address_space(cpu, 0x1000, 1);
        fill_both(b, 1);
        cpu_set_address_space(cpu, 0x2000, 1);
        if (kind == 0)
            cpu_tlb_flush(cpu, true);
        else if (kind == 1)
            cpu_tlb_flush(cpu, false);
        else if (kind == 2)
            cpu_tlb_flush_page(cpu, SHARED);
        else
            tlb_protect(cpu, DATA);
        cpu_set_address_space(cpu, 0x1000, 1);
        assert_int_equal(cpu->bank, 0);
        assert_int_equal(inline_path(b, 1, PRIVATE), kind < 2 ? 0 : kind == 2 ? 3 : 1);
        assert_int_equal(known_of(b, 1), kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? 2 : 3);
    }
    bench_free(b);
}

/* After the state was changed from outside, the same table address may mean other tables. */
static void a_changed_state_knows_no_space(void **state)
{
    struct bench *b = make_answering_bench();
    struct cpu *cpu = b->cpu[0];

    (void)state;
    cpu_set_address_space(cpu, 0x1000, 1);
    cpu_set_address_space(cpu, 0x2000, 1);
    cpu_state_changed(cpu);
    fill_both(b, 1);
    cpu_set_address_space(cpu, 0x2000, 1);
    assert_int_equal(known_of(b, 1), 0);
    fill_both(b, 1);
    cpu_set_address_space(cpu, 0x1000, 1);
    assert_int_equal(known_of(b, 1), 0);
    bench_free(b);
}

/* Code of other tables has another key: its jumps are neither taken nor flushed with a space. */
static void jumps_go_with_their_space(void **state)
{
    struct bench *b = make_answering_bench();
    struct cpu *cpu = b->cpu[0];
    uint64_t kernel, program;

    (void)state;
    assert_non_null(code_of(cpu));
    cpu_set_address_space(cpu, 0x1000, 1);
    cpu_find_key(cpu);
    kernel = cpu->key;
    enter_jump(b, VA, 0, 12);
    enter_jump(b, VA + 4, TRANSLATE_NOT_GLOBAL, 12);
    cpu_set_address_space(cpu, 0x2000, 2);
    cpu_find_key(cpu);
    program = cpu->key & 0xffff;
    assert_true(program != (kernel & 0xffff));
    assert_false(jumps_to(b, VA));
    enter_jump(b, VA + 8, TRANSLATE_NOT_GLOBAL, 12);
    cpu_set_address_space(cpu, 0x1000, 1);
    cpu_find_key(cpu);
    assert_true((cpu->key & 0xffff) == (kernel & 0xffff));
    enter_jump(b, VA, 0, 12); /* the switch to new tables cleared the jump cache */
    enter_jump(b, VA + 4, TRANSLATE_NOT_GLOBAL, 12);
    cpu_set_address_space(cpu, 0x2000, 3);
    cpu_find_key(cpu);
    assert_false(jumps_to(b, VA + 8));
    cpu_set_address_space(cpu, 0x1000, 1);
    cpu_find_key(cpu);
    assert_true(jumps_to(b, VA));
    assert_true(jumps_to(b, VA + 4));
    cpu_set_address_space(cpu, 0x1000, 2); /* has private jumps of its own, and so a number */
    assert_false(jumps_to(b, VA));
    assert_false(jumps_to(b, VA + 4));
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_translation_is_remembered),
        cmocka_unit_test(each_kind_of_access),
        cmocka_unit_test(faults_are_not_remembered),
        cmocka_unit_test(without_translation),
        cmocka_unit_test(tags_by_what_is_mapped),
        cmocka_unit_test(empty_entries_match_nothing),
        cmocka_unit_test(write_only_pages),
        cmocka_unit_test(pages_with_code_are_not_written_inline),
        cmocka_unit_test(watched_pages_are_not_accessed_inline),
        cmocka_unit_test(flush_of_everything),
        cmocka_unit_test(flush_of_an_address_space),
        cmocka_unit_test(flush_of_a_page),
        cmocka_unit_test(flush_of_a_large_page),
        cmocka_unit_test(flushes_among_large_pages),
        cmocka_unit_test(pages_as_large_as_the_space),
        cmocka_unit_test(tags_of_addresses),
        cmocka_unit_test(a_large_page_is_replaced),
        cmocka_unit_test(jumps_are_found),
        cmocka_unit_test(flush_of_all_jumps),
        cmocka_unit_test(flush_of_jumps_by_space),
        cmocka_unit_test(flush_of_jumps_by_page),
        cmocka_unit_test(flush_of_a_page_without_jumps),
        cmocka_unit_test(flush_of_jumps_by_large_page),
        cmocka_unit_test(nested_large_pages),
        cmocka_unit_test(tables_are_kept_side_by_side),
        cmocka_unit_test(rings_keep_their_space),
        cmocka_unit_test(flushes_reach_all_tables),
        cmocka_unit_test(a_changed_state_knows_no_space),
        cmocka_unit_test(jumps_go_with_their_space),
        cmocka_unit_test(tlb_flushes_forget_jumps),
        cmocka_unit_test(translated_code_looks_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
