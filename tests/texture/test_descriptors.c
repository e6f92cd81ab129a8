/* Descriptors of textures and samplers of all versions, and what is refused, by which name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/compute.h"
#include "runtime/gpu/texture/texture.h"
#include "tests/texture/tests.h"

enum { BYTES = 4096, AT = 0x100, POINTERS = 0x800, RGBA8 = 187 << 12 };

static uint8_t memory[BYTES];

static uint32_t translate_page(void *opaque, uint64_t va, enum gpu_access access,
                               struct gpu_page *out)
{
    (void)opaque;
    (void)access;
    if (va >= sizeof(memory))
        return 7;
    *out = (struct gpu_page){.host = memory, .bytes = sizeof(memory), .read = true};
    return 0;
}

static const struct gpu_address_space space = {.translate = translate_page};

/* A texture of which each field has another value. */
static struct mali_texture usual_texture(unsigned version)
{
    struct mali_texture d = {0};

    mali_texture_usual(version, &d);
    d.width = 40;
    d.height = 20;
    d.depth = 1;
    d.array_size = 5;
    d.sample_count = 1;
    d.levels = 3;
    d.format = RGBA8;
    d.dimension = MALI_TEXTURE_DIMENSION_FLAT;
    d.layout = MALI_TEXTURE_LAYOUT_LINEAR;
    d.surface_type = MALI_SURFACE_TYPE_POINTER_64_WITH_STRIDES;
    d.swizzle = 2 | 1 << 3 | 4 << 6 | 5 << 9;
    d.surfaces = 0x12340;
    d.maximum_lod = 31 * MALI_LOD_ONE;
    return d;
}

static void put_texture(unsigned version, uint64_t at, const struct mali_texture *d)
{
    assert_null(mali_texture_pack(version, d, memory + at));
}

/* Reads the texture at AT; before version 6 it is behind a pointer. */
static struct gpu_texture read_there(unsigned version)
{
    struct gpu_textures t = {0};
    struct gpu_fault fault;
    struct gpu_texture texture;

    le_put(memory + POINTERS, 8, AT);
    assert_true(gpu_textures_read(&t, version, &space, version < 6 ? POINTERS : AT, 1, &fault));
    assert_int_equal(t.texture_count, 1);
    texture = t.texture[0];
    gpu_textures_release(&t);
    assert_null(t.texture);
    assert_int_equal(t.texture_count, 0);
    return texture;
}

static struct gpu_texture read_one(unsigned version, const struct mali_texture *d)
{
    put_texture(version, AT, d);
    return read_there(version);
}

static void fields_of_textures_are_read(void **state)
{
    (void)state;
    for (unsigned version = 4; version <= 7; version++) {
        struct mali_texture d = usual_texture(version);
        struct gpu_texture t;

        d.minimum_lod = version < 6 ? 0 : 300;
        t = read_one(version, &d);
        assert_null(t.refused);
        assert_int_equal(t.size[0], 40);
        assert_int_equal(t.size[1], 20);
        assert_int_equal(t.size[2], 1);
        assert_int_equal(t.layers, 5);
        assert_int_equal(t.levels, 3);
        assert_int_equal(t.samples, 1);
        assert_int_equal(t.dimension, MALI_TEXTURE_DIMENSION_FLAT);
        assert_int_equal(t.pixels, RGBA8);
        assert_int_equal(t.format.bytes, 4);
        assert_memory_equal(t.swizzle, ((uint8_t[]){2, 1, 4, 5}), 4);
        assert_false(t.tiled || t.compressed);
        /* Midgard's surfaces are behind the descriptor, and have no limits. */
        assert_int_equal(t.surfaces, version < 6 ? AT + MALI_TEXTURE_BYTES : 0x12340);
        assert_int_equal(t.minimum_lod, version < 6 ? 0 : 300);
        assert_int_equal(t.maximum_lod, version < 6 ? UINT16_MAX : 31 * MALI_LOD_ONE);
    }
}

static void dimensions_have_their_sizes(void **state)
{
    struct mali_texture d = usual_texture(7);
    struct gpu_texture t;

    (void)state;
    d.sample_count = 4;
    assert_int_equal(read_one(7, &d).samples, 4);
    d.dimension = MALI_TEXTURE_DIMENSION_LINEAR;
    assert_int_equal(read_one(7, &d).size[1], 1);
    d = usual_texture(5);
    d.dimension = MALI_TEXTURE_DIMENSION_VOLUME;
    d.depth = d.sample_count = 9; /* one field of Midgard */
    t = read_one(5, &d);
    assert_int_equal(t.size[2], 9);
    assert_int_equal(t.samples, 1);
    d.dimension = MALI_TEXTURE_DIMENSION_FLAT;
    d.depth = d.sample_count = 4;
    t = read_one(5, &d);
    assert_int_equal(t.size[2], 1);
    assert_int_equal(t.samples, 4);
}

