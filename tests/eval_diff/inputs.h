/*
 * Random situations for an instruction to start from.
 */
#ifndef TESTS_EVAL_DIFF_INPUTS_H
#define TESTS_EVAL_DIFF_INPUTS_H

#include "gencc/model/model.h"
#include "tests/eval_diff/outcome.h"
#include "tests/fp/operands.h"

/* Registers, memory and all else, such that the word of the form may well have an effect. */
void random_situation(struct random *random, const struct model *m, const struct form *form,
                      uint32_t word, struct situation *s);

/* The word with its system register, if it names one, replaced by one that exists, and a literal's
 * distance by a short one; mostly. */
uint32_t likely_word(struct random *random, const struct model *m, const struct form *form,
                     uint32_t word);

#endif
