/*
 * Jobs that take the time that a model predicts for them. The job runs first, in windows that take no longer than its
 * warps hold engines; when all of it has run, the model says how long it takes, and what is left of that is waited for.
 * So what a job does is the same as without a model, and its end is when the model says.
 */
#ifndef RUNTIME_GPU_TIMING_MODEL_H
#define RUNTIME_GPU_TIMING_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/timing/model.h"

struct gpu_compute;
struct gpu_cores;
struct gpu_timing_model;
struct stats;

/* Work-groups of a job that a model sees at most. */
enum { GPU_MODEL_GROUPS = 512 };

/* What jobs took, by the account of the model: of all that have ended. */
struct gpu_model_counters {
    uint64_t jobs, cycles;
    uint64_t engine_cycles[TIMING_CAUSES]; /* of all engines of all cores */
    uint64_t l1_hits, l1_misses, l2_hits, l2_misses;
    uint64_t l2_reads, l2_writes;     /* lookups */
    uint64_t dram_reads, dram_writes; /* lines */
    uint64_t l2_read_bytes, l2_write_bytes, dram_read_bytes, dram_write_bytes;
};

/* Jobs that begin from now on take the time of this model of the cores' GPU. false: *err says why it has none. */
bool gpu_cores_model(struct gpu_cores *c, enum timing_fidelity fidelity, struct error *err);
void gpu_model_free(struct gpu_timing_model *m);
/* NULL: there is no model. */
const struct gpu_model_counters *gpu_model_counters(const struct gpu_cores *c);
/* Registers them under "gpu/time"; the cores must live until the last stats_write(). */
void gpu_model_register(const struct gpu_cores *c, struct stats *stats);

/* ---- called by the cores ---------------------------------------------------------------------- */

/* GPU cycles of the window that has just run. */
uint64_t gpu_model_window(struct gpu_compute *job);
/* The job has run: cycles that it takes more than its windows did. */
uint64_t gpu_model_rest(struct gpu_compute *job);

#endif
