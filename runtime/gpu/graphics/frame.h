/*
 * A frame: the framebuffer that a fragment job draws, and the pixels of the tiles in progress.
 *
 *     frame.c      descriptors of the framebuffer       pixels.c     formats of the tile buffer
 *     tiles.c      pixels of a band of tiles            writeback.c  stores tiles to memory
 *     fragment.c   the fragment job
 *
 * The hardware renders one tile after the other, with all draws of the tile. Here a band, which is
 * some rows of tiles, is rendered draw by draw, since all threads of the cores run one shader at a
 * time. Each pixel sees the same primitives in the same order.
 */
#ifndef RUNTIME_GPU_GRAPHICS_FRAME_H
#define RUNTIME_GPU_GRAPHICS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/gpu/compute.h"
#include "runtime/gpu/texture/texture.h"
#include "runtime/gpu/variant.h"

enum {
    GFX_TILE = 16,                         /* pixels of a tile's side */
    GFX_TILE_PIXELS = GFX_TILE * GFX_TILE, /* pixels of a tile */
    GFX_TARGETS = 8,
    GFX_SAMPLES = 16,
    GFX_FRAME_SHADERS = 3,
    GFX_BAND_BYTES = 1 << 26, /* most bytes of a band's pixels; one row of tiles may exceed it */
};

/* ---- formats --------------------------------------------------------------------------------- */

/* The format of a colour in the tile buffer: a 32-bit word with components from bit 0 on, or, if
 * `raw`, bytes as in memory. */
struct gfx_tile_format {
    uint8_t bytes;             /* per sample */
    bool raw;                  /* the other fields are not used */
    uint8_t component_bits[4]; /* bits of red, green, blue, alpha; 0: the component is absent */
    uint8_t fraction[4];       /* additional bits of precision below component_bits */
};

/* A threshold of gfx_memory_encode(). */
#define GFX_NEAREST 0.5f

/* The format of a colour in memory: components from bit 0 on. */
struct gfx_memory_format {
    uint8_t bytes;     /* per pixel; 0: not modelled */
    uint8_t bits[4];   /* bits per component: red, green, blue, alpha; 0: absent */
    bool raw;          /* the bytes of the tile buffer are stored unchanged */
    bool alpha_lowest; /* the order from bit 0 on is alpha, blue, green, red */
};

/* The tile-buffer format with number `number` (enum mali_tile_format). Raw formats have
 * `raw_bytes` bytes per sample. NULL: there is no such format. */
const struct gfx_tile_format *gfx_tile_format(uint32_t number, uint32_t raw_bytes);
/* The memory format with number `number` (enum mali_color_format) in architecture version
 * `version`. `tile` is the target's tile-buffer format, or NULL. If the format is not modelled,
 * `bytes` is 0. */
struct gfx_memory_format gfx_memory_format(unsigned version, uint32_t number,
                                           const struct gfx_tile_format *tile);

/* Converts a word of the tile buffer to components in 0 … 1; an absent component is 1. */
void gfx_tile_decode(const struct gfx_tile_format *f, uint32_t word, float c[4]);
/* Converts components, clamped to 0 … 1, to a word of the tile buffer. They are rounded to the
 * whole bits if `round`, else to whole and fraction bits. */
uint32_t gfx_tile_encode(const struct gfx_tile_format *f, const float c[4], bool round);
/* Converts between a word of the tile buffer and the four bytes that shaders load and store of a
 * target whose format is not raw: a byte or its upper bits per component. */
uint32_t gfx_tile_from_raw(const struct gfx_tile_format *f, uint32_t raw);
uint32_t gfx_tile_to_raw(const struct gfx_tile_format *f, uint32_t word);
/* Converts a colour to its f->bytes bytes in memory. `swizzle` has 3 bits per memory component: the
 * component of the tile buffer that is stored there (enum mali_pixel_channel). A component becomes
 * the next larger integer if its fraction is at least 1 - `threshold`; GFX_NEAREST rounds to the
 * nearest, and to even if both are as near. */
void gfx_memory_encode(const struct gfx_memory_format *f, uint32_t swizzle, const float c[4],
                       float threshold, uint8_t *out);
/* The threshold of dithering at a pixel: each of a square of four by four pixels has another one,
 * and their mean is 1/2. It leaves integers alone. Hardware's order is not public. */
float gfx_dither_threshold(unsigned x, unsigned y);

/* ---- the framebuffer ------------------------------------------------------------------------- */

/* The order of pixels in memory. GFX_NO_WRITE: the target is not written. */
enum gfx_blocks { GFX_LINEAR, GFX_TILED, GFX_COMPRESSED, GFX_NO_WRITE, GFX_BLOCKS_UNKNOWN };

/* A surface in GPU memory. Strides are bytes. */
struct gfx_surface {
    uint64_t base; /* GPU address */
    int64_t row_stride, sample_stride;
    enum gfx_blocks blocks;
    struct gpu_afbc afbc; /* GFX_COMPRESSED; `base` is the address of the body */
    bool layered; /* each sample has its own surface; else a pixel's samples are resolved to one */
};

/* A colour render target. */
struct gfx_target {
    const struct gfx_tile_format *tile;
    struct gfx_memory_format memory;
    struct gfx_surface surface;
    uint32_t swizzle; /* gfx_memory_encode() */
    /* write: tiles are stored to memory. clean_write: tiles without primitives are, too. */
    bool write, clean_write, srgb, dither;
    uint32_t clear[4]; /* clear value, in the tile buffer's format */
};

/* The depth and stencil buffers. A depth value is an integer of the format's width, or the bits of
 * a float for MALI_DEPTH_FORMAT_D32. */
