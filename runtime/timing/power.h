/*
 * Energy from traces: what a job takes on a GPU with given parameters, per part and per core. The
 * GPU's description gives the numbers with their sources; common/prelude/power.inc lists them.
 *
 * A job takes the energy of its instructions, of its lines in caches and memory, and of the clocks
 * that run because of it. What a GPU takes with or without a job, its base, is leakage and gated
 * clocks. At another operating point energies scale with the square of the voltage, base clocks
 * also with the frequency, and leakage with the cube of the voltage. Energies are whole picojoules,
 * so that they are equal on every host.
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

/* Sources of a GPU's numbers. */
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

/* Energy in pJ by part; of these, what each core takes for instructions and its own clock. */
struct power_energy {
    uint64_t part[POWER_PARTS];
    uint64_t core[POWER_CORES];
};

/* What of a GPU is on. */
struct power_state {
    unsigned cores; /* cores that are on */
    bool shared;    /* job manager, L2 and bus */
};

/* "instructions", "caches", … */
const char *power_part_name(enum power_part part);
uint64_t power_sum(const struct power_energy *e);

/* Applies "NAME=NUMBER". false: *err has the error. */
bool power_params_set(struct power_params *p, const char *text, struct error *err);
/* Prints one line per parameter: name, value, unit, meaning, source. */
void power_params_print(const struct power_params *p, const struct power_sources *sources,
                        FILE *out);

/* Reads "MHZ" or "MHZ:MILLIVOLT", of 1 to 10000 MHz and 100 to 2000 mV. Without a voltage
 * millivolt is 0. */
bool power_point_read(const char *text, struct power_point *out, struct error *err);
/* The point of `count` at which a GPU runs at a frequency: the slowest that is as fast, with that
 * frequency; beyond the fastest its voltage. There is at least one. */
struct power_point power_point_for(const struct power_point *points, unsigned count, uint32_t mhz);

/* Energy of a bundle's executions at the reference voltage; `warps` of them, and the active lanes
 * of all. Where threads are scalar, a thread is a warp. */
uint64_t power_bundle(const struct power_params *p, const struct timing_bundle *b, uint64_t warps,
                      uint64_t lanes);
/* `energy` of the reference voltage at a point's voltage. */
uint64_t power_scaled(const struct power_model *m, const struct power_point *at, uint64_t energy);

/* Energy that the GPU takes in `ns` without a job, added to *e. */
void power_add_base(const struct power_model *m, const struct power_point *at,
                    const struct power_state *on, uint64_t ns, struct power_energy *e);
/* Power of the base in uW. */
uint64_t power_base_uw(const struct power_model *m, const struct power_point *at,
                       const struct power_state *on);
/* Power in uW at a point when all cores issue a bundle of `words` arithmetic words in each turn of
 * each engine. For the operating points that a guest sees. */
uint64_t power_full_uw(const struct power_model *m, const struct power_point *at,
                       const struct timing_params *t, const struct timing_shape *shape,
                       unsigned words);

/*
 * The energy of a job without the base. Between begin and end a time model runs with
 * power_job_stay() and the struct as its sink of stays. What the struct points to must stay valid.
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

void power_job_begin(struct power_job *j, const struct power_model *m,
                     const struct timing_job *job);
/* Cores from POWER_CORES on count as the last. */
void power_job_stay(void *power_job, const struct timing_stay *stay);
/* Energy at the reference voltage; groups outside of the sample take what those inside take. Frees
 * the struct's memory. */
void power_job_end(struct power_job *j, const struct timing_result *r, struct power_energy *out);

#endif
