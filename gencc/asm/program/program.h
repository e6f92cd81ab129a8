/*
 * Assembly of a whole source: labels, directives and instructions become bytes.
 */
#ifndef GENCC_ASM_PROGRAM_PROGRAM_H
#define GENCC_ASM_PROGRAM_PROGRAM_H

#include "gencc/disasm/disasm.h"

#include <stdio.h>

struct asm_names;

enum { ASM_PROGRAM_MAX_ERRORS = 50 }; /* errors that are reported */

/* A label, or a name that .equ defines. */
struct asm_symbol {
    const char *name;
    size_t length;
    unsigned line;
    unsigned statement; /* statement behind a label; else that of .equ */
    int64_t value;
    bool is_label;  /* otherwise a number */
    bool is_global; /* .global */
    bool has_value; /* has a value */
};

/* A line, or one of the statements in it. */
struct asm_statement {
    char *text; /* without comments, labels and surrounding blanks */
    unsigned line;
    uint64_t address;
    unsigned context; /* decode context before the statement, and after it */
    unsigned context_after;
    unsigned char *bytes; /* encoding, in the arena */
    size_t size, room;
    unsigned unit;         /* bytes per word, or per number of .byte */
    bool is_word;          /* an instruction */
    bool depends_on_place; /* the bytes depend on names or on the address */
    bool is_final;         /* the bytes are final */
};

struct asm_program {
    struct text *text;
    struct arena *arena;
    const char *file; /* name for messages */
    FILE *messages;
    uint64_t base; /* address of the first byte */
    VEC(struct asm_statement) statements;
    VEC(struct asm_symbol) symbols;
    struct asm_symbol **slots; /* hash table by name, of first symbols; made when all are known */
    unsigned slot_count;
    unsigned errors;
    bool is_last_pass;    /* last pass: errors are reported */
    bool symbols_changed; /* some symbol's value changed in this pass */
    unsigned at;          /* index of the present statement */
    struct asm_names *names;
    unsigned char *image; /* result, in the arena */
    size_t size;
};

/* Assembles a source. Returns false after reporting all errors, at most 50, as file:line: error: ….
 * All memory is in the arena; the results are valid as long as the arena is. */
bool asm_program(struct asm_program *p, const char *source, size_t length);

/* Splits the source into statements and symbols. False after reporting. */
bool asm_program_read(struct asm_program *p, const char *source, size_t length);

/* The symbol of that name that the present statement refers to; NULL: none. */
struct asm_symbol *asm_program_find(struct asm_program *p, const char *name, size_t length);

/* Assembles a directive at p->at. False after reporting. */
bool asm_directive(struct asm_program *p, struct asm_statement *s);

/* Reports an error in the last pass, and nothing in others. Returns false. */
bool asm_program_error(struct asm_program *p, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Evaluates an expression that ends at a comma or with the text, and advances *at behind it. False
 * after reporting. */
bool asm_program_value(struct asm_program *p, const struct asm_statement *s, const char **at,
                       int64_t *value);

/* Sets the size of a statement in bytes. False after reporting that it is too large. */
bool asm_program_size(struct asm_program *p, struct asm_statement *s, uint64_t size);

/* Allocates bytes of a statement. NULL after reporting that they are too many. */
unsigned char *asm_program_room(struct asm_program *p, struct asm_statement *s, uint64_t size);

/* Gives a symbol a value. Sets p->changed if it had another. */
void asm_program_set(struct asm_program *p, struct asm_symbol *s, int64_t value);

/* Writes the program as an ELF executable. False after reporting. */
bool asm_write_elf(const struct asm_program *p, const char *path);

#endif
