/*
 * Vertex, tiler and indexed-vertex jobs: what their descriptors say, what they add to the list of
 * primitives, how long they take, what they tell watches, and what they do where memory is missing.
 * Source of the descriptors: Mesa 25 (genxml, pan_jm.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gpu/graphics.h"
#include "runtime/gpu/graphics/assemble.h"
#include "runtime/gpu/graphics/polygons.h"
#include "runtime/gpu/graphics_watch.h"
#include "runtime/gpu/isa.h"
#include "tests/graphics/memory.h"
#include "tests/graphics/tests.h"

#define JOB         (MEMORY_BASE + 0x1000)
#define PAYLOAD     (JOB + 32)
#define FRAMEBUFFER (MEMORY_BASE + 0x2000)
#define CONTEXT     (MEMORY_BASE + 0x3000)
#define HEAP_INFO   (MEMORY_BASE + 0x4000)
#define HEAD        (MEMORY_BASE + 0x5000)
#define STATE       (MEMORY_BASE + 0x6000)
#define INDICES     (MEMORY_BASE + 0x7000)
#define HEAP        (MEMORY_BASE + 0x8000)
#define HEAP_END    (MEMORY_BASE + (uint64_t)MEMORY_PAGES * MEMORY_PAGE)
#define NOWHERE     (HEAP_END + 0x1000)

enum { MAX_BLOCKS = 8, MAX_STEPS = 64 };

extern const struct gpu_isa bifrost_isa;

/* A job, and what came of it. */
static struct scene {
    struct memory m;
    struct mali_indexed_vertex_payload job;
    struct gpu_cores *cores;
    unsigned steps;
    uint64_t cycles[MAX_STEPS];
    struct mali_polygon_block block[MAX_BLOCKS];
    struct mali_polygon first[MAX_BLOCKS]; /* the first primitive of each block */
    unsigned blocks;
    struct gpu_primitives_note note;
    unsigned notes;
} s;

static unsigned bits_of(uint32_t v)
{
    return v ? 32 - (unsigned)__builtin_clz(v) : 0;
}

/* Work-groups by dimension, as Mesa packs them for vertices: 1, vertices, instances. */
static struct mali_invocation groups_of(uint32_t x, uint32_t y, uint32_t z)
{
    unsigned y_at = bits_of(x - 1), z_at = y_at + bits_of(y - 1);

    return (struct mali_invocation){.packed = (x - 1) | (y - 1) << y_at | (z - 1) << z_at,
                                    .groups_y_shift = y_at,
                                    .groups_z_shift = z_at};
}

/* A triangle in each of two instances. */
static void begin_scene(unsigned version)
{
    struct mali_tiler_context c = {.heap = HEAP_INFO,
                                   .polygon_list = HEAD,
                                   .heap_start = HEAP,
                                   .heap_end = HEAP_END,
                                   .width = 1,
                                   .height = 1};
    const struct mali_tiler_heap h = {.bottom = HEAP, .top = HEAP_END};

    memset(&s, 0, sizeof(s));
    memory_begin(&s.m, version);
    s.job.invocation = groups_of(1, 3, 2);
    mali_primitive_usual(version, &s.job.primitive);
    s.job.primitive.draw_mode = MALI_DRAW_MODE_TRIANGLES;
    s.job.primitive.first_provoking_vertex = 0;
    s.job.primitive.index_count = 3;
    s.job.primitive_size = 2.5f;
    s.job.tiler = CONTEXT;
    mali_draw_usual(version, &s.job.fragment_draw);
    mali_draw_usual(version, &s.job.vertex_draw);
    s.job.fragment_draw.instance_size = s.job.vertex_draw.instance_size = 4;
    s.job.vertex_draw.state = STATE;
    s.job.fragment_draw.thread_storage = version == 4 ? FRAMEBUFFER : FRAMEBUFFER | 1 | 3 << 2;
    if (version == 4)
        MEMORY_PUT(&s.m, tiler_context, FRAMEBUFFER + 192, &c);
    else if (version == 5)
        MEMORY_PUT(&s.m, tiler_context, FRAMEBUFFER + 56, &c);
    else
        MEMORY_PUT(&s.m, tiler_context, CONTEXT, &c);
    if (version >= 6)
        MEMORY_PUT(&s.m, tiler_heap, HEAP_INFO, &h);
}

