/* Interface between the files that run a row: warp.c, which decides, and rows.c, traced.c, tally.c
 * and record.c for host code. */
#ifndef RUNTIME_GPU_SHADER_RUNNING_H
#define RUNTIME_GPU_SHADER_RUNNING_H

#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/core.h"

/* Bundles that a trace may run before the worker reads `leaving`; at least one round. */
enum { GPU_TRACE_BUNDLES = 4 * GPU_LEAVING_BUNDLES };

/* The running lanes of a row, and the nearest waiting ones. */
struct gpu_front {
    unsigned lanes, warps;   /* number of running lanes; warps that have some */
    uint64_t lowest_waiting; /* lowest address of waiting lanes; UINT64_MAX: none waits */
};

/* ---- warp.c, at each level of the host's instruction set, which level.c chooses from --------- */

#ifdef GPU_LEVEL
#define gpu_warp_run       GPU_LEVEL_NAME(gpu_warp_run)
#define gpu_warp_resume    GPU_LEVEL_NAME(gpu_warp_resume)
#define gpu_warp_stays     GPU_LEVEL_NAME(gpu_warp_stays)
#define gpu_warp_set_out   GPU_LEVEL_NAME(gpu_warp_set_out)
#define gpu_warp_fill_pool GPU_LEVEL_NAME(gpu_warp_fill_pool)
#define gpu_warp_goes_on   GPU_LEVEL_NAME(gpu_warp_goes_on)
#define gpu_warp_bar       GPU_LEVEL_NAME(gpu_warp_bar)
/* The function of core.h, under the name of this level. */
void gpu_warp_run(struct gpu_worker *k, struct gpu_warp *w);
#endif

/* Fills the pool slots that code reads, up to word `words`. */
void gpu_warp_fill_pool(struct gpu_worker *k, struct gpu_warp *w, unsigned words);
/* Makes all lanes of a row that begins active. */
void gpu_warp_set_out(struct gpu_worker *k, struct gpu_warp *w);
/* Whether a row runs with all its lanes, those of the mask, and they are at `address`. */
bool gpu_warp_goes_on(const struct gpu_warp *w, uint32_t all, uint64_t address);
/* Makes a row whose lanes have all come to a barrier together wait there; `next`: the bundle
 * behind it. */
void gpu_warp_bar(struct gpu_warp *w, uint64_t next);
/* Continues behind the last bundle of a trace until the row needs a decision: divergence, a
 * barrier, a fault or its end. */
void gpu_warp_resume(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code,
                     const struct gpu_front *front);

/* Whether all running lanes continue at one address behind a bundle, left in *next. */
bool gpu_warp_stays(const struct gpu_warp *w, const struct gpu_code *code, uint64_t *next);

/* ---- traced.c -------------------------------------------------------------------------------- */

/* The front of a row with all its lanes active. */
struct gpu_front gpu_whole_rows(const struct gpu_worker *k);
/* The first trace from the bundle that the row `w` may run now; NULL: none. Where `w` is NULL, it
 * may be a loop that not all rows may enter. */
struct gpu_trace *gpu_trace_usable(const struct gpu_worker *k, struct gpu_warp *w,
                                   const struct gpu_code *code, const struct gpu_front *front);
/* Runs a trace, whose words of the pool are filled, and returns its last executed bundle. NULL: the
 * row needs a decision. */
struct gpu_code *gpu_trace_run(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t,
                               const struct gpu_front *front);
/* Whether all lanes of the row ended in a trace that wrote no registers on that path. */
static inline bool gpu_trace_left_unused(const struct gpu_warp *w, const struct gpu_trace *t,
                                         uint64_t done)
{
    unsigned last = done & GPU_TRACE_LAST;
    uint32_t ended = t->codes[last]->flags & GPU_BUNDLE_END ? w->active : w->ended;

    if (done & (GPU_TRACE_ENDED | GPU_TRACE_SETTLED))
        return t->ends_unused && done & GPU_TRACE_ENDED;
    return t->ends_unused && ended == w->live && !(w->branched | w->faulted | w->wait);
}

