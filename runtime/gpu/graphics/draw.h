/*
 * The drawing of one block of primitives in a band: a stage of the shader cores. Each tile with
 * primitives is a work-group; rows are quads of pixels, in the order of the primitives.
 *
 *     draw.c      descriptors of a draw          setup.c    primitives to triangles
 *     quads.c     quads of a tile                zs.c       depth and stencil
 *     unit.c      what shaders ask for           blend.c    blending
 *     varying.c   values of varyings
 */
#ifndef RUNTIME_GPU_GRAPHICS_DRAW_H
#define RUNTIME_GPU_GRAPHICS_DRAW_H

#include "mali_layout.h"
#include "runtime/gpu/graphics/polygons.h"
#include "runtime/gpu/graphics/raster.h"
#include "runtime/gpu/shader/core.h"

enum {
    GFX_QUAD = 4,    /* pixels: (0, 0), (1, 0), (0, 1), (1, 1) */
    GFX_VALUES = 32, /* varyings of triangles that a row keeps; a power of two */
};

/* How a target blends what a shader gives. */
struct gfx_blend {
    struct mali_blend_equation equation;
    float constant[4];
    bool enable;
    bool replaces; /* all components become the source's */
    bool alpha_to_one, srgb, round;
};

/* When something happens to a pixel. */
enum gfx_when { GFX_EARLY, GFX_LATE };

/* Depth and stencil tests of a draw. */
struct gfx_tests {
    struct mali_stencil stencil[2]; /* front, back */
    uint8_t stencil_mask[2];
    bool stencil_enable, depth_write;
    uint32_t depth_function; /* enum mali_compare_function */
    enum gfx_when test, update;
    bool shader_depth, shader_stencil;
    float min_z, max_z;
    bool near_discard, far_discard, clamp; /* to min_z and max_z */
    bool passive;                          /* all pixels pass, and nothing is written */
    unsigned per_sample;                   /* what an occlusion query counts for a sample */
};

struct gfx_draw {
    const struct gfx_frame *frame;
    const struct gfx_band *band;
    struct mali_draw draw;
    struct mali_renderer_state state;
    struct gfx_tests tests;
    struct gfx_blend blend[GFX_TARGETS];
    struct mali_blend descriptor[GFX_TARGETS];
    uint32_t internal[GFX_TARGETS][2]; /* words that a shader gives to BLEND */
    struct gfx_box box;                /* scissor and frame */
    bool shades;                       /* it has a shader */
    bool before;     /* it fills tiles before primitives; that alone does not count as drawn to */
    uint64_t passed; /* samples that passed, for occlusion queries */

    struct gfx_triangle *triangles;
    uint32_t triangle_count, triangle_capacity;
    /* Per work-group: the tile, and where its triangles are in `of_tile`, up to those of the
     * next. */
    uint32_t *tiles, *first;
    uint32_t group_count;
    uint32_t *of_tile;
};

/* A value of a varying at the vertices of a triangle's primitive. */
struct gfx_value {
    const struct gfx_triangle *triangle;
    uint32_t index;
    float v[3][4];
};

/* The quads of a row that runs, and how far its group is. */
struct gfx_quads {
    /* where the next quad is looked for: triangle of the tile, quad in the tile */
    uint32_t triangle, quad;
    bool started;
    unsigned lanes; /* with a quad */
    const struct gfx_triangle *of[GPU_MAX_LANES];
    uint16_t x[GPU_MAX_LANES], y[GPU_MAX_LANES];
    uint32_t place[GPU_MAX_LANES];    /* of the band's sample 0; valid where `inside` */
    uint16_t coverage[GPU_MAX_LANES]; /* samples; 0: a helper, or discarded */
    bool inside[GPU_MAX_LANES];       /* the pixel is in the band */
    bool tested[GPU_MAX_LANES];       /* late tests were made */
    float weight[3][GPU_MAX_LANES], w[GPU_MAX_LANES], z[GPU_MAX_LANES];
    uint8_t shader_stencil[GPU_MAX_LANES];
    struct gfx_value values[GFX_VALUES];
};

/* Reads a block and what it draws, for a band, and makes its triangles. false: *r->out has the
 * reason; gfx_draw_release() in any case. */
bool gfx_draw_read(struct gfx_draw *d, struct gfx_reader *r, const struct gfx_frame *f,
                   const struct gfx_band *b, uint64_t block, struct gpu_compute_job *job);
void gfx_draw_release(struct gfx_draw *d);
/* The same of a shader that fills the tiles with what the targets hold, before primitives: 0 colour,
 * 1 depth and stencil. */
bool gfx_draw_read_frame(struct gfx_draw *d, struct gfx_reader *r, const struct gfx_frame *f,
                         const struct gfx_band *b, unsigned which, struct gpu_compute_job *job);
/* Reads state, viewport and blends of d->draw. */
bool gfx_draw_state(struct gfx_draw *d, struct gfx_reader *r, struct gpu_compute_job *job);
/* Makes triangles of a block's primitives, and lists those of each tile. */
bool gfx_draw_setup(struct gfx_draw *d, struct gfx_reader *r, const struct mali_polygon_block *b,
                    const struct mali_polygon *polygons);

/* How the cores run it. */
extern const struct gpu_stage_functions gfx_fragment_functions;

/* Threads of a row of fragments. */
unsigned gfx_row_threads(const struct gpu_cores *c);

/* The quads of the running group. */
static inline struct gfx_quads *gfx_quads_of(const struct gpu_warp *w)
{
    return w->group->stage;
}

static inline struct gfx_draw *gfx_draw_of(const struct gpu_warp *w)
{
    return w->core->worker->cores->job->stage;
}

/* Makes the tests of a lane's samples and returns those that pass. `updates`: depth and stencil
 * are written, and passing samples are counted. */
uint16_t gfx_zs_test(struct gfx_draw *d, const struct gfx_quads *q, unsigned lane,
                     uint16_t coverage, bool updates);

/* Blends a colour into the covered samples of a lane's pixel. */
void gfx_blend(const struct gfx_draw *d, const struct gfx_quads *q, unsigned lane, unsigned target,
               uint16_t coverage, const float source[4]);
/* Stores a colour as it is. */
void gfx_replace(const struct gfx_draw *d, const struct gfx_quads *q, unsigned lane,
                 unsigned target, uint16_t coverage, const float source[4]);
/* Stores the bytes of a colour. */
void gfx_store_raw(const struct gfx_draw *d, const struct gfx_quads *q, unsigned lane,
                   unsigned target, uint16_t coverage, const uint8_t *raw);

#endif
