/*
 * Primitives of indices: kinds, restart, instances, steps. Which primitives an order of vertices
 * makes, and which of their vertices provokes, is OpenGL's (3.2 compatibility, 2.6.1, and the table
 * of provoking vertices in 2.19). A case shows them as text: rows in their order, a ' behind the
 * provoking one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gpu/graphics/assemble.h"
#include "tests/graphics/memory.h"
#include "tests/graphics/tests.h"

enum {
    ROWS = 16,   /* vertices per instance */
    PADDED = 20, /* rows from one instance to the next */
    LONG = 2 * GFX_STEP_INDICES + 5,
};

#define INDICES (MEMORY_BASE + 64)

static struct memory memory;
static struct mali_polygon made[2 * LONG];

static struct gfx_assembly assembly_of(const struct mali_primitive *p)
{
    return (struct gfx_assembly){.primitive = p,
                                 .instances = 1,
                                 .padded = PADDED,
                                 .rows = ROWS,
                                 .line_provoking = !p->first_provoking_vertex};
}

/* Assembles all primitives and returns their number. */
static uint32_t assemble_all(struct gfx_assembly *a)
{
    uint32_t sum = 0, count;

    while (!gfx_assembly_ended(a)) {
        assert_true(gfx_assembly_step(&memory.reader, a, made + sum, &count));
        sum += count;
    }
    return sum;
}

/* The primitives as text. */
static const char *text_of(uint32_t count)
{
    static char text[1024];
    size_t at = 0;

    text[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        unsigned vertices = made[i].kind == MALI_POLYGON_KIND_TRIANGLE ? 3
                            : made[i].kind == MALI_POLYGON_KIND_LINE   ? 2
                                                                       : 1;

        if (i)
            at += (size_t)snprintf(text + at, sizeof(text) - at, ", ");
        for (unsigned k = 0; k < vertices; k++)
            at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u%s", k ? " " : "",
                                   made[i].row[k], made[i].provoking == k ? "'" : "");
        assert_in_range(at, 0, sizeof(text) - 64);
    }
    return text;
}

static void assembles(struct gfx_assembly a, const char *expected)
{
    assert_string_equal(text_of(assemble_all(&a)), expected);
}

/* ---- kinds ----------------------------------------------------------------------------------- */

/* The vertices 0 … count - 1 by the last-vertex and by the first-vertex convention. */
static const struct {
    uint32_t mode, count;
    const char *last, *first;
} kinds[] = {
    {MALI_DRAW_MODE_NONE, 4, "", ""},
    {MALI_DRAW_MODE_POINTS, 3, "0', 1', 2'", "0', 1', 2'"},
    {MALI_DRAW_MODE_LINES, 1, "", ""},
    {MALI_DRAW_MODE_LINES, 5, "0 1', 2 3'", "0' 1, 2' 3"},
    {MALI_DRAW_MODE_LINE_STRIP, 1, "", ""},
    {MALI_DRAW_MODE_LINE_STRIP, 4, "0 1', 1 2', 2 3'", "0' 1, 1' 2, 2' 3"},
    {MALI_DRAW_MODE_LINE_LOOP, 1, "", ""},
    {MALI_DRAW_MODE_LINE_LOOP, 2, "0 1', 1 0'", "0' 1, 1' 0"},
    {MALI_DRAW_MODE_LINE_LOOP, 4, "0 1', 1 2', 2 3', 3 0'", "0' 1, 1' 2, 2' 3, 3' 0"},
    {MALI_DRAW_MODE_TRIANGLES, 8, "0 1 2', 3 4 5'", "0' 1 2, 3' 4 5"},
    {MALI_DRAW_MODE_TRIANGLE_STRIP, 2, "", ""},
    {MALI_DRAW_MODE_TRIANGLE_STRIP, 6, "0 1 2', 2 1 3', 2 3 4', 4 3 5'",
     "0' 1 2, 1' 3 2, 2' 3 4, 3' 5 4"},
    {MALI_DRAW_MODE_TRIANGLE_FAN, 2, "", ""},
    {MALI_DRAW_MODE_TRIANGLE_FAN, 5, "0 1 2', 0 2 3', 0 3 4'", "1' 2 0, 2' 3 0, 3' 4 0"},
    {MALI_DRAW_MODE_POLYGON, 2, "", ""},
    {MALI_DRAW_MODE_POLYGON, 5, "1 2 0', 2 3 0', 3 4 0'", "0' 1 2, 0' 2 3, 0' 3 4"},
    {MALI_DRAW_MODE_QUADS, 3, "", ""},
    {MALI_DRAW_MODE_QUADS, 9, "0 1 3', 1 2 3', 4 5 7', 5 6 7'", "0' 1 2, 0' 2 3, 4' 5 6, 4' 6 7"},
    {MALI_DRAW_MODE_QUAD_STRIP, 3, "", ""},
    /* Quads 0 1 3 2 and 2 3 5 4: the last vertex of the order of indices provokes. */
    {MALI_DRAW_MODE_QUAD_STRIP, 7, "2 0 3', 0 1 3', 4 2 5', 2 3 5'",
     "0' 1 3, 0' 3 2, 2' 3 5, 2' 5 4"},
};

