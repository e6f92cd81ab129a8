/* The suite's programs on images and signals. */
#include "suite.h"

#include <math.h>
#include <string.h>

static int channel_of(uint32_t pixel, int c)
{
    return pixel >> 8 * c & 255;
}

/* Pixels with a channel that is more than one step away. */
static size_t wrong_pixels(const uint32_t *got, const uint32_t *wanted, size_t n)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++) {
        bool bad = false;

        for (int c = 0; c < 4; c++)
            bad |= abs(channel_of(got[i], c) - channel_of(wanted[i], c)) > 1;
        wrong += bad;
    }
    return wrong;
}

static uint32_t byte_of(float v)
{
    return (uint32_t)fminf(fmaxf(v, 0), 255);
}

size_t sobel_filter(struct suite *s, unsigned n)
{
    static const int across[9] = {1, 2, 1, 0, 0, 0, -1, -2, -1},
                     down[9] = {1, 0, -1, 2, 0, -2, 1, 0, -1};
    size_t pixels = (size_t)n * n, bytes = 4 * pixels;
    uint32_t *image = suite_words(s, pixels), *wanted = suite_memory(bytes), *got;
    cl_mem from = suite_buffer(s, image, bytes), to = suite_buffer(s, NULL, bytes);
    size_t wrong;

    RUN(s, "sobel_filter", plane(n, n, 64, 4), BUFFER(from), BUFFER(to));
    for (unsigned y = 1; y + 1 < n; y++)
        for (unsigned x = 1; x + 1 < n; x++)
            for (int c = 0; c < 4; c++) {
                int gx = 0, gy = 0;

                for (int k = 0; k < 9; k++) {
                    int v = channel_of(image[(y + k / 3 - 1) * n + x + k % 3 - 1], c);

                    gx += across[k] * v;
                    gy += down[k] * v;
                }
                wanted[y * n + x] |= byte_of(hypotf((float)gx, (float)gy) / 2) << 8 * c;
            }
    got = suite_take(s, to, bytes);
    wrong = wrong_pixels(got, wanted, pixels);
    clReleaseMemObject(from);
    free(image), free(wanted), free(got);
    return wrong;
}

struct gaussian {
    float weights[8], first, last; /* a0 to a3, b1, b2 */
};

static struct gaussian make_gaussian(float sigma)
{
    float alpha = 1.695f / sigma, e = expf(-alpha), e2 = expf(-2 * alpha);
    float k = (1 - e) * (1 - e) / (1 + 2 * alpha * e - e2);
    float a[4] = {k, k * (alpha - 1) * e, k * (alpha + 1) * e, -k * e2}, rest = 1 - 2 * e + e2;

    return (struct gaussian){
        {a[0], a[1], a[2], a[3], -2 * e, e2}, (a[0] + a[1]) / rest, (a[2] + a[3]) / rest};
}

/* One channel of the columns of an image. */
static void filter_column(const struct gaussian *g, const uint32_t *from, uint32_t *to,
                          size_t stride, unsigned n, int c)
{
    const float *w = g->weights;
    float sums[4096], x1 = (float)channel_of(from[0], c), y1 = x1 * g->first, y2 = y1, x2, x3;

    for (unsigned y = 0; y < n; y++) {
        float now = (float)channel_of(from[y * stride], c);

        sums[y] = w[0] * now + w[1] * x1 - w[4] * y1 - w[5] * y2;
        x1 = now, y2 = y1, y1 = sums[y];
    }
    x2 = x3 = (float)channel_of(from[(n - 1) * stride], c);
    y1 = y2 = x2 * g->last;
    for (unsigned y = n; y-- > 0;) {
        float out = w[2] * x2 + w[3] * x3 - w[4] * y1 - w[5] * y2;

        x3 = x2, x2 = (float)channel_of(from[y * stride], c), y2 = y1, y1 = out;
        to[y * stride] |= byte_of(sums[y] + out) << 8 * c;
    }
}

size_t recursive_gaussian(struct suite *s, unsigned n)
{
    size_t pixels = (size_t)n * n, bytes = 4 * pixels, wrong;
    struct gaussian g = make_gaussian(10);
    uint32_t *image = suite_words(s, pixels), *half_done = suite_memory(bytes),
             *wanted = suite_memory(bytes), *got;
    cl_mem a = suite_buffer(s, image, bytes), b = suite_buffer(s, NULL, bytes),
           sums = suite_buffer(s, NULL, 4 * bytes);

    for (int pass = 0; pass < 2; pass++) {
        RUN(s, "recursive_gaussian", line(n, 64), BUFFER(a), BUFFER(b), BUFFER(sums), INT(n),
            INT(n), ((struct argument){sizeof(g.weights), g.weights}), FLOAT(g.first),
            FLOAT(g.last));
        RUN(s, "transpose_image", plane(n, n, 16, 16), BUFFER(b), BUFFER(a), LOCAL(4 * 16 * 16),
            INT(n), INT(n));
    }
    for (unsigned i = 0; i < n; i++)
        for (int c = 0; c < 4; c++)
            filter_column(&g, image + i, half_done + i, n, n, c);
    for (unsigned i = 0; i < n; i++)
        for (int c = 0; c < 4; c++)
            filter_column(&g, half_done + (size_t)i * n, wanted + (size_t)i * n, 1, n, c);
    got = suite_take(s, a, bytes);
    wrong = wrong_pixels(got, wanted, pixels);
    clReleaseMemObject(b), clReleaseMemObject(sums);
    free(image), free(half_done), free(wanted), free(got);
    return wrong;
}

