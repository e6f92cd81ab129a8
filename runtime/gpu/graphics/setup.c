/*
 * Makes triangles of a block's primitives, and lists the triangles of each tile (binning).
 *
 * A point becomes a square and a line a parallelogram, both of two triangles.
 *
 * Bounds      GFX_BLOCK_POLYGONS primitives; GFX_CLIPPED_TRIANGLES triangles per primitive
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/graphics/draw.h"
#include "runtime/gpu/numeric/half.h"

enum { ROWS_AT_ONCE = 1 << 16 }; /* rows of positions that are read together */

/* Positions of a block's vertices, in rows of the position buffer. */
struct positions {
    struct gfx_reader *r;
    uint64_t address;      /* GPU address of row 0 */
    uint32_t first, count; /* rows that `at` holds; count 0: each row is read when it is needed */
    uint8_t *at;
    uint64_t bytes; /* read so far */
};

static struct gfx_vertex vertex_of(const uint8_t *raw)
{
    struct gfx_vertex v;

    memcpy(&v, raw, sizeof(v));
    return v;
}

static bool read_positions(struct positions *p, const struct mali_polygon_block *b,
                           const struct mali_polygon *polygons)
{
    uint32_t low = UINT32_MAX, high = 0;

    for (uint32_t i = 0; i < b->count; i++)
        for (unsigned k = 0; k < 3; k++) {
            low = polygons[i].row[k] < low ? polygons[i].row[k] : low;
            high = polygons[i].row[k] > high ? polygons[i].row[k] : high;
        }
    p->first = low;
    if (high - low >= ROWS_AT_ONCE)
        return true;
    p->count = high - low + 1;
    p->at = xalloc_apart((size_t)p->count * MALI_POSITION_BYTES);
    p->bytes += (uint64_t)p->count * MALI_POSITION_BYTES;
    return gfx_fetch(p->r, p->address + (uint64_t)low * MALI_POSITION_BYTES, p->at,
                     (size_t)p->count * MALI_POSITION_BYTES);
}

static bool read_position(struct positions *p, uint32_t row, struct gfx_vertex *v)
{
    uint8_t raw[MALI_POSITION_BYTES];

    if (p->count) {
        *v = vertex_of(p->at + (size_t)(row - p->first) * MALI_POSITION_BYTES);
        return true;
    }
    p->bytes += sizeof(raw);
    if (!gfx_fetch(p->r, p->address + (uint64_t)row * MALI_POSITION_BYTES, raw, sizeof(raw)))
        return false;
    *v = vertex_of(raw);
    return true;
}

/* ---- triangles ------------------------------------------------------------------------------- */

static struct gfx_triangle *next_triangle(struct gfx_draw *d)
{
    if (d->triangle_count == d->triangle_capacity) {
        d->triangle_capacity = d->triangle_capacity ? 2 * d->triangle_capacity : 64;
        d->triangles = xrealloc(d->triangles, d->triangle_capacity, sizeof(*d->triangles));
    }
    return &d->triangles[d->triangle_count];
}

static double absolute_value(double v)
{
    return v < 0 ? -v : v;
}

/* The depth bias, or polygon offset (OpenGL ES 3.2, 13.7), which points and lines do not have:
 * Mesa's driver enables it for draws of all kinds. The unit is the smallest difference between two
 * depths of the format: Mesa's Vulkan driver passes the application's number of units, and its
 * OpenGL driver twice as many for fixed-point formats. */
