/* Blocks of ETC2 (colours) and EAC (single components): 4 by 4 texels in 64 bits each. */
#include "runtime/gpu/texture/block.h"

#include <string.h>

enum { SIDE = 4, HALF_BYTES = 8 };

/* A block of 64 bits, of which bit 63 comes first in memory. */
static uint64_t block_of(const uint8_t *raw)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < HALF_BYTES; i++)
        v = v << 8 | raw[i];
    return v;
}

static int field(uint64_t block, unsigned at, unsigned bits)
{
    return (int)(block >> at & ((UINT64_C(1) << bits) - 1));
}

static int clamp_int(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}

/* Repeats the upper bits of a number of `bits` bits so that it has eight. */
static int widen(int v, unsigned bits)
{
    return (v << (8 - bits) | v >> (2 * bits - 8)) & 0xff;
}

static int signed_of(int v, unsigned bits)
{
    return v - ((v >> (bits - 1) & 1) << bits);
}

/* ---- colours --------------------------------------------------------------------------------- */

/* The three components of a colour, each with `bits` bits, of which the first begins at bit `at`
 * and the next `step` bits below. */
static void read_color(uint64_t block, unsigned at, unsigned step, unsigned bits, int c[3])
{
    for (unsigned k = 0; k < 3; k++)
        c[k] = widen(field(block, at - k * step, bits), bits);
}

/* Number of a texel's colour (0 … 3). */
static unsigned index_of(uint64_t block, unsigned x, unsigned y)
{
    unsigned i = x * SIDE + y;

    return (unsigned)(block >> (i + 16) & 1) << 1 | (block >> i & 1);
}

static void add_to_color(const int base[3], int change, int c[3])
{
    for (unsigned k = 0; k < 3; k++)
        c[k] = clamp_int(base[k] + change, 0, 255);
}

static const int distances[8] = {3, 6, 11, 16, 23, 32, 41, 64};

/* T mode: a colour of its own, and three on a line. */
static void decode_t(uint64_t block, unsigned index, int c[3])
{
    int low[3], high[3];
    int distance = distances[field(block, 34, 2) << 1 | field(block, 32, 1)];

    low[0] = widen(field(block, 59, 2) << 2 | field(block, 56, 2), 4);
    low[1] = widen(field(block, 52, 4), 4);
    low[2] = widen(field(block, 48, 4), 4);
    read_color(block, 44, 4, 4, high);
    if (index == 0)
        add_to_color(low, 0, c);
    else
        add_to_color(high, distance * (2 - (int)index), c);
}

/* H mode: two pairs of colours. */
static void decode_h(uint64_t block, unsigned index, int c[3])
{
    int base[2][3] = {{field(block, 59, 4), field(block, 56, 3) << 1 | field(block, 52, 1),
                       field(block, 51, 1) << 3 | field(block, 47, 3)},
                      {field(block, 43, 4), field(block, 39, 4), field(block, 35, 4)}};
    int number[2], distance;

    for (unsigned i = 0; i < 2; i++) {
        number[i] = base[i][0] << 8 | base[i][1] << 4 | base[i][2];
        for (unsigned k = 0; k < 3; k++)
            base[i][k] = widen(base[i][k], 4);
    }
    distance =
        distances[field(block, 34, 1) << 2 | field(block, 32, 1) << 1 | (number[0] >= number[1])];
    add_to_color(base[index >> 1], index & 1 ? -distance : distance, c);
}

/* Planar mode: colours at three corners. */
static void decode_planar(uint64_t block, unsigned x, unsigned y, int c[3])
{
    int o[3] = {
        widen(field(block, 57, 6), 6), widen(field(block, 56, 1) << 6 | field(block, 49, 6), 7),
        widen(field(block, 48, 1) << 5 | field(block, 43, 2) << 3 | field(block, 39, 3), 6)};
    int h[3] = {widen(field(block, 34, 5) << 1 | field(block, 32, 1), 6),
                widen(field(block, 25, 7), 7), widen(field(block, 19, 6), 6)};
    int v[3] = {widen(field(block, 13, 6), 6), widen(field(block, 6, 7), 7),
                widen(field(block, 0, 6), 6)};

    for (unsigned k = 0; k < 3; k++)
        c[k] = clamp_int(((int)x * (h[k] - o[k]) + (int)y * (v[k] - o[k]) + 4 * o[k] + 2) >> 2, 0,
                         255);
}

/* The two halves of a block have a colour and a table of changes each. `opaque`: no texel can be
 * transparent. */
