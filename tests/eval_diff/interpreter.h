/*
 * The interpreter's side: one instruction run on the generated CPU.
 */
#ifndef TESTS_EVAL_DIFF_INTERPRETER_H
#define TESTS_EVAL_DIFF_INTERPRETER_H

#include "tests/eval_diff/outcome.h"

struct interpreter;

/* NULL after a message on standard error. */
struct interpreter *interpreter_new(void);
void interpreter_free(struct interpreter *n);

/* The page of code, as loads see it. */
const uint8_t *interpreter_code(const struct interpreter *n);

/* Puts the instruction at the situation's PC, and runs it. */
void interpreter_run(struct interpreter *n, const struct code_bytes *code, struct situation *s);

/* The CPU, to connect other things with. */
struct cpu;
/* Returns the CPU, to which a test may connect other parts. */
struct cpu *interpreter_cpu(struct interpreter *n);

/* The number of the form that the generated decoder finds; the number of forms for none. */
unsigned interpreter_decode(struct interpreter *n, const struct code_bytes *code);

#endif
