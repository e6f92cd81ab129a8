/* Predicts rows on several host threads, and keeps the predictions by point. */
#include "runtime/timing/tune/predict.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 256 };

bool tune_settle(const struct tune_options *o, const struct tune_point *at, struct timing_params *p,
                 struct timing_shape *shape, struct error *err)
{
    *p = o->params;
    *shape = o->shape;
    for (size_t i = 0; i < o->axis_count; i++) {
        char text[80];

        snprintf(text, sizeof(text), "%s=%.10g", o->axes[i].name,
                 tune_axis_value(&o->axes[i], at->at[i]));
        if (!timing_params_set(p, shape, text, err))
            return false;
    }
    return timing_params_check(p, shape, err);
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Rows that host threads take one after the other. */
struct work {
    const struct tune_predictor *predictor;
    struct timing_params params;
    struct timing_shape shape;
    const size_t *rows;
    size_t count;
    atomic_size_t next;
    double *out;
    struct error *errs; /* by row; the first error in the order of rows is reported */
};

static void *take_rows(void *opaque)
{
    struct work *w = opaque;
    const struct timing_design design = {&w->params, &w->shape, w->predictor->options->fidelity};
    size_t i;

    while ((i = atomic_fetch_add(&w->next, 1)) < w->count) {
        size_t row = w->rows[i];

        if (!tune_row_predict(&w->predictor->table->rows.data[row],
                              w->predictor->table->microseconds, &design, &w->out[row],
                              &w->errs[i]))
            w->out[row] = NAN;
    }
    return NULL;
}

static bool do_work(struct work *w, struct error *err)
{
    pthread_t thread[MAX_THREADS];
    uint64_t wanted = w->predictor->options->threads;
    size_t started = 0;
    bool good = true;

    w->errs = xcalloc(w->count + 1, sizeof(*w->errs));
    while (started + 1 < wanted && started + 1 < w->count && started < MAX_THREADS &&
           !pthread_create(&thread[started], NULL, take_rows, w))
        started++;
    take_rows(w);
    while (started)
        pthread_join(thread[--started], NULL);
    for (size_t i = 0; i < w->count && good; i++)
        if (w->errs[i].text[0]) {
            good = false;
            *err = w->errs[i];
        }
    free(w->errs);
    return good;
}

/* ---- what is known --------------------------------------------------------------------------- */

static struct tune_known *find_or_add(struct tune_predictor *p, const struct tune_point *at)
{
    size_t n = p->table->rows.len;
    struct tune_known *k;

    vec_for_each (&p->known, known)
        if (!memcmp(&known->point, at, sizeof(*at)))
            return known;
    vec_push(&p->known, (struct tune_known){*at, xcalloc(n + 1, sizeof(double))});
    k = &p->known.data[p->known.len - 1];
    for (size_t i = 0; i < n; i++)
        k->rows[i] = NAN;
    return k;
}

const double *tune_predict(struct tune_predictor *p, const struct tune_point *at,
                           const bool *wanted, struct error *err)
{
    struct tune_known *k = find_or_add(p, at);
    size_t n = p->table->rows.len, *rows = xcalloc(n + 1, sizeof(*rows));
    struct work w = {.predictor = p, .rows = rows, .out = k->rows};
    bool good;

    for (size_t i = 0; i < n; i++)
        if (wanted[i] && isnan(k->rows[i]))
            rows[w.count++] = i;
    p->prediction_count += w.count;
    good = tune_settle(p->options, at, &w.params, &w.shape, err) && (!w.count || do_work(&w, err));
    free(rows);
    return good ? k->rows : NULL;
}

void tune_predictor_release(struct tune_predictor *p)
{
    vec_for_each (&p->known, k)
        free(k->rows);
    vec_free(&p->known);
}

/* ---- features -------------------------------------------------------------------------------- */

static double ratio_or_zero(double part, double all)
{
    return all > 0 ? part / all : 0;
}

bool tune_features(const struct tune_predictor *p, size_t row, double *features, struct error *err)
{
    const struct tune_row *it = &p->table->rows.data[row];
    const struct tune_options *o = p->options;
    double all = 0, work = 0, requests = 0, l1[2] = {0, 0}, l2[2] = {0, 0};
    double account[TIMING_CAUSES] = {0};

    for (size_t i = 0; i < it->jobs.len; i++) {
        struct timing_result r;

        if (!timing_run(&o->params, &o->shape, o->fidelity, &it->jobs.data[i], &r, err))
            return false;
        for (unsigned c = 0; c < TIMING_CAUSES; c++) {
            account[c] += (double)r.account[c];
            all += (double)r.account[c];
        }
        work += (double)r.instructions;
        requests += (double)r.requests;
        l1[0] += (double)r.l1_hits, l1[1] += (double)r.l1_misses;
        l2[0] += (double)r.l2_hits, l2[1] += (double)r.l2_misses;
    }
    for (unsigned c = 0; c < TIMING_CAUSES; c++)
        features[c] = ratio_or_zero(account[c], all);
    features[TIMING_CAUSES] = log(1 + work);
    features[TIMING_CAUSES + 1] = ratio_or_zero(requests, work);
    features[TIMING_CAUSES + 2] = ratio_or_zero(l1[1], l1[0] + l1[1]);
    features[TIMING_CAUSES + 3] = ratio_or_zero(l2[1], l2[0] + l2[1]);
    return true;
}
