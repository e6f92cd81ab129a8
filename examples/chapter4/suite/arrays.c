/* The suite's programs on arrays and matrices. */
#include "suite.h"

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

size_t binary_search(struct suite *s, unsigned n)
{
    enum { PARTS = 256 };
    uint32_t *sorted = suite_memory(4 * (size_t)n), place = n / 3, found[2] = {0, 1};
    cl_mem array, result = suite_buffer(s, NULL, sizeof(found));

    for (unsigned i = 0; i < n; i++)
        sorted[i] = 3 * i + i % 3;
    array = suite_buffer(s, sorted, 4 * (size_t)n);
    for (unsigned left = n; left > 1 && found[1];) {
        unsigned parts = left < PARTS ? left : PARTS, low = found[0], none[2] = {0};

        suite_write(s, result, none, sizeof(none));
        RUN(s, "binary_search", line(parts, parts), BUFFER(array), BUFFER(result),
            INT(sorted[place]), INT(low), INT(left / parts));
        suite_read(s, result, found, sizeof(found));
        left /= parts;
    }
    clReleaseMemObject(array), clReleaseMemObject(result);
    free(sorted);
    return found[0] != place || !found[1];
}

size_t bitonic_sort(struct suite *s, unsigned n)
{
    uint32_t *wanted = suite_words(s, n), *got;
    cl_mem array = suite_buffer(s, wanted, 4 * n);
    size_t wrong;

    for (unsigned stage = 0; 1u << stage < n; stage++)
        for (unsigned pass = 0; pass <= stage; pass++)
            RUN(s, "bitonic_sort", line(n / 2, n / 2 < 256 ? n / 2 : 256), BUFFER(array),
                INT(stage), INT(pass));
    qsort(wanted, n, 4, by_size);
    got = suite_take(s, array, 4 * n);
    wrong = wrong_words(got, wanted, n);
    free(wanted), free(got);
    return wrong;
}

size_t floyd_warshall(struct suite *s, unsigned n)
{
    size_t count = (size_t)n * n, wrong;
    uint32_t *wanted = suite_words(s, count), *got;
    cl_mem length, over = suite_buffer(s, NULL, 4 * count);

    for (size_t i = 0; i < count; i++)
        wanted[i] = i % (n + 1) ? wanted[i] % 1000 + 1 : 0;
    length = suite_buffer(s, wanted, 4 * count);
    for (unsigned k = 0; k < n; k++) {
        RUN(s, "floyd_warshall", plane(n, n, 16, 16), BUFFER(length), BUFFER(over), INT(n), INT(k));
        for (size_t i = 0; i < count; i++) {
            uint32_t by = wanted[i / n * n + k] + wanted[k * n + i % n];

            wanted[i] = by < wanted[i] ? by : wanted[i];
        }
    }
    got = suite_take(s, length, 4 * count);
    wrong = wrong_words(got, wanted, count);
    clReleaseMemObject(over);
    free(wanted), free(got);
    return wrong;
}

size_t matrix_transpose(struct suite *s, unsigned n)
{
    size_t count = (size_t)n * n, wrong = 0;
    uint32_t *matrix = suite_words(s, count), *got;
    cl_mem from, to = suite_buffer(s, NULL, 4 * count);

    for (size_t i = 0; i < count; i++)
        matrix[i] = matrix[i] >> 9 | 0x3f800000; /* floats that keep their bits */
    from = suite_buffer(s, matrix, 4 * count);
    RUN(s, "matrix_transpose", plane(n / 4, n / 4, 8, 8), BUFFER(from), BUFFER(to),
        LOCAL(16 * 32 * 8), INT(n));
    got = suite_take(s, to, 4 * count);
    for (size_t i = 0; i < count; i++)
        wrong += got[i] != matrix[i % n * n + i / n];
    clReleaseMemObject(from);
    free(matrix), free(got);
    return wrong;
}

size_t reduction(struct suite *s, unsigned n)
{
    enum { GROUP = 256 };
    size_t groups = n / (4 * GROUP);
    uint32_t *words = suite_words(s, n), *sums, got = 0, wanted = 0;
    cl_mem from = suite_buffer(s, words, 4 * (size_t)n), to = suite_buffer(s, NULL, 16 * groups);

    RUN(s, "reduction", line(n / 4, GROUP), BUFFER(from), BUFFER(to), LOCAL(16 * GROUP));
    for (unsigned i = 0; i < n; i++)
        wanted += words[i];
    sums = suite_take(s, to, 16 * groups);
    for (size_t i = 0; i < 4 * groups; i++)
        got += sums[i];
    clReleaseMemObject(from);
    free(words), free(sums);
    return got != wanted;
}

/* Scans a buffer of n floats into another; n is a power of two. */
static void scan_buffer(struct suite *s, cl_mem from, cl_mem to, unsigned n)
{
    enum { GROUP = 128 };
    unsigned threads = n / 2 < GROUP ? n / 2 : GROUP, blocks = n / (2 * threads);
    cl_mem sums = suite_buffer(s, NULL, 4 * blocks), scanned;

    RUN(s, "scan_blocks", line(n / 2, threads), BUFFER(from), BUFFER(to), BUFFER(sums),
        LOCAL(8 * threads));
    if (blocks > 1) {
        scanned = suite_buffer(s, NULL, 4 * blocks);
        scan_buffer(s, sums, scanned, blocks);
        RUN(s, "add_blocks", line(n / 2, threads), BUFFER(to), BUFFER(scanned));
        clReleaseMemObject(scanned);
    }
    clReleaseMemObject(sums);
}

size_t scan_large_arrays(struct suite *s, unsigned n)
{
    float *data = suite_floats(s, n), *wanted = suite_memory(4 * (size_t)n), *got;
    cl_mem from = suite_buffer(s, data, 4 * (size_t)n), to = suite_buffer(s, NULL, 4 * (size_t)n);
    double sum = 0;
    size_t wrong;

    scan_buffer(s, from, to, n);
    for (unsigned i = 0; i < n; i++) {
        wanted[i] = (float)sum;
        sum += data[i];
    }
    got = suite_take(s, to, 4 * (size_t)n);
    wrong = wrong_floats(got, wanted, n, 1e-4f);
    clReleaseMemObject(from);
    free(data), free(wanted), free(got);
    return wrong;
}
