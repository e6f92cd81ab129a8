/*
 * A request to the texture unit: coordinates, level of detail, filters, comparison, results.
 *
 * Coordinates and weights are computed in fp32, and texels are mixed in double. The precision of
 * hardware is not public.
 *
 * Bounds      16 texels per request
 */
#include <math.h>
#include <string.h>

#include "mali_layout.h"
#include "runtime/gpu/clear.h"
#include "runtime/gpu/compare.h"
#include "runtime/gpu/lane.h"
#include "runtime/gpu/numeric/bits.h"
#include "runtime/gpu/shader/core.h"
#include "runtime/gpu/texture/register.h"
#include "runtime/gpu/texture/texture.h"

enum { X, Y, Z, AXES };

/* The texels of a filter along an axis: one, or two with the weight of the second. */
struct span {
    int64_t first;
    unsigned count;
    float weight;
};

static uint32_t operand_of(const struct gpu_texture_request *r, enum gpu_texture_operand which)
{
    return r->operand[which];
}

static bool is_cube(const struct gpu_texture *t)
{
    return t->dimension == MALI_TEXTURE_DIMENSION_CUBE;
}

static int offset_of(const struct gpu_texture_request *r, unsigned axis)
{
    return (int8_t)(operand_of(r, GPU_TEXTURE_OFFSETS) >> 8 * axis);
}

static uint32_t sample_of(const struct gpu_texture_unit *u, const struct gpu_texture_request *r)
{
    uint32_t sample = operand_of(r, GPU_TEXTURE_OFFSETS) >> 24;

    return sample < u->texture->samples ? sample : 0;
}

/* v clamped to a range; NaN becomes the lower end. */
static double clamp_to(double v, double low, double high)
{
    return v > low ? v < high ? v : high : low;
}

/* ---- texels and what stands for them --------------------------------------------------------- */

/* A border's component limited to the numbers that a format of fixed point has (OpenGL ES 3.2,
 * 8.14). */
static double limited_border(const struct gpu_texel_format *f, double v)
{
    if (f->kind != GPU_TEXEL_UNORM && f->kind != GPU_TEXEL_SNORM)
        return v;
    return clamp_to(v, f->kind == GPU_TEXEL_UNORM ? 0 : -1, 1);
}

/* The sampler's border colour in the components that the format has; others read as in any
 * texel. */
static void read_border(const struct gpu_texture_unit *u, double v[4])
{
    const struct gpu_texel_format *f = &u->texture->format;
    enum gpu_register_format r = f->kind == GPU_TEXEL_UINT   ? GPU_REGISTER_U32
                                 : f->kind == GPU_TEXEL_SINT ? GPU_REGISTER_S32
                                                             : GPU_REGISTER_F32;

    for (unsigned k = 0; k < 4; k++)
        if (gpu_texel_stores(f, k, &v[k]))
            v[k] = limited_border(f, gpu_register_decode(u->sampler->border[k], r));
}

static void swizzle_components(const struct gpu_texture *t, double v[4])
{
    static const uint8_t same[4] = {0, 1, 2, 3};
    double from[8] = {v[0], v[1], v[2], v[3], 0, 1};

    if (!memcmp(t->swizzle, same, sizeof(same)))
        return;
    for (unsigned k = 0; k < 4; k++)
        v[k] = from[t->swizzle[k]];
}

/* Per face of a cube, its s, t and main axes as axes of the cube, and their signs. */
static const struct {
    int8_t axis[3], sign[3];
} cube_faces[MALI_CUBE_FACES] = {
    {{Z, Y, X}, {-1, -1, 1}}, {{Z, Y, X}, {1, -1, -1}}, {{X, Z, Y}, {1, 1, 1}},
    {{X, Z, Y}, {1, -1, -1}}, {{X, Y, Z}, {1, -1, 1}},  {{X, Y, Z}, {-1, -1, -1}},
};

/* The face of a cube that the ray from its centre through a place in the plane of `face` meets;
 * st, from -1 to 1 on a face, becomes the place there. */
