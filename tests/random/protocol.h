/*
 * The protocol between the host test and the referee's guest program: the host writes batches of
 * requests to the guest's standard input, and the guest answers each with one reply per request. A
 * batch is a 32-bit count (1..BATCH), then `count` requests. All is little-endian;
 * structures have no padding. state.h is the architecture's: struct state, whose size is a multiple
 * of 16, and the addresses of code and memory.
 */
#ifndef TESTS_RANDOM_PROTOCOL_H
#define TESTS_RANDOM_PROTOCOL_H

#include <stdint.h>

#include "state.h"

enum {
    MAX_HALVES = 512, /* length of a sequence in units of 16 bits, with its last jump */
    MAX_EVENTS = 16,  /* a sequence with more signals ends at the last one */
    MEMORY_BYTES = 8192,
    BATCH = 32,
    /*
     * The sequence is at CODE. Its end jumps to CODE + STUB, where an instruction leaves the
     * sequence. All code is in the two pages around CODE, which are readable, and zero where not
     * filled.
     */
    STUB = 1536,
    CODE_BYTES = 8192,
    NO_INDEX = 0xffff,
};

/* The first of the two pages. */
#define CODE_PAGE (CODE & ~UINT64_C(0xfff))

/*
 * Memory is around MIDDLE. Neither the surroundings of NOWHERE are mapped, nor the reachable
 * addresses between MEMORY and there.
 */
#define MEMORY (MIDDLE - MEMORY_BYTES / 2)

struct request {
    struct state state;
    uint8_t memory[MEMORY_BYTES];
    uint16_t code[MAX_HALVES];
    uint32_t halves; /* at most MAX_HALVES */
    uint32_t unused[3];
};

/*
 * A signal. An instruction of the sequence that raises one is skipped, and the exclusive monitor is
 * cleared; a jump out of the sequence (NO_INDEX) ends it.
 */
struct raised {
    uint16_t index; /* place of the instruction, in units of 16 bits */
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
