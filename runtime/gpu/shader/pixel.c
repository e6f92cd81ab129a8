/* Conversion of texels between image memory and registers, for images that shaders address. */
#include <math.h>

#include "mali_layout.h"
#include "runtime/gpu/lane.h"
#include "runtime/gpu/numeric/bits.h"
#include "runtime/gpu/shader/core.h"
#include "runtime/gpu/texture/register.h"
#include "runtime/gpu/texture/texture.h"

/* false: the format is not modelled, and the instruction is refused. */
static bool read_format(struct gpu_warp *w, const struct gpu_op *op, uint32_t bits,
                        struct gpu_texel_format *f)
{
    unsigned version = w->core->worker->cores->variant->architecture;

    if (gpu_texel_format_read(version, bits, f))
        return true;
    gpu_refuse(w, op, gpu_texel_format_name(version, bits));
    return false;
}

/* Replaces GPU_REGISTER_AUTO by the register format that fits the texel. */
static enum gpu_register_format resolve_format(const struct gpu_texel_format *f,
                                               uint32_t register_format)
{
    if (register_format != GPU_REGISTER_AUTO)
        return (enum gpu_register_format)register_format;
    if (!gpu_texel_is_integer(f))
        return GPU_REGISTER_F32;
    return f->kind == GPU_TEXEL_SINT ? GPU_REGISTER_S32 : GPU_REGISTER_U32;
}

/* The formats of vertex shaders' outputs that no texel has. */
static bool is_constant(uint32_t format)
{
    return (format >> MALI_PIXEL_FORMAT_FORMAT_BIT & UINT8_MAX) == MALI_FORMAT_CONSTANT;
}

static bool is_position(uint32_t format)
{
    return (format >> MALI_PIXEL_FORMAT_FORMAT_BIT & UINT8_MAX) == MALI_FORMAT_SNAP_4;
}

/* Stores a position, whose x and y are rounded to 1/256. */
static void store_position(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                           const double v[4])
{
    for (unsigned k = 0; k < 4; k++) {
        float f = k < 2 ? (float)(rint(v[k] * 256) / 256) : (float)v[k];

        gpu_write32(w, op, lane, va + 4 * k, gpu_bits(f));
    }
}

uint32_t gpu_pixel_load(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                        uint32_t format, uint32_t register_format, uint32_t component)
{
    uint8_t raw[GPU_TEXEL_MAX_BYTES];
    struct gpu_texel_format f;
    double v[4];

    if (is_constant(format)) {
        static const double constant[4] = {0, 0, 0, 1};

        return gpu_register_of(constant, component,
                               register_format == GPU_REGISTER_AUTO
                                   ? GPU_REGISTER_F32
                                   : (enum gpu_register_format)register_format);
    }
    if (!va || !read_format(w, op, format, &f))
        return 0;
    gpu_texel_read(w, op, lane, va, f.bytes, raw);
    gpu_texel_decode(&f, raw, v);
    return gpu_register_of(v, component, resolve_format(&f, register_format));
}

void gpu_pixel_store(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                     uint32_t format, uint32_t register_format, uint32_t count, uint32_t c0,
                     uint32_t c1, uint32_t c2, uint32_t c3)
{
    const uint32_t c[4] = {c0, c1, c2, c3};
    uint8_t raw[GPU_TEXEL_MAX_BYTES] = {0};
    struct gpu_texel_format f;
    enum gpu_register_format r;
    double v[4];

    if (!va || is_constant(format))
        return;
    if (is_position(format))
        r = register_format == GPU_REGISTER_AUTO ? GPU_REGISTER_F32
                                                 : (enum gpu_register_format)register_format;
    else if (read_format(w, op, format, &f))
        r = resolve_format(&f, register_format);
    else
        return;
    for (unsigned k = 0; k < 4; k++)
        v[k] = gpu_register_decode(
            gpu_register_is_half(r) ? c[k / 2] >> 16 * (k % 2) & 0xffff : c[k], r);
    if (is_position(format)) {
        store_position(w, op, lane, va, v);
        return;
    }
    if (!gpu_texel_is_whole(&f, count))
        gpu_texel_read(w, op, lane, va, f.bytes, raw);
    gpu_texel_encode(&f, v, count, raw);
    gpu_texel_write(w, op, lane, va, f.bytes, raw);
}