/* Stores the payload as that of a kind of job. */
static void put_job(enum gpu_geometry_kind kind)
{
    const struct mali_tiler_payload tiler = {.invocation = s.job.invocation,
                                             .primitive = s.job.primitive,
                                             .draw = s.job.fragment_draw,
                                             .primitive_size = s.job.primitive_size,
                                             .tiler = s.job.tiler};
    const struct mali_compute_payload vertex = {.invocation = s.job.invocation,
                                                .draw = s.job.vertex_draw};

    if (kind == GPU_GEOMETRY_VERTEX)
        MEMORY_PUT(&s.m, compute_payload, PAYLOAD, &vertex);
    else if (kind == GPU_GEOMETRY_TILER)
        MEMORY_PUT(&s.m, tiler_payload, PAYLOAD, &tiler);
    else
        MEMORY_PUT(&s.m, indexed_vertex_payload, PAYLOAD, &s.job);
}

static struct gpu_geometry *start(enum gpu_geometry_kind kind)
{
    return gpu_geometry_start(s.cores, &s.m.variant, &s.m.space, JOB, kind, &s.m.out);
}

/* Steps a job until it says something else than MORE. */
static enum gpu_progress step(struct gpu_geometry *g)
{
    do {
        assert_in_range(s.steps, 0, MAX_STEPS - 1);
        gpu_geometry_step(g, &s.m.out);
        s.cycles[s.steps++] = s.m.out.cycles;
    } while (s.m.out.progress == GPU_PROGRESS_MORE);
    return s.m.out.progress;
}

/* Reads the list of primitives from its head on. */
static void read_list(void)
{
    struct gfx_list l = {s.m.variant.architecture <= 5 ? HEAD : CONTEXT + 128, HEAP, HEAP_END};
    uint64_t at;

    assert_true(gfx_list_first(&s.m.reader, &l, &at));
    for (s.blocks = 0; at; at = s.block[s.blocks++].next) {
        struct mali_polygon *polygons;

        assert_in_range(s.blocks, 0, MAX_BLOCKS - 1);
        assert_true(gfx_block_read(&s.m.reader, at, &s.block[s.blocks], &polygons));
        s.first[s.blocks] = polygons[0];
        free(polygons);
    }
}

static void run(enum gpu_geometry_kind kind)
{
    struct gpu_geometry *g;

    put_job(kind);
    g = start(kind);
    assert_non_null(g);
    assert_int_equal(s.m.out.progress, GPU_PROGRESS_MORE);
    assert_int_equal(s.m.out.cycles, 1);
    assert_int_equal(step(g), GPU_PROGRESS_DONE);
    gpu_geometry_free(g);
    read_list();
}

/* ---- primitives ------------------------------------------------------------------------------ */

/* A block per step, here per instance; numbers of primitives go on. */
static void tiler_jobs_add_primitives(void **state)
{
    (void)state;
    for (unsigned version = 4; version <= 7; version++) {
        begin_scene(version);
        run(GPU_GEOMETRY_TILER);
        assert_int_equal(s.blocks, 2);
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(s.block[i].draw, PAYLOAD + (version <= 5 ? 32 : 96));
            assert_int_equal(s.block[i].rows, 2 * 4);
            assert_int_equal(s.block[i].count, 1);
            assert_int_equal(s.block[i].first_id, i);
            assert_near(s.block[i].size, 2.5f, 0);
            assert_int_equal(s.block[i].point_size_format, MALI_POINT_SIZE_FORMAT_NONE);
            for (uint32_t k = 0; k < 3; k++)
                assert_int_equal(s.first[i].row[k], 4 * i + k);
            assert_int_equal(s.first[i].provoking, 2);
        }
    }
}

static void indexed_vertex_jobs_add_primitives(void **state)
{
    (void)state;
    for (unsigned version = 6; version <= 7; version++) {
        begin_scene(version);
        s.job.fragment_draw.instance_size = 6; /* of the draw whose primitives are made */
        run(GPU_GEOMETRY_INDEXED_VERTEX);
        assert_int_equal(s.blocks, 2);
        assert_int_equal(s.steps, 1 + 2 + 2); /* vertices, two instances, as of a tiler job */
        assert_int_equal(s.block[0].draw, PAYLOAD + 96);
        assert_int_equal(s.block[1].rows, 2 * 6);
        assert_int_equal(s.first[1].row[2], 6 + 2);
    }
}

/* A vertex job makes no primitives, whatever the tiler's bytes are. */
static void vertex_jobs_add_none(void **state)
{
    (void)state;
    for (unsigned version = 4; version <= 7; version++) {
        begin_scene(version);
        run(GPU_GEOMETRY_VERTEX);
        assert_int_equal(s.blocks, 0);
        assert_int_equal(s.steps, 2);
    }
}

