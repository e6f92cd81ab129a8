/* Descriptors of framebuffers of all versions, what is refused, and jobs that only clear. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/graphics.h"
#include "tests/graphics/parts.h"

enum { AT = 0x400 };

/* The descriptors of a frame, which are packed in the form of a version. */
struct setting {
    unsigned version;
    struct mali_framebuffer_pointer pointer;
    struct mali_framebuffer f;
    struct mali_render_target t[2];
    struct mali_zs_target zs;
    uint32_t bounds[4]; /* of the job, in tiles */
    struct gpu_outcome out;
};

static struct setting usual(unsigned version)
{
    struct setting s = {.version = version, .bounds = {0, 0, 100, 100}};

    s.pointer = (struct mali_framebuffer_pointer){
        .multiple_targets = version > 4, .target_count = 1, .pointer = AT};
    mali_framebuffer_usual(version, &s.f);
    s.f.sample_count = s.f.tile_pixels = s.f.target_count = 1;
    s.f.width = 50;
    s.f.height = 40;
    s.f.bound_max_x = 49;
    s.f.bound_max_y = 39;
    s.f.tiler = 0;
    for (unsigned i = 0; i < 2; i++) {
        mali_render_target_usual(version, &s.t[i]);
        s.t[i].tile_format = MALI_TILE_FORMAT_R8G8B8A8;
        s.t[i].format = MALI_COLOR_FORMAT_R8G8B8A8;
        s.t[i].block_format = MALI_BLOCK_FORMAT_LINEAR;
        s.t[i].write = 1;
        s.t[i].surface = (struct mali_surface){0x1000 + i, 200, 300};
    }
    mali_zs_target_usual(version, &s.zs);
    s.zs.block_format = s.zs.stencil_block_format = MALI_BLOCK_FORMAT_LINEAR;
    return s;
}

/* Adds packed bytes to memory, where other parts of the same descriptor may be. */
static void add_bytes(uint64_t at, const uint8_t *raw, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        parts_memory[at + i] |= raw[i];
}

static void put_setting(const struct setting *s)
{
    uint8_t raw[MALI_FRAMEBUFFER_BYTES] = {0};
    unsigned version = s->version;
    uint64_t at =
        AT + (version == 4 ? MALI_FRAMEBUFFER_PARAMETERS : mali_framebuffer_bytes(version));

    memset(parts_memory, 0, 0x1000);
    assert_null(mali_framebuffer_pack(version, &s->f, raw));
    add_bytes(AT, raw, mali_framebuffer_bytes(version));
    if (version == 4 || s->f.has_zs_crc) {
        memset(raw, 0, sizeof(raw));
        assert_null(mali_zs_target_pack(version, &s->zs, raw));
        add_bytes(at, raw, mali_zs_target_bytes(version));
        at += version == 4 ? 0 : mali_zs_target_bytes(version);
    }
    for (unsigned i = 0; i < s->f.target_count; i++) {
        memset(raw, 0, sizeof(raw));
        assert_null(mali_render_target_pack(version, &s->t[i], raw));
        add_bytes(at + i * mali_render_target_bytes(version), raw,
                  mali_render_target_bytes(version));
    }
}

static bool read_there(struct setting *s, struct gfx_frame *f)
{
    const struct gpu_variant variant = {.architecture = s->version};
    uint8_t raw[MALI_FRAMEBUFFER_POINTER_BYTES] = {0};

    assert_null(mali_framebuffer_pointer_pack(s->version, &s->pointer, raw));
    return gfx_frame_read(f, &variant, &parts_space, le_get(raw, 8), s->bounds, &s->out);
}

static bool read_setting(struct setting *s, struct gfx_frame *f)
{
    put_setting(s);
    return read_there(s, f);
}

