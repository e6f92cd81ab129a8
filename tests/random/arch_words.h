/*
 * How an architecture's instructions are drawn and prepared. One a program, words.c in the
 * architecture's folder.
 */
#ifndef TESTS_RANDOM_ARCH_WORDS_H
#define TESTS_RANDOM_ARCH_WORDS_H

#include "tests/random/sequence.h"

struct arch_words {
    const char *isa; /* its name in the description */

    /* The instruction that jumps from CODE + 2 * half to CODE + STUB. */
    struct instruction (*jump_to_stub)(unsigned half);
    void (*random_state)(struct generator *g, struct state *s);
    /* Registers that should be one, and what else is rare among random words. NULL: nothing. */
    uint32_t (*mend)(struct generator *g, const struct form *form, uint32_t word);
    /* The unit of a random word: it, and what prepares it. */
    void (*make_unit)(struct generator *g, const struct form *form, uint32_t word, struct unit *u);
    /* A word that is surely undefined; false: none was found. */
    bool (*undefined)(struct generator *g, uint32_t *word);
    /* The word of a unit that jumps, with its target so many bytes from it. */
    uint32_t (*aim)(const struct unit *u, uint32_t word, int distance);
};

extern const struct arch_words arch_words;

#endif
