/*
 * Interfaces between the files of the bundles' assembler: texts of a line, the header, places, and
 * storing a bundle. Private to gencc/asm/bundles.
 */
#ifndef GENCC_ASM_BUNDLES_PARTS_H
#define GENCC_ASM_BUNDLES_PARTS_H

#include "gencc/asm/words/match.h"
#include "gencc/disasm/text_bundle.h"

/* ---- read.c: pieces of lines ----------------------------------------------------- */

enum { MAX_ENDS = 16 };

/* Finds where texts of a map can end that begin at `p` of `line`. Returns the number of ends, at
 * most MAX_ENDS. */
unsigned bundle_ends(struct text_bundle *tc, const struct asm_map *map,
                     const struct match_table *own, const char *line, const char *p,
                     const char **ends);
/* Whether two texts differ only in blanks, case, the notation of numbers, and comments that `b`
 * lacks. */
bool bundle_same_text(const char *a, size_t a_length, const char *b, size_t b_length);
/* Collects the numbers in a text. Returns how many there are, at most `max`. */
unsigned bundle_numbers(const char *text, size_t length, int64_t *out, unsigned max);

/* Whether a line of a text can read as `at` for some values. */
bool bundle_line_may_read(struct text_bundle *tc, const struct bundle_text *text, unsigned line,
                          const char *at, size_t length);

/* ---- header.c -------------------------------------------------------------------- */

/* Finds the header that reads as the line. *mask: the bits that the line gives. False: there is
 * none. */
bool bundle_read_header(struct text_bundle *tc, const char *line, uint64_t *header, uint64_t *mask);

/* ---- depend.c -------------------------------------------------------------------- */

/* Result of the helper for places, for a selector with the present unit, stage and block. 0: there
 * is no place. */
uint64_t bundle_place_of(struct text_bundle *tc, const struct ir_func *helper, uint64_t selector);

/* ---- pack.c ---------------------------------------------------------------------- */

/* For bundles that are strings of pieces: a field of the header on which neither a header's text
 * nor the way of storing depends. NULL: there is none. */
const struct field *bundle_unsaid_field(struct text *t);
/* Stores a bundle in `out`, which has BUNDLE_MAX_BYTES. Header bits outside `header_mask` and
 * constants' bits outside `settled` may be set as the way of storing needs. Constants may be added.
 * Returns the number of bytes, 0 if there is no way. *unsuited is then the first constant of a
 * grain that would need other numbers, if that is the reason. */
size_t bundle_pack(struct text *t, struct bundle_bits *b, uint64_t header_mask,
                   const uint64_t *settled, uint8_t *out, unsigned *unsuited);

#endif
