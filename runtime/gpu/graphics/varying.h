/* Values of varyings for fragment threads. `index` is the number of a varying of the draw. */
#ifndef RUNTIME_GPU_GRAPHICS_VARYING_H
#define RUNTIME_GPU_GRAPHICS_VARYING_H

#include "runtime/gpu/graphics/draw.h"

/* GPU address of a varying at vertex number `vertex` (0 … 2) of the lane's primitive; 0: none.
 * *format receives its 22-bit pixel format. */
uint64_t gfx_varying_address(const struct gpu_warp *w, unsigned lane, uint32_t index,
                             unsigned vertex, uint32_t *format);
/* Whether a varying is the front-facing flag of the primitive. */
bool gfx_varying_is_facing(const struct gpu_warp *w, uint32_t index);
/* Computes the draw's preloaded messages (messages.c) for a row that begins, and sets the registers
 * that hold their results. */
void gfx_send_messages(struct gpu_warp *w);
/* Interpolates a varying with weights of the primitive's vertices; out[] receives its
 * components. */
void gfx_varying_weighted(struct gpu_warp *w, const struct gpu_op *op, unsigned lane,
                          uint32_t index, const double weight[3], float out[4]);
/* Likewise at the centre of the lane's pixel, or at the sample that is shaded. */
void gfx_varying(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint32_t index,
                 float out[4]);

/* Computes the differences of a varying's first two components between the pixels of the lane's
 * quad: step[0], step[1] along x; step[2], step[3] along y. */
void gfx_varying_steps(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint32_t index,
                       float step[4]);

#endif
