/*
 * Texels of random compressed blocks, compared with those of public decoders (blocks.txt).
 *
 * Where the rounding of hardware and decoders is theirs, a row has all texels, and they may differ
 * by one step. Elsewhere it has a digest (FNV-1a) of all texels.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/base/bits.h"
#include "runtime/gpu/numeric/half.h"
#include "runtime/gpu/texture/block.h"
#include "tests/texture/tests.h"

enum { LINE = 1 << 14, MAX_TEXELS = 6 * 6 * 6 > 12 * 12 ? 6 * 6 * 6 : 12 * 12 };

/* How a texel's components are stored in a digest. */
enum form { FORM_BYTES, FORM_SIGNED_BYTES, FORM_HALVES, FORM_ELEVEN, FORM_SIGNED_ELEVEN };

static const struct kind {
    const char *name;
    enum gpu_block_codec codec;
    uint8_t bytes;
    enum form form;
} kinds[] = {
    {"bc1", GPU_BLOCK_BC1, 8, FORM_BYTES},
    {"bc2", GPU_BLOCK_BC2, 16, FORM_BYTES},
    {"bc3", GPU_BLOCK_BC3, 16, FORM_BYTES},
    {"bc4", GPU_BLOCK_BC4, 8, FORM_BYTES},
    {"bc4s", GPU_BLOCK_BC4_SIGNED, 8, FORM_SIGNED_BYTES},
    {"bc5", GPU_BLOCK_BC5, 16, FORM_BYTES},
    {"bc5s", GPU_BLOCK_BC5_SIGNED, 16, FORM_SIGNED_BYTES},
    {"bc6h", GPU_BLOCK_BC6H, 16, FORM_HALVES},
    {"bc6hs", GPU_BLOCK_BC6H_SIGNED, 16, FORM_HALVES},
    {"bc7", GPU_BLOCK_BC7, 16, FORM_BYTES},
    {"etc2", GPU_BLOCK_ETC2_RGB, 8, FORM_BYTES},
    {"etc2a1", GPU_BLOCK_ETC2_RGB_A1, 8, FORM_BYTES},
    {"etc2a", GPU_BLOCK_ETC2_RGBA, 16, FORM_BYTES},
    {"eac", GPU_BLOCK_EAC_R, 8, FORM_ELEVEN},
    {"eacrg", GPU_BLOCK_EAC_RG, 16, FORM_ELEVEN},
    {"eacs", GPU_BLOCK_EAC_SIGNED_R, 8, FORM_SIGNED_ELEVEN},
    {"eacrgs", GPU_BLOCK_EAC_SIGNED_RG, 16, FORM_SIGNED_ELEVEN},
};

/* Reads the format of a row; names of ASTC end with the block's size. */
static enum form read_kind(const char *name, struct gpu_blocks *b, unsigned *bytes)
{
    unsigned size[3];

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (!strcmp(kinds[i].name, name)) {
            *b = (struct gpu_blocks){.codec = kinds[i].codec, .size = {4, 4, 1}};
            *bytes = kinds[i].bytes;
            return kinds[i].form;
        }
    b->srgb = name[4] == 's';
    assert_int_equal(sscanf(name + 4 + b->srgb, "%ux%ux%u", &size[0], &size[1], &size[2]), 3);
    for (unsigned k = 0; k < 3; k++)
        b->size[k] = (uint8_t)size[k];
    b->codec = size[2] > 1 ? GPU_BLOCK_ASTC_3D : GPU_BLOCK_ASTC;
    *bytes = 16;
    return FORM_BYTES;
}