/* Vertices of an instance are the product of two dimensions; a primitive with another vertex is
 * left out. */
static void vertices_are_a_product(void **state)
{
    (void)state;
    begin_scene(7);
    s.job.invocation = groups_of(2, 3, 1);
    s.job.primitive.draw_mode = MALI_DRAW_MODE_POINTS;
    s.job.primitive.index_count = 20;
    run(GPU_GEOMETRY_TILER);
    assert_int_equal(s.blocks, 1);
    assert_int_equal(s.block[0].count, 6);
}

/* Which vertex of a line provokes: up to version 5 the bit is its number, later 1 is the first. The
 * convention of triangles does not matter. */
static void lines_have_a_bit_of_their_own(void **state)
{
    (void)state;
    for (unsigned version = 4; version <= 7; version++)
        for (uint32_t bit = 0; bit < 2; bit++)
            for (uint32_t first = 0; first < 2; first++) {
                begin_scene(version);
                s.job.primitive.draw_mode = MALI_DRAW_MODE_LINES;
                s.job.primitive.first_provoking_vertex = first;
                s.job.fragment_draw.flat_shading_vertex = bit;
                run(GPU_GEOMETRY_TILER);
                assert_int_equal(s.first[0].kind, MALI_POLYGON_KIND_LINE);
                assert_int_equal(s.first[0].provoking, version <= 5 ? bit : !bit);
            }
}

/* The size of points is one number, or an array of one per vertex. */
static void sizes_may_be_an_array(void **state)
{
    static const uint32_t formats[] = {MALI_POINT_SIZE_FORMAT_FP16, MALI_POINT_SIZE_FORMAT_FP32};

    (void)state;
    for (unsigned version = 4; version <= 7; version++)
        for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
            struct gpu_geometry *g;

            begin_scene(version);
            s.job.primitive.point_size_format = formats[i];
            put_job(GPU_GEOMETRY_TILER);
            le_put(memory_at(&s.m, PAYLOAD + (version <= 5 ? 152 : 32)), 8, 0x123456789ab);
            g = start(GPU_GEOMETRY_TILER);
            assert_non_null(g);
            assert_int_equal(step(g), GPU_PROGRESS_DONE);
            gpu_geometry_free(g);
            read_list();
            assert_int_equal(s.block[0].point_size_format, formats[i]);
            assert_int_equal(s.block[0].size_array, 0x123456789ab);
            assert_near(s.block[0].size, 0, 0);
        }
}

/* A frame without tiling has no list: its jobs end without a primitive, and without a fault. */
static void no_hierarchy_is_no_list(void **state)
{
    const struct mali_tiler_context c = {.hierarchy_mask = 0x1000, .polygon_list = NOWHERE};

    (void)state;
    begin_scene(5);
    MEMORY_PUT(&s.m, tiler_context, FRAMEBUFFER + 56, &c);
    run(GPU_GEOMETRY_TILER);
    assert_int_equal(s.blocks, 0);
    assert_int_equal(s.steps, 2);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Two indices take a cycle, and each step one more. A step ends with the indices of an instance. */
static void indices_take_time(void **state)
{
    static const uint64_t expected[] = {
        1 + GFX_STEP_INDICES / 2, 1 + 5, 1 + GFX_STEP_INDICES / 2, 1 + 5, 1, 1};

    (void)state;
    begin_scene(7);
    s.job.primitive.index_count = GFX_STEP_INDICES + 10;
    run(GPU_GEOMETRY_TILER);
    assert_int_equal(s.steps, ARRAY_SIZE(expected));
    for (unsigned i = 0; i < s.steps; i++)
        assert_int_equal(s.cycles[i], expected[i]);
}

/* ---- missing memory -------------------------------------------------------------------------- */

/* A job whose heap, list or indices have no page waits, and goes on as if nothing had been. */
static void jobs_wait_for_pages(void **state)
{
    static const uint64_t places[] = {HEAP, CONTEXT, INDICES};

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(places); i++) {
        const uint8_t indices[3] = {2, 0, 1};
        struct gpu_geometry *g;

        begin_scene(6);
        memcpy(memory_at(&s.m, INDICES), indices, sizeof(indices));
        s.job.primitive.index_type = MALI_INDEX_TYPE_U8;
        s.job.primitive.indices = INDICES;
        put_job(GPU_GEOMETRY_TILER);
        g = start(GPU_GEOMETRY_TILER);
        assert_non_null(g);
        memory_map(&s.m, places[i], false);
        for (unsigned n = 0; n < 2; n++) {
            assert_int_equal(step(g), GPU_PROGRESS_FAULT);
            memory_has_fault(&s.m, places[i],
                             places[i] == HEAP ? GPU_ACCESS_WRITE : GPU_ACCESS_READ);
            assert_int_equal(s.m.out.cycles, 1);
        }
        memory_map(&s.m, places[i], true);
        assert_int_equal(step(g), GPU_PROGRESS_DONE);
        gpu_geometry_free(g);
        read_list();
        assert_int_equal(s.blocks, 2);
        assert_int_equal(s.first[0].row[0], 2);
        assert_int_equal(s.first[1].row[1], 4);
        assert_int_equal(s.block[1].first_id, 1);
    }
}

