/*
 * Jobs whose duration a model predicts. A job runs first, in windows that take at most the time for
 * which its warps occupy engines. When all of it has run, the model predicts its duration, and the
 * rest of that passes. So a job's results are the same as without a model, and its end is the
 * model's.
 */
#ifndef RUNTIME_GPU_TIMING_MODEL_H
#define RUNTIME_GPU_TIMING_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/state.h"
#include "runtime/timing/power.h"

struct gpu_compute;
struct gpu_cores;
struct gpu_timing_model;
struct stats;

/* Most work-groups of a job that a model receives. */
enum { GPU_MODEL_GROUPS = 512 };

/* The model's account, summed over all ended jobs. */
struct gpu_model_counters {
    uint64_t jobs, cycles;
    uint64_t engine_cycles[TIMING_CAUSES]; /* cycles of all engines of all cores */
    uint64_t l1_hits, l1_misses, l2_hits, l2_misses;
    uint64_t l2_reads, l2_writes;     /* lookups */
    uint64_t dram_reads, dram_writes; /* lines */
    uint64_t l2_read_bytes, l2_write_bytes, dram_read_bytes, dram_write_bytes;
};

/* Gives jobs that begin from now on the duration of a model of the cores' GPU. false: *err has the
 * reason why there is none. */
bool gpu_cores_model(struct gpu_cores *c, enum timing_fidelity fidelity, struct error *err);
void gpu_model_free(struct gpu_timing_model *m);
/* Tells `sink` of the stays of each job's groups, before the job ends. There must be a model. */
void gpu_cores_stays(struct gpu_cores *c, timing_stay_sink *sink, void *opaque);
/* Predicts the energy of jobs as well, from now on. There must be a model. */
void gpu_model_power(struct gpu_cores *c);
/* Adds to *e the energy in pJ that jobs took since the last call, at the reference voltage. A
 * window adds its instructions and clocks; the end of a job adds the rest. The clock of the GPU's
 * shared parts (gpu_active) is not included. */
void gpu_model_energy(struct gpu_cores *c, struct power_energy *e);
/* Sets the GPU's clock. Memory has its own clock, so its latency and bandwidth in GPU cycles
 * change. */
void gpu_model_clock(struct gpu_cores *c, unsigned mhz);
/* The counters of the model; NULL: there is no model. */
const struct gpu_model_counters *gpu_model_counters(const struct gpu_cores *c);
/* Registers the counters under "gpu/time"; the cores must live until the last stats_write(). */
void gpu_model_register(const struct gpu_cores *c, struct stats *stats);

/* In snapshots of a machine, between jobs: the counters, and what gpu_model_energy() has not given
 * yet. A load sets them only with `apply`. Without a model they do nothing. */
void gpu_model_save(const struct gpu_cores *c, struct state_buf *buf);
bool gpu_model_load(struct gpu_cores *c, const struct state_buf *buf, bool apply,
                    struct error *err);

/* ---- called by the cores --------------------------------------------------------------------- */

/* GPU cycles of the window that has just run. */
uint64_t gpu_model_window(struct gpu_compute *job);
/* Cycles of a job that has run beyond those of its windows. */
uint64_t gpu_model_rest(struct gpu_compute *job);

#endif
