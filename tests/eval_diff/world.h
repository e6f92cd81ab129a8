/*
 * The evaluator's side: one instruction's functions, evaluated in a situation.
 */
#ifndef TESTS_EVAL_DIFF_WORLD_H
#define TESTS_EVAL_DIFF_WORLD_H

#include "gencc/ir/ir.h"
#include "gencc/model/model.h"
#include "tests/eval_diff/outcome.h"

/* Evaluates a form's decode and execute functions for the word. `code` is the page of code. */
void world_run(const struct model *m, const struct form *form, uint32_t word, const uint8_t *code,
               struct situation *s);

#endif
