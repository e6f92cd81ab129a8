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
    uint32_t undo_nodes, undo_ways, undo_calls, undo_facts;
};

/* A raw value in the trace; whether it has one, on the way that was gone. */
q_value commit_value(const struct commit *c, q_value raw);
bool commit_has_value(const struct commit *c, q_value raw);
/* Appends what a raw node is. */
q_value commit_raw(struct commit *c, const struct raw *raw);

enum {
    MAX_MERGE = 12 /* blocks, and edges at a time */,
    CHEAP_MERGE = 24 /* weight of what is better done always than guarded against */
};

struct merge {
    uint32_t order[MAX_MERGE]; /* the blocks between, each after those that lead to it */
    unsigned count, weight;
    uint32_t join;
};

/* Whether the ways from a branch only compute, and meet again. */
bool merge_plan(const struct commit *c, const struct raw_block *from, struct merge *m);
/* Appends all of them, up to where they meet; that block is entered then. */
void merge_append(struct commit *c, uint32_t from, const struct merge *m);

#endif
