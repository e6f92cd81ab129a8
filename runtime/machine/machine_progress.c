/* Shows how far a long GPU job is, where standard error is a terminal. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "runtime/machine/machine.h"
#include "runtime/machine/progress.h"

struct machine_progress {
    struct gpu_observer observer;
    struct progress progress;
};

static void note_step(void *opaque, const struct gpu_job_shape *job)
{
    struct machine_progress *p = opaque;
    char text[PROGRESS_LINE];
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (progress_step(&p->progress, job, (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec,
                      text))
        fprintf(stderr, "\r%s\033[K", text);
}

static void end_job(void *opaque, const struct gpu_job_note *job)
{
    struct machine_progress *p = opaque;

    (void)job;
    if (progress_end(&p->progress))
        fputs("\r\033[K", stderr);
}

void machine_open_progress(struct machine *m)
{
    struct machine_progress *p;

    if (!isatty(STDERR_FILENO))
        return;
    p = xcalloc(1, sizeof(*p));
    p->observer = (struct gpu_observer){m->gpu.observers, p, .job = end_job, .progress = note_step};
    m->gpu.observers = &p->observer;
    m->progress = p;
}

void machine_free_progress(struct machine *m)
{
    free(m->progress);
}
