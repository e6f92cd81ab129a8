/*
 * The CPU of mixed/ a second time, by its description's rules: one instruction after the other,
 * fetched unit by unit, without blocks, caches or translation.
 */
#ifndef TESTS_MIXED_MODEL_H
#define TESTS_MIXED_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { MODE_WIDE, MODE_DENSE, MODE_LOW, MODES };

enum {
    PAGE = 4096,
    FRAMES = 8, /* frames of physical memory */
    MAP_FAULT = 5,
};

/* A virtual page: its frame of memory, or none, and its permissions. */
struct mapping {
    uint32_t va;
    int frame; /* -1: MAP_FAULT */
    bool write;
};
enum { MAPPINGS = 8 };

/* Events that a run has met, to prove that the test reaches them. */
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

/* Returns the mapping of an address; NULL if there is none. */
const struct mapping *model_find(const struct mapping *map, uint32_t va);

/* Executes one instruction, or takes its exception. */
void model_step(struct model *m);

#endif
