/*
 * The part of the tests that depends on the instruction set: one file, and one program, per set.
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
    const char *isa;           /* name of the ISA in the description */
    uint32_t lines;            /* mask of the CPU's interrupt inputs */
    uint32_t mode;             /* the ISA's place in the architecture */

    /* Sets the ring and all registers but system registers to random values that they can hold. */
    void (*random_registers)(struct random *random, const struct model *m, struct situation *s);

    /* Makes a load, store or system instruction address memory, in most cases. */
    void (*aim)(struct random *random, const struct model *m, const struct form *form,
                uint32_t word, struct situation *s);

    /* Returns the word with its system register, if any, replaced by one that exists, and the
     * distance of a literal by a short one. */
    uint32_t (*likely_word)(struct random *random, const struct model *m, const struct form *form,
                            uint32_t word);
};

extern const struct subject subject;

#endif
