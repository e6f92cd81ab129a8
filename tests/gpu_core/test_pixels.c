/* Images as attributes: addresses of texels, and texels in their formats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "runtime/gpu/lane_memory.h"
#include "tests/gpu_core/bench.h"

enum {
    LANES = 4,
    TEXELS = BENCH_DATA,
    DRAW = BENCH_JOB + MALI_JOB_HEADER_BYTES + MALI_COMPUTE_PAYLOAD_DRAW_OFFSET,
    ATTRIBUTES = BENCH_BLOCKS + 256,
    BUFFERS = BENCH_BLOCKS + 512,
    STRIDE = 4,
    WIDTH = 40,
    HEIGHT = 20,
    DEPTH = 2,
    ROW = 1024,
    SLICE = 8192,
};

#define PUT(b, at, NAME, value) bench_put(b, at, MALI_##NAME##_BIT, MALI_##NAME##_WIDTH, value)

static const struct gpu_warp *seen; /* the running warp, for work() */
static void (*work)(struct gpu_warp *w);

static void run_work(const struct gpu_warp *w)
{
    seen = w;
    work((struct gpu_warp *)(uintptr_t)w);
}

/* Runs `what` in the first warp of a job whose attribute 0 is an image and 1 a plain buffer. */
static void run_in_shader(unsigned architecture, uint32_t type, uint32_t format,
                          void (*what)(struct gpu_warp *w))
{
    struct bench *b = bench_new(LANES, 1, 1);

    b->variant.architecture = architecture;
    PUT(b, BENCH_STATE, RENDERER_STATE_ATTRIBUTE_COUNT, 2);
    PUT(b, DRAW, DRAW_ATTRIBUTES, ATTRIBUTES);
    PUT(b, DRAW, DRAW_ATTRIBUTE_BUFFERS, BUFFERS);
    PUT(b, ATTRIBUTES, ATTRIBUTE_FORMAT, format);
    PUT(b, ATTRIBUTES + MALI_ATTRIBUTE_BYTES, ATTRIBUTE_BUFFER_INDEX, 2);
    PUT(b, ATTRIBUTES + MALI_ATTRIBUTE_BYTES, ATTRIBUTE_OFFSET_ENABLE, 1);
    PUT(b, ATTRIBUTES + MALI_ATTRIBUTE_BYTES, ATTRIBUTE_OFFSET, 8);
    PUT(b, BUFFERS, ATTRIBUTE_BUFFER_TYPE, type);
    PUT(b, BUFFERS, ATTRIBUTE_BUFFER_POINTER, TEXELS >> 6);
    PUT(b, BUFFERS, ATTRIBUTE_BUFFER_STRIDE, STRIDE);
    PUT(b, BUFFERS, ATTRIBUTE_BUFFER_BYTES, DEPTH * SLICE);
    PUT(b, BUFFERS + MALI_ATTRIBUTE_BUFFER_BYTES, ATTRIBUTE_IMAGE_TYPE,
        MALI_ATTRIBUTE_TYPE_CONTINUATION);
    PUT(b, BUFFERS + MALI_ATTRIBUTE_BUFFER_BYTES, ATTRIBUTE_IMAGE_WIDTH, WIDTH - 1);
    PUT(b, BUFFERS + MALI_ATTRIBUTE_BUFFER_BYTES, ATTRIBUTE_IMAGE_HEIGHT, HEIGHT - 1);
    PUT(b, BUFFERS + MALI_ATTRIBUTE_BUFFER_BYTES, ATTRIBUTE_IMAGE_DEPTH, DEPTH - 1);
    PUT(b, BUFFERS + MALI_ATTRIBUTE_BUFFER_BYTES, ATTRIBUTE_IMAGE_ROW_STRIDE, ROW);
    PUT(b, BUFFERS + MALI_ATTRIBUTE_BUFFER_BYTES, ATTRIBUTE_IMAGE_SLICE_STRIDE, SLICE);
    PUT(b, BUFFERS + 2 * MALI_ATTRIBUTE_BUFFER_BYTES, ATTRIBUTE_BUFFER_TYPE,
        MALI_ATTRIBUTE_TYPE_LINEAR);
    PUT(b, BUFFERS + 2 * MALI_ATTRIBUTE_BUFFER_BYTES, ATTRIBUTE_BUFFER_POINTER, TEXELS >> 6);
    PUT(b, BUFFERS + 2 * MALI_ATTRIBUTE_BUFFER_BYTES, ATTRIBUTE_BUFFER_STRIDE, 12);
    PUT(b, BUFFERS + 2 * MALI_ATTRIBUTE_BUFFER_BYTES, ATTRIBUTE_BUFFER_BYTES, 120);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_DUMP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    toy_dump = run_work;
    work = what;
    seen = NULL;
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    assert_non_null(seen);
    bench_free(b);
}

