/*
 * Reading the line of a word within a bundle: piece by piece, each settling bits of the word, so that what a piece
 * can read as is known from those before it.
 */
#ifndef GENCC_ASM_WORDS_WALK_H
#define GENCC_ASM_WORDS_WALK_H

#include "gencc/asm/words/index.h"

struct walk {
    struct text *text;
    struct line *line;
    struct form *form;
    struct matcher *m; /* its operands are filled in */
    /* Called for each way to read the whole line, with the bits that are known; true ends the search. A piece that is
     * `proved` reads so whatever the other bits are. */
    bool (*found)(void *opaque, const struct matcher *m, struct bits known, const bool *proved);
    void *opaque;
    /* Its own. */
    unsigned left;     /* values that are still tried */
    unsigned readings; /* that are still looked at */
    u128 blame;        /* bits of the word without which the last failure might not have been one */
    u128 noted;        /* bits that decide what the bundle has noted of pieces */
    bool proved[MATCH_MAX_PIECES];
};

/* Whether all literal texts of the syntax stand in m->line, in order. */
bool walk_may_read(struct matcher *m, const struct asm_syntax *syntax);

/* Tries to read m->line as a word of the form. Returns true when `found` did. */
bool walk_line(struct walk *w);

#endif
