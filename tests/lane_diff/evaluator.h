/*
 * The other side: the functions of a form, evaluated lane by lane.
 */
#ifndef TESTS_LANE_DIFF_EVALUATOR_H
#define TESTS_LANE_DIFF_EVALUATOR_H

#include "gencc/model/model.h"
#include "tests/lane_diff/situation.h"

void evaluator_run(const struct model *m, const struct form *form, uint32_t word,
                   struct situation *s);

#endif
