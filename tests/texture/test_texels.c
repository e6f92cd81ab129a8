/*
 * Formats of texels and of registers, with values computed by hand (Khronos Data Format
 * Specification 1.3, chapters 10 and 13.3; OpenGL ES 3.2, 2.3.5). Numbers and orders of formats are
 * those of Mesa's src/panfrost/lib/genxml.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/texture/register.h"
#include "runtime/gpu/texture/texel.h"
#include "tests/texture/tests.h"

enum { IDENTITY = 0 | 1 << 3 | 2 << 6 | 3 << 9, SRGB = 1 << 20, BIG_ENDIAN = 1 << 21 };

static struct gpu_texel_format format_of(unsigned version, uint32_t bits)
{
    struct gpu_texel_format f;

    assert_true(gpu_texel_format_read(version, bits, &f));
    return f;
}

/* A format as of v6, with components in the order of memory. */
static struct gpu_texel_format plain_format(uint32_t number)
{
    return format_of(6, number << 12 | IDENTITY);
}

static void assert_near(const double got[4], const double want[4], const char *what)
{
    for (unsigned k = 0; k < 4; k++)
        if (!(fabs(got[k] - want[k]) <= 1e-9 * fmax(1, fabs(want[k]))))
            fail_msg("%s: component %u is %.12g, not %.12g", what, k, got[k], want[k]);
}

/* ---- decoding -------------------------------------------------------------------------------- */

struct decoded {
    const char *what;
    uint32_t number, bytes;
    uint64_t raw;
    double want[4];
};

static const struct decoded decodings[] = {
    {"565", MALI_FORMAT_RGB565, 2, 21 << 11 | 20 << 5 | 7, {7 / 31.0, 20 / 63.0, 21 / 31.0, 1}},
    {"5551",
     MALI_FORMAT_RGB5_A1_UNORM,
     2,
     0x8000 | 3 << 10 | 2 << 5 | 1,
     {1 / 31.0, 2 / 31.0, 3 / 31.0, 1}},
    {"1010102",
     MALI_FORMAT_RGB10_A2_UNORM,
     4,
     2u << 30 | 3 << 20 | 2 << 10 | 1,
     {1 / 1023.0, 2 / 1023.0, 3 / 1023.0, 2 / 3.0}},
    {"signed 1010102",
     MALI_FORMAT_RGB10_A2_SNORM,
     4,
     1u << 30 | 0x201 << 20 | 0x200 << 10 | 256,
     {256 / 511.0, -1, -1, 1}},
    {"integer 1010102",
     MALI_FORMAT_RGB10_A2UI,
     4,
     3u << 30 | 1023 << 20 | 5 << 10,
     {0, 5, 1023, 3}},
    {"signed integer 1010102",
     MALI_FORMAT_RGB10_A2I,
     4,
     2u << 30 | 1023 << 20 | 5 << 10 | 0x200,
     {-512, 5, -1, -2}},
    {"11f", MALI_FORMAT_R11F_G11F_B10F, 4, 480u << 22 | 0x380 << 11 | 0x3c0, {1, 0.5, 1, 1}},
    {"9e5",
     MALI_FORMAT_R9F_G9F_B9F_E5F,
     4,
     UINT64_C(0xffffffff00000000) | 16u << 27 | 256 << 18 | 128 << 9 | 511,
     {511 / 256.0, 0.5, 1, 1}},
    {"alpha", MALI_FORMAT_A8_UNORM, 1, 51, {0, 0, 0, 0.2}},
    {"depth 16", MALI_FORMAT_Z16_UNORM, 2, 0x3333, {0.2, 0, 0, 1}},
    {"depth 24", MALI_FORMAT_Z24X8_UNORM, 4, 0xff333333, {0.2, 0, 0, 1}},
    {"depth 32", MALI_FORMAT_Z32_X32, 8, 0xffffffff3e800000, {0.25, 0, 0, 1}},
    {"stencil", MALI_FORMAT_S8, 1, 0x5b, {0, 0x5b, 0, 1}},
    {"stencil beside depth", MALI_FORMAT_X24S8, 4, 0x77123457, {0, 0x77, 0, 1}},
    {"stencil behind depth", MALI_FORMAT_X32_S8X24, 8, 0x1234567712345679, {0, 0x77, 0, 1}},
    {"fixed point", MALI_FORMAT_R32_FIXED, 4, 0x18000, {1.5, 0, 0, 1}},
    {"two of fixed point", MALI_FORMAT_RG32_FIXED, 8, 0xffff800000010000, {1, -0.5, 0, 1}},
    {"32 bits", MALI_FORMAT_R32_UNORM, 4, 0x33333333, {0.2, 0, 0, 1}},
    {"32 signed bits", MALI_FORMAT_R32_SNORM, 4, 0x80000000, {-1, 0, 0, 1}},
    {"4444", MALI_FORMAT_RGBA4_UNORM, 2, 0xf630, {0, 0.2, 0.4, 1}},
    {"8 signed", MALI_FORMAT_RG8_SNORM, 2, 0x8081, {-1, -1, 0, 1}},
    {"8 signed between", MALI_FORMAT_RG8_SNORM, 2, 0x7fc0, {-64 / 127.0, 1, 0, 1}},
    {"16 signed", MALI_FORMAT_RG16I, 4, 0x7fff8000, {-32768, 32767, 0, 1}},
    {"16 unsigned", MALI_FORMAT_RG16UI, 4, 0x7fff8000, {32768, 32767, 0, 1}},
    {"half", MALI_FORMAT_RG16F, 4, 0xc0003800, {0.5, -2, 0, 1}},
    {"float", MALI_FORMAT_RG32F, 8, 0xc00000003f000000, {0.5, -2, 0, 1}},
};

