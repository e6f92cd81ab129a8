/* The GPU's part of a timeline: job slots, their queues, interrupts, and work-groups on cores. */
#ifndef RUNTIME_MACHINE_GPU_TIMELINE_H
#define RUNTIME_MACHINE_GPU_TIMELINE_H

#include "runtime/gpu/observer.h"
#include "runtime/machine/timeline.h"
#include "runtime/time/clock.h"

struct gpu_timeline;

/* `t` and `clock` are borrowed. `name` returns a kernel's name by its hash, or NULL; it may be
 * NULL. */
struct gpu_timeline *gpu_timeline_new(struct timeline *t, const struct clock *clock,
                                      const char *(*name)(void *opaque, uint64_t hash),
                                      void *opaque);
/* Shows the warps on engines, too, for the next `jobs` jobs for which a time model reports warps;
 * initially 0. */
void gpu_timeline_show_warps(struct gpu_timeline *g, uint64_t jobs);
/* Ends what has not ended. */
void gpu_timeline_finish(struct gpu_timeline *g);
void gpu_timeline_free(struct gpu_timeline *g);

/* To be put into a list of observers; valid as long as `g`. */
struct gpu_observer *gpu_timeline_observer(struct gpu_timeline *g);

#endif
