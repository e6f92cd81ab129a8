/*
 * What the disassembler and the assembler of bundles share. Private to the assembler.
 */
#ifndef GENCC_DISASM_TEXT_BUNDLE_H
#define GENCC_DISASM_TEXT_BUNDLE_H

#include "gencc/disasm/bundle.h"
#include "gencc/disasm/text.h"

struct text_bundle {
    struct text *text;
    struct text *unit[BUNDLE_MAX_UNITS];
    /* What is being written. */
    struct bundle_bits bits;
    unsigned index, stage, at_unit;
    int64_t distance; /* to a label */
    bool end;         /* the label is behind all bundles */
    /* The assembler's: writes what a constant reads as, or leaves that to the description. */
    bool (*constant)(struct text_bundle *tc, const struct bundle_text *text, int64_t key,
                     struct asm_out *out);
    void *opaque;
    struct constants *constants; /* the assembler's (asm/bundles/constant.c) */
    struct readings *readings;   /* likewise (asm/bundles/reading.c) */
};

/* Mixes a number into a hash. */
static inline uint64_t bundle_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* The text that replaces a map of the units, or that texts call by that name; or NULL. */
const struct bundle_text *bundle_text_of(const struct text_bundle *tc, const char *map);
/* Writes it for a key; false when none of its lines holds. */
bool bundle_write_text(struct text_bundle *tc, const struct bundle_text *text, int64_t key,
                       struct asm_out *out);
/* Writes what a map of the present unit says of a key in the present place. */
void bundle_write_key(struct text_bundle *tc, const struct asm_table *map, int64_t key,
                      struct asm_out *out);
/* Writes what a label stands for before the bundle that tc->bits and tc->index are, or at the end, as tc->distance and
 * tc->end say. False when the description does not say. */
bool bundle_write_target(struct text_bundle *tc, struct asm_out *out);
/* Writes the footer's lines of the bundle that `bits` is. */
void bundle_write_footer(struct text_bundle *tc, struct asm_out *out);
/* Writes header, words and all of the bundle that `bits` is. */
void bundle_write(struct text_bundle *tc, bool footer, struct asm_out *out);

/* The units whose words have the lines of the bundle that `bits` is, one after the other; at most `max`. Returns how
 * many they are. */
unsigned bundle_units_of_lines(struct text_bundle *tc, unsigned *unit, unsigned max);

/* ---- bundle_unpack.c ------------------------------------------------------------------------- */

/* The exported helper of that name, or NULL. */
const struct ir_func *bundle_helper_of(const struct isa *isa, const char *name);
/* What the helper of a string's condition gives; `left` is for takes. False when it gives nothing. */
bool bundle_ask(struct text *t, const char *helper, uint64_t header, uint32_t left, uint32_t *out);

/* Whether a grain that is stored says of its constants, from number `first` on, how they change in the bundle. */
bool bundle_grain_suits(struct text *t, const struct bundle_bits *c, const struct bundle_grain *q,
                        const uint8_t *code, unsigned first);

#endif
