/* Traces made by hand, for tests. */
#ifndef TESTS_TIMING_MAKE_H
#define TESTS_TIMING_MAKE_H

/* clang-format off */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "runtime/timing/model.h"

/*
 * The text of a warp has a letter per bundle or bundles:
 *
 *     a     an arithmetic bundle of one word
 *     l, s  a load, a store of the line whose number follows: l3, s120
 *     g, x  a load of the group's own memory, an atomic operation
 *     |     a barrier
 */

/* Begins a job: threads per group, and threads per warp. */
void make_job(struct timing_job *job, unsigned group_threads, unsigned warp_width);
/* Adds a group; the arguments are the texts of its warps, and NULL ends them. */
void make_group(struct timing_job *job, const char *first, ...);
/* Adds groups of `warps` warps that all have the same text. */
void make_groups(struct timing_job *job, unsigned groups, unsigned warps, const char *text);
/* Returns `text` repeated `times` times; the caller frees it. */
char *make_times(const char *text, unsigned times);

/* Runs the job and checks that its account adds up to the time of all engines. */
struct timing_result make_run(const struct timing_params *p, const struct timing_shape *shape,
                              enum timing_fidelity fidelity, const struct timing_job *job);

#endif