static void kinds_are_opengls(void **state)
{
    (void)state;
    memory_begin(&memory, 6);
    for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct mali_primitive p = {.draw_mode = kinds[i].mode, .index_count = kinds[i].count};

        print_message("mode %u of %u vertices\n", kinds[i].mode, kinds[i].count);
        assembles(assembly_of(&p), kinds[i].last);
        p.first_provoking_vertex = true;
        assembles(assembly_of(&p), kinds[i].first);
    }
}

/* ---- indices --------------------------------------------------------------------------------- */

/* Stores indices of `bytes` bytes. */
static void put_indices(const uint32_t *from, unsigned count, unsigned bytes)
{
    for (unsigned i = 0; i < count; i++)
        le_put(memory_at(&memory, INDICES + i * bytes), bytes, from[i]);
}

static void indices_have_three_sizes(void **state)
{
    static const struct {
        uint32_t type;
        unsigned bytes;
    } sizes[] = {{MALI_INDEX_TYPE_U8, 1}, {MALI_INDEX_TYPE_U16, 2}, {MALI_INDEX_TYPE_U32, 4}};
    const uint32_t indices[6] = {9, 4, 15, 0, 1, 2};
    struct mali_primitive p = {
        .draw_mode = MALI_DRAW_MODE_TRIANGLES, .index_count = 6, .indices = INDICES};

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        memory_begin(&memory, 7);
        put_indices(indices, 6, sizes[i].bytes);
        p.index_type = sizes[i].type;
        assembles(assembly_of(&p), "9 4 15', 0 1 2'");
    }
}

/* Every bit of an index counts: vertex 0x0100 or 0x010000 is not vertex 0. */
static void wide_indices_are_whole(void **state)
{
    const uint32_t indices[3] = {0x100, 0x10000, 0x1000000};
    struct mali_primitive p = {.draw_mode = MALI_DRAW_MODE_POINTS,
                               .index_type = MALI_INDEX_TYPE_U32,
                               .index_count = 3,
                               .indices = INDICES};
    struct gfx_assembly a = assembly_of(&p);

    (void)state;
    memory_begin(&memory, 7);
    put_indices(indices, 3, 4);
    a.rows = 0x1000001;
    assembles(a, "256', 65536', 16777216'");
}

/* The base is added to what an index says, and can be negative (glDrawElementsBaseVertex). */
static void base_is_added(void **state)
{
    const uint32_t indices[3] = {3, 4, 5};
    struct mali_primitive p = {.draw_mode = MALI_DRAW_MODE_TRIANGLES,
                               .index_type = MALI_INDEX_TYPE_U16,
                               .index_count = 3,
                               .base_vertex_offset = -3,
                               .indices = INDICES};

    (void)state;
    memory_begin(&memory, 7);
    put_indices(indices, 3, 2);
    assembles(assembly_of(&p), "0 1 2'");
    p.base_vertex_offset = 5;
    assembles(assembly_of(&p), "8 9 10'");
    p.base_vertex_offset = -4; /* vertex -1 does not exist */
    assembles(assembly_of(&p), "");
}

