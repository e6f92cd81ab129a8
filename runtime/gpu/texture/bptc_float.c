/* Texels of BC6H blocks. Facts: Khronos Data Format Specification 1.3, section 20.2. */
#include <string.h>

#include "runtime/gpu/texture/bptc.h"
#include "runtime/gpu/texture/register.h"

enum { COLORS = 3, ENDS = 4, FIELDS = 24, PARTITION_BITS = 5, COLOR_BITS = 16 };

/* Components of the end points, by the specification's names: w and x are the first subset's, y and
 * z the second's. */
enum { RW, RX, RY, RZ, GW, GX, GY, GZ, BW, BX, BY, BZ };

/* Bits of a component as they follow each other in a block; the highest one is the first with
 * `reversed`. */
struct field {
    uint8_t component, low, width;
    bool reversed;
};
#define F(component, low, width)     \
    {                                \
        component, low, width, false \
    }
#define REVERSED(component, low, width) \
    {                                   \
        component, low, width, true     \
    }

/* Modes: those of two bits, then by the upper three and the second bit of five. With `differences`
 * all end points but the first are given as differences from it. */
static const struct mode {
    uint8_t subsets;
    bool differences;
    uint8_t width; /* of the first end point's components */
    uint8_t other[COLORS];
    struct field fields[FIELDS];
} modes[] = {
    {2,
     true,
     10,
     {5, 5, 5},
     {F(GY, 4, 1), F(BY, 4, 1), F(BZ, 4, 1), F(RW, 0, 10), F(GW, 0, 10), F(BW, 0, 10), F(RX, 0, 5),
      F(GZ, 4, 1), F(GY, 0, 4), F(GX, 0, 5), F(BZ, 0, 1), F(GZ, 0, 4), F(BX, 0, 5), F(BZ, 1, 1),
      F(BY, 0, 4), F(RY, 0, 5), F(BZ, 2, 1), F(RZ, 0, 5), F(BZ, 3, 1)}},
    {2, true, 7, {6, 6, 6}, {F(GY, 5, 1), F(GZ, 4, 1), F(GZ, 5, 1), F(RW, 0, 7), F(BZ, 0, 1),
                             F(BZ, 1, 1), F(BY, 4, 1), F(GW, 0, 7), F(BY, 5, 1), F(BZ, 2, 1),
                             F(GY, 4, 1), F(BW, 0, 7), F(BZ, 3, 1), F(BZ, 5, 1), F(BZ, 4, 1),
                             F(RX, 0, 6), F(GY, 0, 4), F(GX, 0, 6), F(GZ, 0, 4), F(BX, 0, 6),
                             F(BY, 0, 4), F(RY, 0, 6), F(RZ, 0, 6)}},
    {2,
     true,
     11,
     {5, 4, 4},
     {F(RW, 0, 10), F(GW, 0, 10), F(BW, 0, 10), F(RX, 0, 5), F(RW, 10, 1), F(GY, 0, 4), F(GX, 0, 4),
      F(GW, 10, 1), F(BZ, 0, 1), F(GZ, 0, 4), F(BX, 0, 4), F(BW, 10, 1), F(BZ, 1, 1), F(BY, 0, 4),
      F(RY, 0, 5), F(BZ, 2, 1), F(RZ, 0, 5), F(BZ, 3, 1)}},
    {1,
     false,
     10,
     {10, 10, 10},
     {F(RW, 0, 10), F(GW, 0, 10), F(BW, 0, 10), F(RX, 0, 10), F(GX, 0, 10), F(BX, 0, 10)}},
    {2, true, 11, {4, 5, 4}, {F(RW, 0, 10), F(GW, 0, 10), F(BW, 0, 10), F(RX, 0, 4),  F(RW, 10, 1),
                              F(GZ, 4, 1),  F(GY, 0, 4),  F(GX, 0, 5),  F(GW, 10, 1), F(GZ, 0, 4),
                              F(BX, 0, 4),  F(BW, 10, 1), F(BZ, 1, 1),  F(BY, 0, 4),  F(RY, 0, 4),
                              F(BZ, 0, 1),  F(BZ, 2, 1),  F(RZ, 0, 4),  F(GY, 4, 1),  F(BZ, 3, 1)}},
    {1,
     true,
     11,
     {9, 9, 9},
     {F(RW, 0, 10), F(GW, 0, 10), F(BW, 0, 10), F(RX, 0, 9), F(RW, 10, 1), F(GX, 0, 9),
      F(GW, 10, 1), F(BX, 0, 9), F(BW, 10, 1)}},
    {2, true, 11, {4, 4, 5}, {F(RW, 0, 10), F(GW, 0, 10), F(BW, 0, 10), F(RX, 0, 4),  F(RW, 10, 1),
                              F(BY, 4, 1),  F(GY, 0, 4),  F(GX, 0, 4),  F(GW, 10, 1), F(BZ, 0, 1),
                              F(GZ, 0, 4),  F(BX, 0, 5),  F(BW, 10, 1), F(BY, 0, 4),  F(RY, 0, 4),
                              F(BZ, 1, 1),  F(BZ, 2, 1),  F(RZ, 0, 4),  F(BZ, 4, 1),  F(BZ, 3, 1)}},
    {1,
     true,
     12,
     {8, 8, 8},
     {F(RW, 0, 10), F(GW, 0, 10), F(BW, 0, 10), F(RX, 0, 8), REVERSED(RW, 10, 2), F(GX, 0, 8),
      REVERSED(GW, 10, 2), F(BX, 0, 8), REVERSED(BW, 10, 2)}},
    {2,
     true,
     9,
     {5, 5, 5},
     {F(RW, 0, 9), F(BY, 4, 1), F(GW, 0, 9), F(GY, 4, 1), F(BW, 0, 9), F(BZ, 4, 1), F(RX, 0, 5),
      F(GZ, 4, 1), F(GY, 0, 4), F(GX, 0, 5), F(BZ, 0, 1), F(GZ, 0, 4), F(BX, 0, 5), F(BZ, 1, 1),
      F(BY, 0, 4), F(RY, 0, 5), F(BZ, 2, 1), F(RZ, 0, 5), F(BZ, 3, 1)}},
    {1,
     true,
     16,
     {4, 4, 4},
     {F(RW, 0, 10), F(GW, 0, 10), F(BW, 0, 10), F(RX, 0, 4), REVERSED(RW, 10, 6), F(GX, 0, 4),
      REVERSED(GW, 10, 6), F(BX, 0, 4), REVERSED(BW, 10, 6)}},
    {2,
     true,
     8,
     {6, 5, 5},
     {F(RW, 0, 8), F(GZ, 4, 1), F(BY, 4, 1), F(GW, 0, 8), F(BZ, 2, 1), F(GY, 4, 1), F(BW, 0, 8),
      F(BZ, 3, 1), F(BZ, 4, 1), F(RX, 0, 6), F(GY, 0, 4), F(GX, 0, 5), F(BZ, 0, 1), F(GZ, 0, 4),
      F(BX, 0, 5), F(BZ, 1, 1), F(BY, 0, 4), F(RY, 0, 6), F(RZ, 0, 6)}},
    {0}, /* reserved */
    {2, true, 8, {5, 6, 5}, {F(RW, 0, 8), F(BZ, 0, 1), F(BY, 4, 1), F(GW, 0, 8), F(GY, 5, 1),
                             F(GY, 4, 1), F(BW, 0, 8), F(GZ, 5, 1), F(BZ, 4, 1), F(RX, 0, 5),
                             F(GZ, 4, 1), F(GY, 0, 4), F(GX, 0, 6), F(GZ, 0, 4), F(BX, 0, 5),
                             F(BZ, 1, 1), F(BY, 0, 4), F(RY, 0, 5), F(BZ, 2, 1), F(RZ, 0, 5),
                             F(BZ, 3, 1)}},
    {0}, /* reserved */
    {2, true, 8, {5, 5, 6}, {F(RW, 0, 8), F(BZ, 1, 1), F(BY, 4, 1), F(GW, 0, 8), F(BY, 5, 1),
                             F(GY, 4, 1), F(BW, 0, 8), F(BZ, 5, 1), F(BZ, 4, 1), F(RX, 0, 5),
                             F(GZ, 4, 1), F(GY, 0, 4), F(GX, 0, 5), F(BZ, 0, 1), F(GZ, 0, 4),
                             F(BX, 0, 6), F(BY, 0, 4), F(RY, 0, 5), F(BZ, 2, 1), F(RZ, 0, 5),
                             F(BZ, 3, 1)}},
    {0}, /* reserved */
    {2, false, 6, {6, 6, 6}, {F(RW, 0, 6), F(GZ, 4, 1), F(BZ, 0, 1), F(BZ, 1, 1), F(BY, 4, 1),
                              F(GW, 0, 6), F(GY, 5, 1), F(BY, 5, 1), F(BZ, 2, 1), F(GY, 4, 1),
                              F(BW, 0, 6), F(GZ, 5, 1), F(BZ, 3, 1), F(BZ, 5, 1), F(BZ, 4, 1),
                              F(RX, 0, 6), F(GY, 0, 4), F(GX, 0, 6), F(GZ, 0, 4), F(BX, 0, 6),
                              F(BY, 0, 4), F(RY, 0, 6), F(RZ, 0, 6)}},
    {0}, /* reserved */
};

