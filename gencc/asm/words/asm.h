/*
 * The assembler: an instruction word from text, by the asm lines of the description.
 */
#ifndef GENCC_ASM_WORDS_ASM_H
#define GENCC_ASM_WORDS_ASM_H

#include "gencc/disasm/disasm.h"
#include "gencc/asm/words/match.h"

/* In which decode context the next line is assembled; 0 to begin with. */
void text_asm_in_context(struct text *t, unsigned context);

/* What numbers of the next lines may name, which are then expressions; NULL to begin with. */
struct asm_names;
void text_asm_with_names(struct text *t, struct asm_names *names);

/* Whether the word of the line that was assembled last depends on its address; names say whether they were used. */
bool text_asm_placed(const struct text *t);

/* Assembles one line: a statement as the description's asm lines have it, or `.inst number` (one
 * word). A comment (the description's line comment, or //) is skipped. Numbers
 * may be decimal or hexadecimal, with a sign; letters in either case; white space is free.
 * `address` is where the word will stand.
 *
 * When several encodings have that text, one is taken that the disassembler prints the same way.
 * On failure returns false and writes what was wrong to `err`, cut to `n` (at least 1) bytes. */
bool text_asm(struct text *t, const char *line, uint64_t address, u128 *word, unsigned *width,
              char *err, size_t n);

/* The same of a word within a bundle (match.h), which may also be one that has no text. */
bool text_asm_around(struct text *t, const struct text_around *around, const char *line,
                     uint64_t address, u128 *word, unsigned *width, char *err, size_t n);

/* How many characters of the line that was assembled last could be read: of several ISAs that refuse a line the one
 * that reads most has the best message. */
size_t text_asm_reached(const struct text *t);
/* How many stand before what its message is about, without blanks that it begins with. */
size_t text_asm_wrong(const struct text *t);

#endif
