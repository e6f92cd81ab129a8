/*
 * The referee: the functions of a form, evaluated lane by lane.
 */
#ifndef PROGRAMS_MALI_FUZZ_EVALUATOR_H
#define PROGRAMS_MALI_FUZZ_EVALUATOR_H

#include "gencc/model/model.h"
#include "gencc/referee/evaluate.h"
#include "programs/mali-fuzz/situation.h"

/* Sources are those of `before`; everything else happens to *s. */
void evaluator_run(const struct model *m, const struct form *form, u128 word,
                   const struct situation *before, struct situation *s);

/* What the form's decode function makes of its fields. NULL, or what went wrong. */
const char *evaluator_fields(const struct situation *s, const struct form *form, u128 word,
                             u128 fields[EVALUATE_MAX_FIELDS]);

#endif
