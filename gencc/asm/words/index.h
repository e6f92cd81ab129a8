/*
 * Index of the asm lines of an ISA by the text with which they begin.
 */
#ifndef GENCC_ASM_WORDS_INDEX_H
#define GENCC_ASM_WORDS_INDEX_H

#include "gencc/asm/words/match.h"
#include "gencc/asm/solve/solve.h"

/* Whether a line's first piece is a map whose key the instruction's fixed bits decide. */
enum line_start { LINE_NOT_LOOKED_AT, LINE_STARTS_SO, LINE_STARTS_ANYHOW };

/* An asm line, prepared on first use. */
struct line {
    struct instr *instr;
    const struct asm_syntax *syntax;
    const char *start;   /* literal text up to the first blank or map, in lower case */
    bool start_is_whole; /* nothing of the mnemonic follows `start` */
    bool prepared, broken;
    unsigned fixed_bits;                /* number of bits that the instruction has fixed */
    VEC(struct word_expr *) values;     /* values of the pieces, in order; NULL: not made yet */
    VEC(struct word_expr *) conditions; /* conditions of asm line and instruction */
    enum line_start start_is;           /* for words within bundles, with the texts below */
    VEC(const char *) starts;
    struct line *next; /* next line with the same start, in order */
};

struct line_index {
    VEC(struct line *) lines;
    struct line **slots; /* open addressing by start: the first line per start */
    unsigned size;       /* number of slots, a power of two */
    size_t longest;      /* length of the longest start */
};

/* Builds the index of an ISA, in the model's arena. Lines that begin with a map are sorted by
 * falling number of fixed bits. */
void index_build(struct line_index *x, struct text *t);

/* The lines that begin with exactly these characters (lower case), or NULL. */
struct line *index_find(const struct line_index *x, const char *start, size_t length);

/* The value of the first piece. NULL: it is literal text or cannot be made. */
const struct word_expr *line_first_value(struct text *t, struct line *line);

/* A value of a piece; `value` is its number in the line. NULL after reporting that it cannot be
 * made. */
struct word_expr *line_value(struct text *t, struct line *line, unsigned piece, unsigned value);

/* Makes the expressions of a line. False if that fails, which is reported once. */
bool line_prepare(struct text *t, struct line *line);

#endif
