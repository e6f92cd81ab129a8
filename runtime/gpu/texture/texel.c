/* Formats of texels: reading them from descriptors, and decoding and encoding texels. */
#include "runtime/gpu/texture/texel.h"

#include <math.h>
#include <string.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/numeric/half.h"

/* ---- formats whose components differ --------------------------------------------------------- */

#define PART(layout, FIELD)                                                        \
    {                                                                              \
        MALI_TEXEL_##layout##_##FIELD##_BIT, MALI_TEXEL_##layout##_##FIELD##_WIDTH \
    }
#define RGB(layout)  PART(layout, RED), PART(layout, GREEN), PART(layout, BLUE)
#define RGBA(layout) RGB(layout), PART(layout, ALPHA)
#define ROW(format, layout, components, kind, ...)                                           \
    {                                                                                        \
        MALI_FORMAT_##format,                                                                \
        {                                                                                    \
            MALI_TEXEL_##layout##_BYTES, components, GPU_TEXEL_##kind, false, {__VA_ARGS__}, \
            {                                                                                \
                0                                                                            \
            }                                                                                \
        }                                                                                    \
    }

struct packed {
    uint32_t format;
    struct gpu_texel_format texel;
};

static const struct packed packed[] = {
    ROW(RGB565, RGB565, 3, UNORM, RGB(RGB565)),
    ROW(RGB5_A1_UNORM, RGB5_A1, 4, UNORM, RGBA(RGB5_A1)),
    ROW(RGB10_A2_UNORM, RGB10_A2, 4, UNORM, RGBA(RGB10_A2)),
    ROW(RGB10_A2_SNORM, RGB10_A2, 4, SNORM, RGBA(RGB10_A2)),
    ROW(RGB10_A2UI, RGB10_A2, 4, UINT, RGBA(RGB10_A2)),
    ROW(RGB10_A2I, RGB10_A2, 4, SINT, RGBA(RGB10_A2)),
    ROW(R11F_G11F_B10F, R11F_G11F_B10F, 3, FLOAT, RGB(R11F_G11F_B10F)),
    ROW(R9F_G9F_B9F_E5F, RGB9_E5, 3, SHARED, RGB(RGB9_E5), PART(RGB9_E5, EXPONENT)),
    ROW(A8_UNORM, A8, 4, UNORM, {0, 0}, {0, 0}, {0, 0}, PART(A8, ALPHA)),
    ROW(R8A8_UNORM, R8A8, 2, UNORM, PART(R8A8, RED), PART(R8A8, ALPHA)),
    ROW(Z16_UNORM, Z16, 1, UNORM, PART(Z16, DEPTH)),
    ROW(Z24X8_UNORM, Z24X8, 1, UNORM, PART(Z24X8, DEPTH)),
    ROW(Z32_X32, Z32_X32, 1, FLOAT, PART(Z32_X32, DEPTH)),
    ROW(S8, S8, 2, UINT, {0, 0}, PART(S8, STENCIL)),
    ROW(X24S8, X24S8, 2, UINT, {0, 0}, PART(X24S8, STENCIL)),
    ROW(X32_S8X24, X32_S8, 2, UINT, {0, 0}, PART(X32_S8, STENCIL)),
};

/* Formats of GPUs up to SMALL_COLORS_UNTIL; later ones give their numbers to others. */
static const struct packed packed_early[] = {
    ROW(RGB332_UNORM, RGB332, 3, UNORM, RGB(RGB332)),
};

/* Per component order, the index in memory of r, g, b and a. */
static const struct {
    uint32_t order;
    uint8_t from[4];
} orders[] = {
    {MALI_COMPONENT_ORDER_RGBA, {0, 1, 2, 3}},
    {MALI_COMPONENT_ORDER_GRBA, {1, 0, 2, 3}},
    {MALI_COMPONENT_ORDER_BGRA, {2, 1, 0, 3}},
    {MALI_COMPONENT_ORDER_ARGB, {1, 2, 3, 0}},
    {MALI_COMPONENT_ORDER_AGRB, {2, 1, 3, 0}},
    {MALI_COMPONENT_ORDER_ABGR, {3, 2, 1, 0}},
    {MALI_COMPONENT_ORDER_RGBX, {0, 1, 2, GPU_TEXEL_ONE}},
    {MALI_COMPONENT_ORDER_GRBX, {1, 0, 2, GPU_TEXEL_ONE}},
    {MALI_COMPONENT_ORDER_BGRX, {2, 1, 0, GPU_TEXEL_ONE}},
    {MALI_COMPONENT_ORDER_XRGB, {1, 2, 3, GPU_TEXEL_ONE}},
    {MALI_COMPONENT_ORDER_XGRB, {2, 1, 3, GPU_TEXEL_ONE}},
    {MALI_COMPONENT_ORDER_XBGR, {3, 2, 1, GPU_TEXEL_ONE}},
    {MALI_COMPONENT_ORDER_RRRR, {0, 0, 0, 0}},
    {MALI_COMPONENT_ORDER_RRRX, {0, 0, 0, GPU_TEXEL_ONE}},
    {MALI_COMPONENT_ORDER_RRRA, {0, 0, 0, 1}},
    {MALI_COMPONENT_ORDER_OOOA, {GPU_TEXEL_ZERO, GPU_TEXEL_ZERO, GPU_TEXEL_ZERO, 3}},
};

