/*
 * What two outcomes of an instruction have differently.
 */
#ifndef TESTS_EVAL_DIFF_DIFFERENCES_H
#define TESTS_EVAL_DIFF_DIFFERENCES_H

#include "gencc/model/model.h"
#include "tests/eval_diff/outcome.h"

/* Prints it, a line each. `other` names the side that `b` is from. */
void print_differences(const struct model *m, const struct situation *a, const char *other,
                       const struct situation *b);

#endif
