/*
 * A whole source of assembly: labels, directives and instructions become bytes.
 */
#ifndef GENCC_ASM_PROGRAM_PROGRAM_H
#define GENCC_ASM_PROGRAM_PROGRAM_H

#include "gencc/disasm/disasm.h"

#include <stdio.h>

struct asm_names;

/* A label, or what .equ defines. */
struct asm_symbol {
    const char *name;
    size_t length;
    unsigned line;
    unsigned statement; /* a label: stands before this one; else that of .equ */
    int64_t value;
    bool is_label;  /* else a number */
    bool is_global; /* .global */
    bool known;     /* has a value already */
};

/* What a line, or a part of one, says. */
struct asm_statement {
    char *text; /* without comments, labels and the blanks around it */
    unsigned line;
    uint64_t address;
    unsigned context; /* the decode context it stands in, and that it leaves */
    unsigned context_after;
    unsigned char *bytes; /* what it has become; of the arena */
    size_t size, room;
    unsigned unit; /* bytes that belong together: a word's, one of .byte */
    bool is_word;  /* an instruction */
    bool placed;   /* its bytes depend on names or on its place */
    bool done;     /* its bytes are as it stands */
};

struct asm_program {
    struct text *text;
    struct arena *arena;
    const char *file; /* for messages */
    FILE *messages;
    uint64_t base; /* address of the first byte */
    VEC(struct asm_statement) statements;
    VEC(struct asm_symbol) symbols;
    struct asm_symbol **slots; /* by name: the first of each; made when all are known */
    unsigned slot_count;
    unsigned errors;
    bool last;    /* pass: errors are reported */
    bool changed; /* in this pass some symbol got another value */
    unsigned at;  /* statement at work */
    struct asm_names *names;
    unsigned char *image; /* result, of the arena */
    size_t size;
};

/* Assembles a source. False after reporting every error, at most 50, as file:line: error: …. All memory is the arena's,
 * and the program's results are valid as long. */
bool asm_program(struct asm_program *p, const char *source, size_t length);

/* Takes the source apart. */
bool asm_program_read(struct asm_program *p, const char *source, size_t length);

/* The symbol of that name a statement means; NULL for none. */
struct asm_symbol *asm_program_find(struct asm_program *p, const char *name, size_t length);

/* Assembles a directive at p->at: false after reporting. */
bool asm_directive(struct asm_program *p, struct asm_statement *s);

/* Reports what is wrong with a statement, if this is the last pass; returns false. */
bool asm_program_error(struct asm_program *p, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The value of an expression that ends with the text, or at a comma: *p behind it. False after reporting. */
bool asm_program_value(struct asm_program *p, const struct asm_statement *s, const char **at,
                       int64_t *value);

/* The statement will have so many bytes; false after reporting that they are too many. */
bool asm_program_size(struct asm_program *p, struct asm_statement *s, uint64_t size);

/* Room for bytes of a statement; NULL after reporting that they are too many. */
unsigned char *asm_program_room(struct asm_program *p, struct asm_statement *s, uint64_t size);

/* Gives a number a name (.equ). */
bool asm_program_define(struct asm_program *p, const char *name, size_t length, int64_t value);

/* Writes the program as an ELF executable. False after reporting. */
bool asm_write_elf(const struct asm_program *p, const char *path);

#endif