/* ---- addresses ------------------------------------------------------------------------------- */

static uint64_t addresses[12];

static void find_addresses(struct gpu_warp *w)
{
    static const uint32_t at[][3] = {{0, 0, 0}, {3, 2, 0}, {39, 19, 1}, {40, 0, 0}, {0, 20, 0},
                                     {0, 0, 2}, {1, 0, 0}, {0, 1, 0},   {17, 16, 0}};

    for (unsigned i = 0; i < 9; i++)
        addresses[i] = gpu_image_address(w, 0, at[i][0] | at[i][1] << 16, at[i][2]);
    addresses[9] = gpu_attribute_address(w, 1, 3, 0);
    addresses[10] = gpu_attribute_address(w, 1, 10, 0);
    addresses[11] = gpu_image_address(w, 7, 0, 0);
}

static void texel_addresses(void **state)
{
    (void)state;
    run_in_shader(7, MALI_ATTRIBUTE_TYPE_IMAGE_LINEAR, 0, find_addresses);
    assert_int_equal(addresses[0], TEXELS);
    assert_int_equal(addresses[1], TEXELS + 2 * ROW + 3 * STRIDE);
    assert_int_equal(addresses[2], 0); /* beyond the buffer's size */
    assert_int_equal(addresses[3] | addresses[4] | addresses[5], 0);
    assert_int_equal(addresses[9], TEXELS + 3 * 12 + 8);
    assert_int_equal(addresses[10] | addresses[11], 0);
    run_in_shader(7, MALI_ATTRIBUTE_TYPE_IMAGE_TILED, 0, find_addresses);
    assert_int_equal(addresses[0], TEXELS);
    assert_int_equal(addresses[6], TEXELS + 1 * STRIDE);
    assert_int_equal(addresses[7], TEXELS + 3 * STRIDE); /* interleaved bits of y, and of x ^ y */
    assert_int_equal(addresses[8], TEXELS + ROW + (256 + 1) * STRIDE);
}

/* ---- formats --------------------------------------------------------------------------------- */

/* Codes of formats (bits 12 to 19) and of component orders (bits 0 to 11, version 7). */
enum {
    ETC2_RGB8 = 1,
    RGB565 = 64,
    RGB5_A1 = 65,
    RGB10_A2 = 67,
    RGB10_A2UI = 71,
    R11F_G11F_B10F = 89,
    RGBA8_SNORM = 123,
    R8UI = 131,
    RGB8UI = 147,
    RGB16UI = 148,
    RGBA4_UNORM = 186,
    RGBA32UI = 157,
    R32F = 167,
    RG16_UNORM = 172,
    RGBA8_UNORM = 187,
    RGBA8I = 219,
    RGBA16F = 223,
    ORDER_RGBA = 0,
    ORDER_BGRA = 4,
    ORDER_RGB1 = 16,
    ORDER_BGR1 = 20,
    SWIZZLE_BGR1 = 2 | 1 << 3 | 0 << 6 | 5 << 9,
    SWIZZLE_BGRA = 2 | 1 << 3 | 0 << 6 | 3 << 9,
    SWIZZLE_R001 = 0 | 4 << 3 | 4 << 6 | 5 << 9,
};

