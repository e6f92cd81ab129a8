/* Primitive assembly: makes the points, lines and triangles of a draw from its indices. */
#ifndef RUNTIME_GPU_GRAPHICS_ASSEMBLE_H
#define RUNTIME_GPU_GRAPHICS_ASSEMBLE_H

#include "mali_layout.h"
#include "runtime/gpu/graphics/reader.h"

enum { GFX_STEP_INDICES = 1 << 13 }; /* most indices per step: at most two primitives each */

/* Progress of the primitive assembly of one draw. */
struct gfx_assembly {
    const struct mali_primitive *primitive;
    uint32_t instances, padded; /* instances; rows per instance in the vertex buffers */
    uint32_t rows;           /* vertices per instance; primitives with other vertices are dropped */
    unsigned line_provoking; /* provoking vertex of lines, for flat varyings: 0 or 1 */
    /* position of the next index */
    uint32_t instance;
    uint64_t index;
    /* state of the current strip, fan or loop */
    uint32_t run; /* vertices since the last restart */
    /* vertices: the first one since the restart, then the last three */
    uint32_t recent_vertices[4];
};

/* Whether the primitives of all instances were made. */
bool gfx_assembly_ended(const struct gfx_assembly *a);
/* Makes the primitives of the next indices. `to` has room for 2 * GFX_STEP_INDICES primitives;
 * *count receives their number. false: *r->out has the reason, and *a has not changed. */
bool gfx_assembly_step(struct gfx_reader *r, struct gfx_assembly *a, struct mali_polygon *to,
                       uint32_t *count);

#endif
