/*
 * Numbers in assembly source: expressions of numbers, characters and names.
 */
#ifndef GENCC_ASM_WORDS_EXPR_H
#define GENCC_ASM_WORDS_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an expression may name. */
struct asm_names {
    void *opaque;
    /* The value of a name; `1b` and `1f` are names too. False when there is none. */
    bool (*find)(void *opaque, const char *name, size_t length, int64_t *value);
    uint64_t here; /* `.` */
    /* Results, which the caller clears. */
    bool used;           /* some name was found, or `.` */
    const char *unknown; /* the last name that was not, where it stands */
    size_t unknown_length;
    const char
        *problem; /* why the last expression has no value, where something is to be said of it */
};

/* Reads the longest expression at `p`, with the operators of C and their precedence: + - ~ before a number, * / %,
 * + -, << >>, &, ^, |, and parentheses. Numbers are decimal, 0x… or 0b…, or a character between apostrophes; they have
 * 64 bits and wrap round, and / % >> have a sign. Returns where it ends; NULL when there is none. */
const char *asm_expr_read(struct asm_names *n, const char *p, int64_t *value);

/* Whether a name may begin or go on with the character. */
bool asm_begins_name(char c);
bool asm_is_in_name(char c);

/* The character an escape stands for, `*p` behind the backslash, and advances over it; -1 for none. */
int asm_read_escape(const char **p);

#endif
