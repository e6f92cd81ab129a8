/*
 * Texels of images: between their format in memory and registers. Formats whose components are all
 * alike are modelled; a shader that uses another one faults as unimplemented.
 *
 * A component travels as a double, which holds each value of 32 bits and each fp32 exactly.
 */
#include "runtime/gpu/shader/core.h"

#include <math.h>

#include "mali_layout.h"
#include "runtime/gpu/numeric/half.h"

enum { NO_COMPONENT = 4, ONE = 5 };

struct texel_format {
    unsigned components; /* in memory */
    unsigned bits;       /* of each */
    uint32_t kind;       /* enum mali_pixel_kind */
    bool real;           /* floating point */
    bool srgb;
    uint8_t from[4]; /* r g b a: which component of memory, NO_COMPONENT (0) or ONE */
};

/* For r g b a of each order, where it stands in memory. */
static const struct {
    uint32_t order;
    uint8_t from[4];
} orders[] = {
    {MALI_COMPONENT_ORDER_RGBA, {0, 1, 2, 3}},   {MALI_COMPONENT_ORDER_GRBA, {1, 0, 2, 3}},
    {MALI_COMPONENT_ORDER_BGRA, {2, 1, 0, 3}},   {MALI_COMPONENT_ORDER_ARGB, {1, 2, 3, 0}},
    {MALI_COMPONENT_ORDER_AGRB, {2, 1, 3, 0}},   {MALI_COMPONENT_ORDER_ABGR, {3, 2, 1, 0}},
    {MALI_COMPONENT_ORDER_RGBX, {0, 1, 2, ONE}}, {MALI_COMPONENT_ORDER_GRBX, {1, 0, 2, ONE}},
    {MALI_COMPONENT_ORDER_BGRX, {2, 1, 0, ONE}}, {MALI_COMPONENT_ORDER_XRGB, {1, 2, 3, ONE}},
    {MALI_COMPONENT_ORDER_XGRB, {2, 1, 3, ONE}}, {MALI_COMPONENT_ORDER_XBGR, {3, 2, 1, ONE}},
    {MALI_COMPONENT_ORDER_RRRR, {0, 0, 0, 0}},   {MALI_COMPONENT_ORDER_RRRX, {0, 0, 0, ONE}},
    {MALI_COMPONENT_ORDER_RRRA, {0, 0, 0, 1}},
};

static void set_order(struct texel_format *f, uint32_t order)
{
    for (unsigned i = 0; i < sizeof(orders) / sizeof(*orders); i++)
        if (orders[i].order == order)
            memcpy(f->from, orders[i].from, sizeof(f->from));
}

static unsigned width_bits(uint32_t width, uint32_t kind)
{
    switch (width) {
    case MALI_PIXEL_WIDTH_BITS_8:
        return 8;
    case MALI_PIXEL_WIDTH_BITS_16:
        return 16;
    case MALI_PIXEL_WIDTH_BITS_32:
        return 32;
    case MALI_PIXEL_WIDTH_REAL:
        return kind == MALI_PIXEL_KIND_UNORM ? 32 : kind == MALI_PIXEL_KIND_SINT ? 16 : 0;
    default:
        return 0;
    }
}

/* false: not modelled. */
static bool read_format(const struct gpu_warp *w, uint32_t bits, struct texel_format *f)
{
    unsigned version = w->core->worker->cores->variant->architecture;
    uint8_t raw[4] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16),
                      (uint8_t)(bits >> 24)};
    struct mali_pixel_format p = {0};

    if (mali_pixel_format_unpack(version, raw, &p) || p.big_endian)
        return false;
    *f = (struct texel_format){
        .components = p.components,
        .bits = width_bits(p.width, p.kind),
        .kind = p.kind,
        .real = p.width == MALI_PIXEL_WIDTH_REAL,
        .srgb = p.srgb,
        .from = {(uint8_t)p.red, (uint8_t)p.green, (uint8_t)p.blue, (uint8_t)p.alpha},
    };
    if (version >= 7)
        set_order(f, p.order);
    return f->bits != 0;
}

static void unimplemented(struct gpu_warp *w)
{
    if (!w->faulted)
        w->faulted = GPU_FAULT_UNIMPLEMENTED;
}

/* ---- components ------------------------------------------------------------------------------ */

