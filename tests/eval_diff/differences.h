/* Prints the differences between two outcomes of an instruction. */
#ifndef TESTS_EVAL_DIFF_DIFFERENCES_H
#define TESTS_EVAL_DIFF_DIFFERENCES_H

#include "gencc/model/model.h"
#include "tests/eval_diff/outcome.h"

/* Prints one line per difference. `other` names the side that `b` is from. */
void print_differences(const struct model *m, const struct situation *a, const char *other,
                       const struct situation *b);

#endif
