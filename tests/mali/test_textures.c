/*
 * Texture words that no compiler emits: Midgard's with half registers as operands, and Bifrost's
 * that return a texel's address. Each texel of the texture encodes its position.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "tests/gpu_core/bench.h"

extern const struct gpu_isa bifrost_isa, midgard_isa;

enum {
    WIDTH = 8,
    HEIGHT = 4,
    LAYERS = 3,
    LEVELS = 2,
    ROW = WIDTH * 4 + 16,
    TEXTURE = BENCH_DATA,         /* address of its descriptor */
    SAMPLER = BENCH_DATA + 0x100, /* nearest texel, coordinates in texels */
    SURFACES = BENCH_DATA + 0x200,
    TEXELS = BENCH_DATA + 0x1000,
    SURFACE = 0x200, /* bytes per level of a layer */
    INPUT = BENCH_DATA + 0x8000,
    OUTPUT = BENCH_DATA + 0x9000,
    FORMAT = 133 << 12 | 16, /* r32ui, unswizzled */
    ONE = 0x3c00,            /* 1 in half precision */
    TWO = 0x4000,
    DRAW = BENCH_JOB + MALI_JOB_HEADER_BYTES + MALI_COMPUTE_PAYLOAD_DRAW_OFFSET,
};

#define PUT(b, at, NAME, value) bench_put(b, at, MALI_##NAME##_BIT, MALI_##NAME##_WIDTH, value)

__extension__ typedef unsigned __int128 u128;

static uint32_t expected_texel(unsigned x, unsigned y, unsigned layer, unsigned level)
{
    return 0x5000 + x + 0x10 * y + 0x100 * layer + 0x1000 * level;
}

static uint64_t surface_at(unsigned layer, unsigned level)
{
    return TEXELS + (layer * LEVELS + level) * SURFACE;
}

/* Writes descriptors as of v7; textures 0 and 1 are the same. */
static void make_texture(struct bench *b)
{
    for (unsigned i = 0; i < 2; i++) {
        uint64_t at = TEXTURE + i * MALI_TEXTURE_BYTES;

        bench_put(b, at, 0, 4, 2);
        bench_put(b, at, 4, 2, 2); /* two-dimensional */
        bench_put(b, at, 10, 22, FORMAT);
        bench_put(b, at, 32, 16, WIDTH - 1);
        bench_put(b, at, 48, 16, HEIGHT - 1);
        bench_put(b, at, 64, 12, 0 | 1 << 3 | 2 << 6 | 3 << 9);
        bench_put(b, at, 76, 4, 2); /* linear layout */
        bench_put(b, at, 80, 5, LEVELS - 1);
        bench_put(b, at, 112, 13, 31 * 256);
        bench_put(b, at, 128, 64, SURFACES);
        bench_put(b, at, 192, 16, LAYERS - 1);
    }
    bench_put(b, SAMPLER, 0, 4, 1);
    for (unsigned bit = 8; bit < 20; bit += 4)
        bench_put(b, SAMPLER, bit, 4, 9); /* clamp to edge */
    bench_put(b, SAMPLER, 27, 2, 3);
    bench_put(b, SAMPLER, 48, 13, 31 * 256);
    for (unsigned n = 0; n < LAYERS * LEVELS; n++) {
        unsigned layer = n / LEVELS, level = n % LEVELS;

        bench_put(b, SURFACES + n * MALI_SURFACE_BYTES, 0, 64, surface_at(layer, level));
        bench_put(b, SURFACES + n * MALI_SURFACE_BYTES, 64, 32, ROW);
        for (unsigned y = 0; y < (unsigned)HEIGHT >> level; y++)
            for (unsigned x = 0; x < (unsigned)WIDTH >> level; x++)
                bench_set_word(b, surface_at(layer, level) + y * ROW + 4 * x,
                               expected_texel(x, y, layer, level));
    }
    PUT(b, BENCH_STATE, RENDERER_STATE_TEXTURE_COUNT, 2);
    PUT(b, DRAW, DRAW_TEXTURES, TEXTURE);
    PUT(b, BENCH_STATE, RENDERER_STATE_SAMPLER_COUNT, 1);
    PUT(b, DRAW, DRAW_SAMPLERS, SAMPLER);
}

static struct bench *make_bench(const struct gpu_isa *isa, unsigned width, const void *code,
                                size_t bytes)
{
    struct bench *b = bench_new_isa(isa, width, 1, 1);

    memcpy(b->memory + BENCH_CODE, code, bytes);
    make_texture(b);
    return b;
}

/* ---- Midgard --------------------------------------------------------------------------------- */

static void put_bits(u128 *word, unsigned at, u128 value)
{
    *word |= value << at;
}

