/* mali-run: time from traces. */
#ifndef PROGRAMS_MALI_RUN_TIMING_H
#define PROGRAMS_MALI_RUN_TIMING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/vec.h"
#include "runtime/timing/model.h"

struct gpu_address_space;
struct gpu_cores;
struct gpu_isa;
struct gpu_variant;
struct run_timing;

struct run_timing_options {
    bool wanted; /* a model's prediction */
    enum timing_fidelity fidelity;
    uint64_t sample;
    const char *write, *read; /* files of traces */
    const char *json;         /* file of accounts; NULL: none */
    bool lines;               /* the account of each bundle is printed, with its text */
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
/* Where the code of the jobs stands, so that lines have a text; both must stay. */
void run_timing_code(struct run_timing *t, const struct gpu_isa *isa,
                     const struct gpu_address_space *as);
/* All jobs have run: false if one of them could not be written, or has no time. */
bool run_timing_finish(struct run_timing *t, struct error *err);
void run_timing_free(struct run_timing *t);

/* ---- timing_lines.c -------------------------------------------------------------------------- */

/* Prints the bundles that were executed, each with its share of the engines' time and with its text (`as` NULL: without).
 */
void run_timing_print_lines(const struct timing_job *job, const struct timing_line *lines,
                            const struct gpu_isa *isa, const struct gpu_address_space *as,
                            FILE *out);
/* Adds the job to the file's list of accounts. */
void run_timing_json(FILE *out, bool first, const struct timing_job *job,
                     const struct timing_result *r, const struct timing_line *lines,
                     const char *gpu, const char *model);

#endif