static bool read_row(const struct packed *rows, unsigned count, uint32_t code,
                     struct gpu_texel_format *f)
{
    for (unsigned i = 0; i < count; i++)
        if (rows[i].format == code) {
            *f = rows[i].texel;
            return true;
        }
    return false;
}

static bool read_packed(unsigned architecture, uint32_t code, struct gpu_texel_format *f)
{
    return (architecture <= MALI_SMALL_COLORS_UNTIL &&
            read_row(packed_early, ARRAY_SIZE(packed_early), code, f)) ||
           read_row(packed, ARRAY_SIZE(packed), code, f);
}

/* ---- formats whose components are alike ------------------------------------------------------ */

static unsigned width_bits(uint32_t width, uint32_t kind)
{
    switch (width) {
    case MALI_PIXEL_WIDTH_BITS_4:
        return 4;
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

static void set_parts(struct gpu_texel_format *f, unsigned bits)
{
    for (unsigned i = 0; i < f->components; i++) {
        f->part[i].at = (uint8_t)(i * bits);
        f->part[i].bits = (uint8_t)bits;
    }
}

/* The formats of fixed-point attributes, whose numbers are in the order of their components. */
static bool read_fixed(uint32_t code, struct gpu_texel_format *f)
{
    if (code < MALI_FORMAT_R32_FIXED || code > MALI_FORMAT_RGBA32_FIXED)
        return false;
    *f = (struct gpu_texel_format){.components = code - MALI_FORMAT_R32_FIXED + 1,
                                   .kind = GPU_TEXEL_FIXED};
    f->bytes = 4 * f->components;
    set_parts(f, 32);
    return true;
}

static bool read_alike(const struct mali_pixel_format *p, struct gpu_texel_format *f)
{
    unsigned bits = width_bits(p->width, p->kind);

    *f = (struct gpu_texel_format){.bytes = bits * p->components / 8, .components = p->components};
    switch (p->kind) {
    case MALI_PIXEL_KIND_SNORM:
        f->kind = GPU_TEXEL_SNORM;
        break;
    case MALI_PIXEL_KIND_UINT:
        f->kind = GPU_TEXEL_UINT;
        break;
    case MALI_PIXEL_KIND_UNORM:
        f->kind = GPU_TEXEL_UNORM;
        break;
    case MALI_PIXEL_KIND_SINT:
        f->kind = GPU_TEXEL_SINT;
        break;
    default:
        return false;
    }
    if (p->width == MALI_PIXEL_WIDTH_REAL)
        f->kind = GPU_TEXEL_FLOAT;
    set_parts(f, bits);
    return bits * p->components % 8 == 0 && bits;
}

/* Unpacks the fields of a pixel format; they are meaningless unless its components are alike. */
static struct mali_pixel_format unpack_pixel_format(unsigned architecture, uint32_t bits)
{
    struct mali_pixel_format p = {0};
    uint8_t raw[4];

    le_put(raw, sizeof(raw), bits);
    mali_pixel_format_unpack(architecture, raw, &p);
    return p;
}

uint32_t gpu_texel_format_number(unsigned architecture, uint32_t bits)
{
    return unpack_pixel_format(architecture, bits).format;
}

bool gpu_texel_order_read(unsigned architecture, uint32_t bits, struct gpu_texel_format *f)
{
    struct mali_pixel_format p = unpack_pixel_format(architecture, bits);

    f->srgb = p.srgb;
    if (architecture < MALI_COMPONENT_ORDERS_SINCE) {
        f->from[0] = (uint8_t)p.red;
        f->from[1] = (uint8_t)p.green;
        f->from[2] = (uint8_t)p.blue;
        f->from[3] = (uint8_t)p.alpha;
        return true;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(orders); i++)
        if (orders[i].order == p.order) {
            memcpy(f->from, orders[i].from, sizeof(f->from));
            return true;
        }
    return false;
}

bool gpu_texel_format_read(unsigned architecture, uint32_t bits, struct gpu_texel_format *f)
{
    struct mali_pixel_format p = unpack_pixel_format(architecture, bits);

    return !p.big_endian &&
           (read_packed(architecture, p.format, f) || read_fixed(p.format, f) ||
            read_alike(&p, f)) &&
           gpu_texel_order_read(architecture, bits, f);
}

const char *gpu_texel_format_name(unsigned architecture, uint32_t bits)
{
    const char *name = mali_format_name(unpack_pixel_format(architecture, bits).format);

    return name ? name : "a pixel format that does not exist";
}

bool gpu_texel_is_integer(const struct gpu_texel_format *f)
{
    return f->kind == GPU_TEXEL_UINT || f->kind == GPU_TEXEL_SINT;
}

/* ---- components ------------------------------------------------------------------------------ */

double gpu_texel_from_srgb(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double to_srgb(double v)
{
    return v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

/* v clamped to a range; NaN becomes 0. */
static double clamp_number(double v, double low, double high)
{
    return v != v ? 0 : v < low ? low : v > high ? high : v;
}

static double largest_number(unsigned bits)
{
    return (double)((UINT64_C(1) << bits) - 1);
}

static double sign_extended(uint32_t v, unsigned bits)
{
    return (double)((int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits));
}

/* Decodes floats of 32 or 16 bits, and shorter unsigned floats: the upper bits of a 16-bit float
 * without its sign. */
static double decode_float(uint32_t raw, unsigned bits)
{
    float f;

    if (bits < 32)
        return gpu_f16_to_f32(bits < 15 ? raw << (15 - bits) : raw);
    memcpy(&f, &raw, sizeof(f));
    return f;
}

static uint32_t encode_float(double v, unsigned bits)
{
    float f = (float)v;
    uint32_t raw;

    if (bits < 15)
        return gpu_f32_to_f16(v < 0 ? 0 : f) >> (15 - bits);
    if (bits < 32)
        return gpu_f32_to_f16(f);
    memcpy(&raw, &f, sizeof(raw));
    return raw;
}

static double decode_component(const struct gpu_texel_format *f, uint32_t raw, unsigned bits,
                               bool alpha)
{
    double v;

    switch (f->kind) {
    case GPU_TEXEL_FLOAT:
        return decode_float(raw, bits);
    case GPU_TEXEL_UNORM:
        v = raw / largest_number(bits);
        return f->srgb && !alpha ? gpu_texel_from_srgb(v) : v;
    case GPU_TEXEL_SNORM:
        v = sign_extended(raw, bits) / largest_number(bits - 1);
        return v < -1 ? -1 : v;
    case GPU_TEXEL_SINT:
        return sign_extended(raw, bits);
    case GPU_TEXEL_FIXED:
        return sign_extended(raw, bits) * 0x1p-16;
    case GPU_TEXEL_UINT:
    case GPU_TEXEL_SHARED:
        break;
    }
    return raw;
}

static uint32_t encode_component(const struct gpu_texel_format *f, double v, unsigned bits,
                                 bool alpha)
{
    double half = largest_number(bits - 1);

    switch (f->kind) {
    case GPU_TEXEL_FLOAT:
        return encode_float(v, bits);
    case GPU_TEXEL_UNORM:
        v = clamp_number(v, 0, 1);
        return (uint32_t)rint((f->srgb && !alpha ? to_srgb(v) : v) * largest_number(bits));
    case GPU_TEXEL_SNORM:
        return (uint32_t)(int64_t)rint(clamp_number(v, -1, 1) * half);
    case GPU_TEXEL_SINT:
        return (uint32_t)(int64_t)clamp_number(v, -half - 1, half);
    case GPU_TEXEL_FIXED:
        return (uint32_t)(int64_t)rint(clamp_number(v * 0x1p16, -half - 1, half));
    case GPU_TEXEL_UINT:
    case GPU_TEXEL_SHARED:
        break;
    }
    return (uint32_t)clamp_number(v, 0, largest_number(bits));
}

/* ---- texels ---------------------------------------------------------------------------------- */

static uint32_t get_bits(const uint8_t *raw, unsigned at, unsigned bits)
{
    uint64_t v = 0;

    for (unsigned i = at / 8; i < (at + bits + 7) / 8; i++)
        v |= (uint64_t)raw[i] << 8 * (i - at / 8);
    return (uint32_t)(v >> at % 8 & ((UINT64_C(1) << bits) - 1));
}

static void put_bits(uint8_t *raw, unsigned at, unsigned bits, uint32_t v)
{
    for (unsigned i = at; i < at + bits; i++, v >>= 1)
        raw[i / 8] = (uint8_t)((raw[i / 8] & ~(1u << i % 8)) | (v & 1) << i % 8);
}

bool gpu_texel_stores(const struct gpu_texel_format *f, unsigned k, double *otherwise)
{
    unsigned from = f->from[k];

    *otherwise = from == GPU_TEXEL_ONE || (from == 3 && k == 3);
    return from < f->components && f->part[from].bits;
}

void gpu_texel_decode(const struct gpu_texel_format *f, const uint8_t *raw, double v[4])
{
    bool plain = f->kind == GPU_TEXEL_UNORM && !f->srgb;

    for (unsigned k = 0; k < 4; k++) {
        unsigned from = f->from[k];

        if (!gpu_texel_stores(f, k, &v[k]))
            continue;
        if (plain && f->part[from].bits == 8 && f->part[from].at % 8 == 0) { /* most are bytes */
            v[k] = raw[f->part[from].at / 8] / 255.0;
            continue;
        }
        v[k] = decode_component(f, get_bits(raw, f->part[from].at, f->part[from].bits),
                                f->part[from].bits, k == 3);
        if (f->kind == GPU_TEXEL_SHARED)
            v[k] = ldexp(v[k], (int)get_bits(raw, f->part[3].at, f->part[3].bits) -
                                   (int)MALI_TEXEL_EXPONENT_BIAS);
    }
}

/*
 * Encodes fractions and their shared exponent (OpenGL 4.6, 8.5.2): the exponent is the smallest
 * with which the largest component fits. Components that are not given keep their value.
 */
static void encode_shared(const struct gpu_texel_format *f, const double v[4], unsigned count,
                          uint8_t *raw)
{
    unsigned bits = f->part[0].bits, exponent_bits = f->part[3].bits;
    int bias = MALI_TEXEL_EXPONENT_BIAS, exponent;
    double most = ldexp(largest_number(bits), (int)largest_number(exponent_bits) - bias);
    double all[4], part[3] = {0}, largest = 0;

    gpu_texel_decode(f, raw, all);
    memcpy(all, v, (count < 4 ? count : 4) * sizeof(*all));
    for (unsigned k = 4; k-- > 0;) /* downwards: the first wins a part */
        if (f->from[k] < ARRAY_SIZE(part))
            part[f->from[k]] = clamp_number(all[k], 0, most);
    for (unsigned i = 0; i < ARRAY_SIZE(part); i++)
        largest = part[i] > largest ? part[i] : largest;
    frexp(largest, &exponent); /* largest < 2^exponent */
    exponent += bias - (int)bits;
    exponent = largest > 0 && exponent > 0 ? exponent : 0;
    if (floor(ldexp(largest, bias - exponent) + 0.5) > largest_number(bits))
        exponent++;
    for (unsigned i = 0; i < ARRAY_SIZE(part); i++)
        put_bits(raw, f->part[i].at, bits, (uint32_t)floor(ldexp(part[i], bias - exponent) + 0.5));
    put_bits(raw, f->part[3].at, exponent_bits, (uint32_t)exponent);
}

void gpu_texel_encode(const struct gpu_texel_format *f, const double v[4], unsigned count,
                      uint8_t *raw)
{
    if (f->kind == GPU_TEXEL_SHARED) {
        encode_shared(f, v, count, raw);
        return;
    }
    for (unsigned k = count < 4 ? count : 4; k-- > 0;) { /* downwards: the first wins a part */
        unsigned from = f->from[k];

        if (from < f->components && f->part[from].bits)
            put_bits(raw, f->part[from].at, f->part[from].bits,
                     encode_component(f, v[k], f->part[from].bits, k == 3));
    }
}

bool gpu_texel_is_whole(const struct gpu_texel_format *f, unsigned count)
{
    unsigned bits = f->kind == GPU_TEXEL_SHARED ? f->part[3].bits : 0;

    for (unsigned c = 0; c < f->components; c++)
        for (unsigned k = 0; k < count && k < 4; k++)
            if (f->from[k] == c) {
                bits += f->part[c].bits;
                break;
            }
    return bits == 8 * f->bytes;
}
