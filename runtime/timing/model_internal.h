/*
 * Internals of the models. A core has one station for all its engines if a warp may run on any of
 * them, or one station per engine if a warp has its own. A warp is ready at its station (READY),
 * runs until an event says that its bundles are done, waits, and is ready again.
 */
#ifndef RUNTIME_TIMING_MODEL_INTERNAL_H
#define RUNTIME_TIMING_MODEL_INTERNAL_H

#include "runtime/timing/cache.h"
#include "runtime/timing/events.h"
#include "runtime/timing/fills.h"
#include "runtime/timing/model.h"

enum { MAX_ENGINES = 64, NO_WARP = 0xffffffff, NO_BUNDLE = 0xffffffff, NO_SHIFT = 64 };

enum warp_next { NEXT_UNKNOWN, NEXT_BUNDLE, NEXT_NONE };
enum warp_state { WARP_READY, WARP_RUNS, WARP_WAITS, WARP_ENDED };

struct warp {
    struct timing_cursor cursor;
    uint32_t group; /* number of the resident group */
    uint32_t station;
    /* next in the station's queue, or in the list of free warps */
    uint32_t next;
    bool held;                             /* the warp has a place in its station's engines */
    uint32_t run_first, run_count, run_at; /* detailed: bundles of a RUN, and the next one */
    uint64_t run_times;
    enum warp_next found; /* detailed, with an instruction cache: what comes next */
    uint64_t launch;      /* ticks of its group's launch if the warp has not run yet */
    enum warp_state state;
    enum timing_cause waits_for;
    enum timing_event after; /* event when the running bundles are done */
    uint32_t bundle;         /* last bundle that the warp ran */
    uint32_t waits_bundle;   /* bundle for whose answer the warp waits; NO_BUNDLE: none */
    /* Detailed: the scoreboard. */
    struct {
        uint64_t free; /* ticks at which the slot is free */
        uint32_t bundle;
        enum timing_cause cause;
    } slot[TIMING_SLOTS];
};

struct warp_queue {
    uint32_t first, last; /* NO_WARP: empty */
};

struct station {
    struct warp_queue ready;
    struct warp_queue outside; /* ready warps for which engines have no place (engine_warps) */
    unsigned held;             /* warps that have a place; counted if there is a limit */
    unsigned warps;            /* assigned warps that have not ended */
    unsigned idle;             /* number of idle engines */
    uint64_t since[MAX_ENGINES];
    /* Detailed, for cut.c: warps that began, bundles issued, and these at half of the part. */
    uint64_t begun, issued, issued_at_half;
};

struct resident {
    uint32_t core, slot, warps, warps_left, waiting;
    uint32_t index; /* into the job's groups */
    uint32_t next;  /* next in the list of free groups */
    uint32_t threads;
    uint64_t arrived; /* time of the last warp's arrival at a barrier */
    uint64_t begin;   /* when it was assigned */
    uint32_t *warp;   /* numbers of its warps */
};

struct core {
    uint32_t threads;
    /* ticks: arrival of the first of the core's groups; sum of the times with groups before that */
    uint64_t active_since, active;
    VEC(uint8_t) slots;       /* 1: a group occupies the slot */
    struct timing_fills code; /* the instruction cache, if there is one */
    struct timing_cache l1;   /* reassemble */
    /* Detailed: */
    struct timing_fills fills;
    uint64_t memory_free, texture_free; /* ticks at which the pipes are free */
};

/* Detailed: L2 and memory, which jobs on other cores may share. */
struct beyond {
    struct timing_fills fills;     /* lines of L2 */
    uint64_t l2_free, memory_free; /* ticks at which L2 and memory are free */
    uint64_t l2_line, dram_line;   /* ticks that each needs per line */
};

enum { CUT_BATCHES = 8 };

struct cut_batch {
    uint64_t ticks, bundles;
};

