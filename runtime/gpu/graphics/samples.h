/* Positions of samples in a pixel. */
#ifndef RUNTIME_GPU_GRAPHICS_SAMPLES_H
#define RUNTIME_GPU_GRAPHICS_SAMPLES_H

#include "runtime/gpu/graphics/draw.h"

struct gfx_place {
    uint8_t x, y; /* offset from the pixel's upper left corner, in 1/256 pixel */
};

/* The position of sample number `sample`, 0 … samples - 1, of the frame's pixels. In a draw without
 * multisampling it is the centre, whatever the frame has. */
const struct gfx_place *gfx_sample_place(const struct gfx_draw *d, unsigned sample);

#endif
