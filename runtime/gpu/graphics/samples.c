/* Sample positions: the centre, the rotated grid of four, and Direct3D's standard patterns. */
#include "runtime/gpu/graphics/samples.h"

/* The position of a sample whose offset from the centre is (dx, dy), in 1/16 pixel. */
#define AT(dx, dy)                       \
    {                                    \
        128 + 16 * (dx), 128 + 16 * (dy) \
    }

static const struct gfx_place one[] = {AT(0, 0)};
static const struct gfx_place four[] = {AT(-2, -6), AT(6, -2), AT(-6, 2), AT(2, 6)};
static const struct gfx_place eight[] = {
    AT(1, -3), AT(-1, 3), AT(5, 1), AT(-3, -5), AT(-5, 5), AT(-7, -1), AT(3, 7), AT(7, -7),
};
static const struct gfx_place sixteen[] = {
    AT(1, 1),  AT(-1, -3), AT(-3, 2),  AT(4, -1), AT(-5, -2), AT(2, 5),  AT(5, 3), AT(3, -5),
    AT(-2, 6), AT(0, -7),  AT(-4, -6), AT(-6, 4), AT(-8, 0),  AT(7, -4), AT(6, 7), AT(-7, -8),
};

/* Place number n of the pattern of `count` places. */
static const struct gfx_place *place_of(unsigned count, unsigned n)
{
    if (count >= 16)
        return &sixteen[n % 16];
    if (count >= 8)
        return &eight[n % 8];
    return count >= 4 ? &four[n % 4] : &one[0];
}

const struct gfx_place *gfx_sample_place(const struct gfx_draw *d, unsigned sample)
{
    return place_of(d->state.multisample ? d->frame->samples : 1, sample);
}

const struct gfx_place *gfx_coverage_place(const struct gfx_draw *d, unsigned bit)
{
    return place_of(d->state.multisample ? d->frame->places : 1, bit);
}
