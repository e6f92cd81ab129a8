/*
 * Single instructions of a random program while it is made.
 */
#ifndef GENCC_TEST_STEP_H
#define GENCC_TEST_STEP_H

#include "gencc/test/generate.h"

/* Whether the bytes from offset `at` on are before the page's end and not part of an
 * instruction. */
bool is_free(const struct program *p, unsigned at, unsigned bytes);
/* Whether execution can continue where it is: behind `at`, in the program or at its end. */
bool goes_on(const struct generator *g, const struct program *p, unsigned at);
/* Executes the word at the PC, and notes the state before it and the registers that it uses. */
void execute_step(struct generator *g, struct step *s);

#endif
