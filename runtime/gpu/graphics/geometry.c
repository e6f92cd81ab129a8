/*
 * Vertex jobs, tiler jobs, and indexed-vertex jobs, which are both: vertices are shaded, then
 * primitives are assembled and added to the tiler's list.
 *
 * Bounds      a step is a step of the cores (shader/cores.c), or assembles GFX_STEP_INDICES indices
 */
#include <stdlib.h>

#include "mali_layout.h"
#include "runtime/base/alloc.h"
#include "runtime/gpu/graphics.h"
#include "runtime/gpu/graphics/assemble.h"
#include "runtime/gpu/graphics/polygons.h"
#include "runtime/gpu/graphics/vertex.h"
#include "runtime/gpu/graphics_watch.h"
#include "runtime/gpu/shader/core.h"

enum { ASSEMBLY_SHIFT = 1 }; /* two indices per cycle */

enum phase { PHASE_VERTICES, PHASE_VARYINGS, PHASE_ASSEMBLY, PHASE_DONE };

struct gpu_geometry {
    struct gpu_cores *cores;
    const struct gpu_variant *variant;
    const struct gpu_address_space *as;
    enum phase phase;
    bool tiles;                             /* primitives are assembled */
    struct mali_indexed_vertex_payload job; /* the payload; other kinds of job fill a part of it */
    uint64_t draw;                          /* GPU address of the draw for the fragment job */
    struct gfx_vertices vertices;
    struct gpu_compute *stage; /* the running shader; NULL: none */
    struct gfx_assembly assembly;
    struct gfx_list list;
    uint32_t assembled_count; /* primitives that were assembled so far */
    struct mali_polygon polygons[2 * GFX_STEP_INDICES];
};

/* ---- descriptors ----------------------------------------------------------------------------- */

static bool read_vertex_job(struct gpu_geometry *g, struct gfx_reader *r, uint64_t at)
{
    struct mali_compute_payload p;

    if (!GFX_READ(r, compute_payload, COMPUTE_PAYLOAD, at, &p))
        return false;
    g->job.invocation = p.invocation;
    g->job.vertex_draw = p.draw;
    return true;
}

static bool read_tiler_job(struct gpu_geometry *g, struct gfx_reader *r, uint64_t at)
{
    struct mali_tiler_payload p;

    if (!GFX_READ(r, tiler_payload, TILER_PAYLOAD, at, &p))
        return false;
    g->job.invocation = p.invocation;
    g->job.primitive = p.primitive;
    g->job.primitive_size = p.primitive_size;
    g->job.size_array = p.size_array;
    g->job.tiler = p.tiler;
    g->job.fragment_draw = p.draw;
    g->draw = at + (r->version <= 5 ? MALI_TILER_DRAW_V5 : MALI_TILER_DRAW);
    return true;
}

static bool read_indexed_vertex_job(struct gpu_geometry *g, struct gfx_reader *r, uint64_t at)
{
    g->draw = at + MALI_INDEXED_VERTEX_PAYLOAD_FRAGMENT_DRAW_OFFSET;
    return GFX_READ(r, indexed_vertex_payload, INDEXED_VERTEX_PAYLOAD, at, &g->job);
}

/* GPU address of the tiler's context. Before version 6 it is inside the draw's framebuffer
 * descriptor. */
static uint64_t context_of(const struct gpu_geometry *g, unsigned version)
{
    uint64_t storage = g->job.fragment_draw.thread_storage;
    struct mali_framebuffer_pointer p;
    uint8_t raw[MALI_FRAMEBUFFER_POINTER_BYTES];

    if (version >= 6)
        return g->job.tiler;
    le_put(raw, sizeof(raw), storage);
    mali_framebuffer_pointer_unpack(version, raw, &p);
    return p.pointer + (version == 4 ? MALI_FRAMEBUFFER_TILER_V4 : MALI_FRAMEBUFFER_TILER_V5);
}

static bool read_sizes(struct gpu_geometry *g, struct gfx_reader *r, uint64_t at)
{
    const struct mali_draw *draw = g->tiles ? &g->job.fragment_draw : &g->job.vertex_draw;
    uint32_t size[3], groups[3];

    if (!gpu_invocation_sizes(&g->job.invocation, size, groups))
        return gfx_invalid(r, at);
    g->vertices = (struct gfx_vertices){
        .count = groups[0] * groups[1],
        .instances = groups[2],
        .padded = draw->instance_size,
        .position = draw->position,
    };
    g->assembly = (struct gfx_assembly){
        .primitive = &g->job.primitive,
        .instances = groups[2],
        .padded = draw->instance_size,
        .rows = g->vertices.count,
        .line_provoking = r->version <= 5 ? draw->flat_shading_vertex : !draw->flat_shading_vertex,
    };
    return true;
}

/* ---- the job --------------------------------------------------------------------------------- */