static void frames_of_all_versions_are_read(void **state)
{
    (void)state;
    for (unsigned version = 4; version <= 7; version++) {
        struct setting s = usual(version);
        struct gfx_frame f;

        assert_true(read_setting(&s, &f));
        assert_int_equal(f.version, version);
        assert_int_equal(f.descriptor, AT);
        assert_int_equal(f.samples, 1);
        assert_int_equal(f.targets, 1);
        assert_int_equal(f.size[0], 50);
        assert_int_equal(f.size[1], 40);
        assert_int_equal(f.box.x0, 0);
        assert_int_equal(f.box.y0, 0);
        assert_int_equal(f.box.x1, 50);
        assert_int_equal(f.box.y1, 40);
        assert_true(f.target[0].write);
        assert_int_equal(f.target[0].surface.base, 0x1000);
        assert_int_equal(f.target[0].surface.row_stride, 200);
        assert_int_equal(f.target[0].surface.sample_stride, 300);
        assert_int_equal(f.target[0].surface.blocks, GFX_LINEAR);
        assert_int_equal(f.target[0].tile->bytes, 4);
        assert_int_equal(f.target[0].memory.bytes, 4);
        assert_false(f.zs.write_depth || f.zs.write_stencil || f.signatures.read);
        /* Midgard's tiler context is a part of the descriptor. */
        assert_int_equal(f.tiler, version == 4   ? AT + MALI_FRAMEBUFFER_TILER_V4
                                  : version == 5 ? AT + MALI_FRAMEBUFFER_TILER_V5
                                                 : 0);
    }
}

/* The frame is drawn where the framebuffer's bounds, in pixels, and the job's, in tiles, meet. */
static void bounds_are_intersected(void **state)
{
    static const struct {
        uint32_t frame[4], job[4], want[4];
    } rows[] = {
        {{0, 0, 49, 39}, {0, 0, 9, 9}, {0, 0, 50, 40}},
        {{5, 6, 49, 39}, {0, 0, 9, 9}, {5, 6, 50, 40}},
        {{0, 0, 49, 39}, {1, 2, 1, 2}, {16, 32, 32, 40}},
        {{0, 0, 49, 39}, {1, 1, 2, 1}, {16, 16, 48, 32}},
        {{0, 0, 15, 39}, {1, 0, 2, 9}, {0, 0, 0, 0}},
        {{0, 0, 49, 15}, {0, 1, 9, 9}, {0, 0, 0, 0}},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct setting s = usual(7);
        struct gfx_frame f;

        s.f.bound_min_x = rows[i].frame[0];
        s.f.bound_min_y = rows[i].frame[1];
        s.f.bound_max_x = rows[i].frame[2];
        s.f.bound_max_y = rows[i].frame[3];
        memcpy(s.bounds, rows[i].job, sizeof(s.bounds));
        assert_true(read_setting(&s, &f));
        assert_int_equal(f.box.x0, rows[i].want[0]);
        assert_int_equal(f.box.y0, rows[i].want[1]);
        assert_int_equal(f.box.x1, rows[i].want[2]);
        assert_int_equal(f.box.y1, rows[i].want[3]);
    }
}

/* A frame of one sample may have the pattern of more places; version 4 has no patterns. */
static void patterns_give_places(void **state)
{
    static const struct {
        uint32_t samples, pattern;
        unsigned places;
    } rows[] = {
        {1, MALI_SAMPLE_PATTERN_SINGLE, 1},    {1, MALI_SAMPLE_PATTERN_D3D_16, 16},
        {1, MALI_SAMPLE_PATTERN_D3D_8, 8},     {1, MALI_SAMPLE_PATTERN_ROTATED_4, 4},
        {1, MALI_SAMPLE_PATTERN_ORDERED_4, 4}, {4, MALI_SAMPLE_PATTERN_ROTATED_4, 4},
        {4, MALI_SAMPLE_PATTERN_D3D_16, 4},    {16, MALI_SAMPLE_PATTERN_D3D_16, 16},
    };

    (void)state;
    for (unsigned version = 4; version <= 7; version++)
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
            struct setting s = usual(version);
            struct gfx_frame f;

            s.f.sample_count = rows[i].samples;
            s.f.sample_pattern = version == 4 ? 0 : rows[i].pattern;
            assert_true(read_setting(&s, &f));
            assert_int_equal(f.samples, rows[i].samples);
            assert_int_equal(f.places, version == 4 ? rows[i].samples : rows[i].places);
        }
}

