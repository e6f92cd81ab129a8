/*
 * Chains of jobs in GPU memory: a string of job headers, each with the address of the next, executed
 * one job after the other. This is what a job slot runs and what a memory snapshot holds; it knows no
 * register and no clock.
 *
 * Jobs of a chain run strictly in the order of the chain. So a job's dependencies, which name jobs
 * that stand before it, and its barrier flag are satisfied when its turn comes, also when the chain
 * was entered in its middle after a soft stop.
 *
 * A chain may be endless: headers that name each other in a circle, a shader that never ends. A step
 * is short, and takes time of the GPU; who steps a chain bounds the time or the jobs, as
 * gpu_chain_run() does.
 *
 * A header is read when its job starts, not earlier: an earlier job may have written it. When a job
 * ends, its exception status is written to its header; when it fails, also where.
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

/* Numbers of job types fit in so many (the header's field has 7 bits, types with a meaning are
 * small); for arrays of counters by type. */
enum { GPU_CHAIN_TYPES = 16 };

/* What was executed, added up over all chains that share the counters. */
struct gpu_chain_counters {
    uint64_t chains;                /* started */
    uint64_t jobs[GPU_CHAIN_TYPES]; /* completed, by type (enum mali_job_type) */
    uint64_t failed;                /* jobs that ended with a fault */
    uint64_t stopped;               /* soft and hard stops */
    uint64_t page_faults;           /* times a job waited for a page */
    uint64_t cycles;                /* GPU cycles that chains took */
};

/* A job that ends, for those who watch. */
struct gpu_chain_job {
    uint64_t address; /* of its header */
    unsigned type;    /* enum mali_job_type */
    unsigned index;   /* the header's */
    uint64_t next;    /* address of the next header, 0: none */
    uint32_t status;  /* exception code */
    uint64_t cycles;  /* that it took so far */
};

/* What write-value jobs store. */
enum gpu_chain_clock {
    GPU_CHAIN_CYCLE_COUNT, /* the GPU's own cycles */
    GPU_CHAIN_TIMESTAMP,   /* the system's counter */
};

/* What chains need from around them; must stay valid as long as they. */
struct gpu_chain_env {
    const struct gpu_variant *variant;
    struct gpu_cores *cores;             /* NULL: compute jobs fail */
    struct log *log;                     /* may be NULL */
    struct gpu_chain_counters *counters; /* may be NULL */

    /* Reads a clock; NULL: both read 0. */
    uint64_t (*clock)(void *opaque, enum gpu_chain_clock which);
    /* Whose jobs these are, in words, for the log. May be NULL. */
    void (*owner)(void *opaque, char *text, size_t size);
    /* A job that had begun ends, however it does. May be NULL. */
    void (*job_end)(void *opaque, const struct gpu_chain_job *job);
    /* A job wants the GPU's caches written back and invalidated (cache-flush jobs). May be NULL. */
    void (*flush)(void *opaque);
    void *opaque;
};

enum gpu_chain_progress {
    GPU_CHAIN_MORE,    /* step again after `cycles` have passed */
    GPU_CHAIN_DONE,    /* the last job of the chain is complete */
    GPU_CHAIN_STOPPED, /* soft stop: goes on at `tail` when started there */
    GPU_CHAIN_FAULT,   /* waits for a page: serve `fault` and step again, or cancel */
    GPU_CHAIN_FAILED,  /* a job failed with `code` */
};

struct gpu_chain_outcome {
    enum gpu_chain_progress progress;
    uint64_t cycles; /* GPU cycles that this step took */
    uint64_t tail;   /* header of the job that runs, ran last, or will be next (STOPPED) */
    uint32_t code;   /* exception code: FAILED, and of DONE and STOPPED the codes for these */
    struct gpu_fault fault; /* FAULT */
    uint64_t address;       /* FAILED: what the job's fault pointer says */
    uint32_t between;       /* 1: no job is under way, all that was done stands */
};

/* Flags of gpu_chain_start(). */
enum gpu_chain_flag {
    GPU_CHAIN_WRITE_BACK = 1, /* headers get their exception status */
};

/* A chain that is idle, for one job slot. NULL: out of memory. `env` is copied. */
struct gpu_chain *gpu_chain_new(const struct gpu_chain_env *env);

/* Ends what runs (as gpu_chain_cancel without its write-back) and releases it. NULL is allowed. */
void gpu_chain_free(struct gpu_chain *c);

/*
 * Prepares to run the chain whose first header stands at `head` (0: an empty chain, done at once).
 * Nothing is read yet. `types` is a bit for each job type that may occur; others fail (0: all may).
 * `as` must stay valid until the chain ends. What ran before is dropped.
 */
void gpu_chain_start(struct gpu_chain *c, const struct gpu_address_space *as, uint64_t head,
                     uint32_t types, unsigned flags);

/*
 * Goes on by one step: a job starts, a compute job runs for one window, or a job ends. *out tells how
 * it stands; a chain that has ended gives its end again. Each step takes at least one cycle of GPU
 * time, and its work is bounded (runtime/gpu/shader/cores.c).
 */
void gpu_chain_step(struct gpu_chain *c, struct gpu_chain_outcome *out);

/* What chains may still take, together. */
struct gpu_chain_budget {
    uint64_t jobs;   /* that begin */
    uint64_t cycles; /* GPU cycles; a step that has begun may take more than are left */
};

/*
 * Starts the chain at `head` and steps it until it ends, a page is missing, or the budget is spent;
 * what it takes is taken off *budget. In the last two cases it is cancelled, and *out is as it stood
 * before: FAULT, or MORE for a budget that is spent. Parameters are those of gpu_chain_start().
 */
void gpu_chain_run(struct gpu_chain *c, const struct gpu_address_space *as, uint64_t head,
                   uint32_t types, unsigned flags, struct gpu_chain_budget *budget,
                   struct gpu_chain_outcome *out);

/* Soft stop: the chain ends with STOPPED before it starts another job; a job that runs ends first. */
void gpu_chain_soft_stop(struct gpu_chain *c);

/*
 * Hard stop, at any time: the job that runs ends where it is; its header gets `code` (TERMINATED, or
 * the fault that nobody served) when it can be written. The chain has then ended as FAILED.
 */
void gpu_chain_cancel(struct gpu_chain *c, uint32_t code);

/* Forgets what runs, as a reset of the GPU does: nothing is written, nobody is told. */
void gpu_chain_drop(struct gpu_chain *c);

/* Name of a job type, for logs: "compute"; "unknown" for numbers without a meaning. */
const char *gpu_chain_type_name(unsigned type);

#endif
