/*
 * Random situations for an instruction to start from.
 */
#ifndef TESTS_EVAL_DIFF_INPUTS_H
#define TESTS_EVAL_DIFF_INPUTS_H

#include "gencc/model/model.h"
#include "tests/eval_diff/subject.h"

/* Fills `s` with a random state in which the word of the form is likely to have an effect. */
void random_situation(struct random *random, const struct model *m, const struct form *form,
                      uint32_t word, struct situation *s);

/* Returns the ISA that subject.isa names; NULL if the model has none of that name. */
struct isa *subject_isa(const struct model *m);

/* Returns the width, in bits, of the word that begins with these bytes. */
unsigned width_of_bytes(const struct isa *isa, const uint8_t bytes[4]);

/* Returns the word of a form as bytes of memory. */
struct code_bytes bytes_of(const struct isa *isa, const struct form *form, uint32_t word);

/* Returns the word itself with probability 1/8, else what subject.likely_word() makes of it. */
uint32_t likely_word(struct random *random, const struct model *m, const struct form *form,
                     uint32_t word);

/* ---- for subjects ---------------------------------------------------------------------------- */

/* Returns true with probability 1/n. */
bool one_in(struct random *random, uint32_t n);

/* Sets register `index` of bank or slot `name`; does nothing if the model has no such register. */
void put_register(const struct model *m, struct situation *s, const char *name, unsigned index,
                  uint64_t value);

/* Returns a random address in the pages of memory, or shortly after them. */
uint64_t random_address(struct random *random);

/* Returns the field `name`, which decoding computes; 0 if the form has none. */
int64_t computed_field(const struct form *form, const char *name, uint32_t word);

/* Whether the instruction of the form has the class `name`. */
bool has_class(const struct form *form, const char *name);

#endif
