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

/* The position that bit number `bit`, 0 … places - 1, of a pixel's coverage stands for. */
const struct gfx_place *gfx_coverage_place(const struct gfx_draw *d, unsigned bit);

/* The samples of the tile buffer, one bit each, that fragments with this coverage test and write:
 * the single one if any place is covered, where a frame has more places than samples. */
static inline uint16_t gfx_covered_samples(const struct gfx_frame *f, uint16_t coverage)
{
    return f->places > f->samples ? coverage != 0 : coverage;
}

#endif
