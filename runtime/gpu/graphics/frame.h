/*
 * A frame: the framebuffer that a fragment job draws, and its pixels while it does.
 *
 *     frame.c      descriptors of the framebuffer       pixels.c     formats of the tile buffer
 *     tiles.c      pixels of a band of tiles            writeback.c  tiles to memory
 *     fragment.c   the fragment job
 *
 * The hardware draws one tile after the other. Here a band of tiles, rows of the frame, is drawn
 * draw by draw, since all threads of the cores run one shader at a time. A pixel sees the same
 * primitives in the same order.
 */
#ifndef RUNTIME_GPU_GRAPHICS_FRAME_H
#define RUNTIME_GPU_GRAPHICS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/gpu/compute.h"
#include "runtime/gpu/variant.h"

enum {
    GFX_TILE = 16,                         /* pixels of a tile's side */
    GFX_TILE_PIXELS = GFX_TILE * GFX_TILE, /* pixels of a tile */
    GFX_TARGETS = 8,
    GFX_SAMPLES = 16,
    GFX_BAND_BYTES = 1 << 26, /* most bytes of a band's pixels, unless one row of tiles has more */
};

/* ---- formats --------------------------------------------------------------------------------- */

/* How the tile buffer holds a colour: components of a 32-bit word from bit 0 on, or bytes as in
 * memory. */
struct gfx_tile_format {
    uint8_t bytes;       /* per sample */
    bool raw;            /* the other fields are not used */
    uint8_t whole[4];    /* bits of red, green, blue, alpha; 0: the component is absent */
    uint8_t fraction[4]; /* further bits below those */
};

/* A colour in memory: components in the order of their bits. */
struct gfx_memory_format {
    uint8_t bytes;     /* 0: not modelled */
    uint8_t bits[4];   /* of the first component, second … */
    bool raw;          /* the bytes of the tile buffer */
    bool alpha_lowest; /* alpha comes first, then blue, green, red */
};

/* The format of a number of the description (enum mali_tile_format); NULL: there is none. */
const struct gfx_tile_format *gfx_tile_format(uint32_t number, uint32_t raw_bytes);
/* Of enum mali_color_format. bytes is 0 if it is not modelled. */
struct gfx_memory_format gfx_memory_format(unsigned version, uint32_t number,
                                           const struct gfx_tile_format *tile);

/* Components 0 … 1 of a word of the tile buffer; an absent component is 1. */
void gfx_tile_decode(const struct gfx_tile_format *f, uint32_t word, float c[4]);
/* The word of a colour, clamped to 0 … 1. `round`: to the format's whole bits; else with the
 * fraction. */
uint32_t gfx_tile_encode(const struct gfx_tile_format *f, const float c[4], bool round);
/* Bytes of a colour in memory. `swizzle`: per component the one of the tile buffer, 3 bits each. */
void gfx_memory_encode(const struct gfx_memory_format *f, uint32_t swizzle, const float c[4],
                       uint8_t *out);

/* ---- the framebuffer ------------------------------------------------------------------------- */

enum gfx_blocks { GFX_LINEAR, GFX_TILED, GFX_NO_WRITE, GFX_BLOCKS_UNKNOWN };

struct gfx_surface {
    uint64_t base;
    int64_t row_stride, sample_stride;
    enum gfx_blocks blocks;
    bool layered; /* each sample is a surface; else they are averaged */
};

struct gfx_target {
    const struct gfx_tile_format *tile;
    struct gfx_memory_format memory;
    struct gfx_surface surface;
    uint32_t swizzle;
    bool write, clean_write, srgb, dither;
    uint32_t clear[4];
};

/* Depth and stencil; depth is a number of the format's bits, or the bits of a float. */
struct gfx_zs {
    uint32_t depth_format; /* enum mali_depth_format */
    uint32_t clear_depth;
    uint8_t clear_stencil;
    bool write_depth, write_stencil, clean_write;
    uint32_t format, stencil_format; /* enum mali_zs_format, mali_stencil_format */
    struct gfx_surface surface, stencil_surface;
};

struct gfx_box {
    uint32_t x0, y0, x1, y1; /* pixels; x1 and y1 are excluded */
};

/* The frame as its descriptors say. */
struct gfx_frame {
    unsigned version; /* architecture version of the layouts */
    uint64_t descriptor;
    struct gfx_box box; /* what is drawn: bounds of the job and of the framebuffer */
    unsigned samples;
    unsigned targets;
    struct gfx_target target[GFX_TARGETS];
    struct gfx_zs zs;
    uint32_t before[2]; /* enum mali_frame_shader */
    uint64_t draws;     /* descriptors of frame shaders; 0: none */
    uint64_t tiler;     /* address of the tiler's context; 0: nothing was drawn */
    uint32_t size[2];   /* width, height */
};

/* Reads a framebuffer for a fragment job with these bounds in tiles (both ends included). false:
 * *out has the reason. */
bool gfx_frame_read(struct gfx_frame *f, const struct gpu_variant *variant,
                    const struct gpu_address_space *as, uint64_t pointer, const uint32_t bounds[4],
                    struct gpu_outcome *out);

/* Depth as the buffer holds it, from a number, and back. */
uint32_t gfx_depth_encode(uint32_t format, float z);
float gfx_depth_decode(uint32_t format, uint32_t raw);

/* ---- the pixels of a band -------------------------------------------------------------------- */

struct gfx_band {
    struct gfx_box box;     /* of whole tiles */
    unsigned columns, rows; /* tiles */
    unsigned samples;
    uint8_t *color[GFX_TARGETS]; /* by tile, pixel, sample */
    uint32_t *depth;
    uint8_t *stencil;
    uint8_t *touched; /* by tile: it has a primitive */
};

/* Rows of tiles in a band. */
unsigned gfx_band_rows(const struct gfx_frame *f);
/* Makes the pixels of `rows` rows of tiles from tile row `first` on, with the clear values. */
void gfx_band_begin(struct gfx_band *b, const struct gfx_frame *f, unsigned first, unsigned rows);
void gfx_band_end(struct gfx_band *b);

static inline unsigned gfx_band_tiles(const struct gfx_band *b)
{
    return b->columns * b->rows;
}

/* Number of the band's sample 0 of a pixel. */
static inline size_t gfx_band_place(const struct gfx_band *b, uint32_t x, uint32_t y)
{
    uint32_t dx = x - b->box.x0, dy = y - b->box.y0;
    size_t tile = (size_t)(dy / GFX_TILE) * b->columns + dx / GFX_TILE;

    return (tile * GFX_TILE_PIXELS + dy % GFX_TILE * GFX_TILE + dx % GFX_TILE) * b->samples;
}

/* Writes a tile to memory if it was drawn to or must be written. false: *fault has the page; the
 * tile may be written again. */
bool gfx_tile_write(const struct gfx_frame *f, const struct gfx_band *b,
                    const struct gpu_address_space *as, unsigned tile, struct gpu_fault *fault);

#endif
