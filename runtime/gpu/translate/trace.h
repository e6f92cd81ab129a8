/* The function of a trace while it is built: the interface between trace.c, diverge.c and
 * exits.c. */
#ifndef RUNTIME_GPU_TRANSLATE_TRACE_H
#define RUNTIME_GPU_TRANSLATE_TRACE_H

#include "runtime/gpu/translate/internal.h"

enum { DIVERGED_GROUPS = 8 };

/* Lanes that continue at one address. */
struct diverged_group {
    uint64_t address;
    LLVMValueRef bits; /* variable with their mask */
};

/* The row's lanes while they are divergent. */
struct divergence {
    bool is_divergent, ended; /* lanes are divergent; some lanes may have ended */
    struct diverged_group group[DIVERGED_GROUPS];
    unsigned count;
    LLVMBasicBlockRef block_behind; /* block behind the side that is being built; NULL: none is */
    /* In a loop that lanes leave: the variable with those that have not. NULL: no lanes leave. */
    LLVMValueRef staying;
    LLVMValueRef staying_count; /* variable with their count */
    /* The two ways of a divergence that is not counted yet, and its bundle; NULL: there is none. */
    LLVMValueRef some, rest;
    unsigned apart_behind;
    uint64_t highest; /* address of its bundles: lanes behind it have left */
};

/* A place before a block's end where the state of lanes is stored, or that of the row loaded. The
 * code is inserted when it is known which slots differ. */
struct point {
    LLVMBasicBlockRef block;
    LLVMValueRef bits; /* NULL: the state is loaded */
};

/* A fork of the trace: where its other way begins, and what is known of registers there. */
struct fork {
    LLVMBasicBlockRef block; /* NULL: its branch is not built yet */
    struct lanes_saved *saved;
};

struct building {
    struct jit_build *j;
    struct gpu_trace *trace;
    LLVMBasicBlockRef start, head, leave, done;
    LLVMBasicBlockRef row;     /* start of each row; NULL: the function is for one row */
    LLVMValueRef first_thread; /* number of the first row's first thread in its group */
    LLVMValueRef round, rounds,
        last; /* variables: full rounds, or rows, so far; their limit; last bundle */
    struct point *points;
    unsigned point_count, point_capacity;
    struct divergence divergence;
    LLVMValueRef
        pattern[GPU_PATTERNS]; /* variables of the first lane's words of gpu_trace.patterns */
    struct fork fork[GPU_TRACE_FORKS];
    bool handlers;     /* handlers may have written any register */
    bool control;      /* a handler may have changed where the row continues */
    bool ends_written; /* all lanes may end at a place behind which registers are written */
};

/* ---- exits.c --------------------------------------------------------------------------------- */

/* Stores a word in a member of the row, by its offset. */
void trace_store32(struct jit_build *j, size_t member, LLVMValueRef v);
/* Ends the current block at a point where the state of the lanes `bits` is stored to memory, or, if
 * `bits` is NULL, loaded from it. */
void trace_add_point(struct building *b, LLVMValueRef bits);
/* Leaves the trace at bundle `n`; `how` is 0, GPU_TRACE_ENDED or GPU_TRACE_SETTLED. */
void trace_leave(struct building *b, unsigned n, unsigned how);
/* Continues if the condition holds, else exits at bundle `n`, with the lanes `bits` (NULL: none)
 * branching. */
void trace_continue_if(struct building *b, LLVMValueRef cond, LLVMValueRef bits, unsigned n);
/* The active lanes of a mask; NULL if the mask is NULL. */
LLVMValueRef trace_active(struct jit_build *j, LLVMValueRef mask);
/* An integer that is not 0 if accesses or handlers left something to do at the end of the bundle.
 * NULL: there were none. */
