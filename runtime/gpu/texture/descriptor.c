/*
 * Descriptors of textures and samplers, read when a job starts. A texture that is not modelled is
 * no error at that time; a shader that uses it is refused.
 *
 * Bounds      counts have 16 bits: at most 65535 textures and 65535 samplers
 */
#include <stdlib.h>
#include <string.h>

#include "mali_layout.h"
#include "runtime/base/alloc.h"
#include "runtime/gpu/compute.h"
#include "runtime/gpu/texture/texture.h"

enum { CHANNEL_BITS = 3 };

/* Reads `count` descriptors of `bytes` bytes each; the caller frees them. NULL: *fault is set. */
static uint8_t *fetch_descriptors(const struct gpu_address_space *as, uint64_t address,
                                  size_t bytes, unsigned count, struct gpu_fault *fault)
{
    uint8_t *raw = xcalloc(count, bytes);

    if (gpu_memory_read(as, address, raw, count * bytes, fault))
        return raw;
    free(raw);
    return NULL;
}

/* Unpacks a texture's descriptor `raw`, which is at `address` in GPU memory. */
static void read_texture(struct gpu_texture *t, unsigned version, uint64_t address,
                         const uint8_t *raw)
{
    bool behind = version < MALI_TEXTURES_IN_ARRAY_SINCE;
    struct mali_texture d = {0};
    const char *bad = mali_texture_unpack(version, raw, &d);
    bool volume = d.dimension == MALI_TEXTURE_DIMENSION_VOLUME;

    *t = (struct gpu_texture){
        .pixels = d.format,
        .dimension = d.dimension,
        .size = {d.width, d.dimension == MALI_TEXTURE_DIMENSION_LINEAR ? 1 : d.height,
                 volume ? d.depth : 1},
        .layers = d.array_size,
        .levels = d.levels,
        .samples = volume ? 1 : d.sample_count,
        .minimum_lod = d.minimum_lod,
        .maximum_lod = behind ? UINT16_MAX : d.maximum_lod,
        .surfaces = behind ? address + MALI_TEXTURE_BYTES : d.surfaces,
        .tiled = d.layout == MALI_TEXTURE_LAYOUT_TILED,
        .compressed = d.layout == MALI_TEXTURE_LAYOUT_AFBC,
    };
    for (unsigned i = 0; i < 4; i++)
        t->swizzle[i] = d.swizzle >> CHANNEL_BITS * i & ((1 << CHANNEL_BITS) - 1);
    if (!t->tiled && !t->compressed && d.layout != MALI_TEXTURE_LAYOUT_LINEAR)
        t->refused = "the texture's layout";
    else if (!gpu_texel_format_read(version, d.format, &t->format) &&
             !gpu_blocks_read(version, d.format, &t->format, &t->blocks) &&
             (t->compressed || !gpu_yuv_read(version, d.format, &t->format, &t->yuv)))
        t->refused = gpu_texel_format_name(version, d.format);
    else if (bad || !t->surfaces)
        t->refused = "the texture's descriptor";
    else if (behind && d.surface_type != MALI_SURFACE_TYPE_POINTER_64_WITH_STRIDES)
        t->refused = "the texture's kind of surface pointers";
}

/* Reads the textures of an array of pointers; pointer 0: no texture. */
static bool read_pointed(struct gpu_textures *t, unsigned version,
                         const struct gpu_address_space *as, const uint8_t *pointers,
                         struct gpu_fault *fault)
{
    for (unsigned i = 0; i < t->texture_count; i++) {
        uint8_t raw[MALI_TEXTURE_BYTES];
        uint64_t address;

        memcpy(&address, pointers + i * sizeof(address), sizeof(address));
        if (!address)
            t->texture[i].refused = "a texture that is not there";
        else if (!gpu_memory_read(as, address, raw, sizeof(raw), fault))
            return false;
        else
            read_texture(&t->texture[i], version, address, raw);
    }
    return true;
}

bool gpu_textures_read(struct gpu_textures *t, unsigned version, const struct gpu_address_space *as,
                       uint64_t address, unsigned count, struct gpu_fault *fault)
{
    bool pointers = version < MALI_TEXTURES_IN_ARRAY_SINCE, good = true;
    size_t bytes = pointers ? sizeof(uint64_t) : MALI_TEXTURE_BYTES;
    uint8_t *raw;

    if (!count)
        return true;
    raw = fetch_descriptors(as, address, bytes, count, fault);
    if (!raw)
        return false;
    t->texture = xcalloc(count, sizeof(*t->texture));
    t->texture_count = count;
    if (pointers)
        good = read_pointed(t, version, as, raw, fault);
    for (unsigned i = 0; i < count && !pointers; i++)
        read_texture(&t->texture[i], version, address + i * bytes, raw + i * bytes);
    free(raw);
    return good;
}

void gpu_sampler_unpack(struct gpu_sampler *s, unsigned version, const uint8_t *raw)
{
    struct mali_sampler d = {0};

    mali_sampler_unpack(version, raw, &d);
    *s = (struct gpu_sampler){
        .wrap = {d.wrap_mode_s, d.wrap_mode_t, d.wrap_mode_r},
        .normalized = d.normalized_coordinates,
        .seamless = d.seamless_cube_map,
        .magnify_nearest = d.magnify_nearest,
        .minify_nearest = d.minify_nearest,
        .linear_values = d.srgb_override,
        .mipmap_mode = d.mipmap_mode,
        .compare_function = d.compare_function,
        .minimum_lod = (int32_t)d.minimum_lod,
        .maximum_lod = (int32_t)d.maximum_lod,
        .bias = d.lod_bias,
        .cutoff = d.magnify_cutoff ? MALI_LOD_ONE / 2 : 0,
        .anisotropy =
            d.lod_algorithm == MALI_LOD_ALGORITHM_ANISOTROPIC ? (unsigned)d.maximum_anisotropy : 1,
    };
    memcpy(s->border, d.border_color, sizeof(s->border));
}

bool gpu_samplers_read(struct gpu_textures *t, unsigned version, const struct gpu_address_space *as,
                       uint64_t address, unsigned count, struct gpu_fault *fault)
{
    uint8_t *raw;

    t->samplers = address;
    if (!count)
        return true;
    raw = fetch_descriptors(as, address, MALI_SAMPLER_BYTES, count, fault);
    if (!raw)
        return false;
    t->sampler = xcalloc(count, sizeof(*t->sampler));
    t->sampler_count = count;
    for (unsigned i = 0; i < count; i++)
        gpu_sampler_unpack(&t->sampler[i], version, raw + i * MALI_SAMPLER_BYTES);
    free(raw);
    return true;
}

void gpu_textures_release(struct gpu_textures *t)
{
    free(t->texture);
    free(t->sampler);
    *t = (struct gpu_textures){0};
}
