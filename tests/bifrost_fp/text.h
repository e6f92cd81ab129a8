/* Instructions parsed from a disassembler's text. */
#ifndef TESTS_BIFROST_FP_TEXT_H
#define TESTS_BIFROST_FP_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum { TEXT_SOURCES = 4, TEXT_MODIFIERS = 8, TEXT_WORD = 24 };

struct text_part { /* "FADD.f32.rtp", or "s0.neg.h1" */
    char name[TEXT_WORD];
    char modifier[TEXT_MODIFIERS][TEXT_WORD];
    unsigned modifiers;
};

struct text_instr {
    struct text_part op;
    struct text_part source[TEXT_SOURCES];
    unsigned sources;
};

/* Parses "NAME.mod t0, s0.neg, s1". Returns false if the text does not have this form. */
bool text_parse(const char *text, struct text_instr *out);

/* Whether the part has this modifier. */
bool text_has(const struct text_part *part, const char *modifier);
/*
 * Returns the index in `names`, which NULL ends, of the first one that is a modifier of the part,
 * or `otherwise` if none is.
 */
unsigned text_which(const struct text_part *part, const char *const *names, unsigned otherwise);

#endif