static int park_miller(int x)
{
    return (int)(16807LL * x % 2147483647);
}

size_t uniform_noise(struct suite *s, unsigned n)
{
    enum { TABLE = 16, FACTOR = 25 };
    size_t pixels = (size_t)n * n, bytes = 4 * pixels, wrong;
    uint32_t *image = suite_words(s, pixels), *wanted = suite_memory(bytes), *got;
    cl_mem from = suite_buffer(s, image, bytes), to = suite_buffer(s, NULL, bytes);

    /* A thread does eight pixels: Mesa keeps local memory for each group of a launch and core,
     * which would be 2 GB. */
    RUN(s, "uniform_noise", plane(n, n / 8, 64, 1), BUFFER(from), BUFFER(to), LOCAL(4 * TABLE * 64),
        INT(n), INT(FACTOR));
    for (size_t i = 0; i < pixels; i++) {
        int table[TABLE], x = 1;

        for (int c = 0; c < 4; c++)
            x += channel_of(image[i], c);
        x = (x - 1) / 4 + 1;
        for (int k = 0; k < TABLE; k++)
            x = park_miller(x);
        for (int k = TABLE - 1; k >= 0; k--)
            table[k] = x = park_miller(x);
        x = table[table[0] / (1 + 2147483646 / TABLE)];
        for (int c = 0; c < 4; c++)
            wanted[i] |=
                byte_of((float)channel_of(image[i], c) + ((float)x / 2147483647.0f - 0.5f) * FACTOR)
                << 8 * c;
    }
    got = suite_take(s, to, bytes);
    wrong = wrong_pixels(got, wanted, pixels);
    clReleaseMemObject(from);
    free(image), free(wanted), free(got);
    return wrong;
}

/* Ten times as many columns as rows. */
size_t cosine_transform(struct suite *s, unsigned n)
{
    size_t width = 10 * n, count = width * n, wrong;
    float cosines[64], *data = suite_floats(s, count), *wanted = suite_memory(4 * count), *got;
    cl_mem from = suite_buffer(s, data, 4 * count), to = suite_buffer(s, NULL, 4 * count), matrix;

    for (int i = 0; i < 64; i++)
        cosines[i] = i < 8 ? sqrtf(0.125f)
                           : 0.5f * cosf((float)M_PI * (float)((2 * (i % 8) + 1) * (i / 8)) / 16);
    matrix = suite_buffer(s, cosines, sizeof(cosines));
    RUN(s, "cosine_transform", plane(width, n, 8, 8), BUFFER(from), BUFFER(to), BUFFER(matrix),
        LOCAL(256), INT(width));
    for (size_t block = 0; block < count / 64; block++) {
        size_t at = block / (width / 8) * 8 * width + block % (width / 8) * 8;
        float half_done[64];

        for (int i = 0; i < 64; i++) {
            half_done[i] = 0;
            for (int k = 0; k < 8; k++)
                half_done[i] += cosines[i / 8 * 8 + k] * data[at + k * width + i % 8];
        }
        for (int i = 0; i < 64; i++)
            for (int k = 0; k < 8; k++)
                wanted[at + i / 8 * width + i % 8] +=
                    half_done[i / 8 * 8 + k] * cosines[i % 8 * 8 + k];
    }
    got = suite_take(s, to, 4 * count);
    wrong = wrong_floats(got, wanted, count, 1e-4f);
    clReleaseMemObject(from), clReleaseMemObject(matrix);
    free(data), free(wanted), free(got);
    return wrong;
}

size_t haar_transform(struct suite *s, unsigned n)
{
    enum { THREADS = 256 };
    float *data = suite_floats(s, n), *wanted = suite_memory(4 * n), *got;
    cl_mem details = suite_buffer(s, NULL, 4 * n), averages[2];
    size_t wrong;

    averages[0] = suite_buffer(s, data, 4 * n);
    averages[1] = suite_buffer(s, NULL, 4 * n);
    for (size_t left = n, turn = 0; left > 1; turn ^= 1) {
        size_t threads = left / 2 < THREADS ? left / 2 : THREADS;

        RUN(s, "haar_transform", line(left / 2, threads), BUFFER(averages[turn]), BUFFER(details),
            BUFFER(averages[!turn]), LOCAL(4 * threads), INT(left));
        left /= 2 * threads;
    }
    for (size_t left = n / 2; left; left /= 2)
        for (size_t i = 0; i < left; i++) {
            float a = data[2 * i], b = data[2 * i + 1];

            wanted[left + i] = (a - b) * (float)M_SQRT1_2;
            data[i] = (a + b) * (float)M_SQRT1_2;
        }
    got = suite_take(s, details, 4 * n);
    wrong = wrong_floats(got + 1, wanted + 1, n - 1, 1e-3f);
    clReleaseMemObject(averages[0]), clReleaseMemObject(averages[1]);
    free(data), free(wanted), free(got);
    return wrong;
}
