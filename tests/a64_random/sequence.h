/*
 * Random sequences of instructions, and the state they start from.
 */
#ifndef TESTS_A64_RANDOM_SEQUENCE_H
#define TESTS_A64_RANDOM_SEQUENCE_H

#include "tests/a64_random/protocol.h"
#include "tests/fp/operands.h"
#include "tests/text/words.h"

struct generator {
    struct text *text;
    struct form **forms; /* those that are generated */
    unsigned count;
    struct form ***by_instr; /* the same by instruction: each a list that ends with NULL */
    unsigned instrs;
    unsigned *made; /* by form->index: words made */
    unsigned isa_forms;
    struct random random;
    struct words words;
};

/* A sequence under construction or finished. */
struct sequence {
    struct request request;
    bool counted[MAX_WORDS]; /* a random instruction, not one that prepares for another */
};

/* Chooses among the forms of the ISA whose or whose instruction's name matches the pattern `only`
 * (NULL: all). False when there is none, or no memory. */
bool generator_init(struct generator *g, struct isa *isa, struct text *text, const char *only);
void generator_free(struct generator *g);

/* Makes sequence `number` of a seed, of about `units` random instructions. */
void make_sequence(struct generator *g, uint64_t seed, uint64_t number, unsigned units,
                   struct sequence *s);

/* The word that jumps from CODE + 4 * index to CODE + STUB. */
uint32_t jump_to_stub(unsigned index);

#endif
