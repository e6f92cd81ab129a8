/* Words that are left out of the comparison: left_out.def. */
#ifndef TESTS_RANDOM_LEFT_OUT_H
#define TESTS_RANDOM_LEFT_OUT_H

#include "gencc/model/model.h"

/*
 * Returns the reason why a word of the instruction is left out, or NULL. `all`: the CPU has every
 * feature.
 */
const char *left_out(const struct instr *instr, uint32_t word, bool all);

/* A mistake of the referee, and words, up to the first 0, that show it. */
struct mistake {
    const char *reason;
    bool all; /* on the CPU that has every feature */
    uint32_t words[8];
};

/* Returns mistake n of left_out.def; NULL after the last. */
const struct mistake *known_mistake(unsigned n);

#endif
