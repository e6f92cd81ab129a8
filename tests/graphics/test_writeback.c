/* Tile buffers: what they are cleared to, and how tiles are stored to memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "tests/graphics/parts.h"

enum { UNWRITTEN = 0xa5, SIGNATURES = 0x10000, WILD = 1 << 20 };

/* A frame whose tiles are all in one band. */
struct canvas {
    struct gfx_frame f;
    struct gfx_band b;
};

static void begin(struct canvas *c, const struct gfx_frame *f)
{
    memset(parts_memory, UNWRITTEN, sizeof(parts_memory));
    c->f = *f;
    gfx_band_begin(&c->b, &c->f, 0, gfx_band_rows(&c->f));
}

static void end(struct canvas *c)
{
    gfx_band_end(&c->b);
}

static uint8_t *pixel_at(struct canvas *c, uint32_t x, uint32_t y, unsigned sample)
{
    return c->b.color[0] + (gfx_band_place(&c->b, x, y) + sample) * c->f.target[0].tile->bytes;
}

/* A colour that tells its place: no byte is UNWRITTEN. */
static uint32_t color_of(uint32_t x, uint32_t y, unsigned sample)
{
    return x | y << 8 | sample << 16 | 0xffu << 24;
}

static void fill(struct canvas *c)
{
    for (uint32_t y = 0; y < c->b.box.y1; y++)
        for (uint32_t x = 0; x < c->b.box.x1; x++)
            for (unsigned s = 0; s < c->f.samples; s++)
                le_put(pixel_at(c, x, y, s), 4, color_of(x, y, s));
}

static void write_all(struct canvas *c)
{
    struct gpu_fault fault;

    for (unsigned tile = 0; tile < gfx_band_tiles(&c->b); tile++)
        assert_true(gfx_tile_write(&c->f, &c->b, &parts_space, tile, &fault));
}

/* Bytes that were written before the signatures. */
static unsigned written_bytes(void)
{
    unsigned count = 0;

    for (unsigned i = 0; i < SIGNATURES; i++)
        count += parts_memory[i] != UNWRITTEN;
    return count;
}

enum { PIXELS = 17 * 16 }; /* of the frame */

/* ---- bands ----------------------------------------------------------------------------------- */

static void bands_are_whole_tiles(void **state)
{
    struct gfx_frame f = parts_frame(4);
    struct gfx_band b;

    (void)state;
    assert_int_equal(gfx_band_rows(&f), 2);
    gfx_band_begin(&b, &f, 1, 1);
    assert_int_equal(b.columns, 2);
    assert_int_equal(b.rows, 1);
    assert_int_equal(b.samples, 4);
    assert_int_equal(b.box.x0, 0);
    assert_int_equal(b.box.x1, 32);
    assert_int_equal(b.box.y0, 16);
    assert_int_equal(b.box.y1, 32);
    assert_int_equal(gfx_band_place(&b, 17, 18), (256 + 2 * 16 + 1) * 4);
    gfx_band_end(&b);
    assert_null(b.color[0]);
    f.box = (struct gfx_box){16, 16, 32, 32};
    assert_int_equal(gfx_band_rows(&f), 1);
    gfx_band_begin(&b, &f, 1, 1);
    assert_int_equal(b.columns, 1);
    assert_int_equal(b.box.x0, 16);
    gfx_band_end(&b);
}

/* A row of tiles of 2^14 pixels takes 2^10 * 256 * 9 bytes per sample; 28 of them are 2^26. */
static void bands_are_limited(void **state)
{
    struct gfx_frame f = parts_frame(1);

    (void)state;
    f.box = (struct gfx_box){0, 0, 1 << 14, 1 << 14};
    assert_int_equal(gfx_band_rows(&f), 28);
    f.samples = 16;
    assert_int_equal(gfx_band_rows(&f), 1);
    f.samples = 1;
    f.box.y1 = 160;
    assert_int_equal(gfx_band_rows(&f), 10);
    f.targets = 2;
    f.target[1] = f.target[0];
    f.box.y1 = 1 << 14;
    assert_int_equal(gfx_band_rows(&f), (1 << 26) / (1024 * 256 * 13));
    f.box = (struct gfx_box){0};
    assert_int_equal(gfx_band_rows(&f), 1);
}

