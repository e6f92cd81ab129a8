/* Reads a texel of a texture in GPU memory. */
#include <string.h>

#include "mali_layout.h"
#include "runtime/gpu/lane_memory.h"
#include "runtime/gpu/texture/texture.h"

uint32_t gpu_texture_size(const struct gpu_texture *t, unsigned axis, uint32_t level)
{
    uint32_t n = t->size[axis] >> (level < 31 ? level : 31);

    return n ? n : 1;
}

void gpu_texel_read(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                    unsigned bytes, uint8_t *raw)
{
    unsigned i = 0;

    for (; i + 4 <= bytes; i += 4) {
        uint32_t v = gpu_read32(w, op, lane, va + i);

        memcpy(raw + i, &v, sizeof(v));
    }
    for (; i < bytes; i++)
        raw[i] = gpu_read8(w, op, lane, va + i);
}

void gpu_texel_write(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                     unsigned bytes, const uint8_t *raw)
{
    unsigned i = 0;

    for (; i + 4 <= bytes; i += 4) {
        uint32_t v;

        memcpy(&v, raw + i, sizeof(v));
        gpu_write32(w, op, lane, va + i, v);
    }
    for (; i < bytes; i++)
        gpu_write8(w, op, lane, va + i, raw[i]);
}

/* Index of a surface in the texture's array of surfaces. */
static uint64_t surface_index(const struct gpu_texture_unit *u, const struct gpu_texel_place *at)
{
    const struct gpu_texture *t = u->texture;
    uint64_t faces = t->dimension == MALI_TEXTURE_DIMENSION_CUBE ? MALI_CUBE_FACES : 1;

    if (u->version >= MALI_SURFACE_LEVELS_LAST_SINCE)
        return ((at->layer * faces + at->face) * t->samples + at->sample) * t->levels + at->level;
    return (((uint64_t)at->layer * t->levels + at->level) * faces + at->face) * t->samples +
           at->sample;
}

static void read_surface(const struct gpu_texture_unit *u, const struct gpu_texel_place *at,
                         struct mali_surface *surface)
{
    uint8_t raw[MALI_SURFACE_BYTES];

    *surface = (struct mali_surface){0};
    gpu_texel_read(u->w, u->op, u->lane,
                   u->texture->surfaces + surface_index(u, at) * MALI_SURFACE_BYTES, sizeof(raw),
                   raw);
    mali_surface_unpack(u->version, raw, surface);
}

uint64_t gpu_texture_address(const struct gpu_texture_unit *u, const struct gpu_texel_place *at)
{
    const struct gpu_texture *t = u->texture;
    struct mali_surface surface;

    read_surface(u, at, &surface);
    surface.pointer += at->z * (uint64_t)(int64_t)surface.surface_stride;
    return surface.pointer + gpu_texel_offset(t->tiled, at->x, at->y,
                                              (uint64_t)(int64_t)surface.row_stride,
                                              t->format.bytes);
}

/* Reads the bytes of a texel of a compressed surface. */
static void read_compressed(const struct gpu_texture_unit *u, const struct gpu_texel_place *at,
                            uint8_t *raw)
{
    uint8_t header[MALI_AFBC_HEADER_BYTES];
    struct mali_surface s;
    struct gpu_afbc a;
    uint64_t block, offset;
    unsigned texel, width, bytes = u->texture->format.bytes;

    read_surface(u, at, &s);
    s.pointer += at->z * (uint64_t)(int64_t)s.surface_stride;
    a = (struct gpu_afbc){.headers = s.pointer & ~(uint64_t)MALI_AFBC_FLAGS,
                          .wide = s.pointer & MALI_AFBC_WIDE,
                          .tiled = s.pointer & MALI_AFBC_TILED_HEADERS};
    width = a.wide ? 32 : 16;
    a.stride = (gpu_texture_size(u->texture, 0, at->level) + width - 1) / width;
    if (u->version >= MALI_AFBC_STRIDES_SINCE)
        a.stride = (uint32_t)s.row_stride / MALI_AFBC_HEADER_BYTES / (a.tiled ? 8 : 1);
    texel = gpu_afbc_place(&a, at->x, at->y, &block);
    gpu_texel_read(u->w, u->op, u->lane, a.headers + block * sizeof(header), sizeof(header),
                   header);
    offset = gpu_afbc_offset(header);
    if (offset)
        gpu_texel_read(u->w, u->op, u->lane, a.headers + offset + texel * (uint64_t)bytes, bytes,
                       raw);
    else
        memcpy(raw, header + GPU_AFBC_SOLID, bytes < 8 ? bytes : 8);
}

