/*
 * What the time models know of a GPU. Its description gives the numbers, with a source each; here stands
 * what they become. common/prelude/timing.inc has the list.
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

/* Where the numbers of a GPU are from. */
struct timing_sources {
#define TIMING_PARAMETER(name, unit, least, most, unless_given, text) const char *name;
#include "common/prelude/timing.inc"
#undef TIMING_PARAMETER
};

/* Of what size a GPU is, as far as its time depends on it. */
struct timing_shape {
    unsigned cores;
    unsigned engines;     /* a core */
    unsigned max_threads; /* a core */
    unsigned warp_width;
    unsigned clock_mhz;
};

/* The numbers of a GPU that gives none. */
struct timing_params timing_params_default(void);

/* Takes "NAME=NUMBER": a parameter, or a member of the shape. false: *err says what is wrong. */
bool timing_params_set(struct timing_params *p, struct timing_shape *shape, const char *text,
                       struct error *err);

/* What a parameter or a member of the shape is, and its unit (of a member: NULL); either may be NULL. false: there
 * is none of that name. */
bool timing_params_get(const struct timing_params *p, const struct timing_shape *shape,
                       const char *name, double *value, const char **unit);

/* Whether a model can run with them. */
bool timing_params_check(const struct timing_params *p, const struct timing_shape *shape,
                         struct error *err);

/* Prints a line a parameter: name, value, unit, what it is, where it is from. */
void timing_params_print(const struct timing_params *p, const struct timing_shape *shape,
                         const struct timing_sources *sources, FILE *out);

#endif
