/* Places of samples in a pixel. */
#ifndef RUNTIME_GPU_GRAPHICS_SAMPLES_H
#define RUNTIME_GPU_GRAPHICS_SAMPLES_H

#include "runtime/gpu/graphics/frame.h"

struct gfx_place {
    uint8_t x, y; /* 1/256 pixel from its corner */
};

/* The place of a sample of the frame's pixels. */
const struct gfx_place *gfx_sample_place(const struct gfx_frame *f, unsigned sample);

#endif
