/*
 * Texels of video: a component for luma, and two for chroma with half as many texels per row. What
 * a shader reads is not converted to red, green and blue.
 *
 * A texel has the chroma of the pair or square of texels that it is in. Where hardware places
 * chroma between them (`siting` of the format) is not modelled.
 */
#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/texture/texture.h"

enum { LUMA, FIRST, SECOND, ALPHA, COMPONENTS };

/* Formats: planes (chroma in one, with two bytes per texel, or in two), and rows per row of
 * chroma. */
static const struct {
    uint32_t format;
    uint8_t planes, rows;
} formats[] = {
    {MALI_FORMAT_Y8_UV8_420, 2, 2},
    {MALI_FORMAT_Y8_U8_V8_420, 3, 2},
    {MALI_FORMAT_Y8_UV8_422, 2, 1},
    {MALI_FORMAT_Y8_U8_V8_422, 3, 1},
};

/* What red, green, blue and alpha are, by enum mali_yuv_order. */
static const uint8_t orders[][COMPONENTS] = {
    {LUMA, FIRST, SECOND, ALPHA}, {LUMA, SECOND, FIRST, ALPHA}, {FIRST, LUMA, SECOND, ALPHA},
    {FIRST, SECOND, LUMA, ALPHA}, {SECOND, FIRST, LUMA, ALPHA}, {SECOND, LUMA, FIRST, ALPHA},
};

bool gpu_yuv_read(unsigned architecture, uint32_t bits, struct gpu_texel_format *f,
                  struct gpu_yuv *y)
{
    uint32_t number = gpu_texel_format_number(architecture, bits);
    uint32_t order = bits & MALI_YUV_ORDER_MASK;

    if (architecture < MALI_YUV_SINCE || order >= ARRAY_SIZE(orders) || bits & MALI_YUV_SWAPPED)
        return false;
    for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
        if (formats[i].format != number)
            continue;
        *y = (struct gpu_yuv){formats[i].planes, formats[i].rows, orders[order]};
        *f = (struct gpu_texel_format){.bytes = 1, .components = 3, .kind = GPU_TEXEL_UNORM};
        for (unsigned k = 0; k < COMPONENTS; k++) {
            f->part[k].bits = 8; /* not 0: the component is there */
            f->from[k] = k == ALPHA ? GPU_TEXEL_ONE : (uint8_t)k;
        }
        return true;
    }
    return false;
}

void gpu_yuv_places(const struct gpu_texture *t, const struct mali_planes *p,
                    const struct gpu_texel_place *at, uint64_t va[3])
{
    bool has_pairs = t->yuv.planes == 2;
    uint64_t stride = (uint64_t)(int64_t)p->row_stride_1;
    uint32_t x = at->x / 2, y = at->y / t->yuv.rows;

    va[LUMA] = p->pointer_0 +
               gpu_texel_offset(t->tiled, at->x, at->y, (uint64_t)(int64_t)p->row_stride_0, 1);
    va[FIRST] = p->pointer_1 + gpu_texel_offset(t->tiled, x, y, stride, has_pairs ? 2 : 1);
    va[SECOND] =
        has_pairs ? va[FIRST] + 1 : p->pointer_2 + gpu_texel_offset(t->tiled, x, y, stride, 1);
}
