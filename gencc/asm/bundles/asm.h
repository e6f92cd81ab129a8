/*
 * The assembler of bundles: makes one bundle from its lines. The header, blocks and constants are
 * found by search: the disassembler must print the bundle as its lines.
 */
#ifndef GENCC_ASM_BUNDLES_ASM_H
#define GENCC_ASM_BUNDLES_ASM_H

#include "gencc/asm/bundles/parts.h"

/* A line of source. */
struct source_line {
    const char *text; /* without surrounding blanks */
    unsigned line, column;
};

enum { MAX_BUNDLE_LINES = 64 };

/* Bytes that the source gives for a bundle. They are taken if they are printed as its lines. */
struct source_hint {
    struct source_line at;
    const uint8_t *code; /* NULL: none are given */
    size_t bytes;
};

/* The lines of a bundle. */
struct source_bundle {
    struct source_line header; /* text NULL: there is none */
    struct source_line word[MAX_BUNDLE_LINES];
    unsigned words;
    struct source_line end; /* line behind the bundle, for messages */
    struct source_hint hint;
};

/* Why a bundle is refused. */
struct bundle_refusal {
    const struct source_line *at;
    char text[2048];
};

struct bundle_asm;

/* An assembler for a prepared ISA of bundles, in the model's arena. NULL after reporting. */
struct bundle_asm *bundle_asm_new(struct text *t);

/* Assembles the bundle that begins at grain `index` into `out`, which has BUNDLE_MAX_BYTES. Returns
 * the number of bytes and sets *bits. Returns 0 on failure, for the reason in *why. */
size_t bundle_assemble(struct bundle_asm *ba, const struct source_bundle *s, unsigned index,
                       uint8_t *out, struct bundle_bits *bits, struct bundle_refusal *why);

/* Offset of the error in the line that was refused last, in characters. */
size_t bundle_wrong(const struct bundle_asm *ba);

/* Whether some unit reads the line as the only line of a bundle. */
bool bundle_reads_line(struct bundle_asm *ba, const char *line);

/* Bits of the header that are given by the lines of the bundle assembled last. */
uint64_t bundle_said_of_header(const struct bundle_asm *ba);

/* The header of a bundle with its fields that describe the bundle `behind` (NULL: there is none).
 * Fields that have bits in `said`, those that the lines give, are left alone. */
uint64_t bundle_header_before(const struct bundle *c, const struct bundle_bits *b, uint64_t said,
                              const struct bundle_bits *behind);

/* Stores a bundle whose header and constants are settled. Returns the number of bytes, 0 if it
 * cannot be stored. */
size_t bundle_store(struct text *t, struct bundle_bits *b, uint8_t *out);

/* The unit that a word's line names before a colon, with *rest behind the colon. The disassembler
 * does not print such names. Returns the number of units if the line names none. */
unsigned bundle_named_unit(const struct bundle *c, const char *line, const char **rest);

/* ---- check.c --------------------------------------------------------------------------------- */

/* Disassembles the bundle that begins at grain `index` and compares the text with its source. Units
 * that the source names must have the words. `available` is the rest of the program in bytes. `tc`
 * is a disassembler that has assembled nothing. Returns the bundle's bytes; 0 if they differ, as
 * *why says. */
size_t bundle_check(struct text_bundle *tc, const struct source_bundle *s, unsigned index,
                    const uint8_t *code, size_t available, struct bundle_refusal *why);

#endif
