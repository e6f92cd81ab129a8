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

/* What a warp does: letters, each a bundle or more.
 *     a     an arithmetic bundle of one word
 *     l, s  a load, a store of the line whose number follows: l3, s120
 *     g, x  a load of the group's own memory, an atomic operation
 *     |     a barrier */

/* A job whose groups have so many threads, of warps of this width. */
void make_job(struct timing_job *job, unsigned group_threads, unsigned warp_width);
/* The next group: warps that do these things; ends with NULL. */
void make_group(struct timing_job *job, const char *first, ...);
/* A group of `warps` warps that all do the same. */
void make_groups(struct timing_job *job, unsigned groups, unsigned warps, const char *text);
/* "text" so often. The caller frees it. */
char *make_times(const char *text, unsigned times);

/* Runs it and checks that the account's sum is the time of all engines. */
struct timing_result make_run(const struct timing_params *p, const struct timing_shape *shape,
                              enum timing_fidelity fidelity, const struct timing_job *job);

#endif
