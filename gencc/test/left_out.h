/*
 * Words and bits that a test leaves out, and why.
 *
 * A file has one rule a line, and comments behind '#':
 *
 *     PATTERNS: REASON                  words of forms or instructions of these names
 *     PATTERNS if CONDITION: REASON     those for which the condition holds (condition.h)
 *     mistake PATTERNS if CONDITION: REASON    the same: the other simulator is wrong
 *     mistake ... shown by NUMBERS: REASON     the same; words behind which the mistake is seen
 *     keep PART MASK: REASON            bits of a part of signal frames that stay as at the start
 *     include FILE                      the rules of a file, whose name is relative to this file's
 *
 * Patterns are as in a shell, separated by commas; `undefined` is an undefined word.
 */
#ifndef GENCC_TEST_LEFT_OUT_H
#define GENCC_TEST_LEFT_OUT_H

#include "gencc/test/condition.h"
#include "gencc/test/frame.h"
#include "gencc/test/program.h"

struct rule {
    const char *patterns, *reason;
    const struct condition *condition; /* NULL: always */
    bool mistake;
    VEC(uint32_t) shown; /* instructions of 4 bytes that show a mistake; may be empty */
    uint8_t
        *forms; /* by form->index: whether a pattern matches; behind the last: undefined words */
};

struct left_out {
    struct frame *frame;
    const struct isa *isa;
    VEC(struct rule) rules;
};

/* Whether one of the patterns, with commas between, is that of the form or of its instruction. */
bool names_match(const char *patterns, const struct form *form);
/* Reads a file of rules, and those that it includes. Returns false after reporting. Of l->frame
 * only the machine's model is needed for rules of words, and its parts for `keep`. */
bool left_out_read(struct left_out *l, const char *path);
/* Adds patterns without a condition. */
void left_out_add(struct left_out *l, const char *patterns, const char *reason);
/* Returns the rule that leaves out the word of the form (NULL: undefined) in the machine's
 * state. */
const struct rule *left_out_find(const struct left_out *l, const struct form *form, u128 word);
/* Whether a step of the program, which is executed again, is undefined or left out. */
bool left_out_in(const struct left_out *l, const struct program *p);

#endif
