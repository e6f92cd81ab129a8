/* Primitives of a draw, made of its indices. */
#ifndef RUNTIME_GPU_GRAPHICS_ASSEMBLE_H
#define RUNTIME_GPU_GRAPHICS_ASSEMBLE_H

#include "mali_layout.h"
#include "runtime/gpu/graphics/reader.h"

enum { GFX_STEP_INDICES = 1 << 13 }; /* most indices per step: at most two primitives each */

/* How far the assembly of a draw is. */
struct gfx_assembly {
    const struct mali_primitive *primitive;
    uint32_t instances, padded;
    uint32_t rows;           /* vertices per instance; primitives with others are left out */
    unsigned line_provoking; /* vertex of lines for flat varyings */
    /* the next index */
    uint32_t instance;
    uint64_t index;
    /* of the primitive that is under way */
    uint32_t run;     /* vertices since the last restart */
    uint32_t held[4]; /* the first vertex, then the last three */
};

/* Whether all primitives were made. */
bool gfx_assembly_ended(const struct gfx_assembly *a);
/* Makes primitives of the next indices; `to` has place for 2 * GFX_STEP_INDICES. *count receives
 * their number. false: *r->out has the reason; the state has not changed. */
bool gfx_assembly_step(struct gfx_reader *r, struct gfx_assembly *a, struct mali_polygon *to,
                       uint32_t *count);

#endif
