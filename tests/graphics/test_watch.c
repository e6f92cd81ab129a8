/* What watches are told of draws and bands, and the limit of draws. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/graphics/watch.h"
#include "tests/graphics/parts.h"

/* The last notes of a watch; colours and overdraw of pixel (18, 17), and overdraw of the first. */
struct notes {
    unsigned draws, frames;
    struct gpu_draw_note draw;
    struct gpu_frame_note frame;
    uint32_t color[GFX_TARGETS];
    unsigned overdraw, first_overdraw;
};

static void note_draw(void *opaque, const struct gpu_draw_note *note)
{
    struct notes *n = opaque;

    n->draws++;
    n->draw = *note;
}

static void note_frame(void *opaque, const struct gpu_frame_note *note)
{
    struct notes *n = opaque;
    size_t at = (size_t)17 * note->columns + 18;

    n->frames++;
    n->frame = *note;
    for (unsigned i = 0; i < note->targets; i++)
        n->color[i] = note->colors[i] ? note->colors[i][at] : UINT32_MAX;
    n->overdraw = note->overdraw[at];
    n->first_overdraw = note->overdraw[0];
}

static void draws_are_told(void **state)
{
    struct gpu_cores *c = calloc(1, sizeof(*c));
    struct notes one = {0}, other = {0};
    struct gpu_graphics_watch first = {.opaque = &one, .draw = note_draw},
                              second = {.opaque = &other, .draw = note_draw},
                              deaf = {.opaque = NULL};
    struct gfx_band b = {.box = {0, 48, 16, 64}};
    struct gfx_draw d = {.band = &b, .address = 0x1230, .shader = 0x4560, .counts = {.quads = 7}};
    struct gfx_watcher w;

    (void)state;
    gpu_cores_watch_graphics(c, &first);
    gpu_cores_watch_graphics(c, &deaf);
    gpu_cores_watch_graphics(c, &second);
    w = gfx_watcher(c);
    gfx_watch_draw(&w, &d, 3);
    assert_int_equal(one.draws, 1);
    assert_int_equal(other.draws, 1);
    assert_int_equal(one.draw.draw, 0x1230);
    assert_int_equal(one.draw.number, 2);
    assert_int_equal(one.draw.first_row, 3);
    assert_int_equal(one.draw.shader, 0x4560);
    assert_int_equal(one.draw.counts.quads, 7);
    d.is_frame_shader = true;
    gfx_watch_draw(&w, &d, 0);
    assert_int_equal(one.draw.draw, 0);
    assert_int_equal(one.draw.number, 0);
    free(c);
}

/* A band whose pixel (18, 17) has four samples of different colours and fragments. */
static void begin_band(const struct gfx_watcher *w, const struct gfx_frame *f, struct gfx_band *b)
{
    static const uint32_t colors[4] = {0xff000a00, 0xff001400, 0xff001e00, 0xffff2cff};
    size_t place;

    gfx_band_begin(b, f, 0, 2);
    gfx_watch_begin(w, b);
    place = gfx_band_place(b, 18, 17);
    le_put(b->color[0] + 4 * (place + 4), 4, UINT32_MAX); /* the pixel behind it */
    for (unsigned s = 0; s < 4; s++) {
        le_put(b->color[0] + 4 * (place + s), 4, colors[s]);
        if (b->overdraw)
            b->overdraw[place + s] = (uint16_t)(1 + s);
    }
    if (b->overdraw)
        b->overdraw[gfx_band_place(b, 0, 0)] = 7;
}

