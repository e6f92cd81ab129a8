/*
 * The evaluator's side: one instruction's functions, evaluated in a situation.
 */
#ifndef TESTS_EVAL_DIFF_WORLD_H
#define TESTS_EVAL_DIFF_WORLD_H

#include "gencc/ir/ir.h"
#include "gencc/model/model.h"
#include "tests/eval_diff/outcome.h"

/* Evaluates a form's decode and execute functions for the word, with its decode context above it.
 * `next` is the context behind it, `code` the page of code. */
void world_run(const struct isa *isa, const struct form *form, uint64_t word, unsigned next,
               const uint8_t *code, struct situation *s);

#endif
