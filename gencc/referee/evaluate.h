/*
 * One instruction, by the evaluator of the intermediate representation.
 */
#ifndef GENCC_REFEREE_EVALUATE_H
#define GENCC_REFEREE_EVALUATE_H

#include "gencc/ir/ir.h"
#include "gencc/model/model.h"

enum { EVALUATE_MAX_FIELDS = 64 };

/* Evaluates a form's decode function for the word, of which `fields` then has the result, by index. Returns
 * NULL, or what went wrong. */
const char *evaluate_fields(struct ir_machine *m, const struct form *form, u128 word,
                            u128 fields[EVALUATE_MAX_FIELDS]);

/* Evaluates a form's decode and execute functions for the word, with its
 * decode context above it. Of `m` the caller sets what the
 * functions run on: state, intrinsics, external functions, and `max_steps`. `has_left`, called with
 * m->opaque, says whether an intrinsic has left the instruction. Returns NULL, or what went wrong. */
const char *evaluate_form(struct ir_machine *m, const struct form *form, u128 word,
                          bool (*has_left)(void *opaque));

#endif
