/*
 * What the shader cores execute, as a trace for time models (runtime/timing/trace.h). A work-group that is traced has
 * a writer for each of its rows, so that any number of host threads can run groups; the trace is the same for all
 * of them. Nothing of this costs anything when it is not asked for.
 */
#ifndef RUNTIME_GPU_TIMING_CAPTURE_H
#define RUNTIME_GPU_TIMING_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/gpu/compute.h"
#include "runtime/gpu/stats.h"
#include "runtime/timing/trace.h"

struct gpu_code;
struct gpu_group;
struct gpu_job_trace;
struct gpu_timing;
struct gpu_trace;
struct gpu_warp;
struct gpu_worker;

/* Is given each job that ended, and may keep nothing of it. */
typedef void gpu_timing_sink(void *opaque, const struct timing_job *job);

/* Traces jobs that begin from now on: of each at most so many work-groups (0: all), as timing_sample_step() chooses
 * them. `sink` is called as long as the cores are there, by the thread that steps jobs. */
void gpu_cores_timing(struct gpu_cores *c, uint64_t most_groups, gpu_timing_sink *sink,
                      void *opaque);
void gpu_timing_free(struct gpu_timing *t);
/* Bytes that a job's trace may come to. Default GPU_TRACE_BYTES. */
void gpu_timing_set_room(struct gpu_timing *t, size_t bytes);

/* ---- called by the cores ---------------------------------------------------------------------- */

void gpu_timing_job_begin(struct gpu_compute *job);
/* It has ended, however it did; once is enough. */
void gpu_timing_job_end(struct gpu_compute *job);
void gpu_timing_group_begin(const struct gpu_compute *job, struct gpu_group *g);
void gpu_timing_group_end(struct gpu_worker *k, struct gpu_group *g);
/* A window has been run, and its groups that go on stand in it. If the trace has become too large, the last of them are left out
 * of it and go on untraced. That depends on what they did, not on the number of threads. */
void gpu_timing_window_end(struct gpu_compute *job);
/* The group will not go on. */
void gpu_timing_group_drop(struct gpu_cores *c, struct gpu_group *g);
/* What a trace says of a bundle. */
struct timing_bundle gpu_timing_bundle_of(const struct gpu_code *c);
/* The bundle was executed. */
void gpu_timing_bundle(struct gpu_worker *k, const struct gpu_warp *w, const struct gpu_code *code);
/* Host code is about to run, for so many rounds; returns for how many it may. Then it has: what it returned. */
uint64_t gpu_timing_before_trace(struct gpu_worker *k, const struct gpu_trace *t, uint64_t rounds);
void gpu_timing_after_trace(struct gpu_worker *k, const struct gpu_warp *w,
                            const struct gpu_trace *t, uint64_t done);
/* It is being executed, and touches memory; `kind` is one of the three reads. */
void gpu_timing_access(struct gpu_worker *k, const struct gpu_warp *w, uint64_t va, unsigned bytes,
                       enum gpu_access access, enum gpu_access_counter kind);

#endif
