/*
 * What Bifrost's integer instructions compute, a second time: from their text, as a disassembler
 * prints it, and written element by element with 64-bit numbers. Nothing here looks at encodings or
 * at the description's behaviours.
 */
#ifndef TESTS_BIFROST_INT_REFERENCE_H
#define TESTS_BIFROST_INT_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

enum { REFERENCE_SOURCES = 4, REFERENCE_WORD = 32 };

struct reference_operand {
    char name[REFERENCE_WORD];     /* "s0", "t1", "#0" … as printed, without modifiers */
    char modifier[REFERENCE_WORD]; /* "b2", "h10", "not" …; empty: none */
};

/* An instruction's text taken apart. */
struct reference_instr {
    char name[REFERENCE_WORD];        /* "LSHIFT_OR" */
    char modifier[6][REFERENCE_WORD]; /* "i32", "not" … in order */
    unsigned modifiers;
    struct reference_operand source[REFERENCE_SOURCES];
    unsigned sources;
};

/* Takes text such as "LSHIFT_OR.i32.not t0, s0, s1.not, s2.b1" apart; what stands first after the
 * name is the destination. false: the text is not of this form. */
bool reference_parse(const char *text, struct reference_instr *out);

/* Whether the instruction has this modifier, not of a source. */
bool reference_has(const struct reference_instr *in, const char *modifier);

/* The number of half precision with these bits. */
double reference_half(uint32_t bits);

/* The result of the instruction on these values of its sources. false: not an instruction that the
 * reference knows, or one whose result is not public. */
bool reference_run(const struct reference_instr *in, const uint32_t *value, uint32_t *result);

#endif
