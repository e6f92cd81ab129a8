/* The map of pages by number: tables, bounds, emptying. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/gpu/lane_memory.h"
#include "runtime/gpu/shader/page_map.h"

enum { PAGE = 4096, LAST = GPU_MAP_PAGES - 1 };

static uint8_t memory[16 * PAGE];

static int make(void **state)
{
    static struct gpu_page_map map;

    *state = &map;
    return gpu_page_map_init(&map) ? 0 : -1;
}

static int release(void **state)
{
    gpu_page_map_release(*state);
    return 0;
}

/* A page is in the table into which it was entered, and there alone. */
static void tables_are_apart(void **state)
{
    struct gpu_page_map *m = *state;

    for (unsigned table = 0; table < GPU_ACCESS_COUNTERS; table++)
        gpu_page_map_set(m, table, 7 + table, memory + table);
    for (unsigned table = 0; table < GPU_ACCESS_COUNTERS; table++)
        for (unsigned page = 6; page < 8 + GPU_ACCESS_COUNTERS; page++)
            assert_ptr_equal(gpu_page_map_find(m, table, page),
                             page == 7 + table ? memory + table : NULL);
}

/* The element is the distance, as host code uses it. */
static void elements_are_distances(void **state)
{
    struct gpu_page_map *m = *state;

    gpu_page_map_set(m, GPU_COUNT_LOCAL_WRITE, 0xabcde, memory);
    assert_int_equal(m->distance[GPU_COUNT_LOCAL_WRITE * (size_t)GPU_MAP_STRIDE + 0xabcde],
                     (uintptr_t)memory - 0xabcde000);
    assert_int_equal(m->distance[GPU_COUNT_LOCAL_WRITE * (size_t)GPU_MAP_STRIDE + 0xabcdf], 0);
}

/* The page behind the last one of a table stays unknown, and so do pages from 4 GB on. */
static void tables_end(void **state)
{
    struct gpu_page_map *m = *state;

    gpu_page_map_set(m, 0, LAST, memory);
    gpu_page_map_set(m, 1, 0, memory + PAGE);
    for (uint64_t page = GPU_MAP_PAGES; page < GPU_MAP_PAGES + 2 * GPU_MAP_PART; page++) {
        gpu_page_map_set(m, 0, page, memory);
        assert_null(gpu_page_map_find(m, 0, page));
    }
    assert_null((void *)(uintptr_t)m->distance[GPU_MAP_PAGES]);
    gpu_page_map_drop(m, 0, GPU_MAP_STRIDE);
    assert_ptr_equal(gpu_page_map_find(m, 0, LAST), memory);
    assert_ptr_equal(gpu_page_map_find(m, 1, 0), memory + PAGE);
}

static void pages_are_dropped(void **state)
{
    struct gpu_page_map *m = *state;

    gpu_page_map_drop(m, 0, 5);
    assert_int_equal(m->parts, 0);
    gpu_page_map_set(m, 0, 5, memory);
    gpu_page_map_set(m, 0, 6, memory + PAGE);
    gpu_page_map_set(m, 1, 5, memory + 2 * PAGE);
    gpu_page_map_drop(m, 0, 5);
    assert_null(gpu_page_map_find(m, 0, 5));
    assert_ptr_equal(gpu_page_map_find(m, 0, 6), memory + PAGE);
    assert_ptr_equal(gpu_page_map_find(m, 1, 5), memory + 2 * PAGE);
}

/* Enters a page and widens the span by it; the span then has these pages and this distance. */
static void check_span(struct gpu_page_map *m, struct gpu_span *s, uint64_t page,
                       const uint8_t *host, uint64_t first, uint64_t end)
{
    gpu_page_map_set(m, GPU_COUNT_THREAD_WRITE, page, host);
    gpu_page_map_widen(m, GPU_COUNT_THREAD_WRITE, page, s);
    assert_int_equal(s->first, first * PAGE);
    assert_int_equal(s->end, end * PAGE);
    assert_int_equal(s->distance, (uintptr_t)host - page * PAGE);
}

/* A span has the pages around it that the host has side by side, and is left for another page. */
static void spans_widen(void **state)
{
    struct gpu_page_map *m = *state;
    struct gpu_span s = {0};

    gpu_page_map_clear(m);
    check_span(m, &s, 5, memory + 2 * PAGE, 5, 6);
    check_span(m, &s, 6, memory + 3 * PAGE, 5, 7);
    check_span(m, &s, 4, memory + PAGE, 4, 7);
    check_span(m, &s, 9, memory + 6 * PAGE, 9, 10); /* not adjacent */
    check_span(m, &s, 8, memory + 5 * PAGE, 8, 10);
    check_span(m, &s, 7, memory + 4 * PAGE, 4, 10); /* joins both */
    check_span(m, &s, 10, memory, 10, 11);          /* elsewhere in the host */
    check_span(m, &s, 0, memory + 11 * PAGE, 0, 1);
    check_span(m, &s, LAST, memory + 12 * PAGE, LAST, LAST + 1);
    gpu_page_map_widen(m, GPU_COUNT_THREAD_WRITE, GPU_MAP_PAGES, &s);
    assert_int_equal(s.first, LAST * (uint64_t)PAGE);
}

