/*
 * A report of a run: what each kernel executed, where its warps went, and why its time passed, for
 * gencc-report and other programs (docs/use/report-format.md). A kernel is code: the same code at
 * two addresses is one kernel.
 *
 * Executions, edges and counters are exact. Time, accesses and buffers are those of the traced
 * work-groups, of which a large job is a sample. Nothing depends on host threads or host code.
 */
#ifndef RUNTIME_REPORT_REPORT_H
#define RUNTIME_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/timing/model.h"

struct gpu_account;
struct gpu_cores;
struct gpu_isa;
struct gpu_variant;
struct json_t;
struct report;

struct report_options {
    const char *folder;    /* where the files go; it is made if it does not exist */
    const char *program;   /* name of the program */
    char *const *words;    /* words of the command line behind `program`; NULL at the end */
    char *const *sources;  /* files with OpenCL C; NULL at the end; NULL: none */
    char *const *settings; /* NAME=N: other parameters of the time model; as `sources` */
    const char *name;      /* name of a kernel that has no other; NULL: none */
    enum timing_fidelity fidelity;
    uint64_t sample; /* most traced work-groups per job; 0: few, so that a run stays fast */
};

/* Makes a report of the jobs of a GPU. `folder` and `program` must stay valid; the rest of `o` is
 * read now. NULL: *err has the reason. */
struct report *report_new(const struct report_options *o, const struct gpu_variant *variant,
                          const struct gpu_isa *isa, struct error *err);
void report_free(struct report *r);

/* Observes the cores, before they have run a job. The report must live as long as they do. */
void report_attach(struct report *r, struct gpu_cores *c);

/* The virtual time in nanoseconds. `now` is also called when a job begins and when it ends. */
void report_set_clock(struct report *r, uint64_t (*now)(void *opaque), void *opaque);
/* Names kernels: returns the name of a job's, valid until the next call, or NULL. */
void report_set_names(struct report *r,
                      const char *(*name)(void *opaque, const struct gpu_account *job),
                      void *opaque);
typedef void report_take_text(void *to, const char *text);
/* Calls `take` with `to` for each text in the guest's memory that may be the source of a job's
 * kernel. */
typedef void report_find_texts(void *opaque, const struct gpu_account *job, report_take_text *take,
                               void *to);
/* Lets sources be found in memory, unless the options name some. `find` is called when a kernel's
 * first jobs end. */
void report_set_texts(struct report *r, report_find_texts *find, void *opaque);
/* Gives the report its member "system", which is made by jansson, and of which the report takes the
 * reference. */
void report_set_system(struct report *r, struct json_t *system);

/* Writes report.json, kernels.csv, bundles.csv, jobs.csv, draws.csv and frames.csv. Pictures of
 * overdraw were written when their frames ended. The cores must have no job. */
bool report_write(struct report *r, struct error *err);
/* Runs gencc-report, which makes a page of the folder: that beside this program, or of PATH. One
 * line says where the page is, or how to make it. */
void report_make_page(const struct report *r);

#endif
