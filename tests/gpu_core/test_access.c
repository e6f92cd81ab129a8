/*
 * Memory as lanes access it: the page table's cache, each work-group's private memory, and counters
 * of accesses. The accesses are made by C functions called from within a shader.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "runtime/base/random.h"
#include "runtime/gpu/shader/core.h"
#include "runtime/gpu/stats.h"
#include "tests/gpu_core/bench.h"

#define PUT(b, at, NAME, value) bench_put(b, at, MALI_##NAME##_BIT, MALI_##NAME##_WIDTH, value)

enum { LANES = 4, OUT = BENCH_DATA, PAGE = BENCH_PAGE };

/* Addresses far above the bench's memory whose pages map to its pages in turn. */
#define FAR UINT64_C(0x40000000)

static uint64_t as_far(uint64_t va)
{
    return FAR + va;
}

static uint32_t far_translate(void *opaque, uint64_t va, enum gpu_access access,
                              struct gpu_page *out)
{
    struct bench *b = opaque;
    uint64_t page = va / PAGE % BENCH_PAGES;

    (void)access;
    if (!__atomic_load_n(&b->mapped[page], __ATOMIC_ACQUIRE))
        return 0xc3;
    *out = (struct gpu_page){b->memory + page * PAGE, PAGE, true, true, true};
    return 0;
}

static struct bench *bench_far(void)
{
    struct bench *b = bench_new(LANES, 1, 1);

    b->as.translate = far_translate;
    return b;
}

static const uint64_t *access_counts(const struct bench *b)
{
    return gpu_stats_total(gpu_cores_stats(b->cores))->accesses;
}

static uint64_t pages_of(const struct bench *b)
{
    return gpu_stats_total(gpu_cores_stats(b->cores))->pages;
}

/* ---- C in a shader --------------------------------------------------------------------------- */

static void (*body)(struct gpu_warp *w, uint64_t group);

static void run_body_of(const struct gpu_warp *w)
{
    body((struct gpu_warp *)(uintptr_t)w, w->group->index);
}

/* Runs `fn` in each of `groups` work-groups of one thread. */
static struct gpu_outcome run_body(struct bench *b, unsigned groups,
                                   void (*fn)(struct gpu_warp *w, uint64_t group))
{
    toy_dump = run_body_of;
    body = fn;
    bench_size(b, 1, groups);
    b->code_end = BENCH_CODE;
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_DUMP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    return bench_run(b, groups);
}

static void expect_done(struct bench *b, unsigned groups,
                        void (*fn)(struct gpu_warp *w, uint64_t group))
{
    assert_int_equal(run_body(b, groups, fn).progress, GPU_PROGRESS_DONE);
}

static uint64_t read_any(struct gpu_warp *w, uint64_t va, unsigned bytes)
{
    switch (bytes) {
    case 1:
        return gpu_read8(w, NULL, 0, va);
    case 2:
        return gpu_read16(w, NULL, 0, va);
    case 4:
        return gpu_read32(w, NULL, 0, va);
    default:
        return gpu_read64(w, NULL, 0, va);
    }
}

static void write_any(struct gpu_warp *w, uint64_t va, uint64_t v, unsigned bytes)
{
    switch (bytes) {
    case 1:
        gpu_write8(w, NULL, 0, va, (uint8_t)v);
        break;
    case 2:
        gpu_write16(w, NULL, 0, va, (uint16_t)v);
        break;
    case 4:
        gpu_write32(w, NULL, 0, va, (uint32_t)v);
        break;
    default:
        gpu_write64(w, NULL, 0, va, v);
    }
}

static uint32_t atomic_add(struct gpu_warp *w, uint64_t va, uint32_t v)
{
    return gpu_atomic32(w, NULL, 0, GPU_ATOMIC_ADD, va, v);
}

/* ---- sets of pages --------------------------------------------------------------------------- */

static bool in_set(const struct gpu_page_set *s, uint64_t page)
{
    for (size_t i = 0; i < s->capacity; i++)
        if (s->block[i].number == page / 64 && s->block[i].pages >> page % 64 & 1)
            return true;
    return false;
}

