/*
 * Tunes parameters of a time model to a table of measured times. Each prediction is made once and kept, for all
 * searches; host threads share the rows, and results do not depend on how many there are.
 */
#ifndef RUNTIME_TIMING_TUNE_TUNER_H
#define RUNTIME_TIMING_TUNE_TUNER_H

#include "runtime/timing/tune/search.h"
#include "runtime/timing/tune/table.h"

/* What is to be best, of the rows that are trained on. */
enum tune_goal { TUNE_MAPE, TUNE_PEARSON, TUNE_SPEARMAN };

struct tune_options {
    struct timing_params params; /* where the search begins, and what it does not change */
    struct timing_shape shape;
    enum timing_fidelity fidelity;
    struct tune_axis axes[TUNE_AXES];
    size_t axis_count;
    enum tune_search search;
    enum tune_goal goal;
    bool scale; /* one factor on all predictions, too, the one of the least MAPE */
    uint64_t rounds, evaluations, threads;
    uint64_t folds;        /* of the cross-validation; 0: none; at most as many as rows */
    bool leave_one_out;    /* as many as rows */
    uint64_t test_percent; /* of the rows without a set */
    uint64_t subset;       /* train on so many that are most unlike each other; 0: on all */
    uint64_t seed;         /* of which rows are test rows, and which are in a fold */
};

struct tune_quality {
    double mape, pearson, spearman;
    size_t rows;
};

/* A model: parameters, and the factor. */
struct tune_model {
    struct tune_point point;
    double scale;
};

struct tune_result {
    struct tune_model model;
    double *before, *tuned; /* a prediction each row; without what is tuned, with it */
    double *left_out;       /* by a model that was tuned without the row; NAN where there is none */
    bool *train;
    struct tune_quality before_train, before_test, train_quality, test_quality, left_quality;
    uint64_t searches, predictions; /* that were made; of a row each */
};

/* Reads "mape", "pearson" or "spearman". */
bool tune_goal_read(const char *text, enum tune_goal *out, struct error *err);

/* false: *err says why there is no result. */
bool tune_run(const struct tune_table *t, const struct tune_options *o, struct tune_result *r,
              struct error *err);
void tune_result_release(struct tune_result *r);

/* For people; a table of all rows in CSV; lines for the GPU's description. */
void tune_print(const struct tune_table *t, const struct tune_options *o,
                const struct tune_result *r, FILE *out);
void tune_print_csv(const struct tune_table *t, const struct tune_result *r, FILE *out);
void tune_print_description(const struct tune_options *o, const struct tune_result *r,
                            const char *table, FILE *out);

#endif
