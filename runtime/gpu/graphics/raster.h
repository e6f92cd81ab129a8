/*
 * Triangles on the screen: which samples they cover, and where in the primitive a sample is.
 *
 * Positions are in 1/256 pixel. A sample on an edge belongs to the triangle if the edge is a left
 * one, or a horizontal one above the triangle.
 */
#ifndef RUNTIME_GPU_GRAPHICS_RASTER_H
#define RUNTIME_GPU_GRAPHICS_RASTER_H

#include "runtime/gpu/graphics/frame.h"

enum {
    GFX_SUBPIXEL = 256,        /* positions per pixel */
    GFX_GUARD = 1 << 15,       /* pixels; what is farther from the origin is clipped away */
    GFX_CLIPPED_TRIANGLES = 7, /* most that clipping makes of one */
};

/* A vertex as its shader stored it. */
struct gfx_vertex {
    float x, y, z; /* pixels, depth */
    float w;       /* 1 / w of the clip coordinates; not above 0: behind the eye */
};

/* An edge: a function that is above 0 on its inner side. */
struct gfx_edge {
    int64_t dx, dy; /* from its first to its second end */
    int64_t at;     /* value at the origin of the screen */
    bool inclusive; /* samples on the edge are inside */
};

struct gfx_point {
    float left, top, size; /* pixels */
};

/* What of a primitive a triangle is, for varyings. */
struct gfx_primitive {
    uint32_t row[3];
    uint32_t id;
    uint8_t kind, provoking; /* as mali_polygon */
    bool back;               /* shows its back */
    struct gfx_point point;
};

struct gfx_triangle {
    struct gfx_edge edge[3]; /* opposite to each vertex */
    double inverse_area;
    double z, z_dx, z_dy; /* depth at the origin, and its changes per pixel */
    float bias;           /* of depth */
    float w[3];           /* of each vertex */
    float bary[3][3];     /* place of each vertex in the primitive; not used if `whole` */
    bool whole;           /* the triangle is its primitive */
    struct gfx_box box;   /* pixels that it may cover */
    struct gfx_primitive of;
};

/* Sets up a triangle, clipped to `box`. false: it has no area or is outside. Turns triangles of
 * negative area around; *negative (may be NULL) says whether it was one. */
bool gfx_triangle_setup(struct gfx_triangle *t, const struct gfx_vertex v[3],
                        const struct gfx_box *box, bool *negative);
/* Makes triangles in front of the eye and within the guard band of one. Returns their number. `out`
 * has place for GFX_CLIPPED_TRIANGLES triangles, `bary` for the places of their vertices. */
unsigned gfx_triangle_clip(const struct gfx_vertex v[3], struct gfx_vertex out[][3],
                           float bary[][3][3]);
/* Whether a triangle needs that. */
bool gfx_triangle_needs_clip(const struct gfx_vertex v[3]);

/* The edges' values at a position (1/256 pixel). */
static inline void gfx_edges_at(const struct gfx_triangle *t, int64_t x, int64_t y, int64_t e[3])
{
    for (unsigned i = 0; i < 3; i++)
        e[i] = t->edge[i].at + t->edge[i].dx * y - t->edge[i].dy * x;
}

/* Whether values of edges are those of a covered sample. */
static inline bool gfx_edges_cover(const struct gfx_triangle *t, const int64_t e[3])
{
    return e[0] + t->edge[0].inclusive > 0 && e[1] + t->edge[1].inclusive > 0 &&
           e[2] + t->edge[2].inclusive > 0;
}

/* Where a position is in the primitive: weights of its vertices, corrected for perspective, and
 * the interpolated 1 / w. */
float gfx_triangle_weights(const struct gfx_triangle *t, int64_t x, int64_t y, float weight[3]);

/* Depth at a position, without bias. */
static inline float gfx_triangle_depth(const struct gfx_triangle *t, int64_t x, int64_t y)
{
    return (float)(t->z + t->z_dx * (double)x / GFX_SUBPIXEL + t->z_dy * (double)y / GFX_SUBPIXEL);
}

#endif