/* Reads a texel of a compressed block. */
static void fetch_of_block(const struct gpu_texture_unit *u, const struct gpu_texel_place *at,
                           const struct gpu_texel_format *f, double v[4])
{
    const struct gpu_texture *t = u->texture;
    struct gpu_blocks b = t->blocks;
    uint8_t raw[GPU_BLOCK_MAX_BYTES];
    struct mali_surface s;
    double c[4];

    read_surface(u, at, &s);
    gpu_blocks_set_size(&b, s.pointer);
    s.pointer &= ~(uint64_t)MALI_SURFACE_TAG;
    s.pointer += at->z / b.size[2] * (uint64_t)(int64_t)s.surface_stride;
    gpu_texel_read(u->w, u->op, u->lane,
                   s.pointer + gpu_block_offset(t->tiled, at->x / b.size[0], at->y / b.size[1],
                                                (uint64_t)(int64_t)s.row_stride, f->bytes),
                   f->bytes, raw);
    gpu_block_decode(
        &b, raw, (const unsigned[3]){at->x % b.size[0], at->y % b.size[1], at->z % b.size[2]}, c);
    for (unsigned k = 0; k < 4; k++)
        if (gpu_texel_stores(f, k, &v[k]))
            v[k] = f->srgb && k < 3 ? gpu_texel_from_srgb(c[f->from[k]]) : c[f->from[k]];
}

/* Reads a texel of video. */
static void fetch_of_video(const struct gpu_texture_unit *u, const struct gpu_texel_place *at,
                           double v[4])
{
    const struct gpu_texture *t = u->texture;
    uint8_t raw[MALI_PLANES_BYTES], byte;
    struct mali_planes p = {0};
    double part[4] = {0, 0, 0, 1};
    uint64_t va[3];

    gpu_texel_read(u->w, u->op, u->lane, t->surfaces + surface_index(u, at) * sizeof(raw),
                   sizeof(raw), raw);
    mali_planes_unpack(u->version, raw, &p);
    gpu_yuv_places(t, &p, at, va);
    for (unsigned k = 0; k < 3; k++) {
        gpu_texel_read(u->w, u->op, u->lane, va[k], 1, &byte);
        part[k] = byte / 255.0;
    }
    for (unsigned k = 0; k < 4; k++)
        v[k] = part[t->yuv.order[k]];
}

void gpu_texture_fetch(const struct gpu_texture_unit *u, const struct gpu_texel_place *at,
                       double v[4])
{
    struct gpu_texel_format format = u->texture->format;
    uint8_t raw[GPU_TEXEL_MAX_BYTES] = {0};

    format.srgb &= !(u->sampler && u->sampler->linear_values);
    if (u->texture->blocks.codec) {
        fetch_of_block(u, at, &format, v);
        return;
    }
    if (u->texture->yuv.planes) {
        fetch_of_video(u, at, v);
        return;
    }
    if (u->texture->compressed)
        read_compressed(u, at, raw);
    else
        gpu_texel_read(u->w, u->op, u->lane, gpu_texture_address(u, at), format.bytes, raw);
    gpu_texel_decode(&format, raw, v);
}
