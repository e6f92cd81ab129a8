/*
 * A program of a test: code, the state and memory before it, and what became of them.
 */
#ifndef GENCC_TEST_PROGRAM_H
#define GENCC_TEST_PROGRAM_H

#include "gencc/test/machine.h"

enum { MAX_STEPS_OF_PROGRAM = 32, MAX_PARTS = 512 };

/* An executed instruction. */
struct step {
    unsigned at, bytes; /* in the page of code */
    struct form *form;  /* NULL: undefined */
    u128 word;
    struct snapshot before;
    bool touched[MAX_PARTS]; /* registers that it read or wrote */
};

struct program {
    uint8_t code[PAGE_BYTES];
    unsigned start; /* offset of the first instruction in the page, at whose end the program ends */
    struct snapshot before, after;
    unsigned count; /* executed instructions */
    struct step step[MAX_STEPS_OF_PROGRAM];
};

/* Executes the program from p->before on and sets p->after and the steps. Returns false if it does
 * not end, or does what a test cannot. */
bool program_run(struct machine *m, struct program *p);

#endif
