/*
 * Random programs: made as a list of operations, which can be encoded as A64 code and evaluated in C.
 * What a simulated CPU makes of the code has to be what the evaluation says.
 */
#ifndef TESTS_SOAK_PROGRAM_H
#define TESTS_SOAK_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

enum {
    REGISTERS = 8,
    WORDS = 64, /* of memory; a power of two */
    MAX_OPERATIONS = 48,
    MAX_CODE = 1024, /* instructions */
};

/* What a program starts with and what it leaves. */
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
    unsigned loops; /* how often the operations are done, at least 1 */
    struct operation operations[MAX_OPERATIONS];
    struct state start;
};

/* Makes the program that belongs to a number. */
void program_make(struct program *p, uint64_t seed);

/* What it leaves. */
void program_evaluate(const struct program *p, struct state *s);

/* Encodes it as a function `void f(struct state *)`; returns how many of the MAX_CODE instructions
 * it takes. Some programs write to their own code. */
size_t program_encode(const struct program *p, uint32_t *code);

#endif