static bool read_job(struct gpu_geometry *g, struct gfx_reader *r, uint64_t at,
                     enum gpu_geometry_kind kind)
{
    if (kind == GPU_GEOMETRY_VERTEX)
        return read_vertex_job(g, r, at);
    if (kind == GPU_GEOMETRY_TILER) {
        g->phase = PHASE_ASSEMBLY;
        return read_tiler_job(g, r, at);
    }
    return mali_indexed_vertex_payload_bytes(r->version) ? read_indexed_vertex_job(g, r, at)
                                                         : gfx_invalid(r, at);
}

struct gpu_geometry *gpu_geometry_start(struct gpu_cores *c, const struct gpu_variant *variant,
                                        const struct gpu_address_space *as, uint64_t job,
                                        enum gpu_geometry_kind kind, struct gpu_outcome *out)
{
    struct gfx_reader r = {variant->architecture, as, out, variant};
    struct gpu_geometry *g = xcalloc(1, sizeof(*g));
    uint64_t at = job + MALI_JOB_HEADER_BYTES;

    *out = (struct gpu_outcome){.progress = GPU_PROGRESS_MORE, .cycles = 1};
    g->cores = c;
    g->variant = variant;
    g->as = as;
    g->tiles = kind != GPU_GEOMETRY_VERTEX;
    if (read_job(g, &r, at, kind) && read_sizes(g, &r, at) &&
        (!g->tiles || gfx_list_find(&r, context_of(g, r.version), &g->list)))
        return g;
    free(g);
    return NULL;
}

static void next_phase(struct gpu_geometry *g)
{
    gpu_compute_free(g->stage);
    g->stage = NULL;
    if (g->phase == PHASE_VERTICES && g->tiles && g->job.primitive.secondary_shader)
        g->phase = PHASE_VARYINGS;
    else
        g->phase = g->tiles && g->phase != PHASE_ASSEMBLY ? PHASE_ASSEMBLY : PHASE_DONE;
}

static void shade_vertices(struct gpu_geometry *g, struct gpu_outcome *out)
{
    enum gpu_job_stage stage = g->phase == PHASE_VERTICES ? GPU_STAGE_VERTEX : GPU_STAGE_VARYING;
    struct gfx_reader r = {g->variant->architecture, g->as, out, g->variant};
    bool none = !g->cores;

    if (!g->stage && g->cores)
        g->stage =
            gfx_vertices_start(g->cores, &r, &g->job.vertex_draw, stage, &g->vertices, &none);
    if (none)
        next_phase(g);
    if (!g->stage)
        return;
    gpu_compute_step(g->stage, out);
    if (out->progress != GPU_PROGRESS_DONE)
        return;
    out->progress = GPU_PROGRESS_MORE;
    next_phase(g);
}

static void tell_primitives(const struct gpu_geometry *g)
{
    struct gpu_primitives_note note = {
        .draw = g->draw,
        .vertices = (uint64_t)g->vertices.count * g->vertices.instances,
        .primitives = g->assembled_count,
    };

    for (const struct gpu_graphics_watch *w = g->cores ? g->cores->watches : NULL; w; w = w->next)
        if (w->primitives)
            w->primitives(w->opaque, &note);
}

/* Number of indices that a step took; a step ends at the last index of an instance. */
static uint32_t taken_indices(const struct gfx_assembly *before, const struct gfx_assembly *after)
{
    return (uint32_t)((after->instance == before->instance ? after->index
                                                           : before->primitive->index_count) -
                      before->index);
}

static void assemble_primitives(struct gpu_geometry *g, struct gpu_outcome *out)
{
    struct gfx_reader r = {g->variant->architecture, g->as, out, g->variant};
    struct gfx_assembly next = g->assembly;
    struct mali_polygon_block b = {
        .draw = g->draw,
        .rows = g->vertices.instances * g->vertices.padded,
        .size_array = g->job.size_array,
        .point_size_format = g->job.primitive.point_size_format,
        .first_id = g->assembled_count,
    };

    if (!g->job.primitive.point_size_format)
        b.size = g->job.primitive_size;
    if (gfx_assembly_ended(&next) || !g->list.head) {
        tell_primitives(g);
        next_phase(g);
        return;
    }
    if (!gfx_assembly_step(&r, &next, g->polygons, &b.count) ||
        (b.count && !gfx_list_add(&r, &g->list, &b, g->polygons)))
        return;
    out->cycles += taken_indices(&g->assembly, &next) >> ASSEMBLY_SHIFT;
    g->assembled_count += b.count;
    g->assembly = next;
}

void gpu_geometry_step(struct gpu_geometry *g, struct gpu_outcome *out)
{
    *out = (struct gpu_outcome){.progress = GPU_PROGRESS_MORE, .cycles = 1};
    switch (g->phase) {
    case PHASE_VERTICES:
    case PHASE_VARYINGS:
        shade_vertices(g, out);
        break;
    case PHASE_ASSEMBLY:
        assemble_primitives(g, out);
        break;
    case PHASE_DONE:
        out->progress = GPU_PROGRESS_DONE;
        break;
    }
}

void gpu_geometry_free(struct gpu_geometry *g)
{
    if (!g)
        return;
    gpu_compute_free(g->stage);
    free(g);
}
