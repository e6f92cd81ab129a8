/* The fixed-function units that shaders use: carries out one request of one lane at a time. */
#include "runtime/gpu/graphics/unit.h"

#include <math.h>
#include <string.h>

#include "runtime/gpu/clear.h"
#include "runtime/gpu/compare.h"
#include "runtime/gpu/graphics/samples.h"
#include "runtime/gpu/graphics/varying.h"
#include "runtime/gpu/lane.h"
#include "runtime/gpu/numeric/bits.h"
#include "runtime/gpu/texture/register.h"
#include "runtime/gpu/texture/texture.h"

/* The request that is carried out, and its lane. */
struct asked {
    struct gpu_warp *w;
    const struct gpu_op *op;
    unsigned lane;
    struct gfx_draw *d;
    struct gfx_quads *q;
    struct gpu_graphics_request *r;
};

static uint32_t operand_of(const struct asked *a, enum gpu_graphics_operand which)
{
    return a->r->operand[which];
}

static unsigned version_of(const struct asked *a)
{
    return a->w->core->worker->cores->variant->architecture;
}

/* ---- varyings -------------------------------------------------------------------------------- */

static void set_floats(struct asked *a, const float v[4])
{
    uint32_t format = operand_of(a, GPU_GRAPHICS_FORMAT);
    enum gpu_register_format r =
        format == GPU_REGISTER_AUTO ? GPU_REGISTER_F32 : (enum gpu_register_format)format;
    double c[4];

    if (r == GPU_REGISTER_F32) {
        for (unsigned k = 0; k < 4; k++)
            a->r->result[k] = gpu_bits(v[k]);
        return;
    }
    for (unsigned k = 0; k < 4; k++)
        c[k] = v[k];
    for (unsigned k = 0; k < 4; k++)
        a->r->result[k] = gpu_register_of(c, k, r);
}

/* Bit of coverage of a centroid: the first that is covered. false: the centre. */
static bool centroid_of(const struct asked *a, unsigned *bit)
{
    uint32_t coverage = a->q->coverage[a->lane], all = (1u << a->d->frame->places) - 1;

    if (!coverage || coverage == all)
        return false;
    *bit = (unsigned)__builtin_ctz(coverage);
    return true;
}

/* The place at which the request interpolates, in 1/256 pixel from the pixel's upper left corner.
 * false: that of the lane's weights. */
static bool place_of(const struct asked *a, int16_t at[2])
{
    struct gfx_place place = {GFX_SUBPIXEL / 2, GFX_SUBPIXEL / 2};
    uint32_t offset = operand_of(a, GPU_GRAPHICS_OFFSET);
    unsigned bit;

    switch (operand_of(a, GPU_GRAPHICS_PLACE)) {
    case GPU_GRAPHICS_PLACE_CENTER:
        if (!a->d->per_sample)
            return false;
        break;
    case GPU_GRAPHICS_PLACE_CENTROID:
        if (centroid_of(a, &bit))
            place = *gfx_coverage_place(a->d, bit);
        break;
    case GPU_GRAPHICS_PLACE_SAMPLE:
        place = *gfx_sample_place(a->d, operand_of(a, GPU_GRAPHICS_SAMPLE));
        break;
    case GPU_GRAPHICS_PLACE_OFFSET:
        at[0] = (int16_t)(offset & UINT16_MAX);
        at[1] = (int16_t)(offset >> 16);
        return true;
    default:
        return false;
    }
    at[0] = place.x;
    at[1] = place.y;
    return true;
}

static void interpolate_varying(struct asked *a)
{
    uint32_t index = operand_of(a, GPU_GRAPHICS_INDEX);
    int16_t at[2];
    float v[4];

    if (place_of(a, at)) {
        double weight[3];

        gfx_triangle_weights(a->q->lane_triangle[a->lane],
                             (int64_t)a->q->x[a->lane] * GFX_SUBPIXEL + at[0],
                             (int64_t)a->q->y[a->lane] * GFX_SUBPIXEL + at[1], weight);
        gfx_varying_weighted(a->w, a->op, a->lane, index, weight, v);
    } else {
        gfx_varying(a->w, a->op, a->lane, index, v);
    }
    set_floats(a, v);
}

