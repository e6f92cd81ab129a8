/* Comparisons and calls: qsort() with a callback, a heap, an insertion sort. */
#include "bench.h"

enum { COUNT = 20000 };

static uint32_t data[COUNT];

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void sift_down(uint32_t *v, unsigned n, unsigned count)
{
    for (unsigned child; (child = 2 * n + 1) < count; n = child) {
        uint32_t t = v[n];

        child += child + 1 < count && v[child + 1] > v[child];
        if (t >= v[child])
            return;
        v[n] = v[child];
        v[child] = t;
    }
}

static void heap_sort(uint32_t *v, unsigned count)
{
    for (unsigned n = count / 2; n--;)
        sift_down(v, n, count);
    while (--count) {
        uint32_t t = v[0];

        v[0] = v[count];
        v[count] = t;
        sift_down(v, 0, count);
    }
}

static void insertion_sort(uint32_t *v, unsigned count)
{
    for (unsigned n = 1; n < count; n++) {
        uint32_t t = v[n];
        unsigned k = n;

        for (; k && v[k - 1] > t; k--)
            v[k] = v[k - 1];
        v[k] = t;
    }
}

int main(int argc, char **argv)
{
    unsigned rounds = bench_rounds(argc, argv);
    uint64_t sum = BENCH_SEED, seed = 19;

    while (rounds--) {
        for (unsigned n = 0; n < COUNT; n++)
            data[n] = bench_random(&seed);
        qsort(data, COUNT, sizeof(*data), compare_numbers);
        sum = bench_hash(sum, data, 4096);
        for (unsigned n = 0; n < COUNT; n++)
            data[n] = bench_random(&seed);
        heap_sort(data, COUNT);
        sum = bench_hash(sum, data, 4096);
        for (unsigned n = 0; n < 1200; n++)
            data[n] = bench_random(&seed);
        insertion_sort(data, 1200);
        sum = bench_hash(sum, data, 4800);
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
