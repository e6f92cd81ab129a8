/* Reports what a fragment job draws: counts of draws, pixels of bands. */
#include "runtime/gpu/graphics/watch.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"

void gpu_cores_watch_graphics(struct gpu_cores *c, struct gpu_graphics_watch *watch)
{
    watch->next = c->watches;
    c->watches = watch;
}

void gpu_cores_limit_draws(struct gpu_cores *c, uint64_t draws)
{
    c->draws_left = draws;
}

struct gfx_watcher gfx_watcher(struct gpu_cores *c)
{
    return (struct gfx_watcher){.cores = c, .limit = c ? c->draws_left : UINT64_MAX};
}

static size_t samples_of(const struct gfx_band *b)
{
    return (size_t)gfx_band_tiles(b) * GFX_TILE_PIXELS * b->samples;
}

void gfx_watch_begin(const struct gfx_watcher *w, struct gfx_band *b)
{
    if (w->cores && w->cores->watches)
        b->overdraw = xcalloc(samples_of(b), sizeof(*b->overdraw));
}

void gfx_watch_draw(const struct gfx_watcher *w, const struct gfx_draw *d, unsigned count)
{
    struct gpu_draw_note note = {
        .draw = d->is_frame_shader ? 0 : d->address,
        .number = count ? count - 1 : 0,
        .first_row = d->band->box.y0 / GFX_TILE,
        .shader = d->shader,
        .counts = d->counts,
    };

    for (const struct gpu_graphics_watch *e = w->cores->watches; e; e = e->next) {
        if (e->draw)
            e->draw(e->opaque, &note);
    }
}

/* ---- pixels ---------------------------------------------------------------------------------- */

/* The mean colour of a pixel's samples as 0xrrggbb. Of a raw target, the first three bytes. */
static uint32_t color_of(const struct gfx_tile_format *f, const uint8_t *at, unsigned samples)
{
    float sum[4] = {0}, c[4];
    uint32_t color = 0;

    if (f->raw) {
        for (unsigned k = 0; k < 3; k++)
            color = color << 8 | (k < f->bytes ? at[k] : 0);
        return color;
    }
    for (unsigned s = 0; s < samples; s++) {
        gfx_tile_decode(f, (uint32_t)le_get(at + (size_t)s * f->bytes, 4), c);
        for (unsigned k = 0; k < 3; k++)
            sum[k] += c[k];
    }
    for (unsigned k = 0; k < 3; k++)
        color = color << 8 | (uint32_t)rintf(sum[k] / (float)samples * 255);
    return color;
}

static bool is_written(const struct gfx_frame *f, const struct gfx_band *b, unsigned target,
                       size_t tile)
{
    return f->target[target].write && gfx_tile_is_stored(b, tile, f->target[target].clean_write);
}

/* Pixels of a target, black where tiles are not written; NULL: the target is not written. The
 * caller frees them. */
static uint32_t *colors_of(const struct gfx_frame *f, const struct gfx_band *b, unsigned target)
{
    const struct gfx_tile_format *format = f->target[target].tile;
    size_t width = b->box.x1 - b->box.x0, height = b->box.y1 - b->box.y0;
    uint32_t *out;

    if (!f->target[target].write)
        return NULL;
    out = xcalloc(width * height, sizeof(*out));
    for (size_t i = 0; i < width * height; i++) {
        size_t place =
            gfx_band_place(b, b->box.x0 + (uint32_t)(i % width), b->box.y0 + (uint32_t)(i / width));

        if (is_written(f, b, target, place / b->samples / GFX_TILE_PIXELS))
            out[i] = color_of(format, b->color[target] + place * format->bytes, b->samples);
    }
    return out;
}

/* Fragments per pixel, in the order of rows: the sum over its samples. The caller frees them. */
static uint16_t *overdraw_of(const struct gfx_band *b)
{
    size_t width = b->box.x1 - b->box.x0, height = b->box.y1 - b->box.y0;
    uint16_t *out = xcalloc(width * height, sizeof(*out));

    for (size_t i = 0; i < width * height; i++) {
        size_t place =
            gfx_band_place(b, b->box.x0 + (uint32_t)(i % width), b->box.y0 + (uint32_t)(i / width));
        unsigned sum = 0;

        for (unsigned s = 0; s < b->samples; s++)
            sum += b->overdraw[place + s];
        out[i] = (uint16_t)(sum < UINT16_MAX ? sum : UINT16_MAX);
    }
    return out;
}

static void tell_band(struct gfx_watcher *w, const struct gfx_frame *f, const struct gfx_band *b,
                      bool last)
{
    uint32_t *colors[GFX_TARGETS] = {NULL};
    uint16_t *overdraw = overdraw_of(b);
    struct gpu_frame_note note = {
        .descriptor = f->descriptor,
        .width = f->size[0],
        .height = f->size[1],
        .left = b->box.x0,
        .top = b->box.y0,
        .columns = b->box.x1 - b->box.x0,
        .rows = b->box.y1 - b->box.y0,
        .first = !w->told,
        .last = last,
        .targets = f->targets,
        .overdraw = overdraw,
    };

    for (unsigned i = 0; i < f->targets; i++)
        note.colors[i] = colors[i] = colors_of(f, b, i);
    for (unsigned i = 0; i < gfx_band_tiles(b); i++)
        note.written_bytes += gfx_tile_bytes(f, b, i);
    for (const struct gpu_graphics_watch *e = w->cores->watches; e; e = e->next) {
        if (e->frame)
            e->frame(e->opaque, &note);
    }
    for (unsigned i = 0; i < f->targets; i++)
        free(colors[i]);
    free(overdraw);
}

void gfx_watch_band(struct gfx_watcher *w, const struct gfx_frame *f, const struct gfx_band *b,
                    bool last, unsigned count)
{
    if (!w->cores)
        return;
    if (w->cores->watches)
        tell_band(w, f, b, last);
    w->told = true;
    if (last && w->cores->draws_left != UINT64_MAX)
        w->cores->draws_left -= count < w->cores->draws_left ? count : w->cores->draws_left;
}
