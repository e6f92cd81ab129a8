/* End points of ASTC blocks, between whose colours the texels of a partition lie. */
#include <string.h>

#include "runtime/gpu/texture/block.h"

/* The ways to code a pair of end points of low dynamic range. */
enum {
    LUMINANCE = 0,
    LUMINANCE_CHANGE = 1,
    LUMINANCE_ALPHA = 4,
    LUMINANCE_ALPHA_CHANGE = 5,
    COLOR_SCALE = 6,
    COLOR = 8,
    COLOR_CHANGE = 9,
    COLOR_SCALE_ALPHA = 10,
    COLOR_ALPHA = 12,
    COLOR_ALPHA_CHANGE = 13,
};

static void set_color(int c[4], int r, int g, int b, int a)
{
    int v[4] = {r, g, b, a};

    for (unsigned k = 0; k < 4; k++)
        c[k] = v[k] < 0 ? 0 : v[k] > 255 ? 255 : v[k];
}

/* Sets a colour whose red and green were stored as twice their value, less blue. */
static void set_contracted(int c[4], int r, int g, int b, int a)
{
    set_color(c, (r + b) >> 1, (g + b) >> 1, b, a);
}

/* Moves the upper bit of a change to the base; what is left is signed, with six bits. */
static void split_change(int *change, int *base)
{
    *base = *base >> 1 | (*change & 0x80);
    *change = *change >> 1 & 0x3f;
    if (*change & 0x20)
        *change -= 0x40;
}

/* Both end points in full; the order tells whether they are contracted. */
static void set_pair(const int v[8], int alpha_low, int alpha_high, int low[4], int high[4])
{
    if (v[1] + v[3] + v[5] >= v[0] + v[2] + v[4]) {
        set_color(low, v[0], v[2], v[4], alpha_low);
        set_color(high, v[1], v[3], v[5], alpha_high);
    } else {
        set_contracted(low, v[1], v[3], v[5], alpha_high);
        set_contracted(high, v[0], v[2], v[4], alpha_low);
    }
}

/* An end point, and the changes to the other. */
static void set_changed_pair(const int in[8], bool has_alpha, int low[4], int high[4])
{
    int v[8], alpha_low = 255, alpha_high = 255;

    memcpy(v, in, sizeof(v));
    for (unsigned k = 0; k < 8; k += 2)
        split_change(&v[k + 1], &v[k]);
    if (has_alpha) {
        alpha_low = v[6];
        alpha_high = v[6] + v[7];
    }
    if (v[1] + v[3] + v[5] >= 0) {
        set_color(low, v[0], v[2], v[4], alpha_low);
        set_color(high, v[0] + v[1], v[2] + v[3], v[4] + v[5], alpha_high);
    } else {
        set_contracted(low, v[0] + v[1], v[2] + v[3], v[4] + v[5], alpha_high);
        set_contracted(high, v[0], v[2], v[4], alpha_low);
    }
}

static void set_luminance_change(const int v[8], int low[4], int high[4])
{
    int first = v[0] / 4 + v[1] / 64 * 64, second = first + v[1] % 64;

    set_color(low, first, first, first, 255);
    set_color(high, second, second, second, 255);
}

static void set_luminance_alpha_change(const int in[8], int low[4], int high[4])
{
    int v[4] = {in[0], in[1], in[2], in[3]};

    split_change(&v[1], &v[0]);
    split_change(&v[3], &v[2]);
    set_color(low, v[0], v[0], v[0], v[2]);
    set_color(high, v[0] + v[1], v[0] + v[1], v[0] + v[1], v[2] + v[3]);
}

/* An end point, and the factor (in 1/256) of the other. */
static void set_scaled(const int v[8], int alpha_low, int alpha_high, int low[4], int high[4])
{
    set_color(low, v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, alpha_low);
    set_color(high, v[0], v[1], v[2], alpha_high);
}

bool gpu_astc_endpoints(unsigned mode, const int v[8], int low[4], int high[4])
{
    switch (mode) {
    case LUMINANCE:
        set_color(low, v[0], v[0], v[0], 255);
        set_color(high, v[1], v[1], v[1], 255);
        return true;
    case LUMINANCE_CHANGE:
        set_luminance_change(v, low, high);
        return true;
    case LUMINANCE_ALPHA:
        set_color(low, v[0], v[0], v[0], v[2]);
        set_color(high, v[1], v[1], v[1], v[3]);
        return true;
    case LUMINANCE_ALPHA_CHANGE:
        set_luminance_alpha_change(v, low, high);
        return true;
    case COLOR_SCALE:
        set_scaled(v, 255, 255, low, high);
        return true;
    case COLOR_SCALE_ALPHA:
        set_scaled(v, v[4], v[5], low, high);
        return true;
    case COLOR:
        set_pair(v, 255, 255, low, high);
        return true;
    case COLOR_ALPHA:
        set_pair(v, v[6], v[7], low, high);
        return true;
    case COLOR_CHANGE:
    case COLOR_ALPHA_CHANGE:
        set_changed_pair(v, mode == COLOR_ALPHA_CHANGE, low, high);
        return true;
    default:
        return false;
    }
}
