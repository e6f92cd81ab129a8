/*
 * Reads the descriptors of a framebuffer from GPU memory. The guest wrote them, so every number is
 * checked: an invalid or unmodelled one fails the job.
 */
#include "runtime/gpu/graphics/frame.h"

#include "mali_layout.h"
#include "runtime/gpu/graphics/reader.h"

enum { MAX_AFBC_STRIDE = 1 << 13 }; /* the field has 13 bits */

/* ---- surfaces -------------------------------------------------------------------------------- */

static enum gfx_blocks blocks_of(unsigned version, uint32_t number)
{
    if (number == MALI_BLOCK_FORMAT_LINEAR)
        return GFX_LINEAR;
    if (version >= MALI_INTERLEAVED_SINCE && number == MALI_BLOCK_FORMAT_NO_WRITE)
        return GFX_NO_WRITE;
    if (number == (version >= MALI_INTERLEAVED_SINCE ? MALI_BLOCK_FORMAT_INTERLEAVED
                                                     : MALI_BLOCK_FORMAT_TILED))
        return GFX_TILED;
    if (version >= MALI_INTERLEAVED_SINCE
            ? number == MALI_BLOCK_FORMAT_AFBC_SPARSE || number == MALI_BLOCK_FORMAT_AFBC_TILED
            : version > 4 && number == MALI_BLOCK_FORMAT_AFBC)
        return GFX_COMPRESSED;
    return GFX_BLOCKS_UNKNOWN;
}

static struct gfx_surface surface_of(unsigned version, const struct mali_surface *s,
                                     uint32_t blocks, uint32_t samples)
{
    return (struct gfx_surface){.base = s->pointer,
                                .row_stride = s->row_stride,
                                .sample_stride = s->surface_stride,
                                .blocks = blocks_of(version, blocks),
                                .layered = samples == MALI_SAMPLE_LAYOUT_LAYERED};
}

/* ---- colour ---------------------------------------------------------------------------------- */

static bool read_target(struct gfx_reader *r, struct gfx_target *t, uint64_t address)
{
    struct mali_render_target d;
    struct gfx_memory_format memory;

    if (!GFX_READ(r, render_target, RENDER_TARGET, address, &d))
        return false;
    memory = gfx_memory_format(r->version, d.format, NULL);
    t->tile = gfx_tile_format(d.tile_format, memory.bytes);
    if (!t->tile)
        return gfx_refuse(r, "this format of the tile buffer", address);
    t->memory = gfx_memory_format(r->version, d.format, t->tile);
    t->surface = surface_of(r->version, &d.surface, d.block_format, d.samples);
    t->surface.afbc = (struct gpu_afbc){d.afbc_header, d.afbc_stride, d.afbc_wide,
                                        r->version >= MALI_INTERLEAVED_SINCE &&
                                            d.block_format == MALI_BLOCK_FORMAT_AFBC_TILED};
    t->swizzle = d.swizzle;
    t->write = d.write && t->surface.blocks != GFX_NO_WRITE;
    t->clean_write = d.clean_write;
    t->srgb = d.srgb;
    t->dither = d.dither;
    for (unsigned i = 0; i < 4; i++)
        t->clear[i] = d.clear[i];
    if (t->write && (t->surface.blocks == GFX_BLOCKS_UNKNOWN || d.is_yuv || d.endianness))
        return gfx_refuse(r, "this layout of a render target", address);
    if (t->write && (!t->memory.bytes || (t->memory.raw && t->memory.bytes > t->tile->bytes) ||
                     (!t->memory.raw && t->tile->raw)))
        return gfx_refuse(r, "this format of a render target", address);
    return true;
}

/* ---- depth and stencil ----------------------------------------------------------------------- */

static bool read_zs(struct gfx_reader *r, struct gfx_zs *zs, struct gfx_signatures *signatures,
                    uint64_t address)
{
    struct mali_zs_target d;

    if (!GFX_READ(r, zs_target, ZS_TARGET, address, &d))
        return false;
    signatures->base = d.crc;
    signatures->row_stride = d.crc_row_stride;
    signatures->target = d.crc_target;
    zs->format = d.format;
    zs->stencil_format = d.stencil_format;
    zs->surface = surface_of(r->version, &d.surface, d.block_format, d.samples);
    zs->stencil_surface =
        surface_of(r->version, &d.stencil_surface, d.stencil_block_format, d.stencil_samples);
    if (zs->surface.blocks == GFX_COMPRESSED) {
        zs->surface.afbc =
            (struct gpu_afbc){.headers = d.surface.pointer,
                              .stride = (uint32_t)d.surface.row_stride % MAX_AFBC_STRIDE,
                              .tiled = r->version >= MALI_INTERLEAVED_SINCE &&
                                       d.block_format == MALI_BLOCK_FORMAT_AFBC_TILED};
        zs->surface.base = d.stencil_surface.pointer;
    }
    zs->clean_write = d.clean_write;
    if ((d.format && zs->surface.blocks == GFX_BLOCKS_UNKNOWN) ||
        (d.stencil_format && zs->stencil_surface.blocks == GFX_BLOCKS_UNKNOWN))
        return gfx_refuse(r, "this layout of a depth buffer", address);
    return true;
}

