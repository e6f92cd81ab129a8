/*
 * Candidate values for the fields of a block. Private to gencc/asm/bundles.
 */
#ifndef GENCC_ASM_BUNDLES_VALUES_H
#define GENCC_ASM_BUNDLES_VALUES_H

#include "gencc/asm/bundles/parts.h"

enum { BLOCK_HINTS = 64, BLOCK_FIELDS = 64 };

/* Candidates for wide fields. */
struct block_hints {
    uint64_t at[BLOCK_HINTS];
    unsigned count;
};

/* The part of a field in the bits that are tried. */
struct block_part {
    uint64_t mask;
    unsigned lsb, width;
    bool try_all; /* all of its values are tried; otherwise only the hints */
};

/* Adds the candidates that a text gives: each of its numbers, and the rest to the largest value of
 * a wide field. */
void block_hint(struct block_hints *h, const struct bundle *c, const char *text);

/* Splits `open` bits into parts of fields, at most BLOCK_FIELDS. Returns the number of parts. */
unsigned block_parts(const struct bundle *c, uint64_t open, struct block_part *parts);
/* Number of candidates for a part. */
unsigned block_values(const struct block_hints *h, const struct block_part *p);
/* Candidate `i` of a part, shifted into its place. False if the field cannot hold it. */
bool block_value(const struct block_hints *h, const struct block_part *p, unsigned i,
                 uint64_t *value);

#endif
