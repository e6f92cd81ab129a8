/*
 * How an architecture's instructions are drawn and prepared. One per program: words.c in the
 * architecture's folder.
 */
#ifndef TESTS_RANDOM_ARCH_WORDS_H
#define TESTS_RANDOM_ARCH_WORDS_H

#include "tests/random/sequence.h"

struct arch_words {
    const char *isa; /* name of the ISA in the description */
    bool boxed;      /* floats of 32 bits have ones above them */

    /* Returns the instruction that jumps from CODE + 2 * half to CODE + STUB. */
    struct instruction (*jump_to_stub)(unsigned half);
    void (*random_state)(struct generator *g, struct state *s);
    /*
     * Makes equal registers and other rare cases more frequent in random words. NULL: not needed.
     */
    uint32_t (*mend)(struct generator *g, const struct form *form, uint32_t word);
    /* Makes the unit of a random word: the word and its preparations. */
    void (*make_unit)(struct generator *g, const struct form *form, uint32_t word, struct unit *u);
    /* Finds a word that is certainly undefined. Returns false if it found none. */
    bool (*undefined)(struct generator *g, uint32_t *word);
    /*
     * Puts the unit that ends a loop: it counts the word at MIDDLE + TURNS_AT down, and its last
     * instruction jumps unless that is 0.
     */
    void (*put_loop)(struct generator *g, struct unit *u);
    /* Returns the word of a unit's jump, with its target `distance` bytes from it. */
    uint32_t (*aim)(const struct unit *u, uint32_t word, int distance);
};

extern const struct arch_words arch_words;

#endif
