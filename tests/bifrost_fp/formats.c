/* Rounding of exact numbers to binary formats, and values of their bit patterns. */

#include "tests/bifrost_fp/formats.h"

#include <math.h>
#include <string.h>

static const struct {
    unsigned bits;
    uint32_t infinity;
} formats[] = {[FORMAT_F16] = {16, 0x7c00}, [FORMAT_F32] = {32, 0x7f800000}};

double format_value(enum format f, uint32_t bits)
{
    if (f == FORMAT_F16) {
        uint16_t narrow = (uint16_t)bits;
        _Float16 h;
        memcpy(&h, &narrow, sizeof(h));
        return (double)h;
    }
    float x;
    memcpy(&x, &bits, sizeof(x));
    return (double)x;
}

uint32_t format_nan(enum format f)
{
    return f == FORMAT_F16 ? 0x7e00 : 0x7fc00000;
}

bool format_is_nan(enum format f, uint32_t bits)
{
    uint32_t sign = UINT32_C(1) << (formats[f].bits - 1);
    return (bits & ~sign & (sign | (sign - 1))) > formats[f].infinity;
}

/* The magnitude of a number; infinity gives the number that would follow the largest one. */
static quad size_of(enum format f, uint32_t bits)
{
    if (bits < formats[f].infinity)
        return (quad)format_value(f, bits);
    return f == FORMAT_F16 ? (quad)0x1p16 : (quad)0x1p128;
}

uint32_t format_round(enum format f, quad x, bool sign, enum rounding mode)
{
    uint32_t low = 0, high = formats[f].infinity, top = UINT32_C(1) << (formats[f].bits - 1);
    bool negative = x < 0 || (x == 0 && sign);
    quad size = x < 0 ? -x : x, below, above;
    bool up;

    if (size - size != 0)
        return high | (negative ? top : 0);
    while (high - low > 1) { /* low <= size < high */
        uint32_t middle = low + (high - low) / 2;
        if (size_of(f, middle) <= size)
            low = middle;
        else
            high = middle;
    }
    below = size - size_of(f, low);
    above = size_of(f, high) - size;
    switch (mode) {
    case UP:
        up = below > 0 && !negative;
        break;
    case DOWN:
        up = below > 0 && negative;
        break;
    case TOWARD_ZERO:
        up = false;
        break;
    case AWAY:
        up = below >= above;
        break;
    case ODD:
        up = below > 0 && !(low & 1);
        break;
    default:
        up = below > above || (below == above && (low & 1));
        break;
    }
    return (up ? high : low) | (negative ? top : 0);
}
