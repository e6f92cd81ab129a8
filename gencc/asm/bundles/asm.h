/*
 * The assembler of bundles: the parts of one from its lines. What the header, a block and constants hold is found
 * by what the lines read as, with the disassembler as the judge.
 */
#ifndef GENCC_ASM_BUNDLES_ASM_H
#define GENCC_ASM_BUNDLES_ASM_H

#include "gencc/asm/bundles/parts.h"

/* A line of source. */
struct source_line {
    const char *text; /* without blanks around it */
    unsigned line, column;
};

enum { MAX_BUNDLE_LINES = 64 };

/* The bytes that a bundle is to have while they read as its lines, and where that is said. */
struct source_hint {
    struct source_line at;
    const uint8_t *code; /* NULL: it is not said */
    size_t bytes;
};

/* The lines of a bundle. */
struct source_bundle {
    struct source_line header; /* text NULL: none */
    struct source_line word[MAX_BUNDLE_LINES];
    unsigned words;
    struct source_line end; /* behind it, for messages */
    struct source_hint hint;
};

struct bundle_asm;

/* An assembler for a prepared ISA of bundles, in the model's arena. NULL after reporting. */
struct bundle_asm *bundle_asm_new(struct text *t);

/* Assembles a bundle that begins at grain `index` into `out`, of BUNDLE_MAX_BYTES: the bytes, with *bits set.
 * 0 when it cannot; `err` says why, and *at is the line. */
size_t bundle_assemble(struct bundle_asm *ba, const struct source_bundle *s, unsigned index,
                       uint8_t *out, struct bundle_bits *bits, const struct source_line **at,
                       char *err, size_t n);

/* How many characters of the line that was refused last stand before what is wrong. */
size_t bundle_wrong(const struct bundle_asm *ba);

/* Whether some unit of a bundle reads the line when there is no other. */
bool bundle_reads_line(struct bundle_asm *ba, const char *line);

/* Bits of the header that the lines of the bundle say that was assembled last. */
uint64_t bundle_said_of_header(const struct bundle_asm *ba);

/* The header of a bundle with fields that say something of the bundle behind (NULL: there is none), unless the
 * lines have said it. */
uint64_t bundle_header_before(const struct bundle *c, const struct bundle_bits *b, uint64_t said,
                              const struct bundle_bits *behind);

/* Stores a bundle whose header and constants are settled. Returns the bytes, 0 when it cannot be stored. */
size_t bundle_store(struct text *t, struct bundle_bits *b, uint8_t *out);

/* The unit that a word's line names before a colon, which the disassembler does not print, and *rest behind it; the
 * number of units when it names none. */
unsigned bundle_named_unit(const struct bundle *c, const char *line, const char **rest);

/* ---- check.c --------------------------------------------------------------------------------- */

/* Reads the bundle again that begins at grain `index`, of what is left of a program, and compares what it prints
 * with its source, and units that it names with those that have the words. `tc` is a disassembler that has assembled
 * nothing. Returns its bytes; 0 when it reads otherwise: `err` says how, and *at is the line. */
size_t bundle_check(struct text_bundle *tc, const struct source_bundle *s, unsigned index,
                    const uint8_t *code, size_t available, const struct source_line **at, char *err,
                    size_t n);

#endif
