/* The line that shows how far a long GPU job is. */
#include "runtime/machine/progress.h"

#include <inttypes.h>
#include <stdio.h>

#include "runtime/time/clock.h"

#define QUIET_NS  (2 * NS_PER_SEC) /* from a job's beginning to its first line */
#define PERIOD_NS (NS_PER_SEC / 2)

bool progress_step(struct progress *p, const struct gpu_job_shape *job, uint64_t now, char *text)
{
    uint64_t rate;

    if (!p->begun_ns) {
        *p = (struct progress){.begun_ns = now, .first = job->begun};
        return false;
    }
    if (now - p->begun_ns < QUIET_NS || (p->shown_ns && now - p->shown_ns < PERIOD_NS))
        return false;
    p->shown_ns = now;
    rate = (uint64_t)((double)(job->begun - p->first) * 1e9 / (double)(now - p->begun_ns));
    snprintf(text, PROGRESS_LINE,
             "gpu: %" PRIu64 " of %" PRIu64 " work-groups (%" PRIu64 " %%), %" PRIu64 " a second",
             job->begun, job->total, job->total ? job->begun * 100 / job->total : 0, rate);
    return true;
}

bool progress_end(struct progress *p)
{
    bool shown = p->shown_ns != 0;

    *p = (struct progress){0};
    return shown;
}
