/* Tunes parameters on the training rows, and validates them on the others. */
#include "runtime/timing/tune/tuner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/timing/tune/choose.h"
#include "runtime/timing/tune/predict.h"
#include "runtime/timing/tune/statistics.h"

/* A search on the training rows. */
struct tuner {
    struct tune_predictor predictor;
    const bool *rows;
    double *measured, *predicted; /* values of the training rows, compacted */
    uint64_t searches;
};

static size_t compact_rows(struct tuner *t, const double *predictions, const bool *rows,
                           double scale)
{
    size_t n = 0;

    for (size_t i = 0; i < t->predictor.table->rows.len; i++)
        if (rows[i] && !isnan(predictions[i])) {
            t->measured[n] = t->predictor.table->rows.data[i].measured;
            t->predicted[n++] = predictions[i] * scale;
        }
    return n;
}

static struct tune_quality goal_value(struct tuner *t, const double *predictions, const bool *rows)
{
    size_t n = compact_rows(t, predictions, rows, 1);

    return (struct tune_quality){tune_mape(t->measured, t->predicted, n),
                                 tune_pearson(t->measured, t->predicted, n),
                                 tune_spearman(t->measured, t->predicted, n), n};
}

static double scale_of(struct tuner *t, const double *predictions, const bool *rows)
{
    size_t n = compact_rows(t, predictions, rows, 1);

    return t->predictor.options->scale ? tune_best_scale(t->measured, t->predicted, n) : 1;
}

/* The mean of the squares of the errors of which tune_mape() is the mean. */
static double mean_square(const struct tuner *t, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += pow((t->measured[i] - t->predicted[i]) / t->measured[i], 2);
    return sum / (double)n;
}

static bool value_at(void *opaque, const struct tune_point *at, double *out, double *smooth,
                     struct error *err)
{
    struct tuner *t = opaque;
    const double *p = tune_predict(&t->predictor, at, t->rows, err);
    size_t n;
    double r;

    if (!p)
        return false;
    n = compact_rows(t, p, t->rows, scale_of(t, p, t->rows));
    if (t->predictor.options->goal == TUNE_MAPE) {
        *out = tune_mape(t->measured, t->predicted, n);
        *smooth = mean_square(t, n);
        return true;
    }
    r = t->predictor.options->goal == TUNE_PEARSON ? tune_pearson(t->measured, t->predicted, n)
                                                   : tune_spearman(t->measured, t->predicted, n);
    *out = *smooth = isnan(r) ? 2 : 1 - r;
    return true;
}

static void start_point(const struct tune_options *o, struct tune_point *p)
{
    memset(p, 0, sizeof(*p));
    for (size_t i = 0; i < o->axis_count; i++) {
        double now = 0;

        timing_params_get(&o->params, &o->shape, o->axes[i].name, &now, NULL);
        p->at[i] = tune_axis_nearest(&o->axes[i], now);
    }
}

static bool run_search(struct tuner *t, const bool *rows, struct tune_model *m, struct error *err)
{
    const struct tune_options *o = t->predictor.options;
    struct tune_problem problem = {o->axes, o->axis_count,       value_at,
                                   t,       (unsigned)o->rounds, (unsigned)o->evaluations};
    const double *p;
    double value;

    t->rows = rows;
    t->searches++;
    start_point(o, &m->point);
    if (!tune_search(&problem, o->search, &m->point, &value, err))
        return false;
    p = tune_predict(&t->predictor, &m->point, rows, err);
    m->scale = p ? scale_of(t, p, rows) : 1;
    return p;
}

/* Predicts the rows of `wanted` by a model. */
static bool predict_rows(struct tuner *t, const struct tune_model *m, const bool *wanted,
                         double *out, struct error *err)
{
    const double *p = tune_predict(&t->predictor, &m->point, wanted, err);

    for (size_t i = 0; p && i < t->predictor.table->rows.len; i++)
        if (wanted[i])
            out[i] = p[i] * m->scale;
    return p;
}

/* Cross-validation: each fold is predicted by a model that was tuned on the others. */
static bool cross_validate(struct tuner *t, struct tune_result *r, struct error *err)
{
    size_t n = t->predictor.table->rows.len;
    unsigned folds, *fold = xcalloc(n + 1, sizeof(*fold));
    bool *rest = xcalloc(n + 1, sizeof(*rest)), *held = xcalloc(n + 1, sizeof(*held)), good = true;

    tune_choose_folds(t->predictor.options, r->train, n, fold, &folds);
    for (unsigned f = 0; folds > 1 && f < folds && good; f++) {
        struct tune_model m;

        for (size_t i = 0; i < n; i++) {
            held[i] = r->train[i] && fold[i] == f;
            rest[i] = r->train[i] && fold[i] != f;
        }
        good = run_search(t, rest, &m, err) && predict_rows(t, &m, held, r->held_out, err);
    }
    free(fold);
    free(rest);
    free(held);
    return good;
}

