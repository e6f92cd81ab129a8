/*
 * What the disassembler and the assembler of bundles share. Private to gencc/text.
 */
#ifndef GENCC_TEXT_BUNDLE_INTERNAL_H
#define GENCC_TEXT_BUNDLE_INTERNAL_H

#include "gencc/text/bundle.h"
#include "gencc/text/internal.h"
#include "gencc/text/match.h"

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
    struct constants *constants; /* the assembler's (bundle_constant.c) */
    struct readings *readings;   /* likewise (bundle_reading.c) */
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

/* ---- bundle_read.c: pieces of lines ---------------------------------------------------------- */

enum { MAX_ENDS = 16 };

/* Where texts of a map end that begin at `p` of `line`; at most MAX_ENDS. */
unsigned bundle_ends(struct text_bundle *tc, const struct asm_map *map,
                     const struct match_table *own, const char *line, const char *p,
                     const char **ends);
/* Whether two texts are the same but for blanks, cases, comments that the second has not, and how numbers
 * are written. */
bool bundle_same_text(const char *a, size_t a_length, const char *b, size_t b_length);
/* The numbers that stand in a text, at most `max`. */
unsigned bundle_numbers(const char *text, size_t length, int64_t *out, unsigned max);

/* Whether a line of a text can read as that, whatever its values are. */
bool bundle_line_may_read(struct text_bundle *tc, const struct bundle_text *text, unsigned line,
                          const char *at, size_t length);

/* ---- bundle_header.c -------------------------------------------------------------------------- */

/* The header that reads as the line, and which of its bits the line says; false: there is none. */
bool bundle_read_header(struct text_bundle *tc, const char *line, uint64_t *header, uint64_t *mask);

/* ---- bundle_unpack.c ------------------------------------------------------------------------- */

/* The exported helper of that name, or NULL. */
const struct ir_func *bundle_helper_of(const struct isa *isa, const char *name);
/* What the helper of a string's condition gives; `left` is for takes. False when it gives nothing. */
bool bundle_ask(struct text *t, const char *helper, uint64_t header, uint32_t left, uint32_t *out);

/* Whether a grain that is stored says of its constants, from number `first` on, how they change in the bundle. */
bool bundle_grain_suits(struct text *t, const struct bundle_bits *c, const struct bundle_grain *q,
                        const uint8_t *code, unsigned first);

/* ---- bundle_depend.c ------------------------------------------------------------------------- */

/* What a helper for places gives of a selector, for the present unit, stage and block; 0: nothing. */
uint64_t bundle_place_of(struct text_bundle *tc, const struct ir_func *helper, uint64_t selector);

/* ---- bundle_pack.c --------------------------------------------------------------------------- */

/* A field of the header that neither a text of the header nor how bundles are stored says anything about, where
 * bundles are strings of pieces; or NULL. */
const struct field *bundle_unsaid_field(struct text *t);
/* Stores a bundle in `out`, of BUNDLE_MAX_BYTES. Bits of the header that are not in `header_mask` may be set as
 * the way it is stored wants, and of the constants what is not in `settled`; constants may be added. Returns the
 * bytes, 0 when there is no way: *unsuited is then, if that is why, the first of some constants that stand in one
 * grain and would have to be numbered otherwise. */
size_t bundle_pack(struct text *t, struct bundle_bits *b, uint64_t header_mask,
                   const uint64_t *settled, uint8_t *out, unsigned *unsuited);

#endif