static void texels_are_decoded(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(decodings); i++) {
        const struct decoded *d = &decodings[i];
        struct gpu_texel_format f = plain_format(d->number);
        uint8_t raw[8];
        double v[4];

        assert_int_equal(f.bytes, d->bytes);
        le_put(raw, sizeof(raw), d->raw);
        gpu_texel_decode(&f, raw, v);
        assert_near(v, d->want, d->what);
    }
}

/* Number 75 is R3G3B2 on Midgard and 16-bit depth on later GPUs. */
static void small_colors_are_midgards(void **state)
{
    static const uint8_t raw[2] = {2 << 6 | 3 << 3 | 5, 0x80};
    struct gpu_texel_format f;
    double v[4];

    (void)state;
    for (unsigned version = 4; version <= 5; version++) {
        f = format_of(version, MALI_FORMAT_RGB332_UNORM << 12 | IDENTITY);
        assert_int_equal(f.bytes, 1);
        gpu_texel_decode(&f, raw, v);
        assert_near(v, (double[]){5 / 7.0, 3 / 7.0, 2 / 3.0, 1}, "R3G3B2");
    }
    f = format_of(7, MALI_FORMAT_RGB332_UNORM << 12 | MALI_COMPONENT_ORDER_RGBA);
    assert_int_equal(f.bytes, 2);
    gpu_texel_decode(&f, raw, v);
    assert_near(v, (double[]){0x809d / 65535.0, 0, 0, 1}, "depth");
}

/* Three and four numbers of fixed point, which are more than eight bytes. */
static void fixed_point_has_up_to_four(void **state)
{
    static const uint8_t raw[16] = {0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0x80, 4, 0};
    double v[4];

    (void)state;
    for (unsigned count = 3; count <= 4; count++) {
        struct gpu_texel_format f = plain_format(MALI_FORMAT_R32_FIXED + count - 1);

        assert_int_equal(f.bytes, 4 * count);
        gpu_texel_decode(&f, raw, v);
        assert_near(v, (const double[4]){1, 2, 3, count == 4 ? 4.5 : 1}, "fixed point");
    }
}

