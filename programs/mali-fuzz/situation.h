/*
 * The state before and after an instruction of lanes, for both sides of the comparison: the slots
 * of a warp, memory, and what the instruction requests for the end of its bundle.
 */
#ifndef PROGRAMS_MALI_FUZZ_SITUATION_H
#define PROGRAMS_MALI_FUZZ_SITUATION_H

#include <stdbool.h>

#include "runtime/gpu/isa.h"

enum {
    MEMORY_BYTES = 4096,                            /* addresses wrap, so that every access hits */
    POOL_WORDS = 4,                                 /* constants per shader */
    MAX_REGISTERS = 160,                            /* registers per lane */
    MAX_BEHIND = 2 * GPU_MAX_UNITS * GPU_MAX_PARTS, /* most results, or constants */
    MAX_SLOTS = MAX_REGISTERS + GPU_SLOT_RESULT + MAX_BEHIND,
    SELECTORS = 256,
    /* words of the store; the number drawn anew per situation is twice the number that an
     * instruction reads */
    STORED_WORDS = 4096, /* words of the store */
    FRESH_WORDS = 256,   /* drawn anew per situation; twice what an instruction reads */
};

struct random;
struct situation;

/* A random word for registers: numbers of all formats, near their limits. */
uint32_t situation_random_word(struct random *r);
/*
 * Random words for situations. An instruction reads few of a situation's slots, and which ones is
 * not known before. So each row of slots is a piece of the store with a random start, and part of
 * the store changes per situation. All zeros: not filled yet.
 */
struct situation_store {
    uint32_t word[STORED_WORDS];
    unsigned next; /* next word to be drawn anew */
    bool full;
};

/* Fills slots and memory with random words. */
void situation_fill(struct situation *s, struct situation_store *store, struct random *r);
/* Whether two words are equal or both NaNs. An operation on two NaNs may return either, since the C
 * compiler chooses the order of operands. */
bool situation_same_word(uint32_t a, uint32_t b);

/* Functions by which the environments of situations differ. */
struct situation_world {
    /* A lane's value of the source that a selector of the instruction names. */
    uint32_t (*source)(const struct situation *before, uint32_t selector, unsigned lane);
    uint64_t (*uniform_buffer)(uint32_t index, uint32_t offset, uint32_t bytes);
    /* The address of an external function of the descriptions; NULL: unknown. */
    void (*(*external)(const char *name))(void);
    bool computes; /* the threads are those of a compute job: they have no fragment to work on */
};

struct situation {
    const struct situation_world *world;
    const void *opaque; /* argument of the functions */

    /* The instruction: */
    uint64_t header, address, end;
    unsigned source[SELECTORS]; /* slots */
    unsigned result, staging;   /* slots */
    unsigned registers;
    unsigned extra_slots; /* number of slots behind those of the engine */

    /* The warp: */
    unsigned lanes; /* lanes per row */
    unsigned width; /* lanes per warp */
    uint32_t active;
    uint64_t local_base, tls[GPU_MAX_LANES];
    uint32_t slot[MAX_SLOTS][GPU_MAX_LANES];
    uint8_t memory[MEMORY_BYTES];

    /* Requests of the instruction: */
    uint32_t branched, ended, faulted, waits;
    uint64_t target[GPU_MAX_LANES];
    uint64_t effects;       /* hash of calls that store pixels */
    bool needs_descriptors; /* the referee needed descriptors, which only some environments have */
    uint32_t written;       /* lanes for which the referee wrote a result, one bit each */
    const char *failure;
};

static inline unsigned slot_count(const struct situation *s)
{
    return s->registers + GPU_SLOT_RESULT + s->extra_slots;
}

/* A hash of its arguments. */
static inline uint64_t mix_hash(uint64_t kind, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t h = kind * UINT64_C(0x9e3779b97f4a7c15);

    h = (h ^ a) * UINT64_C(0xd1342543de82ef95);
    h = (h ^ h >> 29 ^ b) * UINT64_C(0xbf58476d1ce4e5b9);
    return (h ^ h >> 31 ^ c) * UINT64_C(0x94d049bb133111eb);
}

/* Kinds of answers of the environment, which are the same on both sides. */
enum { UNIFORM_BUFFER = 1, ATTRIBUTE, FORMAT, IMAGE, PIXEL, STORE, TEXTURE, GRAPHICS };

/* Reads memory; addresses beyond the end wrap to the beginning. */
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
