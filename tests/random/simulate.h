/*
 * Runs sequences on the generated CPU, in user mode, with memory where protocol.h says.
 */
#ifndef TESTS_RANDOM_SIMULATE_H
#define TESTS_RANDOM_SIMULATE_H

#include <stdbool.h>
#include "protocol.h"

struct simulator;

enum simulate_by { BY_INTERPRETER, BY_QUICK_TIER, BY_LLVM };

/* Each block is translated by a tier when it is first run, or interpreted. `all`: the CPU has every feature.
 * NULL after a message on standard error. */
struct simulator *simulator_new(enum simulate_by by, bool all);
void simulator_free(struct simulator *s);

/* What a sequence left: the quick tier translates what has run some times, so that the first run is interpreted. */
struct outcome {
    struct reply first, last;
};

/* Runs a sequence in one go. False when it does not come to its end. */
bool simulate(struct simulator *s, const struct request *request, struct outcome *outcome);

/* The same, one instruction a run; counts how often what begins at each unit was executed. */
bool simulate_steps(struct simulator *s, const struct request *request, struct reply *reply,
                    unsigned executed[MAX_HALVES]);

#endif
