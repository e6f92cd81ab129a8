/*
 * Jobs side by side: lanes with cores of their own, each of which runs its jobs one after the other,
 * and again from the first until every lane has run all of its own once. The lanes share L2 and
 * memory; their addresses are those of separate address spaces.
 */
#ifndef RUNTIME_TIMING_BESIDE_H
#define RUNTIME_TIMING_BESIDE_H

#include <stddef.h>

#include "runtime/timing/model.h"

enum { TIMING_LANES = 16 };

struct timing_lane {
    const struct timing_job *jobs; /* that passed timing_job_check() */
    size_t count;                  /* number of them, at least 1 */
    unsigned cores;
    /* What comes of it: passes through all jobs, and their ticks together. A job of which the trace
     * holds a sample counts with the ticks of all its groups. */
    uint64_t passes, ticks;
};

/* Runs the lanes on the detailed model; their cores need not be all of the shape's. false: *err has
 * the reason. */
bool timing_run_beside(const struct timing_params *p, const struct timing_shape *shape,
                       struct timing_lane *lanes, size_t count, struct error *err);

#endif
