/*
 * Graphics jobs: vertex, tiler and fragment jobs. As a compute job (compute.h), a job is started
 * from its header and stepped until it is done. What a tiler job hands to the fragment job is in
 * guest memory only.
 */
#ifndef RUNTIME_GPU_GRAPHICS_H
#define RUNTIME_GPU_GRAPHICS_H

#include "runtime/gpu/compute.h"

struct gpu_fragment;

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