/* A block's end points: components by the names above. */
struct ends {
    int v[ENDS * COLORS];
};

/* Reads the mode; *at becomes the first bit behind it. NULL: it is reserved. */
static const struct mode *read_mode(const uint8_t *raw, unsigned *at)
{
    unsigned bits = gpu_bptc_field(raw, 0, 5);
    const struct mode *m;

    *at = bits & 2 ? 5 : 2;
    m = &modes[bits & 2 ? 2 + (bits >> 2 << 1 | (bits & 1)) : bits & 1];
    return m->subsets ? m : NULL;
}

static int extend(int v, unsigned width)
{
    unsigned free = 32 - width;

    return (int)((unsigned)v << free) >> free;
}

/* Reads all end points; returns the first bit behind them. */
static unsigned read_ends(const struct mode *m, const uint8_t *raw, unsigned at, struct ends *e)
{
    memset(e, 0, sizeof(*e));
    for (const struct field *f = m->fields; f < m->fields + FIELDS && f->width; f++)
        for (unsigned i = 0; i < f->width; i++) {
            unsigned to = f->low + (f->reversed ? f->width - 1u - i : i);

            e->v[f->component] |= (int)(gpu_bptc_field(raw, at++, 1) << to);
        }
    return at;
}

/* The value of a component of all 16 bits, from one of m->width bits. */
static int unquantize(unsigned width, int v, bool is_signed)
{
    int size = v < 0 ? -v : v, largest = (1 << (width - is_signed)) - 1;

    if (width >= COLOR_BITS - (is_signed ? 0 : 1) || !v)
        return v;
    size = size >= largest ? (is_signed ? INT16_MAX : UINT16_MAX)
                           : ((size << 15) + 0x4000) >> (width - 1);
    return v < 0 ? -size : size;
}

