/* The mode of an ASTC block: how many weights it has, their range, and how end points are coded. */
#include "runtime/gpu/texture/block.h"

enum {
    BLOCK_BITS = 128,
    MODE_BITS = 11,
    SOLID_MODE = 0x1fc,
    LEAST_WEIGHT_BITS = 24,
    MOST_WEIGHT_BITS = 96,
    LEAST_COLORS = 6, /* numbers that the range of end points' values has at least */
};

/* ---- weights --------------------------------------------------------------------------------- */

static unsigned mode_field(unsigned mode, unsigned at, unsigned width)
{
    return mode >> at & ((1u << width) - 1);
}

/* The sizes of a flat grid of weights; *ranges receives whether bits 10 and 9 belong to them. */
static bool read_flat(unsigned mode, unsigned size[3], bool *ranges)
{
    unsigned a = mode_field(mode, 5, 2), b = mode_field(mode, 7, 2);

    size[2] = 1;
    if (mode & 3) {
        switch (mode_field(mode, 2, 2)) {
        case 0:
            size[0] = b + 4;
            size[1] = a + 2;
            break;
        case 1:
            size[0] = b + 8;
            size[1] = a + 2;
            break;
        case 2:
            size[0] = a + 2;
            size[1] = b + 8;
            break;
        default:
            size[0] = b & 2 ? (b & 1) + 2 : a + 2;
            size[1] = b & 2 ? a + 2 : b + 6;
            break;
        }
        return true;
    }
    switch (b) {
    case 0:
        size[0] = 12;
        size[1] = a + 2;
        break;
    case 1:
        size[0] = a + 2;
        size[1] = 12;
        break;
    case 2:
        size[0] = a + 6;
        size[1] = mode_field(mode, 9, 2) + 6;
        *ranges = false;
        break;
    default:
        size[0] = a & 1 ? 10 : 6;
        size[1] = a & 1 ? 6 : 10;
        return a < 2;
    }
    return true;
}

/* Like read_flat() for a grid in a volume. */
static bool read_volume(unsigned mode, unsigned size[3], bool *ranges)
{
    unsigned a = mode_field(mode, 5, 2), b = mode_field(mode, 7, 2), c = mode_field(mode, 2, 2);

    if (mode & 3) {
        size[0] = a + 2;
        size[1] = b + 2;
        size[2] = c + 2;
        return true;
    }
    if (b == 3) {
        for (unsigned k = 0; k < 3; k++)
            size[k] = a == k ? 6 : 2;
        return a < 3;
    }
    c = mode_field(mode, 9, 2);
    *ranges = false;
    size[0] = b == 0 ? 6 : a + 2;
    size[1] = b == 0 ? c + 2 : b == 1 ? 6 : c + 2;
    size[2] = b == 0 ? a + 2 : b == 1 ? c + 2 : 6;
    return true;
}

static bool read_weights(unsigned mode, bool volume, const uint8_t size[3], struct gpu_astc_mode *m)
{
    /* From range 2 of the mode on; the second half is of high precision. */
    static const struct gpu_astc_range range[] = {
        {1, false, false}, {0, true, false},  {2, false, false}, {0, false, true},
        {1, true, false},  {3, false, false}, {1, false, true},  {2, true, false},
        {4, false, false}, {2, false, true},  {3, true, false},  {5, false, false},
    };
    unsigned number =
        (mode & 3 ? mode_field(mode, 0, 2) : mode_field(mode, 2, 2)) << 1 | mode_field(mode, 4, 1);
    bool ranges = true;

    if (number < 2 || !(volume ? read_volume : read_flat)(mode, m->size, &ranges))
        return false;
    for (unsigned k = 0; k < 3; k++)
        if (m->size[k] > size[k])
            return false;
    m->planes = ranges && mode_field(mode, 10, 1) ? 2 : 1;
    m->weight_range = range[number - 2 + (ranges && mode_field(mode, 9, 1) ? 6 : 0)];
    m->weights = m->size[0] * m->size[1] * m->size[2] * m->planes;
    m->weight_bits = gpu_astc_sequence_bits(m->weight_range, m->weights);
    return m->weights <= GPU_ASTC_WEIGHTS && m->weight_bits >= LEAST_WEIGHT_BITS &&
           m->weight_bits <= MOST_WEIGHT_BITS;
}

