/*
 * Counts of the ways between bundles, for accounts of jobs (account.h). Most lanes continue at the
 * bundle that follows in memory. These are not counted: they are the executions of the bundle
 * without those that are counted here. Host code counts where lanes of a row part
 * (gpu_trace_way); elsewhere in a trace they stay together, so that its executions say it.
 */
#ifndef RUNTIME_GPU_SHADER_FLOW_H
#define RUNTIME_GPU_SHADER_FLOW_H

#include "runtime/gpu/account.h"
#include "runtime/gpu/shader/running.h"

struct gpu_flow_sum;

/* Executions of a bundle that continued at an address. */
struct gpu_way {
    uint64_t to;
    uint32_t from; /* index of the bundle */
    bool used;
    struct gpu_bundle_count count;
    uint64_t divergent; /* warps whose other lanes took another way */
};

/* A hash table. */
struct gpu_ways {
    struct gpu_way *way;
    size_t count, capacity;
    struct gpu_way *last; /* the way of the last look-up, often needed again; NULL: none */
};

/* A worker's counts of a window, in the unit of gpu_worker.counts. */
struct gpu_flow {
    uint64_t *left_counts; /* by index of the bundle: executions whose ways are counted */
    uint64_t *divergent;   /* by index: warps, in units of 1 */
    uint64_t *rounds;      /* by gpu_trace.place: rows that went back to the start of a loop */
    uint64_t rows;         /* rows that the worker had begun at the end of the last window */
    struct gpu_ways ways;
};

/* Counts of 0; to be freed with gpu_flow_free(). */
struct gpu_flow *gpu_flow_new(void);
void gpu_flow_free(struct gpu_flow *f);

/* Counts executions of a bundle, in the unit of gpu_worker.counts, that continued at `to`. */
void gpu_flow_add(struct gpu_flow *f, const struct gpu_code *code, uint64_t to, uint64_t count,
                  uint64_t divergent);
/* Counts the ways of a row behind a bundle at which it did not stay together: lanes of `going`
 * continue at their pc, the other active lanes have ended. `divergent` warps of it diverged. */
void gpu_flow_part(struct gpu_worker *k, const struct gpu_warp *w, const struct gpu_code *code,
                   uint32_t going, unsigned divergent);
/* Counts the ways in a trace, in the unit of gpu_worker.counts: reached[i] is the count of bundle
 * i, counts[i] that of way i behind a divergence. */
void gpu_flow_trace(struct gpu_flow *f, const struct gpu_trace *t, const uint64_t *reached,
                    const uint64_t *counts);

/* Prepares the sums of a job if jobs are accounted for. */
void gpu_flow_job_begin(struct gpu_compute *job);
/* Adds the counts of a worker's window to the job. It is called before the worker's counts are
 * cleared. */
void gpu_flow_collect(struct gpu_compute *job, struct gpu_worker *k);
/* Gives the account of a job that has ended to the sink. Without effect if there is none. */
void gpu_flow_job_end(struct gpu_compute *job);
void gpu_flow_sum_free(struct gpu_flow_sum *s);

#endif
