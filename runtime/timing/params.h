/*
 * Parameters of a GPU for the time models. The GPU's description gives the numbers with their
 * sources. common/prelude/timing.inc lists the parameters.
 */
#ifndef RUNTIME_TIMING_PARAMS_H
#define RUNTIME_TIMING_PARAMS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/error.h"

/* Time is counted in thousandths of a cycle, so that it is exact on every host. */
enum { TIMING_TICKS = 1000 };

/* Cycles are in ticks, everything else in its own unit. */
struct timing_params {
#define TIMING_PARAMETER(name, unit, least, most, unless_given, text) uint64_t name;
#include "common/prelude/timing.inc"
#undef TIMING_PARAMETER
};

/* Sources of a GPU's numbers. */
struct timing_sources {
#define TIMING_PARAMETER(name, unit, least, most, unless_given, text) const char *name;
#include "common/prelude/timing.inc"
#undef TIMING_PARAMETER
};

/* The sizes of a GPU on which its time depends. */
struct timing_shape {
    unsigned cores;
    unsigned engines;     /* engines per core */
    unsigned max_threads; /* threads per core */
    unsigned warp_width;
    unsigned clock_mhz;
};

/* The numbers of a GPU whose description gives none. */
struct timing_params timing_params_default(void);

/* Applies "NAME=NUMBER" to a parameter or a member of the shape. false: *err has the error. */
bool timing_params_set(struct timing_params *p, struct timing_shape *shape, const char *text,
                       struct error *err);

/* The value of a parameter or of a member of the shape, and its unit (NULL for a member); either
 * pointer may be NULL. false: the name is unknown. */
bool timing_params_get(const struct timing_params *p, const struct timing_shape *shape,
                       const char *name, double *value, const char **unit);

/* Of numbers that hold at `from` MHz, those at `to` MHz: memory has a clock of its own, so that its
 * latency and its bandwidth in GPU cycles change (bandwidth in whole bytes, at least one). */
void timing_params_set_clock(struct timing_params *p, unsigned from, unsigned to);

/* Whether a model can run with these numbers. */
bool timing_params_check(const struct timing_params *p, const struct timing_shape *shape,
                         struct error *err);

/* Prints one line per parameter: name, value, unit, meaning, source. */
void timing_params_print(const struct timing_params *p, const struct timing_shape *shape,
                         const struct timing_sources *sources, FILE *out);

#endif