static void bands_begin_with_clear_values(void **state)
{
    struct gfx_frame f = parts_frame(2);
    struct gfx_band b;

    (void)state;
    f.targets = 2;
    f.target[1].tile = gfx_tile_format(MALI_TILE_FORMAT_RAW, 8);
    f.target[0].clear[0] = 0x11223344;
    f.target[1].clear[0] = 0x55667788;
    f.target[1].clear[1] = 0x99aabbcc;
    f.zs.clear_depth = 0x123456;
    f.zs.clear_stencil = 0x78;
    gfx_band_begin(&b, &f, 0, 2);
    for (size_t i = 0; i < (size_t)4 * GFX_TILE_PIXELS * 2; i++) {
        assert_int_equal(le_get(b.color[0] + 4 * i, 4), 0x11223344);
        assert_int_equal(le_get(b.color[1] + 8 * i, 8), 0x99aabbcc55667788);
        assert_int_equal(b.depth[i], 0x123456);
        assert_int_equal(b.stencil[i], 0x78);
    }
    for (unsigned i = 0; i < 4; i++)
        assert_false(b.has_primitive[i] || b.disabled[i] || b.unchanged[i]);
    assert_null(b.overdraw);
    gfx_band_end(&b);
}

/* ---- colours --------------------------------------------------------------------------------- */

/* All pixels of the frame, at their places, and nothing else, are stored. */
static void check_linear(const struct canvas *c, uint64_t base, unsigned sample)
{
    for (uint32_t y = c->f.box.y0; y < c->f.box.y1; y++)
        for (uint32_t x = c->f.box.x0; x < c->f.box.x1; x++)
            assert_int_equal(le_get(parts_memory + base + y * PARTS_ROW + 4 * x, 4),
                             color_of(x, y, sample));
}

static void rows_are_stored(void **state)
{
    struct gfx_frame f = parts_frame(1);
    struct canvas c;

    (void)state;
    begin(&c, &f);
    fill(&c);
    write_all(&c);
    check_linear(&c, PARTS_SURFACE, 0);
    assert_int_equal(written_bytes(), PIXELS * 4);
    end(&c);
}

/* Rows may go upwards in memory. */
static void rows_may_go_upwards(void **state)
{
    struct gfx_frame f = parts_frame(1);
    struct canvas c;

    (void)state;
    f.target[0].surface.base = 0x4000;
    f.target[0].surface.row_stride = -PARTS_ROW;
    begin(&c, &f);
    fill(&c);
    write_all(&c);
    assert_int_equal(le_get(parts_memory + 0x4000 - 5 * PARTS_ROW + 4 * 7, 4), color_of(7, 5, 0));
    assert_int_equal(written_bytes(), PIXELS * 4);
    end(&c);
}

static void tiles_are_stored_interleaved(void **state)
{
    struct gfx_frame f = parts_frame(1);
    struct canvas c;

    (void)state;
    f.target[0].surface.blocks = GFX_TILED;
    f.target[0].surface.row_stride = 0x900; /* of a row of tiles */
    begin(&c, &f);
    fill(&c);
    write_all(&c);
    assert_int_equal(written_bytes(), PIXELS * 4);
    for (uint32_t y = 2; y < 18; y++)
        for (uint32_t x = 3; x < 20; x++)
            assert_int_equal(
                le_get(parts_memory + PARTS_SURFACE + gpu_texel_offset(true, x, y, 0x900, 4), 4),
                color_of(x, y, 0));
    end(&c);
}

static void samples_may_have_surfaces(void **state)
{
    struct gfx_frame f = parts_frame(4);
    struct canvas c;

    (void)state;
    f.target[0].surface.layered = true;
    f.target[0].surface.sample_stride = 0x2000;
    begin(&c, &f);
    fill(&c);
    write_all(&c);
    for (unsigned s = 0; s < 4; s++)
        check_linear(&c, PARTS_SURFACE + s * 0x2000, s);
    assert_int_equal(written_bytes(), PIXELS * 16);
    end(&c);
}

/* The mean of 10, 20, 30 and 44 is 26, that of 255, 255, 0 and 2 is 128. */
static void samples_are_resolved_to_their_mean(void **state)
{
    static const uint32_t samples[4] = {0x0a00ff0a, 0x1400ff14, 0x1e00001e, 0x2c00022c};
    struct gfx_frame f = parts_frame(4);
    struct canvas c;

    (void)state;
    begin(&c, &f);
    for (unsigned s = 0; s < 4; s++)
        le_put(pixel_at(&c, 18, 17, s), 4, samples[s]);
    write_all(&c);
    assert_int_equal(le_get(parts_memory + PARTS_SURFACE + 17 * PARTS_ROW + 18 * 4, 4), 0x1a00801a);
    end(&c);
}