LLVMValueRef trace_happened(struct jit_build *j);
/* Whether the target of branching lanes is a known address, left in *target. */
bool trace_known_target(struct jit_build *j, uint64_t *target);
LLVMValueRef trace_is_none(struct jit_build *j, LLVMValueRef bits);
/* Whether a mask is constant and contains all lanes. */
bool trace_is_all(struct jit_build *j, LLVMValueRef mask);
LLVMValueRef trace_widened(struct jit_build *j, LLVMValueRef bits);
/* The block that is reached when all live lanes of the row have ended at bundle `n`, or in sides;
 * `how` is as for trace_leave(). */
LLVMBasicBlockRef trace_done(struct building *b, unsigned n, unsigned how);
/* Stores the branch of the lanes `bits` in the row. */
void trace_store_branch(struct building *b, LLVMValueRef bits);
/* Exits at bundle `n` because the lanes `bits` end. If no other lanes of the row live, its
 * registers are not read again. */
void trace_leave_ending(struct building *b, LLVMValueRef bits, unsigned n);
/* Exits at bundle `n`, with the lanes `branching` (NULL: none), if a fault occurred or lanes
 * end. */
void trace_leave_early(struct building *b, LLVMValueRef branching, unsigned n);

/* Begins the block at the start of each row, and what follows it. */
void trace_begin_row(struct building *b);
/* Builds the branch to `head` for the next round, or row, and goes on behind the last. */
void trace_next_round(struct building *b, LLVMBasicBlockRef head);
/* Ends a row that has come to the barrier behind which other rows go on, too. */
void trace_end_phase(struct building *b, unsigned n);
/* The lanes whose registers the function has: all that entered, but for those that left a loop. */
LLVMValueRef trace_present(struct building *b);
/* Builds the way out of rows that leave the trace early, and adds the registers that are
 * written. */
void trace_finish_leave(struct building *b);
/* Builds the return of rounds, last bundle and kind of exit. */
void trace_return(struct building *b);

/* ---- abreast.c ------------------------------------------------------------------------------- */

/* Builds the head of each round: all of them are done, or the round begins. */
void abreast_begin_round(struct building *b);
/* Counts a round, and begins the next one. */
void abreast_next_round(struct building *b);
/* Whether the bundle has no other effect than registers and a branch. */
bool abreast_allows(const struct building *b);
/* Builds the way out, with the registers at the head of the last round that began, and the return
 * of the number of rounds before. */
void abreast_finish(struct building *b);

/* ---- loop.c ---------------------------------------------------------------------------------- */

/* Notes at the head of the function what gpu_trace.patterns says of registers. */
void loop_begin(struct building *b);
/* Ends a round: drops the patterns that it has not preserved, or not used, from the trace. If there
 * are any, the function must be built again. */
void loop_end(struct building *b);

/* ---- barriers.c ------------------------------------------------------------------------------ */

/* Keeps the row's registers at the barrier, which is bundle `n`, and lets the next rows come to it.
 * What is built next is behind the barrier, where the first row goes on. */
void barriers_cross(struct building *b, unsigned n);

/* ---- fork.c ---------------------------------------------------------------------------------- */

/* Continues if the condition holds. If the trace has a fork behind bundle `n` whose other way
 * begins at `address`, which all lanes go if `all_other` holds, rows go on there; others exit as by
 * trace_continue_if(). */
void fork_continue_if(struct building *b, LLVMValueRef cond, LLVMValueRef branching, unsigned n,
                      LLVMValueRef all_other, uint64_t address);
/* Goes on at the fork whose other way begins with bundle `n`. false: there is none. */
bool fork_begin(struct building *b, unsigned n);

/* ---- diverge.c ------------------------------------------------------------------------------- */

/* Leaves the trace behind bundle `n`, with the lanes at `address` that are in a loop, or else with
 * all that entered it. */
void diverge_exit_together(struct building *b, uint64_t address, unsigned n);

/* Begins a round of a loop that lanes leave, at its head. */
void diverge_begin_round(struct building *b);

/* As build_transition() of trace.c, for bundles with or after a divergence, or behind which only
 * some lanes end. */
bool diverge_build_transition(struct building *b, const struct gpu_code *code,
                              const struct gpu_code *next, unsigned n);

#endif
