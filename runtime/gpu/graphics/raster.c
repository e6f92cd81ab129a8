/* Triangle setup: edge functions, depth plane, clipping against the eye plane and the guard
 * band. */
#include "runtime/gpu/graphics/raster.h"

#include <math.h>
#include <string.h>

/* ---- setup ----------------------------------------------------------------------------------- */

static int64_t snap_to_subpixel(float v)
{
    return (int64_t)rint((double)v * GFX_SUBPIXEL);
}

static struct gfx_edge edge_of(const int64_t a[2], const int64_t b[2])
{
    struct gfx_edge e = {.dx = b[0] - a[0], .dy = b[1] - a[1]};

    e.at = e.dy * a[0] - e.dx * a[1];
    e.inclusive = e.dy < 0 || (e.dy == 0 && e.dx > 0);
    return e;
}

static void swap_vertices(struct gfx_vertex v[3], int64_t p[3][2])
{
    struct gfx_vertex vertex = v[1];
    int64_t place[2] = {p[1][0], p[1][1]};

    v[1] = v[2];
    v[2] = vertex;
    memcpy(p[1], p[2], sizeof(p[1]));
    memcpy(p[2], place, sizeof(p[2]));
}

/* The pixels *first … *end - 1 that contain positions `low` to `high`, limited to `from` … `to` -
 * 1. */
static void range_of(int64_t low, int64_t high, uint32_t from, uint32_t to, uint32_t *first,
                     uint32_t *end)
{
    int64_t a = low >= 0 ? low / GFX_SUBPIXEL : 0, b = high < 0 ? 0 : high / GFX_SUBPIXEL + 1;

    *first = a > from ? (a < to ? (uint32_t)a : to) : from;
    *end = b < to ? (uint32_t)b : to;
}

static int64_t min_of_three(int64_t a, int64_t b, int64_t c)
{
    a = a < b ? a : b;
    return a < c ? a : c;
}

static int64_t max_of_three(int64_t a, int64_t b, int64_t c)
{
    a = a > b ? a : b;
    return a > c ? a : c;
}

/* Computes the plane of depth through the three vertices. */
static void set_depth(struct gfx_triangle *t, const struct gfx_vertex v[3], int64_t p[3][2])
{
    double x1 = (double)(p[1][0] - p[0][0]) / GFX_SUBPIXEL;
    double y1 = (double)(p[1][1] - p[0][1]) / GFX_SUBPIXEL;
    double x2 = (double)(p[2][0] - p[0][0]) / GFX_SUBPIXEL;
    double y2 = (double)(p[2][1] - p[0][1]) / GFX_SUBPIXEL;
    double z1 = (double)v[1].z - v[0].z, z2 = (double)v[2].z - v[0].z, area = x1 * y2 - x2 * y1;

    t->z_dx = (z1 * y2 - z2 * y1) / area;
    t->z_dy = (x1 * z2 - x2 * z1) / area;
    t->z = v[0].z - (t->z_dx * (double)p[0][0] + t->z_dy * (double)p[0][1]) / GFX_SUBPIXEL;
}

bool gfx_triangle_setup(struct gfx_triangle *t, const struct gfx_vertex in[3],
                        const struct gfx_box *box, bool *negative)
{
    struct gfx_vertex v[3] = {in[0], in[1], in[2]};
    int64_t p[3][2], area;

    for (unsigned i = 0; i < 3; i++) {
        if (!(fabsf(v[i].x) <= GFX_GUARD && fabsf(v[i].y) <= GFX_GUARD))
            return false;
        p[i][0] = snap_to_subpixel(v[i].x);
        p[i][1] = snap_to_subpixel(v[i].y);
    }
    area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
    if (negative)
        *negative = area < 0;
    if (!area)
        return false;
    if (area < 0) {
        swap_vertices(v, p);
        for (unsigned i = 0; i < 3; i++) {
            float b = t->bary[1][i];

            t->bary[1][i] = t->bary[2][i];
            t->bary[2][i] = b;
        }
    }
    t->inverse_area = 1 / (double)(area < 0 ? -area : area);
    for (unsigned i = 0; i < 3; i++) {
        t->edge[i] = edge_of(p[(i + 1) % 3], p[(i + 2) % 3]);
        t->w[i] = v[i].w;
    }
    set_depth(t, v, p);
    range_of(min_of_three(p[0][0], p[1][0], p[2][0]), max_of_three(p[0][0], p[1][0], p[2][0]),
             box->x0, box->x1, &t->box.x0, &t->box.x1);
    range_of(min_of_three(p[0][1], p[1][1], p[2][1]), max_of_three(p[0][1], p[1][1], p[2][1]),
             box->y0, box->y1, &t->box.y0, &t->box.y1);
    return t->box.x0 < t->box.x1 && t->box.y0 < t->box.y1;
}