static const struct texel {
    unsigned architecture;
    uint32_t order, code, in_registers;
    uint32_t value[4];  /* stored */
    uint32_t memory[4]; /* memory after the store */
    uint32_t loaded[4]; /* value read back */
} texels[] = {
    {7,
     ORDER_RGBA,
     RGBA8_UNORM,
     GPU_REGISTER_F32,
     {0x3f800000, 0x3f000000, 0xbf800000, 0x40000000}, /* 1 0.5 -1 2 */
     {0xff0080ff},
     {0x3f800000, 0x3f008081, 0, 0x3f800000}},
    {7,
     ORDER_BGRA,
     RGBA8_UNORM,
     GPU_REGISTER_F32,
     {0x3f800000, 0x3f000000, 0, 0x3f800000},
     {0xffff8000},
     {0x3f800000, 0x3f008081, 0, 0x3f800000}},
    {6,
     SWIZZLE_BGRA,
     RGBA8_UNORM,
     GPU_REGISTER_F32,
     {0x3f800000, 0x3f000000, 0, 0x3f800000},
     {0xffff8000},
     {0x3f800000, 0x3f008081, 0, 0x3f800000}},
    {7,
     ORDER_RGB1,
     R32F,
     GPU_REGISTER_AUTO,
     {0x12345678, 1, 2, 3},
     {0x12345678},
     {0x12345678, 0, 0, 0x3f800000}},
    {6, SWIZZLE_R001, R8UI, GPU_REGISTER_U32, {300, 1, 2, 3}, {255}, {255, 0, 0, 1}},
    {7,
     ORDER_RGBA,
     RGBA32UI,
     GPU_REGISTER_U32,
     {1, 0x80000000, 0xffffffff, 7},
     {1, 0x80000000, 0xffffffff, 7},
     {1, 0x80000000, 0xffffffff, 7}},
    {7,
     ORDER_RGBA,
     RGBA8I,
     GPU_REGISTER_S32,
     {(uint32_t)-1, (uint32_t)-200, 200, 5},
     {0x057f80ff},
     {(uint32_t)-1, (uint32_t)-128, 127, 5}},
    {7,
     ORDER_RGBA,
     RGBA16F,
     GPU_REGISTER_F16,
     {0x3c00c000, 0x7c000001, 0, 0},
     {0x3c00c000, 0x7c000001},
     {0x3c00c000, 0x7c000001, 0, 0}},
    {7,
     ORDER_RGBA,
     RGBA8_SNORM,
     GPU_REGISTER_F32,
     {0xbf800000, 0x3f800000, 0, 0xc0000000},
     {0x81007f81},
     {0xbf800000, 0x3f800000, 0, 0xbf800000}},
    {7,
     ORDER_RGB1,
     RG16_UNORM,
     GPU_REGISTER_F32,
     {0x3f800000, 0, 0x3f800000, 0},
     {0x0000ffff},
     {0x3f800000, 0, 0, 0x3f800000}},
    /* Components of different sizes. */
    {7,
     ORDER_RGB1,
     RGB565,
     GPU_REGISTER_F32,
     {0x3f800000, 0x3f000000, 0, 0x3f000000},
     {0x41f},
     {0x3f800000, 0x3f020821, 0, 0x3f800000}},
    {7,
     ORDER_BGR1,
     RGB565,
     GPU_REGISTER_F32,
     {0x3f800000, 0x3f000000, 0, 0x3f000000},
     {0xfc00},
     {0x3f800000, 0x3f020821, 0, 0x3f800000}},
    {6,
     SWIZZLE_BGR1,
     RGB565,
     GPU_REGISTER_F32,
     {0x3f800000, 0x3f000000, 0, 0x3f000000},
     {0xfc00},
     {0x3f800000, 0x3f020821, 0, 0x3f800000}},
    {7,
     ORDER_RGBA,
     RGB5_A1,
     GPU_REGISTER_F32,
     {0x3f800000, 0, 0x3f000000, 0x3f800000},
     {0xc01f},
     {0x3f800000, 0, 0x3f042108, 0x3f800000}},
    {7,
     ORDER_BGRA,
     RGB10_A2,
     GPU_REGISTER_F32,
     {0x3f800000, 0x3f000000, 0, 0x3eaaaaab},
     {0x7ff80000},
     {0x3f800000, 0x3f002008, 0, 0x3eaaaaab}},
    {7,
     ORDER_RGB1,
     R11F_G11F_B10F,
     GPU_REGISTER_F32,
     {0x3f800000, 0x3f000000, 0x40000000, 0x3f800000},
     {0x801c03c0},
     {0x3f800000, 0x3f000000, 0x40000000, 0x3f800000}},
    {7,
     ORDER_RGBA,
     RGBA4_UNORM,
     GPU_REGISTER_F32,
     {0x3f800000, 0, 0x3e4ccccd, 0x3f800000},
     {0xf30f},
     {0x3f800000, 0, 0x3e4ccccd, 0x3f800000}},
    {7,
     ORDER_RGBA,
     RGB10_A2UI,
     GPU_REGISTER_U32,
     {2000, 5, 1023, 9},
     {0xfff017ff},
     {1023, 5, 1023, 3}},
    /* Texels that end with a part of a word. */
    {7,
     ORDER_RGB1,
     RGB8UI,
     GPU_REGISTER_U32,
     {0x81, 0x42, 0x63, 9},
     {0x634281},
     {0x81, 0x42, 0x63, 1}},
    {7,
     ORDER_RGB1,
     RGB16UI,
     GPU_REGISTER_U32,
     {0x1234, 0x5678, 0x9abc, 9},
     {0x56781234, 0x9abc},
     {0x1234, 0x5678, 0x9abc, 1}},
};

