/* Declarations for the files that append an instruction to the trace: commit*.c, guards.c,
 * merge.c. */
#ifndef RUNTIME_JIT_QUICK_COMMIT_INTERNAL_H
#define RUNTIME_JIT_QUICK_COMMIT_INTERNAL_H

#include "runtime/jit/quick/commit.h"

struct commit {
    struct quick *q;
    struct quick_record *d;
    const int64_t *next;
    q_value *value;  /* by raw node: its value in the trace */
    q_value pc;      /* the value that the path has written to the PC, or 0 */
    bool has_chosen; /* `pc` selects one of two addresses, both of which end the instruction */
    int mode;        /* the mode that the path has set, or Q_SAME_MODE */
    uint32_t undo_nodes, undo_side_exits, undo_calls, undo_facts;
};

/* The value in the trace of a raw value, and whether it has one on the appended path. */
q_value commit_value(const struct commit *c, q_value raw);
bool commit_has_value(const struct commit *c, q_value raw);
/* Appends a raw node, and returns its value. */
q_value commit_raw(struct commit *c, const struct raw *raw);

enum {
    MAX_MERGE = 72,   /* blocks of a merge */
    MAX_EDGES = 12,   /* open edges at a time */
    CHEAP_MERGE = 24, /* weight up to which a merge is better than a guard that is often passed */
    TINY_MERGE = 12,  /* weight up to which it is better than a guard passed once per trace */
    SMALL_MERGE = 18  /* TINY_MERGE's limit where a guard has failed often */
};

struct merge {
    uint32_t order[MAX_MERGE]; /* the merged blocks, each after its predecessors */
    unsigned count, weight;
    uint32_t join;
    bool changes; /* writes registers or memory */
    bool leaves;  /* has a guard against a rare branch */
};

/* Adds an exit at the current instruction; returns its index in quick.side_exits. */
uint32_t commit_add_side_exit(struct quick *q, struct q_side_exit out);
/* Appends a guard that leaves by `out` unless the condition is as expected; nothing if earlier
 * guards imply that. */
void commit_guard(struct commit *c, const struct q_condition *cond, bool expected,
                  struct q_side_exit out);
/* Whether guards that the trace has passed determine the condition: *value. */
bool commit_knows(const struct commit *c, const struct q_condition *cond, bool *value);
/* The same of a value that is 0 or not, also of conditions that are joined. */
bool commit_shows(const struct commit *c, q_value v, bool *value);
/* Appends guards that leave by `out` unless the value is not 0 (expected), or is 0. */
void commit_expect(struct commit *c, q_value v, bool expected, struct q_side_exit out);

/* Whether the paths from a branch only compute and access memory, and join again. */
bool merge_plan(const struct commit *c, const struct raw_block *from, struct merge *m);
/* Appends all of these paths, up to where they join, and enters that block. */
void merge_append(struct commit *c, uint32_t from, const struct merge *m);

#endif
