/*
 * Graphics jobs: vertex, tiler and fragment jobs. A job is started from its header and stepped
 * until it is done, as a compute job (compute.h) is. Tiler jobs pass primitives to the fragment job
 * only through guest memory (graphics/polygons.h).
 */
#ifndef RUNTIME_GPU_GRAPHICS_H
#define RUNTIME_GPU_GRAPHICS_H

#include "runtime/gpu/compute.h"

struct gpu_fragment;
struct gpu_geometry;

/* Kinds of job that precede the fragment job. */
enum gpu_geometry_kind {
    GPU_GEOMETRY_VERTEX,         /* shades vertices */
    GPU_GEOMETRY_TILER,          /* makes primitives and adds them to the tiler's list */
    GPU_GEOMETRY_INDEXED_VERTEX, /* shades vertices, makes primitives and adds them to the list */
};

/* Starts the vertex or tiler job whose header is at GPU address `job` by reading its descriptors.
 * `c` may be NULL if the job shades no vertices. The caller frees the result. NULL: *out has the
 * reason (FAILED, or FAULT: try again when the page is mapped). */
struct gpu_geometry *gpu_geometry_start(struct gpu_cores *c, const struct gpu_variant *variant,
                                        const struct gpu_address_space *as, uint64_t job,
                                        enum gpu_geometry_kind kind, struct gpu_outcome *out);
/* Shades vertices or assembles primitives. *out receives the GPU cycles and whether the job is
 * done, has more steps, waits for a page or failed. */
void gpu_geometry_step(struct gpu_geometry *g, struct gpu_outcome *out);
/* Ends and frees a job, finished or not. */
void gpu_geometry_free(struct gpu_geometry *g);

/* Starts the fragment job whose header is at GPU address `job` by reading its descriptors. `c` may
 * be NULL if the job draws no primitives. The caller frees the result. NULL: *out has the reason
 * (FAILED, or FAULT: try again when the page is mapped). */
struct gpu_fragment *gpu_fragment_start(struct gpu_cores *c, const struct gpu_variant *variant,
                                        const struct gpu_address_space *as, uint64_t job,
                                        struct gpu_outcome *out);
/* Clears, draws or writes to memory a part of the frame. *out is as that of gpu_geometry_step(). */
void gpu_fragment_step(struct gpu_fragment *f, struct gpu_outcome *out);
/* Ends and frees a job, finished or not. */
void gpu_fragment_free(struct gpu_fragment *f);

#endif
