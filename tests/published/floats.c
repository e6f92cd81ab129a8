/* Floats and doubles: sums, products, quotients, comparisons and conversions. */
#include "program.h"

static u32 fold_double(double value)
{
    union {
        double value;
        u32 word[2];
    } u = {.value = value};

    return u.word[0] ^ u.word[1];
}

u32 compute(void)
{
    u32 sum = 0x811c9dc5u, seed = 1;
    double d = 1.0;
    float f = 1.0f;

    for (int i = 1; i < 2000; i++) {
        double x = (double)(int)(draw_u32(&seed) >> 8) / 4096.0 - 2000.0;

        d = d * 0.75 + x / (i + 0.5);
        f = f * 0.5f - (float)x;
        sum = mix_checksum(sum, fold_double(d));
        sum = mix_checksum(sum, fold_double((double)f));
        sum = mix_checksum(sum, (u32)(int)d + (u32)(x < d) + (u32)(f >= (float)i));
    }
    return sum;
}
