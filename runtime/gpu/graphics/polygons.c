/* The list of primitives in guest memory: adds blocks, and reads them again. */
#include "runtime/gpu/graphics/polygons.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"

enum { BLOCK_ALIGNMENT = 64 };

static bool write_bytes(struct gfx_reader *r, uint64_t address, const void *from, size_t bytes)
{
    if (gpu_memory_write(r->as, address, from, bytes, &r->out->fault))
        return true;
    r->out->progress = GPU_PROGRESS_FAULT;
    return false;
}

bool gfx_list_find(struct gfx_reader *r, uint64_t context, struct gfx_list *l)
{
    struct mali_tiler_context c;
    struct mali_tiler_heap h;

    if (!GFX_READ(r, tiler_context, TILER_CONTEXT, context, &c))
        return false;
    if (r->version <= 5) {
        *l = (struct gfx_list){c.polygon_list, c.heap_start, c.heap_end};
        if (c.hierarchy_mask == MALI_HIERARCHY_DISABLED)
            l->head = 0;
        return true;
    }
    if (!GFX_READ(r, tiler_heap, TILER_HEAP, c.heap, &h))
        return false;
    *l = (struct gfx_list){context + MALI_TILER_STATE, h.bottom, h.top};
    return true;
}

/* GPU address in the heap of a new block of `bytes` bytes; 0: the heap is full. */
static uint64_t place_in_heap(const struct gfx_list *l, const struct mali_polygon_list *head,
                              size_t bytes)
{
    uint64_t at = head->first ? head->free : l->heap;

    at = (at + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
    return at >= l->heap && at <= l->end && bytes <= l->end - at ? at : 0;
}

bool gfx_list_add(struct gfx_reader *r, const struct gfx_list *l, struct mali_polygon_block *b,
                  const struct mali_polygon *polygons)
{
    size_t bytes = MALI_POLYGON_BLOCK_BYTES + (size_t)b->count * MALI_POLYGON_BYTES;
    struct mali_polygon_list head;
    uint8_t raw[MALI_POLYGON_LIST_BYTES], link[8], *block;
    uint64_t at;
    bool done;

    if (!GFX_READ(r, polygon_list, POLYGON_LIST, l->head, &head))
        return false;
    at = place_in_heap(l, &head, bytes);
    if (!at) {
        *r->out = (struct gpu_outcome){
            .progress = GPU_PROGRESS_FAILED, .code = GPU_JOB_OUT_OF_MEMORY, .address = l->end};
        return false;
    }
    b->next = 0;
    block = xcalloc(1, bytes);
    mali_polygon_block_pack(r->version, b, block);
    for (size_t i = 0; i < b->count; i++)
        mali_polygon_pack(r->version, &polygons[i],
                          block + MALI_POLYGON_BLOCK_BYTES + i * MALI_POLYGON_BYTES);
    done = write_bytes(r, at, block, bytes);
    free(block);
    le_put(link, sizeof(link), at);
    if (!done ||
        (head.first && !write_bytes(r, head.last + MALI_POLYGON_BLOCK_NEXT_OFFSET, link, 8)))
        return false;
    head.first = head.first ? head.first : at;
    head.last = at;
    head.free = at + bytes;
    mali_polygon_list_pack(r->version, &head, raw);
    return write_bytes(r, l->head, raw, sizeof(raw));
}

bool gfx_list_first(struct gfx_reader *r, const struct gfx_list *l, uint64_t *first)
{
    struct mali_polygon_list head = {0};

    /* A frame without draws has a heap without bytes on GPUs whose hierarchy cannot be disabled.
     * Its list was not cleared: it has what the memory held before. */
    if (l->head && l->heap < l->end && !GFX_READ(r, polygon_list, POLYGON_LIST, l->head, &head))
        return false;
    *first = head.first;
    return true;
}

bool gfx_block_read(struct gfx_reader *r, uint64_t address, struct mali_polygon_block *b,
                    struct mali_polygon **polygons)
{
    uint8_t *raw;

    *polygons = NULL;
    if (!GFX_READ(r, polygon_block, POLYGON_BLOCK, address, b))
        return false;
    if (!b->count || b->count > GFX_BLOCK_POLYGONS)
        return gfx_invalid(r, address);
    raw = xcalloc(b->count, MALI_POLYGON_BYTES);
    if (!gfx_fetch(r, address + MALI_POLYGON_BLOCK_BYTES, raw,
                   (size_t)b->count * MALI_POLYGON_BYTES)) {
        free(raw);
        return false;
    }
    *polygons = xcalloc(b->count, sizeof(**polygons));
    for (size_t i = 0; i < b->count; i++)
        mali_polygon_unpack(r->version, raw + i * MALI_POLYGON_BYTES, &(*polygons)[i]);
    free(raw);
    return true;
}