/* 20.25 of 31 becomes 21 in a quarter of the pixels with dithering, and in none without. */
static void dithering_is_for_fractions(void **state)
{
    struct gfx_frame f = parts_frame(1);
    struct gfx_target *t = &f.target[0];
    struct canvas c;

    (void)state;
    for (unsigned dither = 0; dither < 2; dither++) {
        const float color[4] = {20.25f / 31, 0, 0, 1};
        unsigned larger = 0;

        t->tile = gfx_tile_format(MALI_TILE_FORMAT_R5G6B5A0, 2);
        t->memory = gfx_memory_format(7, MALI_COLOR_FORMAT_R5G6B5, t->tile);
        t->dither = dither;
        f.box = (struct gfx_box){0, 0, 16, 16};
        t->clear[0] = gfx_tile_encode(t->tile, color, false);
        begin(&c, &f);
        write_all(&c);
        for (unsigned i = 0; i < 256; i++) {
            unsigned red = parts_memory[PARTS_SURFACE + i / 16 * PARTS_ROW + i % 16 * 2] & 31;

            assert_in_range(red, 20, 21);
            larger += red == 21;
        }
        assert_int_equal(larger, dither ? 64 : 0);
        end(&c);
    }
}

static void raw_colors_are_stored_unchanged(void **state)
{
    struct gfx_frame f = parts_frame(1);
    struct gfx_target *t = &f.target[0];
    struct canvas c;

    (void)state;
    t->tile = gfx_tile_format(MALI_TILE_FORMAT_RAW, 8);
    t->memory = gfx_memory_format(7, MALI_COLOR_FORMAT_RAW_64, t->tile);
    begin(&c, &f);
    le_put(pixel_at(&c, 19, 3, 0), 8, 0x1122334455667788);
    write_all(&c);
    assert_int_equal(le_get(parts_memory + PARTS_SURFACE + 3 * PARTS_ROW + 19 * 8, 8),
                     0x1122334455667788);
    end(&c);
}

/* What the texture unit reads of a compressed surface. */
static uint32_t compressed_pixel(const struct gpu_afbc *a, uint32_t x, uint32_t y)
{
    uint64_t block;
    unsigned texel = gpu_afbc_place(a, x, y, &block);
    uint64_t offset = gpu_afbc_offset(parts_memory + a->headers + block * MALI_AFBC_HEADER_BYTES);

    assert_in_range(a->headers + offset + texel * 4, 0, PARTS_BYTES - 4);
    return (uint32_t)le_get(parts_memory + a->headers + offset + texel * 4, 4);
}

static void compressed_surfaces_are_stored(void **state)
{
    struct gfx_frame f = parts_frame(1);
    struct gpu_afbc *a = &f.target[0].surface.afbc;
    struct canvas c;

    (void)state;
    f.target[0].surface.blocks = GFX_COMPRESSED;
    f.target[0].surface.base = 0x8000;
    for (unsigned form = 0; form < 3; form++) {
        *a = (struct gpu_afbc){
            .headers = 0x2000, .stride = 8, .wide = form == 1, .tiled = form == 2};
        begin(&c, &f);
        fill(&c);
        write_all(&c);
        for (uint32_t y = 2; y < 18; y++)
            for (uint32_t x = 3; x < 20; x++)
                assert_int_equal(compressed_pixel(a, x, y), color_of(x, y, 0));
        /* The body of block (0, 0) is the first. */
        assert_int_equal(gpu_afbc_offset(parts_memory + 0x2000), 0x8000 - 0x2000);
        end(&c);
    }
}

/* ---- which tiles ----------------------------------------------------------------------------- */

static void tiles_without_primitives_may_stay(void **state)
{
    struct gfx_frame f = parts_frame(1);
    struct canvas c;

    (void)state;
    f.target[0].clean_write = false;
    begin(&c, &f);
    fill(&c);
    write_all(&c);
    assert_int_equal(written_bytes(), 0);
    c.b.has_primitive[1] = 1; /* pixels 16 to 19 of rows 2 to 15 */
    write_all(&c);
    assert_int_equal(written_bytes(), 4 * 14 * 4);
    assert_int_equal(gfx_tile_bytes(&c.f, &c.b, 1), 4 * 14 * 4);
    assert_int_equal(gfx_tile_bytes(&c.f, &c.b, 0), 0);
    end(&c);
    f.target[0].clean_write = true;
    begin(&c, &f);
    fill(&c);
    c.b.disabled[0] = c.b.disabled[2] = c.b.disabled[3] = 1;
    write_all(&c);
    assert_int_equal(written_bytes(), 4 * 14 * 4);
    assert_int_equal(gfx_tile_bytes(&c.f, &c.b, 0), 0);
    end(&c);
    f.target[0].write = false;
    begin(&c, &f);
    write_all(&c);
    assert_int_equal(written_bytes(), 0);
    assert_int_equal(gfx_tile_bytes(&c.f, &c.b, 1), 0);
    end(&c);
}

