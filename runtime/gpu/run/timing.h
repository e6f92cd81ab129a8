/* mali-run: time from traces. */
#ifndef RUNTIME_GPU_RUN_TIMING_H
#define RUNTIME_GPU_RUN_TIMING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/vec.h"
#include "runtime/timing/model.h"

struct gpu_cores;
struct gpu_variant;
struct run_timing;

struct run_timing_options {
    bool wanted; /* a model's prediction */
    enum timing_fidelity fidelity;
    uint64_t sample;
    const char *write, *read; /* files of traces */
    VEC(char *) settings;     /* NAME=N */
};

/* Whether the options of a run from a trace fit together; `other`: there is a snapshot or a kernel, too. */
bool run_timing_check(bool other, const struct run_timing_options *o, struct error *err);
/* Runs the jobs of a trace; `gpu`: on this GPU, NULL: on that of the trace. */
bool run_timing_replay(const struct run_timing_options *o, const char *gpu, struct error *err);

/* For the jobs that cores of the variant will run. */
struct run_timing *run_timing_new(const struct run_timing_options *o, const struct gpu_variant *v,
                                  FILE *out, struct error *err);
void run_timing_attach(struct run_timing *t, struct gpu_cores *c);
/* All jobs have run: false if one of them could not be written, or has no time. */
bool run_timing_finish(struct run_timing *t, struct error *err);
void run_timing_free(struct run_timing *t);

#endif
