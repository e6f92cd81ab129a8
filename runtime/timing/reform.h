/*
 * Forms warps of another width from a trace (seed 002, 5.3.5.3). The threads of each work-group are
 * divided anew, in their order. In a new warp the lanes at the lowest address run first, as on the
 * GPU that made the trace. The result is therefore the trace of a GPU with warps of that width,
 * unless the program depends on the width, or on the order of its warps.
 */
#ifndef RUNTIME_TIMING_REFORM_H
#define RUNTIME_TIMING_REFORM_H

#include "runtime/timing/trace.h"

/* Makes *out from `job`, which has passed timing_job_check(), with warps of `width` lanes, 1 to
 * TIMING_ROW_LANES. The caller releases *out. false: *err has the reason, and *out is empty. */
bool timing_job_reform(const struct timing_job *job, unsigned width, struct timing_job *out,
                       struct error *err);

#endif
