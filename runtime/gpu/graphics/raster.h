/*
 * Rasterisation of triangles: which samples they cover, and a sample's barycentric coordinates.
 *
 * Positions are in 1/256 pixel. By the top-left rule, a sample on an edge belongs to the triangle
 * if the edge is a left edge, or a horizontal edge above the triangle.
 */
#ifndef RUNTIME_GPU_GRAPHICS_RASTER_H
#define RUNTIME_GPU_GRAPHICS_RASTER_H

#include "runtime/gpu/graphics/frame.h"

enum {
    GFX_SUBPIXEL = 256,        /* positions per pixel */
    GFX_GUARD = 1 << 15,       /* guard band: x and y of -GFX_GUARD … GFX_GUARD pixels are kept */
    GFX_CLIPPED_TRIANGLES = 7, /* most triangles that clipping makes of one triangle */
};

/* A vertex as its shader stored it. */
struct gfx_vertex {
    float x, y, z; /* pixels, depth */
    float w;       /* 1 / w of the clip coordinates; 0 or less: behind the eye */
};

/* An edge function, at + dx * y - dy * x, which is positive inside the triangle. */
struct gfx_edge {
    int64_t dx, dy; /* vector from the edge's first to its second end */
    int64_t at;     /* value of the function at the origin of the screen */
    bool inclusive; /* samples on the edge are inside */
};

/* The square of a point primitive. */
struct gfx_point {
    float left, top, size; /* pixels */
};

/* Which edges of a triangle have their samples on the other side than by the top-left rule. */
enum gfx_turned { GFX_TURNED_NONE, GFX_TURNED_VERTICAL, GFX_TURNED_HORIZONTAL };

/* The primitive of a triangle, from which varyings are interpolated. */
struct gfx_primitive {
    uint32_t row[3]; /* rows of its vertices in the vertex buffers */
    uint32_t id;
    uint8_t kind, provoking; /* as in mali_polygon */
    bool is_back_facing;
    bool leaves_depths;     /* parts may be beyond the near or the far plane */
    uint8_t turned;         /* enum gfx_turned: the ends of a line */
    struct gfx_point point; /* set if `kind` is MALI_POLYGON_KIND_POINT */
};

/* A triangle on the screen: a primitive, or a part of one. */
struct gfx_triangle {
    struct gfx_edge edge[3]; /* edge[i] is opposite to vertex i */
    double inverse_area;
    double z, z_dx, z_dy; /* depth at the origin of the screen, and its changes per pixel */
    float bias;           /* depth bias (polygon offset), added to depth */
    float w[3];           /* 1 / w of each vertex */
    float bary[3][3];     /* barycentric coordinates of each vertex in the primitive */
    struct gfx_box box;   /* pixels that it may cover */
    /* 1: the next triangle of the draw is the rest of the same point or line, -1: the one before.
     * A pixel that both cover is one fragment, of the first of them. 0: it stands alone. */
    int8_t rest;
    struct gfx_primitive primitive;
};

/* Sets up a triangle, limited to the pixels of `box`. t->bary is set before. A triangle of negative
 * area is reversed; *negative (may be NULL) receives whether it was. false: the triangle has no
 * area, or is outside of `box` or of the guard band. */
bool gfx_triangle_setup(struct gfx_triangle *t, const struct gfx_vertex v[3],
                        const struct gfx_box *box, bool *negative);
/* Clips a triangle to the space before the eye and within the guard band. Returns the number of the
 * resulting triangles. `out` has room for GFX_CLIPPED_TRIANGLES triangles; `bary` has room for the
 * barycentric coordinates of their vertices in the original triangle. */
unsigned gfx_triangle_clip(const struct gfx_vertex v[3], struct gfx_vertex out[][3],
                           float bary[][3][3]);
/* Whether a triangle needs gfx_triangle_clip(). */
bool gfx_triangle_needs_clip(const struct gfx_vertex v[3]);

/* Computes the values of the edge functions at a position (1/256 pixel). */
static inline void gfx_edges_at(const struct gfx_triangle *t, int64_t x, int64_t y, int64_t e[3])
{
    for (unsigned i = 0; i < 3; i++)
        e[i] = t->edge[i].at + t->edge[i].dx * y - t->edge[i].dy * x;
}

/* Whether a sample at which the edge functions have the values `e` is covered. */
static inline bool gfx_edges_cover(const struct gfx_triangle *t, const int64_t e[3])
{
    return e[0] + t->edge[0].inclusive > 0 && e[1] + t->edge[1].inclusive > 0 &&
           e[2] + t->edge[2].inclusive > 0;
}

/* Computes the perspective-correct barycentric weights of the primitive's vertices at a position
 * (1/256 pixel). Returns the interpolated 1 / w. */
float gfx_triangle_weights(const struct gfx_triangle *t, int64_t x, int64_t y, double weight[3]);

/* Depth at a position (1/256 pixel), without bias. */
static inline float gfx_triangle_depth(const struct gfx_triangle *t, int64_t x, int64_t y)
{
    return (float)(t->z + t->z_dx * (double)x / GFX_SUBPIXEL + t->z_dy * (double)y / GFX_SUBPIXEL);
}

#endif
