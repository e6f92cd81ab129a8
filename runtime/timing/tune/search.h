/*
 * Minimises a function of several numbers, each on a grid of its own. No search uses random
 * numbers: the same function gives the same point.
 *
 *     TUNE_BINARY   as seed 002, 5.3.1.3: one number at a time, that with the largest range first,
 *                   by halving its range; then all of them again, until none changes
 *     TUNE_DIRECT   all numbers at once: DIRECT-L over the whole space, BOBYQA on the smooth
 *                   function from the best point; then, until nothing improves, Subplex from
 *                   there (all of NLopt) and single steps
 */
#ifndef RUNTIME_TIMING_TUNE_SEARCH_H
#define RUNTIME_TIMING_TUNE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

enum { TUNE_AXES = 16 };

enum tune_search { TUNE_BINARY, TUNE_DIRECT };

/* least, least + step, … most */
struct tune_axis {
    char name[40];
    double least, most, step;
};

/* The index of each number on its axis. */
struct tune_point {
    uint32_t at[TUNE_AXES];
};

struct tune_problem {
    const struct tune_axis *axes;
    size_t count;
    /*
     * Computes the function to minimise, and a smooth one with a nearby minimum, which is easier to
     * follow. false: *err has the error, and the search ends.
     */
    bool (*value)(void *opaque, const struct tune_point *p, double *out, double *smooth,
                  struct error *err);
    void *opaque;
    unsigned rounds;      /* TUNE_BINARY: most passes through all axes */
    unsigned evaluations; /* TUNE_DIRECT: half of them for DIRECT-L, a quarter per use of Subplex */
};

/* Reads "NAME=LEAST:MOST" or "NAME=LEAST:MOST:STEP" (default step: 1). */
bool tune_axis_read(struct tune_axis *a, const char *text, struct error *err);
/* Number of grid points of an axis; and the index of the nearest one. */
uint32_t tune_axis_count(const struct tune_axis *a);
uint32_t tune_axis_nearest(const struct tune_axis *a, double value);
double tune_axis_value(const struct tune_axis *a, uint32_t at);

/* Reads "binary" or "direct". */
bool tune_search_read(const char *text, enum tune_search *out, struct error *err);
/* Searches from *p, which becomes the best point found; *value becomes its value. */
bool tune_search(const struct tune_problem *t, enum tune_search how, struct tune_point *p,
                 double *value, struct error *err);

#endif
