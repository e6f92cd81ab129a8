/* From a recorded instruction to nodes of the trace. */
#ifndef RUNTIME_JIT_QUICK_COMMIT_H
#define RUNTIME_JIT_QUICK_COMMIT_H

#include "runtime/jit/quick/simplify.h"

enum { Q_SAME_MODE = -1 };

/* Where the guest goes on behind an instruction that ends its block. */
struct commit_end {
    bool known; /* at delta, behind the trace's first address */
    int64_t delta;
    q_value value; /* else: there */
    int mode;      /* and in that mode then, or Q_SAME_MODE */
};

/* The way there that leaves the trace, where the end is not known. */
struct q_way q_way_of_end(struct quick *q, const struct commit_end *end);

/*
 * Appends the instruction that q->record holds. `next` is the distance at which the trace goes on,
 * or NULL when it ends; *end is where the way that was appended leads, when the instruction is the
 * last of its block; other ways leave. False, and nothing is appended: the instruction is to be left
 * to its handler.
 */
bool commit_insn(struct quick *q, const int64_t *next, struct commit_end *end);

#endif
