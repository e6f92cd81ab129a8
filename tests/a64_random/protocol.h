/*
 * What the host test and the guest program of the referee say to each other: the host writes
 * batches of requests to the guest's standard input, the guest answers each batch with as many
 * replies. A batch is a 32-bit count (1..BATCH), then that many requests. Everything is little
 * endian; the structures have no padding.
 */
#ifndef TESTS_A64_RANDOM_PROTOCOL_H
#define TESTS_A64_RANDOM_PROTOCOL_H

#include <stdint.h>

enum {
    MAX_WORDS = 256, /* of a sequence, its last jump included */
    MAX_EVENTS = 16, /* a sequence with more signals ends at the last of them */
    MEMORY_BYTES = 8192,
    BATCH = 32,
    /* The sequence is at CODE. Its end jumps to CODE + STUB; a word there leads out of it. Both
     * fit into one page, which is readable, and zero where nothing is said. */
    CODE_BYTES = 4096,
    STUB = 2048,
    NO_INDEX = 0xffff,
};

/* Close enough to a static program for a direct jump (128 MB), and free in its address space. */
#define CODE UINT64_C(0x04000000)

/* Memory is around this address, a single bit, so that one ORR makes a base register of it. */
#define MIDDLE UINT64_C(0x20000000)
#define MEMORY (MIDDLE - MEMORY_BYTES / 2)

/* Nothing is mapped from here on for 4 GB, nor between MEMORY and here where sequences reach. */
#define NOWHERE UINT64_C(0x1000000000)

struct state {
    uint64_t v[32][2];
    uint64_t x[31], sp;
    uint64_t nzcv; /* bits 31:28 */
    uint64_t fpcr, fpsr;
    uint64_t unused;
};

struct request {
    struct state state;
    uint8_t memory[MEMORY_BYTES];
    uint32_t words; /* at most MAX_WORDS */
    uint32_t code[MAX_WORDS];
    uint32_t unused;
};

/* A signal. An instruction of the sequence that raises one is skipped, and the exclusive monitor
 * is cleared; a jump out of the sequence (NO_INDEX) ends it. */
struct raised {
    uint16_t index; /* of the instruction */
    uint16_t signal;
};

struct reply {
    struct state state;
    uint8_t memory[MEMORY_BYTES];
    uint32_t events;
    struct raised event[MAX_EVENTS];
    uint32_t unused;
};

#endif