static float bias_of(const struct gfx_draw *d, const struct gfx_triangle *t, float largest_z)
{
    const struct mali_renderer_state *s = &d->state;
    double dx = absolute_value(t->z_dx), dy = absolute_value(t->z_dy), unit, bias;
    int exponent;

    if (t->primitive.kind != MALI_POLYGON_KIND_TRIANGLE ||
        !(t->primitive.is_back_facing ? s->depth_bias_back : s->depth_bias_front))
        return 0;
    switch (d->frame->zs.depth_format) {
    case MALI_DEPTH_FORMAT_D16:
        unit = 0x1p-16;
        break;
    case MALI_DEPTH_FORMAT_D24:
        unit = 0x1p-24;
        break;
    default:
        frexpf(largest_z, &exponent);
        unit = ldexp(1, exponent - 24);
        break;
    }
    bias = s->depth_factor * (dx > dy ? dx : dy) + s->depth_units * unit;
    if ((s->depth_bias_clamp > 0 && bias > s->depth_bias_clamp) ||
        (s->depth_bias_clamp < 0 && bias < s->depth_bias_clamp))
        bias = s->depth_bias_clamp;
    return (float)bias;
}

static void turn_edges(struct gfx_triangle *t)
{
    for (unsigned i = 0; i < 3 && t->primitive.turned; i++)
        if ((t->primitive.turned == GFX_TURNED_VERTICAL ? t->edge[i].dx : t->edge[i].dy) == 0)
            t->edge[i].inclusive = !t->edge[i].inclusive;
}

/* Adds a triangle unless it is culled; `bary`: barycentric coordinates of its vertices in the
 * primitive. */
static void add_triangle(struct gfx_draw *d, const struct gfx_primitive *of,
                         const struct gfx_vertex v[3], const float bary[3][3])
{
    struct gfx_triangle *t = next_triangle(d);
    bool negative;

    memcpy(t->bary, bary, sizeof(t->bary));
    t->primitive = *of;
    t->rest = 0;
    if (!gfx_triangle_setup(t, v, &d->box, &negative))
        return;
    turn_edges(t);
    if (of->kind == MALI_POLYGON_KIND_TRIANGLE) {
        t->primitive.is_back_facing = negative != (d->draw.front_face_ccw != 0);
        if (t->primitive.is_back_facing ? d->draw.cull_back_face : d->draw.cull_front_face)
            return;
    }
    t->bias = bias_of(d, t, fmaxf(v[0].z, fmaxf(v[1].z, v[2].z)));
    d->triangle_count++;
}

static void add_clipped(struct gfx_draw *d, const struct gfx_primitive *of,
                        const struct gfx_vertex v[3], const float bary[3][3])
{
    struct gfx_vertex parts[GFX_CLIPPED_TRIANGLES][3];
    float places[GFX_CLIPPED_TRIANGLES][3][3];
    unsigned count;

    if (!gfx_triangle_needs_clip(v)) {
        add_triangle(d, of, v, bary);
        return;
    }
    count = gfx_triangle_clip(v, parts, places);
    for (unsigned n = 0; n < count; n++) {
        float place[3][3] = {{0}};

        for (unsigned i = 0; i < 3; i++)
            for (unsigned k = 0; k < 3; k++)
                for (unsigned j = 0; j < 3; j++)
                    place[i][k] += places[n][i][j] * bary[j][k];
        add_triangle(d, of, parts[n], (const float(*)[3])place);
    }
}

/* Adds a rectangle as two triangles. Its corners 0 1 2 3 go around it in order. */
static void add_rectangle(struct gfx_draw *d, const struct gfx_primitive *of,
                          const struct gfx_vertex v[4], const float bary[4][3])
{
    uint32_t first = d->triangle_count;

    for (unsigned n = 0; n < 2; n++) {
        struct gfx_vertex part[3] = {v[0], v[1 + n], v[2 + n]};
        float place[3][3];

        memcpy(place[0], bary[0], sizeof(place[0]));
        memcpy(place[1], bary[1 + n], sizeof(place[1]));
        memcpy(place[2], bary[2 + n], sizeof(place[2]));
        add_clipped(d, of, part, (const float(*)[3])place);
    }
    /* Where coverage is one place, no pixel is in both. Parts at the guard band stand alone. */
    if (d->frame->places > 1 && d->triangle_count == first + 2) {
        d->triangles[first].rest = 1;
        d->triangles[first + 1].rest = -1;
    }
}

/* The widest point, in pixels: the limit that Mesa's panfrost driver reports to programs. Larger
 * sizes reach the GPU, which limits them. */
