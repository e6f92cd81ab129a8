/* Which rows are trained on, and which fold each is in. */
#ifndef RUNTIME_TIMING_TUNE_CHOOSE_H
#define RUNTIME_TIMING_TUNE_CHOOSE_H

#include "runtime/timing/tune/predict.h"

/* Sets train[]: as the table says, a share by the seed, or those that are most unlike each other. */
bool tune_choose_train(const struct tune_predictor *p, bool *train, struct error *err);
/* Sets fold[] of the rows of train[]: a number below *folds, which is at most the number of rows. */
void tune_choose_folds(const struct tune_options *o, const bool *train, size_t rows, unsigned *fold,
                       unsigned *folds);

#endif
