/* What the files share that append an instruction to the trace (commit.c, merge.c). */
#ifndef RUNTIME_JIT_QUICK_COMMIT_INTERNAL_H
#define RUNTIME_JIT_QUICK_COMMIT_INTERNAL_H

#include "runtime/jit/quick/commit.h"

struct commit {
    struct quick *q;
    struct quick_record *d;
    const int64_t *next;
    q_value *value; /* by raw node: in the trace */
    q_value pc;     /* what was written to the PC on the way, or 0 */
    int mode;       /* what the mode was set to on the way, or Q_SAME_MODE */
    uint32_t undo_nodes, undo_ways, undo_calls, undo_facts;
};

/* A raw value in the trace; whether it has one, on the way that was gone. */
q_value commit_value(const struct commit *c, q_value raw);
bool commit_has_value(const struct commit *c, q_value raw);
/* Appends what a raw node is. */
q_value commit_raw(struct commit *c, const struct raw *raw);

enum {
    MAX_MERGE = 72,   /* blocks */
    MAX_EDGES = 12,   /* at a time */
    CHEAP_MERGE = 24, /* weight of what is better done always than guarded against */
    TINY_MERGE = 12,  /* of what a guard that is passed once a trace does not pay for, */
    SMALL_MERGE = 18  /* where a rare way has turned out not to be rare */
};

struct merge {
    uint32_t order[MAX_MERGE]; /* the blocks between, each after those that lead to it */
    unsigned count, weight;
    uint32_t join;
    bool changes; /* registers or memory */
    bool leaves;  /* a way out of one is rare: a guard */
};

/* Enters a way out of the trace at the current instruction; returns its index in quick.ways. */
uint32_t commit_add_way(struct quick *q, struct q_way way);
/* Appends a guard that leaves by `way` unless the condition is as expected; nothing when guards before
 * it have shown that. */
void commit_guard(struct commit *c, const struct q_condition *cond, bool expected,
                  struct q_way way);
/* Whether guards that the trace has passed tell what the condition is: *value. */
bool commit_knows(const struct commit *c, const struct q_condition *cond, bool *value);
/* The trace goes on only if the value is not 0, or is 0. */
void commit_expect(struct commit *c, q_value v, bool expected, struct q_way way);

/* Whether the ways from a branch do no more than compute and access memory, and meet again. */
bool merge_plan(const struct commit *c, const struct raw_block *from, struct merge *m);
/* Appends all of them, up to where they meet; that block is entered then. */
void merge_append(struct commit *c, uint32_t from, const struct merge *m);

#endif
