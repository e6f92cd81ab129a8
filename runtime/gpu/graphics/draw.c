/* Reads the descriptors of a draw that its fragments use: renderer state, viewport, blending. */
#include "runtime/gpu/graphics/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/gpu/lane.h"

/* ---- tests ----------------------------------------------------------------------------------- */

/* Whether the program asks for tests before the shader: what that says of depth and stencil has no
 * effect then (OpenGL ES 3.2, 14.4), and the descriptor names it as their source all the same. */
static bool is_early_by_force(unsigned version, const struct mali_renderer_state *s)
{
    return version < 6 ? s->force_early_z
                       : s->pixel_kill == MALI_PIXEL_KILL_FORCE_EARLY &&
                             s->zs_update == MALI_PIXEL_KILL_FORCE_EARLY;
}

/* When tests are made up to version 5, if the shader gives them no values: early, unless it can
 * change their outcome, or does what others see even if its pixel fails. */
static enum gfx_when when_before_6(const struct mali_renderer_state *s)
{
    bool late = s->contains_discard || s->has_side_effects || s->alpha_to_coverage ||
                s->alpha_test != MALI_COMPARE_FUNCTION_ALWAYS;

    return late && !s->force_early_z ? GFX_LATE : GFX_EARLY;
}

static bool has_no_effect(const struct mali_stencil *s)
{
    return s->compare_function == MALI_COMPARE_FUNCTION_ALWAYS &&
           s->stencil_fail == MALI_STENCIL_OP_KEEP && s->depth_fail == MALI_STENCIL_OP_KEEP &&
           s->depth_pass == MALI_STENCIL_OP_KEEP;
}

/* Whether a test that fails may write the stencil. */
static bool fails_visibly(const struct gfx_tests *t)
{
    bool writes = false;

    for (unsigned i = 0; i < 2; i++)
        writes |= t->stencil[i].stencil_fail != MALI_STENCIL_OP_KEEP ||
                  t->stencil[i].depth_fail != MALI_STENCIL_OP_KEEP;
    return t->stencil_enable && writes;
}

static void set_tests(struct gfx_tests *t, unsigned version, const struct mali_renderer_state *s,
                      const struct mali_viewport *v)
{
    bool asks_shader = !is_early_by_force(version, s);
    bool shader_depth = asks_shader && s->depth_source == MALI_DEPTH_SOURCE_SHADER;
    bool unit = shader_depth ? s->shader_depth_range : s->fixed_depth_range;

    *t = (struct gfx_tests){
        .stencil = {s->stencil_front, s->stencil_back},
        .stencil_mask = {(uint8_t)s->stencil_mask_front, (uint8_t)s->stencil_mask_back},
        .stencil_enable = s->stencil_enable,
        .depth_write = s->depth_write,
        .depth_function = s->depth_function,
        .shader_depth = shader_depth,
        .shader_stencil = asks_shader && s->stencil_from_shader,
        .min_z = v->min_z,
        .max_z = v->max_z,
        .near_discard = s->near_discard,
        .far_discard = s->far_discard,
        .least_depth = unit ? 0 : v->min_z,
        .most_depth = unit ? 1 : v->max_z,
    };
    if (version < 6) {
        t->test = t->update = when_before_6(s);
    } else {
        t->test = s->pixel_kill == MALI_PIXEL_KILL_FORCE_LATE ? GFX_LATE : GFX_EARLY;
        t->update = s->zs_update == MALI_PIXEL_KILL_FORCE_LATE ? GFX_LATE : GFX_EARLY;
    }
    /* A pixel that fails early tests must not be killed if its late update writes. */
    if (t->shader_depth || t->shader_stencil || (t->update == GFX_LATE && fails_visibly(t)))
        t->test = GFX_LATE;
    if (t->test == GFX_LATE)
        t->update = GFX_LATE;
    t->passive =
        !t->depth_write && t->depth_function == MALI_COMPARE_FUNCTION_ALWAYS &&
        (!t->stencil_enable || (has_no_effect(&t->stencil[0]) && has_no_effect(&t->stencil[1])));
}

/* ---- blending -------------------------------------------------------------------------------- */

/* Whether a blend equation yields the source component unchanged. */
static bool takes_source(uint32_t a, bool negate_a, uint32_t b, bool negate_b, uint32_t c,
                         bool invert_c)
{
    /* The two forms are source + b * 0 and 0 + source * (1 - 0). */
    if (negate_a || negate_b)
        return false;
    if (a == MALI_BLEND_A_SOURCE)
        return c == MALI_BLEND_C_ZERO && !invert_c;
    return a == MALI_BLEND_A_ZERO && b == MALI_BLEND_B_SOURCE && c == MALI_BLEND_C_ZERO && invert_c;
}

static void set_blend(struct gfx_blend *to, const struct mali_blend_equation *e, bool enable)
{
    to->equation = *e;
    to->enable = enable;
    to->replaces = e->mask == 15 &&
                   takes_source(e->rgb_a, e->rgb_negate_a, e->rgb_b, e->rgb_negate_b, e->rgb_c,
                                e->rgb_invert_c) &&
                   takes_source(e->alpha_a, e->alpha_negate_a, e->alpha_b, e->alpha_negate_b,
                                e->alpha_c, e->alpha_invert_c);
}

/* The blend constant as a number. Its upper bits hold a number of the target's precision. */
static float constant_of(const struct gfx_target *t, uint32_t bits)
{
    unsigned whole = t->tile->raw ? 16 : t->tile->component_bits[0];

    return (float)(bits >> (16 - whole)) / (float)((1u << whole) - 1);
}

