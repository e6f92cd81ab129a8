/* Appending a recorded instruction to the trace. */
#ifndef RUNTIME_JIT_QUICK_COMMIT_H
#define RUNTIME_JIT_QUICK_COMMIT_H

#include "runtime/jit/quick/simplify.h"

enum { Q_SAME_MODE = -1 };

/* The guest's next address after an instruction that ends its block. */
struct commit_end {
    bool known; /* the address is the trace's first address + delta */
    int64_t delta;
    q_value value; /* otherwise: the address */
    int mode;      /* mode at the next address, or Q_SAME_MODE */
};

/* The exit to an end that is not known. */
struct q_side_exit q_side_exit_of_end(struct quick *q, const struct commit_end *end);

/*
 * Appends the instruction in q->record. *next is the delta at which the trace continues; NULL: it
 * ends. When the instruction is the last of its block, *end is where the appended path leads; other
 * paths leave the trace. False: nothing was appended, and the instruction must be left to its
 * handler.
 */
bool commit_insn(struct quick *q, const int64_t *next, struct commit_end *end);

#endif
