/*
 * The fragment job: one band of tiles after the other is cleared, drawn and written to memory.
 *
 * Bounds      a step writes WRITE_TILES tiles, or is a step of the cores (shader/cores.c)
 */
#include <stdlib.h>

#include "mali_layout.h"
#include "runtime/base/alloc.h"
#include "runtime/gpu/graphics.h"
#include "runtime/gpu/graphics/draw.h"
#include "runtime/gpu/graphics/watch.h"

enum {
    WRITE_TILES = 256, /* tiles written per step */
    WRITE_CYCLES = 64, /* cycles for which a core writes a tile: four pixels per cycle */
};

enum phase { PHASE_BAND, PHASE_DRAW, PHASE_WRITE };

/* What is drawn in a band, in this order: frame shaders for colour, and for depth and stencil;
 * primitives; the last frame shader. */
enum turn { TURN_COLOR, TURN_DEPTH, TURN_PRIMITIVES, TURN_AFTER, TURN_END };

struct gpu_fragment {
    struct gpu_cores *cores;
    const struct gpu_variant *variant;
    const struct gpu_address_space *as;
    struct gfx_frame frame;
    struct gfx_band band;
    enum phase phase;
    unsigned row, end; /* rows of tiles: the next band's first one, and the frame's end */
    unsigned tile;     /* the next tile to write to memory */
    uint64_t first;    /* address of the first block of primitives; 0: none */
    uint64_t block;    /* address of the next block to draw; 0: none is left */
    enum turn turn;
    uint64_t enable_map;   /* GPU address of the map of enabled tiles; 0: all are */
    uint32_t map_stride;   /* bytes from row to row of the map */
    uint64_t draw_address; /* the draw of the last block that was drawn in the band; 0: none */
    unsigned draw_count;   /* draws that have begun in the band */
    struct gfx_watcher watcher;
    struct gfx_draw draw;
    struct gpu_compute *stage; /* the running draw; NULL: none */
};

static bool find_primitives(struct gpu_fragment *f, struct gfx_reader *r)
{
    struct gfx_list list;

    return !f->frame.tiler ||
           (gfx_list_find(r, f->frame.tiler, &list) && gfx_list_first(r, &list, &f->first));
}

struct gpu_fragment *gpu_fragment_start(struct gpu_cores *c, const struct gpu_variant *variant,
                                        const struct gpu_address_space *as, uint64_t job,
                                        struct gpu_outcome *out)
{
    struct gfx_reader r = {variant->architecture, as, out, variant};
    struct mali_fragment_payload p;
    struct gpu_fragment *f;

    *out = (struct gpu_outcome){.progress = GPU_PROGRESS_MORE, .cycles = 1};
    if (!GFX_READ(&r, fragment_payload, FRAGMENT_PAYLOAD, job + MALI_JOB_HEADER_BYTES, &p))
        return NULL;
    uint32_t bounds[4] = {p.bound_min_x, p.bound_min_y, p.bound_max_x, p.bound_max_y};

    f = xcalloc(1, sizeof(*f));
    f->cores = c;
    f->variant = variant;
    f->as = as;
    if (p.has_tile_enable_map) {
        f->enable_map = p.tile_enable_map;
        f->map_stride = p.tile_enable_map_row_stride;
    }
    if (!gfx_frame_read(&f->frame, variant, as, p.framebuffer, bounds, out) ||
        !find_primitives(f, &r)) {
        free(f);
        return NULL;
    }
    f->row = f->frame.box.y0 / GFX_TILE;
    f->end = (f->frame.box.y1 + GFX_TILE - 1) / GFX_TILE;
    f->watcher = gfx_watcher(c);
    return f;
}

/* Sets `disabled` of the band's tiles from the map of enabled ones. false: *r->out has the page
 * that is not mapped. */