static void load_steps(struct asked *a)
{
    float step[4];

    gfx_varying_steps(a->w, a->op, a->lane, operand_of(a, GPU_GRAPHICS_INDEX), step);
    for (unsigned k = 0; k < 4; k++)
        a->r->result[k] = gpu_bits(step[k]);
}

/* The register format for a varying in memory: floats are not converted to integers, since drivers
 * load all flat varyings with 32-bit components as integers. */
static uint32_t unconverted_format(const struct asked *a, uint32_t format, uint32_t wanted)
{
    struct gpu_texel_format f;
    bool whole = wanted == GPU_REGISTER_U32 || wanted == GPU_REGISTER_S32;

    return whole && gpu_texel_format_read(version_of(a), format, &f) && f.kind == GPU_TEXEL_FLOAT
               ? GPU_REGISTER_F32
               : wanted;
}

/* Loads a varying of the provoking vertex without interpolation. */
static void load_flat(struct asked *a)
{
    uint32_t format, r = operand_of(a, GPU_GRAPHICS_FORMAT);
    uint64_t va = gfx_varying_address(a->w, a->lane, operand_of(a, GPU_GRAPHICS_INDEX),
                                      a->q->lane_triangle[a->lane]->primitive.provoking, &format);

    if (gfx_varying_is_facing(a->w, operand_of(a, GPU_GRAPHICS_INDEX))) {
        /* A shader combines it with other booleans, which have all bits or none. */
        a->r->result[0] = a->q->lane_triangle[a->lane]->primitive.is_back_facing ? 0 : UINT32_MAX;
        return;
    }
    r = unconverted_format(a, format, r);
    for (unsigned k = 0; k < 4; k++)
        a->r->result[k] = gpu_pixel_load(a->w, a->op, a->lane, va, format, r, k);
}

/* Loads the pixel's coordinates in the square of a point, 0 … 1 from its upper left corner on. */
static void load_point(struct asked *a)
{
    const struct gfx_point *p = &a->q->lane_triangle[a->lane]->primitive.point;
    float v[4] = {0, 0, 0, 1};

    if (p->size > 0) {
        v[0] = ((float)a->q->x[a->lane] + 0.5f - p->left) / p->size;
        v[1] = ((float)a->q->y[a->lane] + 0.5f - p->top) / p->size;
    }
    if (a->d->state.point_origin_max_y)
        v[1] = 1 - v[1];
    set_floats(a, v);
}

