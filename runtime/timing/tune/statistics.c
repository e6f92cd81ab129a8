/* Errors, correlations and the best scale of predictions. */
#include "runtime/timing/tune/statistics.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"

double tune_mape(const double *measured, const double *predicted, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += fabs(measured[i] - predicted[i]) / measured[i];
    return n ? 100 * sum / (double)n : NAN;
}

double tune_pearson(const double *a, const double *b, size_t n)
{
    double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;

    for (size_t i = 0; i < n; i++) {
        mean_a += a[i] / (double)n;
        mean_b += b[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
        ab += (a[i] - mean_a) * (b[i] - mean_b);
    }
    return n > 1 && aa > 0 && bb > 0 ? ab / sqrt(aa) / sqrt(bb) : NAN;
}

struct pair {
    double value, weight;
    size_t index;
};

static int by_value(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

void tune_ranks(const double *a, double *ranks, size_t n)
{
    struct pair *p = xcalloc(n + 1, sizeof(*p));

    for (size_t i = 0; i < n; i++)
        p[i] = (struct pair){a[i], 0, i};
    qsort(p, n, sizeof(*p), by_value);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && p[end].value == p[i].value;)
            end++;
        for (size_t k = i; k < end; k++)
            ranks[p[k].index] = (double)(i + 1 + end) / 2;
    }
    free(p);
}

double tune_spearman(const double *a, const double *b, size_t n)
{
    double *ranks = xcalloc(2 * n + 1, sizeof(*ranks)), r;

    tune_ranks(a, ranks, n);
    tune_ranks(b, ranks + n, n);
    r = tune_pearson(ranks, ranks + n, n);
    free(ranks);
    return r;
}

double tune_best_scale(const double *measured, const double *predicted, size_t n)
{
    struct pair *p = xcalloc(n + 1, sizeof(*p));
    double all = 0, below = 0, best = 1;
    size_t used = 0;

    /* |measured - s * predicted| / measured is weight * |s - measured / predicted|. */
    for (size_t i = 0; i < n; i++) {
        if (!(predicted[i] > 0))
            continue;
        p[used++] = (struct pair){measured[i] / predicted[i], predicted[i] / measured[i], i};
        all += predicted[i] / measured[i];
    }
    qsort(p, used, sizeof(*p), by_value);
    for (size_t i = 0; i < used && 2 * below < all; i++) {
        best = p[i].value;
        below += p[i].weight;
    }
    free(p);
    return best;
}
