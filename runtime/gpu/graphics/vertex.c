/*
 * Shading of vertices, one thread per vertex, in work-groups of VERTICES threads. Vertices are
 * numbered instance by instance.
 *
 * Bounds      2^32 vertices of all instances; a step is a step of the cores (shader/cores.c)
 */
#include "runtime/gpu/graphics/vertex.h"

#include "mali_layout.h"

enum { VERTICES = 64 };

/* Sets the vertex and instance of each thread of a row. Lanes beyond the last vertex are no
 * threads. */
static void begin_row(struct gpu_worker *k, struct gpu_warp *w)
{
    const struct gfx_vertices *v = k->cores->job->stage;
    uint64_t total = (uint64_t)v->count * v->instances;
    uint64_t first = w->group->index * VERTICES + w->thread;
    uint32_t vertex[GPU_MAX_LANES], instance[GPU_MAX_LANES];
    uint32_t low[GPU_MAX_LANES], high[GPU_MAX_LANES];
    unsigned row = k->cores->decoder.row;

    w->live = 0;
    for (unsigned l = 0; l < w->lanes; l++) {
        uint64_t n = first + l, position;

        vertex[l] = (uint32_t)(n % v->count);
        instance[l] = (uint32_t)(n / v->count);
        position =
            v->position + ((uint64_t)instance[l] * v->padded + vertex[l]) * MALI_POSITION_BYTES;
        low[l] = (uint32_t)position;
        high[l] = (uint32_t)(position >> 32);
        w->live |= l < row && n < total ? 1u << l : 0;
    }
    gpu_warp_preload(k, w, GPU_PRELOAD_VERTEX_ID, vertex);
    gpu_warp_preload(k, w, GPU_PRELOAD_INSTANCE_ID, instance);
    if (k->cores->job->job.stage == GPU_STAGE_VERTEX) {
        gpu_warp_preload(k, w, GPU_PRELOAD_POSITION_LOW, low);
        gpu_warp_preload(k, w, GPU_PRELOAD_POSITION_HIGH, high);
    }
}

static const struct gpu_stage_functions functions = {.begin_row = begin_row};

struct gpu_compute *gfx_vertices_start(struct gpu_cores *c, struct gfx_reader *r,
                                       const struct mali_draw *draw, enum gpu_job_stage stage,
                                       struct gfx_vertices *v, bool *none)
{
    uint64_t total = (uint64_t)v->count * v->instances;
    struct mali_renderer_state state;
    struct gpu_compute_job job = {.stage = stage};

    *none = false;
    if (!gpu_stage_read(r->variant, r->as, draw, &job, &state, r->out)) {
        gpu_compute_job_release(&job);
        return NULL;
    }
    if (!job.shader_address || !total) {
        gpu_compute_job_release(&job);
        *none = true;
        return NULL;
    }
    job.threads = job.size[0] = VERTICES;
    job.size[1] = job.size[2] = 1;
    job.groups[0] = (uint32_t)((total + VERTICES - 1) / VERTICES);
    job.groups[1] = job.groups[2] = 1;
    job.group_total = job.groups[0];
    return gpu_stage_start(c, r->as, &job, &functions, v);
}
