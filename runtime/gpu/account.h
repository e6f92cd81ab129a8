/*
 * What each job executed, for reports: executions of its bundles, and the ways that warps took from
 * bundle to bundle. All numbers are exact and do not depend on host threads or host code.
 *
 * A warp whose lanes continue at several addresses takes several ways at once. So the lanes of all
 * ways out of a bundle are those that executed it; its warps may be fewer than those of its ways.
 * Where threads are scalar, a row is counted as one warp.
 */
#ifndef RUNTIME_GPU_ACCOUNT_H
#define RUNTIME_GPU_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/gpu/stats.h"

struct gpu_address_space;
struct gpu_compute_job;
struct gpu_cores;
struct gpu_decoder;

/* In place of an address: the start and the end of lanes. A faulting lane ends. */
#define GPU_WAY_START (UINT64_MAX - 1)
#define GPU_WAY_END   UINT64_MAX

struct gpu_account_bundle {
    uint64_t address;
    uint32_t bytes; /* size in memory */
    const struct gpu_profile *profile;
    struct gpu_bundle_count count;
    uint64_t divergent; /* executions by warps whose lanes diverged behind it */
};

struct gpu_account_way {
    uint64_t from, to; /* addresses of bundles */
    struct gpu_bundle_count count;
    uint64_t divergent; /* warps whose other lanes took another way */
};

/* A job that has ended. */
struct gpu_account {
    const struct gpu_compute_job *job;
    const struct gpu_decoder *decoder; /* decoder of the cores that ran the job */
    const struct gpu_address_space *as;
    const struct gpu_counters *counters;
    const struct gpu_shader_summary *summary; /* not known: gpu_cores_describe_shaders() is off */
    struct gpu_account_bundle *bundles;       /* executed bundles by address */
    size_t bundle_count;
    struct gpu_account_way *ways; /* by `from`, then `to` */
    size_t way_count;
};

/* Functions that the thread that steps jobs calls. What they receive is valid during the call. */
struct gpu_account_sink {
    /* A job begins; may be NULL. */
    void (*begin)(void *opaque, const struct gpu_compute_job *job,
                  const struct gpu_address_space *as);
    /* A job has ended. */
    void (*end)(void *opaque, const struct gpu_account *job);
    void *opaque;
};

/* Accounts for jobs that begin from now on. It is called before any job has begun. */
void gpu_cores_account(struct gpu_cores *c, const struct gpu_account_sink *sink);

#endif
