/*
 * The list of primitives between a tiler job and the fragment job, in guest memory
 * (descriptions/mali/layouts/framebuffer.ac: polygon_list). A tiler job adds blocks; the list
 * changes when a block is complete, so that a job that waits for a page of the heap may begin the
 * block again.
 */
#ifndef RUNTIME_GPU_GRAPHICS_POLYGONS_H
#define RUNTIME_GPU_GRAPHICS_POLYGONS_H

#include "mali_layout.h"
#include "runtime/gpu/graphics/reader.h"

enum { GFX_BLOCK_POLYGONS = 1 << 14 }; /* most primitives of a block */

/* Places of a list, and of the heap for its blocks. */
struct gfx_list {
    uint64_t head; /* address of its polygon_list */
    uint64_t heap, end;
};

/* The list of a tiler's context. false: *r->out has the reason. */
bool gfx_list_find(struct gfx_reader *r, uint64_t context, struct gfx_list *l);
/* Adds a block with `b->count` primitives. false: *r->out has the reason. */
bool gfx_list_add(struct gfx_reader *r, const struct gfx_list *l, struct mali_polygon_block *b,
                  const struct mali_polygon *polygons);
/* Address of the first block; 0: none. false: *r->out has the reason. */
bool gfx_list_first(struct gfx_reader *r, const struct gfx_list *l, uint64_t *first);
/* Reads a block and its primitives, which the caller frees. false: *r->out has the reason. */
bool gfx_block_read(struct gfx_reader *r, uint64_t address, struct mali_polygon_block *b,
                    struct mali_polygon **polygons);

#endif