float gfx_triangle_weights(const struct gfx_triangle *t, int64_t x, int64_t y, double weight[3])
{
    double b[3], sum = 0;
    int64_t e[3];

    gfx_edges_at(t, x, y, e);
    for (unsigned i = 0; i < 3; i++) {
        b[i] = (double)e[i] * t->inverse_area * (double)t->w[i];
        sum += b[i];
    }
    for (unsigned k = 0; k < 3; k++)
        weight[k] = (b[0] * (double)t->bary[0][k] + b[1] * (double)t->bary[1][k] +
                     b[2] * (double)t->bary[2][k]) /
                    sum;
    return (float)sum;
}

/* ---- clipping -------------------------------------------------------------------------------- */

/*
 * A vertex before the perspective division: x * w, y * w, z * w and w, which are linear in clip
 * space, and barycentric coordinates in the primitive. Division by w yields screen coordinates.
 */
struct corner {
    double x, y, z, w;
    double bary[3];
};

enum { PLANES = 5, MOST_CORNERS = 3 + PLANES };

/* The smallest w that is drawn: 2^-15, since shaders limit 1 / w to 2^15. */
static const double least_w = 1.0 / 32768;

/* Signed distance of a corner from clip plane `plane`; not negative: it is inside. */
static double plane_distance(const struct corner *c, unsigned plane)
{
    switch (plane) {
    case 0:
        return c->w - least_w;
    case 1:
        return c->x + GFX_GUARD * c->w;
    case 2:
        return GFX_GUARD * c->w - c->x;
    case 3:
        return c->y + GFX_GUARD * c->w;
    default:
        return GFX_GUARD * c->w - c->y;
    }
}

static struct corner interpolate_corner(const struct corner *a, const struct corner *b, double part)
{
    struct corner c = {a->x + (b->x - a->x) * part,
                       a->y + (b->y - a->y) * part,
                       a->z + (b->z - a->z) * part,
                       a->w + (b->w - a->w) * part,
                       {0}};

    for (unsigned i = 0; i < 3; i++)
        c.bary[i] = a->bary[i] + (b->bary[i] - a->bary[i]) * part;
    return c;
}

/* Clips a polygon at one plane (Sutherland and Hodgman). Returns the number of corners of `out`. */
static unsigned clip_at(const struct corner *in, unsigned count, unsigned plane, struct corner *out)
{
    unsigned made = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct corner *a = &in[i], *b = &in[(i + 1) % count];
        double da = plane_distance(a, plane), db = plane_distance(b, plane);

        if (da >= 0)
            out[made++] = *a;
        if ((da >= 0) != (db >= 0))
            out[made++] = interpolate_corner(a, b, da / (da - db));
    }
    return made;
}

bool gfx_triangle_needs_clip(const struct gfx_vertex v[3])
{
    for (unsigned i = 0; i < 3; i++)
        if (!(v[i].w > 0 && fabsf(v[i].x) <= GFX_GUARD && fabsf(v[i].y) <= GFX_GUARD))
            return true;
    return false;
}

static float within_guard(double v)
{
    return (float)(v > GFX_GUARD ? GFX_GUARD : v < -GFX_GUARD ? -GFX_GUARD : v);
}

unsigned gfx_triangle_clip(const struct gfx_vertex v[3], struct gfx_vertex out[][3],
                           float bary[][3][3])
{
    struct corner a[MOST_CORNERS + 1], b[MOST_CORNERS + 1];
    unsigned count = 3;

    for (unsigned i = 0; i < 3; i++) {
        double w = 1 / (double)v[i].w;

        if (!isfinite(w) || !isfinite(v[i].x) || !isfinite(v[i].y) || !isfinite(v[i].z))
            return 0;
        a[i] = (struct corner){v[i].x * w, v[i].y * w, v[i].z * w, w, {i == 0, i == 1, i == 2}};
    }
    for (unsigned plane = 0; plane < PLANES && count; plane++) {
        count = clip_at(a, count, plane, b);
        memcpy(a, b, count * sizeof(*a));
    }
    for (unsigned n = 0; n + 2 < count; n++)
        for (unsigned i = 0; i < 3; i++) {
            const struct corner *c = &a[i ? n + i : 0];

            out[n][i] = (struct gfx_vertex){within_guard(c->x / c->w), within_guard(c->y / c->w),
                                            (float)(c->z / c->w), (float)(1 / c->w)};
            for (unsigned k = 0; k < 3; k++)
                bary[n][i][k] = (float)c->bary[k];
        }
    return count > 2 ? count - 2 : 0;
}
