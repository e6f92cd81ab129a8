/*
 * Random instruction words.
 */
#ifndef GENCC_REFEREE_WORDS_H
#define GENCC_REFEREE_WORDS_H

#include "gencc/disasm/disasm.h"

struct words {
    struct text *text;
    uint64_t random; /* state of the generator; set it to a seed other than 0 */
};

/* Finds a word that decodes to the form: sparse, dense or evenly random. Equal seeds give equal
 * words on every host. Returns false if many tries found none. */
bool random_word(struct words *w, struct form *form, u128 *word);

#endif