/* ---- restart --------------------------------------------------------------------------------- */

static const struct {
    uint32_t type, restart, index; /* index: that of an explicit restart */
    uint32_t indices[8];
    const char *strip; /* the indices as a strip of lines */
} restarts[] = {
    /* The largest index of each type. */
    {MALI_INDEX_TYPE_U8,
     MALI_PRIMITIVE_RESTART_IMPLICIT,
     0,
     {0, 1, 2, 0xff, 3, 4, 5, 6},
     "0 1', 1 2', 3 4', 4 5', 5 6'"},
    {MALI_INDEX_TYPE_U16,
     MALI_PRIMITIVE_RESTART_IMPLICIT,
     0,
     {0, 1, 2, 0xffff, 3, 4, 5, 6},
     "0 1', 1 2', 3 4', 4 5', 5 6'"},
    {MALI_INDEX_TYPE_U32,
     MALI_PRIMITIVE_RESTART_IMPLICIT,
     0,
     {0, 1, 2, 0xffffffff, 3, 4, 5, 6},
     "0 1', 1 2', 3 4', 4 5', 5 6'"},
    /* The largest index of a smaller type is no vertex, and its lines are left out. */
    {MALI_INDEX_TYPE_U16,
     MALI_PRIMITIVE_RESTART_IMPLICIT,
     0,
     {0, 1, 0xff, 2, 3, 4, 5, 6},
     "0 1', 2 3', 3 4', 4 5', 5 6'"},
    /* The draw names the restart's index, before the base is added; the largest is not one then. */
    {MALI_INDEX_TYPE_U8,
     MALI_PRIMITIVE_RESTART_EXPLICIT,
     2,
     {0, 1, 2, 3, 4, 5, 6, 7},
     "0 1', 3 4', 4 5', 5 6', 6 7'"},
    {MALI_INDEX_TYPE_U32,
     MALI_PRIMITIVE_RESTART_EXPLICIT,
     0x10002,
     {0, 1, 2, 0x10002, 4, 5, 6, 7},
     "0 1', 1 2', 4 5', 5 6', 6 7'"},
    {MALI_INDEX_TYPE_U16,
     MALI_PRIMITIVE_RESTART_NONE,
     2,
     {0, 1, 2, 3, 4, 5, 6, 7},
     "0 1', 1 2', 2 3', 3 4', 4 5', 5 6', 6 7'"},
    /* A draw without indices has no restart. */
    {MALI_INDEX_TYPE_NONE,
     MALI_PRIMITIVE_RESTART_EXPLICIT,
     2,
     {0},
     "0 1', 1 2', 2 3', 3 4', 4 5', 5 6', 6 7'"},
    {MALI_INDEX_TYPE_NONE,
     MALI_PRIMITIVE_RESTART_IMPLICIT,
     0,
     {0},
     "0 1', 1 2', 2 3', 3 4', 4 5', 5 6', 6 7'"},
};

static void indices_restart(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(restarts); i++) {
        struct mali_primitive p = {.draw_mode = MALI_DRAW_MODE_LINE_STRIP,
                                   .index_type = restarts[i].type,
                                   .primitive_restart = restarts[i].restart,
                                   .primitive_restart_index = restarts[i].index,
                                   .index_count = 8,
                                   .indices = INDICES};

        memory_begin(&memory, 7);
        put_indices(restarts[i].indices, 8,
                    p.index_type == MALI_INDEX_TYPE_U8    ? 1
                    : p.index_type == MALI_INDEX_TYPE_U16 ? 2
                                                          : 4);
        assembles(assembly_of(&p), restarts[i].strip);
    }
}

