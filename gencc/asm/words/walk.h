/*
 * Reads the line of a word within a bundle piece by piece. Each piece settles bits of the word, so
 * the values of a piece are limited by the pieces before it.
 */
#ifndef GENCC_ASM_WORDS_WALK_H
#define GENCC_ASM_WORDS_WALK_H

#include "gencc/asm/words/index.h"

struct walk {
    struct text *text;
    struct line *line;
    struct form *form;
    struct matcher *m; /* receives the operands */
    /* Called for each reading of the whole line with the known bits; true ends the search. A piece
     * that is `proved` reads so whatever the other bits are. */
    bool (*found)(void *opaque, const struct matcher *m, struct bits known, const bool *proved);
    void *opaque;
    /* Private to walk.c. */
    unsigned values_left; /* values that may still be tried */
    unsigned readings;    /* readings that may still be found */
    u128 blame;           /* bits of the word on which the last failure depends */
    u128 noted_bits;      /* bits on which the bundle's notes depend */
    bool proved[MATCH_MAX_PIECES];
};

/* Whether all literal texts of the syntax are in m->line, in order. */
bool walk_may_read(struct matcher *m, const struct asm_syntax *syntax);

/* Tries to read m->line as a word of the form. Returns true if `found` did. */
bool walk_line(struct walk *w);

#endif
