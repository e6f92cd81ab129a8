/*
 * The list of primitives in guest memory: where drivers say it is, how blocks are added and read,
 * and what happens to it when a page is missing or the heap is full. Source of the descriptors:
 * Mesa 25 (genxml, pan_tiler.c, pan_cmdstream.c); the list itself is ours
 * (descriptions/mali/layouts/framebuffer.ac).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gpu/graphics/polygons.h"
#include "tests/graphics/memory.h"
#include "tests/graphics/tests.h"

#define CONTEXT   (MEMORY_BASE + 0x1000)
#define HEAP_INFO (MEMORY_BASE + 0x2000)
#define HEAD      (MEMORY_BASE + 0x3040)
#define HEAP      (MEMORY_BASE + 0x8000)
#define HEAP_END  (HEAP + 0x60000)

enum { BLOCK = 64, POLYGON = 16 }; /* bytes of a header and of a primitive */

static struct memory m;
static const struct mali_polygon three[3] = {
    {.row = {1, 2, 3}, .kind = MALI_POLYGON_KIND_TRIANGLE, .provoking = 2},
    {.row = {0x10000, 5, 6}, .kind = MALI_POLYGON_KIND_LINE, .provoking = 1},
    {.row = {7, 8, 0xfffffff}, .kind = MALI_POLYGON_KIND_POINT}};

static bool add(const struct gfx_list *l, uint32_t count, uint32_t id)
{
    struct mali_polygon_block b = {
        .next = 1, .draw = 0x40, .count = count, .rows = 9, .size = 2.5f, .first_id = id};

    return gfx_list_add(&m.reader, l, &b, three);
}

/* Returns the block at `address`, and in *next the one behind it, after a look at its
 * primitives. */
static struct mali_polygon_block read_block(uint64_t address)
{
    struct mali_polygon_block b;
    struct mali_polygon *polygons;

    assert_true(gfx_block_read(&m.reader, address, &b, &polygons));
    for (uint32_t i = 0; i < b.count; i++) {
        assert_memory_equal(polygons[i].row, three[i].row, sizeof(three[i].row));
        assert_int_equal(polygons[i].kind, three[i].kind);
        assert_int_equal(polygons[i].provoking, three[i].provoking);
    }
    free(polygons);
    return b;
}

/* ---- where the list is ----------------------------------------------------------------------- */

/* Up to version 5 the context has the addresses of list and heap; without hierarchy there is
 * none. */
static void midgard_contexts_have_a_list(void **state)
{
    (void)state;
    for (unsigned version = 4; version <= 5; version++) {
        struct mali_tiler_context c = {
            .hierarchy_mask = 0xff, .polygon_list = HEAD, .heap_start = HEAP, .heap_end = HEAP_END};
        struct gfx_list l;

        memory_begin(&m, version);
        MEMORY_PUT(&m, tiler_context, CONTEXT, &c);
        assert_true(gfx_list_find(&m.reader, CONTEXT, &l));
        assert_int_equal(l.head, HEAD);
        assert_int_equal(l.heap, HEAP);
        assert_int_equal(l.end, HEAP_END);
        c.hierarchy_mask = 0x1000; /* MALI_MIDGARD_TILER_DISABLED */
        MEMORY_PUT(&m, tiler_context, CONTEXT, &c);
        assert_true(gfx_list_find(&m.reader, CONTEXT, &l));
        assert_int_equal(l.head, 0);
        memory_map(&m, CONTEXT, false);
        assert_false(gfx_list_find(&m.reader, CONTEXT, &l));
        memory_has_fault(&m, CONTEXT, GPU_ACCESS_READ);
    }
}

