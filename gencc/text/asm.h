/*
 * The assembler: an instruction word from text, by the asm lines of the description.
 */
#ifndef GENCC_TEXT_ASM_H
#define GENCC_TEXT_ASM_H

#include "gencc/text/disasm.h"

/* Assembles one line: a statement as the description's asm lines have it, or `.inst number` (one
 * word of the fetch size). A comment (the description's line comment, or //) is skipped. Numbers
 * may be decimal or hexadecimal, with a sign; letters in either case; white space is free.
 * `address` is where the word will stand.
 *
 * When several encodings have that text, one is taken that the disassembler prints the same way.
 * On failure returns false and writes what was wrong to `err`, cut to `n` (at least 1) bytes. */
bool text_asm(struct text *t, const char *line, uint64_t address, u128 *word, unsigned *width,
              char *err, size_t n);

#endif
