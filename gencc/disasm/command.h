/*
 * The body of `gencc disasm`, and functions that it shares with `gencc asm`.
 */
#ifndef GENCC_DISASM_COMMAND_H
#define GENCC_DISASM_COMMAND_H

#include "gencc/disasm/disasm.h"

#include <stdio.h>

enum { MAX_WORD_BYTES = 16 };

struct text_options {
    const char *file;   /* input; "-" is standard input */
    uint64_t address;   /* address of the first word */
    bool hex;           /* asm: words as hexadecimal text, one per line, instead of raw bytes */
    bool bytes;         /* disasm of bundles: a line with its bytes before each bundle */
    const char *output; /* asm: a file, ELF if its name ends in .elf; NULL: to `out` */
};

/* The text of --help. */
extern const char text_disasm_help[];

/* Disassembles raw words, one per line. Returns the exit status: 0; 2 if the file
 * cannot be read or ends within a word, or the output cannot be written. Messages go to standard
 * error. */
int text_command_disasm(struct text *t, const struct text_options *o, FILE *out);

/* Disassembles an ISA of bundles: reads a shader up to a word of 0 or the end of the file. Returns
 * 1 if the bytes are no bundle. */
int text_command_bundles(struct text *t, const struct text_options *o, FILE *out);

/* Opens a command's input, "-" for standard input. Returns NULL after reporting. */
FILE *text_open_input(const char *file);

/* Closes the input and flushes the output. Returns `status`, or 2 after reporting. */
int text_close_all(FILE *in, const char *file, FILE *out, int status);

/* Writes a word of at most MAX_WORD_BYTES as hexadecimal digits, two per byte. */
void text_put_word(struct asm_out *o, u128 word, unsigned bytes);

#endif
