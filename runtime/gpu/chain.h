/*
 * Chains of jobs in GPU memory: job headers, each with the address of the next, whose jobs are
 * executed one after the other. A job slot runs a chain, and a memory snapshot holds one. This file
 * depends on no register and no clock.
 *
 * Jobs run strictly in the order of the chain. A job's dependencies name jobs before it, so they
 * and its barrier flag are satisfied when its turn comes. This holds as well for a chain that was
 * entered in its middle after a soft stop.
 *
 * A chain may be endless: headers may form a circle, and a shader may never end. A step is short
 * and takes GPU time. The caller of gpu_chain_step() bounds the time or the number of jobs, as
 * gpu_chain_run() does.
 *
 * A header is read when its job starts, not earlier, since an earlier job may write it. When a job
 * ends, its exception status is written to its header; if it failed, also the faulting address.
 */
#ifndef RUNTIME_GPU_CHAIN_H
#define RUNTIME_GPU_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/gpu/compute.h"

struct gpu_chain;
struct gpu_variant;
struct log;

/* Upper bound of job type numbers, for arrays by type. The header's field has 7 bits, but types
 * with a meaning are small. */
enum { GPU_CHAIN_TYPES = 16 };

/* Counts of executed jobs, summed over all chains that share the counters. */
struct gpu_chain_counters {
    uint64_t chains;                /* chains started */
    uint64_t jobs[GPU_CHAIN_TYPES]; /* jobs completed, by type (enum mali_job_type) */
    uint64_t failed;                /* jobs that ended with a fault */
    uint64_t stopped;               /* soft and hard stops */
    uint64_t page_faults;           /* number of times that a job waited for a page */
    uint64_t cycles;                /* GPU cycles of all chains */
};

/* A job that ends, as reported to job_end(). */
struct gpu_chain_job {
    uint64_t address;           /* address of its header */
    unsigned type;              /* enum mali_job_type */
    unsigned index;             /* index in the header */
    uint64_t next;              /* address of the next header, 0: none */
    uint32_t status;            /* exception code */
    uint64_t cycles;            /* GPU cycles of the job so far */
    struct gpu_job_shape shape; /* set if the job is a compute job */
    uint64_t cores; /* a compute job's shader cores, as bits of shader_present; 0: all */
};

/* Values that write-value jobs store. */
enum gpu_chain_clock {
    GPU_CHAIN_CYCLE_COUNT, /* cycle counter of the GPU */
    GPU_CHAIN_TIMESTAMP,   /* counter of the system */
};

/* The environment of chains. Its pointers must stay valid as long as the chains. */
struct gpu_chain_env {
    const struct gpu_variant *variant;
    struct gpu_cores *cores;             /* NULL: compute jobs fail */
    struct log *log;                     /* may be NULL */
    struct gpu_chain_counters *counters; /* may be NULL */

    /* Reads a clock; NULL: both read 0. */
    uint64_t (*clock)(void *opaque, enum gpu_chain_clock which);
    /* Writes a description of the jobs' owner, for the log. May be NULL. */
    void (*owner)(void *opaque, char *text, size_t size);
    /* Called when a job that had begun ends for any reason. May be NULL. */
    void (*job_end)(void *opaque, const struct gpu_chain_job *job);
    /* Chooses the shader cores of a compute job that begins. The result has bits of the variant's
     * shader_present. May be NULL: jobs get all cores. */
    uint64_t (*cores_of)(void *opaque, const struct gpu_chain_job *job);
    /* Writes back and invalidates the GPU's caches, for cache-flush jobs. May be NULL. */
    void (*flush)(void *opaque);
    void *opaque;
};

enum gpu_chain_progress {
    GPU_CHAIN_MORE,    /* step again after `cycles` have passed */
    GPU_CHAIN_DONE,    /* the last job of the chain is complete */
    GPU_CHAIN_STOPPED, /* soft stop: a new start at `tail` continues the chain */
    GPU_CHAIN_FAULT,   /* waits for a page: map the page of `fault` and step again, or cancel */
    GPU_CHAIN_FAILED,  /* a job failed with `code` */
};

