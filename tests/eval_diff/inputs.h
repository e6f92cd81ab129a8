/*
 * Random situations for an instruction to start from.
 */
#ifndef TESTS_EVAL_DIFF_INPUTS_H
#define TESTS_EVAL_DIFF_INPUTS_H

#include "gencc/model/model.h"
#include "tests/eval_diff/subject.h"

/* Registers, memory and all else, such that the word of the form may well have an effect. */
void random_situation(struct random *random, const struct model *m, const struct form *form,
                      uint32_t word, struct situation *s);

/* The instruction set. */
struct isa *subject_isa(const struct model *m);

/* How many bits the word has whose bytes begin so. */
unsigned width_of_bytes(const struct isa *isa, const uint8_t bytes[4]);

struct code_bytes bytes_of(const struct isa *isa, const struct form *form, uint32_t word);

/* The word, mostly as the subject would have it. */
uint32_t likely_word(struct random *random, const struct model *m, const struct form *form,
                     uint32_t word);

/* ---- for subjects ---------------------------------------------------------------------------- */

bool one_in(struct random *random, uint32_t n);

/* Does nothing if there is no such register. */
void put_register(const struct model *m, struct situation *s, const char *name, unsigned index,
                  uint64_t value);

/* Any address of memory, and a few beyond. */
uint64_t random_address(struct random *random);

/* The computed field of that name, or 0. */
int64_t computed_field(const struct form *form, const char *name, uint32_t word);

bool has_class(const struct form *form, const char *name);

#endif
