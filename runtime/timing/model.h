/*
 * Time from traces: what a job takes on a GPU with these parameters, and where its engines' time went.
 * Events are handled in the order of their times, ties in the order they were made: the same trace gives
 * the same time on every host.
 *
 *     TIMING_REASSEMBLE  as published in seed 002, chapter 5.3: an engine runs a warp until it waits for
 *                        memory or a barrier, then takes the warp that has been ready for longest; caches
 *                        by reuse distance; all instructions alike
 *     TIMING_DETAILED    an engine is a pipe: it begins a bundle of another warp in each turn, and a warp's
 *                        next bundle begins when the one before has left the pipe and the slots of the
 *                        scoreboard are free that it waits for; caches have ways, bandwidths and so many lines on
 *                        their way
 */
#ifndef RUNTIME_TIMING_MODEL_H
#define RUNTIME_TIMING_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/timing/params.h"
#include "runtime/timing/trace.h"

enum timing_fidelity { TIMING_REASSEMBLE, TIMING_DETAILED };

/* What an engine's time is spent on: it issues, or the next warp that it runs waits for … */
enum timing_cause {
    TIMING_ISSUE,
    TIMING_DEPENDENCY, /* its bundle before */
    TIMING_L1,         /* the first-level cache, or a store */
    TIMING_L2,
    TIMING_DRAM,
    TIMING_AT_BARRIER,
    TIMING_IMBALANCE, /* nothing: there is none, others work */
    TIMING_LAUNCH,
    TIMING_CAUSES
};

/* A bundle's share. */
struct timing_line {
    uint64_t executions; /* by warps */
    uint64_t account
        [TIMING_CAUSES]; /* ticks of engines: it issues, or what is idle waits for its answer */
};

struct timing_result {
    uint64_t ticks; /* of the job */
    uint64_t
        account[TIMING_CAUSES]; /* ticks of all engines: their sum is ticks * cores * engines */
    uint64_t groups, warps, bundles, instructions, requests;
    uint64_t l1_hits, l1_misses, l2_hits, l2_misses;
    uint64_t l2_reads, l2_writes;     /* lookups */
    uint64_t dram_reads, dram_writes; /* lines */
    /* Groups of the job for one that was simulated: ticks are of all of them. */
    double scale;
};

/* Reads "reassemble" or "detailed". */
bool timing_fidelity_read(const char *text, enum timing_fidelity *out, struct error *err);

/* Whether there is such a model of a GPU with these numbers. */
bool timing_model_check(const struct timing_params *p, const struct timing_shape *shape,
                        enum timing_fidelity fidelity, struct error *err);

/* The time of a job that timing_job_check() passed. false: *err says why there is none. */
bool timing_run(const struct timing_params *p, const struct timing_shape *shape,
                enum timing_fidelity fidelity, const struct timing_job *job,
                struct timing_result *out, struct error *err);

/* The same; `lines` gets the share of each bundle of the job, and behind them one of what is nobody's (imbalance,
 * launches). NULL: they are not wanted. */
bool timing_run_lines(const struct timing_params *p, const struct timing_shape *shape,
                      enum timing_fidelity fidelity, const struct timing_job *job,
                      struct timing_result *out, struct timing_line *lines, struct error *err);

/* Ticks for which an execution of the bundle by a warp holds an engine: no job takes less than the sum of those that
 * it executes, divided by its engines. */
uint64_t timing_bundle_issue(const struct timing_params *p, enum timing_fidelity fidelity,
                             const struct timing_bundle *bundle);

/* "issue", "dependency", … */
const char *timing_cause_name(enum timing_cause cause);
/* Prints cycles, the account from the top down and what the caches did. */
void timing_result_print(const struct timing_result *r, const struct timing_shape *shape,
                         FILE *out);

#endif
