/*
 * Random programs: lists of operations that can be encoded as A64 code and evaluated in C. A
 * simulated CPU must get the evaluation's result from the code.
 */
#ifndef TESTS_SOAK_PROGRAM_H
#define TESTS_SOAK_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

enum {
    REGISTERS = 8,
    WORDS = 64, /* words of memory; a power of two */
    MAX_OPERATIONS = 48,
    MAX_CODE = 1024, /* instructions */
};

/* State at a program's start and end. */
struct state {
    uint64_t x[REGISTERS];
    uint64_t memory[WORDS];
};

struct operation {
    uint8_t kind;       /* enum kind of program.c */
    uint8_t d, a, b, c; /* registers */
    uint16_t imm;
};

struct program {
    unsigned count;
    unsigned loops; /* number of rounds, at least 1 */
    struct operation operations[MAX_OPERATIONS];
    struct state start;
};

/* Makes program number `seed`. */
void program_make(struct program *p, uint64_t seed);

/* Evaluates the program on a state. */
void program_evaluate(const struct program *p, struct state *s);

/*
 * Encodes the program as a function `void f(struct state *)`. Returns the number of instructions,
 * at most MAX_CODE. Some programs rewrite their own code.
 */
size_t program_encode(const struct program *p, uint32_t *code);

#endif
