/*
 * How pieces of a line read by the block of a stage, remembered by the fields of it that this depends on. Private to
 * gencc/asm/bundles.
 */
#ifndef GENCC_ASM_BUNDLES_READING_H
#define GENCC_ASM_BUNDLES_READING_H

#include "gencc/asm/bundles/parts.h"

/* A key of a map whose text a block decides, where it is printed. */
struct reading_site {
    const struct asm_map *map;
    const struct bundle_text *text;
    const struct asm_table *own; /* the unit's table */
    int64_t key;
    unsigned unit;
    bool first, last; /* stage of the bundle */
    uint64_t bits;    /* of the block, on which the text can depend */
    uint64_t lines;   /* bit a line of the text that the key does not exclude */
    uint64_t *
        setting; /* `bits` again, by what the decided fields are; UINT64_MAX: not known yet. NULL: they do not
                          matter */
    struct reading_site *next;
};

/* What is printed. */
struct reading {
    const struct reading_site *site;
    uint64_t bits;                      /* of the block */
    const char *text;                   /* bundle_same_string compares it */
    const struct bundle_text *constant; /* it is this text of a constant … */
    int64_t place;                      /* … with this key; NULL: it is none */
};

struct readings;

/* In the arena of the ISA. */
struct readings *readings_new(struct text_bundle *tc);

/* Bits of the block that are tried out first: fields that `decide` names, as far as these are few. */
uint64_t readings_decided(const struct readings *r);

/* A key of a map where the bundle's present unit, stage and number of stages are. */
const struct reading_site *reading_site(struct readings *r, const struct asm_map *map, int64_t key);
/* On which bits of the block the text depends, when the decided ones are as in `block`. */
uint64_t reading_bits(struct readings *r, const struct reading_site *site, uint64_t block);
/* Whether some block may make it read as that text. */
bool reading_may_be(struct readings *r, const struct reading_site *site, const char *text);

/* Whether that is what the unit's own map says of the key, where no line of the block's text holds. */
bool reading_says_own(const struct reading_site *site, const char *text);

/* How it reads in the present bundle. */
const struct reading *reading_of(struct readings *r, const struct reading_site *site);
/* Whether that is the text, which is no constant. Both are of readings_string. */
bool reading_same(struct readings *r, const char *printed, const char *text);
/* Whether a word of the present unit and stage can read an operand by that selector; and on which bits of the block
 * that depends, when the decided ones are as in `block`. */
bool reading_has_place(struct readings *r, int64_t selector);
uint64_t reading_place_bits(struct readings *r, int64_t selector, uint64_t block);
/* The one copy of a text. */
const char *readings_string(struct readings *r, const char *text, size_t length);

#endif