static void layouts_are_read(void **state)
{
    struct mali_texture d = usual_texture(7);

    (void)state;
    d.layout = MALI_TEXTURE_LAYOUT_TILED;
    assert_true(read_one(7, &d).tiled);
    assert_false(read_one(7, &d).compressed);
    d.layout = MALI_TEXTURE_LAYOUT_AFBC;
    assert_true(read_one(7, &d).compressed);
    assert_false(read_one(7, &d).tiled);
    assert_null(read_one(7, &d).refused);
}

static void wrong_textures_are_refused_by_name(void **state)
{
    struct mali_texture d = usual_texture(7);

    (void)state;
    put_texture(7, AT, &d);
    memory[AT + 9] |= 7 << 4;
    assert_string_equal(read_there(7).refused, "the texture's layout");
    d.format = MALI_FORMAT_YUV8 << 12;
    assert_string_equal(read_one(7, &d).refused, "yuv8");
    d = usual_texture(7);
    d.surfaces = 0;
    assert_string_equal(read_one(7, &d).refused, "the texture's descriptor");
    d = usual_texture(5);
    d.surface_type = MALI_SURFACE_TYPE_POINTER_64;
    assert_string_equal(read_one(5, &d).refused, "the texture's kind of surface pointers");
    d = usual_texture(7);
    d.format = MALI_FORMAT_BC1_UNORM << 12;
    assert_null(read_one(7, &d).refused);
    assert_int_equal(read_one(7, &d).blocks.codec, GPU_BLOCK_BC1);
    d.format = MALI_FORMAT_Y8_UV8_420 << 12;
    assert_int_equal(read_one(7, &d).yuv.planes, 2);
    d.layout = MALI_TEXTURE_LAYOUT_AFBC; /* video in compressed surfaces is not modelled */
    assert_string_equal(read_one(7, &d).refused, "y8_uv8_420");
}

/* Arrays: of pointers, of which 0 is no texture, and of descriptors. */
static void arrays_of_textures_are_read(void **state)
{
    struct mali_texture d = usual_texture(5);
    struct gpu_textures t = {0};
    struct gpu_fault fault = {0};

    (void)state;
    put_texture(5, AT, &d);
    d.width = 77;
    put_texture(5, AT + 0x200, &d);
    le_put(memory + POINTERS, 8, AT);
    le_put(memory + POINTERS + 8, 8, 0);
    le_put(memory + POINTERS + 16, 8, AT + 0x200);
    assert_true(gpu_textures_read(&t, 5, &space, POINTERS, 3, &fault));
    assert_int_equal(t.texture[0].size[0], 40);
    assert_string_equal(t.texture[1].refused, "a texture that is not there");
    assert_int_equal(t.texture[2].size[0], 77);
    gpu_textures_release(&t);
    d = usual_texture(7);
    put_texture(7, AT, &d);
    d.width = 78;
    put_texture(7, AT + MALI_TEXTURE_BYTES, &d);
    assert_true(gpu_textures_read(&t, 7, &space, AT, 2, &fault));
    assert_int_equal(t.texture[0].size[0], 40);
    assert_int_equal(t.texture[1].size[0], 78);
    gpu_textures_release(&t);
    assert_true(gpu_textures_read(&t, 7, &space, BYTES, 0, &fault)); /* none: nothing is read */
    assert_null(t.texture);
}

static void pages_that_are_missing_are_told(void **state)
{
    struct gpu_textures t = {0};
    struct gpu_fault fault = {0};

    (void)state;
    assert_false(gpu_textures_read(&t, 7, &space, BYTES, 1, &fault));
    assert_int_equal(fault.va, BYTES);
    assert_int_equal(fault.code, 7);
    le_put(memory + POINTERS, 8, 2 * BYTES);
    assert_false(gpu_textures_read(&t, 5, &space, POINTERS, 1, &fault));
    assert_int_equal(fault.va, 2 * BYTES);
    gpu_textures_release(&t);
    assert_false(gpu_samplers_read(&t, 7, &space, 3 * BYTES, 1, &fault));
    assert_int_equal(fault.va, 3 * BYTES);
}