static void full_heaps_end_jobs(void **state)
{
    const struct mali_tiler_heap h = {.bottom = HEAP, .top = HEAP + 64 + 16};
    struct gpu_geometry *g;

    (void)state;
    begin_scene(7);
    MEMORY_PUT(&s.m, tiler_heap, HEAP_INFO, &h);
    put_job(GPU_GEOMETRY_TILER);
    g = start(GPU_GEOMETRY_TILER);
    assert_non_null(g);
    assert_int_equal(step(g), GPU_PROGRESS_FAILED);
    assert_int_equal(s.m.out.code, GPU_JOB_OUT_OF_MEMORY);
    assert_int_equal(s.m.out.address, HEAP + 64 + 16);
    gpu_geometry_free(g);
    read_list();
    assert_int_equal(s.blocks, 1); /* the first instance's */
}

/* ---- starting -------------------------------------------------------------------------------- */

static void starts_need_descriptors(void **state)
{
    static const enum gpu_geometry_kind kinds[] = {GPU_GEOMETRY_VERTEX, GPU_GEOMETRY_TILER,
                                                   GPU_GEOMETRY_INDEXED_VERTEX};

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct gpu_geometry *g;

        begin_scene(6);
        put_job(kinds[i]);
        memory_map(&s.m, JOB, false);
        assert_null(start(kinds[i]));
        memory_has_fault(&s.m, JOB, GPU_ACCESS_READ);
        memory_map(&s.m, JOB, true);
        memory_map(&s.m, CONTEXT, false); /* a vertex job needs none */
        g = start(kinds[i]);
        assert_int_equal(!g, kinds[i] != GPU_GEOMETRY_VERTEX);
        if (!g)
            memory_has_fault(&s.m, CONTEXT, GPU_ACCESS_READ);
        gpu_geometry_free(g);
    }
}

static void bad_jobs_do_not_start(void **state)
{
    (void)state;
    for (unsigned kind = GPU_GEOMETRY_VERTEX; kind <= GPU_GEOMETRY_INDEXED_VERTEX; kind++) {
        begin_scene(6);
        s.job.invocation = (struct mali_invocation){.groups_y_shift = 5, .groups_z_shift = 4};
        put_job(kind);
        assert_null(start(kind));
        memory_is_invalid(&s.m, PAYLOAD);
    }
    begin_scene(6);
    put_job(GPU_GEOMETRY_TILER);
    *memory_at(&s.m, PAYLOAD + 8) = 200; /* no draw mode */
    assert_null(start(GPU_GEOMETRY_TILER));
    memory_is_invalid(&s.m, PAYLOAD);
    for (unsigned version = 4; version <= 5; version++) { /* a kind of job that came later */
        begin_scene(version);
        put_job(GPU_GEOMETRY_TILER);
        assert_null(start(GPU_GEOMETRY_INDEXED_VERTEX));
        memory_is_invalid(&s.m, PAYLOAD);
    }
    gpu_geometry_free(NULL);
}

/* ---- with cores ------------------------------------------------------------------------------ */

static void take_note(void *opaque, const struct gpu_primitives_note *note)
{
    (void)opaque;
    s.note = *note;
    s.notes++;
}

/* An indexed-vertex job on a G72 whose shaders have the given addresses; 0: none. */
static void begin_on_cores(uint64_t shader, uint64_t secondary)
{
    struct mali_renderer_state r;

    begin_scene(6);
    s.m.variant = *gpu_variant_by_name("g72");
    s.cores = gpu_cores_new(&s.m.variant, &bifrost_isa, 1);
    assert_non_null(s.cores);
    mali_renderer_state_usual(6, &r);
    r.shader = shader;
    r.secondary_shader = secondary;
    MEMORY_PUT(&s.m, renderer_state, STATE, &r);
}

