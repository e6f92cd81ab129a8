/*
 * Makes an access or a jump of a program reach memory or the program.
 */
#ifndef GENCC_TEST_AIM_H
#define GENCC_TEST_AIM_H

#include "gencc/test/generate.h"

/* The step p->step[p->count] has faulted or jumped to somewhere else. Changes initial registers, or
 * fields of its word or of the one before it, and executes them again, until it goes on. Returns
 * false if nothing helps; the machine is then as after the original step. */
bool aim(struct generator *g, struct program *p);

#endif
