/*
 * What the runs start from in which the quick tier makes the traces of a sequence. The first and
 * the last run, which are compared, start from the request.
 */
#ifndef TESTS_RANDOM_WARM_UP_H
#define TESTS_RANDOM_WARM_UP_H

#include "protocol.h"

struct warm_up {
    struct state state;
    uint8_t memory[MEMORY_BYTES];
};

/* The longest loop of a sequence. */
enum { MAX_TURNS = 16 };

#endif
