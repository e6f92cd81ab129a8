/*
 * Makes the CPU of an interpreter (tests/eval_diff) translate every block before it first runs it.
 */
#ifndef TESTS_JIT_DIFF_TRANSLATE_H
#define TESTS_JIT_DIFF_TRANSLATE_H

#include "tests/eval_diff/interpreter.h"

struct translation;

/* By LLVM or the quick tier. NULL after a message on standard error. To be freed before the interpreter. */
struct translation *translate_all(struct interpreter *n, bool by_llvm);
void translation_free(struct translation *t);

#endif
