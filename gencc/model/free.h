/*
 * Unused encoding space: the words of an ISA that match no encoding. A word counts as used if an
 * encoding matches it in some decode context, even if `where`, features or decode() reject it.
 */
#ifndef GENCC_MODEL_FREE_H
#define GENCC_MODEL_FREE_H

#include "gencc/model/model.h"

/* Free words of one width, as pictures that do not overlap; pictures with the lowest bits come
 * first */
struct free_words {
    unsigned width;
    u128 count, total; /* free words, and all words of that width; total 0 means 2^128 */
    VEC(struct bit_test) pictures;
};
typedef VEC(struct free_words) free_list;

/* Computes the free words per width of the ISA's words. An ISA of bundles has none. */
void isa_free_words(struct arena *a, const struct isa *isa, free_list *out);

/* Prints a picture, most significant bit first, in groups of four; `x` stands for any value. */
void print_picture(FILE *out, const struct bit_test *picture, unsigned width);

/* Share of the words that are free, in percent. */
double free_percent(const struct free_words *f);

/* Prints a number of up to 128 bits in decimal. */
void print_u128(FILE *out, u128 value);

/* Prints the free words (`gencc dump --stage free`). */
void free_print(FILE *out, struct arena *a, const struct isa *isa);

#endif
