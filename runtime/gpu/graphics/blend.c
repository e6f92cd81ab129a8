/* Fixed-function blending, and stores to the tile buffer. Facts: Mesa 25, pan_blend.c. */
#include <math.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/gpu/graphics/draw.h"
#include "runtime/gpu/graphics/samples.h"

/* ---- the equation ---------------------------------------------------------------------------- */

/* Inputs of the blend equation for one component. */
struct values {
    float source, destination, source_alpha, destination_alpha, constant;
};

/* The equation: ±a ± b * c, or with `invert_c` ±a ± b * (1 - c). */
struct function {
    uint32_t a, b, c; /* enum mali_blend_a, mali_blend_b, mali_blend_c */
    bool negate_a, negate_b, invert_c;
};

static float term_a(uint32_t a, const struct values *v)
{
    return a == MALI_BLEND_A_SOURCE        ? v->source
           : a == MALI_BLEND_A_DESTINATION ? v->destination
                                           : 0;
}

static float term_b(uint32_t b, const struct values *v)
{
    switch (b) {
    case MALI_BLEND_B_SOURCE_MINUS_DESTINATION:
        return v->source - v->destination;
    case MALI_BLEND_B_SOURCE_PLUS_DESTINATION:
        return v->source + v->destination;
    case MALI_BLEND_B_SOURCE:
        return v->source;
    default:
        return v->destination;
    }
}

static float term_c(uint32_t c, const struct values *v)
{
    switch (c) {
    case MALI_BLEND_C_SOURCE:
        return v->source;
    case MALI_BLEND_C_DESTINATION:
        return v->destination;
    case MALI_BLEND_C_TWICE_SOURCE:
        return 2 * v->source;
    case MALI_BLEND_C_SOURCE_ALPHA:
        return v->source_alpha;
    case MALI_BLEND_C_DESTINATION_ALPHA:
        return v->destination_alpha;
    case MALI_BLEND_C_CONSTANT:
        return v->constant;
    default:
        return 0;
    }
}

static float apply_function(const struct function *f, const struct values *v)
{
    float a = term_a(f->a, v), b = term_b(f->b, v), c = term_c(f->c, v);

    return (f->negate_a ? -a : a) + (f->negate_b ? -b : b) * (f->invert_c ? 1 - c : c);
}

static void blend_color(const struct gfx_blend *b, const float source[4], const float old[4],
                        float out[4])
{
    const struct mali_blend_equation *e = &b->equation;
    struct function rgb = {e->rgb_a,        e->rgb_b,        e->rgb_c,
                           e->rgb_negate_a, e->rgb_negate_b, e->rgb_invert_c};
    struct function alpha = {e->alpha_a,        e->alpha_b,        e->alpha_c,
                             e->alpha_negate_a, e->alpha_negate_b, e->alpha_invert_c};

    for (unsigned k = 0; k < 4; k++) {
        struct values v = {source[k], old[k], source[3], old[3], b->constant[k]};

        out[k] = apply_function(k == 3 ? &alpha : &rgb, &v);
    }
}

/* ---- stores ---------------------------------------------------------------------------------- */

static float to_linear(float v)
{
    return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

static float from_linear(float v)
{
    return v <= 0.0031308f ? v * 12.92f : 1.055f * powf(v, 1 / 2.4f) - 0.055f;
}

static uint8_t *bytes_of(const struct gfx_draw *d, const struct gfx_quads *q, unsigned lane,
                         unsigned target, unsigned sample)
{
    return d->band->color[target] +
           (size_t)(q->place[lane] + sample) * d->frame->target[target].tile->bytes;
}

/* Blends `source` into a sample. Returns the sample's new word in the tile buffer. */
static uint32_t blend_word(const struct gfx_blend *b, const struct gfx_tile_format *f,
                           uint32_t old_word, const float source[4])
{
    float c[4], old[4], out[4];

    for (unsigned k = 0; k < 4; k++)
        c[k] = gfx_unit(source[k]);
    if (b->alpha_to_one)
        c[3] = 1;
    if (b->replaces) {
        memcpy(out, c, sizeof(out));
    } else {
        gfx_tile_decode(f, old_word, old);
        for (unsigned k = 0; k < 3 && b->srgb; k++)
            old[k] = to_linear(old[k]);
        blend_color(b, c, old, out);
    }
    for (unsigned k = 0; k < 3 && b->srgb; k++)
        out[k] = from_linear(out[k]);
    return gfx_tile_encode(f, out, b->round);
}

/* Returns `word` with the bits of `old` in those components whose bit in `mask` is 0. */
static uint32_t masked_word(const struct gfx_tile_format *f, uint32_t mask, uint32_t old,
                            uint32_t word)
{
    uint32_t kept = 0;
    unsigned at = 0;

    for (unsigned k = 0; k < 4; k++) {
        unsigned bits = f->component_bits[k] + f->fraction[k];

        if (!(mask >> k & 1))
            kept |= (uint32_t)((UINT64_C(1) << bits) - 1) << at;
        at += bits;
    }
    return (old & kept) | (word & ~kept);
}

void gfx_blend(const struct gfx_draw *d, const struct gfx_quads *q, unsigned lane, unsigned target,
               uint16_t coverage, const float source[4])
{
    const struct gfx_tile_format *f = d->frame->target[target].tile;
    const struct gfx_blend *b = &d->blend[target];

    if (!b->enable || !b->equation.mask)
        return;
    for (uint32_t left = gfx_covered_samples(d->frame, coverage); left; left &= left - 1) {
        uint8_t *at = bytes_of(d, q, lane, target, (unsigned)__builtin_ctz(left));
        uint32_t old, word;

        memcpy(&old, at, sizeof(old));
        word = masked_word(f, b->equation.mask, old, blend_word(b, f, old, source));
        memcpy(at, &word, sizeof(word));
    }
}

void gfx_replace(const struct gfx_draw *d, const struct gfx_quads *q, unsigned lane,
                 unsigned target, uint16_t coverage, const float source[4])
{
    const struct gfx_blend whole = {.replaces = true,
                                    .alpha_to_one = d->blend[target].alpha_to_one,
                                    .srgb = d->blend[target].srgb,
                                    .round = d->blend[target].round};
    uint32_t word = blend_word(&whole, d->frame->target[target].tile, 0, source);

    for (uint32_t left = gfx_covered_samples(d->frame, coverage); left; left &= left - 1)
        memcpy(bytes_of(d, q, lane, target, (unsigned)__builtin_ctz(left)), &word, sizeof(word));
}

void gfx_store_raw(const struct gfx_draw *d, const struct gfx_quads *q, unsigned lane,
                   unsigned target, uint16_t coverage, const uint8_t *raw)
{
    const struct gfx_tile_format *f = d->frame->target[target].tile;
    uint8_t word[4];

    if (!f->raw) {
        le_put(word, sizeof(word), gfx_tile_from_raw(f, (uint32_t)le_get(raw, sizeof(word))));
        raw = word;
    }
    for (uint32_t left = gfx_covered_samples(d->frame, coverage); left; left &= left - 1)
        memcpy(bytes_of(d, q, lane, target, (unsigned)__builtin_ctz(left)), raw, f->bytes);
}