/* Notes that the trace has written registers of the row. */
static inline void gpu_trace_note_written(struct gpu_warp *w, const struct gpu_trace *t)
{
    if (!t->written_complete)
        w->unused_in = 0;
    for (unsigned i = 0; i < GPU_WRITTEN_WORDS; i++)
        w->written[i] |= t->written[i];
}
/* How a row leaves a trace early: lanes part where the trace has no code for it; it returns to the
 * trace's start; all lanes take another way together; it leaves a trace through barriers; or it is
 * among sides of a trace. */
enum gpu_departure {
    GPU_DEPARTURE_DIVERGED,
    GPU_DEPARTURE_LOOPED,
    GPU_DEPARTURE_TOGETHER,
    GPU_DEPARTURE_THROUGH,
    GPU_DEPARTURE_INSIDE,
};
/* Counts a row that left a trace early. Each worker counts its own, since all of them read the
 * trace's cache lines. Returns whether it is number `most`, and these were among `among` rows that
 * the worker has begun; it then starts again. */
bool gpu_departs_often(struct gpu_worker *k, const struct gpu_trace *t, enum gpu_departure way,
                       uint32_t most, uint64_t among);
/* Counts a run of a trace that returned `done`. Returns the last bundle or NULL, as
 * gpu_trace_run(). */
struct gpu_code *gpu_trace_end(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t,
                               const struct gpu_front *front, uint64_t done);

/* ---- through.c ------------------------------------------------------------------------------- */

/* Runs all rows of a group that begins to their end, through barriers, where one trace takes them
 * there. Returns the number of rows if they have ended; else that of the row with which the group
 * goes on: 0 if none has begun, or one that left the trace early. */
unsigned gpu_group_run_through(struct gpu_worker *k, struct gpu_group *g);
/* Counts `rows` rows that have run the trace `t` from their start to a barrier. If they are many,
 * makes the trace that goes on behind it. */
void gpu_through_heat(struct gpu_worker *k, struct gpu_trace *t, unsigned rows);

/* ---- rows.c ---------------------------------------------------------------------------------- */

/* A trace that is the whole path of rows `first` to *end - 1 of the worker's group, all with full
 * lanes and within the budget. NULL: each row must be started alone. */
struct gpu_trace *gpu_trace_of_rows(const struct gpu_worker *k, unsigned first, unsigned *end);
/* Runs the rows from `w`, which begins, to `end` - 1 in the memory of `w`. Per row only the values
 * that differ from the previous row are set. true: all have ended; false: `w` is a row that left
 * the trace early, and it has continued. */
bool gpu_trace_run_rows(struct gpu_worker *k, struct gpu_warp *w, struct gpu_trace *t,
                        unsigned end);
/* Runs all rows of a group that begins in one function, and those of the groups that `next` makes
 * of it, as long as they stay in it. Returns the number of rows that ended in the group which *g
 * has become; 0: the function left its first row, or it cannot be used. */
unsigned gpu_groups_run_rows(struct gpu_worker *k, struct gpu_group *g, gpu_next_group_fn *next);

/* ---- phase.c --------------------------------------------------------------------------------- */

/* Runs rows from `first` on, which begin or continue behind a barrier, where one trace takes each
 * of them, with all its lanes, to the next barrier or the end. Returns the number of the first row
 * that must be run alone: it is at another bundle, or left the trace early. */
unsigned gpu_trace_run_phase(struct gpu_worker *k, struct gpu_group *g, unsigned first);

/* ---- abreast.c ------------------------------------------------------------------------------- */

/* Lets row `row` begin, if it can be one of several that run a loop at once: they run ahead, and
 * each is counted when its turn has come. Returns whether the row is in the loop, and counted up to
 * there. */
bool gpu_group_take_abreast(struct gpu_worker *k, struct gpu_group *g, unsigned row);
/* Undoes the beginning of rows that have run ahead, before the group is left. */
void gpu_group_drop_ahead(struct gpu_worker *k, struct gpu_group *g);

/* ---- abreast_heat.c -------------------------------------------------------------------------- */

enum { GPU_ABREAST_RUN = 16 }; /* rounds that rows abreast must run to gain something */
/* Counts a run of a loop of so many rounds. */
void gpu_abreast_heat(struct gpu_worker *k, struct gpu_trace *t, uint64_t rounds);

/* ---- wide.c ---------------------------------------------------------------------------------- */

