/*
 * How pieces of a line read with the block of a stage. Results are cached per value of the fields
 * that they depend on. Private to gencc/asm/bundles.
 */
#ifndef GENCC_ASM_BUNDLES_READING_H
#define GENCC_ASM_BUNDLES_READING_H

#include "gencc/asm/bundles/parts.h"

/* A key of a map whose text is decided by a block, in a given unit and stage. */
struct reading_site {
    const struct asm_map *map;
    const struct bundle_text *text;
    const struct asm_table *own_table; /* the unit's table */
    int64_t key;
    unsigned unit;
    bool first, last;        /* first or last stage of the bundle */
    uint64_t bits;           /* bits of the block on which the text can depend */
    uint64_t possible_lines; /* set of the text's lines that the key does not exclude */
    uint64_t *setting; /* `bits` per decided value; UINT64_MAX: unknown; NULL: always the same */
    struct reading_site *next;
};

/* What is printed for a site. */
struct reading {
    const struct reading_site *site;
    uint64_t bits;                      /* bits of the block */
    const char *text;                   /* compare with bundle_same_string */
    const struct bundle_text *constant; /* text of the constant that is printed; NULL: it is none */
    int64_t place;                      /* key of that constant */
};

struct readings;

/* Allocated in the arena of the ISA. */
struct readings *readings_new(struct text_bundle *tc);

/* The decided bits: bits of the block that are tried first. They belong to fields that `decide`
 * names, as far as these are few. */
uint64_t readings_decided(const struct readings *r);

/* The site of a map's key in the present unit, stage and number of stages. */
const struct reading_site *reading_site(struct readings *r, const struct asm_map *map, int64_t key);
/* Bits of the block on which the text depends, for the decided bits of `block`. */
uint64_t reading_bits(struct readings *r, const struct reading_site *site, uint64_t block);
/* Whether some block may make the site read as the text. */
bool reading_may_be(struct readings *r, const struct reading_site *site, const char *text);

/* Whether the unit's own map has the text for the key. It is printed if no line of the block's text
 * holds. */
bool reading_says_own(const struct reading_site *site, const char *text);

/* How the site reads in the present bundle. */
const struct reading *reading_of(struct readings *r, const struct reading_site *site);
/* Whether both are the same text and no constant. Both are strings of readings_string. */
bool reading_same(struct readings *r, const char *printed, const char *text);
/* Whether a word of the present unit and stage can read an operand by the selector.
 * reading_place_bits returns the bits of the block on which that depends, for the decided bits of
 * `block`. */
bool reading_has_place(struct readings *r, int64_t selector);
uint64_t reading_place_bits(struct readings *r, int64_t selector, uint64_t block);
/* The one copy of a text, so that texts are compared by address. */
const char *readings_string(struct readings *r, const char *text, size_t length);

#endif
