/*
 * Draws one block of primitives into a band of tiles, on the shader cores. Each tile with
 * primitives is a work-group. Its rows (the lanes that run a shader together) are quads of pixels,
 * in the order of the primitives.
 *
 *     draw.c      descriptors of a draw          setup.c    triangles of primitives
 *     quads.c     quads of a tile                zs.c       depth and stencil
 *     unit.c      requests of shaders            blend.c    blending
 *     varying.c   values of varyings             messages.c results that shaders start with
 */
#ifndef RUNTIME_GPU_GRAPHICS_DRAW_H
#define RUNTIME_GPU_GRAPHICS_DRAW_H

#include "mali_layout.h"
#include "runtime/gpu/graphics/polygons.h"
#include "runtime/gpu/graphics/raster.h"
#include "runtime/gpu/graphics_watch.h"
#include "runtime/gpu/shader/core.h"

enum {
    GFX_QUAD = 4,    /* pixels: (0, 0), (1, 0), (0, 1), (1, 1) */
    GFX_VALUES = 32, /* entries of a row's cache of varyings; a power of two */
};

/* v clamped to 0 … 1; NaN becomes 0. */
static inline float gfx_unit(float v)
{
    return v > 0 ? v < 1 ? v : 1 : 0;
}

/* How a render target blends the colours of shaders. */
struct gfx_blend {
    struct mali_blend_equation equation;
    /* 0 … 1. Up to version 5 descriptors hold any float: Mesa leaves the limits of fixed-point
     * targets (OpenGL 4.6, 17.3.6) to the GPU. */
    float constant[4];
    bool enable;
    bool replaces; /* the colour is the source's in all components */
    /* alpha_to_one: the source's alpha counts as 1. srgb: the tile buffer holds sRGB values, and
     * the equation is applied to linear ones. round: results are rounded to the format's whole
     * bits. */
    bool alpha_to_one, srgb, round;
};

/* When depth and stencil are tested or updated: before or after the pixel's shader. */
enum gfx_when { GFX_EARLY, GFX_LATE };

/* Depth and stencil tests of a draw. */
struct gfx_tests {
    struct mali_stencil stencil[2]; /* front, back */
    uint8_t stencil_mask[2];        /* writable bits: front, back */
    bool stencil_enable, depth_write;
    uint32_t depth_function; /* enum mali_compare_function */
    enum gfx_when test, update;
    bool shader_depth, shader_stencil; /* the shader computes depth, the stencil reference */
    /* Primitives are clipped: samples whose interpolated depth is below min_z or above max_z are
     * not covered, whatever bias and shader make of the depth. */
    bool near_discard, far_discard;
    float min_z, max_z;
    float least_depth, most_depth; /* tested and stored depths are limited to these */
    bool passive;                  /* all samples pass, and no test writes */
    unsigned per_sample;           /* increment of an occlusion query per passing sample */
};

/* A draw in a band. */
struct gfx_draw {
    const struct gfx_frame *frame;
    const struct gfx_band *band;
    struct mali_draw draw;
    struct mali_renderer_state state;
    struct gfx_tests tests;
    struct gfx_blend blend[GFX_TARGETS];
    struct mali_blend descriptor[GFX_TARGETS];
    uint32_t internal[GFX_TARGETS][2]; /* blend descriptors that shaders pass to BLEND */
    struct gfx_box box;                /* intersection of scissor, frame and band */
    bool shades;                       /* the draw has a fragment shader */
    bool per_sample;                   /* the shader runs for each sample on its own */
    /* The draw is a frame shader, run before or after primitives: its tiles do not get
     * `has_primitive`. */
    bool is_frame_shader;
    bool needs_primitives;         /* only tiles with primitives are drawn */
    uint64_t passed_samples;       /* for occlusion queries: passing samples * tests.per_sample */
    uint64_t address;              /* GPU address of the draw's descriptor */
    uint64_t shader;               /* GPU address of its shader's code; 0: none */
    struct gpu_draw_counts counts; /* those of groups are added when a group ends */

    struct gfx_triangle *triangles;
    uint32_t triangle_count, triangle_capacity;
    /* Work-group g draws tile tiles[g]. Its triangles have the indices
     * tile_triangles[first[g]] to tile_triangles[first[g + 1] - 1]. */
    uint32_t *tiles, *first;
    uint32_t group_count;
    uint32_t *tile_triangles;
};

/* Cached components of a varying at the three vertices of a triangle's primitive. */
struct gfx_value {
    const struct gfx_triangle *triangle;
    uint32_t index; /* number of the varying */
    float v[3][4];  /* by vertex, component */
};