static unsigned meet_face(unsigned face, double st[2])
{
    double own[3] = {st[0], st[1], 1}, v[3] = {0};
    unsigned main;

    for (unsigned k = 0; k < 3; k++)
        v[cube_faces[face].axis[k]] = own[k] * cube_faces[face].sign[k];
    main = fabs(v[X]) > fabs(v[Y]) ? X : Y;
    main = fabs(v[Z]) > fabs(v[main]) ? Z : main;
    face = 2 * main + (v[main] < 0);
    for (unsigned k = 0; k < 2; k++)
        st[k] = v[cube_faces[face].axis[k]] * cube_faces[face].sign[k] / fabs(v[main]);
    return face;
}

/* Whether filters take the texels beyond the edge of a cube's face from the neighbouring face.
 * Otherwise the face is a flat texture with the sampler's wrap modes (OpenGL ES 2.0, 3.7.5 and
 * 3.7.6). */
static bool crosses_edges(const struct gpu_texture_unit *u)
{
    return is_cube(u->texture) && u->sampler->seamless;
}

/* Moves a place beyond the edge of a cube's face to the nearest texel of the neighbouring face. */
static void step_over(struct gpu_texel_place *at, int64_t i, int64_t j, uint32_t n)
{
    double st[2] = {(2.0 * (double)i + 1) / n - 1, (2.0 * (double)j + 1) / n - 1};

    at->face = meet_face(at->face, st);
    for (unsigned k = 0; k < 2; k++)
        *(k ? &at->y : &at->x) = (uint32_t)gpu_texture_wrap(MALI_WRAP_MODE_CLAMP_TO_EDGE,
                                                            (int64_t)floor((st[k] + 1) / 2 * n), n);
}

/* The reference of a comparison; fixed-point formats limit it (OpenGL ES 3.2, 8.20). */
static float reference_of(const struct gpu_texture_unit *u, const struct gpu_texture_request *r)
{
    float v = gpu_float(operand_of(r, GPU_TEXTURE_REFERENCE));

    if (u->texture->format.kind != GPU_TEXEL_UNORM)
        return v;
    return (float)clamp_to(v, 0, 1);
}

/* The texel with index i per axis. false: beyond a cube's corner, where no texel exists. */
static bool fetch_texel(const struct gpu_texture_unit *u, const struct gpu_texture_request *r,
                        const struct gpu_texel_place *base, const int64_t i[AXES], double v[4])
{
    const struct gpu_texture *t = u->texture;
    struct gpu_texel_place at = *base;
    uint32_t *const place[AXES] = {&at.x, &at.y, &at.z};
    bool outside = false;

    if (crosses_edges(u)) {
        int64_t n = gpu_texture_size(t, X, at.level);
        bool over_x = i[X] < 0 || i[X] >= n, over_y = i[Y] < 0 || i[Y] >= n;

        if (over_x && over_y)
            return false;
        at.x = (uint32_t)i[X];
        at.y = (uint32_t)i[Y];
        if (over_x || over_y)
            step_over(&at, i[X], i[Y], (uint32_t)n);
    } else {
        for (unsigned axis = X; axis < AXES; axis++) {
            uint32_t size = gpu_texture_size(t, axis, at.level);
            /* Most are inside, and divisions take long. */
            int64_t n = i[axis] >= 0 && i[axis] < size
                            ? i[axis]
                            : gpu_texture_wrap(u->sampler->wrap[axis], i[axis], size);

            outside |= n < 0;
            *place[axis] = (uint32_t)n;
        }
    }
    if (outside)
        read_border(u, v);
    else
        gpu_texture_fetch(u, &at, v);
    if (operand_of(r, GPU_TEXTURE_COMPARES)) {
        /* The texel's value, as the fp32 that a shader would read, is the left operand. */
        v[0] = gpu_compares(u->sampler->compare_function, (float)v[0], reference_of(u, r));
        v[1] = v[2] = v[3] = v[0];
    }
    swizzle_components(t, v);
    return true;
}

/* ---- filters --------------------------------------------------------------------------------- */

/* Number of axes of a texture that have coordinates. */
static unsigned axes_of(const struct gpu_texture *t)
{
    return t->dimension == MALI_TEXTURE_DIMENSION_VOLUME   ? 3
           : t->dimension == MALI_TEXTURE_DIMENSION_LINEAR ? 1
                                                           : 2;
}

