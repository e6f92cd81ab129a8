/*
 * Frames that fragment jobs draw, for pictures of them. Nothing depends on the number of host
 * threads. All calls are made on the thread that steps jobs; what they receive is valid during the
 * call.
 */
#ifndef RUNTIME_GPU_GRAPHICS_WATCH_H
#define RUNTIME_GPU_GRAPHICS_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_cores;

/* A part of a frame: whole rows of tiles, from the top. Most frames have one part. */
struct gpu_frame_note {
    uint64_t descriptor;       /* GPU address of the framebuffer */
    uint32_t width, height;    /* size of the frame in pixels */
    uint32_t left, top;        /* place of the part */
    uint32_t columns, rows;    /* size of the part in pixels; it may exceed the frame */
    bool first, last;          /* the frame's first, last part */
    unsigned targets;          /* colour targets */
    const uint32_t *colors[8]; /* by target, pixels 0xrrggbb, row by row; NULL: not written */
};

struct gpu_graphics_watch {
    struct gpu_graphics_watch *next;
    void *opaque;
    void (*frame)(void *opaque, const struct gpu_frame_note *note);
};

/* Adds a watch, which must live as long as the cores. No job may be running. */
void gpu_cores_watch_graphics(struct gpu_cores *c, struct gpu_graphics_watch *watch);
/* Lets fragment jobs draw only the first `draws` draws from now on, over all frames; the rest is
 * left out, and frames are written as usual. Frame shaders do not count. No job may be running. */
void gpu_cores_limit_draws(struct gpu_cores *c, uint64_t draws);

#endif
