/* Between the files that run a row: warp.c, which decides, and traced.c, tally.c and record.c for host code. */
#ifndef RUNTIME_GPU_SHADER_RUNNING_H
#define RUNTIME_GPU_SHADER_RUNNING_H

#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/core.h"

/* Lanes that run, and where the nearest others wait. */
struct gpu_front {
    unsigned lanes, warps; /* that run */
    uint64_t rejoin;       /* lowest address at which others wait; UINT64_MAX: nobody does */
};

/* ---- warp.c, at each level of the host's instruction set, which level.c chooses from ---------- */

#ifdef GPU_LEVEL
#define gpu_warp_run       GPU_LEVEL_NAME(gpu_warp_run)
#define gpu_warp_resume    GPU_LEVEL_NAME(gpu_warp_resume)
#define gpu_warp_set_out   GPU_LEVEL_NAME(gpu_warp_set_out)
#define gpu_warp_fill_pool GPU_LEVEL_NAME(gpu_warp_fill_pool)
void gpu_warp_run(struct gpu_worker *k, struct gpu_warp *w);
#endif

/* Puts the words of the pool that code needs, up to number `words`, where it reads them. */
void gpu_warp_fill_pool(struct gpu_worker *k, struct gpu_warp *w, unsigned words);
/* All lanes of a row that begins run. */
void gpu_warp_set_out(struct gpu_worker *k, struct gpu_warp *w);
/* Goes on behind a bundle that host code ended with, until something has to be decided for the row. */
void gpu_warp_resume(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code,
                     const struct gpu_front *front);

/* ---- traced.c -------------------------------------------------------------------------------- */

/* The trace that begins with the bundle, if the row may run it now. */
struct gpu_trace *gpu_trace_usable(const struct gpu_worker *k, const struct gpu_code *code,
                                   const struct gpu_front *front);
/* Runs a trace; returns the bundle that was the last; NULL: something has to be decided for the row. */
struct gpu_code *gpu_trace_run(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t,
                               const struct gpu_front *front);
/* A trace that is the whole way of the threads of rows from number `first` of the worker's group on, before number *end: rows
 * that have all their lanes, as many as the budget lets run. NULL: each row needs a look of its own. */
struct gpu_trace *gpu_trace_of_rows(const struct gpu_worker *k, unsigned first, unsigned *end);
/* Runs such rows in the memory of the first, which begins, for each only what differs from the one before. true: all have ended;
 * false: `w` is a row that did not end with the trace, and has gone on. */
bool gpu_trace_run_rows(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t,
                        unsigned end);

/* ---- tally.c --------------------------------------------------------------------------------- */

/* Counts what rows did that went `rounds` times round a trace and then on to its bundle `last`, each of `times` rows. */
void gpu_tally_trace(struct gpu_worker *k, const struct gpu_trace *t, const struct gpu_front *front,
                     uint64_t rounds, unsigned last, uint64_t times);
/* Counts what sides of a trace did since they were counted last; `missed` of it not behind bundle `last`, in its side. */
void gpu_tally_sides(struct gpu_worker *k, const struct gpu_trace *t, unsigned last,
                     uint64_t missed);

/* ---- record.c -------------------------------------------------------------------------------- */

/* A bundle is to be executed alone: counts that, and notes it for a trace. */
void gpu_record_bundle(struct gpu_worker *k, const struct gpu_warp *w, struct gpu_code *code);
/* Makes a trace of what was recorded. */
void gpu_record_finish(struct gpu_worker *k);
/* The lanes of the row do not go along together behind the last bundle that was recorded: goes on with the recording, or makes a
 * trace of it. */
void gpu_record_turn(struct gpu_worker *k, const struct gpu_warp *w, const struct gpu_code *code,
                     const struct gpu_front *front);
/* The same, if anything was. */
static inline void gpu_record_end(struct gpu_worker *k)
{
    if (__builtin_expect(k->recorded.count != 0, 0))
        gpu_record_finish(k);
}
/* A row has come back to where the trace begins, from its end or after it left it before: round a loop that the trace does not go round. */
void gpu_trace_heed_return(struct gpu_worker *k, struct gpu_trace *t);
/* Many rows part behind a bundle of a trace, which has no sides there, or go round it if that is NULL: one that does is to be
 * recorded in place of it. */
void gpu_record_anew(struct gpu_worker *k, struct gpu_trace *t, struct gpu_code *last);
/* Whether that may be. */
bool gpu_records_anew(const struct gpu_worker *k, const struct gpu_trace *t,
                      const struct gpu_code *last);
/* Whether other traces are to be passed through in the interpreter, so that what is being recorded may have their bundles. */
bool gpu_records_through(const struct gpu_worker *k);

#endif
