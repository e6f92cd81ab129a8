/* Measures and prints the durations of repeated runs. */
#include "programs/mali-run/repeat.h"

#include <stdlib.h>
#include <time.h>

static double now_ms(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

void run_times_begin(struct run_times *t)
{
    t->cpu_start = now_ms(CLOCK_PROCESS_CPUTIME_ID);
    t->start = now_ms(CLOCK_MONOTONIC);
}

void run_times_end(struct run_times *t)
{
    vec_push(&t->ms, now_ms(CLOCK_MONOTONIC) - t->start);
    vec_push(&t->cpu, now_ms(CLOCK_PROCESS_CPUTIME_ID) - t->cpu_start);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_durations(const char *what, double *ms, size_t n, FILE *out)
{
    qsort(ms, n, sizeof(*ms), by_size);
    fprintf(out, "%s: best %.3f ms, median %.3f ms, of %zu\n", what, ms[0],
            (ms[(n - 1) / 2] + ms[n / 2]) / 2, n);
}

void run_times_print(struct run_times *t, FILE *out)
{
    if (!t->ms.len)
        return;
    print_durations("run", t->ms.data, t->ms.len, out);
    print_durations("processors", t->cpu.data, t->cpu.len, out);
}

void run_times_release(struct run_times *t)
{
    vec_free(&t->ms);
    vec_free(&t->cpu);
}
