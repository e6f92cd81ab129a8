/*
 * Rasterises a tile into quads of pixels, triangle by triangle. Quads are collected into rows of
 * lanes, which run the draw's shader one after the other. A row never has two quads at the same
 * position, so that each quad sees the results of the quads before it.
 *
 * Bounds      the group's budget: a triangle costs one bundle, besides the bundles of its rows
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/graphics/draw.h"
#include "runtime/gpu/graphics/samples.h"
#include "runtime/gpu/graphics/varying.h"
#include "runtime/gpu/lane.h"

enum { TILE_QUADS = GFX_TILE_PIXELS / GFX_QUAD, QUADS_ACROSS = GFX_TILE / 2 };

unsigned gfx_row_threads(const struct gpu_cores *c)
{
    return c->decoder.row / GFX_QUAD * GFX_QUAD;
}

/* ---- coverage -------------------------------------------------------------------------------- */

/* Whether the near or the far plane clips a place (1/256 pixel) of a triangle. */
static bool is_clipped(const struct gfx_tests *t, const struct gfx_triangle *triangle, int64_t x,
                       int64_t y)
{
    float z = gfx_triangle_depth(triangle, x, y);

    return (t->near_discard && z < t->min_z) || (t->far_discard && z > t->max_z);
}

/* The places of pixel (x, y) that the triangle covers, one bit per place. */
static uint16_t covered_by(const struct gfx_draw *d, const struct gfx_triangle *t, uint32_t x,
                           uint32_t y)
{
    uint16_t coverage = 0;

    if (x < t->box.x0 || x >= t->box.x1 || y < t->box.y0 || y >= t->box.y1)
        return 0;
    for (unsigned s = 0; s < d->frame->places; s++) {
        const struct gfx_place *at = gfx_coverage_place(d, s);
        int64_t px = (int64_t)x * GFX_SUBPIXEL + at->x, py = (int64_t)y * GFX_SUBPIXEL + at->y;
        int64_t e[3];

        gfx_edges_at(t, px, py, e);
        if (gfx_edges_cover(t, e) &&
            !(t->primitive.leaves_depths && is_clipped(&d->tests, t, px, py)))
            coverage |= (uint16_t)(1u << s);
    }
    return coverage & (uint16_t)d->state.sample_mask;
}

/* The coverage of the fragment that the triangle makes of pixel (x, y); 0: none. */
static uint16_t coverage_of(const struct gfx_draw *d, const struct gfx_triangle *t, uint32_t x,
                            uint32_t y)
{
    uint16_t own = covered_by(d, t, x, y), rest;

    if (!own || !t->rest)
        return own;
    rest = covered_by(d, t + t->rest, x, y);
    return t->rest > 0 ? own | rest : rest ? 0 : own;
}

/* ---- filling a row --------------------------------------------------------------------------- */

static bool has_place(const struct gfx_quads *q, uint32_t x, uint32_t y)
{
    for (unsigned l = 0; l < q->lanes; l += GFX_QUAD)
        if (q->x[l] == x && q->y[l] == y)
            return true;
    return false;
}

static void set_lane(const struct gfx_draw *d, struct gfx_quads *q, unsigned l,
                     const struct gfx_triangle *t, uint32_t x, uint32_t y)
{
    const struct gfx_box *b = &d->band->box;

    q->lane_triangle[l] = t;
    q->x[l] = (uint16_t)x;
    q->y[l] = (uint16_t)y;
    q->inside[l] = x >= b->x0 && x < b->x1 && y >= b->y0 && y < b->y1;
    q->place[l] = q->inside[l] ? (uint32_t)gfx_band_place(d->band, x, y) : 0;
    q->tested[l] = d->tests.test == GFX_EARLY && d->tests.update == GFX_EARLY;
}

static void add_overdraw(uint16_t *times)
{
    *times += *times != UINT16_MAX;
}

/* Counts the quad behind the row's lanes, whose pixels were covered before early tests as in
 * `covered`. */
static void count_quad(const struct gfx_draw *d, struct gfx_quads *q,
                       const uint16_t covered[GFX_QUAD], bool shaded)
{
    unsigned before = 0, after = 0;

    for (unsigned i = 0; i < GFX_QUAD; i++) {
        unsigned l = q->lanes + i;
        bool left = q->coverage[l] != 0;

        before += covered[i] != 0;
        after += left;
        if (shaded && left && d->band->overdraw)
            add_overdraw(&d->band->overdraw[q->place[l] + q->sample[l]]);
    }
    q->counts.quads++;
    q->counts.occluded += before - after;
    if (shaded) {
        q->counts.fragments += after;
        q->counts.helpers += GFX_QUAD - after;
    }
}

