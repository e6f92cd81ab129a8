/*
 * Values that are tried of the fields of a block. Private to gencc/asm/bundles.
 */
#ifndef GENCC_ASM_BUNDLES_VALUES_H
#define GENCC_ASM_BUNDLES_VALUES_H

#include "gencc/asm/bundles/parts.h"

enum { BLOCK_HINTS = 64, BLOCK_FIELDS = 64 };

/* Numbers that wide fields may hold. */
struct block_hints {
    uint64_t at[BLOCK_HINTS];
    unsigned count;
};

/* A field's part in bits that are tried. */
struct block_part {
    uint64_t mask;
    unsigned lsb, width;
    bool few; /* all of its values are tried; else the hints */
};

/* Adds what a text says of wide fields: they hold its number, or what is left to the largest that they can hold. */
void block_hint(struct block_hints *h, const struct bundle *c, const char *text);

/* The parts of the block's fields in `open` bits, at most BLOCK_FIELDS; how many. */
unsigned block_parts(const struct bundle *c, uint64_t open, struct block_part *parts);
/* How many values a part has. */
unsigned block_values(const struct block_hints *h, const struct block_part *p);
/* One of them, in its place; false when the field cannot hold it. */
bool block_value(const struct block_hints *h, const struct block_part *p, unsigned i,
                 uint64_t *value);

#endif