/* Red, green, blue and alpha of the bytes 1, 2, 3, 4: the order's name says what each byte is. */
static void orders_name_the_components(void **state)
{
    static const struct {
        uint32_t order;
        double want[4];
    } orders[] = {
        {MALI_COMPONENT_ORDER_RGBA, {1, 2, 3, 4}}, {MALI_COMPONENT_ORDER_GRBA, {2, 1, 3, 4}},
        {MALI_COMPONENT_ORDER_BGRA, {3, 2, 1, 4}}, {MALI_COMPONENT_ORDER_ARGB, {2, 3, 4, 1}},
        {MALI_COMPONENT_ORDER_AGRB, {3, 2, 4, 1}}, {MALI_COMPONENT_ORDER_ABGR, {4, 3, 2, 1}},
        {MALI_COMPONENT_ORDER_RGBX, {1, 2, 3, 1}}, {MALI_COMPONENT_ORDER_GRBX, {2, 1, 3, 1}},
        {MALI_COMPONENT_ORDER_BGRX, {3, 2, 1, 1}}, {MALI_COMPONENT_ORDER_XRGB, {2, 3, 4, 1}},
        {MALI_COMPONENT_ORDER_XGRB, {3, 2, 4, 1}}, {MALI_COMPONENT_ORDER_XBGR, {4, 3, 2, 1}},
        {MALI_COMPONENT_ORDER_RRRR, {1, 1, 1, 1}}, {MALI_COMPONENT_ORDER_RRRX, {1, 1, 1, 1}},
        {MALI_COMPONENT_ORDER_RRRA, {1, 1, 1, 2}}, {MALI_COMPONENT_ORDER_OOOA, {0, 0, 0, 4}},
    };
    static const uint8_t raw[4] = {1, 2, 3, 4};
    struct gpu_texel_format f;
    double v[4];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
        f = format_of(7, MALI_FORMAT_RGBA8UI << 12 | orders[i].order);
        gpu_texel_decode(&f, raw, v);
        assert_near(v, orders[i].want, "order");
    }
    f = format_of(6, MALI_FORMAT_RGBA8UI << 12 | 5 | 3 << 3 | 4 << 6 | 0 << 9);
    gpu_texel_decode(&f, raw, v);
    assert_near(v, (const double[4]){1, 4, 0, 1}, "channels");
    assert_false(gpu_texel_format_read(7, MALI_FORMAT_RGBA8UI << 12 | 1, &f));
    f = format_of(7, MALI_FORMAT_R8A8_UNORM << 12 | MALI_COMPONENT_ORDER_RRRA);
    gpu_texel_decode(&f, (const uint8_t[2]){51, 102}, v);
    assert_near(v, (const double[4]){0.2, 0.2, 0.2, 0.4}, "luminance and alpha");
}

static void other_formats_are_not_read(void **state)
{
    static const uint32_t wrong[] = {
        MALI_FORMAT_YUV8,      MALI_FORMAT_R1UI,   MALI_FORMAT_R2UI,
        MALI_FORMAT_R4UI,      MALI_FORMAT_RGB4UI, MALI_FORMAT_R64UI,
        MALI_FORMAT_ETC2_RGB8, MALI_FORMAT_R64F,   MALI_FORMAT_CONSTANT};
    struct gpu_texel_format f;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        assert_false(gpu_texel_format_read(6, wrong[i] << 12 | IDENTITY, &f));
    assert_false(gpu_texel_format_read(6, BIG_ENDIAN | MALI_FORMAT_RGBA8UI << 12 | IDENTITY, &f));
    assert_true(gpu_texel_format_read(6, MALI_FORMAT_RG4UI << 12 | IDENTITY, &f));
    assert_int_equal(f.bytes, 1);
    assert_string_equal(gpu_texel_format_name(7, MALI_FORMAT_YUV8 << 12), "yuv8");
    assert_string_equal(gpu_texel_format_name(7, 27 << 12), "a pixel format that does not exist");
    assert_int_equal(gpu_texel_format_number(7, SRGB | 187 << 12 | 4), 187);
}

static void integers_are_told(void **state)
{
    struct gpu_texel_format f;

    (void)state;
    f = plain_format(MALI_FORMAT_R8UI);
    assert_true(gpu_texel_is_integer(&f));
    f = plain_format(MALI_FORMAT_R8I);
    assert_true(gpu_texel_is_integer(&f));
    f = plain_format(MALI_FORMAT_R8_UNORM);
    assert_false(gpu_texel_is_integer(&f));
    f = plain_format(MALI_FORMAT_R16F);
    assert_false(gpu_texel_is_integer(&f));
}

/* ---- encoding -------------------------------------------------------------------------------- */

struct encoded {
    const char *what;
    uint32_t bits; /* number and sRGB */
    double v[4];
    uint64_t want;
};