/* Appends the quad at (x, y) to the row, if any of its places is covered and passes the early
 * tests, and the draw has a shader. */
static void add_quad(struct gfx_draw *d, struct gfx_quads *q, const struct gfx_triangle *t,
                     uint32_t x, uint32_t y, unsigned sample)
{
    uint16_t coverage[GFX_QUAD], wanted = d->per_sample ? (uint16_t)(1u << sample) : UINT16_MAX;
    bool any = false;

    for (unsigned i = 0; i < GFX_QUAD; i++)
        any |= (coverage[i] = coverage_of(d, t, x + i % 2, y + i / 2) & wanted) != 0;
    if (!any)
        return;
    any = false;
    for (unsigned i = 0; i < GFX_QUAD; i++) {
        unsigned l = q->lanes + i;

        set_lane(d, q, l, t, x + i % 2, y + i / 2);
        q->sample[l] = (uint8_t)sample;
        q->coverage[l] = coverage[i];
        if (coverage[i] && d->tests.test == GFX_EARLY)
            q->coverage[l] = gfx_zs_test(d, q, l, coverage[i], d->tests.update == GFX_EARLY);
        any |= q->coverage[l] != 0;
    }
    if (d->band->overdraw)
        count_quad(d, q, coverage, any && d->shades);
    if (any && d->shades)
        q->lanes += GFX_QUAD;
}

/* Computes weights, 1 / w and depth of the row's lanes, from which varyings are interpolated. */
static void interpolate_row(const struct gfx_draw *d, struct gfx_quads *q)
{
    for (unsigned l = 0; l < q->lanes; l++) {
        const struct gfx_triangle *t = q->lane_triangle[l];
        struct gfx_place at = {GFX_SUBPIXEL / 2, GFX_SUBPIXEL / 2};

        if (d->per_sample)
            at = *gfx_sample_place(d, q->sample[l]);

        int64_t x = (int64_t)q->x[l] * GFX_SUBPIXEL + at.x;
        int64_t y = (int64_t)q->y[l] * GFX_SUBPIXEL + at.y;
        double weight[3];

        q->w[l] = gfx_triangle_weights(t, x, y, weight);
        q->z[l] = gfx_triangle_depth(t, x, y) + t->bias;
        for (unsigned k = 0; k < 3; k++)
            q->weight[k][l] = weight[k];
    }
}

/* Fills a row of at most `most` lanes. Returns whether it has quads. If it has none, the group has
 * no more triangles (*ended becomes true), or its budget is spent. */