/* The quads of the running row, by lane, and the progress of its group. */
struct gfx_quads {
    /* position of the next quad to test: index in tile_triangles, quad in the tile */
    uint32_t triangle, quad;
    bool started;
    unsigned lanes;                /* lanes that have a pixel */
    unsigned begun;                /* lanes of the row that began with coverage */
    struct gpu_draw_counts counts; /* of the group: quads to killed */
    const struct gfx_triangle *lane_triangle[GPU_MAX_LANES];
    uint16_t x[GPU_MAX_LANES], y[GPU_MAX_LANES];
    uint32_t place[GPU_MAX_LANES];    /* index of the pixel's sample 0 in the band, if `inside` */
    uint16_t coverage[GPU_MAX_LANES]; /* bit n: place n is covered; 0: a helper, or discarded */
    bool inside[GPU_MAX_LANES];       /* the pixel is in the band */
    bool tested[GPU_MAX_LANES];       /* no late tests remain to be made */
    uint8_t sample[GPU_MAX_LANES];    /* the sample that is shaded, if each is on its own */
    /* The lane runs a blend shader that its write called, and returns to this address (0: ends). */
    bool blending[GPU_MAX_LANES];
    uint64_t back[GPU_MAX_LANES];
    double weight[3][GPU_MAX_LANES];          /* barycentric weights of the primitive's vertices */
    float w[GPU_MAX_LANES], z[GPU_MAX_LANES]; /* 1 / w, and depth */
    uint8_t shader_stencil[GPU_MAX_LANES];    /* stencil reference that the shader computed */
    struct gfx_value values[GFX_VALUES];
};

/* Reads the block of primitives at GPU address `block` and the descriptors of its draw, and sets up
 * its triangles in the band. *job receives the fragment shader's job. false: *r->out has the
 * reason. In both cases the caller calls gfx_draw_release(), and gpu_compute_job_release() unless
 * it starts the job. */
bool gfx_draw_read(struct gfx_draw *d, struct gfx_reader *r, const struct gfx_frame *f,
                   const struct gfx_band *b, uint64_t block, struct gpu_compute_job *job);
/* Frees the memory of a draw and clears *d. */
void gfx_draw_release(struct gfx_draw *d);
/* Like gfx_draw_read() for a frame shader. Frame shaders load the old contents of the targets into
 * the tiles before primitives are drawn; `which` is 0 for colour, 1 for depth and stencil. */
bool gfx_draw_read_frame(struct gfx_draw *d, struct gfx_reader *r, const struct gfx_frame *f,
                         const struct gfx_band *b, unsigned which, struct gpu_compute_job *job);
/* Reads renderer state, viewport and blend descriptors of d->draw. false: *r->out has the
 * reason. */
bool gfx_draw_state(struct gfx_draw *d, struct gfx_reader *r, struct gpu_compute_job *job);
/* Sets up the triangles of a block's primitives, and lists the triangles of each tile. false:
 * *r->out has the reason. */
bool gfx_draw_setup(struct gfx_draw *d, struct gfx_reader *r, const struct mali_polygon_block *b,
                    const struct mali_polygon *polygons);

/* The functions with which the shader cores run a draw. */
extern const struct gpu_stage_functions gfx_fragment_functions;

/* Threads of a row of fragments: the cores' row size, rounded down to whole quads. */
unsigned gfx_row_threads(const struct gpu_cores *c);

/* The quads of the row's work-group. */
static inline struct gfx_quads *gfx_quads_of(const struct gpu_warp *w)
{
    return w->group->stage;
}

/* The draw that the row's cores run. */
static inline struct gfx_draw *gfx_draw_of(const struct gpu_warp *w)
{
    return w->core->worker->cores->job->stage;
}

/* Makes the depth and stencil tests of a lane's samples. `coverage` and the result have one bit per
 * place of the frame; the result has those whose samples pass. If `updates`, depth and stencil are
 * written, and passing samples are counted in d->passed. */
uint16_t gfx_zs_test(struct gfx_draw *d, const struct gfx_quads *q, unsigned lane,
                     uint16_t coverage, bool updates);

/* Blends a colour (red, green, blue, alpha) into the covered samples of a lane's pixel. */
void gfx_blend(const struct gfx_draw *d, const struct gfx_quads *q, unsigned lane, unsigned target,
               uint16_t coverage, const float source[4]);
/* Stores a colour in the covered samples without a blend equation. */
void gfx_replace(const struct gfx_draw *d, const struct gfx_quads *q, unsigned lane,
                 unsigned target, uint16_t coverage, const float source[4]);
/* Stores the bytes of a colour as a shader made them in the covered samples: as many as the
 * target's tile format has, in the order of gfx_tile_from_raw(). */
void gfx_store_raw(const struct gfx_draw *d, const struct gfx_quads *q, unsigned lane,
                   unsigned target, uint16_t coverage, const uint8_t *raw);

#endif
