/*
 * Sequences of integers in ASTC blocks. Five trits (digits of base 3) share eight bits, three
 * quints (digits of base 5) seven. The further bits of each integer stand between those.
 */
#include "runtime/gpu/texture/block.h"

enum { TRITS = 5, TRIT_BITS = 8, QUINTS = 3, QUINT_BITS = 7 };

unsigned gpu_astc_sequence_bits(struct gpu_astc_range r, unsigned count)
{
    return count * r.bits + (r.trit    ? (TRIT_BITS * count + TRITS - 1) / TRITS
                             : r.quint ? (QUINT_BITS * count + QUINTS - 1) / QUINTS
                                       : 0);
}

unsigned gpu_astc_range_size(struct gpu_astc_range r)
{
    return (r.trit ? 3u : r.quint ? 5u : 1u) << r.bits;
}

/* ---- digits ---------------------------------------------------------------------------------- */

static unsigned bits_of(unsigned v, unsigned at, unsigned width)
{
    return v >> at & ((1u << width) - 1);
}

static void trits_of(unsigned t, unsigned digit[TRITS])
{
    unsigned c = bits_of(t, 0, 5);

    if (bits_of(t, 2, 3) == 7) {
        c = bits_of(t, 5, 3) << 2 | bits_of(t, 0, 2);
        digit[4] = digit[3] = 2;
    } else if (bits_of(t, 5, 2) == 3) {
        digit[4] = 2;
        digit[3] = bits_of(t, 7, 1);
    } else {
        digit[4] = bits_of(t, 7, 1);
        digit[3] = bits_of(t, 5, 2);
    }
    if (bits_of(c, 0, 2) == 3) {
        digit[2] = 2;
        digit[1] = bits_of(c, 4, 1);
        digit[0] = bits_of(c, 3, 1) << 1 | (bits_of(c, 2, 1) & ~bits_of(c, 3, 1));
    } else if (bits_of(c, 2, 2) == 3) {
        digit[2] = digit[1] = 2;
        digit[0] = bits_of(c, 0, 2);
    } else {
        digit[2] = bits_of(c, 4, 1);
        digit[1] = bits_of(c, 2, 2);
        digit[0] = bits_of(c, 1, 1) << 1 | (bits_of(c, 0, 1) & ~bits_of(c, 1, 1));
    }
}

static void quints_of(unsigned q, unsigned digit[QUINTS])
{
    unsigned c, low = bits_of(q, 0, 1);

    if (bits_of(q, 1, 2) == 3 && !bits_of(q, 5, 2)) {
        digit[2] = low << 2 | (bits_of(q, 4, 1) & ~low) << 1 | (bits_of(q, 3, 1) & ~low);
        digit[1] = digit[0] = 4;
        return;
    }
    if (bits_of(q, 1, 2) == 3) {
        digit[2] = 4;
        c = bits_of(q, 3, 2) << 3 | (3 - bits_of(q, 5, 2)) << 1 | low;
    } else {
        digit[2] = bits_of(q, 5, 2);
        c = bits_of(q, 0, 5);
    }
    digit[1] = bits_of(c, 0, 3) == 5 ? 4 : bits_of(c, 3, 2);
    digit[0] = bits_of(c, 0, 3) == 5 ? bits_of(c, 3, 2) : bits_of(c, 0, 3);
}

/* ---- sequences ------------------------------------------------------------------------------- */

/* Reads a group of integers whose digits share bits. `width` has the shared bits behind each of
 * them. Returns the place behind the group. */
static unsigned read_group(gpu_astc_bits bits, unsigned at, struct gpu_astc_range r,
                           const uint8_t *width, uint8_t *out)
{
    unsigned count = r.trit ? TRITS : QUINTS, shared = 0, have = 0, digit[TRITS];

    for (unsigned i = 0; i < count; i++) {
        out[i] = (uint8_t)gpu_astc_field(bits, at, r.bits);
        at += r.bits;
        shared |= gpu_astc_field(bits, at, width[i]) << have;
        at += width[i];
        have += width[i];
    }
    if (r.trit)
        trits_of(shared, digit);
    else
        quints_of(shared, digit);
    for (unsigned i = 0; i < count; i++)
        out[i] |= (uint8_t)(digit[i] << r.bits);
    return at;
}