static const struct texel *texel;
static uint32_t memory[4], loaded[4];
static uint32_t faulted;

static void store_and_load(struct gpu_warp *w)
{
    uint32_t format = gpu_attribute_format(w, 0), r = texel->in_registers;

    gpu_pixel_store(w, NULL, 0, TEXELS, format, r, 4, texel->value[0], texel->value[1],
                    texel->value[2], texel->value[3]);
    for (unsigned i = 0; i < 4; i++) {
        memory[i] = gpu_read32(w, NULL, 0, TEXELS + 4 * i);
        loaded[i] = gpu_pixel_load(w, NULL, 0, TEXELS, format, r, i);
    }
}

static void texels_by_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(texels) / sizeof(*texels); i++) {
        texel = &texels[i];
        run_in_shader(texel->architecture, MALI_ATTRIBUTE_TYPE_IMAGE_LINEAR,
                      texel->order | texel->code << 12, store_and_load);
        for (unsigned k = 0; k < 4; k++) {
            if (memory[k] != texel->memory[k])
                fail_msg("texel %zu: word %u is %08x, not %08x", i, k, memory[k], texel->memory[k]);
            if (loaded[k] != texel->loaded[k])
                fail_msg("texel %zu: component %u is %08x, not %08x", i, k, loaded[k],
                         texel->loaded[k]);
        }
    }
}

/* A format that is not modelled is a fault of the GPU; address 0 is out of range. */
static void odd_ones(struct gpu_warp *w)
{
    loaded[0] = gpu_pixel_load(w, NULL, 0, 0, RGBA8_UNORM << 12, GPU_REGISTER_F32, 0);
    gpu_pixel_store(w, NULL, 0, 0, RGBA8_UNORM << 12, GPU_REGISTER_F32, 4, 1, 1, 1, 1);
    faulted = w->faulted;
    gpu_pixel_load(w, NULL, 0, TEXELS, ETC2_RGB8 << 12, GPU_REGISTER_F32, 0);
    assert_string_equal(w->refused_detail, "etc2_rgb8");
    faulted |= w->faulted << 8;
    w->faulted = GPU_FAULT_NONE;
}

static void out_of_range(void **state)
{
    (void)state;
    run_in_shader(7, MALI_ATTRIBUTE_TYPE_IMAGE_LINEAR, 0, odd_ones);
    assert_int_equal(loaded[0], 0);
    assert_int_equal(faulted, GPU_FAULT_UNIMPLEMENTED << 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texel_addresses),
        cmocka_unit_test(texels_by_format),
        cmocka_unit_test(out_of_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
