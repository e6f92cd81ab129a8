/* Statistics of predictions against measurements. Arrays have n numbers each. */
#ifndef RUNTIME_TIMING_TUNE_STATISTICS_H
#define RUNTIME_TIMING_TUNE_STATISTICS_H

#include <stddef.h>

/* Mean absolute percent error: 100 / n * sum |measured - predicted| / measured. Measurements must
 * be above 0. */
double tune_mape(const double *measured, const double *predicted, size_t n);
/* Pearson's correlation; NAN where one side does not vary, or n < 2. */
double tune_pearson(const double *a, const double *b, size_t n);
/* Spearman's: Pearson's of the ranks, equal numbers having their ranks' mean. */
double tune_spearman(const double *a, const double *b, size_t n);
/* The ranks of n numbers, from 1 on. */
void tune_ranks(const double *a, double *ranks, size_t n);
/* The factor on all predictions that minimises the MAPE: a weighted median of measured /
 * predicted. */
double tune_best_scale(const double *measured, const double *predicted, size_t n);

#endif