struct gpu_chain_outcome {
    enum gpu_chain_progress progress;
    uint64_t cycles;        /* GPU cycles of this step */
    uint64_t tail;          /* header of the running or last job; STOPPED: of the next job */
    uint32_t code;          /* exception code, also of DONE and STOPPED */
    struct gpu_fault fault; /* FAULT */
    uint64_t address;       /* FAILED: the fault pointer of the job */
    uint32_t between;       /* 1: no job is running, and all results are in memory */
};

/* Flags of gpu_chain_start(). */
enum gpu_chain_flag {
    GPU_CHAIN_WRITE_BACK = 1, /* exception status is written to headers */
};

/* A new idle chain for one job slot. NULL: out of memory. `env` is copied. */
struct gpu_chain *gpu_chain_new(const struct gpu_chain_env *env);

/* Ends the running job (as gpu_chain_cancel() without its write-back) and frees the chain. NULL is
 * allowed. */
void gpu_chain_free(struct gpu_chain *c);

/*
 * Prepares to run the chain whose first header is at `head` (0: an empty chain, done at once).
 * Nothing is read yet. `types` has one bit per job type that may occur; others fail (0: all may).
 * `as` must stay valid until the chain ends. A chain that is running is dropped.
 */
void gpu_chain_start(struct gpu_chain *c, const struct gpu_address_space *as, uint64_t head,
                     uint32_t types, unsigned flags);

/*
 * Runs one step: a job starts, a compute job runs for one window, or a job ends. *out receives the
 * state of the chain; a chain that has ended returns its end again. Each step takes at least one
 * GPU cycle, and its work is bounded (runtime/gpu/shader/cores.c).
 */
void gpu_chain_step(struct gpu_chain *c, struct gpu_chain_outcome *out);

/* What is left of the bounds on several chains. */
struct gpu_chain_budget {
    uint64_t jobs;   /* jobs that may begin */
    uint64_t cycles; /* GPU cycles; a step that has begun may take more */
};

/*
 * Starts the chain at `head` and steps it until it ends, a page is missing, or the budget is spent.
 * Jobs and cycles are taken off *budget. In the last two cases the chain is cancelled, and *out has
 * the state before that: FAULT, or MORE for a spent budget. `flags` are those of gpu_chain_start();
 * jobs of all types run.
 */
void gpu_chain_run(struct gpu_chain *c, const struct gpu_address_space *as, uint64_t head,
                   unsigned flags, struct gpu_chain_budget *budget, struct gpu_chain_outcome *out);

/* Soft stop: the running job ends first, then the chain ends with STOPPED. */
void gpu_chain_soft_stop(struct gpu_chain *c);

/*
 * Hard stop, at any time: the running job ends where it is. Its header receives `code` (TERMINATED,
 * or the fault that was not served) if it can be written. The chain has then ended as FAILED.
 */
void gpu_chain_cancel(struct gpu_chain *c, uint32_t code);

/* The shape of the compute job that runs; false: none does. */
bool gpu_chain_shape(const struct gpu_chain *c, struct gpu_job_shape *out);

/* The shader cores of the running job, as bits of shader_present; 0: no job runs. */
uint64_t gpu_chain_cores(const struct gpu_chain *c);

/* Drops the running job without writing or reporting anything, as a reset of the GPU does. */
void gpu_chain_drop(struct gpu_chain *c);

/* Whether the chain can be saved between two steps. A compute job can be saved in its midst
 * (gpu_compute_can_save()), other jobs cannot. */
bool gpu_chain_can_save(const struct gpu_chain *c);
/* Appends the chain's state. */
void gpu_chain_save(const struct gpu_chain *c, struct state_buf *buf);
/* Sets the chain to the state in `buf`, which may hold anything. The memory of `as` must have its
 * content already, and `as` must stay valid until the chain ends. false: the chain has no job. */
bool gpu_chain_load(struct gpu_chain *c, const struct gpu_address_space *as,
                    const struct state_buf *buf, struct error *err);

/* Name of a job type, for logs: "compute"; "unknown" for types without a meaning. */
const char *gpu_chain_type_name(unsigned type);

#endif
