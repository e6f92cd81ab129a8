/* Selects training rows and folds, by a seed or by dissimilarity. */
#include "runtime/timing/tune/choose.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <stdlib.h>

/* xorshift64*, from a seed that may be 0 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

static void shuffle_rows(size_t *a, size_t n, uint64_t seed)
{
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;

    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)(next_random(&state) % i), it = a[i - 1];

        a[i - 1] = a[k];
        a[k] = it;
    }
}

/* ---- benchmark subsetting -------------------------------------------------------------------- */

/* Normalises each feature: minus its mean, divided by its deviation. */
static void standardize_features(double (*f)[TUNE_FEATURES], const size_t *rows, size_t n)
{
    for (unsigned k = 0; k < TUNE_FEATURES; k++) {
        double mean = 0, deviation = 0;

        for (size_t i = 0; i < n; i++)
            mean += f[rows[i]][k] / (double)n;
        for (size_t i = 0; i < n; i++)
            deviation += (f[rows[i]][k] - mean) * (f[rows[i]][k] - mean) / (double)n;
        for (size_t i = 0; i < n; i++)
            f[rows[i]][k] = deviation > 1e-12 ? (f[rows[i]][k] - mean) / sqrt(deviation) : 0;
    }
}

static double squared_distance(const double *a, const double *b)
{
    double sum = 0;

    for (unsigned k = 0; k < TUNE_FEATURES; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

/* Selects the row nearest to the mean of all, then repeatedly the row farthest from those
 * selected. */
static void take_unlike(double (*f)[TUNE_FEATURES], const size_t *rows, size_t n, size_t wanted,
                        bool *train)
{
    double *nearest = xcalloc(n + 1, sizeof(*nearest)), zero[TUNE_FEATURES] = {0};
    size_t at = 0;

    for (size_t i = 1; i < n; i++)
        if (squared_distance(f[rows[i]], zero) < squared_distance(f[rows[at]], zero))
            at = i;
    for (size_t i = 0; i < n; i++)
        nearest[i] = INFINITY;
    for (size_t taken = 0; taken < wanted && taken < n; taken++) {
        size_t next = 0;

        train[rows[at]] = true;
        for (size_t i = 0; i < n; i++) {
            double d = squared_distance(f[rows[i]], f[rows[at]]);

            nearest[i] = d < nearest[i] ? d : nearest[i];
            if (train[rows[i]])
                nearest[i] = -1;
            if (nearest[i] > nearest[next])
                next = i;
        }
        at = next;
    }
    free(nearest);
}

static bool choose_subset(const struct tune_predictor *p, const size_t *rows, size_t n, bool *train,
                          struct error *err)
{
    double(*f)[TUNE_FEATURES] = xcalloc(p->table->rows.len + 1, sizeof(*f));
    bool good = true;

    for (size_t i = 0; i < n && good; i++)
        good = tune_features(p, rows[i], f[rows[i]], err);
    if (good) {
        standardize_features(f, rows, n);
        take_unlike(f, rows, n, p->options->subset, train);
    }
    free(f);
    return good;
}

/* ---- sets ------------------------------------------------------------------------------------ */

bool tune_choose_train(const struct tune_predictor *p, bool *train, struct error *err)
{
    const struct tune_options *o = p->options;
    size_t n = p->table->rows.len, open = 0, *rows = xcalloc(n + 1, sizeof(*rows)), left = 0;
    bool good = true;

    for (size_t i = 0; i < n; i++) {
        train[i] = p->table->rows.data[i].set == TUNE_TRAIN;
        if (p->table->rows.data[i].set == TUNE_ANY)
            rows[open++] = i;
    }
    if (o->subset) {
        good = choose_subset(p, rows, open, train, err);
    } else {
        shuffle_rows(rows, open, o->seed);
        for (size_t i = open * (size_t)o->test_percent / 100; i < open; i++)
            train[rows[i]] = true;
    }
    free(rows);
    for (size_t i = 0; i < n; i++)
        left += train[i];
    return good && (left || error_set(err, "no row is left to train on"));
}

void tune_choose_folds(const struct tune_options *o, const bool *train, size_t rows, unsigned *fold,
                       unsigned *folds)
{
    size_t n = 0, *order = xcalloc(rows + 1, sizeof(*order));

    for (size_t i = 0; i < rows; i++)
        if (train[i])
            order[n++] = i;
    *folds = (unsigned)(o->leave_one_out || o->folds > n ? n : o->folds);
    shuffle_rows(order, n, o->seed + 1);
    for (size_t i = 0; i < n && *folds; i++)
        fold[order[i]] = (unsigned)(i % *folds);
    free(order);
}
