/*
 * Jobs side by side, in lanes. Each lane has cores of its own and runs its jobs one after the
 * other. It repeats them until every lane has run all of its jobs at least once. The lanes share L2
 * and memory, but not data: their addresses are those of separate address spaces.
 */
#ifndef RUNTIME_TIMING_BESIDE_H
#define RUNTIME_TIMING_BESIDE_H

#include <stddef.h>

#include "runtime/timing/model.h"

enum { TIMING_LANES = 16 };

/* A lane: its jobs, the number of its cores, and the results of a run. */
struct timing_lane {
    const struct timing_job *jobs; /* jobs that passed timing_job_check() */
    size_t count;                  /* number of jobs, at least 1 */
    unsigned cores;                /* at least 1 */
    /* Results: completed passes through all jobs, and the sum of the passes' ticks. A job whose
     * trace is a sample of its groups counts with the ticks of all its groups. */
    uint64_t passes, ticks;
};

/* Runs 1 to TIMING_LANES lanes on the detailed model. Together they have at most shape->cores
 * cores. false: *err has the reason. */
bool timing_run_beside(const struct timing_params *p, const struct timing_shape *shape,
                       struct timing_lane *lanes, size_t count, struct error *err);

#endif
