/* mali-run: durations of several runs of the chains. */
#ifndef PROGRAMS_MALI_RUN_REPEAT_H
#define PROGRAMS_MALI_RUN_REPEAT_H

#include <stdint.h>
#include <stdio.h>

#include "common/vec.h"

/* All zeros: no run yet. */
struct run_times {
    VEC(double) ms;  /* elapsed time per run */
    VEC(double) cpu; /* processor time of the program per run, in ms */
    double start, cpu_start;
};

/* Called before and after the timed code. */
void run_times_begin(struct run_times *t);
void run_times_end(struct run_times *t);

/* Prints the best and the median of the runs, one line per kind of time. The median of an even
 * number is the mean of the middle two. */
void run_times_print(struct run_times *t, FILE *out);
void run_times_release(struct run_times *t);

#endif