static bool fill_row(struct gfx_draw *d, struct gpu_group *g, struct gfx_quads *q, unsigned most,
                     bool *ended)
{
    uint32_t tile = d->tiles[g->index], end = d->first[g->index + 1];
    uint32_t x0 = d->band->box.x0 + tile % d->band->columns * GFX_TILE;
    uint32_t y0 = d->band->box.y0 + tile / d->band->columns * GFX_TILE;
    unsigned samples = d->per_sample ? d->frame->samples : 1;

    q->lanes = 0;
    for (; q->triangle < end; q->triangle++, q->quad = 0, g->budget--, g->work++) {
        const struct gfx_triangle *t = &d->triangles[d->tile_triangles[q->triangle]];

        if (!g->budget)
            return q->lanes != 0;
        for (; q->quad < TILE_QUADS * samples; q->quad++) {
            uint32_t at = q->quad / samples;
            uint32_t x = x0 + at % QUADS_ACROSS * 2, y = y0 + at / QUADS_ACROSS * 2;

            if (x + 1 < t->box.x0 || x >= t->box.x1 || y + 1 < t->box.y0 || y >= t->box.y1)
                continue;
            if (q->lanes + GFX_QUAD > most || has_place(q, x, y))
                return true;
            add_quad(d, q, t, x, y, q->quad % samples);
        }
    }
    *ended = !q->lanes;
    return q->lanes != 0;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Sets the registers with which fragment threads start. */
static void preload_registers(struct gpu_worker *k, struct gpu_warp *w, struct gfx_quads *q)
{
    uint32_t id[GPU_MAX_LANES] = {0}, flags[GPU_MAX_LANES] = {0}, pixel[GPU_MAX_LANES] = {0};
    uint32_t coverage[GPU_MAX_LANES] = {0}, sample[GPU_MAX_LANES] = {0};

    for (unsigned l = 0; l < q->lanes; l++) {
        id[l] = q->lane_triangle[l]->primitive.id;
        flags[l] = q->lane_triangle[l]->primitive.is_back_facing;
        pixel[l] = q->x[l] | (uint32_t)q->y[l] << 16;
        coverage[l] = q->coverage[l];
        sample[l] = q->coverage[l] | (uint32_t)q->sample[l] << 16;
        q->blending[l] = false;
    }
    gpu_warp_preload(k, w, GPU_PRELOAD_PRIMITIVE_ID, id);
    gpu_warp_preload(k, w, GPU_PRELOAD_PRIMITIVE_FLAGS, flags);
    gpu_warp_preload(k, w, GPU_PRELOAD_PIXEL, pixel);
    gpu_warp_preload(k, w, GPU_PRELOAD_COVERAGE, coverage);
    gpu_warp_preload(k, w, GPU_PRELOAD_SAMPLE, sample);
}

static void begin_row(struct gpu_worker *k, struct gpu_warp *w)
{
    const struct gfx_draw *d = k->cores->job->stage;
    struct gfx_quads *q = w->group->stage;

    w->helpers = 0;
    for (unsigned l = 0; l < q->lanes; l++)
        w->helpers |= q->coverage[l] ? 0 : 1u << l;
    q->begun = q->lanes - (unsigned)__builtin_popcount(w->helpers);
    w->live = q->lanes == 32 ? UINT32_MAX : (1u << q->lanes) - 1;
    preload_registers(k, w, q);
    gpu_warp_set_special(k, w, GPU_SPECIAL_FRAMEBUFFER_SIZE,
                         d->frame->size[0] | d->frame->size[1] << 16);
    for (unsigned i = 0; i < d->frame->targets; i++)
        for (unsigned half = 0; half < 2; half++)
            gpu_warp_set_special(k, w, GPU_SPECIAL_BLEND_DESCRIPTOR + 2 * i + half,
                                 d->internal[i][half]);
    w->core = &k->host.core;
    gfx_send_messages(w);
}

/* Makes the late tests of lanes whose shader ended before it requested them. */
static void finish_row(struct gfx_draw *d, struct gfx_quads *q)
{
    unsigned left = 0;

    for (unsigned l = 0; l < q->lanes; l++) {
        if (!q->tested[l] && q->coverage[l])
            q->coverage[l] = gfx_zs_test(d, q, l, q->coverage[l], true);
        left += q->coverage[l] != 0;
    }
    q->counts.killed += q->begun - left;
}

/* Adds the counts of a group that has ended to those of its draw. */
static void add_counts(struct gfx_draw *d, const struct gpu_draw_counts *c)
{
    struct gpu_draw_counts *sum = &d->counts;

    __atomic_fetch_add(&sum->quads, c->quads, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum->occluded, c->occluded, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum->fragments, c->fragments, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum->helpers, c->helpers, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum->killed, c->killed, __ATOMIC_RELAXED);
}

/* Starts the next row. false: the group has ended, or its budget is spent. */
static bool next_row(struct gpu_worker *k, struct gpu_group *g, struct gfx_draw *d,
                     struct gfx_quads *q)
{
    bool ended = false;

    if (!fill_row(d, g, q, gfx_row_threads(k->cores), &ended)) {
        g->finished = ended;
        if (ended)
            add_counts(d, &q->counts);
        return false;
    }
    interpolate_row(d, q);
    memset(q->values, 0, sizeof(q->values));
    gpu_group_begin_row(k, g, 0);
    return true;
}

static void run_group(struct gpu_worker *k, struct gpu_group *g)
{
    struct gfx_draw *d = k->cores->job->stage;
    struct gfx_quads *q = g->stage;

    gpu_group_enter(k, g);
    if (!q)
        q = g->stage = xcalloc(1, sizeof(*q));
    if (!g->started) {
        q->triangle = d->first[g->index];
        q->quad = 0;
        q->counts = (struct gpu_draw_counts){0};
        g->started = 1;
    }
    while (g->budget) {
        struct gpu_warp *w;

        if (!g->warp[0] && !next_row(k, g, d, q))
            return;
        w = g->warp[0];
        gpu_warp_run(k, w);
        if (w->wait != GPU_WARP_ENDED)
            return;
        g->finished = w->faulted != 0;
        finish_row(d, q);
        gpu_group_end_row(k, g, 0);
        if (g->finished)
            return;
    }
}

const struct gpu_stage_functions gfx_fragment_functions = {.run = run_group,
                                                           .begin_row = begin_row};
