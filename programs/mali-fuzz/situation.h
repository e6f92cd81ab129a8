/*
 * What an instruction of lanes starts from and what it leaves, as both sides of the comparison know
 * it: the slots of a warp, memory, and what the instruction asks for at the end of its bundle.
 */
#ifndef PROGRAMS_MALI_FUZZ_SITUATION_H
#define PROGRAMS_MALI_FUZZ_SITUATION_H

#include <stdbool.h>

#include "runtime/gpu/isa.h"

enum {
    MEMORY_BYTES = 4096,                            /* addresses wrap: every access hits */
    POOL_WORDS = 4,                                 /* constants of the shader */
    MAX_REGISTERS = 160,                            /* of a lane */
    MAX_BEHIND = 2 * GPU_MAX_UNITS * GPU_MAX_PARTS, /* results, or constants */
    MAX_SLOTS = MAX_REGISTERS + GPU_SLOT_RESULT + MAX_BEHIND,
    SELECTORS = 256,
    STORED_WORDS = 4096, /* of which so many are drawn anew for a situation, twice what one reads */
    FRESH_WORDS = 256,
};

struct random;
struct situation;

/* A word as registers may hold it: numbers of all formats, near their limits. */
uint32_t situation_random_word(struct random *r);
/*
 * Random words for situations. An instruction reads few of a situation's slots, and which is not known before:
 * so each row of slots is a piece of the store that begins anywhere, and the store changes from one situation
 * to the next. All zeros: not yet filled.
 */
struct situation_store {
    uint32_t word[STORED_WORDS];
    unsigned next; /* to be drawn anew */
    bool full;
};

/* Random slots and memory. */
void situation_fill(struct situation *s, struct situation_store *store, struct random *r);
/* Whether they are equal, or both NaNs: of two NaNs an operation may give either, since the order of
 * operands is the C compiler's. */
bool situation_same_word(uint32_t a, uint32_t b);

/* What differs between those who set up situations. */
struct situation_world {
    /* Of a source that the instruction names by a selector, what a lane has. */
    uint32_t (*source)(const struct situation *before, uint32_t selector, unsigned lane);
    uint64_t (*uniform_buffer)(uint32_t index, uint32_t offset, uint32_t bytes);
    /* The address of an external function of the descriptions; NULL when unknown. */
    void (*(*external)(const char *name))(void);
};

struct situation {
    const struct situation_world *world;
    const void *opaque; /* the world's */

    /* The instruction: */
    uint64_t header, address, end;
    unsigned source[SELECTORS]; /* slots */
    unsigned result, staging;   /* slots */
    unsigned registers;
    unsigned behind; /* slots behind those of the engine */

    /* The warp: */
    unsigned lanes; /* of a row */
    unsigned width; /* of a warp */
    uint32_t active;
    uint64_t local_base, tls[GPU_MAX_LANES];
    uint32_t slot[MAX_SLOTS][GPU_MAX_LANES];
    uint8_t memory[MEMORY_BYTES];

    /* What it asks for: */
    uint32_t branched, ended, faulted, waits;
    uint64_t target[GPU_MAX_LANES];
    uint64_t effects; /* hash of calls that store pixels */
    bool asked;       /* the referee needed descriptors, which only some worlds have */
    uint32_t written; /* bit a lane that the referee saw write a result */
    const char *broke;
};

static inline unsigned slot_count(const struct situation *s)
{
    return s->registers + GPU_SLOT_RESULT + s->behind;
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
enum { UNIFORM_BUFFER = 1, ATTRIBUTE, FORMAT, IMAGE, PIXEL, STORE, TEXTURE };

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
