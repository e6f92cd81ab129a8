/*
 * `gencc test`: random programs of a description, executed by the evaluator and by other
 * simulators.
 */
#ifndef GENCC_TEST_TEST_H
#define GENCC_TEST_TEST_H

#include "gencc/model/model.h"

enum { TEST_PEERS = 8 };

struct test_options {
    uint64_t seed, count; /* instructions to compare */
    unsigned seconds;     /* at most; 0: no limit */
    unsigned length;      /* instructions of a program at most */
    unsigned failures;    /* after which it stops */
    unsigned undefined;   /* of this many words one is a neighbour of a valid one; 0: none */
    const char *output;   /* folder for programs as files; NULL: none */
    const char *isa;      /* NULL: the first */
    const char *only;
    const char *left_out[8]; /* files */
    unsigned left_out_count;
    const char *skip[64];
    unsigned skip_count;
    const char *peer[TEST_PEERS]; /* commands */
    unsigned peer_count;
    const char *set[32]; /* features, NAME=VALUE */
    unsigned set_count;
    const char *again; /* the command without the seed */
    bool show, list;
};

/* Runs the test of a lowered description. Returns the exit status: 0 all agree, 1 differences, 2 it
 * could not be run. */
int test_run(const struct model *m, const struct test_options *o);

#endif
