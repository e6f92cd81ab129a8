/*
 * Conditions of left-out words: expressions over the fields of a word and over registers.
 */
#ifndef GENCC_TEST_CONDITION_H
#define GENCC_TEST_CONDITION_H

#include "gencc/test/registers.h"

struct condition;

/*
 * Reads an expression as C has it: numbers, names, parentheses, unary ! ~ -, and * % + - << >>
 * < <= > >= == != & ^ | && ||. A name is a field of a format, WORD, PC, a register, or
 * `BANK[NUMBER]`. `text` ends with
 * the expression. Returns NULL and sets *error to what is wrong.
 */
struct condition *condition_read(const struct machine *m, const struct isa *isa, const char *text,
                                 const char **error);
/* The value for a word of the form (NULL: undefined) and the machine's registers. A field that the
 * form does not have is UINT64_MAX. */
uint64_t condition_value(struct machine *m, const struct condition *c, const struct form *form,
                         u128 word);

#endif