/* Predicts by the description's own numbers, which need not be on the grid. */
static bool predict_before(struct tuner *t, const struct tune_options *o, struct tune_result *r,
                           const bool *all, struct error *err)
{
    struct tune_options plain = *o;
    struct tune_predictor p = {.table = t->predictor.table, .options = &plain};
    struct tune_point none = {{0}};
    const double *rows;
    double scale;

    plain.axis_count = 0;
    rows = tune_predict(&p, &none, all, err);
    scale = rows ? scale_of(t, rows, r->train) : 1;
    for (size_t i = 0; rows && i < p.table->rows.len; i++)
        r->untuned[i] = rows[i] * scale;
    r->predictions += p.prediction_count;
    tune_predictor_release(&p);
    return rows;
}

static bool tune_all(struct tuner *t, const struct tune_options *o, struct tune_result *r,
                     const bool *all, struct error *err)
{
    return tune_choose_train(&t->predictor, r->train, err) && predict_before(t, o, r, all, err) &&
           run_search(t, r->train, &r->model, err) &&
           predict_rows(t, &r->model, all, r->tuned, err) && cross_validate(t, r, err);
}

static bool check_axes(const struct tune_options *o, struct error *err)
{
    for (size_t i = 0; i < o->axis_count; i++) {
        struct timing_params p = o->params;
        struct timing_shape shape = o->shape;
        const struct tune_axis *a = &o->axes[i];
        double ends[] = {a->least, tune_axis_value(a, tune_axis_count(a) - 1)};
        char text[80];

        for (unsigned k = 0; k < 2; k++) {
            snprintf(text, sizeof(text), "%s=%.10g", a->name, ends[k]);
            if (!timing_params_set(&p, &shape, text, err))
                return false;
        }
        for (size_t k = 0; k < i; k++)
            if (!strcmp(a->name, o->axes[k].name))
                return error_set(err, "%s is free twice", a->name);
    }
    return true;
}

bool tune_run(const struct tune_table *t, const struct tune_options *o, struct tune_result *r,
              struct error *err)
{
    size_t n = t->rows.len;
    struct tuner it = {.predictor = {.table = t, .options = o}};
    bool *all = xcalloc(n + 1, sizeof(*all)), *test = xcalloc(n + 1, sizeof(*test)), good;

    *r = (struct tune_result){0};
    it.measured = xcalloc(n + 1, sizeof(double));
    it.predicted = xcalloc(n + 1, sizeof(double));
    r->untuned = xcalloc(n + 1, sizeof(double));
    r->tuned = xcalloc(n + 1, sizeof(double));
    r->held_out = xcalloc(n + 1, sizeof(double));
    r->train = xcalloc(n + 1, sizeof(bool));
    for (size_t i = 0; i < n; i++) {
        all[i] = true;
        r->held_out[i] = NAN;
    }
    good = check_axes(o, err) && tune_all(&it, o, r, all, err);
    for (size_t i = 0; i < n; i++)
        test[i] = !r->train[i];
    if (good) {
        r->before_train = goal_value(&it, r->untuned, r->train);
        r->before_test = goal_value(&it, r->untuned, test);
        r->train_quality = goal_value(&it, r->tuned, r->train);
        r->test_quality = goal_value(&it, r->tuned, test);
        r->held_out_quality = goal_value(&it, r->held_out, all);
    }
    r->searches = it.searches;
    r->predictions += it.predictor.prediction_count;
    tune_predictor_release(&it.predictor);
    free(it.measured);
    free(it.predicted);
    free(all);
    free(test);
    return good;
}

void tune_result_release(struct tune_result *r)
{
    free(r->untuned);
    free(r->tuned);
    free(r->held_out);
    free(r->train);
}

bool tune_goal_read(const char *text, enum tune_goal *out, struct error *err)
{
    static const char *const names[] = {"mape", "pearson", "spearman"};

    for (unsigned i = 0; i < 3; i++)
        if (!strcmp(text, names[i])) {
            *out = (enum tune_goal)i;
            return true;
        }
    return error_set(err, "a goal is mape, pearson or spearman, not %.40s", text);
}
