/* The state of a search: the best point so far, and the function's evaluation. */
#ifndef RUNTIME_TIMING_TUNE_SEARCH_INTERNAL_H
#define RUNTIME_TIMING_TUNE_SEARCH_INTERNAL_H

#include "runtime/timing/tune/search.h"

struct tune_progress {
    const struct tune_problem *problem;
    struct tune_point best;
    double least;
    bool smooth; /* the smooth function is minimised now */
    bool failed;
    struct error *err;
};

/* The function's value at a point; infinite after an error. */
double tune_progress_value(struct tune_progress *s, const struct tune_point *p);
/* Searches by NLopt: DIRECT-L over the whole space; from the best point BOBYQA on the smooth
 * function, and Subplex. */
bool tune_search_globally(struct tune_progress *s, unsigned evaluations);
bool tune_search_smoothly(struct tune_progress *s, unsigned evaluations);
bool tune_search_locally(struct tune_progress *s, unsigned evaluations);

#endif
