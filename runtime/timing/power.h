/*
 * The power model: the energy of a traced job on a GPU with given parameters, per part and per
 * core. The GPU's description gives the parameters with their sources; common/prelude/power.inc
 * lists them.
 *
 * A job takes energy for its instructions, for its lines in caches and memory, and for the clocks
 * that run because of it. The base power, with or without a job, is leakage and gated clocks. At
 * another operating point, energies scale with the square of the voltage, base clocks also with the
 * frequency, and leakage with the cube of the voltage. Energies are whole picojoules, so that they
 * are equal on every host.
 */
#ifndef RUNTIME_TIMING_POWER_H
#define RUNTIME_TIMING_POWER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/timing/model.h"

struct power_params {
#define POWER_PARAMETER(name, unit, least, most, unless_given, text) uint64_t name;
#include "common/prelude/power.inc"
#undef POWER_PARAMETER
};

/* Source of each parameter. */
struct power_sources {
#define POWER_PARAMETER(name, unit, least, most, unless_given, text) const char *name;
#include "common/prelude/power.inc"
#undef POWER_PARAMETER
};

enum { POWER_POINTS = 16, POWER_CORES = 64 };

/* An operating point. */
struct power_point {
    uint32_t mhz, millivolt;
};

/* The parameters of a GPU, at its reference voltage (params.voltage). */
struct power_model {
    struct power_params params;
    uint32_t clock_mhz; /* the clock at which the parameters hold */
};

enum power_part {
    POWER_INSTRUCTIONS,
    POWER_CACHES,
    POWER_MEMORY,
    POWER_CLOCKS,
    POWER_LEAKAGE,
    POWER_PARTS
};

/* Energy in pJ. `core` is the part of each core, for its instructions and its own clock; it is
 * included in `part`. */
struct power_energy {
    uint64_t part[POWER_PARTS];
    uint64_t core[POWER_CORES];
};

/* The powered parts of a GPU. */
struct power_state {
    unsigned cores; /* cores that are on */
    bool shared;    /* job manager, L2 and bus */
};

/* The name of a part in reports: "instructions", "caches", … */
const char *power_part_name(enum power_part part);
/* The sum of all parts in pJ. */
uint64_t power_sum(const struct power_energy *e);

/* Sets the parameter that `text`, "NAME=NUMBER", names. false: *err has the error. */
bool power_params_set(struct power_params *p, const char *text, struct error *err);
/* Prints one line per parameter: name, value, unit, meaning, source. */
void power_params_print(const struct power_params *p, const struct power_sources *sources,
                        FILE *out);

/* Reads "MHZ" or "MHZ:MILLIVOLT", with 1 to 10000 MHz and 100 to 2000 mV. Without a voltage,
 * millivolt is 0. false: *err has the error. */
bool power_point_read(const char *text, struct power_point *out, struct error *err);
/* The operating point of a GPU at `mhz`. Its voltage is that of the slowest of the `count` points
 * (at least one, slowest first) that reaches `mhz`, or of the fastest point if none does. */
struct power_point power_point_for(const struct power_point *points, unsigned count, uint32_t mhz);

/* Energy in pJ, at the reference voltage, of `warps` executions of a bundle that have `lanes`
 * active lanes in all. On a GPU with scalar threads, each thread is a warp. */
uint64_t power_bundle(const struct power_params *p, const struct timing_bundle *b, uint64_t warps,
                      uint64_t lanes);
/* Converts an energy at the reference voltage to the voltage of `at`. */
uint64_t power_scaled(const struct power_model *m, const struct power_point *at, uint64_t energy);

/* Adds the base energy of `ns` nanoseconds to *e. */
void power_add_base(const struct power_model *m, const struct power_point *at,
                    const struct power_state *on, uint64_t ns, struct power_energy *e);
/* Base power in uW. */
uint64_t power_base_uw(const struct power_model *m, const struct power_point *at,
                       const struct power_state *on);
/* Highest power in uW at a point: all engines of all cores issue a bundle of turn_words arithmetic
 * words whenever they can. Firmware reports it to guests. */
uint64_t power_full_uw(const struct power_model *m, const struct power_point *at,
                       const struct timing_params *t, const struct timing_shape *shape);

/*
 * The energy of a job, without the base. Between power_job_begin() and power_job_end(), a time
 * model runs with power_job_stay() and the struct power_job as its sink of stays. The model and the
 * job must stay valid until then.
 */
struct power_stay {
    uint64_t begin, end; /* ticks */
    uint32_t core;
};

struct power_job {
    const struct power_model *m;
    const struct timing_job *job;
    uint64_t *lane;             /* sum of the energies per lane of the bundles before each */
    uint64_t core[POWER_CORES]; /* instructions of each core */
    VEC(struct power_stay) stays;
};

/* Prepares *j; power_job_end() frees its memory. */
void power_job_begin(struct power_job *j, const struct power_model *m,
                     const struct timing_job *job);
/* Takes a stay; a timing_stay_sink. Cores from POWER_CORES on count as the last core. */
void power_job_stay(void *power_job, const struct timing_stay *stay);
/* *out receives the job's energy at the reference voltage. Groups outside of the trace's sample are
 * assumed to take as much as sampled ones. Frees the memory of *j. */
void power_job_end(struct power_job *j, const struct timing_result *r, struct power_energy *out);

#endif
