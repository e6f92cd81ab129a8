/*
 * The list of primitives, in guest memory, that tiler jobs write and the fragment job reads
 * (descriptions/mali/layouts/framebuffer.ac: polygon_list). A tiler job adds blocks of primitives.
 * A block is linked into the list only when it is complete, so that a job that waits for a page of
 * the heap can write the block again.
 */
#ifndef RUNTIME_GPU_GRAPHICS_POLYGONS_H
#define RUNTIME_GPU_GRAPHICS_POLYGONS_H

#include "mali_layout.h"
#include "runtime/gpu/graphics/reader.h"

enum { GFX_BLOCK_POLYGONS = 1 << 14 }; /* most primitives of a block */

/* GPU addresses of a list, and of the heap for its blocks. */
struct gfx_list {
    uint64_t head;      /* address of the list's polygon_list; 0: there is no list */
    uint64_t heap, end; /* first byte of the heap, and the byte behind it */
};

/* Finds the list of the tiler's context at GPU address `context`. false: *r->out has the reason. */
bool gfx_list_find(struct gfx_reader *r, uint64_t context, struct gfx_list *l);
/* Appends a block with header *b and its b->count primitives; sets b->next. false: *r->out has the
 * reason (FAULT, or FAILED: the heap is full), and the list has not changed. */
bool gfx_list_add(struct gfx_reader *r, const struct gfx_list *l, struct mali_polygon_block *b,
                  const struct mali_polygon *polygons);
/* *first receives the GPU address of the first block; 0: none, as in a heap without bytes.
 * false: *r->out has the reason. */
bool gfx_list_first(struct gfx_reader *r, const struct gfx_list *l, uint64_t *first);
/* Reads the block at `address`: its header into *b, its primitives into a new array *polygons,
 * which the caller frees. false: *r->out has the reason, and *polygons is NULL. */
bool gfx_block_read(struct gfx_reader *r, uint64_t address, struct mali_polygon_block *b,
                    struct mali_polygon **polygons);

#endif
