/*
 * Stores tiles to memory: colours, depth and stencil, in linear and tiled surfaces.
 *
 * Bounds      the pixels of a tile
 */
#include <string.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/graphics/frame.h"
#include "runtime/gpu/texture/texture.h"

enum { PIXEL_BYTES = 16 };

/* The pixels of a whole tile in the format of memory, row by row. */
struct pixels {
    unsigned bytes; /* bytes per pixel */
    uint8_t raw[GFX_TILE_PIXELS * PIXEL_BYTES];
};

/* Writes the header of the block that contains pixel x, y. Returns the GPU address of the pixel; 0:
 * *fault has the page. */
static uint64_t begin_run(const struct gpu_address_space *as, const struct gfx_surface *s,
                          uint32_t x, uint32_t y, unsigned bytes, struct gpu_fault *fault)
{
    uint64_t block, offset = s->base - s->afbc.headers;
    unsigned texel = gpu_afbc_place(&s->afbc, x, y, &block);
    uint8_t header[MALI_AFBC_HEADER_BYTES];

    offset += block * GPU_AFBC_TEXELS * bytes;
    gpu_afbc_header(header, offset);
    if (!gpu_memory_write(as, s->afbc.headers + block * sizeof(header), header, sizeof(header),
                          fault))
        return 0;
    return s->afbc.headers + offset + (uint64_t)texel * bytes;
}

static bool write_compressed(const struct gpu_address_space *as, const struct gfx_surface *s,
                             const struct gfx_box *box, const struct pixels *from,
                             struct gpu_fault *fault)
{
    unsigned bytes = from->bytes;

    /* A row of a tile is in one block. */
    for (uint32_t y = box->y0; y < box->y1; y++) {
        const uint8_t *row =
            from->raw + (y % GFX_TILE * GFX_TILE + box->x0 % GFX_TILE) * (size_t)bytes;
        uint64_t at = begin_run(as, s, box->x0, y, bytes, fault);

        if (!at || !gpu_memory_write(as, at, row, (box->x1 - box->x0) * (size_t)bytes, fault))
            return false;
    }
    return true;
}

/* Writes those pixels of a tile that are in `box` to the surface of sample `sample`. */
static bool write_surface(const struct gpu_address_space *as, const struct gfx_surface *s,
                          unsigned sample, const struct gfx_box *box, const struct pixels *from,
                          struct gpu_fault *fault)
{
    uint64_t base = s->base + (uint64_t)(sample * s->sample_stride);
    const uint8_t *pixels = from->raw;
    unsigned bytes = from->bytes;

    if (s->blocks == GFX_COMPRESSED)
        return write_compressed(as, s, box, from, fault);
    for (uint32_t y = box->y0; y < box->y1; y++) {
        const uint8_t *row =
            pixels + (y % GFX_TILE * GFX_TILE + box->x0 % GFX_TILE) * (size_t)bytes;

        if (s->blocks == GFX_LINEAR) {
            uint64_t at = base + (uint64_t)((int64_t)y * s->row_stride) + (uint64_t)box->x0 * bytes;

            if (!gpu_memory_write(as, at, row, (box->x1 - box->x0) * (size_t)bytes, fault))
                return false;
            continue;
        }
        for (uint32_t x = box->x0; x < box->x1; x++, row += bytes)
            if (!gpu_memory_write(
                    as, base + gpu_texel_offset(true, x, y, (uint64_t)s->row_stride, bytes), row,
                    bytes, fault))
                return false;
    }
    return true;
}

/* Index in the band of the first sample of the tile that contains a box. */
static size_t first_place(const struct gfx_band *b, const struct gfx_box *box)
{
    return gfx_band_place(b, box->x0 / GFX_TILE * GFX_TILE, box->y0 / GFX_TILE * GFX_TILE);
}

/* ---- colours --------------------------------------------------------------------------------- */

/* Computes the mean of `count` samples of a pixel. */
static void mean_of(const struct gfx_tile_format *f, const uint8_t *samples, unsigned count,
                    float c[4])
{
    float sample[4];

    memset(c, 0, 4 * sizeof(*c));
    for (unsigned s = 0; s < count; s++) {
        gfx_tile_decode(f, (uint32_t)le_get(samples + s * f->bytes, 4), sample);
        for (unsigned k = 0; k < 4; k++)
            c[k] += sample[k];
    }
    for (unsigned k = 0; k < 4; k++)
        c[k] /= (float)count;
}

static bool has_fraction(const struct gfx_tile_format *f)
{
    return f->fraction[0] || f->fraction[1] || f->fraction[2];
}

/* Converts the pixels of a tile to the format of memory. `from` is a sample of the first pixel,
 * `stride` the number of samples from pixel to pixel. `samples` samples of each are averaged. */