struct gfx_zs {
    uint32_t depth_format; /* enum mali_depth_format */
    uint32_t clear_depth;
    uint8_t clear_stencil;
    /* write_…: stored to memory. clean_write: tiles without primitives are stored, too. */
    bool write_depth, write_stencil, clean_write;
    uint32_t format, stencil_format; /* enum mali_zs_format, mali_stencil_format */
    struct gfx_surface surface, stencil_surface;
};

/* Signatures of a target's tiles in memory, which tell that a tile need not be stored again. */
struct gfx_signatures {
    uint64_t base;       /* GPU address */
    uint32_t row_stride; /* bytes */
    unsigned target;
    /* read: a tile with the signature of memory is not stored. write: signatures are stored. */
    bool read, write;
};

struct gfx_box {
    uint32_t x0, y0, x1, y1; /* pixels; x1 and y1 are excluded */
};

/* The frame, as its descriptors give it. */
struct gfx_frame {
    unsigned version;    /* architecture version of the layouts */
    uint64_t descriptor; /* GPU address of the framebuffer descriptor */
    struct gfx_box box;  /* drawn pixels: the intersection of the job's and framebuffer's bounds */
    unsigned samples;    /* per pixel: 1 … GFX_SAMPLES */
    /* Places of a pixel at which coverage is found: one per sample, but for frames of one sample
     * with the pattern of several. Mesa draws smooth lines so: their shaders count the places. */
    unsigned places;
    unsigned targets; /* colour targets: 0 … GFX_TARGETS */
    struct gfx_target target[GFX_TARGETS];
    struct gfx_zs zs;
    struct gfx_signatures signatures;
    /* When frame shaders run, two before primitives and one after: enum mali_frame_shader */
    uint32_t frame_shader_mode[GFX_FRAME_SHADERS];
    uint64_t draws;   /* GPU address of the frame shaders' draw descriptors; 0: none */
    uint64_t tiler;   /* GPU address of the tiler's context; 0: no primitives were drawn */
    uint32_t size[2]; /* width, height */
};

/* Reads the framebuffer descriptor to which `pointer` (a tagged GPU address) refers. `bounds` are
 * those of the fragment job in tiles: first x, first y, last x, last y. false: *out has the
 * reason. */
bool gfx_frame_read(struct gfx_frame *f, const struct gpu_variant *variant,
                    const struct gpu_address_space *as, uint64_t pointer, const uint32_t bounds[4],
                    struct gpu_outcome *out);

/* Converts a depth to the value that a depth buffer of `format` (enum mali_depth_format) holds.
 * Fixed-point formats clamp it to 0 … 1. */
uint32_t gfx_depth_encode(uint32_t format, float z);
/* The inverse of gfx_depth_encode(). */
float gfx_depth_decode(uint32_t format, uint32_t raw);

/* ---- the pixels of a band -------------------------------------------------------------------- */

/* The tile buffers of a band. Samples are ordered by tile, pixel in the tile, sample. */
struct gfx_band {
    struct gfx_box box;          /* the pixels of the band's tiles; may exceed the frame */
    unsigned columns, rows;      /* tiles */
    unsigned samples;            /* per pixel */
    uint8_t *color[GFX_TARGETS]; /* tile->bytes of the target per sample */
    uint32_t *depth;
    uint8_t *stencil;
    uint8_t *has_primitive; /* by tile: not 0 if the tile has a primitive */
    uint8_t *disabled;      /* by tile: not 0 if the job leaves the tile out */
    uint8_t *unchanged;     /* by tile: not 0 if gfx_tile_write() found its colours in memory */
    uint16_t *overdraw;     /* fragments shaded, ordered as samples are; NULL: not counted */
};

/* Most rows of tiles of a band of the frame, at least one. */
unsigned gfx_band_rows(const struct gfx_frame *f);
/* Allocates the tile buffers of `rows` rows of tiles, the first of which is tile row `first` of the
 * screen, and fills them with the clear values. The caller calls gfx_band_end(). */
void gfx_band_begin(struct gfx_band *b, const struct gfx_frame *f, unsigned first, unsigned rows);
/* Frees the tile buffers and clears *b. */
void gfx_band_end(struct gfx_band *b);

/* Number of tiles of the band. */
static inline unsigned gfx_band_tiles(const struct gfx_band *b)
{
    return b->columns * b->rows;
}

/* Whether tile number `tile` is stored to a target for which tiles without primitives are, too, if
 * `clean_write`. */
static inline bool gfx_tile_is_stored(const struct gfx_band *b, size_t tile, bool clean_write)
{
    return !b->disabled[tile] && (b->has_primitive[tile] || clean_write);
}

/* Index of a pixel's sample 0 among the band's samples; (x, y) is in the band's box. */
static inline size_t gfx_band_place(const struct gfx_band *b, uint32_t x, uint32_t y)
{
    uint32_t dx = x - b->box.x0, dy = y - b->box.y0;
    size_t tile = (size_t)(dy / GFX_TILE) * b->columns + dx / GFX_TILE;

    return (tile * GFX_TILE_PIXELS + dy % GFX_TILE * GFX_TILE + dx % GFX_TILE) * b->samples;
}

/* Stores tile number `tile` of the band to memory, if it has primitives or its targets are written
 * in any case (clean_write), and memory does not have the tile's signature. false: *fault has the
 * page that is not mapped; the call may be repeated. */
bool gfx_tile_write(const struct gfx_frame *f, const struct gfx_band *b,
                    const struct gpu_address_space *as, unsigned tile, struct gpu_fault *fault);

/* Number of bytes of pixels that gfx_tile_write() has stored. */
uint64_t gfx_tile_bytes(const struct gfx_frame *f, const struct gfx_band *b, unsigned tile);

#endif