void gpu_astc_sequence_read(gpu_astc_bits bits, unsigned length, struct gpu_astc_range r,
                            unsigned count, uint8_t *out)
{
    static const uint8_t trit_widths[TRITS] = {2, 2, 1, 2, 1}, quint_widths[QUINTS] = {3, 2, 2};
    unsigned at = 0, step = r.trit ? TRITS : r.quint ? QUINTS : 1;
    uint8_t group[TRITS];

    if (length < 128)
        bits &= ((gpu_astc_bits)1 << length) - 1; /* the rest of the last group reads as 0 */
    for (unsigned i = 0; i < count; i += step) {
        if (step == 1) {
            group[0] = (uint8_t)gpu_astc_field(bits, at, r.bits);
            at += r.bits;
        } else {
            at = read_group(bits, at, r, r.trit ? trit_widths : quint_widths, group);
        }
        for (unsigned k = 0; k < step && i + k < count; k++)
            out[i + k] = group[k];
    }
}

/* ---- conversion ------------------------------------------------------------------------------ */

/* Repeats a number of `bits` bits so that it has `width`. */
static unsigned repeat_bits(unsigned v, unsigned bits, unsigned width)
{
    unsigned out = 0;

    for (int at = (int)width - (int)bits; at > -(int)bits; at -= (int)bits)
        out |= at >= 0 ? v << at : v >> -at;
    return out;
}

/* Places bits of v: pattern is a text of letters, b for bit 1, c for bit 2 and so on, or 0. */
static unsigned place_bits(const char *pattern, unsigned v)
{
    unsigned out = 0;

    for (; *pattern; pattern++)
        out = out << 1 | (*pattern == '0' ? 0 : v >> (*pattern - 'a') & 1);
    return out;
}

/* How an integer with a digit is converted: factor of the digit, and place of its other bits. */
struct conversion {
    unsigned factor;
    const char *pattern;
};

/* Converts to `width` bits. */
static unsigned convert_digit(const struct conversion *c, struct gpu_astc_range r, unsigned v,
                              unsigned width)
{
    unsigned sign = v & 1 ? (1u << (width + 1)) - 1 : 0, top = 1u << (width - 1);
    unsigned t = (v >> r.bits) * c->factor + place_bits(c->pattern, v);

    t ^= sign;
    return (sign & top) | t >> 2;
}

unsigned gpu_astc_weight(struct gpu_astc_range r, unsigned v)
{
    static const struct conversion trits[] = {{50, "0"}, {23, "b000b0b"}, {11, "cb000cb"}};
    static const struct conversion quints[] = {{28, "0"}, {13, "b0000b0"}};
    static const uint8_t trit_alone[] = {0, 32, 63}, quint_alone[] = {0, 16, 32, 47, 63};
    unsigned w;

    if (!r.trit && !r.quint)
        w = repeat_bits(v, r.bits, 6);
    else if (!r.bits)
        w = r.trit ? trit_alone[v] : quint_alone[v];
    else
        w = convert_digit(&(r.trit ? trits : quints)[r.bits - 1], r, v, 6);
    return w > 32 ? w + 1 : w;
}

unsigned gpu_astc_color(struct gpu_astc_range r, unsigned v)
{
    static const struct conversion trits[] = {{204, "0"},        {93, "b000b0bb0"},
                                              {44, "cb000cbcb"}, {22, "dcb000dcb"},
                                              {11, "edcb000ed"}, {5, "fedcb000f"}};
    static const struct conversion quints[] = {
        {113, "0"}, {54, "b0000bb00"}, {26, "cb0000cbc"}, {13, "dcb0000dc"}, {6, "edcb0000e"}};

    if (!r.trit && !r.quint)
        return repeat_bits(v, r.bits, 8);
    return convert_digit(&(r.trit ? trits : quints)[r.bits - 1], r, v, 8);
}