static void decode_halves(uint64_t block, const int base[2][3], unsigned x, unsigned y, bool opaque,
                          int c[3])
{
    static const int changes[8][2] = {{2, 8},   {5, 17},  {9, 29},   {13, 42},
                                      {18, 60}, {24, 80}, {33, 106}, {47, 183}};
    unsigned half = (block >> 32 & 1 ? y : x) >> 1, index = index_of(block, x, y);
    int change = changes[field(block, half ? 34 : 37, 3)][index & 1];

    if (!opaque && !(index & 1))
        change = 0;
    add_to_color(base[half], index & 2 ? -change : change, c);
}

/* Decodes a colour. `punches`: bit 33 tells whether all texels are opaque, instead of which of the
 * two kinds of halves the block has. Returns whether the texel is opaque. */
static bool decode_color(uint64_t block, unsigned x, unsigned y, bool punches, int c[3])
{
    bool differs = punches || field(block, 33, 1), opaque = !punches || field(block, 33, 1);
    unsigned index = index_of(block, x, y), beyond = 3;
    int base[2][3];

    read_color(block, 60, 8, 4, base[0]);
    read_color(block, 56, 8, 4, base[1]);
    for (unsigned k = 0; differs && k < 3; k++) {
        int first = field(block, 59 - 8 * k, 5);
        int second = first + signed_of(field(block, 56 - 8 * k, 3), 3);

        if (second < 0 || second > 31) {
            beyond = k;
            break;
        }
        base[0][k] = widen(first, 5);
        base[1][k] = widen(second, 5);
    }
    if (beyond == 2) {
        decode_planar(block, x, y, c);
        return true;
    }
    if (beyond == 0)
        decode_t(block, index, c);
    else if (beyond == 1)
        decode_h(block, index, c);
    else
        decode_halves(block, (const int(*)[3])base, x, y, opaque, c);
    return opaque || index != 2;
}

/* ---- single components ----------------------------------------------------------------------- */

/* The change from the base of a component, and its factor. */
static int change_of(uint64_t block, unsigned x, unsigned y)
{
    static const int8_t changes[16][8] = {
        {-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12},
        {-2, -5, -8, -13, 1, 4, 7, 12}, {-2, -4, -6, -13, 1, 3, 5, 12},
        {-3, -6, -8, -12, 2, 5, 7, 11}, {-3, -7, -9, -11, 2, 6, 8, 10},
        {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},
        {-2, -6, -8, -10, 1, 5, 7, 9},  {-2, -5, -8, -10, 1, 4, 7, 9},
        {-2, -4, -8, -10, 1, 3, 7, 9},  {-2, -5, -7, -10, 1, 4, 6, 9},
        {-3, -4, -7, -10, 2, 3, 6, 9},  {-1, -2, -3, -10, 0, 1, 2, 9},
        {-4, -6, -8, -9, 3, 5, 7, 8},   {-3, -5, -7, -9, 2, 4, 6, 8},
    };

    return changes[field(block, 48, 4)][field(block, 45 - 3 * (x * SIDE + y), 3)];
}

static double decode_alpha(uint64_t block, unsigned x, unsigned y)
{
    int v = field(block, 56, 8) + change_of(block, x, y) * field(block, 52, 4);

    return clamp_int(v, 0, 255) / 255.0;
}

/* A component of eleven bits. */
static double decode_eleven(uint64_t block, unsigned x, unsigned y, bool is_signed)
{
    int factor = field(block, 52, 4), base = field(block, 56, 8);
    int change = change_of(block, x, y) * (factor ? 8 * factor : 1);

    if (!is_signed)
        return clamp_int(8 * base + 4 + change, 0, 2047) / 2047.0;
    base = signed_of(base, 8);
    base = base < -127 ? -127 : base;
    return clamp_int(8 * base + change, -1023, 1023) / 1023.0;
}

void gpu_etc_decode(enum gpu_block_codec codec, const uint8_t *raw, unsigned x, unsigned y,
                    double v[4])
{
    bool is_signed = codec == GPU_BLOCK_EAC_SIGNED_R || codec == GPU_BLOCK_EAC_SIGNED_RG;
    bool pair = codec == GPU_BLOCK_EAC_RG || codec == GPU_BLOCK_EAC_SIGNED_RG;
    uint64_t first = block_of(raw);
    int c[3] = {0};

    memset(v, 0, 4 * sizeof(*v));
    v[3] = 1;
    if (pair || is_signed || codec == GPU_BLOCK_EAC_R) {
        v[0] = decode_eleven(first, x, y, is_signed);
        if (pair)
            v[1] = decode_eleven(block_of(raw + HALF_BYTES), x, y, is_signed);
        return;
    }
    if (codec == GPU_BLOCK_ETC2_RGBA) {
        v[3] = decode_alpha(first, x, y);
        first = block_of(raw + HALF_BYTES);
    }
    if (!decode_color(first, x, y, codec == GPU_BLOCK_ETC2_RGB_A1, c)) {
        v[3] = 0;
        return;
    }
    for (unsigned k = 0; k < 3; k++)
        v[k] = c[k] / 255.0;
}