static void watches_are_told(void **state)
{
    static struct gpu_graphics_watch watch = {.primitives = take_note}, other;

    (void)state;
    begin_on_cores(0, 0);
    gpu_cores_watch_graphics(s.cores, &watch);
    gpu_cores_watch_graphics(s.cores, &other); /* wants to know nothing */
    run(GPU_GEOMETRY_INDEXED_VERTEX);
    gpu_cores_free(s.cores);
    assert_int_equal(s.notes, 1);
    assert_int_equal(s.note.draw, PAYLOAD + 96);
    assert_int_equal(s.note.vertices, 3 * 2);
    assert_int_equal(s.note.primitives, 2);
}

/* The shaders, in their order, are at addresses without memory, and the fault tells which one ran;
 * 0: none. A second one runs only if the primitive says so, and if there are primitives. */
static uint64_t shader_that_runs(enum gpu_geometry_kind kind, uint64_t shader, uint64_t secondary,
                                 bool says)
{
    uint64_t found = 0;
    struct gpu_geometry *g;

    begin_on_cores(shader, secondary);
    s.job.primitive.secondary_shader = says;
    put_job(kind);
    g = start(kind);
    assert_non_null(g);
    if (step(g) != GPU_PROGRESS_DONE)
        found = s.m.out.progress == GPU_PROGRESS_FAULT ? s.m.out.fault.va : s.m.out.address;
    gpu_geometry_free(g);
    gpu_cores_free(s.cores);
    read_list(); /* primitives come behind both shaders */
    assert_int_equal(s.blocks, found || kind == GPU_GEOMETRY_VERTEX ? 0 : 2);
    return found;
}

static void two_shaders_may_run(void **state)
{
    const enum gpu_geometry_kind both = GPU_GEOMETRY_INDEXED_VERTEX;
    const uint64_t one = NOWHERE, two = NOWHERE + 0x1000;

    (void)state;
    assert_int_equal(shader_that_runs(both, one, two, true), one);
    assert_int_equal(shader_that_runs(both, one, two, false), one);
    assert_int_equal(shader_that_runs(both, 0, two, true), two);
    assert_int_equal(shader_that_runs(both, 0, two, false), 0);
    assert_int_equal(shader_that_runs(GPU_GEOMETRY_VERTEX, one, two, true), one);
    assert_int_equal(shader_that_runs(GPU_GEOMETRY_VERTEX, 0, two, true), 0);
    assert_int_equal(shader_that_runs(GPU_GEOMETRY_TILER, one, two, true), 0);
}

/* The shader's descriptor may be missing when the vertices are to be shaded. */
static void shaders_wait_for_descriptors(void **state)
{
    struct gpu_geometry *g;

    (void)state;
    begin_on_cores(0, 0);
    put_job(GPU_GEOMETRY_INDEXED_VERTEX);
    memory_map(&s.m, STATE, false);
    g = start(GPU_GEOMETRY_INDEXED_VERTEX);
    assert_non_null(g);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(step(g), GPU_PROGRESS_FAULT);
        memory_has_fault(&s.m, STATE, GPU_ACCESS_READ);
    }
    memory_map(&s.m, STATE, true);
    assert_int_equal(step(g), GPU_PROGRESS_DONE);
    gpu_geometry_free(g);
    gpu_cores_free(s.cores);
    read_list();
    assert_int_equal(s.blocks, 2);
}

int run_geometry_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiler_jobs_add_primitives),
        cmocka_unit_test(indexed_vertex_jobs_add_primitives),
        cmocka_unit_test(vertex_jobs_add_none),
        cmocka_unit_test(vertices_are_a_product),
        cmocka_unit_test(lines_have_a_bit_of_their_own),
        cmocka_unit_test(sizes_may_be_an_array),
        cmocka_unit_test(no_hierarchy_is_no_list),
        cmocka_unit_test(indices_take_time),
        cmocka_unit_test(jobs_wait_for_pages),
        cmocka_unit_test(full_heaps_end_jobs),
        cmocka_unit_test(starts_need_descriptors),
        cmocka_unit_test(bad_jobs_do_not_start),
        cmocka_unit_test(watches_are_told),
        cmocka_unit_test(two_shaders_may_run),
        cmocka_unit_test(shaders_wait_for_descriptors),
    };

    return cmocka_run_group_tests_name("geometry", tests, NULL, NULL);
}
