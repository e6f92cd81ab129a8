/*
 * Which words are left out of the comparison: left_out.def.
 */
#ifndef TESTS_RANDOM_LEFT_OUT_H
#define TESTS_RANDOM_LEFT_OUT_H

#include "gencc/model/model.h"

/* The reason to leave a word of the instruction out, or NULL; `all`: the CPU has every feature. */
const char *left_out(const struct instr *instr, uint32_t word, bool all);

/* What the referee gets wrong, and the words, up to the first 0, that show it. */
struct mistake {
    const char *reason;
    bool all; /* of the CPU that has every feature */
    uint32_t words[8];
};

/* The mistakes of left_out.def by number; NULL behind the last. */
const struct mistake *known_mistake(unsigned n);

#endif