static const float WIDEST_POINT = 4095.9375f;

static void add_point(struct gfx_draw *d, struct gfx_primitive *of, const struct gfx_vertex *v,
                      float size)
{
    static const float first[4][3] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
    float half = (size > 1 ? fminf(size, WIDEST_POINT) : 1) / 2;
    struct gfx_vertex corner[4] = {*v, *v, *v, *v};

    if (!(v->w > 0))
        return;
    for (unsigned i = 0; i < 4; i++) {
        corner[i].x += i == 1 || i == 2 ? half : -half;
        corner[i].y += i >= 2 ? half : -half;
    }
    of->point = (struct gfx_point){v->x - half, v->y - half, 2 * half};
    add_rectangle(d, of, corner, first);
}

/* The point of a line at the fraction t of its way, and its weights of the two vertices. */
static void point_of_line(const struct gfx_vertex v[2], float t, struct gfx_vertex *at,
                          float bary[3])
{
    at->x = v[0].x + (v[1].x - v[0].x) * t;
    at->y = v[0].y + (v[1].y - v[0].y) * t;
    at->z = v[0].z + (v[1].z - v[0].z) * t;
    at->w = v[0].w + (v[1].w - v[0].w) * t;
    bary[0] = v[0].w * (1 - t) / at->w;
    bary[1] = v[1].w * t / at->w;
    bary[2] = 0;
}

/*
 * The part of a line before the eye, as two ends and their weights of the vertices. From a vertex
 * before the eye a line to one behind it goes away from that one's place, out of the frame. false:
 * the line is behind the eye.
 */
static bool part_before_eye(const struct gfx_vertex v[2], struct gfx_vertex end[2],
                            float bary[2][3])
{
    const float beyond = 0x1p16f; /* pixels; no frame is as large */
    bool seen[2] = {v[0].w > 0, v[1].w > 0};
    float length = hypotf(v[1].x - v[0].x, v[1].y - v[0].y);

    for (unsigned i = 0; i < 2; i++) {
        end[i] = v[i];
        memset(bary[i], 0, sizeof(bary[i]));
        bary[i][i] = 1;
    }
    if (seen[0] && seen[1])
        return true;
    if ((!seen[0] && !seen[1]) || !(length > 0))
        return false;
    point_of_line(v, seen[0] ? -beyond / length : 1 + beyond / length, &end[seen[0]],
                  bary[seen[0]]);
    return true;
}

/*
 * How far to move an end of a line against its direction (sign 1 or -1) on the major axis, so that
 * the centres of pixels behind the start, up to and including the end, are those of the diamonds
 * that the line leaves (OpenGL ES 3.1, 13.5.1). An end on a diamond's border is outside of it, so
 * that a line and its reverse have the same pixels: Piglit's vs-clip-vertex-primitives expects 20
 * to 29 of a line from 20 to 30. `minor` is the end's place on the other axis.
 */
static float diamond(float minor, float sign)
{
    return -sign * (0.5f - fabsf(minor - floorf(minor) - 0.5f));
}

/* Moves the ends of a line of single samples as its diamonds demand. false: the line is nowhere. */
static bool place_ends(const struct gfx_vertex v[2], bool steep, struct gfx_vertex end[2],
                       float bary[2][3])
{
    float length = steep ? v[1].y - v[0].y : v[1].x - v[0].x, sign = length < 0 ? -1 : 1;

    if (!(length != 0))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        float t = (float)i + diamond(steep ? v[i].x : v[i].y, sign) / length;

        point_of_line(v, t, &end[i], bary[i]);
        if (!(end[i].w > 0)) /* close to the eye's plane */
            point_of_line(v, (float)i, &end[i], bary[i]);
    }
    return true;
}

/*
 * Adds a line. The width of a line of single samples is measured along the minor axis: in x if the
 * line is steep, else in y; that of other lines across the line.
 */