static double from_srgb(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double to_srgb(double v)
{
    return v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

static float float_of(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

static int64_t sign_extend(uint32_t v, unsigned bits)
{
    return (int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits);
}

static double largest(unsigned bits)
{
    return (double)((UINT64_C(1) << bits) - 1);
}

static double decode(const struct texel_format *f, uint32_t raw, bool alpha)
{
    double v;

    if (f->real)
        return f->bits == 32 ? float_of(raw) : gpu_f16_to_f32(raw);
    switch (f->kind) {
    case MALI_PIXEL_KIND_UNORM:
        v = raw / largest(f->bits);
        return f->srgb && !alpha ? from_srgb(v) : v;
    case MALI_PIXEL_KIND_SNORM:
        v = (double)sign_extend(raw, f->bits) / largest(f->bits - 1);
        return v < -1 ? -1 : v;
    case MALI_PIXEL_KIND_SINT:
        return (double)sign_extend(raw, f->bits);
    default:
        return raw;
    }
}

/* v limited to a range; NaN becomes 0. */
static double limited(double v, double low, double high)
{
    return v != v ? 0 : v < low ? low : v > high ? high : v;
}

static uint32_t encode(const struct texel_format *f, double v, bool alpha)
{
    double half;

    if (f->real)
        return f->bits == 32 ? bits_of((float)v) : gpu_f32_to_f16((float)v);
    switch (f->kind) {
    case MALI_PIXEL_KIND_UNORM:
        v = limited(v, 0, 1);
        return (uint32_t)rint((f->srgb && !alpha ? to_srgb(v) : v) * largest(f->bits));
    case MALI_PIXEL_KIND_SNORM:
        return (uint32_t)(int64_t)rint(limited(v, -1, 1) * largest(f->bits - 1));
    case MALI_PIXEL_KIND_SINT:
        half = largest(f->bits - 1);
        return (uint32_t)(int64_t)limited(v, -half - 1, half);
    default:
        return (uint32_t)limited(v, 0, largest(f->bits));
    }
}

static bool is_integer(const struct texel_format *f)
{
    return !f->real && (f->kind == MALI_PIXEL_KIND_SINT || f->kind == MALI_PIXEL_KIND_UINT);
}

/* `automatic` in terms of the others. */
static enum gpu_register_format resolve(const struct texel_format *f, uint32_t register_format)
{
    if (register_format != GPU_REGISTER_AUTO)
        return (enum gpu_register_format)register_format;
    if (!is_integer(f))
        return GPU_REGISTER_F32;
    return f->kind == MALI_PIXEL_KIND_SINT ? GPU_REGISTER_S32 : GPU_REGISTER_U32;
}

static bool is_half(enum gpu_register_format r)
{
    return r == GPU_REGISTER_F16 || r == GPU_REGISTER_S16 || r == GPU_REGISTER_U16;
}

static uint32_t to_register(double v, enum gpu_register_format r)
{
    switch (r) {
    case GPU_REGISTER_F16:
        return gpu_f32_to_f16((float)v);
    case GPU_REGISTER_S16:
        return (uint32_t)(int64_t)limited(v, INT16_MIN, INT16_MAX) & 0xffff;
    case GPU_REGISTER_U16:
        return (uint32_t)limited(v, 0, UINT16_MAX);
    case GPU_REGISTER_S32:
        return (uint32_t)(int64_t)limited(v, INT32_MIN, INT32_MAX);
    case GPU_REGISTER_U32:
        return (uint32_t)(int64_t)limited(v, INT32_MIN, UINT32_MAX);
    default:
        return bits_of((float)v);
    }
}

static double from_register(uint32_t bits, enum gpu_register_format r)
{
    switch (r) {
    case GPU_REGISTER_F16:
        return gpu_f16_to_f32(bits);
    case GPU_REGISTER_S16:
        return (int16_t)bits;
    case GPU_REGISTER_U16:
        return bits;
    case GPU_REGISTER_S32:
        return (int32_t)bits;
    case GPU_REGISTER_U32:
        return bits;
    default:
        return float_of(bits);
    }
}

/* ---- texels ---------------------------------------------------------------------------------- */

static uint32_t load_raw(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                         unsigned bits)
{
    return bits == 8    ? gpu_read8(w, op, lane, va)
           : bits == 16 ? gpu_read16(w, op, lane, va)
                        : gpu_read32(w, op, lane, va);
}

static void store_raw(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                      unsigned bits, uint32_t v)
{
    if (bits == 8)
        gpu_write8(w, op, lane, va, (uint8_t)v);
    else if (bits == 16)
        gpu_write16(w, op, lane, va, (uint16_t)v);
    else
        gpu_write32(w, op, lane, va, v);
}

static uint32_t load_component(struct gpu_warp *w, const struct gpu_op *op, unsigned lane,
                               uint64_t va, const struct texel_format *f,
                               enum gpu_register_format r, unsigned component)
{
    uint8_t from = f->from[component];

    if (from == ONE || (from == 3 && f->components < 4 && component == 3))
        return to_register(1, r);
    if (from >= f->components)
        return 0;
    return to_register(
        decode(f, load_raw(w, op, lane, va + from * (f->bits / 8), f->bits), component == 3), r);
}

uint32_t gpu_pixel_load(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                        uint32_t format, uint32_t register_format, uint32_t component)
{
    struct texel_format f;
    enum gpu_register_format r;

    if (!va)
        return 0;
    if (!read_format(w, format, &f)) {
        unimplemented(w);
        return 0;
    }
    r = resolve(&f, register_format);
    if (!is_half(r))
        return component < 4 ? load_component(w, op, lane, va, &f, r, component) : 0;
    if (component >= 2)
        return 0;
    return load_component(w, op, lane, va, &f, r, 2 * component) |
           load_component(w, op, lane, va, &f, r, 2 * component + 1) << 16;
}

void gpu_pixel_store(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                     uint32_t format, uint32_t register_format, uint32_t count, uint32_t c0,
                     uint32_t c1, uint32_t c2, uint32_t c3)
{
    const uint32_t c[4] = {c0, c1, c2, c3};
    struct texel_format f;
    enum gpu_register_format r;

    if (!va)
        return;
    if (!read_format(w, format, &f)) {
        unimplemented(w);
        return;
    }
    r = resolve(&f, register_format);
    for (unsigned k = 0; k < 4 && k < count; k++) {
        uint32_t bits = is_half(r) ? c[k / 2] >> 16 * (k % 2) & 0xffff : c[k];

        if (f.from[k] < f.components)
            store_raw(w, op, lane, va + f.from[k] * (f.bits / 8), f.bits,
                      encode(&f, from_register(bits, r), k == 3));
    }
}
