/* Selects the training rows and the fold of each. */
#ifndef RUNTIME_TIMING_TUNE_CHOOSE_H
#define RUNTIME_TIMING_TUNE_CHOOSE_H

#include "runtime/timing/tune/predict.h"

/* Sets train[] by the table, by a random share from the seed, or to the most dissimilar rows. */
bool tune_choose_train(const struct tune_predictor *p, bool *train, struct error *err);
/* Sets fold[] of the training rows to numbers below *folds, which is at most the number of rows. */
void tune_choose_folds(const struct tune_options *o, const bool *train, size_t rows, unsigned *fold,
                       unsigned *folds);

#endif