static void page_sets(void **state)
{
    enum { PAGES = 700 };
    struct gpu_page_set s = {0};
    uint64_t random = 1, page[PAGES];

    (void)state;
    gpu_page_set_clear(&s); /* the set is empty */
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < PAGES; i++) {
            page[i] = i < 300 ? i : random_next(&random) >> 12;
            gpu_page_set_add(&s, page[i]);
            assert_int_equal(s.count, i + 1);
            gpu_page_set_add(&s, page[i / 2]); /* already in the set */
            assert_int_equal(s.count, i + 1);
            /* half of the slots are free, so that searches are short */
            assert_true(2 * s.blocks <= s.capacity + 1);
        }
        for (unsigned i = 0; i < PAGES; i++)
            assert_true(in_set(&s, page[i]));
        assert_false(in_set(&s, 300));
        /* blocks of 64 pages: those of 0 to 299, and one for each other page */
        assert_int_equal(s.blocks, 5 + 400);
        assert_int_equal(s.capacity, 1024); /* capacity doubles from 64 on, and does not shrink */
        gpu_page_set_clear(&s);
        assert_int_equal(s.count, 0);
        assert_false(in_set(&s, page[0]) || in_set(&s, page[PAGES - 1]));
    }
    gpu_page_set_release(&s);
    assert_null(s.block);
    assert_int_equal(s.capacity, 0);
}

static void page_sets_merge(void **state)
{
    struct gpu_page_set s = {0}, other = {0};

    (void)state;
    for (uint64_t i = 0; i < 100; i++) {
        gpu_page_set_add(&s, i);
        gpu_page_set_add(&other, 50 + 3 * i); /* 17 of them are below 100 */
    }
    gpu_page_set_merge(&s, &other);
    assert_int_equal(s.count, 100 + 100 - 17);
    assert_true(in_set(&s, 49) && in_set(&s, 50 + 3 * 99));
    assert_false(in_set(&s, 102) || in_set(&other, 50));
    assert_int_equal(other.count, 0);
    gpu_page_set_release(&s);
    gpu_page_set_release(&other);
}

/* The number of pages that a guest can make the set hold is bounded. */
static void page_set_is_bounded(void **state)
{
    struct gpu_page_set s = {0};

    (void)state;
    for (uint64_t page = 0; page < (1 << 20) + 5; page++)
        gpu_page_set_add(&s, page);
    assert_int_equal(s.count, 1 << 20);
    assert_int_equal(s.capacity,
                     /*
                      * the largest power of two that 16384 blocks fill by half, and one block more
                      */
                     1 << 16);
    gpu_page_set_release(&s);
}

/* ---- values ---------------------------------------------------------------------------------- */

static const unsigned widths[] = {1, 2, 4, 8};
static const struct bench *seen; /* set by the bodies */

static uint64_t value_at(const struct bench *b, uint64_t va, unsigned bytes)
{
    uint64_t v = 0;

    memcpy(&v, b->memory + va, bytes);
    return v;
}

/* Accesses of all widths at all offsets around the end of a page. */
static void read_and_write(struct gpu_warp *w, uint64_t group)
{
    static uint64_t random = 7;

    (void)group;
    for (unsigned i = 0; i < 4; i++) {
        for (uint64_t va = OUT + PAGE - 12; va < OUT + PAGE + 12; va++) {
            uint64_t v = random_next(&random), before = value_at(seen, va - 8, 8);
            uint64_t behind = value_at(seen, va + widths[i], 8);

            assert_int_equal(read_any(w, va, widths[i]), value_at(seen, va, widths[i]));
            write_any(w, va, v, widths[i]);
            assert_int_equal(value_at(seen, va, widths[i]),
                             v << (64 - 8 * widths[i]) >> (64 - 8 * widths[i]));
            assert_int_equal(value_at(seen, va - 8, 8), before);
            assert_int_equal(value_at(seen, va + widths[i], 8), behind);
        }
    }
}

static void all_widths(void **state)
{
    struct bench *b = bench_new(LANES, 1, 1);
    uint64_t random = 3;

    (void)state;
    seen = b;
    for (unsigned i = 0; i < 2 * PAGE; i++)
        b->memory[OUT + i] = (uint8_t)random_next(&random);
    expect_done(b, 1, read_and_write);
    bench_free(b);
}

/* Translates to a page that is larger than the table's pages. */
static uint32_t one_page(void *opaque, uint64_t va, enum gpu_access access, struct gpu_page *out)
{
    struct bench *b = opaque;

    (void)va, (void)access;
    *out = (struct gpu_page){b->memory, sizeof(b->memory), true, true, true};
    return 0;
}

