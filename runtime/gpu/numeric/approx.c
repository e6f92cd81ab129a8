/*
 * The tables of transcendental instructions: powers of two in sixteenths, sines in steps of pi /
 * 32.
 */
#include "runtime/gpu/numeric/approx.h"

float gpu_exp2_sixteenth(uint32_t n)
{
    /* The two halves of the range separately, so that the argument of the series stays in its
     * range. */
    double part = (double)(n & 15) / 16;
    return (float)(part > 0.5 ? 2 * gpu_exp2_near(part - 1) : gpu_exp2_near(part));
}

float gpu_sin_step(uint32_t n)
{
    /* sin(k * pi / 32), k = 0 .. 16 */
    static const double quarter[17] = {
        0.0,
        0.098017140329560601994,
        0.195090322016128267848,
        0.290284677254462367636,
        0.382683432365089771728,
        0.471396736825997648556,
        0.555570233019602224743,
        0.634393284163645498215,
        0.707106781186547524401,
        0.773010453362736960811,
        0.831469612302545237079,
        0.881921264348355029713,
        0.923879532511286756128,
        0.956940335732208864936,
        0.980785280403230449126,
        0.995184726672196886245,
        1.0,
    };
    unsigned k = n & 31;
    float v = (float)quarter[k <= 16 ? k : 32 - k];
    return n & 32 ? 0 - v : v; /* not -0 */
}

float gpu_cos_step(uint32_t n)
{
    return gpu_sin_step(n + 16);
}
