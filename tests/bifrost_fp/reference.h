/*
 * Bifrost's floating-point instructions a second time, as a referee: computed from their text, with
 * exact intermediate results in quadruple precision, and by the C library. It uses neither
 * encodings nor the description's behaviours.
 */
#ifndef TESTS_BIFROST_FP_REFERENCE_H
#define TESTS_BIFROST_FP_REFERENCE_H

#include "tests/bifrost_fp/text.h"

enum reference_answer {
    REFERENCE_UNKNOWN, /* the reference does not know the instruction, or this form of it */
    REFERENCE_SKIPPED, /* the result needs more than quadruple precision */
    REFERENCE_EXACT,   /* result is right; any NaN is right for a NaN */
    REFERENCE_NEAR,    /* an approximation: a float within 1 ulp of *result is right */
};

/*
 * Computes the result for these values of the sources' words. flush is the clause's mode: 0 keeps
 * subnormal numbers, 1 flushes those of single precision, 2 and 3 flush all.
 */
enum reference_answer reference_run(const struct text_instr *in, const uint32_t *value,
                                    unsigned flush, uint32_t *result);

#endif
