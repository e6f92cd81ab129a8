/*
 * Primitive assembly: indices, primitive restart, strips, fans and loops, instances.
 *
 * All triangles of a strip have the orientation of its first one. The provoking vertex stays the
 * first or the last vertex of each triangle, as the draw says (OpenGL 3.1, tables 2.11 and 2.12).
 *
 * Bounds      GFX_STEP_INDICES indices per step
 */
#include "runtime/gpu/graphics/assemble.h"

/* Indices into gfx_assembly.recent_vertices: the first vertex since a restart, then the last
 * three. */
enum { FIRST, BACK_2, BACK_1, LAST };

/* The primitives that one step has made. */
struct output {
    const struct gfx_assembly *a;
    struct mali_polygon *polygons;
    uint32_t count;
};

static void add_primitive(struct output *o, uint32_t kind, unsigned provoking, uint32_t v0,
                          uint32_t v1, uint32_t v2)
{
    uint32_t base = o->a->instance * o->a->padded, rows = o->a->rows;

    if (v0 >= rows || v1 >= rows || v2 >= rows)
        return;
    o->polygons[o->count++] = (struct mali_polygon){
        .row = {base + v0, base + v1, base + v2}, .kind = kind, .provoking = provoking};
}

static void add_line(struct output *o, uint32_t v0, uint32_t v1)
{
    add_primitive(o, MALI_POLYGON_KIND_LINE, o->a->line_provoking, v0, v1, v1);
}

/* Adds a triangle. Its provoking vertex is `v0` under the first-vertex convention, and `v2` under
 * the last-vertex convention. */
static void add_triangle(struct output *o, uint32_t v0, uint32_t v1, uint32_t v2)
{
    add_primitive(o, MALI_POLYGON_KIND_TRIANGLE, o->a->primitive->first_provoking_vertex ? 0 : 2,
                  v0, v1, v2);
}

/* ---- per kind: primitives that a vertex completes -------------------------------------------- */

static void add_strip_triangle(struct output *o, const uint32_t *v, uint32_t run)
{
    bool odd = run % 2 == 0;

    if (run < 3)
        return;
    if (!odd)
        add_triangle(o, v[BACK_2], v[BACK_1], v[LAST]);
    else if (o->a->primitive->first_provoking_vertex)
        add_triangle(o, v[BACK_2], v[LAST], v[BACK_1]);
    else
        add_triangle(o, v[BACK_1], v[BACK_2], v[LAST]);
}

static void add_fan_triangle(struct output *o, const uint32_t *v, uint32_t run)
{
    if (run < 3)
        return;
    if (o->a->primitive->first_provoking_vertex)
        add_triangle(o, v[BACK_1], v[LAST], v[FIRST]);
    else
        add_triangle(o, v[FIRST], v[BACK_1], v[LAST]);
}

/* The provoking vertex of a polygon is always its first one. */
static void add_polygon_triangle(struct output *o, const uint32_t *v, uint32_t run)
{
    if (run < 3)
        return;
    if (o->a->primitive->first_provoking_vertex)
        add_triangle(o, v[FIRST], v[BACK_1], v[LAST]);
    else
        add_triangle(o, v[BACK_1], v[LAST], v[FIRST]);
}

static void add_quad(struct output *o, const uint32_t *v)
{
    if (o->a->primitive->first_provoking_vertex) {
        add_triangle(o, v[FIRST], v[BACK_2], v[BACK_1]);
        add_triangle(o, v[FIRST], v[BACK_1], v[LAST]);
    } else {
        add_triangle(o, v[FIRST], v[BACK_2], v[LAST]);
        add_triangle(o, v[BACK_2], v[BACK_1], v[LAST]);
    }
}

/* Two more vertices complete a quad of a strip, which goes around 0 1 3 2. The list begins or ends
 * with the provoking vertex: the first or the last one in the order of the indices. */
static void quad_of_strip(struct output *o, struct gfx_assembly *a)
{
    const uint32_t *r = a->recent_vertices;
    uint32_t first[4] = {r[FIRST], r[BACK_2], r[LAST], r[BACK_1]};
    uint32_t last[4] = {r[BACK_1], r[FIRST], r[BACK_2], r[LAST]};

    add_quad(o, a->primitive->first_provoking_vertex ? first : last);
    a->recent_vertices[FIRST] = a->recent_vertices[BACK_1];
    a->run = 2;
}