static void in_a_large_page(struct gpu_warp *w, uint64_t group)
{
    (void)group;
    for (unsigned i = 0; i < 3; i++) {
        write_any(w, OUT + 5 * PAGE + 40 * i, i + 10, 4);
        assert_int_equal(read_any(w, OUT + 5 * PAGE + 40 * i, 4), i + 10);
    }
}

static void large_pages(void **state)
{
    struct bench *b = bench_new(LANES, 1, 1);

    (void)state;
    b->as.translate = one_page;
    expect_done(b, 1, in_a_large_page);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(bench_word(b, OUT + 5 * PAGE + 40 * i), i + 10);
    bench_free(b);
}

/* Two pages of 8 KB, the second of which is elsewhere from the second generation on. */
static unsigned translations;

static uint32_t two_pages(void *opaque, uint64_t va, enum gpu_access access, struct gpu_page *out)
{
    struct bench *b = opaque;
    uint64_t place = va & ~UINT64_C(0x1fff);

    (void)access;
    translations += place >= OUT;
    if (place == OUT + 2 * PAGE && b->as.generation > 1)
        place += 2 * PAGE;
    *out = (struct gpu_page){b->memory + place, 2 * PAGE, true, true, true};
    return 0;
}

static uint64_t got[4];

static void read_two_pages(struct gpu_warp *w, uint64_t group)
{
    (void)group;
    for (unsigned i = 0; i < 4; i++)
        got[i] = read_any(w, OUT + i * PAGE, 4);
}

static void read_backwards(struct gpu_warp *w, uint64_t group)
{
    (void)group;
    for (unsigned i = 4; i-- > 0;)
        got[i] = read_any(w, OUT + i * PAGE, 4);
}

/* The page that was found last serves all pages of 4 KB in it, until the address space changes. */
static void last_page_is_kept(void **state)
{
    struct bench *b = bench_new(LANES, 1, 1);

    (void)state;
    for (unsigned i = 0; i < 6; i++)
        bench_set_word(b, OUT + PAGE * i, 100 + i);
    b->as.translate = two_pages;
    translations = 0;
    expect_done(b, 1, read_two_pages);
    assert_int_equal(translations, 2);
    assert_int_equal(got[1], 101);
    assert_int_equal(got[2], 102);
    assert_int_equal(got[3], 103);
    assert_int_equal(pages_of(b), 4);
    b->as.generation++;
    expect_done(b, 1, read_backwards);
    assert_int_equal(got[1], 101);
    assert_int_equal(got[2], 104);
    assert_int_equal(got[3], 105);
    assert_int_equal(pages_of(b), 8);
    bench_free(b);
}

/* ---- counts ---------------------------------------------------------------------------------- */

static void count_all(struct gpu_warp *w, uint64_t group)
{
    (void)group;
    for (unsigned i = 0; i < 10; i++) {
        read_any(w, OUT + 4 * i, 4);
        if (i < 7)
            write_any(w, OUT + 4 * i, 1, 4);
        if (i < 5)
            read_any(w, BENCH_LOCAL + 4 * i, 4);
        if (i < 3)
            write_any(w, BENCH_LOCAL + 4 * i, 1, 4);
        if (i < 4)
            read_any(w, BENCH_THREADS + 4 * i, 4);
        if (i < 2)
            write_any(w, BENCH_THREADS + 4 * i, 1, 4);
    }
    atomic_add(w, OUT + 64, 1);
    atomic_add(w, BENCH_LOCAL + 64, 1);
    atomic_add(w, BENCH_THREADS + 12, 1);
    /* Across the end of a page: byte by byte. */
    read_any(w, OUT + PAGE - 3, 8);
    write_any(w, OUT + PAGE - 1, 1, 2);
}

