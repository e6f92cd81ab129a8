/*
 * Partitions and indices of BPTC blocks, and texels of BC7. Facts: Khronos Data Format
 * Specification 1.3, chapter 20.
 */
#include "runtime/gpu/texture/bptc.h"

#include <string.h>

enum { TEXELS = 16, PARTITIONS = 64, ALPHA = 3 };

/* The second subset's texels of each partition into two, a bit per texel. */
static const uint16_t two_subsets[PARTITIONS] = {
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80,
    0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310,
    0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa,
    0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc,
    0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6,
    0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
};

/* The subset of each texel in partitions into three, two bits per texel. */
static const uint32_t three_subsets[PARTITIONS] = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
};

/* Texels whose index lacks its highest bit, besides texel 0: that of the second subset of two, and
 * those of the second and the third of three. */
static const uint8_t anchors[3][PARTITIONS] = {
    {
        15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2,  8, 2,  2, 8,
        8,  15, 2,  8,  2,  2,  8,  8,  2,  2,  15, 15, 6,  8,  2,  8,  15, 15, 2, 8,  2, 2,
        2,  15, 15, 6,  6,  2,  6,  8,  15, 15, 2,  2,  15, 15, 15, 15, 15, 2,  2, 15,
    },
    {
        3,  3,  15, 15, 8, 3,  15, 15, 8,  8,  6, 6,  6, 5,  3, 3,  3,  3,  8,  15, 3,  3,
        6,  10, 5,  8,  8, 6,  8,  5,  15, 15, 8, 15, 3, 5,  6, 10, 8,  15, 15, 3,  15, 5,
        15, 15, 15, 15, 3, 15, 5,  5,  5,  8,  5, 10, 5, 10, 8, 13, 15, 12, 3,  3,
    },
    {
        15, 8, 8, 3,  15, 15, 3,  8,  15, 15, 15, 15, 15, 15, 15, 8,  15, 8,  15, 3,  15, 8,
        15, 8, 3, 15, 6,  10, 15, 15, 10, 8,  15, 3,  15, 10, 10, 8,  9,  10, 6,  15, 8,  15,
        3,  6, 6, 8,  15, 3,  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3,  15, 15, 8,
    },
};