/* What a restart leaves incomplete is dropped, and orientation begins anew. */
static void restart_begins_anew(void **state)
{
    static const struct {
        uint32_t mode;
        const char *expected;
    } cases[] = {
        {MALI_DRAW_MODE_LINES, "0 1', 3 4', 5 6'"},
        {MALI_DRAW_MODE_LINE_LOOP, "0 1', 1 2', 2 0', 3 4', 4 5', 5 6', 6 3'"},
        {MALI_DRAW_MODE_TRIANGLES, "0 1 2', 3 4 5'"},
        {MALI_DRAW_MODE_TRIANGLE_STRIP, "0 1 2', 3 4 5', 5 4 6'"},
        {MALI_DRAW_MODE_TRIANGLE_FAN, "0 1 2', 3 4 5', 3 5 6'"},
        {MALI_DRAW_MODE_POLYGON, "1 2 0', 4 5 3', 5 6 3'"},
        {MALI_DRAW_MODE_QUADS, "3 4 6', 4 5 6'"},
        {MALI_DRAW_MODE_QUAD_STRIP, "5 3 6', 3 4 6'"},
    };
    const uint32_t indices[8] = {0, 1, 2, 0xff, 3, 4, 5, 6};

    (void)state;
    memory_begin(&memory, 6);
    put_indices(indices, 8, 1);
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        struct mali_primitive p = {.draw_mode = cases[i].mode,
                                   .index_type = MALI_INDEX_TYPE_U8,
                                   .primitive_restart = MALI_PRIMITIVE_RESTART_IMPLICIT,
                                   .index_count = 8,
                                   .indices = INDICES};

        assembles(assembly_of(&p), cases[i].expected);
    }
}

/* A loop of one vertex has no line, and one that restarts at once neither. */
static void short_loops_are_not_closed(void **state)
{
    const uint32_t indices[6] = {0xff, 1, 0xff, 0xff, 2, 3};
    struct mali_primitive p = {.draw_mode = MALI_DRAW_MODE_LINE_LOOP,
                               .index_type = MALI_INDEX_TYPE_U8,
                               .primitive_restart = MALI_PRIMITIVE_RESTART_IMPLICIT,
                               .index_count = 6,
                               .indices = INDICES};

    (void)state;
    memory_begin(&memory, 7);
    put_indices(indices, 6, 1);
    assembles(assembly_of(&p), "2 3', 3 2'");
}

/* ---- instances ------------------------------------------------------------------------------- */

/* Each instance begins anew, with rows `padded` after those of the one before. */
static void instances_have_rows_of_their_own(void **state)
{
    struct mali_primitive p = {.draw_mode = MALI_DRAW_MODE_LINE_LOOP, .index_count = 3};
    struct gfx_assembly a = assembly_of(&p);

    (void)state;
    memory_begin(&memory, 7);
    a.instances = 3;
    assembles(a, "0 1', 1 2', 2 0', 20 21', 21 22', 22 20', 40 41', 41 42', 42 40'");
}

static void no_instance_is_nothing(void **state)
{
    struct mali_primitive p = {.draw_mode = MALI_DRAW_MODE_POINTS, .index_count = 3};
    struct gfx_assembly a = assembly_of(&p);

    (void)state;
    a.instances = 0;
    assert_true(gfx_assembly_ended(&a));
}

/* A primitive with a vertex that the draw does not have, wherever it is, is left out: the draw has
 * vertices 0 … 15. */
