/*
 * Which words are left out of the comparison: left_out.def.
 */
#ifndef TESTS_A64_RANDOM_LEFT_OUT_H
#define TESTS_A64_RANDOM_LEFT_OUT_H

#include "gencc/model/model.h"

/* The reason to leave a word of the instruction out, or NULL. */
const char *left_out(const struct instr *instr, uint32_t word);

#endif
