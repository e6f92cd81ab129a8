/*
 * Writes programs as files that run alone on any simulator or board.
 */
#ifndef GENCC_TEST_OUTPUT_H
#define GENCC_TEST_OUTPUT_H

#include "gencc/test/harness.h"
#include "gencc/test/program.h"

/* Makes the folder and the script that runs all programs. Returns false after reporting. */
bool output_begin(const char *folder);
/* Writes program number `number`, which has been run, and the output that is expected of it. The
 * image of the harness is overwritten. Returns false after reporting. */
bool output_program(struct harness *h, const struct program *p, const char *folder,
                    unsigned number);

#endif
