/*
 * What the files of the bundles' assembler ask each other: texts of a line, the header, places, and how a bundle is
 * stored. Private to gencc/asm/bundles.
 */
#ifndef GENCC_ASM_BUNDLES_PARTS_H
#define GENCC_ASM_BUNDLES_PARTS_H

#include "gencc/asm/words/match.h"
#include "gencc/disasm/text_bundle.h"

/* ---- read.c: pieces of lines ----------------------------------------------------- */

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

/* ---- header.c -------------------------------------------------------------------- */

/* The header that reads as the line, and which of its bits the line says; false: there is none. */
bool bundle_read_header(struct text_bundle *tc, const char *line, uint64_t *header, uint64_t *mask);

/* ---- depend.c -------------------------------------------------------------------- */

/* What a helper for places gives of a selector, for the present unit, stage and block; 0: nothing. */
uint64_t bundle_place_of(struct text_bundle *tc, const struct ir_func *helper, uint64_t selector);

/* ---- pack.c ---------------------------------------------------------------------- */

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