static void fields_of_targets_are_read(void **state)
{
    struct setting s = usual(7);
    struct gfx_frame f;

    (void)state;
    s.f.target_count = 2;
    s.f.sample_count = 4;
    s.f.has_zs_crc = 1; /* targets follow depth and stencil */
    s.f.tiler = 0x7000;
    s.f.frame_draws = 0x9000;
    s.f.pre_frame_0 = 1;
    s.f.pre_frame_1 = 2;
    s.f.post_frame = 3;
    s.t[1].swizzle = 2 | 1 << 3 | 0 << 6 | 3 << 9;
    s.t[1].srgb = s.t[1].dither = s.t[1].clean_write = 1;
    s.t[1].samples = MALI_SAMPLE_LAYOUT_LAYERED;
    for (unsigned k = 0; k < 4; k++)
        s.t[1].clear[k] = 0x11 * (k + 1);
    assert_true(read_setting(&s, &f));
    assert_int_equal(f.targets, 2);
    assert_int_equal(f.samples, 4);
    assert_int_equal(f.tiler, 0x7000);
    assert_int_equal(f.draws, 0x9000);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(f.frame_shader_mode[i], i + 1);
    assert_int_equal(f.target[1].surface.base, 0x1001);
    assert_int_equal(f.target[1].swizzle, s.t[1].swizzle);
    assert_true(f.target[1].srgb && f.target[1].dither && f.target[1].clean_write);
    assert_true(f.target[1].surface.layered);
    assert_false(f.target[0].srgb || f.target[0].dither || f.target[0].clean_write);
    assert_false(f.target[0].surface.layered);
    for (unsigned k = 0; k < 4; k++)
        assert_int_equal(f.target[1].clear[k], 0x11 * (k + 1));
}

/* The numbers of layouts differ by version. */
static void layouts_of_targets_are_read(void **state)
{
    static const struct {
        unsigned version;
        uint32_t number;
        enum gfx_blocks want;
    } rows[] = {
        {4, MALI_BLOCK_FORMAT_TILED, GFX_TILED},
        {5, MALI_BLOCK_FORMAT_TILED, GFX_TILED},
        {5, MALI_BLOCK_FORMAT_LINEAR, GFX_LINEAR},
        {5, MALI_BLOCK_FORMAT_AFBC, GFX_COMPRESSED},
        {6, MALI_BLOCK_FORMAT_AFBC, GFX_COMPRESSED},
        {7, MALI_BLOCK_FORMAT_NO_WRITE, GFX_NO_WRITE},
        {7, MALI_BLOCK_FORMAT_INTERLEAVED, GFX_TILED},
        {7, MALI_BLOCK_FORMAT_LINEAR, GFX_LINEAR},
        {7, MALI_BLOCK_FORMAT_AFBC_SPARSE, GFX_COMPRESSED},
        {7, MALI_BLOCK_FORMAT_AFBC_TILED, GFX_COMPRESSED},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct setting s = usual(rows[i].version);
        struct gfx_frame f;
        const struct gpu_afbc *a = &f.target[0].surface.afbc;

        s.t[0].block_format = rows[i].number;
        s.t[0].afbc_header = 0x4440;
        s.t[0].afbc_stride = 9;
        s.t[0].afbc_wide = rows[i].version >= 6;
        assert_true(read_setting(&s, &f));
        assert_int_equal(f.target[0].surface.blocks, rows[i].want);
        assert_int_equal(f.target[0].write, rows[i].want != GFX_NO_WRITE);
        if (rows[i].want != GFX_COMPRESSED)
            continue;
        assert_int_equal(a->headers, 0x4440);
        assert_int_equal(a->wide, rows[i].version >= 6);
        assert_int_equal(a->tiled, rows[i].number == MALI_BLOCK_FORMAT_AFBC_TILED);
        assert_int_equal(a->stride, rows[i].version == 5 ? 4 : 9); /* 50 pixels are 4 blocks */
    }
}

