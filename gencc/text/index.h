/*
 * The asm lines of an ISA by the text they start with.
 */
#ifndef GENCC_TEXT_INDEX_H
#define GENCC_TEXT_INDEX_H

#include "gencc/text/match.h"
#include "gencc/text/solve.h"

/* One asm line, prepared when it is first needed. */
struct line {
    struct instr *instr;
    const struct asm_syntax *syntax;
    const char *start; /* literal text up to the first blank or map, in lower case */
    bool closed;       /* nothing of the mnemonic follows `start` */
    bool prepared, broken;
    VEC(struct word_expr *) values;     /* of the pieces, in order */
    VEC(struct word_expr *) conditions; /* of the asm line and of the instruction; all must hold */
    struct line *next;                  /* with the same start, in the description's order */
};

struct line_index {
    VEC(struct line *) lines;
    struct line **slots; /* open addressing by start: the first line of each start */
    unsigned size;       /* a power of two */
    size_t longest;      /* start */
};

/* Builds the index of an ISA, in the model's arena. */
void index_build(struct line_index *x, struct text *t);

/* The lines that start with exactly these characters (lower case), or NULL. */
struct line *index_find(const struct line_index *x, const char *start, size_t length);

/* Makes the expressions of a line. False when they cannot be, which has been reported once. */
bool line_prepare(struct text *t, struct line *line);

#endif
