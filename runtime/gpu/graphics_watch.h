/*
 * What graphics jobs draw, for reports and pictures: counts per draw, and the pixels of frames.
 * Nothing of it depends on the number of host threads. All calls are made on the thread that steps
 * jobs; what they receive is valid during the call.
 */
#ifndef RUNTIME_GPU_GRAPHICS_WATCH_H
#define RUNTIME_GPU_GRAPHICS_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_cores;

/* Primitives that a tiler job has made. */
struct gpu_primitives_note {
    uint64_t draw;       /* GPU address of the draw that fragment jobs read */
    uint64_t vertices;   /* of all instances, whether an index names them or not */
    uint64_t primitives; /* in the list, before culling */
};

/* Counts of a draw in a fragment job. A draw that takes several blocks of the list or bands of the
 * frame is reported in parts, which the receiver adds up: a primitive counts once per band. A
 * fragment is a pixel for which the shader runs, or a sample if it runs for each one. */
#define GPU_DRAW_COUNTS(X)                                                                       \
    X(primitives, "primitives")   /* primitives of the list; of a frame shader, 2 */             \
    X(culled, "culled")           /* of these, those of which nothing is left to draw */         \
    X(tiles, "tiles")             /* tiles that a triangle of the draw may touch */              \
    X(quads, "quads")             /* quads with a covered sample */                              \
    X(occluded, "occluded")       /* fragments that early tests killed: no shader ran */         \
    X(fragments, "fragments")     /* fragments shaded */                                         \
    X(helpers, "helpers")         /* threads that only complete the quads of fragments */        \
    X(killed, "killed")           /* of `fragments`, those that a discard or late test killed */ \
    X(input_bytes, "input_bytes") /* primitives and positions that the rasteriser read */

struct gpu_draw_counts {
#define GPU_DRAW_COUNT(field, name) uint64_t field;
    GPU_DRAW_COUNTS(GPU_DRAW_COUNT)
#undef GPU_DRAW_COUNT
};

struct gpu_draw_note {
    uint64_t draw;      /* GPU address; 0: a frame shader */
    unsigned number;    /* from 0 in the frame; frame shaders and first draw: 0 */
    unsigned first_row; /* first row of tiles of the band */
    uint64_t shader;    /* GPU address of its code; 0: none */
    struct gpu_draw_counts counts;
};

/* A part of a frame: whole rows of tiles, from the top. Most frames have one part. */
struct gpu_frame_note {
    uint64_t descriptor;       /* GPU address of the framebuffer */
    uint32_t width, height;    /* of the frame in pixels */
    uint32_t left, top;        /* place of the part */
    uint32_t columns, rows;    /* size of the part in pixels; it may exceed the frame */
    bool first, last;          /* the frame's first, last part */
    unsigned targets;          /* colour targets */
    const uint32_t *colors[8]; /* by target, pixels 0xrrggbb, row by row; NULL: not written */
    const uint16_t *overdraw;  /* fragments shaded per pixel, row by row */
    uint64_t written_bytes;    /* bytes of all targets that the part stored to memory */
};

struct gpu_graphics_watch {
    struct gpu_graphics_watch *next;
    void *opaque;
    /* Any function may be NULL. */
    void (*primitives)(void *opaque, const struct gpu_primitives_note *note);
    void (*draw)(void *opaque, const struct gpu_draw_note *note);
    void (*frame)(void *opaque, const struct gpu_frame_note *note);
};

/* Adds a watch, which must live as long as the cores. No job may be running. */
void gpu_cores_watch_graphics(struct gpu_cores *c, struct gpu_graphics_watch *watch);
/* Lets fragment jobs draw only the first `draws` draws from now on, over all frames; the rest is
 * left out, and frames are written as usual. Frame shaders do not count. No job may be running. */
void gpu_cores_limit_draws(struct gpu_cores *c, uint64_t draws);

#endif
