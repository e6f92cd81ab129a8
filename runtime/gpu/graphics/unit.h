/* What shaders of graphics ask the fixed functions for: operands of a request, and its results. */
#ifndef RUNTIME_GPU_GRAPHICS_UNIT_H
#define RUNTIME_GPU_GRAPHICS_UNIT_H

#include <stdint.h>

/* Operands of a request. Descriptions use the numbers. */
enum gpu_graphics_operand {
    GPU_GRAPHICS_INDEX,    /* of a varying */
    GPU_GRAPHICS_FORMAT,   /* of registers: enum gpu_register_format */
    GPU_GRAPHICS_COVERAGE, /* samples */
    GPU_GRAPHICS_ALPHA,    /* fp32 */
    GPU_GRAPHICS_DEPTH,    /* fp32 */
    GPU_GRAPHICS_STENCIL,
    GPU_GRAPHICS_GIVEN,    /* bit 0: depth is given; bit 1: stencil */
    GPU_GRAPHICS_TARGET,   /* number of a render target */
    GPU_GRAPHICS_SAMPLE,   /* number of a sample */
    GPU_GRAPHICS_MEMORY,   /* pixel format of a raw target, 22 bits */
    GPU_GRAPHICS_REPLACES, /* not 0: no equation is applied */
    GPU_GRAPHICS_COUNT,    /* number of components */
    GPU_GRAPHICS_COLOR,    /* registers 0 … 3 */
    GPU_GRAPHICS_VERTEX = GPU_GRAPHICS_COLOR + 4,
    GPU_GRAPHICS_INSTANCE,
    GPU_GRAPHICS_OPERANDS,
};

/* Requests. Results are registers 0 … 3. */
enum gpu_graphics_operation {
    GPU_GRAPHICS_VARYING,    /* interpolated */
    GPU_GRAPHICS_FLAT,       /* of the provoking vertex */
    GPU_GRAPHICS_POINT,      /* coordinates in a point */
    GPU_GRAPHICS_FRAGMENT_W, /* 1 / w */
    GPU_GRAPHICS_FRAGMENT_Z, /* depth */
    GPU_GRAPHICS_TEST,       /* late tests; the result is the coverage that is left */
    GPU_GRAPHICS_GIVE,       /* depth and stencil of the shader; result as TEST */
    GPU_GRAPHICS_BLEND,
    GPU_GRAPHICS_LOAD,  /* from the tile buffer */
    GPU_GRAPHICS_STORE, /* to the tile buffer, without an equation */
    GPU_GRAPHICS_DISCARD,
    GPU_GRAPHICS_ATTRIBUTE, /* of any shader */
    GPU_GRAPHICS_WRITE, /* late tests and blending in one; TARGET: sample, target in bits 15:8 */
    GPU_GRAPHICS_STEPS, /* of a varying's first two components from pixel to pixel: x, then y */
};

struct gpu_graphics_request {
    uint32_t operand[GPU_GRAPHICS_OPERANDS];
    uint32_t result[4];
};

#endif