static const struct encoded encodings[] = {
    {"565", MALI_FORMAT_RGB565 << 12, {1, 0.5, 0, 0}, 0x041f},
    {"5551", MALI_FORMAT_RGB5_A1_UNORM << 12, {0, 1, 0.49, 0.51}, 0x8000 | 15 << 10 | 31 << 5},
    {"beyond", MALI_FORMAT_RGBA8_UNORM << 12, {-1, 2, NAN, 0.2}, 0x3300ff00},
    {"halves are rounded to even", MALI_FORMAT_RG8_UNORM << 12, {0.5, 0.3}, 0x4c80},
    {"signed", MALI_FORMAT_RGBA8_SNORM << 12, {-1, -2, 1, 0.5}, 0x407f8181},
    {"unsigned integers", MALI_FORMAT_RGBA8UI << 12, {300, -3, 2.9, 255}, 0xff0200ff},
    {"signed integers", MALI_FORMAT_RGBA8I << 12, {-200, 200, -1, -128}, 0x80ff7f80},
    {"long integers", MALI_FORMAT_RG32I << 12, {-3e9, 3e9}, 0x7fffffff80000000},
    {"long unsigned integers", MALI_FORMAT_RG32UI << 12, {5e9, 4294967295.0}, UINT64_MAX},
    {"11f", MALI_FORMAT_R11F_G11F_B10F << 12, {1, -1, 0.5}, (uint64_t)(0x380 >> 1) << 22 | 0x3c0},
    {"half", MALI_FORMAT_RGBA16F << 12, {1, -2, 0.5, 65536}, 0x7c003800c0003c00},
    {"float", MALI_FORMAT_RG32F << 12, {0.25, -2}, 0xc00000003e800000},
    {"fixed point", MALI_FORMAT_RG32_FIXED << 12, {1.5, -40000}, 0x8000000000018000},
    {"sRGB but alpha", SRGB | MALI_FORMAT_RGBA8_UNORM << 12, {0.5, 0.002, 1, 0.5}, 0x80ff07bc},
    {"depth", MALI_FORMAT_Z24X8_UNORM << 12, {0.2}, 0x333333},
};

static void texels_are_encoded(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(encodings); i++) {
        const struct encoded *e = &encodings[i];
        struct gpu_texel_format f = format_of(6, e->bits | IDENTITY);
        uint8_t raw[GPU_TEXEL_MAX_BYTES] = {0};

        gpu_texel_encode(&f, e->v, 4, raw);
        if (le_get(raw, 8) != e->want)
            fail_msg("%s: %llx", e->what, (unsigned long long)le_get(raw, 8));
    }
}

/* Only the given components are stored; of two in the same place the first one is. */
static void fewer_components_leave_the_rest(void **state)
{
    struct gpu_texel_format f = plain_format(MALI_FORMAT_RGBA8UI);
    const double v[4] = {1, 2, 3, 4};
    uint8_t raw[4] = {0x11, 0x22, 0x33, 0x44};

    (void)state;
    gpu_texel_encode(&f, v, 2, raw);
    assert_memory_equal(raw, ((uint8_t[]){1, 2, 0x33, 0x44}), 4);
    assert_false(gpu_texel_is_whole(&f, 3));
    assert_true(gpu_texel_is_whole(&f, 4));
    f = format_of(7, MALI_FORMAT_R8UI << 12 | MALI_COMPONENT_ORDER_RRRR);
    gpu_texel_encode(&f, v, 4, raw);
    assert_int_equal(raw[0], 1);
    assert_true(gpu_texel_is_whole(&f, 1));
    f = plain_format(MALI_FORMAT_Z24X8_UNORM);
    assert_false(gpu_texel_is_whole(&f, 4));
}

#define SHARED(red, green, blue, exponent) \
    ((uint32_t)(red) | (green) << 9 | (blue) << 18 | (uint32_t)(exponent) << 27)

/* A component is fraction * 2^(exponent - 24), and the exponent is the smallest that serves all. */
static void shared_exponents_are_encoded(void **state)
{
    static const struct {
        double v[4];
        uint32_t want;
    } rows[] = {
        {{0, 0, 0}, 0},
        {{1, 0.5, 0.25}, SHARED(256, 128, 64, 16)},
        {{0.25, 1, 3}, SHARED(32, 128, 384, 17)},
        {{-1, NAN, 0x1p-15}, SHARED(0, 0, 256, 1)},
        {{1 - 0x1p-9, 0, 0}, SHARED(511, 0, 0, 15)},
        {{0x1p-14 - 0x1p-24, 0, 0}, SHARED(256, 0, 0, 2)}, /* rounds up to 2^-14 */
        /* 511.5 of 512 are rounded up, which takes the next exponent. */
        {{1 - 0x1p-10, 0.5, 3 * 0x1p-10}, SHARED(256, 128, 1, 16)},
        /* The smallest exponent: units of 2^-24, halves upwards. */
        {{0x1p-24, 0x1p-25, 0x1p-26}, SHARED(1, 1, 0, 0)},
        /* The largest number is 511 * 2^7. */
        {{1e9, INFINITY, 65408}, SHARED(511, 511, 511, 31)},
        {{65408, 64, 63}, SHARED(511, 1, 0, 31)},
    };
    struct gpu_texel_format f = plain_format(MALI_FORMAT_R9F_G9F_B9F_E5F);
    const double v[4] = {8};
    uint8_t raw[4];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        gpu_texel_encode(&f, rows[i].v, 4, raw);
        if (le_get(raw, 4) != rows[i].want)
            fail_msg("row %zu: %llx", i, (unsigned long long)le_get(raw, 4));
    }
    le_put(raw, 4, SHARED(256, 128, 64, 16));
    gpu_texel_encode(&f, v, 1, raw);
    assert_int_equal(le_get(raw, 4), SHARED(256, 16, 8, 19));
    assert_false(gpu_texel_is_whole(&f, 2));
    assert_true(gpu_texel_is_whole(&f, 3));
}