static struct span span_of(const struct gpu_texture_unit *u, const struct gpu_texture_request *r,
                           unsigned axis, uint32_t level, bool linear)
{
    const struct gpu_sampler *s = u->sampler;
    struct span span = {.count = 1};
    float at, low;

    if (axis >= axes_of(u->texture))
        return span;
    at = gpu_texture_scale(crosses_edges(u) ? MALI_WRAP_MODE_CLAMP_TO_EDGE : s->wrap[axis],
                           gpu_float(operand_of(r, GPU_TEXTURE_X + axis)),
                           gpu_texture_size(u->texture, axis, level), s->normalized);
    if (linear)
        at -= 0.5f;
    low = floorf(at);
    span.first = (int64_t)low + offset_of(r, axis);
    span.count = linear ? 2 : 1;
    span.weight = at - low;
    return span;
}

static struct gpu_texel_place place_of(const struct gpu_texture_unit *u,
                                       const struct gpu_texture_request *r, uint32_t level)
{
    const struct gpu_texture *t = u->texture;
    uint32_t layer = operand_of(r, GPU_TEXTURE_LAYER);

    return (struct gpu_texel_place){
        .layer = layer < t->layers ? layer : t->layers - 1,
        .face = is_cube(t) ? operand_of(r, GPU_TEXTURE_FACE) % MALI_CUBE_FACES : 0,
        .sample = sample_of(u, r),
        .level = level,
    };
}

/* Filters texels of one level of the texture. */
static void filter_level(const struct gpu_texture_unit *u, const struct gpu_texture_request *r,
                         uint32_t level, bool linear, double v[4])
{
    struct gpu_texel_place base = place_of(u, r, level);
    struct span span[AXES];
    unsigned count = 1;
    double total = 0;

    for (unsigned axis = X; axis < AXES; axis++) {
        span[axis] = span_of(u, r, axis, level, linear);
        count *= span[axis].count;
    }
    memset(v, 0, 4 * sizeof(*v));
    for (unsigned n = 0; n < count; n++) { /* axes with one texel are the last ones */
        int64_t i[AXES];
        double weight = 1, one[4];

        for (unsigned axis = X; axis < AXES; axis++) {
            unsigned second = n >> axis & 1;

            i[axis] = span[axis].first + second;
            if (span[axis].count == 2)
                weight *= second ? span[axis].weight : 1 - span[axis].weight;
        }
        if (weight == 0 || !fetch_texel(u, r, &base, i, one))
            continue;
        total += weight;
        for (unsigned k = 0; k < 4; k++)
            v[k] += weight * one[k];
    }
    if (total > 0 && total < 1) /* a cube's corner: the others share the missing weight */
        for (unsigned k = 0; k < 4; k++)
            v[k] /= total;
}

