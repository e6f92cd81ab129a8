/* Predictions of all rows at points of the space; each is made once. */
#ifndef RUNTIME_TIMING_TUNE_PREDICT_H
#define RUNTIME_TIMING_TUNE_PREDICT_H

#include "runtime/timing/tune/tuner.h"

struct tune_known {
    struct tune_point point;
    double *rows; /* NAN: not predicted yet */
};

struct tune_predictor {
    const struct tune_table *table;
    const struct tune_options *options;
    VEC(struct tune_known) known;
    uint64_t prediction_count;
};

/* The predictions at a point, at least of the rows in `wanted`. They are valid until the next
 * call. */
const double *tune_predict(struct tune_predictor *p, const struct tune_point *at,
                           const bool *wanted, struct error *err);
void tune_predictor_release(struct tune_predictor *p);

/* Sets the parameters of a point. */
bool tune_settle(const struct tune_options *o, const struct tune_point *at, struct timing_params *p,
                 struct timing_shape *shape, struct error *err);

/* Features by which rows are compared: shares of the account, of misses, and sizes. */
enum { TUNE_FEATURES = TIMING_CAUSES + 4 };
/* Computes the features of a row. Returns false with *err if its job cannot be predicted. */
bool tune_features(const struct tune_predictor *p, size_t row, double *features, struct error *err);

#endif
