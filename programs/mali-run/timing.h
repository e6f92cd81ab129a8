/* mali-run: times from traces. */
#ifndef PROGRAMS_MALI_RUN_TIMING_H
#define PROGRAMS_MALI_RUN_TIMING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/vec.h"
#include "runtime/timing/power.h"

struct gpu_address_space;
struct gpu_cores;
struct gpu_isa;
struct gpu_variant;
struct run_timing;

struct run_timing_options {
    bool wanted; /* the prediction of a model is requested */
    enum timing_fidelity fidelity;
    uint64_t sample;
    uint64_t sample_read;     /* sampling of traces that are read; 0: all groups are taken */
    const char *write, *read; /* trace files */
    const char *json;         /* file of accounts; NULL: none */
    bool lines;               /* print the account of each bundle, with its text */
    VEC(char *) settings;     /* settings NAME=N */
    VEC(char *) beside;       /* lanes of -timing-beside: CORES,FILE[,FILE…] */
    bool power;               /* -power: print the energy */
    struct power_point clock; /* mhz 0: the GPU's clock; millivolt 0: from the GPU's points */
    VEC(char *) power_settings;
};

/* Checks that the options of a run from a trace fit together; `other`: there is a snapshot or a
 * kernel as well. */
bool run_timing_check(bool other, const struct run_timing_options *o, struct error *err);
/* Predicts the jobs of a trace on GPU `gpu`, or on that of the trace if it is NULL. */
bool run_timing_replay(const struct run_timing_options *o, const char *gpu, struct error *err);

/* Predicts the jobs of the lanes in `beside`, which run at the same time. */
bool run_timing_beside(const struct run_timing_options *o, const char *gpu, struct error *err);
struct timing_file;
/* Reads a trace file into *f and *data. The caller releases both, and *data not before *f. False:
 * *err says why, and neither has to be released. */
bool run_timing_open(const char *path, struct timing_file *f, uint8_t **data, struct error *err);
/* Returns the variant's timing parameters, changed by the options' settings. */
bool run_timing_numbers(const struct run_timing_options *o, const struct gpu_variant *v,
                        struct timing_params *params, struct timing_shape *shape,
                        struct error *err);

/* Prepares times of the jobs that cores of the variant will run. */
struct run_timing *run_timing_new(const struct run_timing_options *o, const struct gpu_variant *v,
                                  FILE *out, struct error *err);
void run_timing_attach(struct run_timing *t, struct gpu_cores *c);
/* Sets the code of the jobs, for the text of lines. Both must stay valid. */
void run_timing_code(struct run_timing *t, const struct gpu_isa *isa,
                     const struct gpu_address_space *as);
/* Ends after all jobs. false: a job could not be written, or has no time. */
bool run_timing_finish(struct run_timing *t, struct error *err);
void run_timing_free(struct run_timing *t);

/* ---- timing_lines.c -------------------------------------------------------------------------- */

/* Prints the executed bundles, each with its share of the engines' time and its text (`as` NULL:
 * without text). */
void run_timing_print_lines(const struct timing_job *job, const struct timing_line *lines,
                            const struct gpu_isa *isa, const struct gpu_address_space *as,
                            FILE *out);
/* Prediction of a job: its time, one line per bundle, the names of GPU and model, and the number of
 * cores that executed it. */
struct run_account {
    const struct timing_result *result;
    const struct timing_line *lines;
    const char *gpu, *model;
    unsigned cores;
};

/* Adds the job to the list of accounts in the file. */
void run_timing_json(FILE *out, bool first, const struct timing_job *job,
                     const struct run_account *account);

/* ---- power.c --------------------------------------------------------------------------------- */

struct run_power {
    struct power_model model;
    struct power_point at;
};

/* Chooses the power model and the operating point for a GPU from the options. The clock in *shape
 * is set to the point's. */
bool run_power_resolve(struct run_power *p, const struct run_timing_options *o,
                       const struct gpu_variant *v, struct timing_shape *shape, struct error *err);
/* Computes the energy of a job that takes r->ticks with all cores on; the last part is the base. */
struct power_energy run_power_job(const struct run_power *p, const struct timing_params *params,
                                  const struct timing_shape *shape, enum timing_fidelity fidelity,
                                  const struct timing_job *job);
/* Prints an energy in watts and picojoules, by part and by core. */
void run_power_print(const struct run_power *p, const struct power_energy *e,
                     const struct timing_result *r, const struct timing_shape *shape, FILE *out);

#endif
