/* Between cores.c and window.c: the groups of a job that run before virtual time passes. */
#ifndef RUNTIME_GPU_SHADER_WINDOW_H
#define RUNTIME_GPU_SHADER_WINDOW_H

#include "runtime/gpu/shader/core.h"

/* ---- for who opens and closes windows; no worker runs groups ----------------------------------- */

void gpu_window_init(struct gpu_window *w);
/* Chooses the groups of the next window. */
void gpu_window_open(struct gpu_compute *job);
/* All groups have ended or spent their budget: returns the cycles that the window took. */
uint64_t gpu_window_close(struct gpu_compute *job);
/* Drops the groups that would go on. */
void gpu_window_release(struct gpu_compute *job);
/* Memory that a group of the job may need, as GPU_GROUPS_BYTES counts it. */
uint64_t gpu_window_group_bytes(const struct gpu_compute *job);

/* ---- for workers ------------------------------------------------------------------------------ */

/* Before the first group of a window. */
void gpu_window_enter(struct gpu_worker *k);
/* The next group; its place in the window is k->place. NULL: all are taken. */
struct gpu_group *gpu_window_take(struct gpu_worker *k);
/* The group has run: what it did is added up. One that has ended is the worker's again. */
void gpu_window_put(struct gpu_worker *k, struct gpu_group *g);

#endif
