/*
 * The least value of a function of some numbers, each on a grid of its own. No search draws random numbers: the
 * same function gives the same point.
 *
 *     TUNE_BINARY   as seed 002, 5.3.1.3: one number at a time, the one of the largest range first, by halving
 *                   its range; then all of them again, until none changes
 *     TUNE_DIRECT   all numbers at once: DIRECT-L over the whole space, BOBYQA on what is smooth from the best point;
 *                   then, until nothing is better, Subplex from there (all of NLopt) and steps of one
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

/* Which of its axis' numbers each is. */
struct tune_point {
    uint32_t at[TUNE_AXES];
};

struct tune_problem {
    const struct tune_axis *axes;
    size_t count;
    /*
     * What is to be least, and something with its least value nearby but without corners, which is easier to
     * follow. false: it cannot be said, *err says why, and the search ends.
     */
    bool (*value)(void *opaque, const struct tune_point *p, double *out, double *smooth,
                  struct error *err);
    void *opaque;
    unsigned rounds; /* TUNE_BINARY: at most so many times through all axes */
    unsigned
        evaluations; /* TUNE_DIRECT: half of them for DIRECT-L, a quarter each time for Subplex */
};

/* Reads "NAME=LEAST:MOST" or "NAME=LEAST:MOST:STEP" (else 1). */
bool tune_axis_read(struct tune_axis *a, const char *text, struct error *err);
/* How many numbers an axis has, and which is nearest. */
uint32_t tune_axis_count(const struct tune_axis *a);
uint32_t tune_axis_nearest(const struct tune_axis *a, double value);
double tune_axis_value(const struct tune_axis *a, uint32_t at);

/* Reads "binary" or "direct". */
bool tune_search_read(const char *text, enum tune_search *out, struct error *err);
/* From *p on; leaves the best point that was seen there, and its value. */
bool tune_search(const struct tune_problem *t, enum tune_search how, struct tune_point *p,
                 double *value, struct error *err);

#endif
