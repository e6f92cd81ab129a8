/* Reports the frame of a fragment job to the cores' watches (runtime/gpu/graphics_watch.h). */
#ifndef RUNTIME_GPU_GRAPHICS_WATCH_INTERNAL_H
#define RUNTIME_GPU_GRAPHICS_WATCH_INTERNAL_H

#include "runtime/gpu/graphics/draw.h"
#include "runtime/gpu/graphics_watch.h"
#include "runtime/gpu/shader/core.h"

/* A fragment job's part in watching. */
struct gfx_watcher {
    struct gpu_cores *cores; /* NULL: nothing is watched */
    bool told;               /* a part of the frame was reported */
    uint64_t limit;          /* most draws of the frame */
};

/* A watcher of the frame's job; `c` may be NULL. */
struct gfx_watcher gfx_watcher(struct gpu_cores *c);
/* Prepares a band in which nothing is drawn yet. */
void gfx_watch_begin(const struct gfx_watcher *w, struct gfx_band *b);
/* Reports a draw that has ended; `count` draws have begun in the band, it among them. */
void gfx_watch_draw(const struct gfx_watcher *w, const struct gfx_draw *d, unsigned count);
/* Reports a band that was written; `last`: it is the frame's last one, which has `count` draws. */
void gfx_watch_band(struct gfx_watcher *w, const struct gfx_frame *f, const struct gfx_band *b,
                    bool last, unsigned count);

#endif
