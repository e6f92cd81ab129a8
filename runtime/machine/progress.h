/* The line that shows on a terminal how far a long GPU job is. */
#ifndef RUNTIME_MACHINE_PROGRESS_H
#define RUNTIME_MACHINE_PROGRESS_H

#include <stdint.h>

#include "runtime/gpu/observer.h"

enum { PROGRESS_LINE = 120 };

struct progress {
    uint64_t begun_ns; /* host time of the job's first step; 0: no job runs */
    uint64_t shown_ns; /* when the line was last written; 0: there is none */
    uint64_t first;    /* work-groups that had begun by the first step */
};

/*
 * A step of a job at host time `now`, over 0. Writes the line into `text` of PROGRESS_LINE bytes,
 * if it is due: jobs that take less than two seconds show none, others one every half second.
 */
bool progress_step(struct progress *p, const struct gpu_job_shape *job, uint64_t now, char *text);
/* A job has ended; whether its line is to be removed. */
bool progress_end(struct progress *p);

#endif
