/* The suite's programs on numbers: options, products of matrices. */
#include "suite.h"

#include <math.h>

static float option_price(float r, int steps)
{
    double stock = r * 30 + (1 - r) * 5, strike = r * 100 + (1 - r),
           years = r * 10 + (1 - r) * 0.25, dt = years / steps;
    double move = 0.3 * sqrt(dt), interest = exp(0.02 * dt), up = exp(move), down = 1 / up;
    double weight_up = (interest - down) / (up - down) / interest,
           weight_down = 1 / interest - weight_up, leaf[512];

    for (int i = 0; i <= steps; i++)
        leaf[i] = fmax(stock * exp(move * (2 * i - steps)) - strike, 0);
    for (int j = steps; j > 0; j--)
        for (int i = 0; i < j; i++)
            leaf[i] = weight_up * leaf[i + 1] + weight_down * leaf[i];
    return (float)leaf[0];
}

size_t binomial_option(struct suite *s, unsigned n)
{
    enum { STEPS = 254 };
    float *random = suite_floats(s, n), *wanted = suite_memory(4 * n), *got;
    cl_mem from = suite_buffer(s, random, 4 * n), to = suite_buffer(s, NULL, 4 * n);
    size_t wrong;

    RUN(s, "binomial_option", line(n / 4 * (STEPS + 1), STEPS + 1), BUFFER(from), BUFFER(to),
        LOCAL(16 * (STEPS + 1)), LOCAL(16 * (STEPS + 1)), INT(STEPS));
    for (unsigned i = 0; i < n; i++)
        wanted[i] = option_price(random[i], STEPS);
    got = suite_take(s, to, 4 * n);
    wrong = wrong_floats(got, wanted, n, 2e-3f);
    clReleaseMemObject(from);
    free(random), free(wanted), free(got);
    return wrong;
}

/* Element (i, j) of A times B transposed, both by columns of m and n elements. */
static float product_element(const float *a, const float *b, size_t m, size_t n, size_t k)
{
    double sum = 0;

    for (size_t t = 0; t < k; t++)
        sum += (double)a[t * m] * b[t * n];
    return (float)sum;
}

/* Of some columns, `every` so many. */
static size_t wrong_product(const float *a, const float *b, const float *c, const size_t size[3],
                            size_t every)
{
    size_t wrong = 0, m = size[0];

    for (size_t j = 0; j < size[1]; j += every)
        for (size_t i = 0; i < m; i++) {
            float wanted = product_element(a + i, b + j, m, size[1], size[2]);

            wrong += wrong_floats(&c[j * m + i], &wanted, 1, 1e-3f);
        }
    return wrong;
}

/* m is given; 128 x 96 times 96 x 160 for 128. */
size_t parboil_sgemm(struct suite *s, unsigned m)
{
    size_t rows = (m + 63) / 64 * 64, size[3] = {rows, rows * 5 / 4, rows * 3 / 4}, n = size[1],
           k = size[2], wrong;
    float *a = suite_floats(s, rows * k), *b = suite_floats(s, k * n), *c;
    cl_mem left = suite_buffer(s, a, 4 * rows * k), right = suite_buffer(s, b, 4 * k * n),
           to = suite_buffer(s, NULL, 4 * rows * n);

    RUN(s, "parboil_sgemm", plane(rows, n / 16, 64, 1), BUFFER(left), BUFFER(right), BUFFER(to),
        INT(rows), INT(n), INT(k));
    c = suite_take(s, to, 4 * rows * n);
    wrong = wrong_product(a, b, c, size, 1);
    clReleaseMemObject(left), clReleaseMemObject(right);
    free(a), free(b), free(c);
    return wrong;
}

size_t blocked_sgemm(struct suite *s, unsigned n)
{
    size_t count = (size_t)n * n, wrong;
    float *a = suite_floats(s, count), *b = suite_floats(s, count), *c;
    cl_mem left = suite_buffer(s, a, 4 * count), right = suite_buffer(s, b, 4 * count),
           to = suite_buffer(s, NULL, 4 * count);

    RUN(s, "blocked_sgemm", plane(n / 4, n / 4, 8, 8), BUFFER(left), BUFFER(right), BUFFER(to),
        INT(n));
    c = suite_take(s, to, 4 * count);
    wrong = wrong_product(a, b, c, (size_t[]){n, n, n}, n / 32);
    clReleaseMemObject(left), clReleaseMemObject(right);
    free(a), free(b), free(c);
    return wrong;
}
