/*
 * The crew: which workers are in the open window, and how they come and go.
 *
 * Windows are short, so that a worker enters and leaves them without the cores' lock. If a
 * window is expected, it waits a moment before it sleeps, as long as each has a host processor.
 */
#ifndef RUNTIME_GPU_SHADER_CREW_H
#define RUNTIME_GPU_SHADER_CREW_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_cores;
struct gpu_worker;

enum { GPU_MAX_WORKERS = 1023 };

/* Opens a window for `workers` workers, when none is in a window. It begins a step, or continues
 * it. The caller's writes are visible to the workers that enter. */
void gpu_crew_open(struct gpu_cores *c, unsigned workers);
/* Ends the step, when no worker is in a window. `soon`: another step is expected at once. */
void gpu_crew_end(struct gpu_cores *c, bool soon);
/* Waits until the crew is idle. */
void gpu_crew_await(struct gpu_cores *c);
/* Wakes the thread that waits for the crew: the step ends soon. For workers that find no more
 * groups in its last window. */
void gpu_crew_announce_end(struct gpu_cores *c);
/* Waits until a window is open that the worker has not been in, and enters it. false: the cores are
 * being freed. */
bool gpu_crew_enter(struct gpu_worker *k);
/* Leaves the window when no groups are left in it. true: no worker is in the window any more, and
 * none can enter it. The caller alone may then open the next window or end the step, and sees what
 * all workers wrote. */
bool gpu_crew_leave(struct gpu_worker *k);

/* The following functions are called under the cores' lock. */

/* Notes that a worker in the window sleeps until others wake it. */
void gpu_crew_sleep(struct gpu_cores *c);
/* Notes that `workers` sleeping workers of the window are woken. */
void gpu_crew_wake(struct gpu_cores *c, unsigned workers);
/* Whether the step has ended, or all workers in the window sleep and no other enters it. */
bool gpu_crew_is_idle(const struct gpu_cores *c);

/* ---- waiting without sleep ------------------------------------------------------------------- */

/* A time to wait without sleep: about what it takes to sleep and be woken. */
struct gpu_moment {
    uint64_t end; /* ns of the host's clock; 0: the moment is over */
    unsigned looks;
};

/* Begins a moment. It is over at once if the workers share processors. */
struct gpu_moment gpu_moment_begin(const struct gpu_cores *c);
/* Waits for some nanoseconds. false: the moment is over. */
bool gpu_moment_lasts(struct gpu_moment *m);

#endif
