/* Declarations that the test of the quick tier's vector code shares with its model. */
#ifndef TESTS_JIT_QUICK_VECTOR_TEST_H
#define TESTS_JIT_QUICK_VECTOR_TEST_H

#include "runtime/jit/quick/x64/select_vector.h"

/* A value of any type, in its low bytes. */
union value {
    uint8_t bytes[16];
    uint64_t w[2];
    unsigned __int128 whole;
};

/* An operation under test: `node` without operands, and the operands' types. */
struct operation {
    struct q_node node;
    unsigned operands;
    jit_type types[4];
    uint8_t kinds[4]; /* enum leaf */
};

/* Kinds of operands, by what is special about their values. */
enum leaf {
    LEAF_ANY,
    LEAF_MASK,     /* a comparison's lanes */
    LEAF_BYTES,    /* the mask of a comparison of bytes */
    LEAF_UNSIGNED, /* 32-bit lanes, widened without sign */
    LEAF_SIGNED,
    LEAF_OTHER,     /* the result of another conversion */
    LEAF_AMOUNT,    /* a shift amount */
    LEAF_CONST,     /* always a constant */
    LEAF_CONDITION, /* often zero */
    LEAF_NUMBERS,   /* constant numbers of bytes: below 16, or from 128 on */
    LEAF_FLOAT,     /* the mask of a comparison of scalar floats */
};

/* Read and write one lane's bits. */
uint64_t lane_get(const union value *v, jit_type t, unsigned lane);
void lane_set(union value *v, jit_type t, unsigned lane, uint64_t bits);

/* Returns random lane bits that favour the type's special values. */
uint64_t random64(void);
union value random_value(jit_type t, enum leaf kind);

/* Computes the operation's result as build.h defines it. */
union value model(const struct operation *o, const union value *args);
/* Whether any NaN is a right result in place of another. */
bool any_nan(const struct operation *o);
bool same_value(jit_type t, const union value *a, const union value *b, bool nan);

struct harness;
/* For code with these features of the host (q_buffer.features). Returns NULL if memory is
 * exhausted. */
struct harness *harness_new(unsigned features);
void harness_free(struct harness *f);
/*
 * Runs the operation many times if the selection accepts it. Returns whether it does. A wrong
 * result fails the test.
 */
bool try_operation(struct harness *f, const struct operation *o);
/* Runs the operation once. */
void run_operation(struct harness *f, const struct operation *o);
/* Runs code that puts a Q_CONST node's value in a register. */
void try_constant(struct harness *f, const struct q_node *n);

#endif