static void counts_by_kind(void **state)
{
    enum { GROUPS = 70 };
    struct bench *b = bench_new(LANES, 1, 1);

    (void)state;
    expect_done(b, GROUPS, count_all);
    assert_int_equal(access_counts(b)[GPU_COUNT_GLOBAL_READ], GROUPS * (10 + 8));
    assert_int_equal(access_counts(b)[GPU_COUNT_GLOBAL_WRITE], GROUPS * (7 + 1 + 2));
    assert_int_equal(access_counts(b)[GPU_COUNT_LOCAL_READ], GROUPS * 5);
    assert_int_equal(access_counts(b)[GPU_COUNT_LOCAL_WRITE], GROUPS * (3 + 1));
    assert_int_equal(access_counts(b)[GPU_COUNT_THREAD_READ], GROUPS * 4);
    assert_int_equal(access_counts(b)[GPU_COUNT_THREAD_WRITE], GROUPS * (2 + 1));
    assert_int_equal(pages_of(b), 4);
    /* A second job has its own counts. */
    expect_done(b, 1, count_all);
    assert_int_equal(access_counts(b)[GPU_COUNT_GLOBAL_READ], (GROUPS + 1) * (10 + 8));
    assert_int_equal(access_counts(b)[GPU_COUNT_LOCAL_WRITE], (GROUPS + 1) * (3 + 1));
    assert_int_equal(pages_of(b), 8);
    bench_free(b);
}

/*
 * Adjacent pages have different entries, and so have pages at distances of powers of two: buffers
 * read in step.
 */
static void pages_share_no_entry(void **state)
{
    bool taken[GPU_TLB_ENTRIES] = {false};

    (void)state;
    for (uint64_t page = 0; page < GPU_TLB_ENTRIES; page++) {
        unsigned index = gpu_tlb_index(0xa400 + page, GPU_TLB_ENTRIES);

        assert_false(taken[index]);
        taken[index] = true;
        for (uint64_t apart = GPU_TLB_ENTRIES; apart < UINT64_C(1) << 16; apart *= 2)
            assert_int_not_equal(gpu_tlb_index(0xa400 + page + apart, GPU_TLB_ENTRIES), index);
    }
    /*
     * An access across pages is looked up by its last page only, so adjacent pages have different
     * entries.
     */
    for (uint64_t page = 0; page < UINT64_C(1) << 20; page++) {
        assert_int_not_equal(gpu_tlb_index(page, GPU_TLB_ENTRIES),
                             gpu_tlb_index(page + 1, GPU_TLB_ENTRIES));
        assert_int_not_equal(gpu_tlb_index(page, GPU_TLB_ATOMIC_ENTRIES),
                             gpu_tlb_index(page + 1, GPU_TLB_ATOMIC_ENTRIES));
    }
}

enum { LINES = 16, MATRICES = 3 };

/* The page of a line of one of the matrices that lie `apart` pages apart. */
static uint64_t page_of_line(uint64_t matrix, uint64_t line, uint64_t apart)
{
    return 0xa400 + matrix * apart + line * 4;
}

static unsigned translations;

static uint32_t count_translation(void *opaque, uint64_t va, enum gpu_access access,
                                  struct gpu_page *out)
{
    translations++;
    return far_translate(opaque, va, access, out);
}

/* Reads lines of three matrices in turns, as a row of lanes does in each round of a product. */
static void read_lines(struct gpu_warp *w, uint64_t group)
{
    (void)group;
    for (unsigned round = 0; round < 4; round++)
        for (uint64_t matrix = 0; matrix < MATRICES; matrix++)
            for (uint64_t line = 0; line < LINES; line++)
                read_any(w,
                         (FAR & ~UINT64_C(0xfffffff)) +
                             page_of_line(matrix, line, UINT64_C(1) << 12) * PAGE + 4 * round,
                         4);
}

/* Pages that push each other out of the soft TLB stay in the page map. */
static void lines_stay_in_the_map(void **state)
{
    struct bench *b = bench_far();

    (void)state;
    b->as.translate = count_translation;
    memset(b->mapped, true, sizeof(b->mapped));
    translations = 0;
    expect_done(b, 1, read_lines);
    /* The bundle and what describes the job are few. */
    assert_in_range(translations, LINES * MATRICES, LINES * MATRICES + 8);
    assert_int_equal(access_counts(b)[GPU_COUNT_GLOBAL_READ], 4 * LINES * MATRICES);
    bench_free(b);
}

/* Accesses 3 tables whose pages share entries of the cache: 3 times 4 accesses, from 600 pages. */
static void count_far(struct gpu_warp *w, uint64_t group)
{
    (void)group;
    for (unsigned round = 0; round < 4; round++) {
        for (unsigned i = 0; i < 600; i++) {
            uint64_t va = as_far(OUT + (uint64_t)(64 * i + i % 8) * PAGE);

            read_any(w, va, 4);
            write_any(w, va + 4, round, 4);
            if (i < 40)
                atomic_add(w, va + 8, 1);
        }
    }
}