struct model {
    const struct timing_params *p;
    const struct timing_shape *shape;
    const struct timing_job *job;
    enum timing_fidelity fidelity;
    unsigned stations, engines; /* stations per core; engines per station */
    struct core *cores;
    struct station *station;
    struct timing_cache l2; /* reassemble */
    struct beyond *beyond;
    uint64_t space; /* bits that set the lines of its address space apart in a shared L2 */
    struct timing_line *lines; /* by bundle, the last one for no bundle; NULL: not requested */
    struct timing_events events;
    VEC(struct warp) warps;
    VEC(struct resident) groups;
    uint32_t free_warps, free_groups;
    uint64_t *instructions; /* sum of the bundles before each */
    uint64_t *issue_ticks;  /* ticks for which each bundle occupies an engine */
    unsigned line_shift;    /* NO_SHIFT: a line's size is no power of two */
    /* lines that a bundle accesses, with the kind of access in the upper bits */
    VEC(uint64_t) accessed_lines;
    bool lines_unsorted; /* the lines are not sorted yet */
    /* The next group to be assigned: */
    size_t next_group;
    unsigned next_core;
    /* threads of the current core, if cores are filled one by one */
    uint64_t filled;
    uint64_t batch_groups, batch_threads; /* size of the current batch so far */
    uint64_t residents;
    uint64_t begin, now;
    struct timing_result *out;
    /* Extrapolation (cut.c). timing_cut_here() is called when m->out->bundles has reached `stop`.
     * The model ends after `end` bundles. */
    struct timing_cut cut;
    uint64_t stop, end;
    bool has_ended;                          /* the model was cut */
    struct timing_result half;               /* results after end / 2 bundles */
    struct timing_line *half_lines;          /* lines after end / 2 bundles */
    struct cut_batch batch[CUT_BATCHES + 1]; /* progress during the second half */
    unsigned batches;
    timing_stay_sink *stay; /* NULL: not requested */
    void *stay_opaque;
};

/* ---- model.c --------------------------------------------------------------------------------- */

/* Prepares a model whose inputs, `beyond` and time of beginning are set, and assigns the first
 * groups. */
void timing_begin(struct model *m);
/* Handles the next event. false: there is none, and the job has ended. */
bool timing_advance(struct model *m);
/* Completes the result and frees what timing_begin() made. */
void timing_finish(struct model *m);

/* ---- code.c ---------------------------------------------------------------------------------- */

/* Makes and frees the cores' instruction caches, if icache_bytes is not 0. */
void timing_code_begin(struct model *m);
void timing_code_end(struct model *m);
/* Fetches the code of a bundle, which a core needs at `at`; returns the ticks until it is there. */
uint64_t timing_code_fetch(struct model *m, struct core *c, uint32_t bundle, uint64_t at);
/* Fetches the code of the bundles of `run`; returns the sum of the waits of all its passes. */
uint64_t timing_code_fetch_run(struct model *m, struct core *c, const struct timing_cursor *run,
                               uint64_t at);

/* ---- dispatch.c ------------------------------------------------------------------------------ */

/* Assigns groups while there is room. */
void timing_dispatch(struct model *m);
/* Removes a resident group that has ended. */
void timing_retire(struct model *m, uint32_t group);

/* ---- memory.c, detailed.c -------------------------------------------------------------------- */

/* Handles the accesses of a MEMORY event. Returns the ticks until its warp continues; *cause is
 * what it waits for. */
uint64_t timing_memory(struct model *m, struct warp *w, enum timing_cause *cause);
uint64_t timing_detailed_memory(struct model *m, struct warp *w, enum timing_cause *cause);
/* Handles a barrier of a warp: returns the time at which its message leaves the core's pipe. */
uint64_t timing_detailed_barrier(struct model *m, uint32_t core);
void timing_detailed_begin(struct model *m);
void timing_detailed_end(struct model *m);
/* Makes and frees an L2 and memory. */
void timing_beyond_begin(struct beyond *b, const struct timing_params *p);
void timing_beyond_end(struct beyond *b);

/* log2 of a line's size, or NO_SHIFT. */
unsigned timing_line_shift(uint64_t line_bytes);
/* Puts the lines that the warp's bundle accesses into m->asked: each once, by kind of access, then
 * by number. */
void timing_collect(struct model *m, struct timing_cursor *c);
enum timing_access timing_asked_access(uint64_t asked);
uint64_t timing_asked_line(const struct model *m, const struct warp *w, uint64_t asked);
bool timing_is_store(enum timing_access access);

#endif
