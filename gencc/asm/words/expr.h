/*
 * Numbers in assembly source: expressions of numbers, characters and names.
 */
#ifndef GENCC_ASM_WORDS_EXPR_H
#define GENCC_ASM_WORDS_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The names that an expression may contain. */
struct asm_names {
    void *opaque;
    /* Finds the value of a name; `1b` and `1f` are names too. False: there is none. */
    bool (*find)(void *opaque, const char *name, size_t length, int64_t *value);
    uint64_t location; /* value of `.` */
    /* Results; the caller clears them. */
    bool name_used;      /* some name was found, or `.` */
    const char *unknown; /* last unknown name, in the text that was read */
    size_t unknown_length;
    const char *problem; /* why the last expression has no value; NULL: nothing to report */
};

/* Reads the longest expression at `p`, with the operators and precedence of C: + - ~ before a
 * number, * / %, + -, << >>, &, ^, |, and parentheses. Numbers are decimal, 0x…, 0b…, or a
 * character between apostrophes. They have 64 bits and wrap; / % >> are signed. Returns the end of
 * the expression; NULL: there is none. */
const char *asm_expr_read(struct asm_names *n, const char *p, int64_t *value);

/* Whether a name may begin with, or contain, the character. */
bool asm_begins_name(char c);
bool asm_is_in_name(char c);

/* The character of an escape sequence. `*p` is behind the backslash, and is advanced. -1: not
 * valid. */
int asm_read_escape(const char **p);

#endif
