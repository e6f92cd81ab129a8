/*
 * What the host test and the guest program of the referee say to each other: the host writes
 * batches of requests to the guest's standard input, the guest answers each batch with as many
 * replies. A batch is a 32-bit count (1..BATCH), then that many requests. Everything is little
 * endian; the structures have no padding.
 *
 * state.h is the architecture's: struct state, whose size is a multiple of 16, and where code and
 * memory are in its address space.
 */
#ifndef TESTS_RANDOM_PROTOCOL_H
#define TESTS_RANDOM_PROTOCOL_H

#include <stdint.h>

#include "state.h"

enum {
    MAX_HALVES = 512, /* of a sequence, in units of 16 bits, its last jump included */
    MAX_EVENTS = 16,  /* a sequence with more signals ends at the last of them */
    MEMORY_BYTES = 8192,
    BATCH = 32,
    /* The sequence is at CODE. Its end jumps to CODE + STUB; an instruction there leads out of it.
     * All code is in the two pages around CODE, which are readable, and zero where nothing is said. */
    STUB = 1536,
    CODE_BYTES = 8192,
    NO_INDEX = 0xffff,
};

/* The first of the two pages. */
#define CODE_PAGE (CODE & ~UINT64_C(0xfff))

/* Memory is around MIDDLE. Nothing is mapped around NOWHERE, nor between MEMORY and there where
 * sequences reach. */
#define MEMORY (MIDDLE - MEMORY_BYTES / 2)

struct request {
    struct state state;
    uint8_t memory[MEMORY_BYTES];
    uint16_t code[MAX_HALVES];
    uint32_t halves; /* at most MAX_HALVES */
    uint32_t unused[3];
};

/* A signal. An instruction of the sequence that raises one is skipped, and the exclusive monitor
 * is cleared; a jump out of the sequence (NO_INDEX) ends it. */
struct raised {
    uint16_t index; /* of the instruction, in units of 16 bits */
    uint16_t signal;
};

struct reply {
    struct state state;
    uint8_t memory[MEMORY_BYTES];
    struct raised event[MAX_EVENTS];
    uint32_t events;
    uint32_t unused[3];
};

#endif