/* ---- end points ------------------------------------------------------------------------------ */

/* Reads how end points are coded. Returns the number of bits for that below the weights. */
static unsigned read_codings(gpu_astc_bits bits, struct gpu_astc_mode *m)
{
    unsigned base = gpu_astc_field(bits, 23, 2), further = 3 * m->partitions - 4, all;

    m->colors_at = 29;
    if (!base) {
        for (unsigned i = 0; i < m->partitions; i++)
            m->endpoints[i] = gpu_astc_field(bits, 25, 4);
        return 0;
    }
    all = gpu_astc_field(bits, 25, 4) |
          gpu_astc_field(bits, BLOCK_BITS - m->weight_bits - further, further) << 4;
    for (unsigned i = 0; i < m->partitions; i++)
        m->endpoints[i] = (base - 1 + (all >> i & 1)) << 2 | (all >> (m->partitions + 2 * i) & 3);
    return further;
}

/* Finds the largest range in which the values of end points fit into m->color_bits, of which only
 * those of the sequence remain. */
static bool find_range(struct gpu_astc_mode *m)
{
    unsigned best = 0;

    for (unsigned bits = 0; bits <= 8; bits++)
        for (unsigned digit = 0; digit < 3; digit++) {
            struct gpu_astc_range r = {(uint8_t)bits, digit == 1, digit == 2};
            unsigned size = gpu_astc_range_size(r);

            if (size > 256 || size <= best || gpu_astc_sequence_bits(r, m->colors) > m->color_bits)
                continue;
            best = size;
            m->color_range = r;
        }
    m->color_bits = gpu_astc_sequence_bits(m->color_range, m->colors);
    return best >= LEAST_COLORS;
}

static bool read_endpoints(gpu_astc_bits bits, struct gpu_astc_mode *m)
{
    unsigned below = BLOCK_BITS - m->weight_bits, further = 0;

    m->partitions = gpu_astc_field(bits, 11, 2) + 1;
    if (m->planes == 2 && m->partitions == GPU_ASTC_PARTITIONS)
        return false;
    m->partition_seed = gpu_astc_field(bits, 13, 10);
    m->colors_at = 17;
    m->endpoints[0] = gpu_astc_field(bits, 13, 4);
    if (m->partitions > 1)
        further = read_codings(bits, m);
    below -= further;
    if (m->planes == 2) {
        below -= 2;
        m->second = gpu_astc_field(bits, below, 2);
    }
    m->colors = 0;
    for (unsigned i = 0; i < m->partitions; i++)
        m->colors += 2 * (m->endpoints[i] / 4 + 1);
    if (m->colors > GPU_ASTC_COLORS || below < m->colors_at)
        return false;
    m->color_bits = below - m->colors_at;
    return find_range(m);
}

/* ---- blocks of one colour -------------------------------------------------------------------- */

/* Whether a block of one colour is legal: it tells the part of the texture that has the colour, or
 * all ones for no part. */
static bool is_legal_solid(gpu_astc_bits bits, bool volume)
{
    unsigned axes = volume ? 3 : 2, width = volume ? 9 : 13, at = volume ? 10 : 12;
    bool ones = true, ordered = true;

    if (gpu_astc_field(bits, 9, 1) || (!volume && gpu_astc_field(bits, 10, 2) != 3))
        return false;
    for (unsigned k = 0; k < axes; k++, at += 2 * width) {
        unsigned low = gpu_astc_field(bits, at, width),
                 high = gpu_astc_field(bits, at + width, width);

        ones &= low == (1u << width) - 1 && high == low;
        ordered &= low < high;
    }
    return ones || ordered;
}

bool gpu_astc_mode_read(gpu_astc_bits bits, bool volume, const uint8_t size[3],
                        struct gpu_astc_mode *m)
{
    unsigned mode = gpu_astc_field(bits, 0, MODE_BITS);

    *m = (struct gpu_astc_mode){.solid = (mode & 0x1ff) == SOLID_MODE};
    if (m->solid)
        return is_legal_solid(bits, volume);
    return read_weights(mode, volume, size, m) && read_endpoints(bits, m);
}