unsigned gpu_bptc_field(const uint8_t *raw, unsigned at, unsigned width)
{
    unsigned v = 0;

    for (unsigned i = 0; i < width; i++)
        v |= (unsigned)(raw[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    return v;
}

unsigned gpu_bptc_subset(unsigned subsets, unsigned partition, unsigned texel)
{
    if (subsets == 3)
        return three_subsets[partition] >> 2 * texel & 3;
    return subsets == 2 ? two_subsets[partition] >> texel & 1 : 0;
}

/* Whether the texel's index is shorter by a bit. */
static bool is_anchor(unsigned subsets, unsigned partition, unsigned texel)
{
    if (!texel)
        return true;
    if (subsets == 3)
        return texel == anchors[1][partition] || texel == anchors[2][partition];
    return subsets == 2 && texel == anchors[0][partition];
}

unsigned gpu_bptc_index(const uint8_t *raw, const struct gpu_bptc_indices *n, unsigned texel)
{
    unsigned at = n->at;

    for (unsigned i = 0; i < texel; i++)
        at += n->width - is_anchor(n->subsets, n->partition, i);
    return gpu_bptc_field(raw, at, n->width - is_anchor(n->subsets, n->partition, texel));
}

unsigned gpu_bptc_weight(unsigned width, unsigned index)
{
    static const uint8_t two[4] = {0, 21, 43, 64}, three[8] = {0, 9, 18, 27, 37, 46, 55, 64},
                         four[16] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};

    return width == 2 ? two[index] : width == 3 ? three[index] : four[index];
}

/* ---- BC7 ------------------------------------------------------------------------------------- */

/* Modes of BC7: widths of the fields. `own` end points have a lowest bit each, or a subset's two
 * share one. */
static const struct mode {
    uint8_t subsets, partition, rotation, selection, color, alpha;
    bool own, shared;
    uint8_t index, second;
} modes[8] = {
    {3, 4, 0, 0, 4, 0, true, false, 3, 0},  {2, 6, 0, 0, 6, 0, false, true, 3, 0},
    {3, 6, 0, 0, 5, 0, false, false, 2, 0}, {2, 6, 0, 0, 7, 0, true, false, 2, 0},
    {1, 0, 2, 1, 5, 6, false, false, 2, 3}, {1, 0, 2, 0, 7, 8, false, false, 2, 2},
    {1, 0, 0, 0, 7, 7, true, false, 4, 0},  {2, 6, 0, 0, 5, 5, true, false, 2, 0},
};

/* Where the end points of a texel's subset are. */
struct ends {
    const struct mode *m;
    const uint8_t *raw;
    unsigned at, subset;
};

static unsigned expand(unsigned v, unsigned width)
{
    return v << (8 - width) | v >> (2 * width - 8);
}

/* First bit of the lowest bits of end points, which follow all components. */
static unsigned lowest_at(const struct ends *e)
{
    return e->at + 2 * e->m->subsets * (3 * e->m->color + e->m->alpha);
}

/* Component k of end point `end` (0, 1), 0 … 255. */
static unsigned end_point(const struct ends *e, unsigned k, unsigned end)
{
    const struct mode *m = e->m;
    unsigned width = k == ALPHA ? m->alpha : m->color, which = 2 * e->subset + end, v;

    if (!width)
        return 255;
    v = gpu_bptc_field(e->raw, e->at + 2 * m->subsets * m->color * k + which * width, width);
    if (!m->own && !m->shared)
        return expand(v, width);
    v = v << 1 | gpu_bptc_field(e->raw, lowest_at(e) + (m->own ? which : e->subset), 1);
    return expand(v, width + 1);
}

static unsigned lowest_bits(const struct mode *m)
{
    return m->own ? 2 * m->subsets : m->shared ? m->subsets : 0;
}

/* The weights of a texel's colour and alpha. */
static void read_weights(const struct ends *e, unsigned partition, bool selected, unsigned texel,
                         unsigned weight[2])
{
    const struct mode *m = e->m;
    struct gpu_bptc_indices n = {.at = lowest_at(e) + lowest_bits(m),
                                 .width = m->index,
                                 .subsets = m->subsets,
                                 .partition = partition};

    weight[selected] = weight[!selected] =
        gpu_bptc_weight(n.width, gpu_bptc_index(e->raw, &n, texel));
    if (!m->second)
        return;
    n.at += TEXELS * m->index - m->subsets;
    n.width = m->second;
    weight[!selected] = gpu_bptc_weight(n.width, gpu_bptc_index(e->raw, &n, texel));
}

void gpu_bc7_decode(const uint8_t *raw, unsigned texel, double v[4])
{
    unsigned mode = 0, at, partition, rotation, weight[2];
    struct ends e = {.raw = raw};
    bool selected;

    memset(v, 0, 4 * sizeof(*v));
    if (!raw[0]) /* reserved */
        return;
    while (!(raw[0] >> mode & 1))
        mode++;
    e.m = &modes[mode];
    at = mode + 1;
    partition = gpu_bptc_field(raw, at, e.m->partition);
    at += e.m->partition;
    rotation = gpu_bptc_field(raw, at, e.m->rotation);
    at += e.m->rotation;
    selected = gpu_bptc_field(raw, at, e.m->selection);
    e.at = at + e.m->selection;
    e.subset = gpu_bptc_subset(e.m->subsets, partition, texel);
    read_weights(&e, partition, selected, texel, weight);
    for (unsigned k = 0; k < 4; k++) {
        unsigned w = weight[k == ALPHA];

        v[k] = ((end_point(&e, k, 0) * (64 - w) + end_point(&e, k, 1) * w + 32) >> 6) / 255.0;
    }
    if (rotation) {
        double alpha = v[ALPHA];

        v[ALPHA] = v[rotation - 1];
        v[rotation - 1] = alpha;
    }
}