/* The newest trace with forks that begins as `t`, whose function is for rows in memory or for those
 * that begin; NULL: there is none. */
struct gpu_trace *gpu_trace_wide(const struct gpu_trace *t, const struct gpu_rows_shape *shape);
/* Counts a row that ran `t`, or a trace with forks that begins so (`in`), and left it with all its
 * lanes behind a bundle. If they are many, makes one that has both ways there, for rows of a shape.
 */
void gpu_wide_heat(struct gpu_worker *k, struct gpu_trace *t, const struct gpu_trace *in,
                   const struct gpu_warp *w, uint64_t done, const struct gpu_rows_shape *shape);

/* ---- tally.c --------------------------------------------------------------------------------- */

/* Counts `times` rows that each went `rounds` times round a trace and then to its bundle `last`. */
void gpu_tally_trace(struct gpu_worker *k, const struct gpu_trace *t, const struct gpu_front *front,
                     uint64_t rounds, unsigned last, uint64_t times);
/* Counts the rows that a function for rows has passed over, by their paths. */
void gpu_tally_paths(struct gpu_worker *k, const struct gpu_trace *t, const struct gpu_front *front,
                     const struct gpu_row_range *r);
/* As gpu_tally_trace() of rows that ended with the trace, without the work and budget of their
 * group, which gpu_tally_group() counts. */
void gpu_tally_passes(struct gpu_worker *k, const struct gpu_trace *t,
                      const struct gpu_front *front, uint64_t times);
/* Counts the work and budget of a group all of whose rows ended with the trace. */
void gpu_tally_group(struct gpu_worker *k, const struct gpu_trace *t,
                     const struct gpu_front *front);
/* Counts that `times` rows ended at the end of a trace. */
void gpu_tally_ends(struct gpu_worker *k, const struct gpu_trace *t, const struct gpu_front *front,
                    uint64_t times);
/* Counts the executions of a trace's sides since the last call. `missed`, in the unit of
 * gpu_worker.counts, did not get beyond bundle `last` of its side. */
void gpu_tally_sides(struct gpu_worker *k, const struct gpu_trace *t, unsigned last,
                     uint64_t missed);

/* ---- pattern.c ------------------------------------------------------------------------------- */

/* Notes which of the row's registers have a pattern, at the start of a recording. */
void gpu_patterns_observe(struct gpu_recording *r, struct gpu_warp *w, unsigned registers);
/* Whether the row's registers have the patterns that the trace asks for. */
bool gpu_patterns_hold(const struct gpu_trace *t, struct gpu_warp *w);

/* ---- record.c -------------------------------------------------------------------------------- */

/* Appends a bundle that is about to be executed alone to the recording, or begins one with it. */
void gpu_record_bundle(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code);
/* Makes a trace of the recorded bundles. */
void gpu_record_finish(struct gpu_worker *k);
/* Continues or ends the recording when the lanes of the row do not stay together behind the last
 * recorded bundle. */
void gpu_record_turn(struct gpu_worker *k, const struct gpu_warp *w, const struct gpu_code *code,
                     const struct gpu_front *front);
/* Ends the recording if there is one. */
static inline void gpu_record_end(struct gpu_worker *k)
{
    if (__builtin_expect(k->recorded.count != 0, 0))
        gpu_record_finish(k);
}
/* Counts that a row returned to the start of a trace after its end or a side exit: the row is in a
 * loop that the trace does not contain. */
void gpu_trace_count_return(struct gpu_worker *k, struct gpu_trace *t);
/* Retires a trace and starts a new recording in its place. `last` is the bundle behind which many
 * rows diverge; NULL: many rows loop, or take another way together. */
void gpu_record_anew(struct gpu_worker *k, struct gpu_trace *t, struct gpu_code *last);
/* Reinstates the trace that `t` has replaced, if it was for rows that diverge where `t` has
 * sides. */
void gpu_record_undo(struct gpu_trace *t);
/* Whether gpu_record_anew() is allowed. */
bool gpu_records_anew(const struct gpu_worker *k, const struct gpu_trace *t,
                      const struct gpu_code *last);
/* Whether the interpreter runs other traces' bundles, so that the current recording may contain
 * them. */
bool gpu_records_through(const struct gpu_worker *k);

#endif