static void convert_color(const struct gfx_target *t, const uint8_t *from, unsigned stride,
                          unsigned samples, uint8_t *to)
{
    bool dithers = t->dither && has_fraction(t->tile);
    float c[4];

    for (unsigned p = 0; p < GFX_TILE_PIXELS; p++, to += t->memory.bytes) {
        const uint8_t *pixel = from + (size_t)p * stride * t->tile->bytes;

        if (t->memory.raw) {
            memcpy(to, pixel, t->memory.bytes);
            continue;
        }
        mean_of(t->tile, pixel, samples, c);
        gfx_memory_encode(&t->memory, t->swizzle, c,
                          dithers ? gfx_dither_threshold(p % GFX_TILE, p / GFX_TILE) : GFX_NEAREST,
                          to);
    }
}

static uint64_t hash_bytes(uint64_t sum, const uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sum = (sum ^ from[i]) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

/* The signature of those pixels of a tile that are in `box`; it is not 0, which memory may hold
 * before the first frame. Hardware's checksum is not public. */
static uint64_t signature_of(const struct gfx_box *box, const struct pixels *from)
{
    uint32_t x = box->x0 % GFX_TILE, y = box->y0 % GFX_TILE, width = box->x1 - box->x0;
    uint64_t sum = x | y << 8 | width << 16 | (uint64_t)(box->y1 - box->y0) << 32;

    for (uint32_t row = 0; row < box->y1 - box->y0; row++)
        sum = hash_bytes(sum, from->raw + ((y + row) * GFX_TILE + x) * (size_t)from->bytes,
                         width * (size_t)from->bytes);
    return sum | !sum;
}

/* Compares the tile's signature `own` with that in memory, and stores it there. *same: they are
 * equal. false: *fault has the page that is not mapped. */
static bool exchange_signature(const struct gfx_signatures *s, const struct gpu_address_space *as,
                               const struct gfx_box *box, uint64_t own, bool *same,
                               struct gpu_fault *fault)
{
    uint64_t at = s->base + (uint64_t)(box->y0 / GFX_TILE) * s->row_stride +
                  (uint64_t)(box->x0 / GFX_TILE) * MALI_SIGNATURE_BYTES;
    uint8_t raw[MALI_SIGNATURE_BYTES];

    *same = false;
    if (s->read && !gpu_memory_read(as, at, raw, sizeof(raw), fault))
        return false;
    *same = s->read && le_get(raw, sizeof(raw)) == own;
    le_put(raw, sizeof(raw), own);
    return *same || !s->write || gpu_memory_write(as, at, raw, sizeof(raw), fault);
}

/* Stores the colours of target `index`. If memory has the tile's signature, they are left out, and
 * the tile is noted as unchanged. */
static bool write_color(const struct gfx_frame *f, const struct gfx_band *b, unsigned index,
                        const struct gpu_address_space *as, const struct gfx_box *box,
                        struct gpu_fault *fault)
{
    const struct gfx_target *t = &f->target[index];
    struct pixels pixels = {.bytes = t->memory.bytes};
    const uint8_t *from = b->color[index] + first_place(b, box) * t->tile->bytes;
    unsigned surfaces = t->surface.layered ? b->samples : 1;
    bool is_signed = (f->signatures.read || f->signatures.write) && f->signatures.target == index,
         same = false;

    for (unsigned s = 0; s < surfaces; s++) {
        convert_color(t, from + s * t->tile->bytes, b->samples, t->surface.layered ? 1 : b->samples,
                      pixels.raw);
        /* Surfaces in layers have no signature: 0 is that of no tile. */
        if (is_signed && !s &&
            !exchange_signature(&f->signatures, as, box,
                                surfaces == 1 ? signature_of(box, &pixels) : 0, &same, fault))
            return false;
        if (same && surfaces == 1) {
            b->unchanged[first_place(b, box) / b->samples / GFX_TILE_PIXELS] = 1;
            return true;
        }
        if (!write_surface(as, &t->surface, s, box, &pixels, fault))
            return false;
    }
    return true;
}

/* ---- depth and stencil ----------------------------------------------------------------------- */

/* A format of depth and stencil in memory. */
struct zs_memory {
    uint32_t number;            /* enum mali_zs_format or mali_stencil_format */
    uint8_t bytes, depth_bytes; /* bytes per pixel; bytes of its depth */
    int8_t depth, stencil;      /* byte offsets in the pixel; stencil < 0: absent */
};

static const struct zs_memory zs_formats[] = {
    {MALI_ZS_FORMAT_D16, 2, 2, 0, -1},       {MALI_ZS_FORMAT_D24, 3, 3, 0, -1},
    {MALI_ZS_FORMAT_D24X8, 4, 3, 0, -1},     {MALI_ZS_FORMAT_D24S8, 4, 3, 0, 3},
    {MALI_ZS_FORMAT_X8D24, 4, 3, 1, -1},     {MALI_ZS_FORMAT_S8D24, 4, 3, 1, 0},
    {MALI_ZS_FORMAT_D32_X8X24, 8, 4, 0, -1}, {MALI_ZS_FORMAT_D32, 4, 4, 0, -1},
    {MALI_ZS_FORMAT_D32_S8X24, 8, 4, 0, 4},
};
static const struct zs_memory stencil_formats[] = {
    {MALI_STENCIL_FORMAT_S8, 1, 0, 0, 0},    {MALI_STENCIL_FORMAT_S8X8, 2, 0, 0, 0},
    {MALI_STENCIL_FORMAT_S8X24, 4, 0, 0, 0}, {MALI_STENCIL_FORMAT_X24S8, 4, 0, 0, 3},
    {MALI_STENCIL_FORMAT_X8S8, 2, 0, 0, 1},  {MALI_STENCIL_FORMAT_X32_S8X24, 8, 0, 0, 4},
};

static const struct zs_memory *find_format(const struct zs_memory *table, size_t count,
                                           uint32_t number)
{
    for (size_t i = 0; i < count; i++)
        if (table[i].number == number)
            return &table[i];
    return NULL;
}

static bool write_zs(const struct gfx_band *b, const struct gpu_address_space *as,
                     const struct gfx_surface *surface, const struct zs_memory *m,
                     const struct gfx_box *box, struct gpu_fault *fault)
{
    struct pixels pixels = {.bytes = m->bytes};
    size_t first = first_place(b, box);
    unsigned surfaces = surface->layered ? b->samples : 1;

    for (unsigned s = 0; s < surfaces; s++) {
        for (unsigned p = 0; p < GFX_TILE_PIXELS; p++) {
            size_t place = first + (size_t)p * b->samples + s;
            uint8_t *to = pixels.raw + (size_t)p * m->bytes;

            le_put(to + m->depth, m->depth_bytes, b->depth[place]);
            if (m->stencil >= 0)
                to[m->stencil] = b->stencil[place];
        }
        if (!write_surface(as, surface, s, box, &pixels, fault))
            return false;
    }
    return true;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* The part of a tile that is in the frame. */
static struct gfx_box box_of_tile(const struct gfx_frame *f, const struct gfx_band *b,
                                  unsigned tile)
{
    uint32_t x = b->box.x0 + tile % b->columns * GFX_TILE;
    uint32_t y = b->box.y0 + tile / b->columns * GFX_TILE;

    return (struct gfx_box){
        x > f->box.x0 ? x : f->box.x0,
        y > f->box.y0 ? y : f->box.y0,
        x + GFX_TILE < f->box.x1 ? x + GFX_TILE : f->box.x1,
        y + GFX_TILE < f->box.y1 ? y + GFX_TILE : f->box.y1,
    };
}

static bool write_depth_stencil(const struct gfx_zs *zs, const struct gfx_band *b,
                                const struct gpu_address_space *as, const struct gfx_box *box,
                                struct gpu_fault *fault)
{
    const struct zs_memory *depth = find_format(zs_formats, ARRAY_SIZE(zs_formats), zs->format);
    const struct zs_memory *stencil =
        find_format(stencil_formats, ARRAY_SIZE(stencil_formats), zs->stencil_format);

    if (depth && (zs->write_depth || (zs->write_stencil && depth->stencil >= 0)) &&
        !write_zs(b, as, &zs->surface, depth, box, fault))
        return false;
    return !stencil || !zs->write_stencil ||
           write_zs(b, as, &zs->stencil_surface, stencil, box, fault);
}

static uint64_t surface_bytes(const struct gfx_band *b, const struct gfx_surface *s, unsigned bytes)
{
    return (s->layered ? b->samples : 1) * (uint64_t)bytes;
}

uint64_t gfx_tile_bytes(const struct gfx_frame *f, const struct gfx_band *b, unsigned tile)
{
    const struct gfx_zs *zs = &f->zs;
    const struct zs_memory *depth = find_format(zs_formats, ARRAY_SIZE(zs_formats), zs->format);
    const struct zs_memory *stencil =
        find_format(stencil_formats, ARRAY_SIZE(stencil_formats), zs->stencil_format);
    struct gfx_box box = box_of_tile(f, b, tile);
    uint64_t pixel = 0; /* bytes per pixel */

    for (unsigned i = 0; i < f->targets; i++)
        if (f->target[i].write && gfx_tile_is_stored(b, tile, f->target[i].clean_write) &&
            !(b->unchanged[tile] && i == f->signatures.target))
            pixel += surface_bytes(b, &f->target[i].surface, f->target[i].memory.bytes);
    if (gfx_tile_is_stored(b, tile, zs->clean_write)) {
        if (depth && (zs->write_depth || (zs->write_stencil && depth->stencil >= 0)))
            pixel += surface_bytes(b, &zs->surface, depth->bytes);
        if (stencil && zs->write_stencil)
            pixel += surface_bytes(b, &zs->stencil_surface, stencil->bytes);
    }
    return box.x1 > box.x0 && box.y1 > box.y0 ? pixel * (box.x1 - box.x0) * (box.y1 - box.y0) : 0;
}

bool gfx_tile_write(const struct gfx_frame *f, const struct gfx_band *b,
                    const struct gpu_address_space *as, unsigned tile, struct gpu_fault *fault)
{
    struct gfx_box box = box_of_tile(f, b, tile);

    for (unsigned i = 0; i < f->targets; i++)
        if (f->target[i].write && gfx_tile_is_stored(b, tile, f->target[i].clean_write) &&
            !write_color(f, b, i, as, &box, fault))
            return false;
    return !gfx_tile_is_stored(b, tile, f->zs.clean_write) ||
           write_depth_stencil(&f->zs, b, as, &box, fault);
}