static void bands_are_told(void **state)
{
    struct gpu_cores *c = calloc(1, sizeof(*c));
    struct notes n = {0};
    struct gpu_graphics_watch watch = {.opaque = &n, .frame = note_frame};
    struct gfx_frame f = parts_frame(4);
    struct gfx_watcher w;
    struct gfx_band b;
    size_t place;

    (void)state;
    gpu_cores_watch_graphics(c, &watch);
    gpu_cores_limit_draws(c, UINT64_MAX);
    w = gfx_watcher(c);
    f.descriptor = 0xabc0;
    f.targets = 3;
    f.target[1] = f.target[2] = f.target[0];
    f.target[1].write = false;
    f.target[2].tile = gfx_tile_format(MALI_TILE_FORMAT_RAW, 2);
    f.target[2].memory = gfx_memory_format(7, MALI_COLOR_FORMAT_RAW_16, f.target[2].tile);
    f.target[2].clear[0] = 0x3412;
    begin_band(&w, &f, &b);
    assert_non_null(b.overdraw);
    gfx_watch_band(&w, &f, &b, false, 2);
    assert_int_equal(n.frames, 1);
    assert_int_equal(n.frame.descriptor, 0xabc0);
    assert_int_equal(n.frame.width, 20);
    assert_int_equal(n.frame.height, 18);
    assert_int_equal(n.frame.left, 0);
    assert_int_equal(n.frame.top, 0);
    assert_int_equal(n.frame.columns, 32);
    assert_int_equal(n.frame.rows, 32);
    assert_int_equal(n.frame.targets, 3);
    assert_true(n.frame.first);
    assert_false(n.frame.last);
    /* 17 by 16 pixels of four bytes and of two */
    assert_int_equal(n.frame.written_bytes, 17 * 16 * (4 + 2));
    assert_int_equal(n.color[0], 64 << 16 | 26 << 8 | 64); /* 255 / 4 is 63.75 */
    assert_int_equal(n.color[1], UINT32_MAX);
    assert_int_equal(n.color[2], 0x123400);
    assert_int_equal(n.overdraw, 1 + 2 + 3 + 4);
    assert_int_equal(n.first_overdraw, 7);
    place = gfx_band_place(&b, 18, 17);
    for (unsigned s = 0; s < 4; s++)
        b.overdraw[place + s] = 0x5000;
    f.target[0].clean_write = false; /* its tiles have no primitives */
    gfx_watch_band(&w, &f, &b, true, 2);
    assert_false(n.frame.first);
    assert_true(n.frame.last);
    assert_int_equal(n.color[0], 0);
    assert_int_equal(n.overdraw, UINT16_MAX);
    b.has_primitive[3] = 1;
    gfx_watch_band(&w, &f, &b, true, 2);
    assert_int_not_equal(n.color[0], 0);
    assert_int_equal(c->draws_left, UINT64_MAX);
    gfx_band_end(&b);
    free(c);
}

/* The draws of a frame are taken from the limit when its last band is told. */
static void draws_are_limited(void **state)
{
    struct gpu_cores *c = calloc(1, sizeof(*c));
    struct gfx_frame f = parts_frame(1);
    struct gfx_watcher w;
    struct gfx_band b;

    (void)state;
    gpu_cores_limit_draws(c, 5);
    w = gfx_watcher(c);
    assert_int_equal(w.limit, 5);
    gfx_band_begin(&b, &f, 0, 2);
    gfx_watch_begin(&w, &b);
    assert_null(b.overdraw); /* nothing watches */
    gfx_watch_band(&w, &f, &b, false, 3);
    assert_int_equal(c->draws_left, 5);
    gfx_watch_band(&w, &f, &b, true, 3);
    assert_int_equal(c->draws_left, 2);
    gfx_watch_band(&w, &f, &b, true, 3);
    assert_int_equal(c->draws_left, 0);
    w = gfx_watcher(NULL);
    assert_true(w.limit == UINT64_MAX);
    gfx_watch_begin(&w, &b);
    assert_null(b.overdraw);
    gfx_watch_band(&w, &f, &b, true, 3);
    assert_false(w.told);
    gfx_band_end(&b);
    free(c);
}

int run_watch_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_are_told),
        cmocka_unit_test(bands_are_told),
        cmocka_unit_test(draws_are_limited),
    };

    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
