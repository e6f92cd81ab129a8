/*
 * Graphics jobs: vertex, tiler and fragment jobs. As a compute job (compute.h), a job is started
 * from its header and stepped until it is done. What a tiler job hands to the fragment job is in
 * guest memory only.
 */
#ifndef RUNTIME_GPU_GRAPHICS_H
#define RUNTIME_GPU_GRAPHICS_H

#include "runtime/gpu/compute.h"

struct gpu_fragment;
struct gpu_geometry;

/* The parts of a job before the fragments. */
enum gpu_geometry_kind {
    GPU_GEOMETRY_VERTEX,         /* shades vertices */
    GPU_GEOMETRY_TILER,          /* makes primitives and adds them to the tiler's list */
    GPU_GEOMETRY_INDEXED_VERTEX, /* both */
};

/* Starts a vertex or tiler job, as gpu_fragment_start(). `c` may be NULL if no vertex is shaded. */
struct gpu_geometry *gpu_geometry_start(struct gpu_cores *c, const struct gpu_variant *variant,
                                        const struct gpu_address_space *as, uint64_t job,
                                        enum gpu_geometry_kind kind, struct gpu_outcome *out);
void gpu_geometry_step(struct gpu_geometry *g, struct gpu_outcome *out);
void gpu_geometry_free(struct gpu_geometry *g);

/* Starts the fragment job whose header is at `job` by reading its descriptors. `c` may be NULL if
 * nothing is drawn. NULL: *out has the reason (FAILED, or FAULT: try again when the page is
 * mapped). */
struct gpu_fragment *gpu_fragment_start(struct gpu_cores *c, const struct gpu_variant *variant,
                                        const struct gpu_address_space *as, uint64_t job,
                                        struct gpu_outcome *out);
/* Clears, draws or writes a part of the frame. */
void gpu_fragment_step(struct gpu_fragment *f, struct gpu_outcome *out);
/* Ends and frees a job, finished or not. */
void gpu_fragment_free(struct gpu_fragment *f);

#endif
