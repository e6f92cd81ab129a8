/*
 * Encoding space that a description leaves unused: the words of an ISA that match no encoding.
 * A word counts as used where an encoding matches it in some decode context only, and where its `where`,
 * features or decode() refuse it.
 */
#ifndef GENCC_MODEL_FREE_H
#define GENCC_MODEL_FREE_H

#include "gencc/model/model.h"

/* Words of one width: pictures that do not overlap, those with the lowest bits first. */
struct free_words {
    unsigned width;
    u128 count, total; /* words that are free, of all words of that width; total 0 means 2^128 */
    VEC(struct bit_test) pictures;
};
typedef VEC(struct free_words) free_list;

/* The free words of each width that the ISA's words can have; none of an ISA of bundles. */
void isa_free_words(struct arena *a, const struct isa *isa, free_list *out);

/* Writes a picture, most significant bit first, `x` where any value does, in groups of four. */
void print_picture(FILE *out, const struct bit_test *picture, unsigned width);

/* Share of the words that are free, in percent. */
double free_percent(const struct free_words *f);

/* Writes a number of up to 128 bits in decimal. */
void print_u128(FILE *out, u128 value);

/* Text form (`gencc dump --stage free`). */
void free_print(FILE *out, struct arena *a, const struct isa *isa);

#endif
