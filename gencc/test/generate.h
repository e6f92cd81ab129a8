/*
 * Makes random programs: a state of the CPU, a few instructions, memory.
 *
 * Instructions are chosen while the evaluator executes the program, so that nothing has to be known
 * of the architecture. If an access misses the memory, or a jump the program, a register that no
 * earlier instruction has read or written gets another initial value, or the word other fields.
 */
#ifndef GENCC_TEST_GENERATE_H
#define GENCC_TEST_GENERATE_H

#include "gencc/referee/operands.h"
#include "gencc/referee/words.h"
#include "gencc/test/frame.h"
#include "gencc/test/left_out.h"
#include "gencc/test/program.h"

/* What has been done with a form. */
struct form_count {
    unsigned executed, drawn;
    const char *unsupported; /* what the evaluator lacks for it; NULL: nothing */
};

struct generator {
    struct machine *m;
    struct frame *frame;
    struct random random;
    struct words words;
    unsigned mode;
    unsigned length;    /* instructions of a program at most */
    unsigned undefined; /* of this many words one is a neighbour of a valid one; 0: none */
    /* Programs do not end with the stack pointer here: on the stack of signals. */
    struct place stack;
    uint64_t avoid_at, avoid_bytes;
    const char *only; /* pattern of forms; NULL: all */
    struct left_out left_out;
    VEC(struct form *) forms;
    VEC(struct instr *) instrs;
    struct form_count *counts; /* by form->index */
};

/* Prepares the generator for the ISA of `mode`; returns false if there is no form to use. */
bool generator_prepare(struct generator *g, unsigned mode);
/* Makes a program that begins with the machine's present state, of which all that frames carry is
 * made random. The machine is then in the state after the program. Returns false if it found
 * none. */
bool generate(struct generator *g, struct program *p);
#endif
