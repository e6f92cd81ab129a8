/*
 * A table of measured times, as text. A line is a row of fields, separated by commas. The first
 * line names the fields, in any order. Lines that begin with '#' and empty lines are ignored.
 *
 *     trace    a file of mali-run -trace-timing, from the table's folder, or several with
 *              semicolons between them, whose times are added
 *     cycles   measured time in GPU cycles; or
 *     us       measured time in microseconds
 *     name     name of the row; by default that of the trace
 *     job      number of the job in the file, from 1 on; empty: all jobs together
 *     set      train or test; empty: the tuner decides
 */
#ifndef RUNTIME_TIMING_TUNE_TABLE_H
#define RUNTIME_TIMING_TUNE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/timing/model.h"

enum tune_set { TUNE_ANY, TUNE_TRAIN, TUNE_TEST };

struct tune_row {
    char *name, *trace;
    uint64_t job; /* 0: all */
    double measured;
    enum tune_set set;
    unsigned line; /* line number in the table */
    VEC(struct timing_job) jobs;
};

struct tune_table {
    VEC(struct tune_row) rows;
    bool microseconds; /* the unit is microseconds, else cycles */
};

/* Reads a table and the traces that it names. false: *err names the line and its error. */
bool tune_table_read(struct tune_table *t, const char *path, struct error *err);
void tune_table_release(struct tune_table *t);

/* Adds jobs of a trace file to the row: job `job` (from 1 on), or all if it is 0. */
bool tune_jobs_read(const char *path, uint64_t job, struct tune_row *row, struct error *err);

/* Predicts the row's time on this GPU, in the table's unit. */
bool tune_row_predict(const struct tune_row *row, bool microseconds,
                      const struct timing_design *design, double *out, struct error *err);

#endif