static void bytes_of_tiles_are_counted(void **state)
{
    struct gfx_frame f = parts_frame(4);
    struct canvas c;

    (void)state;
    f.targets = 2;
    f.target[1] = f.target[0];
    f.target[1].surface.layered = true;
    f.zs.format = MALI_ZS_FORMAT_D24S8;
    f.zs.stencil_format = MALI_STENCIL_FORMAT_S8;
    f.zs.write_depth = true;
    begin(&c, &f);
    /* 13 by 14 pixels, resolved and with four samples; depth is not stored. */
    assert_int_equal(gfx_tile_bytes(&c.f, &c.b, 0), 13 * 14 * (4 + 16));
    c.f.zs.clean_write = true;
    assert_int_equal(gfx_tile_bytes(&c.f, &c.b, 0), 13 * 14 * (4 + 16 + 4));
    c.f.zs.surface.layered = true;
    assert_int_equal(gfx_tile_bytes(&c.f, &c.b, 3), 4 * 2 * (4 + 16 + 16));
    c.f.zs.write_depth = false;
    c.f.zs.write_stencil = true; /* in both */
    assert_int_equal(gfx_tile_bytes(&c.f, &c.b, 3), 4 * 2 * (4 + 16 + 16 + 1));
    c.f.zs.format = MALI_ZS_FORMAT_D16;
    assert_int_equal(gfx_tile_bytes(&c.f, &c.b, 3), 4 * 2 * (4 + 16 + 1));
    c.b.unchanged[3] = 1; /* target 0, whose signature memory has */
    assert_int_equal(gfx_tile_bytes(&c.f, &c.b, 3), 4 * 2 * (16 + 1));
    end(&c);
}

static void missing_pages_are_told(void **state)
{
    struct gfx_frame f = parts_frame(1);
    struct gpu_fault fault = {0};
    struct canvas c;

    (void)state;
    f.target[0].surface.base = WILD;
    for (unsigned form = 0; form < 3; form++) {
        f.target[0].surface.blocks =
            (enum gfx_blocks[]){GFX_LINEAR, GFX_TILED, GFX_COMPRESSED}[form];
        f.target[0].surface.afbc = (struct gpu_afbc){.headers = WILD, .stride = 2};
        begin(&c, &f);
        fault.va = 0;
        assert_false(gfx_tile_write(&c.f, &c.b, &parts_space, 0, &fault));
        assert_in_range(fault.va, WILD, WILD + 0x1000);
        end(&c);
    }
    f.target[0].surface.afbc.headers = 0x2000; /* there are headers, and no body */
    begin(&c, &f);
    assert_false(gfx_tile_write(&c.f, &c.b, &parts_space, 0, &fault));
    end(&c);
    f = parts_frame(1);
    f.target[0].write = false;
    f.zs.clean_write = f.zs.write_depth = true;
    f.zs.format = MALI_ZS_FORMAT_D16;
    f.zs.surface = (struct gfx_surface){.base = WILD, .blocks = GFX_LINEAR};
    begin(&c, &f);
    assert_false(gfx_tile_write(&c.f, &c.b, &parts_space, 0, &fault));
    end(&c);
    f = parts_frame(1);
    f.signatures.base = WILD;
    f.signatures.write = true;
    begin(&c, &f);
    assert_false(gfx_tile_write(&c.f, &c.b, &parts_space, 0, &fault));
    f.signatures.read = true;
    f.signatures.write = false;
    c.f.signatures = f.signatures;
    assert_false(gfx_tile_write(&c.f, &c.b, &parts_space, 0, &fault));
    end(&c);
}

/* ---- signatures ------------------------------------------------------------------------------ */

static uint64_t signature_at(unsigned column, unsigned row)
{
    return le_get(parts_memory + SIGNATURES + row * 0x40 + column * 8, 8);
}

