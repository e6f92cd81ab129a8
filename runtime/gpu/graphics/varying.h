/* Values of varyings for the threads of fragments. */
#ifndef RUNTIME_GPU_GRAPHICS_VARYING_H
#define RUNTIME_GPU_GRAPHICS_VARYING_H

#include "runtime/gpu/graphics/draw.h"

/* Where a varying is stored for a vertex of the lane's primitive, 0: nowhere, and its format. */
uint64_t gfx_varying_address(const struct gpu_warp *w, unsigned lane, uint32_t index,
                             unsigned vertex, uint32_t *format);
/* Whether a varying says if the primitive shows its front. */
bool gfx_varying_is_facing(const struct gpu_warp *w, uint32_t index);
/* Sets registers of a row that begins to the results of its draw's messages. */
void gfx_send_messages(struct gpu_warp *w);
/* The varying at the lane's pixel. */
void gfx_varying(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint32_t index,
                 float out[4]);

/* Differences of its first two components in the lane's quad: along x, then along y. */
void gfx_varying_steps(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint32_t index,
                       float step[4]);

#endif
