/* Interface between cores.c and window.c: the groups of a job that run before virtual time
 * passes. */
#ifndef RUNTIME_GPU_SHADER_WINDOW_H
#define RUNTIME_GPU_SHADER_WINDOW_H

#include "runtime/gpu/shader/core.h"

/* ---- opening and closing windows; no worker runs groups -------------------------------------- */

/* Makes an empty window with one part. */
void gpu_window_init(struct gpu_window *w);
/* Chooses the groups of the next window; there are some. */
void gpu_window_open(struct gpu_compute *job);
/* Closes a window whose groups have all ended or spent their budget. Returns the cycles that it
 * took. */
uint64_t gpu_window_close(struct gpu_compute *job);
/* Gives the job, which has not begun, `count` unfinished groups by increasing index. Of *saved, it
 * takes what bounds the next window. */
void gpu_window_restore(struct gpu_compute *job, struct gpu_group *const *groups, unsigned count,
                        const struct gpu_window *saved);
/* Frees the unfinished groups. */
void gpu_window_release(struct gpu_compute *job);
/* Number of parts of GPU_WINDOW_GROUPS groups, or of fewer in the last one. */
unsigned gpu_window_parts(const struct gpu_window *w);
/* Memory that a group of the job may need, in the terms of GPU_GROUPS_BYTES. */
uint64_t gpu_window_group_bytes(const struct gpu_compute *job);

/* Whether each group of the job ends in the window in which it begins. No worker runs groups. */
bool gpu_groups_surely_end(struct gpu_compute *job);

/* Most bundles that such a group executes. */
uint64_t gpu_group_bundles(const struct gpu_compute *job);

/* ---- for workers ----------------------------------------------------------------------------- */

/* Prepares the worker for its first group of a window. */
void gpu_window_enter(struct gpu_worker *k);
/* The next group, whose place in the window becomes k->place. NULL: all are taken. */
struct gpu_group *gpu_window_take(struct gpu_worker *k);
/* A gpu_next_group_fn: the group at the next of the places that the worker took. */
bool gpu_window_next(struct gpu_worker *k, struct gpu_group *g);
/* Takes places of the worker's own share, or else of the share that has the most left, in a window
 * with shares: they are k->place to k->places_end - 1. false: none are left. */
bool gpu_share_take(struct gpu_worker *k);
/* Adds up the counts of a group that has run. A group that has ended is recycled. */
void gpu_window_put(struct gpu_worker *k, struct gpu_group *g);
/* Adds what the worker's groups took to the window's counts, before it leaves. */
void gpu_window_add(struct gpu_worker *k);

#endif
