/*
 * Traces of the shader cores' execution for time models (runtime/timing/trace.h). A traced
 * work-group has a writer for each of its rows, so that any number of host threads can run groups;
 * the trace is the same for all of them. Untraced execution has no cost.
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

/* Receives each job that has ended. The job is valid during the call only. */
typedef void gpu_timing_sink(void *opaque, const struct timing_job *job);

/* Traces jobs that begin from now on: at most `most_groups` work-groups per job (0: all), chosen by
 * timing_sample_step(). `sink` is called as long as the cores exist, by the thread that steps
 * jobs. */
void gpu_cores_timing(struct gpu_cores *c, uint64_t most_groups, gpu_timing_sink *sink,
                      void *opaque);
/* Gives each job to another sink as well, after the first. Traces must be on. */
void gpu_cores_timing_also(struct gpu_cores *c, gpu_timing_sink *sink, void *opaque);
/*
 * The size of a thin sample of large jobs. Let N be the number of groups that fit on the GPU at
 * once, and B the number of groups whose warps execute `bundles` bundles. A job of G groups has
 * max(G / share, min(G / least_share, B)) traced groups, but at least N and at most turns * N.
 * While B is not known, the maximum is G / share.
 */
struct gpu_timing_thin {
    unsigned share, least_share, turns;
    uint64_t bundles;
};
/* Traces a thin sample of jobs, of at most the `most_groups` of gpu_cores_timing(). The groups of a
 * sample are adjacent: one block in the middle of the job, or several blocks of at least 4 * N
 * groups, evenly spaced. Traces must be on. */
void gpu_cores_timing_thin(struct gpu_cores *c, const struct gpu_timing_thin *thin);
void gpu_timing_free(struct gpu_timing *t);
/* Bounds the bytes of a job's trace. Default GPU_TRACE_BYTES. */
void gpu_timing_set_room(struct gpu_timing *t, size_t bytes);

/* ---- called by the cores --------------------------------------------------------------------- */

/* Begins the trace of a job, if traces are wanted. */
void gpu_timing_job_begin(struct gpu_compute *job);
/* Ends the trace of a job that ended for any reason. Further calls have no effect. */
void gpu_timing_job_end(struct gpu_compute *job);
void gpu_timing_group_begin(const struct gpu_compute *job, struct gpu_group *g);
void gpu_timing_group_end(struct gpu_worker *k, struct gpu_group *g);
/* Called after a window. If the trace has become too large, the last of the window's unfinished
 * groups are removed from it and continue untraced. The choice depends on the groups' execution,
 * not on the number of threads. */
void gpu_timing_window_end(struct gpu_compute *job);
/* Drops the trace of an unfinished group that does not continue. */
void gpu_timing_group_drop(struct gpu_cores *c, struct gpu_group *g);
/* The description of a bundle in a trace. */
struct timing_bundle gpu_timing_bundle_of(const struct gpu_code *c);
/* Traces an executed bundle. */
void gpu_timing_bundle(struct gpu_worker *k, const struct gpu_warp *w, const struct gpu_code *code);
/* Called before host code runs for `rounds` rounds; returns for how many it may run.
 * gpu_timing_after_trace() is called after it with its return value. */
uint64_t gpu_timing_before_trace(struct gpu_worker *k, const struct gpu_trace *t, uint64_t rounds);
void gpu_timing_after_trace(struct gpu_worker *k, const struct gpu_warp *w,
                            const struct gpu_trace *t, uint64_t done);
/* Traces an access of the current bundle; `kind` is one of the three reads. */
void gpu_timing_access(struct gpu_worker *k, const struct gpu_warp *w, uint64_t va, unsigned bytes,
                       enum gpu_access access, enum gpu_access_counter kind);

#endif
