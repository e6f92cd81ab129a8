/*
 * The decision tree over the bits of instruction words that gencc makes from a description.
 * Decoders and disassemblers find the form of a word with it.
 */
#ifndef COMMON_PRELUDE_DECODE_TREE_H
#define COMMON_PRELUDE_DECODE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A word of any ISA; the decode context is in the bits above it. */
__extension__ typedef unsigned __int128 decode_word;

struct decode_test {
    decode_word mask, value;
};

/* A form that a word has if it passes the test and none of `nots` */
struct decode_candidate {
    struct decode_test test;
    uint16_t form;
    uint16_t nots; /* index of the first one in decode_tree.nots */
    uint8_t not_count;
    bool last; /* the last candidate of its leaf; candidates are tried in order */
};

/*
 * A reference is 0 (no form), DECODE_TREE_LEAF plus the index of a leaf's first candidate, or the
 * index of a node in `nodes`. A node is a word with the shift (bits 7:0) and the width (above) of
 * the bits to switch on, followed by one reference per value of these bits.
 */
#define DECODE_TREE_LEAF UINT32_C(0x80000000)

struct decode_tree {
    uint32_t root; /* a reference */
    const uint32_t *nodes;
    const struct decode_candidate *candidates;
    const struct decode_test *nots;
};

/* Whether the word has the candidate's form. */
static inline bool decode_tree_matches(const struct decode_tree *t,
                                       const struct decode_candidate *c, decode_word word)
{
    if ((word & c->test.mask) != c->test.value)
        return false;
    for (const struct decode_test *n = t->nots + c->nots, *end = n + c->not_count; n < end; n++)
        if ((word & n->mask) == n->value)
            return false;
    return true;
}

/* decode_tree_first() returns the first candidate that matches the word, decode_tree_next() the one
 * after `c`; NULL if there is none. */
static inline const struct decode_candidate *
decode_tree_next(const struct decode_tree *t, const struct decode_candidate *c, decode_word word)
{
    while (!c->last)
        if (decode_tree_matches(t, ++c, word))
            return c;
    return NULL;
}

static inline const struct decode_candidate *decode_tree_first(const struct decode_tree *t,
                                                               decode_word word)
{
    const struct decode_candidate *c;
    uint32_t at = t->root;

    while (at && !(at & DECODE_TREE_LEAF)) {
        const uint32_t *node = t->nodes + at;

        at = node[1 + ((uint32_t)(word >> (*node & 0xff)) & ((UINT32_C(1) << (*node >> 8)) - 1))];
    }
    if (!at)
        return NULL;
    c = t->candidates + (at & ~DECODE_TREE_LEAF);
    return decode_tree_matches(t, c, word) ? c : decode_tree_next(t, c, word);
}

#endif
