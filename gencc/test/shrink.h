/*
 * Makes a program on which two simulators differ shorter.
 */
#ifndef GENCC_TEST_SHRINK_H
#define GENCC_TEST_SHRINK_H

#include "gencc/test/compare.h"

/* Runs the program from a fresh start of both sides. Returns whether they differ. */
bool differs_afresh(struct peer *peer, struct program *p);
/* Removes instructions, and sets registers and memory to 0, as long as both sides differ. `p`
 * differs afresh. */
void shrink(struct peer *peer, struct program *p);

#endif
