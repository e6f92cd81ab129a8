/* Primitives of indices: strips, fans, loops, restart, instances, provoking vertices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gpu/graphics/assemble.h"
#include "tests/graphics/tests.h"

static uint8_t memory[4096];

static uint32_t translate_page(void *opaque, uint64_t va, enum gpu_access access,
                               struct gpu_page *out)
{
    (void)opaque;
    (void)access;
    if (va >= sizeof(memory))
        return 1;
    *out = (struct gpu_page){.host = memory, .bytes = sizeof(memory), .read = true};
    return 0;
}

static const struct gpu_address_space space = {.translate = translate_page};
static struct mali_polygon made[2 * GFX_STEP_INDICES];

/* Assembles all primitives and returns their number. */
static uint32_t assemble_all(const struct mali_primitive *p, uint32_t instances)
{
    struct gpu_outcome out = {0};
    struct gfx_reader r = {.version = 7, .as = &space, .out = &out};
    struct gfx_assembly a = {.primitive = p, .instances = instances, .padded = 16, .rows = 16};
    uint32_t sum = 0, count;

    while (!gfx_assembly_ended(&a)) {
        assert_true(gfx_assembly_step(&r, &a, made + sum, &count));
        sum += count;
    }
    return sum;
}

static void is_triangle(uint32_t i, uint32_t v0, uint32_t v1, uint32_t v2, uint32_t provoking)
{
    assert_int_equal(made[i].row[0], v0);
    assert_int_equal(made[i].row[1], v1);
    assert_int_equal(made[i].row[2], v2);
    assert_int_equal(made[i].row[made[i].provoking], provoking);
}

static void strips_keep_orientation(void **state)
{
    struct mali_primitive p = {.draw_mode = MALI_DRAW_MODE_TRIANGLE_STRIP, .index_count = 5};

    (void)state;
    assert_int_equal(assemble_all(&p, 1), 3);
    is_triangle(0, 0, 1, 2, 2);
    is_triangle(1, 2, 1, 3, 3);
    is_triangle(2, 2, 3, 4, 4);
    p.first_provoking_vertex = true;
    assert_int_equal(assemble_all(&p, 1), 3);
    is_triangle(1, 1, 3, 2, 1);
}

static void fans_and_loops(void **state)
{
    struct mali_primitive p = {.draw_mode = MALI_DRAW_MODE_TRIANGLE_FAN, .index_count = 4};

    (void)state;
    assert_int_equal(assemble_all(&p, 1), 2);
    is_triangle(1, 0, 2, 3, 3);
    p.draw_mode = MALI_DRAW_MODE_LINE_LOOP;
    assert_int_equal(assemble_all(&p, 1), 4);
    assert_int_equal(made[3].row[0], 3);
    assert_int_equal(made[3].row[1], 0);
    assert_int_equal(made[3].kind, MALI_POLYGON_KIND_LINE);
}

static void indices_restart(void **state)
{
    struct mali_primitive p = {.draw_mode = MALI_DRAW_MODE_TRIANGLE_STRIP,
                               .index_type = MALI_INDEX_TYPE_U16,
                               .primitive_restart = MALI_PRIMITIVE_RESTART_IMPLICIT,
                               .index_count = 7,
                               .base_vertex_offset = 1,
                               .indices = 64};
    const uint16_t indices[7] = {4, 5, 6, 0xffff, 0, 1, 2};

    (void)state;
    memcpy(memory + 64, indices, sizeof(indices));
    assert_int_equal(assemble_all(&p, 1), 2);
    is_triangle(0, 5, 6, 7, 7);
    is_triangle(1, 1, 2, 3, 3);
}

static void instances_have_rows_of_their_own(void **state)
{
    struct mali_primitive p = {.draw_mode = MALI_DRAW_MODE_TRIANGLES, .index_count = 3};

    (void)state;
    assert_int_equal(assemble_all(&p, 2), 2);
    is_triangle(1, 16, 17, 18, 18);
}

/* A triangle with a vertex that the draw does not have is left out. */
static void rows_are_bounded(void **state)
{
    struct mali_primitive p = {.draw_mode = MALI_DRAW_MODE_TRIANGLES, .index_count = 18};

    (void)state;
    assert_int_equal(assemble_all(&p, 1), 5); /* 16 vertices / 3 */
}

int run_assembly_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(strips_keep_orientation),
        cmocka_unit_test(fans_and_loops),
        cmocka_unit_test(indices_restart),
        cmocka_unit_test(instances_have_rows_of_their_own),
        cmocka_unit_test(rows_are_bounded),
    };

    return cmocka_run_group_tests_name("assembly", tests, NULL, NULL);
}
