/*
 * The fragment job: bands of tiles are cleared, drawn and written to memory.
 *
 * Bounds      a step writes WRITE_TILES tiles, or is a step of the cores (shader/cores.c)
 */
#include <stdlib.h>

#include "mali_layout.h"
#include "runtime/base/alloc.h"
#include "runtime/gpu/graphics.h"
#include "runtime/gpu/graphics/frame.h"
#include "runtime/gpu/graphics/reader.h"

enum {
    WRITE_TILES = 256, /* tiles written per step */
    WRITE_CYCLES = 64, /* cycles in which a core writes a tile: four pixels per cycle */
};

enum phase { PHASE_BAND, PHASE_WRITE };

struct gpu_fragment {
    struct gpu_cores *cores;
    const struct gpu_variant *variant;
    const struct gpu_address_space *as;
    struct gfx_frame frame;
    struct gfx_band band;
    enum phase phase;
    unsigned row, end; /* rows of tiles: the next band's first one, and the frame's end */
    unsigned tile;     /* the next to be written */
};

struct gpu_fragment *gpu_fragment_start(struct gpu_cores *c, const struct gpu_variant *variant,
                                        const struct gpu_address_space *as, uint64_t job,
                                        struct gpu_outcome *out)
{
    struct gfx_reader r = {variant->architecture, as, out};
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
    if (!gfx_frame_read(&f->frame, variant, as, p.framebuffer, bounds, out)) {
        free(f);
        return NULL;
    }
    f->row = f->frame.box.y0 / GFX_TILE;
    f->end = (f->frame.box.y1 + GFX_TILE - 1) / GFX_TILE;
    return f;
}

static void begin_band(struct gpu_fragment *f, struct gpu_outcome *out)
{
    unsigned rows = gfx_band_rows(&f->frame);

    if (f->row == f->end) {
        out->progress = GPU_PROGRESS_DONE;
        return;
    }
    rows = rows < f->end - f->row ? rows : f->end - f->row;
    gfx_band_begin(&f->band, &f->frame, f->row, rows);
    f->row += rows;
    f->tile = 0;
    f->phase = PHASE_WRITE;
}

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
    gfx_band_end(&f->band);
    f->phase = PHASE_BAND;
}

void gpu_fragment_step(struct gpu_fragment *f, struct gpu_outcome *out)
{
    *out = (struct gpu_outcome){.progress = GPU_PROGRESS_MORE, .cycles = 1};
    if (f->phase == PHASE_BAND)
        begin_band(f, out);
    else
        write_tiles(f, out);
}

void gpu_fragment_free(struct gpu_fragment *f)
{
    if (!f)
        return;
    gfx_band_end(&f->band);
    free(f);
}
