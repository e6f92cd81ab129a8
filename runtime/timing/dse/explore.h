/* Predicts what is not known yet of a space, and writes what is known. */
#ifndef RUNTIME_TIMING_DSE_EXPLORE_H
#define RUNTIME_TIMING_DSE_EXPLORE_H

#include "runtime/timing/dse/space.h"

/* A process of several that share the work and the folder. */
struct dse_worker {
    unsigned number, count;
    unsigned threads;
    double progress; /* seconds from one line of it to the next, worker 0 only; 0: none */
    /* Returns when all workers have come here: whether all came with `good`. */
    bool (*meet)(const void *opaque, bool good);
    const void *opaque;
};

/* This worker's share of what is not in the folder yet. */
bool dse_explore(const struct dse_space *s, const char *folder, const struct dse_worker *w,
                 struct error *err);

/* Writes points.csv, results.csv and results.sqlite of a folder in which nothing is missing. */
bool dse_write(const struct dse_space *s, const char *folder, struct error *err);

#endif
