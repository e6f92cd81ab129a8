/* Instructions taken apart as a disassembler prints them. */
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

/* Takes "NAME.mod t0, s0.neg, s1" apart. false: it is not of this form. */
bool text_parse(const char *text, struct text_instr *out);

bool text_has(const struct text_part *part, const char *modifier);
/* Which of the names, which a NULL ends, is a modifier; `otherwise` when none is. */
unsigned text_which(const struct text_part *part, const char *const *names, unsigned otherwise);

#endif