static void emit_primitives(struct output *o, struct gfx_assembly *a)
{
    const uint32_t *v = a->recent_vertices;

    switch (a->primitive->draw_mode) {
    case MALI_DRAW_MODE_POINTS:
        add_primitive(o, MALI_POLYGON_KIND_POINT, 0, v[LAST], v[LAST], v[LAST]);
        break;
    case MALI_DRAW_MODE_LINES:
        if (a->run % 2 == 0)
            add_line(o, v[BACK_1], v[LAST]);
        break;
    case MALI_DRAW_MODE_LINE_STRIP:
    case MALI_DRAW_MODE_LINE_LOOP:
        if (a->run >= 2)
            add_line(o, v[BACK_1], v[LAST]);
        break;
    case MALI_DRAW_MODE_TRIANGLES:
        if (a->run % 3 == 0)
            add_triangle(o, v[BACK_2], v[BACK_1], v[LAST]);
        break;
    case MALI_DRAW_MODE_TRIANGLE_STRIP:
        add_strip_triangle(o, v, a->run);
        break;
    case MALI_DRAW_MODE_TRIANGLE_FAN:
        add_fan_triangle(o, v, a->run);
        break;
    case MALI_DRAW_MODE_POLYGON:
        add_polygon_triangle(o, v, a->run);
        break;
    case MALI_DRAW_MODE_QUADS:
        if (a->run == 4) {
            add_quad(o, v);
            a->run = 0;
        }
        break;
    case MALI_DRAW_MODE_QUAD_STRIP:
        if (a->run == 4)
            quad_of_strip(o, a);
        break;
    default:
        break;
    }
}

static void add_vertex(struct output *o, struct gfx_assembly *a, uint32_t v)
{
    if (!a->run)
        a->recent_vertices[FIRST] = v;
    a->recent_vertices[BACK_2] = a->recent_vertices[BACK_1];
    a->recent_vertices[BACK_1] = a->recent_vertices[LAST];
    a->recent_vertices[LAST] = v;
    a->run++;
    emit_primitives(o, a);
}

/* Ends the current strip, fan or loop, and closes a loop. */
static void restart_primitive(struct output *o, struct gfx_assembly *a)
{
    if (a->primitive->draw_mode == MALI_DRAW_MODE_LINE_LOOP && a->run >= 2)
        add_line(o, a->recent_vertices[LAST], a->recent_vertices[FIRST]);
    a->run = 0;
}

/* ---- indices --------------------------------------------------------------------------------- */

static unsigned index_bytes(uint32_t type)
{
    switch (type) {
    case MALI_INDEX_TYPE_U8:
        return 1;
    case MALI_INDEX_TYPE_U16:
        return 2;
    case MALI_INDEX_TYPE_U32:
        return 4;
    default:
        return 0;
    }
}

static bool is_restart_index(const struct mali_primitive *p, unsigned bytes, uint32_t index)
{
    switch (p->primitive_restart) {
    case MALI_PRIMITIVE_RESTART_IMPLICIT:
        return bytes && index == (uint32_t)((UINT64_C(1) << 8 * bytes) - 1);
    case MALI_PRIMITIVE_RESTART_EXPLICIT:
        return bytes && index == p->primitive_restart_index;
    default:
        return false;
    }
}

bool gfx_assembly_ended(const struct gfx_assembly *a)
{
    return a->instance == a->instances;
}

bool gfx_assembly_step(struct gfx_reader *r, struct gfx_assembly *a, struct mali_polygon *to,
                       uint32_t *count)
{
    const struct mali_primitive *p = a->primitive;
    unsigned bytes = index_bytes(p->index_type);
    uint64_t left = (uint64_t)p->index_count - a->index;
    uint32_t n = left < GFX_STEP_INDICES ? (uint32_t)left : GFX_STEP_INDICES;
    uint8_t raw[GFX_STEP_INDICES * 4];
    struct output o = {a, to, 0};

    if (bytes && !gfx_fetch(r, p->indices + a->index * bytes, raw, (size_t)n * bytes))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t index =
            bytes ? (uint32_t)le_get(raw + (size_t)i * bytes, bytes) : (uint32_t)(a->index + i);

        if (is_restart_index(p, bytes, index))
            restart_primitive(&o, a);
        else
            add_vertex(&o, a, index + (uint32_t)p->base_vertex_offset);
    }
    a->index += n;
    if (a->index == p->index_count) {
        restart_primitive(&o, a);
        a->index = 0;
        a->instance++;
    }
    *count = o.count;
    return true;
}
