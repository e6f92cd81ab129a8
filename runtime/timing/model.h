/*
 * Time from traces: the duration of a job on a GPU with given parameters, and the account of its
 * engines' time. Events are handled by time, and in the order of their creation at equal times. So
 * the same trace gives the same time on every host.
 *
 *     TIMING_REASSEMBLE  as published in seed 002, chapter 5.3: an engine runs a warp until it
 *                        waits for memory or a barrier, then the warp that has been ready for
 *                        longest; caches by reuse distance; every instruction takes the same time
 *     TIMING_DETAILED    an engine is a pipe: it begins a bundle of another warp in each turn. A
 *                        warp's next bundle begins when the one before has left the pipe and the
 *                        scoreboard slots for which it waits are free. Caches have ways, bandwidths
 *                        and a limited number of lines on their way
 */
#ifndef RUNTIME_TIMING_MODEL_H
#define RUNTIME_TIMING_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/timing/params.h"
#include "runtime/timing/trace.h"

enum timing_fidelity { TIMING_REASSEMBLE, TIMING_DETAILED };

/* Uses of an engine's time: issuing, or the cause for which the next warp that it runs waits. */
enum timing_cause {
    TIMING_ISSUE,
    TIMING_DEPENDENCY, /* the warp's previous bundle, or the instruction cache */
    TIMING_L1,         /* the first-level cache, or a store */
    TIMING_L2,
    TIMING_DRAM,
    TIMING_AT_BARRIER,
    TIMING_IMBALANCE, /* no warp is left, but other engines work */
    TIMING_LAUNCH,
    TIMING_CAUSES
};

/* A bundle's line of the account. */
struct timing_line {
    uint64_t executions; /* by warps */
    /* ticks of engines: issuing the bundle, or idle and waiting for its answer */
    uint64_t account[TIMING_CAUSES];
};

/* The stay of a work-group, or of one of its warps, on a core. */
struct timing_stay {
    uint32_t core, slot; /* slot of the core for a group; its groups run one after the other */
    uint32_t warps;
    uint32_t group;        /* index into the job's groups */
    uint64_t begin, end;   /* ticks of the job */
    bool is_warp;          /* the stay of a warp, not of the group */
    uint32_t warp, engine; /* number in the group; engine, 0 in models without separate engines */
};

enum { TIMING_COUNTED_CORES = 64 };

/* Receives the stays of a job's sampled groups, in the order of their ends. */
typedef void timing_stay_sink(void *opaque, const struct timing_stay *stay);

struct timing_result {
    uint64_t ticks;                  /* duration of the job */
    uint64_t account[TIMING_CAUSES]; /* ticks of all engines; the sum is ticks * cores * engines */
    uint64_t groups, warps, bundles, instructions, requests;
    uint64_t l1_hits, l1_misses, l2_hits, l2_misses;
    uint64_t l2_reads, l2_writes;     /* lookups */
    uint64_t code_hits, code_misses;  /* lines of bundles; 0 without an instruction cache */
    uint64_t dram_reads, dram_writes; /* lines */
    /* Groups of the job per simulated group. Ticks are those of all groups. */
    double scale;
    /* Ticks during which a core had a work-group; for the first TIMING_COUNTED_CORES cores. */
    uint64_t active[TIMING_COUNTED_CORES];
    double part; /* simulated part of the bundles of timing_cut.all; 1: the job was not cut */
    /* Estimate of the relative error of `ticks` that the cut causes; 0: the job was not cut. */
    double error;
};

/* Reads "reassemble" or "detailed". */
bool timing_fidelity_read(const char *text, enum timing_fidelity *out, struct error *err);

/* Whether the model exists for a GPU with these numbers. */
bool timing_model_check(const struct timing_params *p, const struct timing_shape *shape,
                        enum timing_fidelity fidelity, struct error *err);

/* Predicts the time of a job that passed timing_job_check(). false: *err has the reason. */
bool timing_run(const struct timing_params *p, const struct timing_shape *shape,
                enum timing_fidelity fidelity, const struct timing_job *job,
                struct timing_result *out, struct error *err);

/* A GPU, and how closely it is modelled. */
struct timing_design {
    const struct timing_params *params;
    const struct timing_shape *shape;
    enum timing_fidelity fidelity;
};

/* As timing_run(). `lines`, if not NULL, receives one line per bundle of the job, then a line for
 * time of no bundle (imbalance, launches). */
bool timing_run_lines(const struct timing_design *design, const struct timing_job *job,
                      struct timing_result *out, struct timing_line *lines, struct error *err);

/* Where a prediction stops, so that it is made in bounded time. */
struct timing_cut {
    uint64_t bundles; /* executions of bundles by warps after which it stops; 0: never */
    uint64_t all;     /* executions to which results are extrapolated: in the sampled groups */
    /* `all` is of the whole job, of which the groups are a sample: the model stops at the latest
     * when no group is left to fill a core, and timing_result.scale is 1. */
    bool whole;
};

/* What a prediction gives besides its result; pointers may be NULL. */
struct timing_wanted {
    struct timing_cut cut;
    struct timing_line *lines; /* as of timing_run_lines() */
    timing_stay_sink *stay;
    void *opaque;
    struct error *err; /* has the reason when there is no prediction */
};

/* As timing_run(), with more. */
bool timing_run_wanted(const struct timing_params *p, const struct timing_shape *shape,
                       enum timing_fidelity fidelity, const struct timing_job *job,
                       struct timing_result *out, const struct timing_wanted *wanted);

/* Ticks for which an execution of the bundle by a warp occupies an engine. A job takes at least the
 * sum over its executions, divided by its engines. */
uint64_t timing_bundle_issue(const struct timing_params *p, enum timing_fidelity fidelity,
                             const struct timing_bundle *bundle);

/* "issue", "dependency", … */
const char *timing_cause_name(enum timing_cause cause);
/* Prints cycles, the account from the top down, and the counts of the caches. */
void timing_result_print(const struct timing_result *r, const struct timing_shape *shape,
                         FILE *out);

#endif