static void rows_are_bounded(void **state)
{
    const uint32_t indices[12] = {16, 0, 1, 2, 16, 3, 4, 5, 16, 15, 14, 13};
    struct mali_primitive p = {.draw_mode = MALI_DRAW_MODE_TRIANGLES,
                               .index_type = MALI_INDEX_TYPE_U8,
                               .index_count = 12,
                               .indices = INDICES};

    (void)state;
    memory_begin(&memory, 7);
    put_indices(indices, 12, 1);
    assembles(assembly_of(&p), "15 14 13'");
    p.draw_mode = MALI_DRAW_MODE_LINES;
    assembles(assembly_of(&p), "1 2', 4 5', 14 13'");
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* A step takes at most GFX_STEP_INDICES indices; strips go on in the next. */
static void steps_are_bounded(void **state)
{
    struct mali_primitive p = {.draw_mode = MALI_DRAW_MODE_TRIANGLE_STRIP, .index_count = LONG};
    struct gfx_assembly a = assembly_of(&p);
    uint32_t count;

    (void)state;
    memory_begin(&memory, 7);
    a.rows = LONG;
    assert_true(gfx_assembly_step(&memory.reader, &a, made, &count));
    assert_int_equal(count, GFX_STEP_INDICES - 2);
    assert_false(gfx_assembly_ended(&a));
    assert_true(gfx_assembly_step(&memory.reader, &a, made, &count));
    assert_int_equal(count, GFX_STEP_INDICES);
    assert_int_equal(made[0].row[0], GFX_STEP_INDICES - 2);
    assert_int_equal(made[0].row[2], GFX_STEP_INDICES);
    assert_false(gfx_assembly_ended(&a));
    assert_true(gfx_assembly_step(&memory.reader, &a, made, &count));
    assert_int_equal(count, 5);
    assert_int_equal(made[4].row[2], LONG - 1);
    assert_true(gfx_assembly_ended(&a));
}

/* The second step reads indices behind those of the first. */
static void steps_read_on(void **state)
{
    enum { COUNT = GFX_STEP_INDICES + 3 };
    struct mali_primitive p = {.draw_mode = MALI_DRAW_MODE_POINTS,
                               .index_type = MALI_INDEX_TYPE_U16,
                               .index_count = COUNT,
                               .indices = INDICES};
    struct gfx_assembly a = assembly_of(&p);
    uint32_t count;

    (void)state;
    memory_begin(&memory, 7);
    for (uint32_t i = 0; i < COUNT; i++)
        le_put(memory_at(&memory, INDICES + 2 * i), 2, COUNT - 1 - i);
    a.rows = COUNT;
    assert_int_equal(assemble_all(&a), COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(made[i].row[0], COUNT - 1 - i);
    /* The second instance begins with the first index again. */
    a = assembly_of(&p);
    a.rows = COUNT;
    a.instances = 2;
    a.padded = 2 * COUNT;
    a.instance = 1;
    assert_true(gfx_assembly_step(&memory.reader, &a, made, &count));
    assert_int_equal(made[0].row[0], 2 * COUNT + COUNT - 1);
}

/* A job waits for a page of its indices, and makes the primitives then. */
static void missing_pages_change_nothing(void **state)
{
    const uint32_t indices[3] = {3, 4, 5};
    struct mali_primitive p = {.draw_mode = MALI_DRAW_MODE_TRIANGLES,
                               .index_type = MALI_INDEX_TYPE_U32,
                               .index_count = 3,
                               .indices = INDICES};
    struct gfx_assembly a = assembly_of(&p), before = a;
    uint32_t count;

    (void)state;
    memory_begin(&memory, 7);
    put_indices(indices, 3, 4);
    memory_map(&memory, INDICES, false);
    assert_false(gfx_assembly_step(&memory.reader, &a, made, &count));
    memory_has_fault(&memory, INDICES, GPU_ACCESS_READ);
    assert_memory_equal(&a, &before, sizeof(a));
    memory_map(&memory, INDICES, true);
    assembles(a, "3 4 5'");
}

int run_assembly_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_opengls),
        cmocka_unit_test(indices_have_three_sizes),
        cmocka_unit_test(wide_indices_are_whole),
        cmocka_unit_test(base_is_added),
        cmocka_unit_test(indices_restart),
        cmocka_unit_test(restart_begins_anew),
        cmocka_unit_test(short_loops_are_not_closed),
        cmocka_unit_test(instances_have_rows_of_their_own),
        cmocka_unit_test(no_instance_is_nothing),
        cmocka_unit_test(rows_are_bounded),
        cmocka_unit_test(steps_are_bounded),
        cmocka_unit_test(steps_read_on),
        cmocka_unit_test(missing_pages_change_nothing),
    };

    return cmocka_run_group_tests_name("assembly", tests, NULL, NULL);
}
