/*
 * What `gencc test` prints.
 */
#ifndef GENCC_TEST_REPORT_H
#define GENCC_TEST_REPORT_H

#include <stdio.h>

#include "gencc/test/generate.h"

struct totals {
    uint64_t programs, instructions, differences;
    double seconds;
};

/* Prints the instructions of a program, and the registers and memory that they begin with. */
void report_program(struct frame *f, struct program *p, FILE *out);
/* Prints counts, forms that were not executed and why; `list`: all of these. */
void report_totals(const struct generator *g, const struct totals *t, bool list, FILE *out);

#endif
