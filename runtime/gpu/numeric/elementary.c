/*
 * Elementary functions from IEEE's basic operations only, so that every host gives the same
 * results. Series are computed in a pair of doubles, high + low, with at least 56 correct bits. The
 * sum is rounded once.
 */
#include "runtime/gpu/numeric/elementary.h"

#include <math.h>

#include "runtime/gpu/numeric/bits.h"
#include "runtime/gpu/numeric/round.h"

/* The number high + low, where high has the leading bits. */
struct pair {
    double high, low;
};

/* ln 2, 2 / ln 2, pi */
static const struct pair ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const struct pair two_log2e = {0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55};
static const struct pair pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/* (high + low) * 2^e as a float. */
static float round_pair(struct pair p, int e)
{
    return (float)gpu_wide_scale(gpu_wide_add(p.high, p.low, GPU_ROUND_EVEN), e);
}

/* The product of a double and a pair. */
static struct pair times_pair(double x, struct pair y)
{
    double high = x * y.high;

    return (struct pair){high, fma(x, y.high, -high) + x * y.low};
}

/* c[0] + c[1] x + … */
static double evaluate_series(const double *c, unsigned n, double x)
{
    double sum = c[n - 1];

    while (--n)
        sum = sum * x + c[n - 1];
    return sum;
}

#define SERIES(c, x) evaluate_series(c, sizeof(c) / sizeof(*(c)), x)

/* ---- powers and logarithms ------------------------------------------------------------------- */

enum { EXP2_ABOVE = 128, EXP2_BELOW = -150 }; /* bounds of x beyond which 2^x is infinity, and 0 */

float gpu_exp2(float x)
{
    /* (e^t - 1 - t) / t^2: 1 / n! */
    static const double c[] = {
        1. / 2,         1. / 6,          1. / 24,          1. / 120,          1. / 720,
        1. / 5040,      1. / 40320,      1. / 362880,      1. / 3628800,      1. / 39916800,
        1. / 479001600, 1. / 6227020800, 1. / 87178291200, 1. / 1307674368000};
    double whole;
    struct pair t, sum;

    if (x != x)
        return x;
    if (x >= EXP2_ABOVE)
        return INFINITY;
    if (x <= EXP2_BELOW)
        return 0;
    whole = rint((double)x);
    t = times_pair((double)x - whole, ln2);
    sum.high = 1 + t.high;
    sum.low = (t.high - (sum.high - 1)) + (t.low + t.high * t.high * SERIES(c, t.high));
    return round_pair(sum, (int)whole);
}

/* log2 of an m from 1/2 to 1 (near 2^0): 2 / ln 2 * atanh((m - 1) / (m + 1)). */
static struct pair log2_of_fraction(double m)
{
    /* (atanh(s) - s) / s^3: 1 / (2 n + 3) */
    static const double c[] = {1. / 3,  1. / 5,  1. / 7,  1. / 9,  1. / 11, 1. / 13, 1. / 15,
                               1. / 17, 1. / 19, 1. / 21, 1. / 23, 1. / 25, 1. / 27};
    double f = m - 1, d = m + 1, s = f / d, rest = fma(-s, d, f) / d, z = s * s;
    struct pair p = times_pair(s, two_log2e);

    p.low += two_log2e.high * (rest + s * z * SERIES(c, z));
    return p;
}

float gpu_log2(float x)
{
    struct pair p, sum;
    double m;
    int e;

    if (x != x || x < 0)
        return x < 0 ? NAN : x;
    if (x == 0 || isinf(x))
        return x == 0 ? -INFINITY : x;
    m = frexp((double)x, &e);
    if (m < 0.70710678118654752) {
        m *= 2;
        e--;
    }
    p = log2_of_fraction(m);
    if (!e)
        return round_pair(p, 0);
    sum.high = e + p.high;
    sum.low = (p.high - (sum.high - e)) + p.low;
    return round_pair(sum, 0);
}

/* ---- sines ----------------------------------------------------------------------------------- */

/* sin t and cos t for t up to pi / 4. */
static struct pair sine_of_pair(struct pair t)
{
    /* (sin t - t) / t^3 */
    static const double c[] = {-1. / 6,
                               1. / 120,
                               -1. / 5040,
                               1. / 362880,
                               -1. / 39916800,
                               1. / 6227020800,
                               -1. / 1307674368000,
                               1. / 355687428096000,
                               -1. / 121645100408832000};
    double z = t.high * t.high;

    return (struct pair){t.high, t.low * (1 - z / 2) + t.high * z * SERIES(c, z)};
}

static struct pair cosine_of_pair(struct pair t)
{
    /* (cos t - 1 + t^2 / 2) / t^4 */
    static const double c[] = {
        1. / 24,        -1. / 720,         1. / 40320,          -1. / 3628800,
        1. / 479001600, -1. / 87178291200, 1. / 20922789888000, -1. / 6402373705728000};
    double z = t.high * t.high, half = z / 2, high = 1 - half;
    double rest = fma(t.high, t.high, -z) + 2 * t.high * t.low;

    return (struct pair){high, ((1 - high) - half) - rest / 2 + z * z * SERIES(c, z)};
}

/* sin(pi x) for x in [0, 1/2]. */
static float sine_of_quarter(double x)
{
    if (x <= 0.25)
        return round_pair(sine_of_pair(times_pair(x, pi)), 0);
    return round_pair(cosine_of_pair(times_pair(0.5 - x, pi)), 0);
}

/* sin(pi x) for x in [0, 2]. */
static float sine_of_circle(double x)
{
    double half = x < 1 ? x : x - 1;
    float size = sine_of_quarter(half <= 0.5 ? half : 1 - half);

    return x < 1 ? size : -size;
}

float gpu_sinpi(float x)
{
    double size = fmod(fabs((double)x), 2);

    return signbit(x) ? -sine_of_circle(size) : sine_of_circle(size);
}

float gpu_cospi(float x)
{
    return sine_of_circle(fmod(fmod(fabs((double)x), 2) + 0.5, 2));
}

/* ---- 64-bit numbers -------------------------------------------------------------------------- */

double gpu_round_integral_wide(double x, uint8_t mode)
{
    switch (mode) {
    case GPU_ROUND_UP:
        return ceil(x);
    case GPU_ROUND_DOWN:
        return floor(x);
    case GPU_ROUND_ZERO:
        return trunc(x);
    case GPU_ROUND_AWAY:
        return round(x);
    default:
        return nearbyint(x);
    }
}

int64_t gpu_f64_to_s64(double x, uint8_t mode)
{
    double r = gpu_round_integral_wide(x, mode);

    if (r != r)
        return 0;
    if (r >= 9223372036854775808.0)
        return INT64_MAX;
    return r < -9223372036854775808.0 ? INT64_MIN : (int64_t)r;
}

uint64_t gpu_f64_to_u64(double x, uint8_t mode)
{
    double r = gpu_round_integral_wide(x, mode);

    if (!(r > 0))
        return 0;
    return r >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)r;
}