static void add_line(struct gfx_draw *d, struct gfx_primitive *of, const struct gfx_vertex whole[2],
                     float width)
{
    float dx, dy, half = (width > 0 ? width : 1) / 2, across[2] = {0};
    float part[2][3], bary[2][3] = {{1, 0, 0}, {0, 1, 0}}, weights[4][3];
    struct gfx_vertex v[2], end[2], corner[4];
    bool steep;

    if (!part_before_eye(whole, v, part))
        return;
    dx = v[1].x - v[0].x;
    dy = v[1].y - v[0].y;
    steep = fabsf(dy) > fabsf(dx);
    memcpy(end, v, sizeof(end));
    if (d->state.single_sampled_lines) {
        across[!steep] = half;
        if (!place_ends(v, steep, end, bary))
            return;
        /* Edges have the pixels of their smaller side, which is right for lines to the left or
         * up. */
        if ((steep ? dy : dx) > 0)
            of->turned = steep ? GFX_TURNED_HORIZONTAL : GFX_TURNED_VERTICAL;
    } else if (dx != 0 || dy != 0) {
        across[0] = -dy / hypotf(dx, dy) * half;
        across[1] = dx / hypotf(dx, dy) * half;
    }
    for (unsigned i = 0; i < 4; i++) {
        unsigned which = i == 1 || i == 2;

        corner[i] = end[which];
        corner[i].x += i < 2 ? -across[0] : across[0];
        corner[i].y += i < 2 ? -across[1] : across[1];
        for (unsigned k = 0; k < 3; k++)
            weights[i][k] = bary[which][0] * part[0][k] + bary[which][1] * part[1][k];
    }
    add_rectangle(d, of, corner, (const float(*)[3])weights);
}

/* ---- primitives ------------------------------------------------------------------------------ */

static bool size_of(struct gfx_reader *r, const struct mali_polygon_block *b, uint32_t row,
                    float *size)
{
    uint8_t raw[4] = {0};
    uint32_t bits;

    *size = b->size;
    if (b->point_size_format == MALI_POINT_SIZE_FORMAT_NONE)
        return true;
    if (b->point_size_format == MALI_POINT_SIZE_FORMAT_FP16) {
        if (!gfx_fetch(r, b->size_array + UINT64_C(2) * row, raw, 2))
            return false;
        *size = gpu_f16_to_f32((uint32_t)le_get(raw, 2));
        return true;
    }
    if (!gfx_fetch(r, b->size_array + UINT64_C(4) * row, raw, 4))
        return false;
    bits = (uint32_t)le_get(raw, 4);
    memcpy(size, &bits, sizeof(*size));
    return true;
}

/* Whether a primitive may have samples of depths beyond the near or the far plane. If all vertices
 * are between them, rounding must not move a sample beyond. */
static bool leaves_depths(const struct gfx_tests *t, const struct gfx_vertex v[3])
{
    for (unsigned i = 0; i < 3; i++)
        if (!(v[i].w > 0 && v[i].z >= t->min_z && v[i].z <= t->max_z))
            return t->near_discard || t->far_discard;
    return false;
}

