/* A search under way: the best point so far, and how values come about. */
#ifndef RUNTIME_TIMING_TUNE_SEARCH_INTERNAL_H
#define RUNTIME_TIMING_TUNE_SEARCH_INTERNAL_H

#include "runtime/timing/tune/search.h"

struct tune_progress {
    const struct tune_problem *problem;
    struct tune_point best;
    double least;
    bool smooth; /* that is what counts now */
    bool failed;
    struct error *err;
};

/* The value there; infinite once one could not be said. */
double tune_progress_value(struct tune_progress *s, const struct tune_point *p);
/* By NLopt: DIRECT-L over the whole space; from the best point BOBYQA on what is smooth, and Subplex. */
bool tune_search_globally(struct tune_progress *s, unsigned evaluations);
bool tune_search_smoothly(struct tune_progress *s, unsigned evaluations);
bool tune_search_locally(struct tune_progress *s, unsigned evaluations);

#endif
