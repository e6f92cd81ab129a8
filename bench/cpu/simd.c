/* AdvSIMD: 8-bit image filters, 16-bit products, float dot products, vectorised by the compiler. */
#include "bench.h"

enum { W = 256, H = 128 };

static uint8_t image[H][W], blurred[H][W];
static int16_t left[4096], right[4096];
static float fx[4096], fy[4096];

static void blur_image(void)
{
    for (int y = 1; y < H - 1; y++) {
        for (int x = 1; x < W - 1; x++) {
            unsigned sum = image[y - 1][x] + image[y + 1][x] + image[y][x - 1] + image[y][x + 1] +
                           4u * image[y][x];

            blurred[y][x] = (uint8_t)((sum + 4) >> 3);
        }
    }
}

static int32_t dot_product(void)
{
    int32_t sum = 0;

    for (int n = 0; n < 4096; n++)
        sum += left[n] * right[n];
    return sum;
}

static void saxpy(float a)
{
    for (int n = 0; n < 4096; n++)
        fy[n] = fy[n] * 0.5f + a * fx[n];
}

static unsigned threshold_image(void)
{
    unsigned count = 0;

    for (int n = 0; n < W * H; n++) {
        uint8_t v = blurred[n / W][n % W];

        count += v > 100;
        image[n / W][n % W] = v > 200 ? 255 : (uint8_t)(v + 3);
    }
    return count;
}

int main(int argc, char **argv)
{
    unsigned rounds = bench_rounds(argc, argv) * 10;
    uint64_t sum = BENCH_SEED, seed = 23;

    for (int n = 0; n < W * H; n++)
        image[n / W][n % W] = (uint8_t)bench_random(&seed);
    for (int n = 0; n < 4096; n++) {
        left[n] = (int16_t)bench_random(&seed);
        right[n] = (int16_t)(bench_random(&seed) & 0xff);
        fx[n] = (float)n / 64;
    }
    while (rounds--) {
        blur_image();
        sum = bench_mix(sum, threshold_image());
        sum = bench_mix(sum, (uint32_t)dot_product());
        saxpy(0.25f);
        left[rounds % 4096]++;
    }
    sum = bench_hash(sum, fy, sizeof(fy));
    sum = bench_hash(sum, image, sizeof(image));
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
