/* Vertex shading on the shader cores. */
#ifndef RUNTIME_GPU_GRAPHICS_VERTEX_H
#define RUNTIME_GPU_GRAPHICS_VERTEX_H

#include "runtime/gpu/graphics/reader.h"
#include "runtime/gpu/shader/core.h"

struct mali_draw;

/* The vertices of a job. */
struct gfx_vertices {
    uint32_t count, instances; /* vertices per instance; instances */
    uint32_t padded;           /* rows per instance in the vertex buffers, at least `count` */
    uint64_t position;         /* GPU address of row 0 of the position buffer */
};

/*
 * Starts a draw's shader of `stage` (GPU_STAGE_VERTEX or GPU_STAGE_VARYING) for all vertices. *v
 * must stay valid until the caller has freed the result with gpu_compute_free(). *none becomes true
 * if the draw has no such shader or no vertices. NULL: *none is true, or *r->out has the reason.
 */
struct gpu_compute *gfx_vertices_start(struct gpu_cores *c, struct gfx_reader *r,
                                       const struct mali_draw *draw, enum gpu_job_stage stage,
                                       struct gfx_vertices *v, bool *none);

#endif
