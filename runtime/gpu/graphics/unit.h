/*
 * Requests of graphics shaders to fixed-function units, such as interpolation, tests and blending.
 * gpu_graphics_operand() sets operands, gpu_graphics_request() carries a request out, and
 * gpu_graphics_result() returns its results (lane_memory.h).
 */
#ifndef RUNTIME_GPU_GRAPHICS_UNIT_H
#define RUNTIME_GPU_GRAPHICS_UNIT_H

#include <stdint.h>

/* Operands of a request. Descriptions use the numbers, so their order is fixed. */
enum gpu_graphics_operand {
    GPU_GRAPHICS_INDEX,    /* number of a varying or an attribute */
    GPU_GRAPHICS_FORMAT,   /* format of the registers: enum gpu_register_format */
    GPU_GRAPHICS_COVERAGE, /* bit s: sample s is covered */
    GPU_GRAPHICS_ALPHA,    /* fp32 */
    GPU_GRAPHICS_DEPTH,    /* fp32 */
    GPU_GRAPHICS_STENCIL,  /* stencil reference, 8 bits */
    GPU_GRAPHICS_GIVEN,    /* bit 0: DEPTH is set; bit 1: STENCIL is set */
    GPU_GRAPHICS_TARGET,   /* number of a render target */
    GPU_GRAPHICS_SAMPLE,   /* number of a sample */
    GPU_GRAPHICS_MEMORY,   /* pixel format of a raw target, 22 bits */
    GPU_GRAPHICS_REPLACES, /* not 0: the blend equation is not applied */
    GPU_GRAPHICS_COUNT,    /* number of colour components; 0: all */
    GPU_GRAPHICS_COLOR,    /* four registers: red, green, blue, alpha */
    GPU_GRAPHICS_VERTEX = GPU_GRAPHICS_COLOR + 4,
    GPU_GRAPHICS_INSTANCE,
    GPU_GRAPHICS_BACK_LOW, /* WRITE: address of the next bundle; 0: the thread ends */
    GPU_GRAPHICS_BACK_HIGH,
    GPU_GRAPHICS_PLACE,  /* where a varying is interpolated: enum gpu_graphics_place */
    GPU_GRAPHICS_OFFSET, /* PLACE_OFFSET: x, and y in the upper half; signed, in 1/256 pixel from
                              the pixel's upper left corner */
    GPU_GRAPHICS_OPERANDS,
};

/* Operations of a request. A request has four result registers. */
enum gpu_graphics_operation {
    GPU_GRAPHICS_VARYING,    /* interpolate varying INDEX */
    GPU_GRAPHICS_FLAT,       /* load varying INDEX of the provoking vertex */
    GPU_GRAPHICS_POINT,      /* coordinates in the square of a point */
    GPU_GRAPHICS_FRAGMENT_W, /* 1 / w */
    GPU_GRAPHICS_FRAGMENT_Z, /* depth */
    GPU_GRAPHICS_TEST,       /* make the late tests; the result is the remaining coverage */
    GPU_GRAPHICS_GIVE,       /* TEST with depth and stencil reference from the shader */
    GPU_GRAPHICS_BLEND,      /* blend COLOR into TARGET */
    GPU_GRAPHICS_LOAD,       /* load the colour of SAMPLE in TARGET from the tile buffer */
    GPU_GRAPHICS_STORE,      /* store COLOR to TARGET without a blend equation */
    GPU_GRAPHICS_DISCARD,    /* discard the fragment; in other stages, end the lane */
    GPU_GRAPHICS_ATTRIBUTE,  /* load attribute INDEX of VERTEX and INSTANCE; for all stages */
    /* Late tests and blending in one. TARGET: sample, target in bits 15:8. Results: address of the
     * next bundle, or 0; not 0: the thread ends. */
    GPU_GRAPHICS_WRITE,
    GPU_GRAPHICS_STEPS,     /* differences of components 0, 1 of a varying along x; then along y */
    GPU_GRAPHICS_LOAD_RAW,  /* load the bytes of SAMPLE in TARGET from the tile buffer */
    GPU_GRAPHICS_SAMPLE_ID, /* the sample that is shaded, and the covered samples */
};

/* Where a varying is interpolated. */
enum gpu_graphics_place {
    GPU_GRAPHICS_PLACE_OWN,      /* the sample that is shaded, or the pixel's centre */
    GPU_GRAPHICS_PLACE_CENTROID, /* the first covered sample; the centre if all are covered */
    GPU_GRAPHICS_PLACE_CENTER,
    GPU_GRAPHICS_PLACE_OFFSET,
    GPU_GRAPHICS_PLACE_SAMPLE, /* sample number SAMPLE */
};

/* The request that a worker collects or carries out, and its results. */
struct gpu_graphics_request {
    uint32_t operand[GPU_GRAPHICS_OPERANDS];
    uint32_t result[4];
};

#endif
