/*
 * The CPU of mixed/ as its description says it is, written a second time: one instruction after the
 * other, fetched unit by unit, without blocks, caches or translation.
 */
#ifndef TESTS_MIXED_MODEL_H
#define TESTS_MIXED_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { MODE_WIDE, MODE_DENSE, MODE_LOW, MODES };

enum {
    PAGE = 4096,
    FRAMES = 8, /* of physical memory */
    MAP_FAULT = 5,
};

/* A virtual page: a frame of memory, or none, and what may be done with it. */
struct mapping {
    uint32_t va;
    int frame; /* -1: MAP_FAULT */
    bool write;
};
enum { MAPPINGS = 8 };

/* What a run has met, to know that a test tests something. */
struct met {
    uint64_t crossings, crossing_faults, contexts, exceptions_in_context, modes, fetch_faults;
};

struct model {
    uint32_t r[16], pc, cause, back, last;
    uint8_t z, it, mode;
    struct mapping map[MAPPINGS];
    uint8_t memory[FRAMES * PAGE];
    struct met met;
};

/* The mapping of an address; NULL when it has none. */
const struct mapping *model_find(const struct mapping *map, uint32_t va);

/* Executes one instruction, or takes the exception of one. */
void model_step(struct model *m);

#endif
