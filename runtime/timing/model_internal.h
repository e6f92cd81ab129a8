/*
 * Inside the models. A core has stations: one for all of its engines where a warp may run on any of them,
 * one an engine where a warp has its own. A warp is ready at its station (READY), runs there until
 * something takes time (then an event says that it is done), waits, and is ready again.
 */
#ifndef RUNTIME_TIMING_MODEL_INTERNAL_H
#define RUNTIME_TIMING_MODEL_INTERNAL_H

#include "runtime/timing/cache.h"
#include "runtime/timing/events.h"
#include "runtime/timing/fills.h"
#include "runtime/timing/model.h"

enum { MAX_ENGINES = 64, NO_WARP = 0xffffffff, NO_BUNDLE = 0xffffffff };

enum warp_state { WARP_READY, WARP_RUNS, WARP_WAITS, WARP_ENDED };

struct warp {
    struct timing_cursor cursor;
    uint32_t group; /* resident one, by number */
    uint32_t station;
    uint32_t next;                         /* in the station's queue, or the list of free ones */
    uint32_t run_first, run_count, run_at; /* detailed: bundles of a RUN, and which is next */
    uint64_t run_times;
    uint64_t launch; /* ticks that its group's launch took, if it has not run yet */
    enum warp_state state;
    enum timing_cause waits_for;
    enum timing_event after; /* what happens when the bundles that it runs are done */
    uint32_t bundle;         /* that it ran last */
    uint32_t waits_bundle;   /* whose answer it waits for; NO_BUNDLE: none's */
    /* Detailed: the scoreboard. */
    struct {
        uint64_t free; /* ticks at which it is */
        uint32_t bundle;
        enum timing_cause cause;
    } slot[TIMING_SLOTS];
};

struct station {
    uint32_t first, last; /* warps that are ready */
    unsigned warps;       /* that were given to it and have not ended */
    unsigned idle;        /* engines */
    uint64_t since[MAX_ENGINES];
};

struct resident {
    uint32_t core, slot, warps, left, waiting;
    uint32_t next; /* in the list of free ones */
    uint32_t threads;
    uint64_t arrived; /* when the last warp that waits at a barrier did */
    uint32_t *warp;   /* their numbers */
};

struct core {
    uint32_t threads;
    VEC(uint8_t) slots;     /* 1: a group has it */
    struct timing_cache l1; /* reassemble */
    /* Detailed: */
    struct timing_fills fills;
    uint64_t memory_free, texture_free; /* when its pipes are */
};

struct model {
    const struct timing_params *p;
    const struct timing_shape *shape;
    const struct timing_job *job;
    enum timing_fidelity fidelity;
    unsigned stations, engines; /* of a core, of a station */
    struct core *cores;
    struct station *station;
    struct timing_cache l2; /* reassemble */
    /* Detailed: L2, when it and the memory behind it are free, and ticks that each needs for a line. */
    struct timing_fills fills;
    uint64_t l2_free, memory_free, l2_line, dram_line;
    struct timing_line *lines; /* of each bundle and of none; NULL: not wanted */
    struct timing_events events;
    VEC(struct warp) warps;
    VEC(struct resident) groups;
    uint32_t free_warps, free_groups;
    uint64_t *instructions; /* of the bundles before each */
    uint64_t *hold;         /* ticks for which each holds an engine */
    unsigned line_shift;
    VEC(uint64_t)
    asked;            /* lines that a bundle asks for, with the kind of access in the upper bits */
    bool asked_apart; /* they are not in order yet */
    /* What is handed out next. */
    size_t next_group;
    unsigned next_core;
    uint64_t filled;                      /* threads of that core, if cores are filled one by one */
    uint64_t batch_groups, batch_threads; /* of this batch so far */
    uint64_t residents;
    uint64_t now;
    struct timing_result *out;
};

/* Hands out groups as far as there is room. */
void timing_dispatch(struct model *m);
/* The group has ended. */
void timing_retire(struct model *m, uint32_t group);

/* The accesses of a MEMORY event: ticks until its warp goes on, *cause: for what it waits. */
uint64_t timing_memory(struct model *m, struct warp *w, enum timing_cause *cause);
uint64_t timing_detailed_memory(struct model *m, struct warp *w, enum timing_cause *cause);
/* A warp of the core is at a barrier: when its message has left the pipe. */
uint64_t timing_detailed_barrier(struct model *m, uint32_t core);
void timing_detailed_begin(struct model *m);
void timing_detailed_end(struct model *m);

/* The lines that the warp's bundle asks for, into m->asked: each once, by kind of access, then by place. */
void timing_collect(struct model *m, struct timing_cursor *c);
enum timing_access timing_asked_access(uint64_t asked);
uint64_t timing_asked_line(const struct model *m, const struct warp *w, uint64_t asked);
bool timing_is_store(enum timing_access access);

#endif