static unsigned read_hex(const char *hex, uint8_t *out, unsigned most)
{
    unsigned count = 0;

    for (; hex[0] && hex[1] && count < most; hex += 2) {
        const char pair[3] = {hex[0], hex[1], 0};

        out[count++] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return count;
}

/* Stores a texel; returns the number of its bytes. */
static unsigned store_texel(enum form form, const double v[4], uint8_t *out)
{
    unsigned count = form == FORM_ELEVEN || form == FORM_SIGNED_ELEVEN ? 2 : 4;

    for (unsigned k = 0; k < count; k++)
        switch (form) {
        case FORM_BYTES:
            out[k] = (uint8_t)rint(v[k] * 255);
            break;
        case FORM_SIGNED_BYTES: /* alpha is an unsigned byte */
            out[k] = (uint8_t)(int)rint(v[k] * (k == 3 ? 255 : 127));
            break;
        case FORM_HALVES:
            le_put(out + 2 * (size_t)k, 2, gpu_f32_to_f16((float)v[k]));
            break;
        case FORM_ELEVEN:
            le_put(out + 2 * (size_t)k, 2, (uint64_t)rint(v[k] * 2047));
            break;
        case FORM_SIGNED_ELEVEN:
            le_put(out + 2 * (size_t)k, 2, (uint64_t)(int64_t)rint(v[k] * 1023));
            break;
        }
    return form <= FORM_SIGNED_BYTES ? count : 2 * count;
}

/* All texels of a block, z slowest and x fastest. Returns the number of bytes. */
static unsigned decode_all(const struct gpu_blocks *b, enum form form, const uint8_t *raw,
                           uint8_t *out)
{
    const uint8_t *first = out;
    unsigned at[3];

    for (at[2] = 0; at[2] < b->size[2]; at[2]++)
        for (at[1] = 0; at[1] < b->size[1]; at[1]++)
            for (at[0] = 0; at[0] < b->size[0]; at[0]++) {
                double v[4];

                gpu_block_decode(b, raw, at, v);
                out += store_texel(form, v, out);
            }
    return (unsigned)(out - first);
}

static uint32_t digest_of(const uint8_t *bytes, unsigned count)
{
    uint32_t sum = UINT32_C(0x811c9dc5);

    for (unsigned i = 0; i < count; i++)
        sum = (sum ^ bytes[i]) * UINT32_C(0x01000193);
    return sum;
}

/* The number that byte `i` of texels stands for. */
static int number_of(enum form form, unsigned i, uint8_t byte)
{
    return form == FORM_SIGNED_BYTES && i % 4 != 3 ? (int8_t)byte : byte;
}

static void check_row(const char *name, const char *block, const char *texels)
{
    struct gpu_blocks b = {0};
    uint8_t raw[GPU_BLOCK_MAX_BYTES], got[8 * MAX_TEXELS], want[4 * MAX_TEXELS];
    unsigned bytes, count;
    enum form form = read_kind(name, &b, &bytes);

    assert_int_equal(read_hex(block, raw, sizeof(raw)), bytes);
    count = decode_all(&b, form, raw, got);
    if (strlen(texels) == 8) {
        if (digest_of(got, count) != strtoul(texels, NULL, 16))
            fail_msg("%s %s has other texels", name, block);
        return;
    }
    assert_int_equal(read_hex(texels, want, sizeof(want)), count);
    for (unsigned i = 0; i < count; i++)
        if (abs(number_of(form, i, got[i]) - number_of(form, i, want[i])) > 1)
            fail_msg("%s %s: component %u of texel %u is %u, not %u", name, block, i % 4, i / 4,
                     got[i], want[i]);
}

static void random_blocks_have_their_texels(void **state)
{
    char *line = malloc(LINE);
    FILE *f = fopen(TEXTURE_BLOCKS, "r");
    unsigned rows = 0;

    (void)state;
    assert_non_null(f);
    while (fgets(line, LINE, f)) {
        char *rest, *name = strtok_r(line, " \n", &rest), *block = strtok_r(NULL, " \n", &rest);
        char *texels = strtok_r(NULL, " \n", &rest);

        if (*name == '#')
            continue;
        assert_non_null(texels);
        check_row(name, block, texels);
        rows++;
    }
    assert_in_range(rows, 1000, 10000);
    fclose(f);
    free(line);
}

/* ---- blocks that no format has --------------------------------------------------------------- */

static void set_mode(uint8_t raw[16], unsigned mode, const uint8_t rest[16])
{
    memcpy(raw, rest, 16);
    raw[0] = (uint8_t)mode;
    raw[1] = (uint8_t)((rest[1] & 0xf8) | mode >> 8);
}

static bool is_magenta(unsigned depth, const uint8_t raw[16])
{
    const struct gpu_blocks b = {.codec = depth > 1 ? GPU_BLOCK_ASTC_3D : GPU_BLOCK_ASTC,
                                 .size = {depth > 1 ? 6 : 12, depth > 1 ? 6 : 12, (uint8_t)depth}};
    const unsigned at[3] = {0};
    double v[4];

    gpu_block_decode(&b, raw, at, v);
    return v[0] == 1 && v[1] == 0 && v[2] == 1 && v[3] == 1;
}

/* Modes of weights that are reserved, by their rows in tables 108 and 109 of the Khronos Data
 * Format Specification 1.3, and legal ones beside them. */
static void reserved_modes_of_astc_are_magenta(void **state)
{
    static const struct {
        unsigned depth, mode;
        bool reserved;
    } rows[] = {
        {1, 0x1c4, true},                     /* x x 1 1 1 0 x 0 1 0 0 */
        {1, 0x184, false},                    /* 6 by 10 weights */
        {1, 0x1a4, false},                    /* 10 by 6 */
        {1, 0x1e4, true},  {1, 0x042, false}, /* 4 by 4 weights */
        {1, 0x040, true},                     /* no range */
        {6, 0x3ec, true},                     /* 11 for all axes */
        {6, 0x1ac, false},                    /* 2 by 6 by 2 weights */
        {6, 0x18c, false}, {6, 0x1cc, false},
    };
    /* One partition whose end points are luminances. */
    static const uint8_t rest[16] = {0, 0, 0xc0, 0x21, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    uint8_t raw[16];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        set_mode(raw, rows[i].mode, rest);
        if (is_magenta(rows[i].depth, raw) != rows[i].reserved)
            fail_msg("mode %x of depth %u", rows[i].mode, rows[i].depth);
    }
}

/* Of one colour, in no part of the texture: of high dynamic range with bit 9, and bits 10 and 11 of
 * flat blocks are set. */
static void wrong_solid_blocks_of_astc_are_magenta(void **state)
{
    uint8_t raw[16] = {0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4, 5, 6, 7, 8};

    (void)state;
    assert_false(is_magenta(1, raw));
    assert_false(is_magenta(4, raw));
    raw[1] = 0xff;
    assert_true(is_magenta(1, raw));
    assert_true(is_magenta(4, raw));
    raw[1] = 0xf5;
    assert_true(is_magenta(1, raw));
}

static void reserved_blocks_of_bc7_are_transparent(void **state)
{
    const struct gpu_blocks b = {.codec = GPU_BLOCK_BC7, .size = {4, 4, 1}};
    const uint8_t reserved[16] = {0, 0xff, 0xff, 0xff},
                  opaque[16] = {0x40, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    const unsigned at[3] = {1, 1, 0};
    double v[4];

    (void)state;
    gpu_block_decode(&b, reserved, at, v);
    assert_true(v[0] == 0 && v[1] == 0 && v[2] == 0 && v[3] == 0);
    gpu_block_decode(&b, opaque, at, v);
    assert_true(v[3] > 0);
}

int run_block_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(reserved_modes_of_astc_are_magenta),
        cmocka_unit_test(wrong_solid_blocks_of_astc_are_magenta),
        cmocka_unit_test(reserved_blocks_of_bc7_are_transparent),
        cmocka_unit_test(random_blocks_have_their_texels),
    };

    return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
