/*
 * What an instruction of lanes starts from and what it leaves, as both sides of the comparison know
 * it: the slots of a warp, memory, and what the instruction asks for at the end of its clause.
 */
#ifndef TESTS_LANE_DIFF_SITUATION_H
#define TESTS_LANE_DIFF_SITUATION_H

#include <stdbool.h>

#include "runtime/gpu/isa.h"

enum {
    MEMORY_BYTES = 4096, /* addresses wrap: every access hits */
    POOL_WORDS = 4,      /* constants of the shader */
    MAX_REGISTERS = 80,  /* of a lane */
    MAX_SLOTS = MAX_REGISTERS + GPU_SLOT_POOL + POOL_WORDS,
    SELECTORS = 256,
};

struct situation {
    /* The instruction: */
    uint64_t header, address;
    unsigned source[SELECTORS]; /* slots */
    unsigned result, staging;   /* slots */
    unsigned registers;

    /* The warp: */
    unsigned lanes;
    uint32_t active;
    uint64_t local_base, tls[GPU_MAX_LANES];
    uint32_t slot[MAX_SLOTS][GPU_MAX_LANES];
    uint8_t memory[MEMORY_BYTES];

    /* What it asks for: */
    uint32_t branched, ended, faulted, waits;
    uint64_t target[GPU_MAX_LANES];
    uint64_t effects; /* hash of calls that store pixels */
    const char *broke;
};

static inline unsigned slot_count(const struct situation *s)
{
    return s->registers + GPU_SLOT_POOL + POOL_WORDS;
}

/* A number that depends on all of them. */
static inline uint64_t mixed(uint64_t kind, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t h = kind * UINT64_C(0x9e3779b97f4a7c15);

    h = (h ^ a) * UINT64_C(0xd1342543de82ef95);
    h = (h ^ h >> 29 ^ b) * UINT64_C(0xbf58476d1ce4e5b9);
    return (h ^ h >> 31 ^ c) * UINT64_C(0x94d049bb133111eb);
}

/* What the surroundings answer: the same on both sides. */
enum { UNIFORM_BUFFER = 1, ATTRIBUTE, FORMAT, IMAGE, PIXEL, STORE };

/* Memory of an access; what reaches beyond the end goes on at the beginning. */
static inline uint64_t memory_read(const struct situation *s, uint64_t va, unsigned bytes)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)s->memory[(va + i) % MEMORY_BYTES] << 8 * i;
    return v;
}
static inline void memory_write(struct situation *s, uint64_t va, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        s->memory[(va + i) % MEMORY_BYTES] = (uint8_t)(v >> 8 * i);
}

#endif
