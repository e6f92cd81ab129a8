/* Depth and stencil tests of samples (OpenGL ES 3.2, 17.3.3 and 17.3.4). */
#include "runtime/gpu/graphics/draw.h"

#include "runtime/gpu/compare.h"
#include "runtime/gpu/graphics/samples.h"

/* Maps the bits of a float to an integer, so that integers compare as the floats do. */
static uint32_t ordered_bits(uint32_t bits)
{
    return bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
}

static bool depth_passes(const struct gfx_draw *d, uint32_t z, uint32_t stored)
{
    uint32_t function = d->tests.depth_function;

    if (d->frame->zs.depth_format == MALI_DEPTH_FORMAT_D32)
        return gpu_compares(function, ordered_bits(z), ordered_bits(stored));
    return gpu_compares(function, z, stored);
}

static uint8_t stencil_result(uint32_t op, uint8_t old, uint8_t reference)
{
    switch (op) {
    case MALI_STENCIL_OP_REPLACE:
        return reference;
    case MALI_STENCIL_OP_ZERO:
        return 0;
    case MALI_STENCIL_OP_INVERT:
        return (uint8_t)~old;
    case MALI_STENCIL_OP_INCREMENT_WRAP:
        return (uint8_t)(old + 1);
    case MALI_STENCIL_OP_DECREMENT_WRAP:
        return (uint8_t)(old - 1);
    case MALI_STENCIL_OP_INCREMENT:
        return old < UINT8_MAX ? (uint8_t)(old + 1) : old;
    case MALI_STENCIL_OP_DECREMENT:
        return old ? (uint8_t)(old - 1) : old;
    default:
        return old;
    }
}

static void write_stencil(const struct gfx_draw *d, size_t place, bool back, uint32_t op,
                          uint8_t reference)
{
    uint8_t *stencil = &d->band->stencil[place], mask = d->tests.stencil_mask[back];
    uint8_t result = stencil_result(op, *stencil, reference);

    *stencil = (uint8_t)((*stencil & ~mask) | (result & mask));
}

/* Depths are limited after bias, even those of floats (OpenGL ES 3.2, 13.7). */
static float limited_depth(const struct gfx_tests *t, float z)
{
    return z > t->least_depth ? z < t->most_depth ? z : t->most_depth : t->least_depth;
}

/* Makes the tests of one sample, whose index in the band is `place`. Returns whether it passes. */
static bool test_sample(const struct gfx_draw *d, bool back, size_t place, float depth,
                        uint8_t reference, bool updates)
{
    const struct gfx_tests *t = &d->tests;
    const struct mali_stencil *s = &t->stencil[back];
    uint32_t z;
    bool pass;

    if (t->stencil_enable && !gpu_compares(s->compare_function, reference & s->mask,
                                           d->band->stencil[place] & s->mask)) {
        if (updates)
            write_stencil(d, place, back, s->stencil_fail, reference);
        return false;
    }
    z = gfx_depth_encode(d->frame->zs.depth_format, limited_depth(t, depth));
    pass = depth_passes(d, z, d->band->depth[place]);
    if (!updates)
        return pass;
    if (t->stencil_enable)
        write_stencil(d, place, back, pass ? s->depth_pass : s->depth_fail, reference);
    if (pass && t->depth_write)
        d->band->depth[place] = z;
    return pass;
}

/* Depth of a sample: from the shader, or interpolated with bias. */
static float depth_of(const struct gfx_draw *d, const struct gfx_quads *q, unsigned lane,
                      unsigned sample)
{
    const struct gfx_place *at = gfx_sample_place(d, sample);
    const struct gfx_triangle *t = q->lane_triangle[lane];

    if (d->tests.shader_depth)
        return q->z[lane];
    return gfx_triangle_depth(t, (int64_t)q->x[lane] * GFX_SUBPIXEL + at->x,
                              (int64_t)q->y[lane] * GFX_SUBPIXEL + at->y) +
           t->bias;
}

uint16_t gfx_zs_test(struct gfx_draw *d, const struct gfx_quads *q, unsigned lane,
                     uint16_t coverage, bool updates)
{
    bool back = q->lane_triangle[lane]->primitive.is_back_facing;
    uint8_t reference = d->tests.shader_stencil ? q->shader_stencil[lane]
                                                : (uint8_t)d->tests.stencil[back].reference;
    uint16_t samples = gfx_covered_samples(d->frame, coverage), passed = 0;

    if (d->tests.passive && d->draw.occlusion_query == MALI_OCCLUSION_MODE_DISABLED)
        return coverage;
    for (uint32_t left = samples; left; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);

        if (test_sample(d, back, q->place[lane] + s, depth_of(d, q, lane, s), reference, updates))
            passed |= (uint16_t)(1u << s);
    }
    if (updates && passed && d->draw.occlusion_query != MALI_OCCLUSION_MODE_DISABLED)
        __atomic_fetch_add(&d->passed_samples,
                           (uint64_t)__builtin_popcount(passed) * d->tests.per_sample,
                           __ATOMIC_RELAXED);
    return d->frame->places > d->frame->samples && passed ? coverage : passed;
}
