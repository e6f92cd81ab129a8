#include "runtime/gpu/run/repeat.h"

#include <stdlib.h>
#include <time.h>

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

void run_times_begin(struct run_times *t)
{
    t->start = now_ms();
}

void run_times_end(struct run_times *t)
{
    vec_push(&t->ms, now_ms() - t->start);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void run_times_print(struct run_times *t, FILE *out)
{
    size_t n = t->ms.len;

    if (!n)
        return;
    qsort(t->ms.data, n, sizeof(*t->ms.data), by_size);
    fprintf(out, "run: best %.3f ms, median %.3f ms, of %zu\n", t->ms.data[0],
            (t->ms.data[(n - 1) / 2] + t->ms.data[n / 2]) / 2, n);
}

void run_times_release(struct run_times *t)
{
    vec_free(&t->ms);
}
