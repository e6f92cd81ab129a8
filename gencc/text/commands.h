/*
 * The bodies of `gencc disasm` and `gencc asm`.
 */
#ifndef GENCC_TEXT_COMMANDS_H
#define GENCC_TEXT_COMMANDS_H

#include "gencc/text/disasm.h"

struct text_options {
    const char *file;   /* input; "-" is standard input */
    uint64_t address;   /* of the first word */
    bool hex;           /* asm: words as hexadecimal text, one a line, instead of raw bytes */
    bool bytes;         /* disasm, of bundles: before each a line with its bytes */
    const char *output; /* asm: a file, ELF if its name ends in .elf; NULL: to `out` */
};

/* What --help says about the two. */
extern const char text_disasm_help[], text_asm_help[];

/* Disassembles raw little-endian words, one line each. Returns the exit status: 0; 2 when the file
 * cannot be read, does not end with a whole word, or the output cannot be written. Messages go to
 * standard error. */
int text_command_disasm(struct text *t, const struct text_options *o, FILE *out);

/* The same of an ISA of bundles: reads a shader, and ends at a word of 0 or at the end. Returns 1 when
 * what follows is no bundle. */
int text_command_bundles(struct text *t, const struct text_options *o, FILE *out);

/* Assembles a text file. Returns 0; 1 when some line is wrong (each is reported as file:line: error: …, and nothing is
 * written then); 2 as above. */
int text_command_asm(struct text *t, const struct text_options *o, FILE *out);

/* The same of an ISA of bundles; what is wrong is reported as file:line:column: error: …, and nothing is
 * written then. */
int text_command_asm_bundles(struct text *t, const struct text_options *o, FILE *out);

#endif
