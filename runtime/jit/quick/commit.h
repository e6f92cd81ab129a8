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

/* append.c: appends an instruction of a source, or a call of its handler. */
struct commit_end q_append_insn(struct quick *q, unsigned source, unsigned index,
                                const int64_t *next);

/*
 * skip.c: guest instructions that the trace does whether the guest does them or skips them, and
 * selects the results. q_can_skip(): whether the first instructions of a source, source.skips, are
 * such. q_append_skipped() appends them behind the source's head, when q->trace->choice is the
 * select of the two addresses.
 */
bool q_can_skip(struct quick *q, unsigned source);
void q_append_skipped(struct quick *q, unsigned source);

#endif
