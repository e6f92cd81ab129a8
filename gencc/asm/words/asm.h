/*
 * The assembler: text of one instruction to an instruction word, by the asm lines of the
 * description.
 */
#ifndef GENCC_ASM_WORDS_ASM_H
#define GENCC_ASM_WORDS_ASM_H

#include "gencc/disasm/disasm.h"
#include "gencc/asm/words/match.h"

/* Sets the decode context of the next line; initially 0. */
void text_asm_in_context(struct text *t, unsigned context);

struct asm_names;
/* Sets the names that numbers of the next lines may contain; the numbers are then expressions.
 * NULL: none, as initially. */
void text_asm_with_names(struct text *t, struct asm_names *names);

/* Whether the word of the line assembled last depends on its address. `used` of the names tells
 * whether names were used. */
bool text_asm_placed(const struct text *t);

/* A line to assemble. */
struct text_line {
    const char *text;
    uint64_t address; /* address of the word */
    /* The bundle around the word (match.h); NULL: none. The text may then be empty, for a word
     * without text. */
    const struct text_around *around;
};

/* The word that was made of a line. */
struct text_word {
    u128 bits;
    unsigned width; /* number of bits */
};

/* Assembles one line: a statement in the syntax of the description's asm lines, or `.inst number`
 * (one word). A comment (the description's line comment, or //) is skipped. Numbers may be decimal
 * or hexadecimal, with a sign; letters may have either case; white space is free.
 *
 * If several encodings have the text, one is taken that the disassembler prints in the same way. On
 * failure returns false and writes a message to `err`, cut to `n` (at least 1) bytes. */
bool text_asm(struct text *t, const struct text_line *line, struct text_word *word, char *err,
              size_t n);

/* Number of characters that could be read of the line assembled last. If several ISAs refuse a
 * line, the one that reads most has the best message. */
size_t text_asm_reached(const struct text *t);
/* Offset of the error in the line assembled last, in characters, without leading blanks. */
size_t text_asm_wrong(const struct text *t);

#endif
