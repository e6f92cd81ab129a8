/* Predicts the missing points of a space, and writes the results. */
#ifndef RUNTIME_TIMING_DSE_EXPLORE_H
#define RUNTIME_TIMING_DSE_EXPLORE_H

#include "runtime/timing/dse/space.h"

/* A process that shares the work and the folder with others. */
struct dse_worker {
    unsigned number, count;
    unsigned threads;
    double progress; /* seconds between progress lines, of worker 0 only; 0: none */
    /* A barrier of all workers. Returns whether all of them passed `good`. */
    bool (*meet)(const void *opaque, bool good);
    const void *opaque;
};

/* Predicts this worker's share of the results that the folder lacks. */
bool dse_explore(const struct dse_space *s, const char *folder, const struct dse_worker *w,
                 struct error *err);

/* Writes points.csv, results.csv and results.sqlite of a complete folder. */
bool dse_write(const struct dse_space *s, const char *folder, struct error *err);

#endif
