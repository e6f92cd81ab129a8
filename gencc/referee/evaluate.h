/*
 * Evaluates one instruction with the evaluator of the intermediate representation.
 */
#ifndef GENCC_REFEREE_EVALUATE_H
#define GENCC_REFEREE_EVALUATE_H

#include "gencc/ir/ir.h"
#include "gencc/model/model.h"

enum { EVALUATE_MAX_FIELDS = 64 };

/* Evaluates the form's decode function on the word; `fields` receives the fields by index. Returns
 * NULL, or an error text. */
const char *evaluate_fields(struct ir_machine *m, const struct form *form, u128 word,
                            u128 fields[EVALUATE_MAX_FIELDS]);

/* Evaluates the form's decode and execute functions on the word, which has its decode context in
 * the bits above it. The caller sets up `m`: state, intrinsics, external functions, `max_steps`.
 * has_left(m->opaque) says whether an intrinsic has left the instruction; NULL: the caller knows.
 * Returns NULL, or an error text. */
const char *evaluate_form(struct ir_machine *m, const struct form *form, u128 word,
                          bool (*has_left)(void *opaque));

#endif
