/*
 * Values of varyings: at the vertices of a primitive, from the buffers that the vertex shader
 * wrote, and interpolated at a pixel.
 */
#include "runtime/gpu/graphics/varying.h"

#include <string.h>

#include "runtime/gpu/texture/texture.h"

/* Bit in the place of an address: a point's y begins at its largest y. */
enum { FROM_MAXIMUM_Y = 1 << 6 };

static const struct gpu_attribute *varying_of(const struct gpu_warp *w, uint32_t index)
{
    const struct gpu_compute_job *job = &w->core->worker->cores->job->job;

    return index < job->varying_count ? &job->varyings[index] : NULL;
}

uint64_t gfx_varying_address(const struct gpu_warp *w, unsigned lane, uint32_t index,
                             unsigned vertex, uint32_t *format)
{
    const struct gpu_attribute *a = varying_of(w, index);
    const struct gfx_triangle *t = gfx_quads_of(w)->lane_triangle[lane];
    uint64_t offset;

    *format = a ? a->format : 0;
    if (!a || a->type == MALI_ATTRIBUTE_TYPE_NONE || !t)
        return 0;
    offset = (uint64_t)t->primitive.row[vertex] * a->stride + (uint64_t)a->offset;
    return offset < a->bytes ? a->address + offset : 0;
}

/* Reads the components of a varying at a vertex as floats; absent components are 0, or 1 for w. */
static void read_value(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint32_t index,
                       unsigned vertex, float v[4])
{
    unsigned version = w->core->worker->cores->variant->architecture;
    uint8_t raw[GPU_TEXEL_MAX_BYTES];
    struct gpu_texel_format f;
    double c[4] = {0, 0, 0, 1};
    uint32_t format;
    uint64_t va = gfx_varying_address(w, lane, index, vertex, &format);

    if (va && gpu_texel_format_read(version, format, &f)) {
        gpu_texel_read(w, op, lane, va, f.bytes, raw);
        gpu_texel_decode(&f, raw, c);
    }
    for (unsigned k = 0; k < 4; k++)
        v[k] = (float)c[k];
}

/* The values of a varying at the vertices of a lane's primitive, from the row's cache, which is
 * filled if it lacks them. */
static const struct gfx_value *value_of(struct gpu_warp *w, const struct gpu_op *op, unsigned lane,
                                        uint32_t index)
{
    struct gfx_quads *q = gfx_quads_of(w);
    const struct gfx_triangle *t = q->lane_triangle[lane];
    struct gfx_value *value =
        &q->values[((uintptr_t)t / sizeof(*t) * 7 + index) & (GFX_VALUES - 1)];
    unsigned vertices = t->primitive.kind == MALI_POLYGON_KIND_TRIANGLE ? 3
                        : t->primitive.kind == MALI_POLYGON_KIND_LINE   ? 2
                                                                        : 1;

    if (value->triangle == t && value->index == index)
        return value;
    value->triangle = t;
    value->index = index;
    for (unsigned k = 0; k < 3; k++)
        if (k < vertices)
            read_value(w, op, lane, index, k, value->v[k]);
        else
            memcpy(value->v[k], value->v[0], sizeof(value->v[k]));
    return value;
}

/* Computes a varying that is a property of the fragment. false: the varying is in memory. */
static bool special_varying(const struct gpu_warp *w, unsigned lane, uint32_t index, float v[4])
{
    const struct gpu_attribute *a = varying_of(w, index);
    const struct gfx_quads *q = gfx_quads_of(w);
    const struct gfx_point *p = &q->lane_triangle[lane]->primitive.point;
    float x = (float)q->x[lane] + 0.5f, y = (float)q->y[lane] + 0.5f;

    switch (a ? a->type : MALI_ATTRIBUTE_TYPE_NONE) {
    case MALI_ATTRIBUTE_TYPE_FRAGMENT_COORDINATE:
        v[0] = x;
        v[1] = y;
        v[2] = q->z[lane];
        v[3] = q->w[lane];
        return true;
    case MALI_ATTRIBUTE_TYPE_POINT_COORDINATE:
        v[0] = p->size > 0 ? (x - p->left) / p->size : 0;
        v[1] = p->size > 0 ? (y - p->top) / p->size : 0;
        if (a->address & FROM_MAXIMUM_Y)
            v[1] = 1 - v[1];
        v[2] = 0;
        v[3] = 1;
        return true;
    default:
        return false;
    }
}

bool gfx_varying_is_facing(const struct gpu_warp *w, uint32_t index)
{
    const struct gpu_attribute *a = varying_of(w, index);

    return a && a->type == MALI_ATTRIBUTE_TYPE_FRONT_FACING;
}

/*
 * Interpolates component k. Differences from vertex 0 keep equal values the same, since rounded
 * weights do not sum to 1. The result is rounded once, so that the two triangles of a rectangle
 * agree on the coordinate of a point that lies on the border of two texels.
 */
static float interpolate(const struct gfx_value *value, unsigned k, const double weight[3])
{
    double from = value->v[0][k];

    return (float)(from + (value->v[1][k] - from) * weight[1] +
                   (value->v[2][k] - from) * weight[2]);
}

void gfx_varying_weighted(struct gpu_warp *w, const struct gpu_op *op, unsigned lane,
                          uint32_t index, const double weight[3], float out[4])
{
    const struct gfx_value *value;

    if (special_varying(w, lane, index, out))
        return;
    value = value_of(w, op, lane, index);
    for (unsigned k = 0; k < 4; k++)
        out[k] = interpolate(value, k, weight);
}

void gfx_varying(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint32_t index,
                 float out[4])
{
    const struct gfx_quads *q = gfx_quads_of(w);
    const double weight[3] = {q->weight[0][lane], q->weight[1][lane], q->weight[2][lane]};

    gfx_varying_weighted(w, op, lane, index, weight, out);
}

void gfx_varying_steps(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint32_t index,
                       float step[4])
{
    float low[4], high[4];

    for (unsigned axis = 0; axis < 2; axis++) {
        gfx_varying(w, op, lane & ~(1u << axis), index, low);
        gfx_varying(w, op, lane | 1u << axis, index, high);
        for (unsigned k = 0; k < 2; k++)
            step[2 * axis + k] = high[k] - low[k];
    }
}