static void counts_of_many_pages(void **state)
{
    struct bench *b = bench_far();

    (void)state;
    expect_done(b, 1, count_far);
    assert_int_equal(access_counts(b)[GPU_COUNT_GLOBAL_READ], 4 * 600);
    assert_int_equal(access_counts(b)[GPU_COUNT_GLOBAL_WRITE], 4 * 600 + 4 * 40);
    assert_int_equal(pages_of(b), 600);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(bench_word(b, OUT + i * PAGE + 4), 3);
        assert_int_equal(bench_word(b, OUT + i * PAGE + 8), 4 * 5);
    }
    bench_free(b);
}

/* ---- which memory is whose ------------------------------------------------------------------- */

/* Writes to each page around local memory. */
static void write_around(struct gpu_warp *w, uint64_t group)
{
    for (uint64_t page = 28; page < 40; page++)
        write_any(w, page * PAGE + 8, group + page, 8);
}

/*
 * Checks which of pages 28 to 39 are private to the group, with local memory of a given size at
 * `base`.
 */
static void check_local(uint64_t base, unsigned scale, uint64_t first, uint64_t end)
{
    struct bench *b = bench_new(LANES, 1, 1);

    PUT(b, BENCH_STORAGE, LOCAL_STORAGE_WLS_BASE, base);
    PUT(b, BENCH_STORAGE, LOCAL_STORAGE_WLS_SIZE_SCALE, scale);
    expect_done(b, 1, write_around);
    for (uint64_t page = 28; page < 40; page++) {
        bool own = page >= first && page < end;

        assert_int_equal(value_at(b, page * PAGE + 8, 8), own ? 0 : page);
    }
    assert_int_equal(access_counts(b)[GPU_COUNT_LOCAL_WRITE], end - first);
    assert_int_equal(access_counts(b)[GPU_COUNT_GLOBAL_WRITE], 12 - (end - first));
    bench_free(b);
}

static void local_pages(void **state)
{
    (void)state;
    check_local(32 * PAGE, 0, 32, 32); /* no local memory */
    check_local(32 * PAGE, 1, 32, 33); /* local memory of 1 byte */
    check_local(32 * PAGE, 13, 32, 33);
    check_local(32 * PAGE, 14, 32, 34);
    check_local(32 * PAGE + 4095, 1, 32, 33);
    check_local(32 * PAGE + 4095, 2, 32, 34);
    check_local(32 * PAGE + 1, 13, 32, 34);
    check_local(30 * PAGE, 15, 30, 34);
}

/* Thread memory ends after the group's last thread: 32 bytes per thread. */
static void write_thread_pages(struct gpu_warp *w, uint64_t group)
{
    (void)group;
    if (w->index == 0)
        for (uint64_t page = 39; page < 44; page++)
            write_any(w, page * PAGE, page, 8);
}

static void thread_pages(void **state)
{
    static const struct {
        unsigned threads, pages;
    } cases[] = {{1, 1}, {128, 1}, {129, 2}, {256, 2}, {257, 3}};

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct bench *b = bench_new(LANES, 1, 1);

        toy_dump = run_body_of;
        body = write_thread_pages;
        bench_size(b, cases[i].threads, 1);
        bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_DUMP, 0, 0, 0), 0, 0, TOY_REGISTERS);
        assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
        assert_int_equal(access_counts(b)[GPU_COUNT_THREAD_WRITE], cases[i].pages);
        for (uint64_t page = 39; page < 44; page++)
            assert_int_equal(value_at(b, page * PAGE, 8),
                             page >= 40 && page < 40 + cases[i].pages ? 0 : page);
        bench_free(b);
    }
}

/* Accesses across the boundary between common and private memory. */
static void over_the_edge(struct gpu_warp *w, uint64_t group)
{
    (void)group;
    write_any(w, BENCH_LOCAL - 3, UINT64_C(0x8877665544332211), 8);
    assert_int_equal(read_any(w, BENCH_LOCAL - 3, 8), UINT64_C(0x8877665544332211));
    assert_int_equal(read_any(w, BENCH_LOCAL, 4), 0x77665544);
    write_any(w, BENCH_LOCAL + PAGE - 1, 0xbbaa, 2);
    assert_int_equal(read_any(w, BENCH_LOCAL + PAGE - 1, 2), 0xbbaa);
}

