/*
 * Random instruction words.
 */
#ifndef GENCC_REFEREE_WORDS_H
#define GENCC_REFEREE_WORDS_H

#include "gencc/disasm/disasm.h"

struct words {
    struct text *text;
    uint64_t random; /* seed, not 0 */
};

/* A word that decodes to the form: sparse, dense or evenly random, the same on every host for the
 * same seed. False when many tries found none. */
bool random_word(struct words *w, struct form *form, u128 *word);

#endif
