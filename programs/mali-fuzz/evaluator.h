/*
 * The referee: the functions of a form, evaluated lane by lane.
 */
#ifndef PROGRAMS_MALI_FUZZ_EVALUATOR_H
#define PROGRAMS_MALI_FUZZ_EVALUATOR_H

#include "gencc/model/model.h"
#include "gencc/referee/evaluate.h"
#include "programs/mali-fuzz/situation.h"

/* Evaluates a form with the sources of `before`. All effects are on *s. */
void evaluator_run(const struct model *m, const struct form *form, u128 word,
                   const struct situation *before, struct situation *s);

/* Computes the form's fields by its decode function. Returns NULL or an error text. */
const char *evaluator_fields(const struct situation *s, const struct form *form, u128 word,
                             u128 fields[EVALUATE_MAX_FIELDS]);

#endif