static int32_t clamp_i32(int32_t v, int32_t low, int32_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* A level of detail clamped to the sampler's limits. */
static int32_t limited_lod(const struct gpu_texture_unit *u, int32_t lod)
{
    return clamp_i32(lod, u->sampler->minimum_lod, u->sampler->maximum_lod);
}

static uint32_t level_of(const struct gpu_texture *t, int32_t level)
{
    return (uint32_t)clamp_i32(level, 0, (int32_t)t->levels - 1);
}

/* ---- levels of detail ------------------------------------------------------------------------ */

/* The neighbour's coordinate `s`, `t` (0 … 1) on face `from` of a cube, projected from the cube's
 * centre to the plane of face `to`. */
static void project_to_face(double *s, double *t, uint32_t from, uint32_t to)
{
    double own[3] = {2 * *s - 1, 2 * *t - 1, 1}, v[3], main;

    for (unsigned k = 0; k < 3; k++)
        v[cube_faces[from].axis[k]] = own[k] * cube_faces[from].sign[k];
    main = v[cube_faces[to].axis[2]] * cube_faces[to].sign[2];
    main = main > 0.01 ? main : 0.01;
    *s = (v[cube_faces[to].axis[0]] * cube_faces[to].sign[0] / main + 1) / 2;
    *t = (v[cube_faces[to].axis[1]] * cube_faces[to].sign[1] / main + 1) / 2;
}

/* Whether derivatives are given as places of the neighbours. */
static bool has_places(const struct gpu_texture_request *r)
{
    return operand_of(r, GPU_TEXTURE_COMPUTED) == GPU_TEXTURE_BY_PLACES;
}

/* The way from the lane's place in a cube to that of its neighbour, whose coordinates are operands
 * from `first` on, in the plane of the lane's face. */
static void steps_in_cube(const struct gpu_texture_request *r, enum gpu_texture_operand first,
                          double step[AXES])
{
    uint32_t bits = operand_of(r, first), from = bits >> 29, to = operand_of(r, GPU_TEXTURE_FACE);
    double s = gpu_float((bits & 0x1fffffff) | 0x20000000), t = gpu_float(operand_of(r, first + 1));

    if (from >= MALI_CUBE_FACES || to >= MALI_CUBE_FACES)
        return;
    if (from != to)
        project_to_face(&s, &t, from, to);
    step[X] = s - (double)gpu_float(operand_of(r, GPU_TEXTURE_X));
    step[Y] = t - (double)gpu_float(operand_of(r, GPU_TEXTURE_Y));
}

/* Changes of the coordinates with one pixel step along the screen's x or y, whose derivatives are
 * operands from `first` on. */
static void steps_of(const struct gpu_texture_unit *u, const struct gpu_texture_request *r,
                     enum gpu_texture_operand first, double step[AXES])
{
    memset(step, 0, AXES * sizeof(*step));
    if (has_places(r) && is_cube(u->texture)) {
        steps_in_cube(r, first, step);
        return;
    }
    for (unsigned axis = X; axis < axes_of(u->texture); axis++) {
        step[axis] = gpu_float(operand_of(r, first + axis));
        if (has_places(r))
            step[axis] -= gpu_float(operand_of(r, GPU_TEXTURE_X + axis));
    }
}

/* Square of the texels of such a step. */
static double square_of_step(const struct gpu_texture_unit *u, const struct gpu_texture_request *r,
                             enum gpu_texture_operand first)
{
    double step[AXES], square = 0;

    steps_of(u, r, first, step);
    for (unsigned axis = X; axis < axes_of(u->texture); axis++) {
        double texels = step[axis] * (u->sampler->normalized ? u->texture->size[axis] : 1);

        square += texels * texels;
    }
    return square;
}

/* Level of detail in 1/256, without bias: log2 of the texels per pixel step along the screen's x or
 * y, whichever is larger. */
static double level_of_detail(const struct gpu_texture_unit *u, const struct gpu_texture_request *r)
{
    double x = square_of_step(u, r, GPU_TEXTURE_DERIVATIVE_X);
    double y = square_of_step(u, r, GPU_TEXTURE_DERIVATIVE_Y);

    return clamp_to(log2(x > y ? x : y) / 2 * MALI_LOD_ONE, -0x1p15, 0x1p15 - 1);
}

static int32_t gradient_lod(const struct gpu_texture_unit *u, const struct gpu_texture_request *r)
{
    double lod = level_of_detail(u, r);

    lod += operand_of(r, GPU_TEXTURE_BIASED) ? u->sampler->bias : 0;
    return clamp_i32((int32_t)rint(lod), INT16_MIN, INT16_MAX);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Whether threads form quads, as those of fragments do. */
static bool has_neighbours(const struct gpu_texture_unit *u)
{
    return u->w->core->worker->cores->job->job.stage == GPU_STAGE_FRAGMENT;
}

/* The level of detail with the sampler's bias and within its limits. */
static int32_t sampler_lod(const struct gpu_texture_unit *u, const struct gpu_texture_request *r,
                           int32_t lod)
{
    if (u->version < MALI_GIVEN_LOD_LIMITED_SINCE && !operand_of(r, GPU_TEXTURE_COMPUTED))
        return lod;
    return limited_lod(u, lod + (operand_of(r, GPU_TEXTURE_BIASED) ? u->sampler->bias : 0));
}

/* Filters texels at a level of detail without bias. */
static void filter_texels(const struct gpu_texture_unit *u, const struct gpu_texture_request *r,
                          int32_t lod, double v[4])
{
    const struct gpu_sampler *s = u->sampler;
    int32_t one = MALI_LOD_ONE;
    bool magnified, linear;

    lod = sampler_lod(u, r, lod);
    magnified = lod <= s->cutoff;
    linear = !(magnified ? s->magnify_nearest : s->minify_nearest);
    lod = clamp_i32(lod, (int32_t)u->texture->minimum_lod, (int32_t)u->texture->maximum_lod);
    if (magnified || s->mipmap_mode == MALI_MIPMAP_MODE_NONE) {
        filter_level(u, r, 0, linear, v);
    } else if (s->mipmap_mode == MALI_MIPMAP_MODE_NEAREST) {
        filter_level(u, r, level_of(u->texture, (lod + one / 2 - 1) / one), linear, v);
    } else {
        double next[4], part = (double)(lod % one) / one;

        filter_level(u, r, level_of(u->texture, lod / one), linear, v);
        if (lod % one == 0)
            return;
        filter_level(u, r, level_of(u->texture, lod / one + 1), linear, next);
        for (unsigned k = 0; k < 4; k++)
            v[k] += (next[k] - v[k]) * part;
    }
}

/* Moves the coordinates of a request by a part of a step; in a cube, to another face as needed. */
static void move_request(const struct gpu_texture_unit *u, struct gpu_texture_request *at,
                         const struct gpu_texture_request *from, const double step[AXES],
                         double part)
{
    double st[2];

    for (unsigned axis = X; axis <= Y; axis++)
        st[axis] = gpu_float(operand_of(from, GPU_TEXTURE_X + axis)) + part * step[axis];
    if (is_cube(u->texture) && operand_of(from, GPU_TEXTURE_FACE) < MALI_CUBE_FACES) {
        for (unsigned axis = X; axis <= Y; axis++)
            st[axis] = 2 * st[axis] - 1;
        at->operand[GPU_TEXTURE_FACE] = meet_face(operand_of(from, GPU_TEXTURE_FACE), st);
        for (unsigned axis = X; axis <= Y; axis++)
            st[axis] = (st[axis] + 1) / 2;
    }
    for (unsigned axis = X; axis <= Y; axis++)
        at->operand[GPU_TEXTURE_X + axis] = gpu_bits((float)st[axis]);
}

/*
 * Filters the footprint of a pixel, which is longer along the screen's x or y, as the mean of at
 * most s->anisotropy samples in that direction (EXT_texture_filter_anisotropic). false: one sample
 * is enough.
 */
static bool filter_footprint(const struct gpu_texture_unit *u, const struct gpu_texture_request *r,
                             double v[4])
{
    double x = sqrt(square_of_step(u, r, GPU_TEXTURE_DERIVATIVE_X));
    double y = sqrt(square_of_step(u, r, GPU_TEXTURE_DERIVATIVE_Y));
    double most = x > y ? x : y, least = x > y ? y : x, limit = u->sampler->anisotropy;
    double samples = most < least * limit ? ceil(most / least) : limit, lod, step[AXES];
    struct gpu_texture_request at = *r;

    if (!(samples > 1) || !(most > 0))
        return false;
    lod = clamp_to(log2(most / samples) * MALI_LOD_ONE, -0x1p15, 0x1p15 - 1);
    steps_of(u, r, x > y ? GPU_TEXTURE_DERIVATIVE_X : GPU_TEXTURE_DERIVATIVE_Y, step);
    memset(v, 0, 4 * sizeof(*v));
    for (unsigned i = 1; i <= samples; i++) {
        double one[4];

        move_request(u, &at, r, step, i / (samples + 1) - 0.5);
        filter_texels(u, &at, (int16_t)operand_of(r, GPU_TEXTURE_LOD) + (int32_t)rint(lod), one);
        for (unsigned k = 0; k < 4; k++)
            v[k] += one[k] / samples;
    }
    return true;
}

/* Whether the sampler's filter depends on the shape of a pixel's footprint. */
static bool is_anisotropic(const struct gpu_texture_unit *u)
{
    return u->sampler->anisotropy > 1 &&
           (is_cube(u->texture) || u->texture->dimension == MALI_TEXTURE_DIMENSION_FLAT);
}

static void sample_texture(const struct gpu_texture_unit *u, const struct gpu_texture_request *r,
                           double v[4])
{
    int32_t lod = (int16_t)operand_of(r, GPU_TEXTURE_LOD);

    if (operand_of(r, GPU_TEXTURE_COMPUTED) && has_neighbours(u)) {
        if (is_anisotropic(u) && filter_footprint(u, r, v))
            return;
        lod += (int32_t)rint(level_of_detail(u, r));
    }
    filter_texels(u, r, lod, v);
}

/* A component of the four texels of a linear filter, in the order (x, y) = 00, 10, 01, 11. The one
 * that a cube's corner lacks is the mean of the other three (OpenGL ES 3.2, "Seamless Cube Map
 * Filtering"). */
static void gather_texels(const struct gpu_texture_unit *u, const struct gpu_texture_request *r,
                          double v[4])
{
    struct gpu_texel_place base = place_of(u, r, 0);
    struct span x = span_of(u, r, X, 0, true), y = span_of(u, r, Y, 0, true);
    double *missing = NULL, sum = 0;

    for (unsigned n = 0; n < 4; n++) {
        int64_t i[AXES] = {x.first + (n & 1), y.first + (n >> 1), 0};
        double one[4];

        if (fetch_texel(u, r, &base, i, one))
            sum += v[n] = one[operand_of(r, GPU_TEXTURE_COMPONENT) % 4];
        else
            missing = &v[n];
    }
    if (missing)
        *missing = sum / 3;
}

static bool place_by_integers(const struct gpu_texture_unit *u, const struct gpu_texture_request *r,
                              struct gpu_texel_place *at)
{
    const struct gpu_texture *t = u->texture;
    uint32_t *const place[AXES] = {&at->x, &at->y, &at->z};

    *at = place_of(u, r, operand_of(r, GPU_TEXTURE_LEVEL));
    if (at->level >= t->levels)
        return false;
    for (unsigned axis = X; axis < axes_of(t); axis++) {
        int64_t i = (int64_t)(int32_t)operand_of(r, GPU_TEXTURE_X + axis) + offset_of(r, axis);

        if (i < 0 || i >= gpu_texture_size(t, axis, at->level))
            return false;
        *place[axis] = (uint32_t)i;
    }
    return true;
}

static void fetch_by_integers(const struct gpu_texture_unit *u, const struct gpu_texture_request *r,
                              double v[4])
{
    struct gpu_texel_place at;

    memset(v, 0, 4 * sizeof(*v));
    if (!place_by_integers(u, r, &at))
        return;
    gpu_texture_fetch(u, &at, v);
    swizzle_components(u->texture, v);
}

/* The address of a texel. As in images, z is a plane of a volume; in a cube or an array it is
 * layer * faces + face. A texel outside the texture has the address 0. */
static void texel_address(const struct gpu_texture_unit *u, struct gpu_texture_request *r)
{
    const struct gpu_texture *t = u->texture;
    uint32_t faces = is_cube(t) ? MALI_CUBE_FACES : 1, z = operand_of(r, GPU_TEXTURE_Z);
    bool volume = t->dimension == MALI_TEXTURE_DIMENSION_VOLUME;
    struct gpu_texel_place at;
    uint64_t va = 0;

    if (!volume) {
        r->operand[GPU_TEXTURE_LAYER] = z / faces;
        r->operand[GPU_TEXTURE_FACE] = z % faces;
    }
    if ((volume || z / faces < t->layers) && place_by_integers(u, r, &at))
        va = gpu_texture_address(u, &at);
    r->result[0] = (uint32_t)va;
    r->result[1] = (uint32_t)(va >> 32);
    r->result[2] = t->pixels;
}

/* ---- requests -------------------------------------------------------------------------------- */

static double clamp_result(double v, uint32_t clamp)
{
    switch (clamp) {
    case GPU_TEXTURE_CLAMP_POSITIVE:
        return v > 0 ? v : 0;
    case GPU_TEXTURE_CLAMP_SIGNED:
        return clamp_to(v, -1, 1);
    case GPU_TEXTURE_CLAMP_UNSIGNED:
        return clamp_to(v, 0, 1);
    default:
        return v;
    }
}

static void set_results(struct gpu_texture_request *r, const double v[4])
{
    enum gpu_register_format format = (enum gpu_register_format)operand_of(r, GPU_TEXTURE_FORMAT);
    double out[4];

    for (unsigned k = 0; k < 4; k++)
        out[k] = clamp_result(v[k], operand_of(r, GPU_TEXTURE_CLAMP));
    for (unsigned k = 0; k < 4; k++)
        r->result[k] = gpu_register_of(out, k, format);
}

/* Reads a sampler beyond the job's count: a driver counts too few if a shader has more samplers
 * than textures. */
static const struct gpu_sampler *read_uncounted(struct gpu_texture_unit *u, uint64_t va)
{
    uint8_t raw[MALI_SAMPLER_BYTES];

    gpu_texel_read(u->w, u->op, u->lane, va, sizeof(raw), raw);
    gpu_sampler_unpack(&u->uncounted, u->version, raw);
    return &u->uncounted;
}

/* Finds the request's texture and sampler; false: no such texture, which reads as zeros. */
static bool find_texture(struct gpu_texture_unit *u, const struct gpu_texture_request *r,
                         const struct gpu_textures *t, bool sampled)
{
    uint32_t texture = operand_of(r, GPU_TEXTURE_INDEX),
             sampler = operand_of(r, GPU_TEXTURE_SAMPLER);

    if (texture >= t->texture_count)
        return false;
    u->texture = &t->texture[texture];
    if (sampler < t->sampler_count)
        u->sampler = &t->sampler[sampler];
    else if (sampled)
        u->sampler = read_uncounted(u, t->samplers + (uint64_t)sampler * MALI_SAMPLER_BYTES);
    return true;
}

static bool is_sampled(uint32_t operation)
{
    return operation != GPU_TEXTURE_FETCH && operation != GPU_TEXTURE_ADDRESS;
}

void gpu_texture_operand(struct gpu_warp *w, uint32_t which, uint32_t value)
{
    if (which < GPU_TEXTURE_OPERANDS)
        w->core->worker->texture.operand[which] = value;
}

void gpu_texture_request(struct gpu_warp *w, const struct gpu_op *op, unsigned lane,
                         uint32_t operation)
{
    struct gpu_worker *k = w->core->worker;
    struct gpu_texture_request *r = &k->texture;
    struct gpu_texture_unit u; /* `uncounted` is set where it is used */
    double v[4] = {0};

    u.w = w;
    u.op = op;
    u.lane = lane;
    u.version = k->cores->variant->architecture;
    u.texture = NULL;
    u.sampler = NULL;

    memset(r->result, 0, sizeof(r->result));
    if (operand_of(r, GPU_TEXTURE_SKIPS) && w->helpers >> lane & 1) {
        gpu_clear_words(r->operand, GPU_TEXTURE_OPERANDS);
        return;
    }
    if (!find_texture(&u, r, &k->cores->job->job.textures, is_sampled(operation))) {
        set_results(r, v);
    } else if (u.texture->refused) {
        gpu_refuse(w, op, u.texture->refused);
    } else if (operation == GPU_TEXTURE_GRADIENT) {
        int32_t lod = gradient_lod(&u, r);

        r->result[0] =
            (uint32_t)(operand_of(r, GPU_TEXTURE_UNCLAMPED) ? lod : limited_lod(&u, lod)) &
            UINT16_MAX;
    } else if (operation == GPU_TEXTURE_ADDRESS) {
        texel_address(&u, r);
    } else {
        if (operation == GPU_TEXTURE_SAMPLE)
            sample_texture(&u, r, v);
        else if (operation == GPU_TEXTURE_GATHER)
            gather_texels(&u, r, v);
        else
            fetch_by_integers(&u, r, v);
        set_results(r, v);
    }
    gpu_clear_words(r->operand, GPU_TEXTURE_OPERANDS);
}

uint32_t gpu_texture_result(const struct gpu_warp *w, uint32_t k)
{
    return k < 4 ? w->core->worker->texture.result[k] : 0;
}