/* Moves 128 bits between memory at an absolute address and a register (for a store, 0 is AL0). */
static u128 access_word(unsigned op, unsigned reg, unsigned offset, unsigned next)
{
    u128 word = 5 | next << 4;

    put_bits(&word, 8, op | reg << 8 | 15 << 13 | 0xe4 << 17);
    put_bits(&word, 8 + 27, 7);      /* base: 0 */
    put_bits(&word, 8 + 33, 7 << 2); /* index: 0 */
    put_bits(&word, 8 + 42, offset);
    put_bits(&word, 68, 3); /* no second word */
    return word;
}

/* Fields of a texture word of a 2D texture that returns TA0 as integers of 32 bits. */
struct request {
    unsigned op;
    unsigned in_full, in_upper, in_swz;
    unsigned texture, texture_in_register, sampler, sampler_in_register;
    unsigned offset, offset_in_register, bias, lod_in_register;
};

static u128 texture_word(const struct request *r)
{
    u128 word = 3 | 8 << 4;
    u128 t = 0;

    put_bits(&t, 0, r->op | 1 << 4 | 3 << 8 | 2 << 10);
    put_bits(&t, 12,
             r->sampler_in_register | r->texture_in_register << 1 | r->lod_in_register << 2 |
                 r->offset_in_register << 3);
    put_bits(&t, 16, r->in_full | r->in_upper << 2 | r->in_swz << 3);
    put_bits(&t, 29, 1 | 2 << 1 | 15 << 5 | 0xe4 << 11); /* full, unsigned, mask, swizzle */
    put_bits(&t, 60, r->offset);
    put_bits(&t, 72, r->bias);
    put_bits(&t, 88, r->sampler);
    put_bits(&t, 104, r->texture);
    put_bits(&word, 8, t);
    return word;
}

/* MOV.i32 AL0, TMP0, TA0 */
static u128 move_word(void)
{
    u128 word = 8 | 5 << 4 | 1 << 17;

    put_bits(&word, 32, 24 | 28 << 5 | 26 << 10);
    put_bits(&word, 48, 0x7b | 2 << 8);
    put_bits(&word, 48 + 15, 0xe4);
    put_bits(&word, 48 + 28, 0xe4);
    put_bits(&word, 48 + 36, 2 | 2 << 2 | 0xff << 4);
    return word;
}

/* Returns the first result word of a request, with eight halves each in AT0 and AT1. */
static uint32_t run_request(const struct request *r, const uint16_t halves[16])
{
    const u128 code[] = {access_word(0x90, 28, INPUT, 5), access_word(0x90, 29, INPUT + 16, 3),
                         texture_word(r), move_word(), access_word(0xd0, 0, OUTPUT, 1)};
    struct bench *b = make_bench(&midgard_isa, 1, code, sizeof(code));
    uint32_t got;

    memcpy(b->memory + INPUT, halves, 16 * sizeof(*halves));
    assert_int_equal(bench_run(b, 100).progress, GPU_PROGRESS_DONE);
    got = bench_word(b, OUTPUT);
    bench_free(b);
    return got;
}

enum { SAMPLE = 1, SAMPLE_AT = 2, FETCH = 4, IDENTITY = 0xe4 };

/* Coordinates 0.5, 1.5 … in half precision. */
static uint16_t middle_coordinate(unsigned n)
{
    static const uint16_t at[] = {0x3800, 0x3e00, 0x4100, 0x4300, 0x4480, 0x4580, 0x4680, 0x4780};

    return at[n];
}

static void test_coordinates(void **state)
{
    const uint16_t floats[16] = {middle_coordinate(5), middle_coordinate(2), 0, ONE,
                                 middle_coordinate(1), middle_coordinate(3), 0, TWO};
    const uint16_t whole[16] = {6, 3, 0, 2, 1, 0, 0, 1};
    struct request r = {.op = SAMPLE_AT, .in_swz = IDENTITY};

    (void)state;
    assert_int_equal(run_request(&r, floats), expected_texel(5, 2, 1, 0));
    r.in_upper = 1;
    assert_int_equal(run_request(&r, floats), expected_texel(1, 3, 2, 0));
    r.op = SAMPLE;
    assert_int_equal(run_request(&r, floats), expected_texel(1, 3, 2, 0));
    r.op = FETCH;
    assert_int_equal(run_request(&r, whole), expected_texel(1, 0, 1, 0));
    r.in_upper = 0;
    assert_int_equal(run_request(&r, whole), expected_texel(6, 3, 2, 0));
    r.in_swz = 1 | 1 << 2 | 2 << 4 | 2 << 6;
    assert_int_equal(run_request(&r, whole), expected_texel(3, 3, 0, 0));
}

/* Negative coordinates are outside of the texture. */
static void test_negative(void **state)
{
    const uint16_t whole[16] = {0xffff, 0, 0, 0};
    struct request r = {.op = FETCH, .in_swz = IDENTITY};

    (void)state;
    assert_int_equal(run_request(&r, whole), 0);
}