/* Reads the blend descriptor of target `i`, and the words of it that shaders pass to BLEND. */
static bool read_descriptor(struct gfx_draw *d, struct gfx_reader *r, unsigned i)
{
    uint64_t at = d->draw.state + MALI_RENDERER_STATE_BYTES + i * MALI_BLEND_BYTES;
    uint8_t raw[MALI_BLEND_BYTES];

    if (!gfx_fetch(r, at, raw, sizeof(raw)))
        return false;
    for (unsigned k = 0; k < 2; k++)
        d->internal[i][k] = (uint32_t)le_get(raw + MALI_BLEND_INTERNAL_OFFSET + 4 * k, 4);
    return !mali_blend_unpack(r->version, raw, &d->descriptor[i]) || gfx_invalid(r, at);
}

static bool read_blends(struct gfx_draw *d, struct gfx_reader *r)
{
    if (r->version == 4) {
        struct gfx_blend *b = &d->blend[0];

        set_blend(b, &d->state.blend_equation, d->state.write_enable);
        for (unsigned k = 0; k < 4; k++)
            b->constant[k] = gfx_unit(d->state.blend_constant);
        b->alpha_to_one = d->state.alpha_to_one;
        b->srgb = d->state.srgb;
        b->round = d->state.dither_disable;
        d->descriptor[0].is_shader = d->state.has_blend_shader;
        d->descriptor[0].shader = d->state.blend_shader;
        return true;
    }
    for (unsigned i = 0; i < d->frame->targets; i++) {
        const struct mali_blend *m = &d->descriptor[i];
        struct gfx_blend *b = &d->blend[i];

        if (!read_descriptor(d, r, i))
            return false;
        set_blend(b, &m->equation, m->enable);
        for (unsigned k = 0; k < 4; k++)
            b->constant[k] = r->version == 5 ? gfx_unit(m->constant)
                                             : constant_of(&d->frame->target[i], m->constant_unorm);
        b->alpha_to_one = m->alpha_to_one;
        b->srgb = m->srgb;
        b->round = m->round;
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static struct gfx_box box_of(const struct gfx_draw *d, const struct mali_viewport *v)
{
    const struct gfx_box *f = &d->frame->box, *b = &d->band->box;

    return (struct gfx_box){
        max_u32(v->scissor_min_x, max_u32(f->x0, b->x0)),
        max_u32(v->scissor_min_y, max_u32(f->y0, b->y0)),
        min_u32(v->scissor_max_x + 1, min_u32(f->x1, b->x1)),
        min_u32(v->scissor_max_y + 1, min_u32(f->y1, b->y1)),
    };
}

bool gfx_draw_state(struct gfx_draw *d, struct gfx_reader *r, struct gpu_compute_job *job)
{
    struct mali_viewport v;

    *job = (struct gpu_compute_job){.stage = GPU_STAGE_FRAGMENT};
    if (!gpu_stage_read(r->variant, r->as, &d->draw, job, &d->state, r->out) ||
        !GFX_READ(r, viewport, VIEWPORT, d->draw.viewport, &v) || !read_blends(d, r))
        return false;
    d->box = box_of(d, &v);
    set_tests(&d->tests, r->version, &d->state, &v);
    d->tests.per_sample = r->version < 6 && d->frame->samples == 1 ? 4 : 1;
    /* The field may have a tag even if there is no shader; shader_address is without the tag. */
    d->shades = job->shader_address != 0;
    d->shader = job->shader_address;
    d->per_sample = d->state.evaluate_per_sample && d->frame->samples > 1;
    if (!d->shades)
        d->tests.test = d->tests.update = GFX_EARLY;
    return true;
}

bool gfx_draw_read(struct gfx_draw *d, struct gfx_reader *r, const struct gfx_frame *f,
                   const struct gfx_band *b, uint64_t block, struct gpu_compute_job *job)
{
    struct mali_polygon_block header;
    struct mali_polygon *polygons = NULL;
    bool good;

    *d = (struct gfx_draw){.frame = f, .band = b};
    *job = (struct gpu_compute_job){0};
    good = gfx_block_read(r, block, &header, &polygons) &&
           GFX_READ(r, draw, DRAW, header.draw, &d->draw) && gfx_draw_state(d, r, job) &&
           gfx_draw_setup(d, r, &header, polygons);
    d->address = header.draw;
    free(polygons);
    return good;
}

bool gfx_draw_read_frame(struct gfx_draw *d, struct gfx_reader *r, const struct gfx_frame *f,
                         const struct gfx_band *b, unsigned which, struct gpu_compute_job *job)
{
    /* The draw has the four corners of the frame, row by row. */
    static const struct mali_polygon polygons[2] = {
        {.row = {0, 1, 2}, .kind = MALI_POLYGON_KIND_TRIANGLE},
        {.row = {2, 1, 3}, .kind = MALI_POLYGON_KIND_TRIANGLE},
    };
    struct mali_polygon_block header = {.count = 2};

    *d = (struct gfx_draw){.frame = f, .band = b, .is_frame_shader = true};
    /* Before primitives are drawn, it is not known which tiles have them. */
    d->needs_primitives = which == GFX_FRAME_SHADERS - 1 &&
                          f->frame_shader_mode[which] == MALI_FRAME_SHADER_INTERSECT;
    *job = (struct gpu_compute_job){0};
    header.draw = f->draws + which * mali_draw_bytes(r->version);
    return GFX_READ(r, draw, DRAW, header.draw, &d->draw) && gfx_draw_state(d, r, job) &&
           gfx_draw_setup(d, r, &header, polygons);
}

void gfx_draw_release(struct gfx_draw *d)
{
    free(d->triangles);
    free(d->tiles);
    free(d->first);
    free(d->tile_triangles);
    *d = (struct gfx_draw){0};
}
