/*
 * A texel of an ASTC block of low dynamic range. Blocks that are not legal, and parts of blocks
 * with high dynamic range, are magenta.
 */
#include <string.h>

#include "runtime/gpu/numeric/half.h"
#include "runtime/gpu/texture/block.h"

enum { BLOCK_BITS = 128, SMALL_BLOCK = 31, SOLID_COLOR = 64, FRACTION = 16 };

static gpu_astc_bits bits_of_block(const uint8_t *raw)
{
    gpu_astc_bits v = 0;

    for (unsigned i = GPU_BLOCK_MAX_BYTES; i-- > 0;)
        v = v << 8 | raw[i];
    return v;
}

static gpu_astc_bits reversed(gpu_astc_bits v)
{
    gpu_astc_bits out = 0;

    for (unsigned i = 0; i < BLOCK_BITS; i++)
        out |= (v >> i & 1) << (BLOCK_BITS - 1 - i);
    return out;
}

/* ---- partitions ------------------------------------------------------------------------------ */

static uint32_t hash_seed(uint32_t v)
{
    v ^= v >> 15;
    v *= 0xeede0891; /* (2^4 + 1) (2^7 + 1) (2^17 - 1) modulo 2^32 */
    v ^= v >> 5;
    v += v << 16;
    v ^= v >> 7;
    v ^= v >> 3;
    v ^= v << 6;
    v ^= v >> 17;
    return v;
}

/* The partition of a texel: the largest of one linear function per partition, of which a hash of
 * the block's seed gives the coefficients. */
