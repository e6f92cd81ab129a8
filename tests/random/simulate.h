/* Runs sequences on the generated CPU in user mode, with memory as protocol.h lays it out. */
#ifndef TESTS_RANDOM_SIMULATE_H
#define TESTS_RANDOM_SIMULATE_H

#include <stdbool.h>
#include "tests/random/warm_up.h"

struct simulator;

enum simulate_by { BY_INTERPRETER, BY_QUICK_TIER, BY_BASE, BY_LLVM };

/*
 * Makes a simulator in which a tier translates each block before its first run, or which
 * interprets. `all`: the CPU has every feature. `flat`: translated code accesses memory by host
 * addresses, as in user mode, not by the soft TLB. Returns NULL after a message on standard error.
 */
struct simulator *simulator_new(enum simulate_by by, bool all, bool flat);
void simulator_free(struct simulator *s);

/*
 * The results of a sequence: the quick tier translates after some runs, so that the first run is
 * interpreted.
 */
struct outcome {
    struct reply first, last;
};

/*
 * Runs a sequence in one go, and between the first and the last run from the state and memory of
 * the warm-up. Returns false if it does not reach its end.
 */
bool simulate(struct simulator *s, const struct request *request, const struct warm_up *warm_up,
              struct outcome *outcome);

/*
 * Runs a sequence by one cpu_run() per instruction, and counts how often the instruction at each
 * unit of 16 bits was executed. Returns false if the sequence does not reach its end.
 */
bool simulate_steps(struct simulator *s, const struct request *request, struct reply *reply,
                    unsigned executed[MAX_HALVES]);

#endif