static void accesses_over_edges(void **state)
{
    struct bench *b = bench_new(LANES, 1, 1);

    (void)state;
    expect_done(b, 1, over_the_edge);
    assert_int_equal(value_at(b, BENCH_LOCAL - 4, 8), 0x33221100);
    assert_int_equal(value_at(b, BENCH_LOCAL + PAGE - 4, 8), UINT64_C(0xbb) << 32);
    bench_free(b);
}

/* ---- the group's own memory ------------------------------------------------------------------ */

/* more than the table's list of them holds, and the smallest hash table */
enum { OWN_PAGES = 150 };

/* A group reads zeros from private memory whatever earlier groups wrote, by each kind of access. */
static void use_own(struct gpu_warp *w, uint64_t group)
{
    for (unsigned i = 0; i < OWN_PAGES; i++) {
        uint64_t va = as_far((uint64_t)i * PAGE);

        if (va / PAGE % BENCH_PAGES == 0)
            continue; /* unmapped */
        assert_int_equal(read_any(w, va + 16, 8), 0);
        write_any(w, va + 16, group + 1, 8);
        assert_int_equal(atomic_add(w, va + 32, (uint32_t)group + 1), 0);
    }
    for (unsigned i = 0; i < OWN_PAGES; i++) {
        uint64_t va = as_far((uint64_t)i * PAGE);

        if (va / PAGE % BENCH_PAGES == 0)
            continue;
        assert_int_equal(read_any(w, va + 16, 8), group + 1);
        assert_int_equal(atomic_add(w, va + 32, 1), group + 1);
        assert_int_equal(read_any(w, va + 32, 4), group + 2);
    }
}

static void own_memory(void **state)
{
    enum { GROUPS = 140 };

    (void)state;
    for (unsigned threads = 1; threads < 4; threads += 2) {
        struct bench *b = bench_new(LANES, threads, 1);

        b->as.translate = far_translate;
        PUT(b, BENCH_STORAGE, LOCAL_STORAGE_WLS_BASE, FAR);
        PUT(b, BENCH_STORAGE, LOCAL_STORAGE_WLS_SIZE_SCALE, 21); /* 1 MB */
        expect_done(b, GROUPS, use_own);
        for (unsigned page = 8; page < BENCH_PAGES; page++)
            assert_int_equal(value_at(b, page * PAGE + 16, 8) | value_at(b, page * PAGE + 32, 8),
                             0);
        bench_free(b);
    }
}

/* Pages beyond the first 8192 of a group's local memory are common memory, as on the GPU. */
static void use_much(struct gpu_warp *w, uint64_t group)
{
    unsigned own = 0;

    (void)group;
    for (unsigned i = 0; own < 8192 + 1; i++) {
        uint64_t va = as_far((uint64_t)i * PAGE);

        if (va / PAGE % BENCH_PAGES < 16)
            continue; /* not the pages of the job's descriptors */
        write_any(w, va + 24, 77, 8);
        own++;
    }
}

static void much_memory(void **state)
{
    struct bench *b = bench_far();
    unsigned common = 0;

    (void)state;
    PUT(b, BENCH_STORAGE, LOCAL_STORAGE_WLS_BASE, FAR);
    PUT(b, BENCH_STORAGE, LOCAL_STORAGE_WLS_SIZE_SCALE, 28);
    expect_done(b, 1, use_much);
    for (unsigned page = 16; page < BENCH_PAGES; page++)
        common += value_at(b, page * PAGE + 24, 8) == 77;
    assert_int_equal(common, 1);
    bench_free(b);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static uint64_t missing_va;
static unsigned missing_how; /* enum gpu_access */
static uint64_t missing_got;

static void touch_missing(struct gpu_warp *w, uint64_t group)
{
    (void)group;
    read_any(w, OUT, 4); /* mapped */
    if (missing_how == GPU_ACCESS_READ)
        missing_got = read_any(w, missing_va, 4);
    else if (missing_how == GPU_ACCESS_WRITE)
        write_any(w, missing_va, 0x55, 4);
    else
        missing_got = atomic_add(w, missing_va, 0x55);
    write_any(w, OUT + 4, 0x66, 4);
    missing_got |= read_any(w, missing_va + 8, 4); /* after giving up, no further wait */
}

/* Starts a job that misses page 20. Returns when it waits for the page. */
static struct gpu_compute *start_missing(struct bench *b, enum gpu_access how)
{
    struct gpu_compute *job;
    struct gpu_outcome out;

    missing_va = 20 * PAGE + 0x124;
    missing_how = how;
    missing_got = 0xbad;
    b->mapped[20] = false;
    bench_set_word(b, missing_va, 3);
    toy_dump = run_body_of;
    body = touch_missing;
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_DUMP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);
    assert_non_null(job);
    gpu_compute_step(job, &out);
    assert_int_equal(out.progress, GPU_PROGRESS_FAULT);
    assert_int_equal(out.fault.va, missing_va);
    assert_int_equal(out.fault.access, how);
    assert_int_equal(out.fault.code, 0xc3);
    return job;
}