/* ---- samplers -------------------------------------------------------------------------------- */

static struct mali_sampler usual_sampler(unsigned version)
{
    struct mali_sampler d = {0};

    mali_sampler_usual(version, &d);
    d.wrap_mode_s = MALI_WRAP_MODE_REPEAT;
    d.wrap_mode_t = MALI_WRAP_MODE_CLAMP_TO_EDGE;
    d.wrap_mode_r = MALI_WRAP_MODE_MIRRORED_REPEAT;
    d.minimum_lod = 100;
    d.maximum_lod = 2000;
    d.lod_bias = -300;
    d.compare_function = 5;
    d.mipmap_mode = MALI_MIPMAP_MODE_TRILINEAR;
    for (unsigned k = 0; k < 4; k++)
        d.border_color[k] = 0x10 + k;
    return d;
}

static struct gpu_sampler read_sampler(unsigned version, const struct mali_sampler *d)
{
    struct gpu_textures t = {0};
    struct gpu_fault fault;
    struct gpu_sampler s;

    memset(memory + AT, 0, MALI_SAMPLER_BYTES);
    assert_null(mali_sampler_pack(version, d, memory + AT + MALI_SAMPLER_BYTES));
    assert_true(gpu_samplers_read(&t, version, &space, AT, 2, &fault));
    assert_int_equal(t.sampler_count, 2);
    assert_int_equal(t.samplers, AT);
    s = t.sampler[1];
    gpu_textures_release(&t);
    return s;
}

static void fields_of_samplers_are_read(void **state)
{
    (void)state;
    for (unsigned version = 4; version <= 7; version++) {
        struct mali_sampler d = usual_sampler(version);
        struct gpu_sampler s = read_sampler(version, &d);

        assert_int_equal(s.wrap[0], MALI_WRAP_MODE_REPEAT);
        assert_int_equal(s.wrap[1], MALI_WRAP_MODE_CLAMP_TO_EDGE);
        assert_int_equal(s.wrap[2], MALI_WRAP_MODE_MIRRORED_REPEAT);
        assert_int_equal(s.minimum_lod, 100);
        assert_int_equal(s.maximum_lod, 2000);
        assert_int_equal(s.bias, -300);
        assert_int_equal(s.compare_function, 5);
        assert_int_equal(s.mipmap_mode, MALI_MIPMAP_MODE_TRILINEAR);
        assert_false(s.normalized || s.seamless || s.magnify_nearest || s.minify_nearest);
        assert_int_equal(s.cutoff, 0);
        assert_int_equal(s.anisotropy, 1);
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(s.border[k], 0x10 + k);
    }
}

/* Each flag by itself. */
static void flags_of_samplers_are_read(void **state)
{
    struct mali_sampler d;

    (void)state;
    d = usual_sampler(7);
    d.normalized_coordinates = 1;
    assert_true(read_sampler(7, &d).normalized);
    d = usual_sampler(7);
    d.seamless_cube_map = 1;
    assert_true(read_sampler(7, &d).seamless);
    d = usual_sampler(7);
    d.magnify_nearest = 1;
    assert_true(read_sampler(7, &d).magnify_nearest);
    assert_false(read_sampler(7, &d).minify_nearest);
    d = usual_sampler(7);
    d.minify_nearest = 1;
    assert_true(read_sampler(7, &d).minify_nearest);
    d = usual_sampler(7);
    d.srgb_override = 1;
    assert_true(read_sampler(7, &d).linear_values);
    d = usual_sampler(7);
    d.magnify_cutoff = 1;
    assert_int_equal(read_sampler(7, &d).cutoff, MALI_LOD_ONE / 2);
    d.maximum_anisotropy = 16;
    assert_int_equal(read_sampler(7, &d).anisotropy, 1);
    d.lod_algorithm = MALI_LOD_ALGORITHM_ANISOTROPIC;
    assert_int_equal(read_sampler(7, &d).anisotropy, 16);
}

int run_descriptor_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_textures_are_read),
        cmocka_unit_test(dimensions_have_their_sizes),
        cmocka_unit_test(layouts_are_read),
        cmocka_unit_test(wrong_textures_are_refused_by_name),
        cmocka_unit_test(arrays_of_textures_are_read),
        cmocka_unit_test(pages_that_are_missing_are_told),
        cmocka_unit_test(fields_of_samplers_are_read),
        cmocka_unit_test(flags_of_samplers_are_read),
    };

    return cmocka_run_group_tests_name("descriptors", tests, NULL, NULL);
}