/*
 * Texture and sampler index, level and offsets in halves of AT1: bit 1 selects the second register,
 * bit 2 the upper half.
 */
static void test_operands(void **state)
{
    const uint16_t whole[16] = {4, 1, 0, 2, 0, 0, 0, 0, 0, 1, 0xfffe, 2, 1, 0, 0, 0};
    struct request r = {.op = FETCH, .in_swz = IDENTITY};

    (void)state;
    r.lod_in_register = 1;
    r.bias = 1 << 1 | 1 << 3; /* AT1.y: level 1 */
    assert_int_equal(run_request(&r, whole), 0);
    r.bias = 1 << 1;
    assert_int_equal(run_request(&r, whole), expected_texel(4, 1, 2, 0));
    r.bias = 1 << 1 | 1 << 2; /* AT1.e: level 1, which has half the texels per row */
    r.in_swz = 1 | 1 << 2 | 2 << 4 | 2 << 6;
    assert_int_equal(run_request(&r, whole), expected_texel(1, 1, 0, 1));
    r.in_swz = IDENTITY;
    r.lod_in_register = r.bias = 0;
    r.offset_in_register = 1;
    r.offset = 1 << 1 | 2 << 3 | 1 << 5; /* AT1.zyx: -2, 1 */
    assert_int_equal(run_request(&r, whole), expected_texel(2, 2, 2, 0));
    r.offset_in_register = r.offset = 0;
    r.texture_in_register = 1;
    r.texture = 1 << 1 | 1 << 3; /* AT1.y: texture 1 */
    assert_int_equal(run_request(&r, whole), expected_texel(4, 1, 2, 0));
    r.texture = 1 << 1 | 3 << 3; /* AT1.w: 2, a texture that does not exist */
    assert_int_equal(run_request(&r, whole), 0);
}

/* ---- Bifrost --------------------------------------------------------------------------------- */

/*
 * ds(0) nbb attr ncph next_store dwb(0)
 * {
 *     *NOP t0
 *     +LEA_TEX_IMM.u16 t1, u0.w0, u0.w1, texture_index:1, @r0
 * }
 * ds(0) eos store
 * {
 *     *NOP t0
 *     +STORE.i96 t1, u1.w0, u1.w1, @r0
 * }
 */
static const uint8_t address_of_texel[] = {
    0x4e, 0x80, 0x00, 0x00, 0x40, 0x18, 0xcb, 0x80, 0xb3, 0x81, 0x05, 0xc0, 0x08, 0x08, 0x80, 0x30,
    0x4b, 0x81, 0x00, 0x00, 0x40, 0x18, 0xcb, 0x80, 0xb3, 0x71, 0x01, 0x00, 0x00, 0x00, 0x80, 0x01,
};

static void expect_address(unsigned x, unsigned y, unsigned z, uint64_t want)
{
    struct bench *b = make_bench(&bifrost_isa, 4, address_of_texel, sizeof(address_of_texel));

    bench_put(b, BENCH_STATE + MALI_RENDERER_STATE_PRELOAD_OFFSET,
              MALI_COMPUTE_PRELOAD_UNIFORM_COUNT_BIT, MALI_COMPUTE_PRELOAD_UNIFORM_COUNT_WIDTH, 2);
    bench_set_word(b, BENCH_UNIFORMS, x | y << 16);
    bench_set_word(b, BENCH_UNIFORMS + 4, z);
    bench_set_word(b, BENCH_UNIFORMS + 8, OUTPUT);
    assert_int_equal(bench_run(b, 100).progress, GPU_PROGRESS_DONE);
    assert_int_equal(bench_word(b, OUTPUT), want);
    assert_int_equal(bench_word(b, OUTPUT + 4), 0);
    assert_int_equal(bench_word(b, OUTPUT + 8), FORMAT | 8 << 24); /* as LEA_ATTR.auto returns it */
    bench_free(b);
}

static void test_addresses(void **state)
{
    (void)state;
    expect_address(0, 0, 0, surface_at(0, 0));
    expect_address(5, 3, 2, surface_at(2, 0) + 3 * ROW + 5 * 4);
    expect_address(WIDTH, 0, 0, 0);
    expect_address(0, HEIGHT, 0, 0);
    expect_address(0, 0, LAYERS, 0);
}

/* Where words of .u32 hold their fields is not known. */
static void test_refusal(void **state)
{
    uint8_t code[sizeof(address_of_texel)];
    struct bench *b;

    (void)state;
    memcpy(code, address_of_texel, sizeof(code));
    code[9] |= 0x20;
    b = make_bench(&bifrost_isa, 4, code, sizeof(code));
    assert_int_equal(bench_run(b, 100).progress, GPU_PROGRESS_FAILED);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coordinates), cmocka_unit_test(test_negative),
        cmocka_unit_test(test_operands),    cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_refusal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