/* ---- registers ------------------------------------------------------------------------------- */

static void registers_saturate(void **state)
{
    static const struct {
        enum gpu_register_format format;
        double v;
        uint32_t want;
    } rows[] = {
        {GPU_REGISTER_F16, 1, 0x3c00},
        {GPU_REGISTER_F16, -65536, 0xfc00},
        {GPU_REGISTER_S16, -5, 0xfffb},
        {GPU_REGISTER_S16, 40000, 0x7fff},
        {GPU_REGISTER_S16, -40000, 0x8000},
        {GPU_REGISTER_U16, 70000, 0xffff},
        {GPU_REGISTER_U16, -1, 0},
        {GPU_REGISTER_U16, 300, 300},
        {GPU_REGISTER_S32, 3e9, 0x7fffffff},
        {GPU_REGISTER_S32, -3e9, 0x80000000},
        {GPU_REGISTER_S32, NAN, 0},
        {GPU_REGISTER_S32, -7, 0xfffffff9},
        {GPU_REGISTER_U32, 5e9, 0xffffffff},
        {GPU_REGISTER_U32, 3e9, 3000000000u},
        {GPU_REGISTER_U32, -1, 0xffffffff},
        {GPU_REGISTER_F32, 1, 0x3f800000},
        {GPU_REGISTER_F32, -0.5, 0xbf000000},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        assert_int_equal(gpu_register_encode(rows[i].v, rows[i].format), rows[i].want);
}

static void registers_are_decoded(void **state)
{
    (void)state;
    assert_true(gpu_register_decode(0xc000, GPU_REGISTER_F16) == -2);
    assert_true(gpu_register_decode(0xfffb, GPU_REGISTER_S16) == -5);
    assert_true(gpu_register_decode(0xfffb, GPU_REGISTER_U16) == 0xfffb);
    assert_true(gpu_register_decode(0xfffffffb, GPU_REGISTER_S32) == -5);
    assert_true(gpu_register_decode(0xfffffffb, GPU_REGISTER_U32) == 4294967291.0);
    assert_true(gpu_register_decode(0x3f000000, GPU_REGISTER_F32) == 0.5);
}

static void registers_of_halves_hold_two(void **state)
{
    const double v[6] = {1, 2, 3, 4, 5, 6}; /* of which four are components */

    (void)state;
    assert_int_equal(gpu_register_of(v, 0, GPU_REGISTER_U16), 0x20001);
    assert_int_equal(gpu_register_of(v, 1, GPU_REGISTER_S16), 0x40003);
    assert_int_equal(gpu_register_of(v, 0, GPU_REGISTER_F16), 0x40003c00);
    assert_int_equal(gpu_register_of(v, 2, GPU_REGISTER_F16), 0);
    assert_int_equal(gpu_register_of(v, 3, GPU_REGISTER_U32), 4);
    assert_int_equal(gpu_register_of(v, 4, GPU_REGISTER_U32), 0);
}

int run_texel_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(texels_are_decoded),
        cmocka_unit_test(small_colors_are_midgards),
        cmocka_unit_test(fixed_point_has_up_to_four),
        cmocka_unit_test(orders_name_the_components),
        cmocka_unit_test(other_formats_are_not_read),
        cmocka_unit_test(integers_are_told),
        cmocka_unit_test(texels_are_encoded),
        cmocka_unit_test(fewer_components_leave_the_rest),
        cmocka_unit_test(shared_exponents_are_encoded),
        cmocka_unit_test(registers_saturate),
        cmocka_unit_test(registers_are_decoded),
        cmocka_unit_test(registers_of_halves_hold_two),
    };

    return cmocka_run_group_tests_name("texels", tests, NULL, NULL);
}