/* Enters pages in all parts of all tables, empties the map, and does so again. */
static void all_parts_are_emptied(void **state)
{
    struct gpu_page_map *m = *state;

    for (unsigned round = 0; round < 2; round++) {
        for (unsigned table = 0; table < GPU_ACCESS_COUNTERS; table++)
            for (uint64_t page = table; page < GPU_MAP_PAGES; page += GPU_MAP_PART / 2)
                gpu_page_map_set(m, table, page, memory + PAGE);
        assert_int_equal(m->parts, GPU_ACCESS_COUNTERS * (GPU_MAP_PAGES / GPU_MAP_PART));
        gpu_page_map_clear(m);
        assert_int_equal(m->parts, 0);
        for (unsigned table = 0; table < GPU_ACCESS_COUNTERS; table++)
            for (uint64_t page = table; page < GPU_MAP_PAGES; page += GPU_MAP_PART / 2)
                assert_null(gpu_page_map_find(m, table, page));
    }
}

static void expect_region(const struct gpu_region *r, uint64_t first, uint64_t pages)
{
    assert_int_equal(r->first, first * PAGE);
    assert_int_equal(r->bytes, pages * PAGE);
}

/* Pages 5 to 8 are side by side, and 9 is elsewhere, as is the page before them. */
static void regions_are_runs(void **state)
{
    struct gpu_page_map *m = *state;
    struct gpu_region *r = &m->region[1][3];
    const uint64_t *table = m->distance + GPU_MAP_STRIDE;
    uint32_t patience = r->patience;

    for (uint64_t page = 5; page < 9; page++)
        gpu_page_map_set(m, 1, page, memory + page * PAGE);
    gpu_page_map_set(m, 1, 9, memory);
    gpu_page_map_set(m, 0, 4, memory + 4 * PAGE);
    gpu_region_look(r, table, 6);
    expect_region(r, 5, 4);
    assert_int_equal(r->distance, (uintptr_t)memory);
    assert_int_equal(r->misses, patience);
    gpu_region_look(r, table, 9); /* not larger, so the next waits for longer */
    expect_region(r, 9, 1);
    assert_true(r->misses > patience);
    gpu_region_look(r, table, 8);
    expect_region(r, 5, 4);
    assert_int_equal(r->misses, patience);
}

static void regions_end_with_tables(void **state)
{
    struct gpu_page_map *m = *state;
    struct gpu_region *r = &m->region[0][0];

    gpu_page_map_set(m, 0, 0, memory);
    gpu_page_map_set(m, 0, 1, memory + PAGE);
    gpu_region_look(r, m->distance, 1);
    expect_region(r, 0, 2);
    gpu_page_map_set(m, 0, LAST, memory);
    gpu_region_look(r, m->distance, LAST);
    expect_region(r, LAST, 1);
}

/* A region never has a page that the map does not have. */
static void regions_are_forgotten(void **state)
{
    struct gpu_page_map *m = *state;
    struct gpu_region *r = &m->region[1][GPU_REGIONS - 1];

    for (unsigned round = 0; round < 2; round++) {
        gpu_page_map_set(m, 1, 7, memory);
        gpu_region_look(r, m->distance + GPU_MAP_STRIDE, 7);
        expect_region(r, 7, 1);
        if (round)
            gpu_page_map_drop(m, 1, 7);
        else
            gpu_page_map_clear(m);
        assert_int_equal(r->bytes, 0);
        assert_true(r->misses);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tables_are_apart, make, release),
        cmocka_unit_test_setup_teardown(elements_are_distances, make, release),
        cmocka_unit_test_setup_teardown(tables_end, make, release),
        cmocka_unit_test_setup_teardown(spans_widen, make, release),
        cmocka_unit_test_setup_teardown(pages_are_dropped, make, release),
        cmocka_unit_test_setup_teardown(all_parts_are_emptied, make, release),
        cmocka_unit_test_setup_teardown(regions_are_runs, make, release),
        cmocka_unit_test_setup_teardown(regions_end_with_tables, make, release),
        cmocka_unit_test_setup_teardown(regions_are_forgotten, make, release),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
