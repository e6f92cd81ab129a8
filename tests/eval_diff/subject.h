/*
 * What the tests must know of an instruction set to try it: a file each, linked into a program each.
 */
#ifndef TESTS_EVAL_DIFF_SUBJECT_H
#define TESTS_EVAL_DIFF_SUBJECT_H

#include "tests/eval_diff/outcome.h"
#include "gencc/referee/operands.h"

struct cpu_isa;
struct form;
struct model;

struct subject {
    const struct cpu_isa *cpu; /* generated */
    const char *isa;           /* its name in the description */
    uint32_t lines;            /* interrupt inputs that it has */
    uint32_t mode;             /* the ISA's place in the architecture */

    /* All that are no system registers; the ring. What not every value can be in keeps to that. */
    void (*random_registers)(struct random *random, const struct model *m, struct situation *s);

    /* Makes the addresses of a load, a store or a system instruction those of memory, mostly. */
    void (*aim)(struct random *random, const struct model *m, const struct form *form,
                uint32_t word, struct situation *s);

    /* The word with its system register, if it names one, replaced by one that exists, and a
     * literal's distance by a short one. */
    uint32_t (*likely_word)(struct random *random, const struct model *m, const struct form *form,
                            uint32_t word);
};

extern const struct subject subject;

#endif
