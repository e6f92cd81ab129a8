/*
 * The tile buffers of a band of tiles.
 *
 * Bounds      memory: GFX_BAND_BYTES, or one row of tiles, which is at most 2^16 pixels wide
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/graphics/frame.h"

static unsigned tiles_from(uint32_t low, uint32_t high)
{
    return (high + GFX_TILE - 1) / GFX_TILE - low / GFX_TILE;
}

/* Bytes of a tile: colours, depth and stencil of all samples. */
static size_t tile_bytes(const struct gfx_frame *f)
{
    size_t sample = sizeof(uint32_t) + 1;

    for (unsigned i = 0; i < f->targets; i++)
        sample += f->target[i].tile->bytes;
    return sample * f->samples * GFX_TILE_PIXELS;
}

unsigned gfx_band_rows(const struct gfx_frame *f)
{
    size_t row = tile_bytes(f) * tiles_from(f->box.x0, f->box.x1);
    unsigned rows = tiles_from(f->box.y0, f->box.y1);
    size_t most = row ? GFX_BAND_BYTES / row : rows;

    return most < 1 ? 1 : most < rows ? (unsigned)most : rows;
}

/* Fills an array with `count` copies of a value of `bytes` bytes. */
static void fill_array(uint8_t *to, size_t count, const void *value, size_t bytes)
{
    size_t done = bytes < count * bytes ? bytes : count * bytes;

    memcpy(to, value, done);
    for (; done < count * bytes; done *= 2)
        memcpy(to + done, to, done < count * bytes - done ? done : count * bytes - done);
}

void gfx_band_begin(struct gfx_band *b, const struct gfx_frame *f, unsigned first, unsigned rows)
{
    uint32_t x0 = f->box.x0 / GFX_TILE * GFX_TILE, y0 = first * GFX_TILE;
    size_t samples;

    *b = (struct gfx_band){
        .columns = tiles_from(f->box.x0, f->box.x1), .rows = rows, .samples = f->samples};
    b->box = (struct gfx_box){x0, y0, x0 + b->columns * GFX_TILE, y0 + rows * GFX_TILE};
    samples = (size_t)gfx_band_tiles(b) * GFX_TILE_PIXELS * f->samples;
    for (unsigned i = 0; i < f->targets; i++) {
        b->color[i] = xalloc_apart(samples * f->target[i].tile->bytes);
        fill_array(b->color[i], samples, f->target[i].clear, f->target[i].tile->bytes);
    }
    b->depth = xalloc_apart(samples * sizeof(*b->depth));
    fill_array((uint8_t *)b->depth, samples, &f->zs.clear_depth, sizeof(f->zs.clear_depth));
    b->stencil = xalloc_apart(samples);
    memset(b->stencil, f->zs.clear_stencil, samples);
    b->has_primitive = xcalloc(gfx_band_tiles(b), 1);
    b->disabled = xcalloc(gfx_band_tiles(b), 1);
    b->unchanged = xcalloc(gfx_band_tiles(b), 1);
}

void gfx_band_end(struct gfx_band *b)
{
    for (unsigned i = 0; i < GFX_TARGETS; i++)
        free(b->color[i]);
    free(b->depth);
    free(b->stencil);
    free(b->has_primitive);
    free(b->disabled);
    free(b->unchanged);
    free(b->overdraw);
    *b = (struct gfx_band){0};
}
