/* Shading of vertices on the cores. */
#ifndef RUNTIME_GPU_GRAPHICS_VERTEX_H
#define RUNTIME_GPU_GRAPHICS_VERTEX_H

#include "runtime/gpu/graphics/reader.h"
#include "runtime/gpu/shader/core.h"

struct mali_draw;

/* The vertices of a job. */
struct gfx_vertices {
    uint32_t count, instances; /* vertices of an instance; instances */
    uint32_t padded;           /* rows of an instance in the buffers */
    uint64_t position;         /* address of the positions' rows */
};

/*
 * Starts a shader of a draw on all vertices, which must stay valid until the stage is freed. *none
 * becomes true if the draw has no such shader. NULL: *r->out has the reason unless *none.
 */
struct gpu_compute *gfx_vertices_start(struct gpu_cores *c, struct gfx_reader *r,
                                       const struct mali_draw *draw, enum gpu_job_stage stage,
                                       struct gfx_vertices *v, bool *none);

#endif