static bool read_enable_map(const struct gpu_fragment *f, struct gfx_reader *r)
{
    enum { TILES_PER_BIT = MALI_ENABLE_MAP_SIDE / GFX_TILE };
    const struct gfx_band *b = &f->band;
    uint32_t x0 = b->box.x0 / GFX_TILE, y0 = b->box.y0 / GFX_TILE;

    for (unsigned i = 0; f->enable_map && i < gfx_band_tiles(b); i++) {
        uint32_t column = (x0 + i % b->columns) / TILES_PER_BIT;
        uint32_t row = (y0 + i / b->columns) / TILES_PER_BIT;
        uint8_t bits;

        if (!gfx_fetch(r, f->enable_map + (uint64_t)row * f->map_stride + column / 8, &bits, 1))
            return false;
        b->disabled[i] = !(bits >> column % 8 & 1);
    }
    return true;
}

static void begin_band(struct gpu_fragment *f, struct gpu_outcome *out)
{
    struct gfx_reader r = {f->variant->architecture, f->as, out, f->variant};
    unsigned rows = gfx_band_rows(&f->frame);

    if (f->row == f->end) {
        out->progress = GPU_PROGRESS_DONE;
        return;
    }
    rows = rows < f->end - f->row ? rows : f->end - f->row;
    gfx_band_begin(&f->band, &f->frame, f->row, rows);
    if (!read_enable_map(f, &r)) {
        gfx_band_end(&f->band);
        return;
    }
    gfx_watch_begin(&f->watcher, &f->band);
    f->row += rows;
    f->tile = 0;
    f->block = f->first;
    f->turn = TURN_COLOR;
    f->draw_address = f->draw_count = 0;
    f->phase = PHASE_DRAW;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Adds the passing samples of a draw that has ended to its occlusion query in guest memory. false:
 * *r->out has the page that is not mapped; the step is repeated later. */
static bool count_passed(struct gfx_reader *r, const struct gfx_draw *d)
{
    uint64_t sum = 0;
    uint8_t raw[8];

    if (d->draw.occlusion_query == MALI_OCCLUSION_MODE_DISABLED || !d->passed_samples)
        return true;
    if (!gfx_fetch(r, d->draw.occlusion, raw, sizeof(raw)))
        return false;
    sum = le_get(raw, 8) + d->passed_samples;
    le_put(raw, 8, d->draw.occlusion_query == MALI_OCCLUSION_MODE_PREDICATE ? 1 : sum);
    if (gpu_memory_write(r->as, d->draw.occlusion, raw, sizeof(raw), &r->out->fault))
        return true;
    r->out->progress = GPU_PROGRESS_FAULT;
    return false;
}

/* Ends the running draw and selects the next. */
static void end_draw(struct gpu_fragment *f, struct gfx_reader *r)
{
    uint8_t next[8];

    if (f->turn == TURN_PRIMITIVES &&
        !gfx_fetch(r, f->block + MALI_POLYGON_BLOCK_NEXT_OFFSET, next, sizeof(next)))
        return;
    if (!count_passed(r, &f->draw))
        return;
    gpu_compute_free(f->stage);
    f->stage = NULL;
    gfx_watch_draw(&f->watcher, &f->draw, f->draw_count);
    gfx_draw_release(&f->draw);
    if (f->turn == TURN_PRIMITIVES)
        f->block = le_get(next, 8);
    else
        f->turn++;
}

/* Counts the draw of the next block, unless it continues the last one. Returns whether no more
 * draws are to be drawn. */
static bool is_over_limit(struct gpu_fragment *f, struct gfx_reader *r)
{
    uint8_t raw[8];

    if (!gfx_fetch(r, f->block + MALI_POLYGON_BLOCK_DRAW_OFFSET, raw, sizeof(raw)))
        return false;
    if (le_get(raw, 8) == f->draw_address)
        return false;
    if (f->watcher.limit <= f->draw_count)
        return true;
    f->draw_address = le_get(raw, 8);
    f->draw_count++;
    return false;
}

/* Number of the frame shader that runs in a turn. */
static unsigned frame_shader_of(enum turn turn)
{
    return turn == TURN_AFTER ? GFX_FRAME_SHADERS - 1 : turn;
}

/* Whether nothing is left to draw in this turn. */
static bool turn_is_over(struct gpu_fragment *f, struct gfx_reader *r)
{
    if (f->turn == TURN_PRIMITIVES)
        return !f->block || is_over_limit(f, r);
    return !f->frame.draws ||
           f->frame.frame_shader_mode[frame_shader_of(f->turn)] == MALI_FRAME_SHADER_NEVER;
}

/* Starts the next draw. */
static void begin_draw(struct gpu_fragment *f, struct gfx_reader *r)
{
    struct gpu_compute_job job;
    bool good;

    if (!f->cores) {
        gfx_refuse(r, "graphics without shader cores", f->block);
        return;
    }
    if (f->turn == TURN_PRIMITIVES)
        good = gfx_draw_read(&f->draw, r, &f->frame, &f->band, f->block, &job);
    else
        good =
            gfx_draw_read_frame(&f->draw, r, &f->frame, &f->band, frame_shader_of(f->turn), &job);
    if (!good) {
        gfx_draw_release(&f->draw);
        gpu_compute_job_release(&job);
        return;
    }
    job.threads = job.size[0] = gfx_row_threads(f->cores);
    job.size[1] = job.size[2] = 1;
    job.groups[0] = f->draw.group_count;
    job.groups[1] = job.groups[2] = 1;
    job.group_total = f->draw.group_count;
    f->stage = gpu_stage_start(f->cores, f->as, &job, &gfx_fragment_functions, &f->draw);
}

static void step_draw(struct gpu_fragment *f, struct gpu_outcome *out)
{
    struct gfx_reader r = {f->variant->architecture, f->as, out, f->variant};

    while (!f->stage && f->turn < TURN_END && turn_is_over(f, &r))
        f->turn++;
    if (out->progress != GPU_PROGRESS_MORE)
        return;
    if (f->turn == TURN_END) {
        f->phase = PHASE_WRITE;
        return;
    }
    if (!f->stage) {
        begin_draw(f, &r);
        return;
    }
    gpu_compute_step(f->stage, out);
    if (out->progress != GPU_PROGRESS_DONE)
        return;
    out->progress = GPU_PROGRESS_MORE;
    end_draw(f, &r);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_tiles(struct gpu_fragment *f, struct gpu_outcome *out)
{
    unsigned tiles = gfx_band_tiles(&f->band), first = f->tile;

    for (; f->tile < tiles && f->tile < first + WRITE_TILES; f->tile++)
        if (!gfx_tile_write(&f->frame, &f->band, f->as, f->tile, &out->fault)) {
            out->progress = GPU_PROGRESS_FAULT;
            return;
        }
    out->cycles += (f->tile - first) * WRITE_CYCLES / f->variant->cores;
    if (f->tile < tiles)
        return;
    gfx_watch_band(&f->watcher, &f->frame, &f->band, f->row == f->end, f->draw_count);
    gfx_band_end(&f->band);
    f->phase = PHASE_BAND;
}

void gpu_fragment_step(struct gpu_fragment *f, struct gpu_outcome *out)
{
    *out = (struct gpu_outcome){.progress = GPU_PROGRESS_MORE, .cycles = 1};
    switch (f->phase) {
    case PHASE_BAND:
        begin_band(f, out);
        break;
    case PHASE_DRAW:
        step_draw(f, out);
        break;
    case PHASE_WRITE:
        write_tiles(f, out);
        break;
    }
}

void gpu_fragment_free(struct gpu_fragment *f)
{
    if (!f)
        return;
    gpu_compute_free(f->stage);
    gfx_draw_release(&f->draw);
    gfx_band_end(&f->band);
    free(f);
}