static bool add_primitive(struct gfx_draw *d, struct positions *p,
                          const struct mali_polygon_block *b, const struct mali_polygon *m,
                          uint32_t id)
{
    static const float own[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    struct gfx_primitive of = {.row = {m->row[0], m->row[1], m->row[2]},
                               .id = id,
                               .kind = (uint8_t)m->kind,
                               .provoking = m->provoking < 3 ? (uint8_t)m->provoking : 0};
    struct gfx_vertex v[3];
    float size;

    for (unsigned k = 0; k < 3; k++)
        if (!read_position(p, m->row[k], &v[k]))
            return false;
    of.leaves_depths = leaves_depths(&d->tests, v);
    switch (m->kind) {
    case MALI_POLYGON_KIND_TRIANGLE:
        add_clipped(d, &of, v, own);
        return true;
    case MALI_POLYGON_KIND_LINE:
        add_line(d, &of, v, b->size);
        return true;
    default:
        if (!size_of(p->r, b, m->row[0], &size))
            return false;
        add_point(d, &of, &v[0], size);
        return true;
    }
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* Whether a triangle may cover a part of the tile at pixel (x, y): false if the whole tile is on
 * the outer side of an edge. */
static bool touches_tile(const struct gfx_triangle *t, uint32_t x, uint32_t y)
{
    for (unsigned i = 0; i < 3; i++) {
        const struct gfx_edge *e = &t->edge[i];
        int64_t px = ((int64_t)x + (e->dy < 0 ? GFX_TILE : 0)) * GFX_SUBPIXEL;
        int64_t py = ((int64_t)y + (e->dx > 0 ? GFX_TILE : 0)) * GFX_SUBPIXEL;

        if (e->at + e->dx * py - e->dy * px + e->inclusive <= 0)
            return false;
    }
    return true;
}

/* Whether the draw is carried out in a tile. */
static bool is_drawn(const struct gfx_draw *d, uint32_t tile)
{
    return !d->band->disabled[tile] && (!d->needs_primitives || d->band->has_primitive[tile]);
}

/* Visits each tile that triangle `n` may cover. With `to`, appends the triangle's number to the
 * tile's list, at to[count[tile]]. In any case increments count[tile]. */
static void each_tile(struct gfx_draw *d, uint32_t n, uint32_t *count, uint32_t *to)
{
    const struct gfx_triangle *t = &d->triangles[n];
    const struct gfx_band *b = d->band;

    for (uint32_t y = t->box.y0 / GFX_TILE; y <= (t->box.y1 - 1) / GFX_TILE; y++)
        for (uint32_t x = t->box.x0 / GFX_TILE; x <= (t->box.x1 - 1) / GFX_TILE; x++) {
            uint32_t tile = (y - b->box.y0 / GFX_TILE) * b->columns + x - b->box.x0 / GFX_TILE;

            if (!is_drawn(d, tile) || !touches_tile(t, x * GFX_TILE, y * GFX_TILE))
                continue;
            if (to)
                to[count[tile]] = n;
            count[tile]++;
        }
}

static void make_lists(struct gfx_draw *d)
{
    unsigned tiles = gfx_band_tiles(d->band);
    uint32_t *at = xcalloc(tiles + 1, sizeof(*at)), sum = 0;

    for (uint32_t n = 0; n < d->triangle_count; n++)
        each_tile(d, n, at, NULL);
    d->tiles = xcalloc(tiles, sizeof(*d->tiles));
    d->first = xcalloc(tiles + 1, sizeof(*d->first));
    for (unsigned i = 0; i < tiles; i++) {
        uint32_t count = at[i];

        at[i] = sum;
        if (!count)
            continue;
        d->tiles[d->group_count] = i;
        d->first[d->group_count++] = sum;
        d->band->has_primitive[i] |= !d->is_frame_shader;
        sum += count;
    }
    d->first[d->group_count] = sum;
    d->counts.tiles = d->group_count;
    d->tile_triangles = xcalloc(sum + 1, sizeof(*d->tile_triangles));
    for (uint32_t n = 0; n < d->triangle_count; n++)
        each_tile(d, n, at, d->tile_triangles);
    free(at);
}

bool gfx_draw_setup(struct gfx_draw *d, struct gfx_reader *r, const struct mali_polygon_block *b,
                    const struct mali_polygon *polygons)
{
    struct positions p = {.r = r, .address = d->draw.position};
    bool good;

    d->counts.primitives = d->counts.culled = b->count;
    d->counts.input_bytes = d->is_frame_shader ? 0 : b->count * (uint64_t)MALI_POLYGON_BYTES;
    if (d->box.x0 >= d->box.x1 || d->box.y0 >= d->box.y1)
        return true;
    good = read_positions(&p, b, polygons);
    for (uint32_t i = 0; i < b->count && good; i++) {
        uint32_t before = d->triangle_count;

        good = add_primitive(d, &p, b, &polygons[i], b->first_id + i);
        d->counts.culled -= d->triangle_count > before;
    }
    d->counts.input_bytes += p.bytes;
    free(p.at);
    if (good)
        make_lists(d);
    return good;
}
