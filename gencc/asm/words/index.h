/*
 * The asm lines of an ISA by the text they start with.
 */
#ifndef GENCC_ASM_WORDS_INDEX_H
#define GENCC_ASM_WORDS_INDEX_H

#include "gencc/asm/words/match.h"
#include "gencc/asm/solve/solve.h"

/* Whether a line's first piece is a map of which the instruction decides the key. */
enum line_start { LINE_NOT_LOOKED_AT, LINE_STARTS_SO, LINE_STARTS_ANYHOW };

/* One asm line, prepared when it is first needed. */
struct line {
    struct instr *instr;
    const struct asm_syntax *syntax;
    const char *start; /* literal text up to the first blank or map, in lower case */
    bool closed;       /* nothing of the mnemonic follows `start` */
    bool prepared, broken;
    unsigned fixed;                     /* bits of the word that the instruction has fixed */
    VEC(struct word_expr *) values;     /* of the pieces, in order; NULL: not made yet */
    VEC(struct word_expr *) conditions; /* of the asm line and of the instruction; all must hold */
    enum line_start start_is;           /* of a word within a bundle, and its texts */
    VEC(const char *) starts;
    struct line *next; /* with the same start, in order */
};

struct line_index {
    VEC(struct line *) lines;
    struct line **slots; /* open addressing by start: the first line of each start */
    unsigned size;       /* a power of two */
    size_t longest;      /* start */
};

/* Builds the index of an ISA, in the model's arena. Lines that start with a map are in the order of how many bits
 * their instructions fix. */
void index_build(struct line_index *x, struct text *t);

/* The lines that start with exactly these characters (lower case), or NULL. */
struct line *index_find(const struct line_index *x, const char *start, size_t length);

/* The value of the first piece; NULL when that is literal text or cannot be made. */
const struct word_expr *line_first_value(struct text *t, struct line *line);

/* A value of a piece; `value` is its number in the line. NULL when it cannot be made, which has been reported. */
struct word_expr *line_value(struct text *t, struct line *line, unsigned piece, unsigned value);

/* Makes the expressions of a line. False when they cannot be, which has been reported once. */
bool line_prepare(struct text *t, struct line *line);

#endif