/* ---- depth and stencil ----------------------------------------------------------------------- */

static void depth_and_stencil_are_read(void **state)
{
    struct setting s = usual(7);
    struct gfx_frame f;

    (void)state;
    s.f.has_zs_crc = 1;
    s.f.depth_write = 1;
    s.f.depth_format = MALI_DEPTH_FORMAT_D24;
    s.f.depth_clear = 0.5f;
    s.f.stencil_clear = 0x77;
    s.zs.format = MALI_ZS_FORMAT_D24S8;
    s.zs.clean_write = 1;
    s.zs.surface = (struct mali_surface){0x2000, 220, 330};
    s.zs.samples = MALI_SAMPLE_LAYOUT_LAYERED;
    s.zs.stencil_format = MALI_STENCIL_FORMAT_S8;
    s.zs.stencil_surface = (struct mali_surface){0x3000, 50, 60};
    s.zs.stencil_block_format = MALI_BLOCK_FORMAT_INTERLEAVED;
    assert_true(read_setting(&s, &f));
    assert_int_equal(f.zs.depth_format, MALI_DEPTH_FORMAT_D24);
    assert_int_equal(f.zs.clear_depth, 0x800000);
    assert_int_equal(f.zs.clear_stencil, 0x77);
    assert_int_equal(f.zs.format, MALI_ZS_FORMAT_D24S8);
    assert_int_equal(f.zs.surface.base, 0x2000);
    assert_int_equal(f.zs.surface.row_stride, 220);
    assert_int_equal(f.zs.surface.sample_stride, 330);
    assert_true(f.zs.surface.layered);
    assert_int_equal(f.zs.stencil_format, MALI_STENCIL_FORMAT_S8);
    assert_int_equal(f.zs.stencil_surface.base, 0x3000);
    assert_int_equal(f.zs.stencil_surface.blocks, GFX_TILED);
    assert_false(f.zs.stencil_surface.layered);
    assert_true(f.zs.write_depth && f.zs.clean_write);
    assert_false(f.zs.write_stencil);
    s.f.depth_write = 0;
    s.f.stencil_write = 1;
    assert_true(read_setting(&s, &f));
    assert_true(f.zs.write_stencil);
    assert_false(f.zs.write_depth);
    s.f.depth_write = 1;
    s.zs.format = MALI_ZS_FORMAT_NONE;
    assert_true(read_setting(&s, &f));
    assert_false(f.zs.write_depth);
    s.f.has_zs_crc = 0; /* nothing follows */
    s.zs.format = MALI_ZS_FORMAT_D16;
    assert_true(read_setting(&s, &f));
    assert_false(f.zs.write_depth || f.zs.write_stencil);
}