/* Version 4 has no field for the precision of depth. */
static uint32_t depth_format_of(const struct gfx_zs *zs)
{
    switch (zs->format) {
    case MALI_ZS_FORMAT_D16:
        return MALI_DEPTH_FORMAT_D16;
    case MALI_ZS_FORMAT_D32:
    case MALI_ZS_FORMAT_D32_S8X24:
        return MALI_DEPTH_FORMAT_D32;
    default:
        return MALI_DEPTH_FORMAT_D24;
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static struct gfx_box box_of(const struct mali_framebuffer *d, const uint32_t bounds[4])
{
    struct gfx_box b = {
        max_u32(d->bound_min_x, bounds[0] * GFX_TILE),
        max_u32(d->bound_min_y, bounds[1] * GFX_TILE),
        min_u32(d->bound_max_x + 1, (bounds[2] + 1) * GFX_TILE),
        min_u32(d->bound_max_y + 1, (bounds[3] + 1) * GFX_TILE),
    };

    if (b.x0 >= b.x1 || b.y0 >= b.y1)
        b = (struct gfx_box){0};
    return b;
}

/* Addresses of the descriptors inside and behind a framebuffer descriptor. */
struct parts {
    uint64_t zs, targets, tiler; /* 0: none */
};

static struct parts parts_of(unsigned version, const struct mali_framebuffer_pointer *p,
                             const struct mali_framebuffer *d)
{
    uint64_t at = p->pointer, end = at + MALI_FRAMEBUFFER_BYTES;

    if (version == 4)
        return (struct parts){at + MALI_FRAMEBUFFER_PARAMETERS, at + MALI_FRAMEBUFFER_PARAMETERS,
                              at + MALI_FRAMEBUFFER_TILER_V4};
    end = at + mali_framebuffer_bytes(version);
    return (struct parts){
        .zs = d->has_zs_crc ? end : 0,
        .targets = end + (d->has_zs_crc ? mali_zs_target_bytes(version) : 0),
        .tiler = version == 5 ? at + MALI_FRAMEBUFFER_TILER_V5 : d->tiler,
    };
}

/* In version 5 compressed surfaces have no stride: they are as wide as the frame. */
static void set_stride(const struct gfx_frame *f, struct gfx_surface *s)
{
    if (s->blocks == GFX_COMPRESSED && f->version == 5)
        s->afbc.stride = (f->size[0] + GFX_TILE - 1) / GFX_TILE;
}

static bool read_targets(struct gfx_reader *r, struct gfx_frame *f, uint64_t address)
{
    for (unsigned i = 0; i < f->targets; i++) {
        if (!read_target(r, &f->target[i], address + i * mali_render_target_bytes(f->version)))
            return false;
        set_stride(f, &f->target[i].surface);
    }
    return true;
}

/* Places at which coverage is found in a frame of `samples` samples per pixel. */
static unsigned places_of(unsigned samples, uint32_t pattern)
{
    static const uint8_t places[] = {
        [MALI_SAMPLE_PATTERN_SINGLE] = 1,    [MALI_SAMPLE_PATTERN_ORDERED_4] = 4,
        [MALI_SAMPLE_PATTERN_ROTATED_4] = 4, [MALI_SAMPLE_PATTERN_D3D_8] = 8,
        [MALI_SAMPLE_PATTERN_D3D_16] = 16,
    };

    return samples == 1 ? places[pattern] : samples;
}

bool gfx_frame_read(struct gfx_frame *f, const struct gpu_variant *variant,
                    const struct gpu_address_space *as, uint64_t pointer, const uint32_t bounds[4],
                    struct gpu_outcome *out)
{
    struct gfx_reader r = {variant->architecture, as, out, variant};
    struct mali_framebuffer_pointer p;
    struct mali_framebuffer d;
    uint8_t raw[MALI_FRAMEBUFFER_POINTER_BYTES];
    struct parts parts;

    *f = (struct gfx_frame){.version = r.version};
    gfx_put_pointer(raw, pointer);
    if (mali_framebuffer_pointer_unpack(r.version, raw, &p) ||
        (r.version > 4 && !p.multiple_targets))
        return gfx_invalid(&r, pointer);
    if (!GFX_READ(&r, framebuffer, FRAMEBUFFER, p.pointer, &d))
        return false;
    f->descriptor = p.pointer;
    f->box = box_of(&d, bounds);
    f->samples = d.sample_count ? d.sample_count : 1;
    f->places = places_of(f->samples, d.sample_pattern);
    f->targets = r.version == 4 ? 1 : d.target_count;
    f->frame_shader_mode[0] = d.pre_frame_0;
    f->frame_shader_mode[1] = d.pre_frame_1;
    f->frame_shader_mode[2] = d.post_frame;
    f->draws = d.frame_draws;
    f->size[0] = r.version == 4 ? d.bound_max_x + 1 : d.width;
    f->size[1] = r.version == 4 ? d.bound_max_y + 1 : d.height;
    if (f->samples > GFX_SAMPLES || f->targets > GFX_TARGETS)
        return gfx_invalid(&r, p.pointer);
    parts = parts_of(r.version, &p, &d);
    f->tiler = parts.tiler;
    if ((parts.zs && !read_zs(&r, &f->zs, &f->signatures, parts.zs)) ||
        !read_targets(&r, f, parts.targets))
        return false;
    set_stride(f, &f->zs.surface);
    f->signatures.read = f->signatures.base && d.crc_read;
    f->signatures.write = f->signatures.base && d.crc_write;
    f->zs.write_depth = d.depth_write && parts.zs && f->zs.format;
    f->zs.write_stencil = d.stencil_write && parts.zs;
    if (r.version == 4)
        f->zs.clean_write = f->target[0].clean_write;
    f->zs.depth_format = r.version == 4 ? depth_format_of(&f->zs) : d.depth_format;
    f->zs.clear_depth = gfx_depth_encode(f->zs.depth_format, d.depth_clear);
    f->zs.clear_stencil = (uint8_t)d.stencil_clear;
    return true;
}
