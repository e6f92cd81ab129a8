/*
 * Tunes parameters of a time model to a table of measured times. Each prediction is made once and
 * kept for all searches. Host threads share the rows; results do not depend on their number.
 */
#ifndef RUNTIME_TIMING_TUNE_TUNER_H
#define RUNTIME_TIMING_TUNE_TUNER_H

#include "runtime/timing/tune/search.h"
#include "runtime/timing/tune/table.h"

/* The statistic of the training rows that is optimised. */
enum tune_goal { TUNE_MAPE, TUNE_PEARSON, TUNE_SPEARMAN };

struct tune_options {
    /* start of the search, and the values of parameters that are not tuned */
    struct timing_params params;
    struct timing_shape shape;
    enum timing_fidelity fidelity;
    struct tune_axis axes[TUNE_AXES];
    size_t axis_count;
    enum tune_search search;
    enum tune_goal goal;
    bool scale; /* predictions also have a common factor, which minimises the MAPE */
    uint64_t rounds, evaluations, threads;
    uint64_t folds;        /* folds of the cross-validation, at most the number of rows; 0: none */
    bool leave_one_out;    /* every row is a fold */
    uint64_t test_percent; /* share of test rows among the rows without a set */
    uint64_t subset;       /* number of training rows, chosen as the most dissimilar; 0: all */
    uint64_t seed;         /* seed of the choice of test rows and folds */
};

struct tune_quality {
    double mape, pearson, spearman;
    size_t rows;
};

/* Parameters and the factor. */
struct tune_model {
    struct tune_point point;
    double scale;
};

struct tune_result {
    struct tune_model model;
    double *untuned, *tuned; /* predictions by row, without and with tuned parameters */
    double *held_out;        /* predictions by models tuned without the row; NAN: none */
    bool *train;
    struct tune_quality before_train, before_test, train_quality, test_quality, held_out_quality;
    uint64_t searches, predictions; /* number of searches, and of predictions of one row */
};

/* Reads "mape", "pearson" or "spearman". */
bool tune_goal_read(const char *text, enum tune_goal *out, struct error *err);

/* Tunes. false: *err has the reason for which there is no result. */
bool tune_run(const struct tune_table *t, const struct tune_options *o, struct tune_result *r,
              struct error *err);
void tune_result_release(struct tune_result *r);

/* Prints the result for people; tune_print_csv(): a table of all rows; tune_print_description():
 * lines for the GPU's description. */
void tune_print(const struct tune_table *t, const struct tune_options *o,
                const struct tune_result *r, FILE *out);
void tune_print_csv(const struct tune_table *t, const struct tune_result *r, FILE *out);
void tune_print_description(const struct tune_options *o, const struct tune_result *r,
                            const char *table, FILE *out);

#endif