/* A tile that memory has already is not stored; any other pixel makes it another tile. */
static void tiles_that_memory_has_are_left_out(void **state)
{
    struct gfx_frame f = parts_frame(1);
    struct canvas c;

    (void)state;
    f.signatures.base = SIGNATURES;
    f.signatures.row_stride = 0x40;
    f.signatures.write = true;
    begin(&c, &f);
    fill(&c);
    write_all(&c);
    assert_int_not_equal(signature_at(0, 0), signature_at(1, 0));
    assert_int_not_equal(signature_at(0, 0), signature_at(0, 1));
    assert_int_equal(parts_memory[SIGNATURES + 16], UNWRITTEN);
    assert_int_equal(written_bytes(), PIXELS * 4);
    c.f.signatures.read = true;
    memset(parts_memory + PARTS_SURFACE, UNWRITTEN, 0x4000);
    le_put(pixel_at(&c, 19, 17, 0), 4, 0x12345678); /* the frame's last pixel, of the last tile */
    le_put(pixel_at(&c, 20, 17, 0), 4, 0x12345678); /* outside of the frame */
    write_all(&c);
    assert_int_equal(written_bytes(), 4 * 2 * 4);
    for (unsigned tile = 0; tile < 3; tile++) {
        assert_true(c.b.unchanged[tile]);
        assert_int_equal(gfx_tile_bytes(&c.f, &c.b, tile), 0);
    }
    assert_false(c.b.unchanged[3]);
    end(&c);
}

static void signatures_are_of_one_target(void **state)
{
    struct gfx_frame f = parts_frame(1);
    struct canvas c;
    uint64_t before;

    (void)state;
    f.signatures.base = SIGNATURES;
    f.signatures.row_stride = 0x40;
    f.signatures.read = f.signatures.write = true;
    f.signatures.target = 1;
    begin(&c, &f);
    write_all(&c);
    assert_int_equal(written_bytes(), PIXELS * 4);
    c.f.signatures.target = 0;
    c.f.signatures.write = false; /* compared, not stored */
    write_all(&c);
    assert_int_equal(written_bytes(), PIXELS * 4);
    c.f.signatures.write = true;
    c.f.signatures.read = false;
    write_all(&c);
    before = signature_at(1, 1);
    assert_int_not_equal(before, 0);
    le_put(pixel_at(&c, 18, 16, 0), 4, 1);
    write_all(&c);
    assert_int_not_equal(signature_at(1, 1), before);
    end(&c);
    f = parts_frame(4);
    f.target[0].surface.layered = true;
    f.target[0].surface.sample_stride = 0x2000;
    f.signatures = c.f.signatures;
    begin(&c, &f);
    write_all(&c); /* surfaces of samples have no signature */
    assert_int_equal(signature_at(1, 1), 0);
    c.f.signatures.read = true;
    memset(parts_memory + PARTS_SURFACE, UNWRITTEN, 0x8000);
    write_all(&c);
    assert_int_equal(written_bytes(), PIXELS * 16);
    end(&c);
}

/* ---- depth and stencil ----------------------------------------------------------------------- */

struct zs_row {
    uint32_t format, depth;
    unsigned bytes;
    uint8_t want[8];
};

static void check_zs(const struct zs_row *r, bool separate)
{
    struct gfx_frame f = parts_frame(1);
    struct gfx_surface *s = separate ? &f.zs.stencil_surface : &f.zs.surface;
    struct canvas c;
    size_t place;

    f.target[0].write = false;
    *(separate ? &f.zs.stencil_format : &f.zs.format) = r->format;
    *s = (struct gfx_surface){.base = PARTS_SURFACE, .row_stride = PARTS_ROW, .blocks = GFX_LINEAR};
    f.zs.write_stencil = f.zs.clean_write = true;
    f.zs.write_depth = !separate;
    begin(&c, &f);
    place = gfx_band_place(&c.b, 18, 17);
    c.b.depth[place] = r->depth;
    c.b.stencil[place] = 0x9c;
    write_all(&c);
    assert_memory_equal(parts_memory + PARTS_SURFACE + 17 * PARTS_ROW + (size_t)18 * r->bytes,
                        r->want, r->bytes);
    assert_int_equal(written_bytes(), PIXELS * r->bytes);
    end(&c);
}