/* Version 4 has no field for the precision of depth: it is that of the format in memory. */
static void formats_of_depth_tell_the_precision(void **state)
{
    static const uint32_t rows[][2] = {{MALI_ZS_FORMAT_NONE, MALI_DEPTH_FORMAT_D24},
                                       {MALI_ZS_FORMAT_D16, MALI_DEPTH_FORMAT_D16},
                                       {MALI_ZS_FORMAT_D24S8, MALI_DEPTH_FORMAT_D24},
                                       {MALI_ZS_FORMAT_D32, MALI_DEPTH_FORMAT_D32},
                                       {MALI_ZS_FORMAT_D32_S8X24, MALI_DEPTH_FORMAT_D32}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (unsigned clean = 0; clean < 2; clean++) {
            struct setting s = usual(4);
            struct gfx_frame f;

            s.zs.format = rows[i][0];
            s.f.depth_write = 1;
            s.t[0].clean_write = clean;
            assert_true(read_setting(&s, &f));
            assert_int_equal(f.zs.depth_format, rows[i][1]);
            assert_int_equal(f.zs.write_depth, rows[i][0] != MALI_ZS_FORMAT_NONE);
            assert_int_equal(f.zs.clean_write, clean);
        }
}

static void depth_may_be_compressed(void **state)
{
    struct setting s = usual(7);
    struct gfx_frame f;

    (void)state;
    s.f.has_zs_crc = 1;
    s.zs.format = MALI_ZS_FORMAT_D24S8;
    s.zs.block_format = MALI_BLOCK_FORMAT_AFBC_TILED;
    s.zs.surface = (struct mali_surface){0x2000, 0x2000 | 24, 0}; /* thirteen bits */
    s.zs.stencil_surface = (struct mali_surface){0x3000, 0, 0};
    assert_true(read_setting(&s, &f));
    assert_int_equal(f.zs.surface.blocks, GFX_COMPRESSED);
    assert_int_equal(f.zs.surface.base, 0x3000);
    assert_int_equal(f.zs.surface.afbc.headers, 0x2000);
    assert_int_equal(f.zs.surface.afbc.stride, 24);
    assert_true(f.zs.surface.afbc.tiled);
    s.zs.block_format = MALI_BLOCK_FORMAT_AFBC_SPARSE;
    assert_true(read_setting(&s, &f));
    assert_false(f.zs.surface.afbc.tiled);
    s = usual(5);
    s.f.has_zs_crc = 1;
    s.zs.format = MALI_ZS_FORMAT_D24S8;
    s.zs.block_format = MALI_BLOCK_FORMAT_AFBC;
    assert_true(read_setting(&s, &f));
    assert_int_equal(f.zs.surface.afbc.stride, 4);
}

static void signatures_are_read(void **state)
{
    struct gfx_frame f;

    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        struct setting s = usual(7);
        bool there = i & 4;

        s.f.has_zs_crc = 1;
        s.f.crc_read = i & 1;
        s.f.crc_write = i >> 1 & 1;
        s.zs.crc = there ? 0x5000 : 0;
        s.zs.crc_row_stride = 0x70;
        s.zs.crc_target = 3;
        assert_true(read_setting(&s, &f));
        assert_int_equal(f.signatures.read, there && i & 1);
        assert_int_equal(f.signatures.write, there && i & 2);
        assert_int_equal(f.signatures.row_stride, 0x70);
        assert_int_equal(f.signatures.target, 3);
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void check_refusal(struct setting *s, const char *what)
{
    struct gfx_frame f;

    put_setting(s);
    s->out = (struct gpu_outcome){.progress = GPU_PROGRESS_MORE};
    assert_false(read_there(s, &f));
    assert_int_equal(s->out.progress, GPU_PROGRESS_FAILED);
    assert_int_equal(s->out.code, GPU_JOB_UNIMPLEMENTED);
    assert_string_equal(s->out.refused, what);
}

static void wrong_frames_are_refused(void **state)
{
    struct setting s;
    struct gfx_frame f;

    (void)state;
    s = usual(7);
    s.t[0].is_yuv = 1;
    check_refusal(&s, "this layout of a render target");
    s.t[0].write = 0; /* of no importance */
    assert_true(read_setting(&s, &f));
    s = usual(6);
    s.t[0].endianness = 1;
    check_refusal(&s, "this layout of a render target");
    s = usual(5);
    s.t[0].block_format = MALI_BLOCK_FORMAT_TILED_LINEAR;
    check_refusal(&s, "this layout of a render target");
    s = usual(4);
    s.t[0].block_format = MALI_BLOCK_FORMAT_AFBC; /* version 4 has none */
    check_refusal(&s, "this layout of a render target");
    s = usual(7);
    s.t[0].tile_format = MALI_TILE_FORMAT_RAW_8; /* larger in memory than in the tile */
    check_refusal(&s, "this format of a render target");
    s = usual(5);
    s.f.has_zs_crc = 1;
    s.zs.format = MALI_ZS_FORMAT_D16;
    s.zs.block_format = MALI_BLOCK_FORMAT_TILED_LINEAR;
    check_refusal(&s, "this layout of a depth buffer");
    s.zs.format = MALI_ZS_FORMAT_NONE;
    assert_true(read_setting(&s, &f));
    s.zs.stencil_format = MALI_STENCIL_FORMAT_S8;
    s.zs.stencil_block_format = MALI_BLOCK_FORMAT_TILED_LINEAR;
    check_refusal(&s, "this layout of a depth buffer");
}

static void check_invalid(struct setting *s)
{
    struct gfx_frame f;

    s->out = (struct gpu_outcome){.progress = GPU_PROGRESS_MORE};
    assert_false(read_there(s, &f));
    assert_int_equal(s->out.progress, GPU_PROGRESS_FAILED);
    assert_int_equal(s->out.code, GPU_JOB_CONFIG_FAULT);
}

static void invalid_frames_fail(void **state)
{
    struct setting s = usual(7);
    struct gfx_frame f;

    (void)state;
    s.pointer.multiple_targets = 0; /* version 4's kind of descriptor */
    put_setting(&s);
    check_invalid(&s);
    s = usual(7);
    s.f.target_count = 9;
    memset(parts_memory + AT, 0, 128);
    assert_null(mali_framebuffer_pack(7, &s.f, parts_memory + AT));
    check_invalid(&s);
    s = usual(7);
    s.f.sample_count = 32;
    put_setting(&s);
    check_invalid(&s);
    s = usual(7);
    s.pointer.pointer = PARTS_BYTES;
    assert_false(read_there(&s, &f));
    assert_int_equal(s.out.progress, GPU_PROGRESS_FAULT);
    assert_int_equal(s.out.fault.va, PARTS_BYTES);
}

/* ---- jobs without shaders -------------------------------------------------------------------- */

enum { JOB = 0x800, MAP = 0xc00, CLEAR = 0x04030201 };

/* A fragment job of a frame that is only cleared. */
static struct gpu_fragment *start_job(struct setting *s, const struct mali_fragment_payload *p,
                                      const struct gpu_address_space *as)
{
    static struct gpu_variant variant;
    uint8_t raw[MALI_FRAGMENT_PAYLOAD_BYTES] = {0};

    variant = (struct gpu_variant){.architecture = s->version, .cores = 2};
    memset(parts_memory, 0xa5, sizeof(parts_memory));
    for (unsigned i = 0; i < 4; i++)
        s->t[0].clear[i] = CLEAR;
    s->t[0].clean_write = 1;
    s->t[0].swizzle = 0 | 1 << 3 | 2 << 6 | 3 << 9;
    put_setting(s);
    assert_null(mali_fragment_payload_pack(s->version, p, raw));
    memcpy(parts_memory + JOB + MALI_JOB_HEADER_BYTES, raw,
           mali_fragment_payload_bytes(s->version));
    return gpu_fragment_start(NULL, &variant, as, JOB, &s->out);
}

static struct mali_fragment_payload usual_payload(const struct setting *s)
{
    struct mali_fragment_payload p = {0};
    uint8_t raw[MALI_FRAMEBUFFER_POINTER_BYTES] = {0};

    mali_fragment_payload_usual(s->version, &p);
    assert_null(mali_framebuffer_pointer_pack(s->version, &s->pointer, raw));
    p.framebuffer = le_get(raw, 8);
    p.bound_max_x = 3;
    p.bound_max_y = 2;
    return p;
}

/* Steps the job to its end; returns the number of steps, and in *cycles the sum. */
static unsigned finish_job(struct gpu_fragment *f, uint64_t *cycles)
{
    struct gpu_outcome out;
    unsigned steps = 0;

    *cycles = 0;
    do {
        assert_in_range(steps++, 0, 100);
        gpu_fragment_step(f, &out);
        *cycles += out.cycles;
    } while (out.progress == GPU_PROGRESS_MORE);
    assert_int_equal(out.progress, GPU_PROGRESS_DONE);
    return steps;
}

static bool is_cleared(uint32_t x, uint32_t y)
{
    uint32_t word = (uint32_t)le_get(parts_memory + 0x1000 + y * 200 + 4 * x, 4);

    assert_true(word == CLEAR || word == 0xa5a5a5a5);
    return word == CLEAR;
}

static void frames_are_cleared(void **state)
{
    struct setting s = usual(7);
    struct mali_fragment_payload p = usual_payload(&s);
    struct gpu_fragment *f;
    uint64_t cycles;

    (void)state;
    p.bound_min_x = p.bound_max_x = 1;
    f = start_job(&s, &p, &parts_space);
    assert_non_null(f);
    /* To begin, to draw nothing, to write, and to end: a cycle each, and 64 per tile and core. */
    assert_int_equal(finish_job(f, &cycles), 4);
    assert_int_equal(cycles, 4 + 3 * 64 / 2);
    for (uint32_t y = 0; y < 40; y++)
        for (uint32_t x = 0; x < 50; x++)
            assert_int_equal(is_cleared(x, y), x >= 16 && x < 32);
    gpu_fragment_free(f);
    gpu_fragment_free(NULL);
}

/* A bit of the map stands for 32 by 32 pixels. */
static void maps_enable_tiles(void **state)
{
    struct setting s = usual(7);
    struct mali_fragment_payload p = usual_payload(&s);
    struct gpu_fragment *f;
    uint64_t cycles;

    (void)state;
    p.has_tile_enable_map = 1;
    p.tile_enable_map = MAP;
    p.tile_enable_map_row_stride = 64;
    f = start_job(&s, &p, &parts_space);
    parts_memory[MAP] = 2; /* the second square above, the first one below */
    parts_memory[MAP + 64] = 1;
    finish_job(f, &cycles);
    for (uint32_t y = 0; y < 40; y++)
        for (uint32_t x = 0; x < 50; x++)
            assert_int_equal(is_cleared(x, y), (x >= 32) != (y >= 32));
    gpu_fragment_free(f);
    p.has_tile_enable_map = 0;
    f = start_job(&s, &p, &parts_space);
    parts_memory[MAP] = 0;
    finish_job(f, &cycles);
    assert_true(is_cleared(0, 0) && is_cleared(49, 39));
    gpu_fragment_free(f);
    p.has_tile_enable_map = 1;
    p.tile_enable_map = PARTS_BYTES;
    f = start_job(&s, &p, &parts_space);
    for (unsigned i = 0; i < 2; i++) { /* again and again until the page is there */
        gpu_fragment_step(f, &s.out);
        assert_int_equal(s.out.progress, GPU_PROGRESS_FAULT);
        assert_int_equal(s.out.fault.va, PARTS_BYTES);
    }
    gpu_fragment_free(f);
}

/* A surface with a missing page: the step repeats, and goes on when the page is there. */
static uint32_t wanted_page;

static uint32_t translate_late(void *opaque, uint64_t va, enum gpu_access access,
                               struct gpu_page *out)
{
    if (va >= wanted_page && va < wanted_page + 0x1000)
        return 7;
    if (va >= PARTS_BYTES)
        return 7;
    (void)opaque;
    (void)access;
    *out = (struct gpu_page){.host = parts_memory + (va & ~UINT64_C(0xfff)),
                             .bytes = 0x1000,
                             .read = true,
                             .write = true};
    return 0;
}

static void writes_wait_for_pages(void **state)
{
    const struct gpu_address_space late = {.translate = translate_late};
    struct setting s = usual(7);
    struct mali_fragment_payload p = usual_payload(&s);
    struct gpu_fragment *f;
    uint64_t cycles;

    (void)state;
    wanted_page = 0x2000;
    f = start_job(&s, &p, &late);
    assert_non_null(f);
    gpu_fragment_step(f, &s.out);
    gpu_fragment_step(f, &s.out);
    for (unsigned i = 0; i < 2; i++) {
        gpu_fragment_step(f, &s.out);
        assert_int_equal(s.out.progress, GPU_PROGRESS_FAULT);
        assert_in_range(s.out.fault.va, 0x2000, 0x2fff);
    }
    wanted_page = PARTS_BYTES;
    finish_job(f, &cycles);
    for (uint32_t y = 0; y < 40; y++)
        assert_true(is_cleared(0, y) && is_cleared(49, y));
    gpu_fragment_free(f);
}

static void jobs_may_not_start(void **state)
{
    struct setting s = usual(7);
    struct mali_fragment_payload p = usual_payload(&s);

    (void)state;
    s.t[0].is_yuv = 1;
    assert_null(start_job(&s, &p, &parts_space));
    assert_string_equal(s.out.refused, "this layout of a render target");
    s = usual(7);
    s.f.tiler = PARTS_BYTES; /* the list of primitives is nowhere */
    assert_null(start_job(&s, &p, &parts_space));
    assert_int_equal(s.out.progress, GPU_PROGRESS_FAULT);
    s = usual(7);
    p.framebuffer = 0;
    assert_null(start_job(&s, &p, &parts_space));
    assert_int_equal(s.out.progress, GPU_PROGRESS_FAILED);
}

/* Frame shaders need cores; their mode may be never. */
static void shaders_need_cores(void **state)
{
    static const unsigned shaders[3] = {0, 1, 2};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct setting s = usual(7);
        struct mali_fragment_payload p = usual_payload(&s);
        struct gpu_fragment *f;
        unsigned steps = 0;

        s.f.frame_draws = 0x9000;
        s.f.pre_frame_0 = i == shaders[0];
        s.f.pre_frame_1 = i == shaders[1];
        s.f.post_frame = i == shaders[2];
        f = start_job(&s, &p, &parts_space);
        do
            gpu_fragment_step(f, &s.out);
        while (s.out.progress == GPU_PROGRESS_MORE && ++steps < 10);
        assert_int_equal(s.out.progress, i < 3 ? GPU_PROGRESS_FAILED : GPU_PROGRESS_DONE);
        if (i < 3)
            assert_string_equal(s.out.refused, "graphics without shader cores");
        gpu_fragment_free(f);
    }
}

int run_frame_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_all_versions_are_read),
        cmocka_unit_test(bounds_are_intersected),
        cmocka_unit_test(patterns_give_places),
        cmocka_unit_test(fields_of_targets_are_read),
        cmocka_unit_test(layouts_of_targets_are_read),
        cmocka_unit_test(depth_and_stencil_are_read),
        cmocka_unit_test(formats_of_depth_tell_the_precision),
        cmocka_unit_test(depth_may_be_compressed),
        cmocka_unit_test(signatures_are_read),
        cmocka_unit_test(wrong_frames_are_refused),
        cmocka_unit_test(invalid_frames_fail),
        cmocka_unit_test(frames_are_cleared),
        cmocka_unit_test(maps_enable_tiles),
        cmocka_unit_test(writes_wait_for_pages),
        cmocka_unit_test(jobs_may_not_start),
        cmocka_unit_test(shaders_need_cores),
    };

    return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
