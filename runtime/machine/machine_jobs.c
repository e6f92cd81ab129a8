/* Keeps the GPU's jobs that ended last, for the monitor's `gpu jobs`. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/gpu/observer.h"
#include "runtime/machine/kernel_names.h"
#include "runtime/machine/machine.h"

enum { KEPT = 64 }; /* jobs */

struct machine_jobs {
    struct gpu_observer observer;
    struct gpu_job_note notes[KEPT]; /* number n is at n % KEPT; `as` is not to be used */
    uint64_t count;                  /* jobs so far */
};

static void keep_job(void *opaque, const struct gpu_job_note *job)
{
    struct machine_jobs *j = opaque;

    j->notes[j->count++ % KEPT] = *job;
}

/* Whether a monitor or debugger can request jobs. Without one there is no observer, since kernels
 * are hashed for observers, which costs time. */
static bool may_be_asked(const struct options *o)
{
    return o->gdb || (o->monitor ? strcmp(o->monitor, "none") != 0 : isatty(STDIN_FILENO));
}

void machine_open_jobs(struct machine *m)
{
    struct machine_jobs *j;

    if (!may_be_asked(m->options))
        return;
    j = xcalloc(1, sizeof(*j));
    j->observer = (struct gpu_observer){m->gpu.observers, j, .job = keep_job};
    m->gpu.observers = &j->observer;
    m->jobs = j;
}

void machine_free_jobs(struct machine *m)
{
    free(m->jobs);
}

void machine_print_jobs(const struct machine *m, uint64_t count, FILE *out)
{
    const struct machine_jobs *j = m->jobs;
    char text[GPU_JOB_TEXT];
    uint64_t there;

    if (!j || !j->count) {
        fprintf(out, "no job has ended yet\n");
        return;
    }
    there = j->count < KEPT ? j->count : KEPT;
    for (uint64_t n = j->count - (count < there ? count : there); n < j->count; n++) {
        const struct gpu_job_note *note = &j->notes[n % KEPT];

        gpu_job_describe(note, note->hash && m->names ? kernel_name(m->names, note->hash) : NULL,
                         text);
        fprintf(out, "job %" PRIu64 ": %s\n", n + 1, text);
    }
}
