/*
 * Shared by disassembler and assembler of bundles, and private to them.
 */
#ifndef GENCC_DISASM_TEXT_BUNDLE_H
#define GENCC_DISASM_TEXT_BUNDLE_H

#include "gencc/disasm/bundle.h"
#include "gencc/disasm/text.h"

struct text_bundle {
    struct text *text;
    struct text *unit[BUNDLE_MAX_UNITS];
    /* The bundle that is written. */
    struct bundle_bits bits;
    unsigned index, stage, at_unit;
    int64_t distance; /* to a label, in grains */
    bool end;         /* the label is behind all bundles */
    /* Callback of the assembler: writes a constant's text. False: the description's text is
     * written. */
    bool (*constant)(struct text_bundle *tc, const struct bundle_text *text, int64_t key,
                     struct asm_out *out);
    void *opaque;
    struct constants *constants; /* cache of the assembler (asm/bundles/constant.c) */
    struct readings *readings;   /* cache of the assembler (asm/bundles/reading.c) */
};

/* Mixes a number into a hash. */
static inline uint64_t bundle_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* The text of that name: it replaces a map of the units, or other texts call it. NULL: none. */
const struct bundle_text *bundle_text_of(const struct text_bundle *tc, const char *map);
/* Writes a text for a key. False if none of its lines holds. */
bool bundle_write_text(struct text_bundle *tc, const struct bundle_text *text, int64_t key,
                       struct asm_out *out);
/* Writes the text that a map of the present unit has for a key in the present place. */
void bundle_write_key(struct text_bundle *tc, const struct asm_table *map, int64_t key,
                      struct asm_out *out);
/* Writes a label's text: the label is before the bundle tc->bits at tc->index, or behind all
 * bundles if tc->end. tc->distance is the distance to it. False if the description has no text for
 * labels. */
bool bundle_write_target(struct text_bundle *tc, struct asm_out *out);
/* Writes the footer's lines of the bundle `bits`. */
void bundle_write_footer(struct text_bundle *tc, struct asm_out *out);
/* Writes the whole bundle `bits`, with its footer if `footer` is set. */
void bundle_write(struct text_bundle *tc, bool footer, struct asm_out *out);

/* The units of the lines of the bundle `bits`, in order, at most `max`. Returns their number. */
unsigned bundle_units_of_lines(struct text_bundle *tc, unsigned *unit, unsigned max);

/* ---- bundle_unpack.c ------------------------------------------------------------------------- */

/* The exported helper of that name; NULL: none. */
const struct ir_func *bundle_helper_of(const struct isa *isa, const char *name);
/* Result of the helper of a string's condition; `left` is the number of bits left, for takes. False
 * if the helper fails. */
bool bundle_ask(struct text *t, const char *helper, uint64_t header, uint32_t left, uint32_t *out);

/* Whether a stored grain encodes the modifiers that its constants, from number `first` on, have in
 * the bundle. */
bool bundle_grain_suits(struct text *t, const struct bundle_bits *c, const struct bundle_grain *q,
                        const uint8_t *code, unsigned first);

#endif
