/* mali-run: how long the chains of several runs took. */
#ifndef PROGRAMS_MALI_RUN_REPEAT_H
#define PROGRAMS_MALI_RUN_REPEAT_H

#include <stdint.h>
#include <stdio.h>

#include "runtime/base/vec.h"

/* All zeros: no run yet. */
struct run_times {
    VEC(double) ms;  /* of each run, as the clock on the wall says */
    VEC(double) cpu; /* milliseconds of all processors that the program used in it */
    double start, cpu_start;
};

/* Around what is timed. */
void run_times_begin(struct run_times *t);
void run_times_end(struct run_times *t);

/* Prints the best and the median of the runs, a line of each kind of time; of an even number of them, the mean of the
 * middle two. */
void run_times_print(struct run_times *t, FILE *out);
void run_times_release(struct run_times *t);

#endif