static void set_float(struct asked *a, float value)
{
    float v[4] = {value, value, value, value};

    set_floats(a, v);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Alpha-to-coverage: the lowest round(alpha * places) bits are set. */
static uint16_t coverage_by_alpha(const struct asked *a, float alpha)
{
    unsigned places = a->d->frame->places;
    unsigned count = (unsigned)rintf(gfx_unit(alpha) * (float)places);

    return (uint16_t)((1u << count) - 1);
}

/* Whether a fragment passes the alpha test of OpenGL's compatibility profile, which Mesa leaves to
 * GPUs up to version 5 and adds to shaders for others. */
static bool passes_alpha_test(const struct asked *a, float alpha)
{
    const struct mali_renderer_state *s = &a->d->state;

    return gpu_compares(s->alpha_test, gfx_unit(alpha), s->alpha_reference);
}

/* The samples that the alpha of target 0 leaves of a pixel, up to version 5. */
static uint16_t left_by_alpha(const struct asked *a, float alpha)
{
    if (!passes_alpha_test(a, alpha))
        return 0;
    return a->d->state.alpha_to_coverage ? coverage_by_alpha(a, alpha) : UINT16_MAX;
}

/* A lane whose pixel has no covered samples left becomes a helper. */
static void note_coverage(struct asked *a)
{
    if (!a->q->coverage[a->lane])
        a->w->helpers |= 1u << a->lane;
}

/* Makes the lane's late tests, unless they were made. The result is the remaining coverage. */
static void test_late(struct asked *a, uint16_t coverage)
{
    uint16_t *left = &a->q->coverage[a->lane];

    *left &= coverage;
    if (!a->q->tested[a->lane] && *left)
        *left = gfx_zs_test(a->d, a->q, a->lane, *left, true);
    a->q->tested[a->lane] = true;
    note_coverage(a);
    a->r->result[0] = *left;
}

static void test_alpha(struct asked *a)
{
    uint16_t coverage = (uint16_t)operand_of(a, GPU_GRAPHICS_COVERAGE);

    if (a->d->state.alpha_to_coverage)
        coverage &= coverage_by_alpha(a, gpu_float(operand_of(a, GPU_GRAPHICS_ALPHA)));
    if (a->d->tests.shader_depth || a->d->tests.shader_stencil) {
        /* The tests are made when the shader gives its depth or stencil reference. */
        a->q->coverage[a->lane] &= coverage;
        note_coverage(a);
        a->r->result[0] = a->q->coverage[a->lane];
        return;
    }
    test_late(a, coverage);
}

static void give_depth(struct asked *a)
{
    if (operand_of(a, GPU_GRAPHICS_GIVEN) & 1)
        a->q->z[a->lane] = gpu_float(operand_of(a, GPU_GRAPHICS_DEPTH));
    if (operand_of(a, GPU_GRAPHICS_GIVEN) & 2)
        a->q->shader_stencil[a->lane] = (uint8_t)operand_of(a, GPU_GRAPHICS_STENCIL);
    test_late(a, (uint16_t)operand_of(a, GPU_GRAPHICS_COVERAGE));
}

/* ---- the tile buffer ------------------------------------------------------------------------- */

/* Converts the request's colour to numbers. Missing components are 0, or 1 for alpha. */
static void color_of(const struct asked *a, double c[4])
{
    uint32_t format = operand_of(a, GPU_GRAPHICS_FORMAT), count = operand_of(a, GPU_GRAPHICS_COUNT);
    enum gpu_register_format r = (enum gpu_register_format)format;
    const uint32_t *from = &a->r->operand[GPU_GRAPHICS_COLOR];

    for (unsigned k = 0; k < 4; k++) {
        uint32_t bits = gpu_register_is_half(r) ? from[k / 2] >> 16 * (k % 2) & 0xffff : from[k];

        c[k] = count && k >= count ? k == 3 : gpu_register_decode(bits, r);
    }
}

/* Stores a colour in a raw target, in its memory format and without a blend equation. */
static void store_raw(struct asked *a, unsigned target, uint16_t coverage)
{
    uint8_t raw[GPU_TEXEL_MAX_BYTES] = {0};
    struct gpu_texel_format f;
    double c[4];

    color_of(a, c);
    if (!gpu_texel_format_read(version_of(a), operand_of(a, GPU_GRAPHICS_MEMORY), &f)) {
        gpu_refuse(a->w, a->op, "stores in this format of a target");
        return;
    }
    gpu_texel_encode(&f, c, 4, raw);
    gfx_store_raw(a->d, a->q, a->lane, target, coverage, raw);
}

static void write_color(struct asked *a, bool replaces)
{
    uint32_t target = operand_of(a, GPU_GRAPHICS_TARGET);
    uint16_t coverage = a->q->coverage[a->lane] & (uint16_t)operand_of(a, GPU_GRAPHICS_COVERAGE);
    double c[4];
    float v[4];

    if (target >= a->d->frame->targets || !coverage)
        return;
    if (a->d->frame->target[target].tile->raw) {
        if (replaces || a->d->blend[target].enable)
            store_raw(a, target, coverage);
        return;
    }
    color_of(a, c);
    for (unsigned k = 0; k < 4; k++)
        v[k] = (float)c[k];
    if (replaces)
        gfx_replace(a->d, a->q, a->lane, target, coverage, v);
    else
        gfx_blend(a->d, a->q, a->lane, target, coverage, v);
}

/* The sample whose colour a request loads. Where each sample is shaded on its own it is the
 * thread's: Mesa leaves the number 0 in programs that blend by equations of
 * KHR_blend_equation_advanced. */
static unsigned loaded_sample(const struct asked *a)
{
    return a->d->per_sample ? a->q->sample[a->lane]
                            : operand_of(a, GPU_GRAPHICS_SAMPLE) % a->d->frame->samples;
}

/* Loads the colour that the tile buffer holds for a sample. */
static void load_color(struct asked *a)
{
    uint32_t target = operand_of(a, GPU_GRAPHICS_TARGET);
    enum gpu_register_format r = (enum gpu_register_format)operand_of(a, GPU_GRAPHICS_FORMAT);
    double c[4] = {0, 0, 0, 1};
    float v[4];

    if (target < a->d->frame->targets && a->q->inside[a->lane]) {
        const struct gfx_tile_format *tile = a->d->frame->target[target].tile;
        const uint8_t *raw = a->d->band->color[target] +
                             (size_t)(a->q->place[a->lane] + loaded_sample(a)) * tile->bytes;
        struct gpu_texel_format f;

        if (!tile->raw) {
            gfx_tile_decode(tile, (uint32_t)le_get(raw, 4), v);
            for (unsigned k = 0; k < 4; k++)
                c[k] = k < 3 && a->d->frame->target[target].srgb ? gpu_texel_from_srgb(v[k]) : v[k];
        } else if (gpu_texel_format_read(version_of(a), operand_of(a, GPU_GRAPHICS_MEMORY), &f) &&
                   f.bytes <= tile->bytes) {
            gpu_texel_decode(&f, raw, c);
        }
    }
    for (unsigned k = 0; k < 4; k++)
        a->r->result[k] = gpu_register_of(c, k, r);
}

/* ---- attributes, and writes that call blend shaders ------------------------------------------ */

/* Loads an attribute of a vertex. Buffers of two types have no memory: they yield the number of the
 * thread's vertex or instance. */
static void load_attribute(struct asked *a)
{
    const struct gpu_compute_job *job = &a->w->core->worker->cores->job->job;
    uint32_t index = operand_of(a, GPU_GRAPHICS_INDEX), format = operand_of(a, GPU_GRAPHICS_FORMAT);
    uint32_t vertex = operand_of(a, GPU_GRAPHICS_VERTEX),
             instance = operand_of(a, GPU_GRAPHICS_INSTANCE);
    uint32_t type = index < job->attribute_count ? job->attributes[index].type : 0;
    uint64_t va;

    if (job->stage != GPU_STAGE_COMPUTE &&
        (type == MALI_ATTRIBUTE_TYPE_VERTEX_ID || type == MALI_ATTRIBUTE_TYPE_INSTANCE_ID)) {
        a->r->result[0] = type == MALI_ATTRIBUTE_TYPE_VERTEX_ID ? vertex : instance;
        return;
    }
    va = gpu_attribute_address(a->w, index, vertex, instance);
    for (unsigned k = 0; k < 4; k++)
        a->r->result[k] =
            gpu_pixel_load(a->w, a->op, a->lane, va, gpu_attribute_format(a->w, index), format, k);
}

/* Loads the bytes that the tile buffer holds for a sample; they are repeated to 16 bytes. */
static void load_raw(struct asked *a)
{
    uint32_t target = operand_of(a, GPU_GRAPHICS_TARGET);
    const struct gfx_tile_format *f;
    const uint8_t *from;
    uint8_t word[4];
    unsigned bytes;

    if (target >= a->d->frame->targets || !a->q->inside[a->lane])
        return;
    f = a->d->frame->target[target].tile;
    bytes = f->bytes;
    from = a->d->band->color[target] + (size_t)(a->q->place[a->lane] + loaded_sample(a)) * bytes;
    if (!f->raw) {
        le_put(word, sizeof(word), gfx_tile_to_raw(f, (uint32_t)le_get(from, sizeof(word))));
        from = word;
    }
    for (unsigned i = 0; i < sizeof(a->r->result); i++)
        a->r->result[i / 4] |= (uint32_t)from[i % bytes] << 8 * (i % 4);
}

static void load_sample(struct asked *a)
{
    a->r->result[0] = a->q->sample[a->lane];
    a->r->result[1] = a->q->coverage[a->lane];
}

enum { WRITE_ZS_ONLY = 0xff };

/*
 * Serves a write of a blend shader. The samples of a pixel lie one behind the other; a write has 16
 * of their bytes: chunk `where & 0xff` of target `where >> 8 & 0xff`. Its covered samples are
 * stored. The last write of the shader has 0 in both BACK operands; after it the lane returns to
 * the blend shader's caller.
 */
static void store_blended(struct asked *a, uint32_t where)
{
    uint32_t target = where >> 8 & UINT8_MAX, chunk = where & UINT8_MAX;
    uint16_t samples = gfx_covered_samples(a->d->frame, a->q->coverage[a->lane]);
    uint8_t raw[16];

    if (!operand_of(a, GPU_GRAPHICS_BACK_LOW) && !operand_of(a, GPU_GRAPHICS_BACK_HIGH)) {
        /* This was the last of the blend shader's writes. */
        a->q->blending[a->lane] = false;
        a->r->result[0] = (uint32_t)a->q->back[a->lane];
        a->r->result[1] = (uint32_t)(a->q->back[a->lane] >> 32);
        a->r->result[2] = !a->q->back[a->lane];
    }
    if (target >= a->d->frame->targets)
        return;
    for (unsigned k = 0; k < 4; k++)
        le_put(raw + 4 * (size_t)k, 4, operand_of(a, GPU_GRAPHICS_COLOR + k));
    for (unsigned s = 0; s < a->d->frame->samples; s++) {
        unsigned at = s * a->d->frame->target[target].tile->bytes;

        if (at / sizeof(raw) == chunk && samples >> s & 1)
            gfx_store_raw(a->d, a->q, a->lane, target, (uint16_t)(1u << s), raw + at % sizeof(raw));
    }
}

/* Calls the blend shader of a target. */
static void call_blend_shader(struct asked *a, unsigned target)
{
    uint64_t shader = a->d->descriptor[target].shader & ~UINT64_C(15);

    a->q->blending[a->lane] = true;
    a->q->back[a->lane] = operand_of(a, GPU_GRAPHICS_BACK_LOW) |
                          (uint64_t)operand_of(a, GPU_GRAPHICS_BACK_HIGH) << 32;
    a->r->result[0] = (uint32_t)shader;
    a->r->result[1] = (uint32_t)(shader >> 32);
}

/* Makes the late tests, unless they were made, and blends a colour of fp32 components. */
static void write_out(struct asked *a)
{
    const struct gfx_tests *t = &a->d->tests;
    uint32_t given = operand_of(a, GPU_GRAPHICS_TARGET), target;

    if (a->q->blending[a->lane]) {
        store_blended(a, given);
        return;
    }
    /* A number that is no place of a target is left from other uses of the register: target 0. */
    target = given < GFX_TARGETS << 8 ? given >> 8 : 0;
    if (t->shader_depth)
        a->q->z[a->lane] = gpu_float(operand_of(a, GPU_GRAPHICS_DEPTH));
    if (t->shader_stencil)
        a->q->shader_stencil[a->lane] = (uint8_t)operand_of(a, GPU_GRAPHICS_STENCIL);
    /* Alpha is that of target 0, which is written first. */
    test_late(a, a->q->tested[a->lane]
                     ? UINT16_MAX
                     : left_by_alpha(a, gpu_float(operand_of(a, GPU_GRAPHICS_COLOR + 3))));
    a->r->result[0] = 0;
    /* A shader may have outputs that the frame has no targets for. */
    if (target >= a->d->frame->targets ||
        (given == WRITE_ZS_ONLY && (t->shader_depth || t->shader_stencil)))
        return;
    if (a->d->descriptor[target].is_shader) {
        call_blend_shader(a, target);
        return;
    }
    a->r->operand[GPU_GRAPHICS_TARGET] = target;
    a->r->operand[GPU_GRAPHICS_FORMAT] = GPU_REGISTER_F32;
    a->r->operand[GPU_GRAPHICS_COVERAGE] = UINT16_MAX;
    write_color(a, false);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void carry_out(struct asked *a, uint32_t operation)
{
    switch (operation) {
    case GPU_GRAPHICS_VARYING:
        interpolate_varying(a);
        break;
    case GPU_GRAPHICS_FLAT:
        load_flat(a);
        break;
    case GPU_GRAPHICS_POINT:
        load_point(a);
        break;
    case GPU_GRAPHICS_FRAGMENT_W:
        set_float(a, a->q->w[a->lane]);
        break;
    case GPU_GRAPHICS_FRAGMENT_Z:
        set_float(a, a->q->z[a->lane]);
        break;
    case GPU_GRAPHICS_TEST:
        test_alpha(a);
        break;
    case GPU_GRAPHICS_GIVE:
        give_depth(a);
        break;
    case GPU_GRAPHICS_BLEND:
        write_color(a, operand_of(a, GPU_GRAPHICS_REPLACES) != 0);
        break;
    case GPU_GRAPHICS_LOAD:
        load_color(a);
        break;
    case GPU_GRAPHICS_STORE:
        write_color(a, true);
        break;
    case GPU_GRAPHICS_STEPS:
        load_steps(a);
        break;
    case GPU_GRAPHICS_LOAD_RAW:
        load_raw(a);
        break;
    case GPU_GRAPHICS_SAMPLE_ID:
        load_sample(a);
        break;
    case GPU_GRAPHICS_WRITE:
        write_out(a);
        break;
    case GPU_GRAPHICS_DISCARD:
        a->q->coverage[a->lane] = 0;
        note_coverage(a);
        break;
    default:
        gpu_refuse(a->w, a->op, "an unknown request");
        break;
    }
}

void gpu_graphics_operand(struct gpu_warp *w, uint32_t which, uint32_t value)
{
    if (which < GPU_GRAPHICS_OPERANDS)
        w->core->worker->graphics.operand[which] = value;
}

void gpu_graphics_request(struct gpu_warp *w, const struct gpu_op *op, unsigned lane,
                          uint32_t operation)
{
    struct gpu_worker *k = w->core->worker;
    struct asked a = {w, op, lane, k->cores->job->stage, w->group->stage, &k->graphics};

    memset(k->graphics.result, 0, sizeof(k->graphics.result));
    if (operation == GPU_GRAPHICS_ATTRIBUTE)
        load_attribute(&a);
    else if (k->cores->job->job.stage == GPU_STAGE_FRAGMENT)
        carry_out(&a, operation);
    else if (operation == GPU_GRAPHICS_DISCARD)
        gpu_end_lane(w, lane);
    else
        gpu_refuse(w, op, "what only threads of fragments have");
    gpu_clear_words(k->graphics.operand, GPU_GRAPHICS_OPERANDS);
}

uint32_t gpu_graphics_result(const struct gpu_warp *w, uint32_t k)
{
    return k < 4 ? w->core->worker->graphics.result[k] : 0;
}