static void depth_and_stencil_have_formats(void **state)
{
    static const struct zs_row both[] = {
        {MALI_ZS_FORMAT_D16, 0x1234, 2, {0x34, 0x12}},
        {MALI_ZS_FORMAT_D24, 0x123456, 3, {0x56, 0x34, 0x12}},
        {MALI_ZS_FORMAT_D24X8, 0x123456, 4, {0x56, 0x34, 0x12}},
        {MALI_ZS_FORMAT_D24S8, 0x123456, 4, {0x56, 0x34, 0x12, 0x9c}},
        {MALI_ZS_FORMAT_X8D24, 0x123456, 4, {0, 0x56, 0x34, 0x12}},
        {MALI_ZS_FORMAT_S8D24, 0x123456, 4, {0x9c, 0x56, 0x34, 0x12}},
        {MALI_ZS_FORMAT_D32, 0x12345678, 4, {0x78, 0x56, 0x34, 0x12}},
        {MALI_ZS_FORMAT_D32_X8X24, 0x12345678, 8, {0x78, 0x56, 0x34, 0x12}},
        {MALI_ZS_FORMAT_D32_S8X24, 0x12345678, 8, {0x78, 0x56, 0x34, 0x12, 0x9c}},
    };
    static const struct zs_row stencil[] = {
        {MALI_STENCIL_FORMAT_S8, 0, 1, {0x9c}},
        {MALI_STENCIL_FORMAT_S8X8, 0, 2, {0x9c}},
        {MALI_STENCIL_FORMAT_S8X24, 0, 4, {0x9c}},
        {MALI_STENCIL_FORMAT_X24S8, 0, 4, {0, 0, 0, 0x9c}},
        {MALI_STENCIL_FORMAT_X8S8, 0, 2, {0, 0x9c}},
        {MALI_STENCIL_FORMAT_X32_S8X24, 0, 8, {0, 0, 0, 0, 0x9c}},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(both); i++)
        check_zs(&both[i], false);
    for (size_t i = 0; i < ARRAY_SIZE(stencil); i++)
        check_zs(&stencil[i], true);
}

/* Samples of depth have surfaces of their own, or only the first one is stored. */
static void samples_of_depth_are_stored(void **state)
{
    struct gfx_frame f = parts_frame(4);
    struct canvas c;

    (void)state;
    f.target[0].write = false;
    f.zs.format = MALI_ZS_FORMAT_D16;
    f.zs.clean_write = f.zs.write_depth = true;
    f.zs.surface = (struct gfx_surface){.base = PARTS_SURFACE,
                                        .row_stride = PARTS_ROW,
                                        .sample_stride = 0x2000,
                                        .blocks = GFX_LINEAR,
                                        .layered = true};
    begin(&c, &f);
    for (unsigned s = 0; s < 4; s++)
        c.b.depth[gfx_band_place(&c.b, 18, 17) + s] = 0x100 + s;
    write_all(&c);
    for (unsigned s = 0; s < 4; s++)
        assert_int_equal(le_get(parts_memory + PARTS_SURFACE + s * 0x2000 + 17 * PARTS_ROW + 36, 2),
                         0x100 + s);
    assert_int_equal(written_bytes(), 4 * PIXELS * 2);
    c.f.zs.write_depth = false;
    memset(parts_memory, UNWRITTEN, sizeof(parts_memory));
    write_all(&c);
    assert_int_equal(written_bytes(), 0);
    c.f.zs.write_stencil = true; /* the format has no stencil */
    write_all(&c);
    assert_int_equal(written_bytes(), 0);
    end(&c);
}

int run_writeback_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands_are_whole_tiles),
        cmocka_unit_test(bands_are_limited),
        cmocka_unit_test(bands_begin_with_clear_values),
        cmocka_unit_test(rows_are_stored),
        cmocka_unit_test(rows_may_go_upwards),
        cmocka_unit_test(tiles_are_stored_interleaved),
        cmocka_unit_test(samples_may_have_surfaces),
        cmocka_unit_test(samples_are_resolved_to_their_mean),
        cmocka_unit_test(dithering_is_for_fractions),
        cmocka_unit_test(raw_colors_are_stored_unchanged),
        cmocka_unit_test(compressed_surfaces_are_stored),
        cmocka_unit_test(tiles_without_primitives_may_stay),
        cmocka_unit_test(bytes_of_tiles_are_counted),
        cmocka_unit_test(missing_pages_are_told),
        cmocka_unit_test(tiles_that_memory_has_are_left_out),
        cmocka_unit_test(signatures_are_of_one_target),
        cmocka_unit_test(depth_and_stencil_have_formats),
        cmocka_unit_test(samples_of_depth_are_stored),
    };

    return cmocka_run_group_tests_name("writeback", tests, NULL, NULL);
}
