/* Makes the CPU of an interpreter (tests/eval_diff) translate every block before its first run. */
#ifndef TESTS_JIT_DIFF_TRANSLATE_H
#define TESTS_JIT_DIFF_TRANSLATE_H

#include "tests/eval_diff/interpreter.h"

struct translation;

/*
 * Translates by LLVM, or else by the quick tier. Returns NULL after a message on standard error.
 * Must be freed before the interpreter.
 */
struct translation *translate_all(struct interpreter *n, bool by_llvm, bool base);
void translation_free(struct translation *t);

#endif
