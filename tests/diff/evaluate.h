/*
 * One instruction, by the evaluator of the intermediate representation.
 */
#ifndef TESTS_DIFF_EVALUATE_H
#define TESTS_DIFF_EVALUATE_H

#include "gencc/ir/ir.h"
#include "gencc/model/model.h"

/* Evaluates a form's decode and execute functions for the word. Of `m` the caller sets what the
 * functions run on: state, intrinsics, external functions, and `max_steps`. `has_left`, called with
 * m->opaque, says whether an intrinsic has left the instruction. Returns NULL, or what went wrong. */
const char *evaluate_form(struct ir_machine *m, const struct form *form, uint32_t word,
                          bool (*has_left)(void *opaque));

#endif