/* Later the context has 64 bytes for the GPU, and the heap a descriptor of its own. */
static void bifrost_contexts_have_state(void **state)
{
    (void)state;
    for (unsigned version = 6; version <= 7; version++) {
        struct mali_tiler_context c = {
            .hierarchy_mask = 0x1000, .width = 64, .height = 64, .heap = HEAP_INFO};
        const struct mali_tiler_heap h = {
            .bytes = 0x10000, .base = HEAP - 0x1000, .bottom = HEAP, .top = HEAP_END};
        struct gfx_list l;

        memory_begin(&m, version);
        MEMORY_PUT(&m, tiler_context, CONTEXT, &c);
        MEMORY_PUT(&m, tiler_heap, HEAP_INFO, &h);
        assert_true(gfx_list_find(&m.reader, CONTEXT, &l));
        assert_int_equal(l.head, CONTEXT + 128);
        assert_int_equal(l.heap, HEAP);
        assert_int_equal(l.end, HEAP_END);
        memory_map(&m, HEAP_INFO, false);
        assert_false(gfx_list_find(&m.reader, CONTEXT, &l));
        memory_has_fault(&m, HEAP_INFO, GPU_ACCESS_READ);
        memory_map(&m, CONTEXT, false);
        assert_false(gfx_list_find(&m.reader, CONTEXT, &l));
        memory_has_fault(&m, CONTEXT, GPU_ACCESS_READ);
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static uint64_t first_of(const struct gfx_list *l)
{
    uint64_t first = 1;

    assert_true(gfx_list_first(&m.reader, l, &first));
    return first;
}

static void lists_begin_empty(void **state)
{
    struct gfx_list l = {HEAD, HEAP, HEAP_END};
    uint64_t first;

    (void)state;
    memory_begin(&m, 7);
    assert_int_equal(first_of(&l), 0);
    memory_map(&m, HEAD, false);
    assert_false(gfx_list_first(&m.reader, &l, &first));
    memory_has_fault(&m, HEAD, GPU_ACCESS_READ);
    l.head = 0; /* no list: the page is not read */
    assert_int_equal(first_of(&l), 0);
}

/* Without hierarchical tiling Mesa disables the tiler by a heap without bytes, and clears no list:
 * pan_emit_midgard_tiler(). What the memory held before is no primitive. */
static void empty_heaps_have_no_primitives(void **state)
{
    struct gfx_list l = {HEAD, HEAP, HEAP_END};

    (void)state;
    for (unsigned version = 4; version <= 7; version++) {
        memory_begin(&m, version);
        assert_true(add(&l, 1, 0));
        assert_int_equal(first_of(&l), HEAP);
        assert_int_equal(first_of(&(struct gfx_list){HEAD, HEAP, HEAP}), 0);
        assert_int_equal(first_of(&(struct gfx_list){HEAD, HEAD, HEAD}), 0);
    }
}

/* Blocks are read in the order in which they were added, each as it was. They begin at multiples of
 * 64 bytes, behind each other. */
static void blocks_are_linked(void **state)
{
    const struct gfx_list l = {HEAD, HEAP, HEAP_END};
    uint64_t at;

    (void)state;
    for (unsigned version = 4; version <= 7; version++) {
        memory_begin(&m, version);
        for (uint32_t i = 0; i < 4; i++)
            assert_true(add(&l, i % 3 + 1, 10 * i));
        at = first_of(&l);
        assert_int_equal(at, HEAP);
        for (uint32_t i = 0; i < 4; i++) {
            struct mali_polygon_block b = read_block(at);

            assert_int_equal(b.count, i % 3 + 1);
            assert_int_equal(b.first_id, 10 * i);
            assert_int_equal(b.draw, 0x40);
            assert_int_equal(b.rows, 9);
            assert_near(b.size, 2.5f, 0);
            assert_int_equal(b.next, i == 3 ? 0 : at + 2 * BLOCK); /* up to 64 + 48 bytes */
            at = b.next;
        }
    }
}

/* The first block of an unaligned heap is aligned, and one that fills its last 64 bytes leaves no
 * gap. */
static void blocks_are_aligned(void **state)
{
    static const struct mali_polygon four[4] = {{.row = {1, 2, 3}}};
    const struct gfx_list l = {HEAD, HEAP + 1, HEAP_END};
    struct mali_polygon_block b = {.count = 4};

    (void)state;
    memory_begin(&m, 7);
    for (unsigned i = 0; i < 2; i++)
        assert_true(gfx_list_add(&m.reader, &l, &b, four));
    assert_int_equal(first_of(&l), HEAP + 64);
    assert_int_equal(le_get(memory_at(&m, HEAP + 64), 8), HEAP + 64 + BLOCK + 4 * POLYGON);
}

/* ---- full heaps ------------------------------------------------------------------------------ */

static void is_full(const struct gfx_list *l)
{
    assert_int_equal(m.out.progress, GPU_PROGRESS_FAILED);
    assert_int_equal(m.out.code, GPU_JOB_OUT_OF_MEMORY);
    assert_int_equal(m.out.address, l->end);
}

/* A block that ends with the heap fits; a byte less, and it does not. Nothing is changed then. */
static void heaps_end(void **state)
{
    struct gfx_list l = {HEAD, HEAP, HEAP + 2 * BLOCK + 2 * BLOCK};
    static uint8_t before[sizeof(m.bytes)];

    (void)state;
    memory_begin(&m, 7);
    assert_true(add(&l, 3, 0));
    l.end = HEAP + 2 * BLOCK + BLOCK + POLYGON;
    assert_true(add(&l, 1, 1));
    memory_begin(&m, 7);
    assert_true(add(&l, 3, 0));
    l.end--;
    memcpy(before, m.bytes, sizeof(before));
    assert_false(add(&l, 1, 1));
    is_full(&l);
    assert_memory_equal(m.bytes, before, sizeof(m.bytes));
    assert_int_equal(read_block(first_of(&l)).next, 0);
    l.end = HEAP + 2 * BLOCK; /* nothing is left */
    assert_false(add(&l, 1, 1));
    is_full(&l);
    l.end = HEAP + BLOCK; /* the list's end is beyond the heap */
    assert_false(add(&l, 1, 1));
    is_full(&l);
}

static void heaps_may_be_nothing(void **state)
{
    struct gfx_list l = {HEAD, HEAP, HEAP};

    (void)state;
    memory_begin(&m, 6);
    assert_false(add(&l, 1, 0));
    is_full(&l);
    l.end = HEAP - 64; /* ends before it begins */
    assert_false(add(&l, 1, 0));
    is_full(&l);
    l = (struct gfx_list){HEAD, UINT64_MAX - 10, UINT64_MAX}; /* no aligned address is left */
    assert_false(add(&l, 1, 0));
    is_full(&l);
}

/* What the list says is free is the guest's to change, and not trusted: it is not below the
 * heap. */
static void free_space_is_in_the_heap(void **state)
{
    const struct gfx_list l = {HEAD, HEAP, HEAP_END};

    (void)state;
    memory_begin(&m, 6);
    assert_true(add(&l, 1, 0));
    le_put(memory_at(&m, HEAD + 16), 8, HEAP - 64);
    assert_false(add(&l, 1, 1));
    is_full(&l);
    le_put(memory_at(&m, HEAD + 16), 8, HEAP);
    assert_true(add(&l, 1, 1));
}

/* ---- missing pages --------------------------------------------------------------------------- */

/* A job that waits for a page adds its block again: one block is in the list then, whichever page
 * was missing: that of the list, of the new block, or of the last one. */
static void blocks_wait_for_pages(void **state)
{
    const struct gfx_list l = {HEAD, HEAP + MEMORY_PAGE - 2 * BLOCK, HEAP_END};
    static const uint64_t places[] = {HEAD, HEAP + MEMORY_PAGE, HEAP};

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(places); i++) {
        uint64_t first;

        memory_begin(&m, 7);
        assert_true(add(&l, 3, 0)); /* the rest of the page */
        memory_map(&m, places[i], false);
        assert_false(add(&l, 2, 1));
        memory_has_fault(&m, places[i], places[i] == HEAD ? GPU_ACCESS_READ : GPU_ACCESS_WRITE);
        memory_map(&m, places[i], true);
        first = first_of(&l);
        assert_int_equal(first, l.heap);
        assert_int_equal(read_block(first).next, 0);
        assert_true(add(&l, 2, 1));
        assert_int_equal(read_block(first).next, first + 2 * BLOCK);
        assert_int_equal(read_block(first + 2 * BLOCK).count, 2);
        assert_int_equal(read_block(first + 2 * BLOCK).next, 0);
    }
}

static void first_blocks_wait_for_pages(void **state)
{
    const struct gfx_list l = {HEAD, HEAP, HEAP_END};

    (void)state;
    memory_begin(&m, 7);
    memory_map(&m, HEAP, false);
    assert_false(add(&l, 2, 1));
    memory_has_fault(&m, HEAP, GPU_ACCESS_WRITE);
    assert_int_equal(first_of(&l), 0);
    memory_map(&m, HEAP, true);
    assert_true(add(&l, 2, 1));
    assert_int_equal(first_of(&l), HEAP);
    assert_int_equal(read_block(HEAP).next, 0);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A block has 1 to 16,384 primitives. */
static void blocks_have_bounds(void **state)
{
    static const struct {
        uint32_t count;
        bool good;
    } cases[] = {{0, false}, {1, true}, {16384, true}, {16385, false}, {0x80000000, false}};

    (void)state;
    memory_begin(&m, 7);
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct mali_polygon_block put = {.count = cases[i].count};
        struct mali_polygon *polygons = (struct mali_polygon *)&m;
        struct mali_polygon_block b;

        MEMORY_PUT(&m, polygon_block, HEAP, &put);
        assert_int_equal(gfx_block_read(&m.reader, HEAP, &b, &polygons), cases[i].good);
        if (cases[i].good)
            assert_non_null(polygons);
        else
            memory_is_invalid(&m, HEAP);
        if (!cases[i].good)
            assert_null(polygons);
        free(polygons);
    }
}

/* The header and each page of the primitives must be there. */
static void blocks_are_read_whole(void **state)
{
    const struct mali_polygon_block put = {.count = 3 * MEMORY_PAGE / POLYGON};
    const uint64_t at = HEAP + MEMORY_PAGE - BLOCK;

    (void)state;
    memory_begin(&m, 7);
    MEMORY_PUT(&m, polygon_block, at, &put);
    for (uint64_t page = HEAP; page <= HEAP + 3 * MEMORY_PAGE; page += MEMORY_PAGE) {
        struct mali_polygon *polygons = (struct mali_polygon *)&m;
        struct mali_polygon_block b;

        memory_map(&m, page, false);
        assert_false(gfx_block_read(&m.reader, at, &b, &polygons));
        memory_has_fault(&m, page, GPU_ACCESS_READ);
        assert_null(polygons);
        memory_map(&m, page, true);
        memory_map(&m, HEAP + 4 * MEMORY_PAGE, false); /* behind the last primitive */
        assert_true(gfx_block_read(&m.reader, at, &b, &polygons));
        free(polygons);
    }
}

int run_polygon_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(midgard_contexts_have_a_list),
        cmocka_unit_test(bifrost_contexts_have_state),
        cmocka_unit_test(lists_begin_empty),
        cmocka_unit_test(empty_heaps_have_no_primitives),
        cmocka_unit_test(blocks_are_linked),
        cmocka_unit_test(blocks_are_aligned),
        cmocka_unit_test(heaps_end),
        cmocka_unit_test(heaps_may_be_nothing),
        cmocka_unit_test(free_space_is_in_the_heap),
        cmocka_unit_test(blocks_wait_for_pages),
        cmocka_unit_test(first_blocks_wait_for_pages),
        cmocka_unit_test(blocks_have_bounds),
        cmocka_unit_test(blocks_are_read_whole),
    };

    return cmocka_run_group_tests_name("polygons", tests, NULL, NULL);
}