static const enum gpu_access kinds[] = {GPU_ACCESS_READ, GPU_ACCESS_WRITE, GPU_ACCESS_ATOMIC};

static void page_comes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct bench *b = bench_new(LANES, 1, 1);
        struct gpu_compute *job = start_missing(b, kinds[i]);
        struct gpu_outcome out;

        b->mapped[20] = true;
        gpu_compute_step(job, &out);
        assert_int_equal(out.progress, GPU_PROGRESS_DONE);
        gpu_compute_free(job);
        assert_int_equal(bench_word(b, missing_va), i == 0 ? 3 : i == 1 ? 0x55 : 0x58);
        assert_int_equal(bench_word(b, OUT + 4), 0x66);
        assert_int_equal(missing_got, i == 1 ? 0xbad : 3);
        /* Counters include accesses made before the page was missing, each once. */
        assert_int_equal(access_counts(b)[GPU_COUNT_GLOBAL_READ], i == 0 ? 3 : 2);
        assert_int_equal(access_counts(b)[GPU_COUNT_GLOBAL_WRITE], i == 0 ? 1 : 2);
        assert_int_equal(pages_of(b), 2);
        bench_free(b);
    }
}

static void given_up(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct bench *b = bench_new(LANES, 1, 1);

        gpu_compute_free(start_missing(b, kinds[i]));
        assert_int_equal(bench_word(b, missing_va), 3);
        assert_int_equal(missing_got, i == 1 ? 0xbad : 0);
        /* the bundle completes although the warp ends */
        assert_int_equal(bench_word(b, OUT + 4), 0x66);
        assert_int_equal(access_counts(b)[GPU_COUNT_GLOBAL_READ], 1);
        assert_int_equal(pages_of(b), 1);
        bench_free(b);
    }
}

/* Invalid translations: without host memory, or with less than a page. */
static struct gpu_page odd_page;

static uint32_t odd_translate(void *opaque, uint64_t va, enum gpu_access access,
                              struct gpu_page *out)
{
    if (va / PAGE != 20)
        return far_translate(opaque, va, access, out);
    *out = odd_page;
    return 0;
}

static void read_odd(struct gpu_warp *w, uint64_t group)
{
    (void)group;
    read_any(w, 20 * PAGE + 16, 4);
}

static void odd_pages(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct bench *b = bench_new(LANES, 1, 1);
        struct gpu_outcome out;

        b->as.translate = odd_translate;
        odd_page = (struct gpu_page){
            .host = i ? b->memory : NULL, .bytes = i ? PAGE / 2 : PAGE, .read = true};
        out = run_body(b, 1, read_odd);
        assert_int_equal(out.progress, GPU_PROGRESS_FAULT);
        assert_int_equal(out.fault.va, 20 * PAGE + 16);
        assert_int_equal(out.fault.code, 0);
        bench_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_sets),
        cmocka_unit_test(page_sets_merge),
        cmocka_unit_test(page_set_is_bounded),
        cmocka_unit_test(all_widths),
        cmocka_unit_test(large_pages),
        cmocka_unit_test(last_page_is_kept),
        cmocka_unit_test(counts_by_kind),
        cmocka_unit_test(counts_of_many_pages),
        cmocka_unit_test(local_pages),
        cmocka_unit_test(thread_pages),
        cmocka_unit_test(accesses_over_edges),
        cmocka_unit_test(own_memory),
        cmocka_unit_test(much_memory),
        cmocka_unit_test(page_comes),
        cmocka_unit_test(pages_share_no_entry),
        cmocka_unit_test(lines_stay_in_the_map),
        cmocka_unit_test(given_up),
        cmocka_unit_test(odd_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
