/*
 * What Bifrost's floating-point instructions compute, a second time: from their text, with exact
 * intermediate results in quadruple precision, and by the C library. Nothing here looks at
 * encodings or at the description's behaviours.
 */
#ifndef TESTS_BIFROST_FP_REFERENCE_H
#define TESTS_BIFROST_FP_REFERENCE_H

#include "tests/bifrost_fp/text.h"

enum reference_answer {
    REFERENCE_UNKNOWN, /* the instruction, or this form of it, is not known */
    REFERENCE_SKIPPED, /* these values would need more than quadruple precision */
    REFERENCE_EXACT,   /* *result is right; of NaNs any will do */
    REFERENCE_NEAR,    /* an approximation: a float within 1 ulp of *result is right */
};

/* The result for these values of the sources' words. flush: the clause's mode; 0 keeps subnormal
 * numbers, 1 flushes those of single precision, 2 and 3 all. */
enum reference_answer reference_run(const struct text_instr *in, const uint32_t *value,
                                    unsigned flush, uint32_t *result);

#endif