/* A component of the end point that c names. */
static int component_of(const struct mode *m, const struct ends *e, unsigned c, bool is_signed)
{
    unsigned first = c / ENDS * ENDS;
    int v = e->v[c];

    if (c != first && m->differences)
        v = (e->v[first] + extend(v, m->other[c / ENDS])) & ((1 << m->width) - 1);
    return unquantize(m->width, is_signed ? extend(v, m->width) : v, is_signed);
}

/* The half-precision number that a mixed value stands for. */
static uint32_t half_of(int v, bool is_signed)
{
    if (!is_signed)
        return (uint32_t)(v * 31) >> 6;
    return v < 0 ? (uint32_t)(-v * 31) >> 5 | 0x8000 : (uint32_t)(v * 31) >> 5;
}

void gpu_bc6h_decode(const uint8_t *raw, unsigned texel, bool is_signed, double v[4])
{
    unsigned at, subset;
    const struct mode *m = read_mode(raw, &at);
    struct gpu_bptc_indices n;
    struct ends e;
    int weight;

    memset(v, 0, 4 * sizeof(*v));
    v[3] = 1;
    if (!m)
        return;
    at = read_ends(m, raw, at, &e);
    n = (struct gpu_bptc_indices){.at = at, .width = 4, .subsets = 1};
    if (m->subsets == 2)
        n = (struct gpu_bptc_indices){.at = at + PARTITION_BITS,
                                      .width = 3,
                                      .subsets = 2,
                                      .partition = gpu_bptc_field(raw, at, PARTITION_BITS)};
    weight = (int)gpu_bptc_weight(n.width, gpu_bptc_index(raw, &n, texel));
    subset = gpu_bptc_subset(n.subsets, n.partition, texel);
    for (unsigned k = 0; k < COLORS; k++) {
        int low = component_of(m, &e, ENDS * k + 2 * subset, is_signed);
        int high = component_of(m, &e, ENDS * k + 2 * subset + 1, is_signed);
        int mixed = (low * (64 - weight) + high * weight + 32) >> 6;

        v[k] = gpu_register_decode(half_of(mixed, is_signed), GPU_REGISTER_F16);
    }
}