static unsigned partition_of(const struct gpu_astc_mode *m, const unsigned place[3], bool small)
{
    /* Per function, the bits of the hash from which the factors of x, y, z come, and the base. */
    static const uint8_t from[GPU_ASTC_PARTITIONS][4] = {
        {0, 4, 26, 14}, {8, 12, 30, 10}, {16, 20, 18, 6}, {24, 28, 22, 2}};
    unsigned seed = m->partition_seed + (m->partitions - 1) * 1024, best = 0, largest = 0;
    unsigned by_count = m->partitions == 3 ? 6 : 5, by_seed = seed & 2 ? 4 : 5;
    unsigned shift[3] = {seed & 1 ? by_seed : by_count, seed & 1 ? by_count : by_seed, 0};
    uint32_t hash = hash_seed(seed);

    shift[2] = seed & 16 ? shift[0] : shift[1];
    for (unsigned n = 0; n < m->partitions; n++) {
        unsigned value = hash >> from[n][3];

        for (unsigned k = 0; k < 3; k++) {
            unsigned factor = (hash >> from[n][k] | (uint64_t)hash << (32 - from[n][k])) & 15;

            value += (factor * factor >> shift[k]) * (place[k] << small);
        }
        value &= 63;
        if (n == 0 || value > largest) {
            largest = value;
            best = n;
        }
    }
    return best;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* Weights of a plane, and the place of a texel in their grid. */
struct grid {
    const struct gpu_astc_mode *m;
    const uint8_t *weight;
    unsigned plane;
    unsigned whole[3], part[3]; /* part: in 1/16 */
};

/* The weight at a place of the grid, x steps[0] beyond the texel's and so on. */
static unsigned weight_at(const struct grid *g, const unsigned steps[3])
{
    unsigned at = 0;

    for (unsigned k = 3; k-- > 0;) {
        unsigned i = g->whole[k] + steps[k];

        /* A place beyond the grid has no part in the mean. */
        at = at * g->m->size[k] + (i < g->m->size[k] ? i : g->m->size[k] - 1);
    }
    return gpu_astc_weight(g->m->weight_range, g->weight[at * g->m->planes + g->plane]);
}

static unsigned flat_weight(const struct grid *g)
{
    unsigned s = g->part[0], t = g->part[1], both = (s * t + 8) >> 4;
    unsigned of[4] = {FRACTION - s - t + both, s - both, t - both, both}, sum = 8;

    for (unsigned n = 0; n < 4; n++)
        sum += of[n] * weight_at(g, (const unsigned[3]){n & 1, n >> 1, 0});
    return sum >> 4;
}

/* In a volume, the mean of four places: from the texel's, one step along each axis, that of the
 * largest part first. */
static unsigned volume_weight(const struct grid *g)
{
    unsigned steps[3] = {0}, last = FRACTION, sum = 8, left = 7;

    for (unsigned n = 0; n < 3; n++) {
        unsigned axis = 3;

        for (unsigned k = 0; k < 3; k++)
            if (left >> k & 1 && (axis == 3 || g->part[k] > g->part[axis]))
                axis = k;
        sum += (last - g->part[axis]) * weight_at(g, steps);
        last = g->part[axis];
        steps[axis] = 1;
        left &= ~(1u << axis);
    }
    return (sum + last * weight_at(g, steps)) >> 4;
}

static unsigned weight_of(const struct gpu_astc_mode *m, const uint8_t *weight, unsigned plane,
                          const uint8_t size[3], const unsigned place[3])
{
    struct grid g = {.m = m, .weight = weight, .plane = plane};

    for (unsigned k = 0; k < 3; k++) {
        unsigned n = size[k];
        unsigned scaled = n > 1 ? (1024 + n / 2) / (n - 1) * place[k] : 0;
        unsigned at = (scaled * (m->size[k] - 1) + 32) >> 6;

        g.whole[k] = at >> 4;
        g.part[k] = at & 15;
    }
    return size[2] > 1 ? volume_weight(&g) : flat_weight(&g);
}

/* ---- the texel ------------------------------------------------------------------------------- */

/* Converts a value of 16 bits. With `wide`, it has the precision of half floats. */
static double unorm_of(bool wide, unsigned v)
{
    unsigned drop = 0;

    if (!wide)
        return (v >> 8) / 255.0;
    if (v == UINT16_MAX)
        return 1;
    while (v >> drop >= 1u << 11)
        drop++;
    return (double)(v >> drop << drop) / 65536;
}

static void read_endpoints(gpu_astc_bits bits, const struct gpu_astc_mode *m, unsigned partition,
                           int low[4], int high[4])
{
    static const int magenta[4] = {255, 0, 255, 255};
    uint8_t code[GPU_ASTC_COLORS];
    unsigned first = 0;
    int v[8] = {0};

    gpu_astc_sequence_read(bits >> m->colors_at, m->color_bits, m->color_range, m->colors, code);
    for (unsigned i = 0; i < partition; i++)
        first += 2 * (m->endpoints[i] / 4 + 1);
    for (unsigned i = 0; i < 2 * (m->endpoints[partition] / 4 + 1); i++)
        v[i] = (int)gpu_astc_color(m->color_range, code[first + i]);
    if (gpu_astc_endpoints(m->endpoints[partition], v, low, high))
        return;
    memcpy(low, magenta, sizeof(magenta));
    memcpy(high, magenta, sizeof(magenta));
}

void gpu_astc_decode(const struct gpu_blocks *b, const uint8_t *raw, const unsigned at[3],
                     double v[4])
{
    bool wide = b->wide && !b->srgb;
    gpu_astc_bits bits = bits_of_block(raw);
    uint8_t weight[GPU_ASTC_WEIGHTS];
    struct gpu_astc_mode m;
    unsigned partition = 0, of[2];
    int low[4], high[4];

    if (!gpu_astc_mode_read(bits, b->codec == GPU_BLOCK_ASTC_3D, b->size, &m)) {
        v[0] = v[2] = v[3] = 1;
        v[1] = 0;
        return;
    }
    if (m.solid) {
        for (unsigned k = 0; k < 4; k++)
            v[k] = unorm_of(wide, gpu_astc_field(bits, SOLID_COLOR + 16 * k, 16));
        return;
    }
    if (m.partitions > 1)
        partition = partition_of(&m, at, b->size[0] * b->size[1] * b->size[2] < SMALL_BLOCK);
    read_endpoints(bits, &m, partition, low, high);
    gpu_astc_sequence_read(reversed(bits), m.weight_bits, m.weight_range, m.weights, weight);
    for (unsigned plane = 0; plane < 2; plane++)
        of[plane] = weight_of(&m, weight, plane < m.planes ? plane : 0, b->size, at);
    for (unsigned k = 0; k < 4; k++) {
        unsigned w = of[m.planes == 2 && k == m.second];
        unsigned l = (unsigned)low[k] << 8 | (b->srgb ? 0x80 : (unsigned)low[k]);
        unsigned h = (unsigned)high[k] << 8 | (b->srgb ? 0x80 : (unsigned)high[k]);

        v[k] = unorm_of(wide, (l * (64 - w) + h * w + 32) >> 6);
    }
}
