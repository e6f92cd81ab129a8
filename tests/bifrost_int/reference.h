/*
 * Bifrost's integer instructions a second time, as a referee: computed from their text, as a
 * disassembler prints it, element by element with 64-bit numbers. It uses neither encodings nor the
 * description's behaviours.
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

/* An instruction's text, parsed. */
struct reference_instr {
    char name[REFERENCE_WORD];        /* "LSHIFT_OR" */
    char modifier[6][REFERENCE_WORD]; /* "i32", "not" … in the text's order */
    unsigned modifiers;
    struct reference_operand source[REFERENCE_SOURCES];
    unsigned sources;
};

/*
 * Parses text such as "LSHIFT_OR.i32.not t0, s0, s1.not, s2.b1"; the first operand is the
 * destination. Returns false if the text does not have this form.
 */
bool reference_parse(const char *text, struct reference_instr *out);

/* Whether the instruction itself, and not one of its sources, has this modifier. */
bool reference_has(const struct reference_instr *in, const char *modifier);

/* Returns the number with these half-precision bits. */
double reference_half(uint32_t bits);

/*
 * Computes the result of the instruction on these values of its sources. Returns false for
 * instructions that the reference does not know, or whose result is not public.
 */
bool reference_run(const struct reference_instr *in, const uint32_t *value, uint32_t *result);

#endif
